"""All targets, one after the other: `python -m tests.fuzz.run [--only NAMES] [--seconds N]`.

What libFuzzer finds on its way is kept in `.fuzz/TARGET`, outside the repository, and is where the
next run begins. An input that breaks something is kept there as `crash-...`, `timeout-...` or
`oom-...`; mend the defect and put the input into `tests/fuzz/corpus/TARGET`. Exits with 1 when
there is one.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

NAMES = [
    "json",
    "requests",
    "filters",
    "names",
    "masks",
    "bodies",
    "sentences",
    "documents",
    "markup",
    "office",
    "mail",
]
ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"
FOUND = ROOT / ".fuzz"
_SLOW_S = 20
_MEMORY_MB = 2048
_STATUS = re.compile(r"#(\d+)\s+\S+\s+cov: (\d+)")
_SEED = 1
_LINES = 40


def main() -> None:
    """Run the targets and say what came out."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=__doc__)
    parser.add_argument("--only", default=",".join(NAMES), help=f"of {', '.join(NAMES)}")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",")
    if unknown := set(chosen) - set(NAMES):
        parser.error(f"there is no target {', '.join(sorted(unknown))}")
    broken = [name for name in chosen if not fuzz(name, arguments.seconds)]
    sys.exit(1 if broken else 0)


def fuzz(name: str, seconds: int) -> bool:
    """Fuzz one target for a time; return False if something broke."""
    place = FOUND / name
    place.mkdir(parents=True, exist_ok=True)
    before = set(place.iterdir())
    command = [
        *(sys.executable, "-m", "tests.fuzz.one", name, str(place), str(CORPUS / name)),
        *(f"-max_total_time={seconds}", f"-timeout={_SLOW_S}", f"-rss_limit_mb={_MEMORY_MB}"),
        *(f"-artifact_prefix={place}{os.sep}", f"-seed={_SEED}", "-max_len=20000"),
    ]
    began = time.monotonic()
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    took = time.monotonic() - began
    states = _STATUS.findall(ended.stderr)
    runs, covered = states[-1] if states else ("0", "0")
    kept = [path for path in sorted(set(place.iterdir()) - before) if "-" in path.name]
    is_whole = ended.returncode == 0
    print(f"{name}: {runs} inputs, {covered} branches, {took:.0f} s", flush=True)
    if not is_whole:
        print("\n".join((ended.stdout + ended.stderr).splitlines()[-_LINES:]))
        for path in kept:
            print(f"  kept as {path.relative_to(ROOT)}")
    return is_whole


if __name__ == "__main__":
    main()
