"""How soon the console's first page can be used, in Chromium.

    .venv/bin/python -m benchmarks.speed.console [--out FILE]

Runs `tests/console/run.py --measure` (which needs Chromium and makes .venv-console) and writes what
it prints, with the circumstances, to results/console.json. The two servers are idle meanwhile.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from benchmarks.measurement import REPOSITORY, circumstances, write_result

AIM_MS = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="another file than results/console.json")
    arguments = parser.parse_args()
    about = circumstances()
    command = [sys.executable, str(REPOSITORY / "tests/console/run.py"), "--measure"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures = json.loads(done.stdout.splitlines()[-1])
    path = write_result(
        "console", about | {"aim_ms": AIM_MS, "first_page": figures}, out=arguments.out
    )
    print(json.dumps(figures))
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
