"""Resolve the dependencies for every supported Python and platform, and write their hashes.

    python tools/lock.py            # needs uv in the environment

Writes requirements/base.txt (run time and build), requirements/dev.txt (tests, checks, the
official clients), requirements/container.txt (run time with all extras, build),
requirements/audit.txt, requirements/fuzz.txt, requirements/site.txt (the documentation as a site),
requirements/postgresql.txt and requirements/image.txt (the linter of the Dockerfile).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
OPTIONS = [
    "--universal",
    "--python-version=3.11",
    "--generate-hashes",
    "--no-annotate",
    "--no-header",
    "--quiet",
    "--no-config",
]


def lock(output: str, *arguments: str) -> None:
    """Write one lock file."""
    command = [sys.executable, "-m", "uv", "pip", "compile", *OPTIONS, "-o", output, *arguments]
    subprocess.run(command, cwd=ROOT, check=True)


def main() -> None:
    """Write the lock files; what two of them hold is locked to one version."""
    # hatchling builds the editable install without a second, unlocked environment.
    lock(
        "requirements/dev.txt",
        "pyproject.toml",
        "requirements/build.in",
        "--all-extras",
        "--group",
        "dev",
    )
    lock(
        "requirements/base.txt",
        "pyproject.toml",
        "requirements/build.in",
        "--constraint",
        "requirements/dev.txt",
    )
    lock(
        "requirements/container.txt",
        "pyproject.toml",
        "requirements/build.in",
        "--all-extras",
        "--constraint",
        "requirements/dev.txt",
    )
    # Environments of their own: what `make audit` and `make fuzz-coverage` run with.
    lock("requirements/audit.txt", "requirements/audit.in", "--constraint", "requirements/dev.txt")
    lock(
        "requirements/fuzz.txt",
        "pyproject.toml",
        "requirements/build.in",
        "requirements/fuzz.in",
        # WebSocket and agent folders are fuzzed, too.
        "--extra",
        "websocket",
        "--extra",
        "agents",
        "--constraint",
        "requirements/dev.txt",
    )
    lock("requirements/site.txt", "requirements/site.in")
    lock("requirements/postgresql.txt", "requirements/postgresql.in", "--no-deps")
    lock("requirements/image.txt", "requirements/image.in", "--no-deps")


if __name__ == "__main__":
    main()
