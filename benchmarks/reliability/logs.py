"""A write-ahead log that was cut, damaged or taken away after a kill; a database that is gone."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.reliability.damage import all_documents
from benchmarks.reliability.documents import import_request, write_lines
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import Child, copied, opened, prepare
from toulmin.errors import ToulminError

_LOG, _INDEX, _DATABASE = "records.db-wal", "records.db-shm", "records.db"
_LEAST_LOG = 100_000


def damaged_log(place: Path, *, documents: int, trials: int, seed: int) -> Outcome:
    """Damage what a killed process left: it is refused by name, or nothing is lost."""
    outcome = Outcome("the write-ahead log of a killed process cut, damaged or taken away")
    chosen = random.Random(seed)
    killed = _killed(place, documents)
    expected = _read(copied(killed, place / "whole"))
    assert isinstance(expected, dict)
    outcome.figures["documents"] = len(expected)
    outcome.figures["log_bytes"] = (killed / _LOG).stat().st_size
    for _ in range(trials):
        outcome.trials += 1
        folder = copied(killed, place / "trial")
        kind = chosen.choice(sorted(_DAMAGES))
        _DAMAGES[kind](folder, chosen)
        before = (folder / _DATABASE).stat().st_size if (folder / _DATABASE).exists() else None
        with _Warnings() as warnings:
            found = _read(folder)
        outcome.count(kind, _judge(outcome, kind, found, expected, warnings.all))
        if not isinstance(found, dict):
            now = (folder / _DATABASE).stat().st_size if (folder / _DATABASE).exists() else None
            outcome.check(now == before, f"{kind}: the database was touched")
            outcome.check(not isinstance(_read(folder), dict), f"{kind}: the second start took it")
    return outcome


def _judge(
    outcome: Outcome, kind: str, found: Any, expected: dict[str, Any], warnings: list[str]
) -> str:
    if isinstance(found, ToulminError):
        named = _DATABASE in found.message
        outcome.check(named and "toulmin restore" in found.message, f"{kind}: {found.message}")
        return "refused at the start, by name"
    if not isinstance(found, dict):
        outcome.check(False, f"{kind}: {found!r}")  # noqa: FBT003
        return type(found).__name__
    if found == expected:
        return "all documents right"
    if any(_LOG in warning for warning in warnings):
        return "changes lost, and warned of"
    outcome.check(False, f"{kind}: {len(expected) - len(found)} documents lost")  # noqa: FBT003
    return "changes lost, unnoticed"


def _killed(place: Path, documents: int) -> Path:
    """Import, and kill the process when enough of it is in the log alone."""
    folder, root = place / "killed", place / "in"
    path = write_lines(root / "documents.jsonl", range(documents))
    prepare(folder, ("import-documents", import_request(path)))
    child = Child(folder, root, stays=True)
    enough = lambda report: (  # noqa: E731
        report.get("success", 0) > documents // 4 and (folder / _LOG).stat().st_size > _LEAST_LOG
    )
    assert child.wait_for(enough), "it never came so far"
    child.kill()
    return folder


def _read(folder: Path) -> dict[str, Any] | Exception:
    try:
        with opened(folder) as records:
            return all_documents(records)
    except Exception as error:  # noqa: BLE001 - which one is the finding
        return error


def _cut(folder: Path, chosen: random.Random) -> None:
    content = (folder / _LOG).read_bytes()
    (folder / _LOG).write_bytes(content[: chosen.randrange(len(content))])


def _flip(folder: Path, chosen: random.Random) -> None:
    content = bytearray((folder / _LOG).read_bytes())
    content[chosen.randrange(len(content))] ^= 1 << chosen.randrange(8)
    (folder / _LOG).write_bytes(content)


def _overwrite(folder: Path, chosen: random.Random) -> None:
    content = bytearray((folder / _LOG).read_bytes())
    start = chosen.randrange(len(content) - 4096)
    content[start : start + 4096] = bytes(4096)
    (folder / _LOG).write_bytes(content)


def _lose(*names: str) -> Callable[[Path, random.Random], None]:
    def lose(folder: Path, _chosen: random.Random) -> None:
        for name in names:
            (folder / name).unlink()

    return lose


def _empty(folder: Path, _chosen: random.Random) -> None:
    (folder / _DATABASE).write_bytes(b"")


_DAMAGES: dict[str, Callable[[Path, random.Random], None]] = {
    "the log cut": _cut,
    "one bit of the log": _flip,
    "4 KiB of the log overwritten": _overwrite,
    "the log lost": _lose(_LOG),
    "the log and its index lost": _lose(_LOG, _INDEX),
    "records.db lost": _lose(_DATABASE),
    "records.db emptied": _empty,
}


class _Warnings(logging.Handler):
    """What was warned of meanwhile."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.all: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.all.append(record.getMessage())

    def __enter__(self) -> _Warnings:
        logging.getLogger("toulmin").addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("toulmin").removeHandler(self)
