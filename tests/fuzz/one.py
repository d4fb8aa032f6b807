"""One target under atheris; run.py gives its name, a folder and libFuzzer's arguments.

It does not stop at the first finding: of each kind, told by what was raised and where, the shortest
input is kept in the folder, beside its traceback.
"""

from __future__ import annotations

import hashlib
import logging
import random
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["toulmin", "xml", "email", "html", "csv", "json"]):
    from tests.fuzz.targets import SLOWEST_S, TARGETS

_ONE_IN = 100
"""So many inputs are mutated by libFuzzer for each that has a piece of it repeated."""


def main() -> None:
    """Fuzz until libFuzzer's own limits end it."""
    name, folder = sys.argv.pop(1), Path(sys.argv.pop(1))
    # The targets of connections read the log.
    logging.getLogger().addHandler(logging.NullHandler())
    atheris.Setup(sys.argv, keeping(TARGETS[name], folder), custom_mutator=mutated)
    atheris.Fuzz()


def keeping(target: Callable[[bytes], None], folder: Path) -> Callable[[bytes], None]:
    """Return the target with its findings kept instead of raised."""

    def tried(data: bytes) -> None:
        began = time.process_time()
        try:
            target(data)
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            _keep(folder, "found", _place(error), data, traceback.format_exc())
        if (took := time.process_time() - began) > SLOWEST_S:
            _keep(folder, "slow", f"{took / SLOWEST_S:.0f}", data, f"{took:.1f} s")

    return tried


def mutated(data: bytes, most: int, seed: int) -> bytes:
    """Return other bytes; now and then with a piece repeated, which shows what is not linear."""
    chance = random.Random(seed)
    if not data or chance.randrange(_ONE_IN):
        return atheris.Mutate(data, most)  # type: ignore[no-any-return]
    start, end = sorted(chance.choices(range(len(data) + 1), k=2))
    piece = data[start:end] or data
    return (data[:start] + piece * (most // len(piece)) + data[end:])[:most]


def _place(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/toulmin/" in frame.filename] or frames
    return f"{type(error).__name__} {ours[-1].filename}:{ours[-1].lineno}"


def _keep(folder: Path, kind: str, place: str, data: bytes, said: str) -> None:
    name = f"{kind}-{hashlib.sha256(place.encode()).hexdigest()[:8]}"
    file = folder / name
    if not file.exists() or file.stat().st_size > len(data):
        file.write_bytes(data)
        (folder / f"{name}.txt").write_text(f"{place}\n{said}", encoding="utf-8")
