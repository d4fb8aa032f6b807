"""All targets, one after the other: `python -m tests.fuzz.run [--only NAMES] [--seconds N]`.

What libFuzzer finds on its way is kept in `.fuzz/TARGET`, outside the repository, and is where the
next run begins. The shortest input of each kind that breaks something is kept in
`.fuzz/found/TARGET`, with its traceback; mend the defect and put the input into
`tests/fuzz/corpus/TARGET`. Exits with 1 when there is one.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import re
import subprocess
import sys
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.measurement import RESULTS, circumstances

NAMES = [
    *("json", "requests", "filters", "names", "masks", "updates", "wire"),
    *("bodies", "http1", "http2", "websocket"),
    *("sentences", "claims", "documents", "markup", "office", "mail", "imported"),
    *("apps", "conditions", "functions", "goldens", "tools", "mcp", "replies"),
]
ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"
FOUND = ROOT / ".fuzz"
_FIGURES = RESULTS / "fuzzing.json"
_HANGS_S = 20
_MEMORY_MB = 512 + 400  # the instrumented program has nearly 400 before it begins
_TIMED_OUT = 70
"""libFuzzer's exit code; whether it was the input's fault or the machine's, trying it again says."""
_LONGEST = 64 * 1024
_STATUS = re.compile(r"#(\d+)\s+\S+\s+cov: (\d+)")
_SEED = 1


def main() -> None:
    """Run the targets and say what came out."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=__doc__)
    parser.add_argument("--only", default=",".join(NAMES), help=f"of {', '.join(NAMES)}")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument(
        "--save",
        action="store_true",
        help=f"write {_FIGURES.name}; what is not run keeps its figures",
    )
    arguments = parser.parse_args()
    chosen = arguments.only.split(",")
    if unknown := set(chosen) - set(NAMES):
        parser.error(f"there is no target {', '.join(sorted(unknown))}")
    with contextlib.redirect_stderr(io.StringIO()):  # a line for each module
        importlib.import_module("tests.fuzz.one")  # once for all of them
    around = circumstances() if arguments.save else {}
    figures = {name: fuzz(name, arguments.seconds) for name in chosen}
    if arguments.save:
        before = json.loads(_FIGURES.read_bytes())["targets"] if _FIGURES.exists() else {}
        text = json.dumps({"circumstances": around, "targets": before | figures}, indent=2)
        _FIGURES.write_text(text + "\n", encoding="utf-8")
    sys.exit(1 if any(figure["found"] for figure in figures.values()) else 0)


def fuzz(name: str, seconds: int) -> dict[str, Any]:
    """Fuzz one target for a time; return what came out, for people on the way."""
    place, kept = FOUND / name, FOUND / "found" / name
    place.mkdir(parents=True, exist_ok=True)
    kept.mkdir(parents=True, exist_ok=True)
    arguments = [
        *("tests.fuzz.one", name, str(kept), str(place), str(CORPUS / name)),
        *(f"-max_total_time={seconds}", f"-timeout={_HANGS_S}", f"-rss_limit_mb={_MEMORY_MB}"),
        *(f"-artifact_prefix={kept}{os.sep}", f"-seed={_SEED}"),
        *(f"-max_len={_LONGEST}", "-len_control=0"),
    ]
    began = time.monotonic()
    # libFuzzer ends its process; to instrument the program in each anew would take longer than some
    # targets do.
    log = kept / "log.txt"
    child = get_context("fork").Process(target=_one, args=(arguments, log))
    child.start()
    child.join()
    said = log.read_text("utf-8", "replace")
    states = _STATUS.findall(said)
    runs, covered = states[-1] if states else ("0", "0")
    found = [
        path for path in sorted(kept.iterdir()) if path.suffix != ".txt" and _holds(name, path)
    ]
    figure = {
        "inputs": int(runs),
        "branches": int(covered),
        "seconds": round(time.monotonic() - began),
        "found": len(found),
    }
    print(name, figure, flush=True)
    for path in found:
        print(f"  kept as {path.relative_to(ROOT)}")
    if child.exitcode not in (0, _TIMED_OUT):
        print("\n".join(said.splitlines()[-20:]))
        figure["found"] = max(1, len(found))
    return figure


def _one(arguments: list[str], log: Path) -> None:
    from tests.fuzz import one

    with log.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.argv = arguments
    one.main()


def _holds(name: str, path: Path) -> bool:
    """Return whether an input breaks something without the instruments, too, which take time."""
    again = [sys.executable, "-m", "tests.fuzz.again", name, str(path)]
    if subprocess.run(again, cwd=ROOT, capture_output=True, check=False).returncode:
        return True
    path.unlink()
    path.with_name(f"{path.name}.txt").unlink(missing_ok=True)
    return False


if __name__ == "__main__":
    main()
