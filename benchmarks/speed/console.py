"""How soon the console's first page can be used, or how a long PDF's upload looks, in Chromium.

    .venv/bin/python -m benchmarks.speed.console [--upload [PAGES]] [--out FILE]

Runs `tests/console/run.py --measure`, or `--measure-upload` (which need Chromium and make
.venv-console), and writes what it prints, with the circumstances, to results/console.json or
results/console_upload.json. The two servers are idle but for that.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from benchmarks.measurement import REPOSITORY, circumstances, write_result

AIM_MS = 1000
PAGES = 619


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--upload", type=int, nargs="?", const=PAGES, metavar="PAGES", help="upload a PDF instead"
    )
    parser.add_argument("--out", type=Path, help="another file than that of results/")
    arguments = parser.parse_args()
    about = circumstances()
    if arguments.upload:
        figures = measured("--measure-upload", str(arguments.upload))
        path = write_result("console_upload", about | {"upload": figures}, out=arguments.out)
    else:
        figures = measured("--measure")
        content = about | {"aim_ms": AIM_MS, "first_page": figures}
        path = write_result("console", content, out=arguments.out)
    print(json.dumps(figures))
    print(f"wrote {path}")


def measured(*task: str) -> dict[str, object]:
    """Return the figures that a task of the console's tests prints last."""
    command = [sys.executable, str(REPOSITORY / "tests/console/run.py"), *task]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return figures


if __name__ == "__main__":
    main()
