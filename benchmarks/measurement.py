"""What every result file says about its figures: statistics, machine, commit, model, command."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).resolve().parent / "results"
WEIGHTS = REPOSITORY / "src" / "toulmin" / "models" / "weights"
_PACKAGES = ("numpy", "onnxruntime", "tokenizers", "uvicorn", "torch", "transformers")
_PROBE_S = 1.0


def summary(values: Sequence[float], *, digits: int = 2) -> dict[str, float]:
    """Return count, least, median, 95th percentile, mean and most of `values`.

    Percentiles are interpolated linearly; with few values the 95th is close to the greatest.
    """
    array = np.asarray(values, dtype=np.float64)
    return {
        "count": len(array),
        "min": round(float(array.min()), digits),
        "p50": round(float(np.percentile(array, 50)), digits),
        "p95": round(float(np.percentile(array, 95)), digits),
        "mean": round(float(array.mean()), digits),
        "max": round(float(array.max()), digits),
    }


def circumstances() -> dict[str, Any]:
    """Return what a figure depends on besides the code measured; takes a second.

    `busy_share_before` is the share in [0, 1] of all cores that other work took in the second
    before the measurement: anything well above 0 makes the figures too high.
    """
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command(),
        "commit": commit(),
        "machine": machine(),
        "load_average_before": [round(value, 2) for value in os.getloadavg()],
        "busy_share_before": busy_share(),
        "packages": _versions(),
        "models": model_hashes(),
    }


def command() -> str:
    """Return the command line, with `DATA` for the data folder, which differs by machine."""
    arguments = list(sys.argv[1:])
    for at, argument in enumerate(arguments):
        if argument.startswith("--data="):
            arguments[at] = "--data=DATA"
        elif argument == "--data" and at + 1 < len(arguments):
            arguments[at + 1] = "DATA"
    name = sys.modules["__main__"].__spec__.name.removesuffix(".__main__")
    return " ".join(["python -m", name, *arguments])


def commit() -> str:
    """Return the commit measured, with "+changes" when the working tree differs from it."""
    head = _git("rev-parse", "--short=12", "HEAD")
    if not head:
        return "none"
    return head + ("+changes" if _git("status", "--porcelain", "--", "src") else "")


def machine() -> dict[str, Any]:
    """Return processor, cores, memory and system."""
    facts = _cpu_facts()
    flags = set(facts.get("flags", "").split())
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cpu": facts.get("model name", platform.processor()),
        "cpu_family_model": f"{facts.get('cpu family', '?')}/{facts.get('model', '?')}",
        "cores": os.cpu_count(),
        "avx512_vnni": "avx512_vnni" in flags,
        "memory_gib": round(pages / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def busy_share() -> float:
    """Return the share of processor time used by anybody during one second, in [0, 1]."""
    busy_before, total_before = machine_ticks()
    time.sleep(_PROBE_S)
    busy, total = machine_ticks()
    return round((busy - busy_before) / max(1, total - total_before), 3)


def machine_ticks() -> tuple[int, int]:
    """Return (busy, total) ticks of all cores since the start of the machine."""
    with Path("/proc/stat").open(encoding="utf-8") as stat:
        ticks = [int(value) for value in stat.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def model_hashes() -> dict[str, Any]:
    """Return name, version and SHA-256 of the weights of each embedded model."""
    found: dict[str, Any] = {}
    for path in sorted(WEIGHTS.rglob("spec.json")):
        spec = json.loads(path.read_text(encoding="utf-8"))
        found[path.parent.relative_to(WEIGHTS).as_posix()] = {
            key: spec[key] for key in ("name", "version", "files")
        }
    return found


def write_result(name: str, content: dict[str, Any], *, out: Path | None = None) -> Path:
    """Write `results/<name>.json` (or `out`) and return its path."""
    path = out or RESULTS / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _cpu_facts() -> dict[str, str]:
    try:
        first, _, _ = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")
    except OSError:
        return {}
    rows = (line.partition(":") for line in first.splitlines())
    return {key.strip(): value.strip() for key, _, value in rows}


def _versions() -> dict[str, str]:
    versions: dict[str, str] = {}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _git(*arguments: str) -> str:
    result = subprocess.run(
        ["git", *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    return result.stdout.strip() if result.returncode == 0 else ""
