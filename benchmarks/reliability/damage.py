"""Files damaged while nobody has them open, and old copies put back."""

from __future__ import annotations

import hashlib
import logging
import random
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reliability.agreement import MODEL, disagreements, queries
from benchmarks.reliability.documents import HashEmbedder, import_request, write_lines
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import copied, opened, prepare, run_to_end, toulmin
from toulmin.errors import ToulminError, Unavailable
from toulmin.stores.index.protocol import Query
from toulmin.stores.indexer import Indexer

_READY_S = 240.0
_EVERYTHING = 10**6
_CLOSE = 3e-4

Answers = list[tuple[dict[int, float], tuple[Any, ...]]]


def damaged_index(base: Path, *, trials: int, seed: int) -> Outcome:
    """Damage files of the index between two starts: each start answers as before."""
    outcome = Outcome("bytes of the index flipped, files of it cut, lost or exchanged")
    chosen = random.Random(seed)
    with _index_of(base) as (search, _):
        expected = _answers(search)
    for _ in range(trials):
        outcome.trials += 1
        folder = copied(base, base.with_name("trial"))
        what = damage(folder / "index", chosen)
        kind = what.split()[0]
        outcome.count("damage", kind)
        with _Messages() as messages, _index_of(folder) as (search, refused):
            if search is None:
                outcome.check(False, f"{what}: no answers; {messages.all[-1:]}")  # noqa: FBT003
                continue
            outcome.check(_same(_answers(search), expected), f"{what}: other answers")
        rebuilt = any("built anew" in message for message in messages.all)
        outcome.count("outcome", "rebuilt, and said so" if rebuilt else "nothing to repair")
        outcome.figures["searches_refused_meanwhile"] = (
            outcome.figures.get("searches_refused_meanwhile", 0) + refused
        )
    return outcome


def damage(folder: Path, chosen: random.Random) -> str:
    """Damage one file beneath a folder, or lose a folder; return what was done to which."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
    path = chosen.choice(files)
    content = bytearray(path.read_bytes())
    kind = chosen.choice(
        ("flipped", "flipped", "zeroed", "cut", "lost", "longer", "exchanged", "folder")
    )
    if kind == "flipped" and content:
        for _ in range(chosen.choice((1, 1, 4, 32))):
            content[chosen.randrange(len(content))] ^= 1 << chosen.randrange(8)
    elif kind == "zeroed" and content:
        at = chosen.randrange(len(content))
        end = min(len(content), at + 4096)
        content[at:end] = bytes(end - at)
    elif kind == "cut" and content:
        del content[chosen.randrange(len(content)) :]
    elif kind == "longer":
        content += chosen.randbytes(100)
    elif kind == "exchanged":
        # One of the same kind has the right checksum, and says nothing of whose it is.
        others = [other for other in files if other.suffix != path.suffix]
        content = bytearray(chosen.choice(others).read_bytes())
    if kind == "lost":
        path.unlink()
    elif kind == "folder":
        folders = sorted(found for found in folder.rglob("*") if found.is_dir())
        path = chosen.choice(folders)
        shutil.rmtree(path)
    else:
        path.write_bytes(content)
    return f"{kind} {path.relative_to(folder)}"


@contextmanager
def _index_of(folder: Path) -> Iterator[tuple[Any, int]]:
    """Start as the server does; give what searches (None: it never did) and how often it refused."""
    with opened(folder) as records:
        with records.read() as transaction:
            ((key, _),) = transaction.resources.all_data_stores()
            head = transaction.outbox.head().sequence
        indexer = Indexer(
            records, folder / "index", embedding_model=MODEL, embed=lambda *_: _no_embedding()
        )
        indexer.start()
        try:
            refused = 0
            ready = None
            deadline = time.monotonic() + _READY_S
            while ready is None and time.monotonic() < deadline:
                try:
                    index = indexer.index_of(key, timeout_s=0.05)
                    ready = index if indexer.position >= head else None
                except Unavailable:
                    refused += 1
                time.sleep(0.01)
            yield (ready.search if ready is not None else None), refused
        finally:
            indexer.close()


def _no_embedding() -> list[bytes]:
    raise AssertionError("nothing is embedded anew")


def _answers(search: Callable[[Query], Any]) -> Answers:
    embed = HashEmbedder().embed
    found: Answers = []
    for words in queries(7)[:40]:
        text = " ".join(words)
        hits = search(Query(text=text, vector=embed([text])[0], limit=_EVERYTHING))
        found.append(({hit.key: hit.score for hit in hits.lexical}, hits.dense))
    return found


def _same(found: Answers, expected: Answers) -> bool:
    for (words, vectors), (expected_words, expected_vectors) in zip(found, expected, strict=True):
        if words.keys() != expected_words.keys() or vectors != expected_vectors:
            return False
        if not np.allclose(
            list(words.values()), [expected_words[key] for key in words], atol=_CLOSE
        ):
            return False
    return True


class _Messages(logging.Handler):
    """What was logged meanwhile."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.all: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.all.append(record.getMessage())

    def __enter__(self) -> _Messages:
        self._logger = logging.getLogger("toulmin")
        self._before = self._logger.propagate
        self._logger.propagate = False
        self._logger.addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._logger.removeHandler(self)
        self._logger.propagate = self._before


def damaged_records(base: Path, *, trials: int, seed: int) -> Outcome:
    """Damage the database between two starts: refused with what to do, and never made worse."""
    outcome = Outcome("bytes of records.db overwritten between two starts")
    chosen = random.Random(seed)
    documents = _documents(base)
    for _ in range(trials):
        outcome.trials += 1
        folder = copied(base, base.with_name("trial"))
        was_killed = chosen.random() < 0.5
        if was_killed:
            (folder / "lock").write_text('{"pid": 1, "host": "h"}')
        how = _overwrite(folder / "records.db", chosen)
        index = _hash_of(folder / "index")
        after = "after a kill" if was_killed else "after a clean stop"
        outcome.count(f"{how}, {after}", _read_all(outcome, folder, documents))
        outcome.check(_hash_of(folder / "index") == index, "the index was touched")
    return outcome


def _overwrite(path: Path, chosen: random.Random) -> str:
    content = bytearray(path.read_bytes())
    how = chosen.choice(("header", "a page", "one bit", "cut"))
    page = 4096 * chosen.randrange(1, len(content) // 4096)
    if how == "header":
        content[:100] = chosen.randbytes(100)
    elif how == "a page":
        content[page : page + 4096] = chosen.randbytes(4096)
    elif how == "one bit":
        content[page + chosen.randrange(4096)] ^= 1 << chosen.randrange(8)
    else:
        del content[page:]
    path.write_bytes(content)
    return how


def _read_all(outcome: Outcome, folder: Path, documents: dict[str, Any]) -> str:
    """Open the records and read all; return where the damage showed."""
    try:
        with opened(folder) as records:
            try:
                found = all_documents(records)
            except ToulminError as error:
                outcome.check("damaged" in error.message, f"at a read: {error.message}")
                return "refused when read"
            except Exception as error:  # noqa: BLE001 - which one is the finding
                outcome.check(False, f"at a read: {error!r}")  # noqa: FBT003
                return f"{type(error).__name__} when read"
    except ToulminError as error:
        outcome.check("toulmin restore" in error.message, f"at the start: {error.message}")
        return "refused at the start"
    except Exception as error:  # noqa: BLE001 - which one is the finding
        outcome.check(False, f"at the start: {error!r}")  # noqa: FBT003
        return f"{type(error).__name__} at the start"
    return "all documents right" if found == documents else "documents wrong, unnoticed"


def _documents(folder: Path) -> dict[str, Any]:
    with opened(folder) as records:
        return all_documents(records)


def all_documents(records: Any) -> dict[str, Any]:
    """Return every document with its chunks, by id."""
    found: dict[str, Any] = {}
    after = 0
    while True:
        with records.read() as transaction:
            part = transaction.documents.scan(after_key=after, limit=500)
        if not part:
            return found
        after = part[-1].key
        for stored in part:
            chunks = [(chunk.content, chunk.embedding) for chunk in stored.chunks]
            found[stored.document.id] = (stored.document.struct_data, chunks)


def _hash_of(folder: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return found.hexdigest()


def old_copy(place: Path, *, documents: int, trials: int, seed: int) -> Outcome:
    """Put an older copy of the records beside a newer index."""
    outcome = Outcome("a copy of the records that is older than the index is put back")
    chosen = random.Random(seed)
    folder, root = place / "data", place / "in"
    first = chosen.randrange(documents // 4, documents // 2)
    prepare(
        folder, ("import-documents", import_request(write_lines(root / "1.jsonl", range(first))))
    )
    run_to_end(folder, root)
    for _ in range(trials):
        outcome.trials += 1
        target = place / "copy.db"
        target.unlink(missing_ok=True)
        report = toulmin("backup", "--data-dir", str(folder), str(target))
        outcome.check(report.returncode == 0, report.stderr)
        newer = copied(folder, place / "newer")
        path = write_lines(root / "2.jsonl", range(documents), version=2)
        prepare(newer, ("import-documents", import_request(path)))
        run_to_end(newer, root)
        if outcome.trials % 2:
            how = "toulmin restore"
            report = toulmin("restore", "--data-dir", str(newer), "--yes", str(target))
            outcome.check(report.returncode == 0, report.stderr)
        else:
            how = "the file copied by hand"
            for end in ("-wal", "-shm"):
                (newer / f"records.db{end}").unlink(missing_ok=True)
            shutil.copy(target, newer / "records.db")
        outcome.count("put back by", how)
        # What comes next has numbers that the newer index has seen already.
        more = range(first, first + 50)
        path = write_lines(root / "3.jsonl", more, version=3)
        prepare(newer, ("import-documents", import_request(path)))
        run_to_end(newer, root)
        expected = dict.fromkeys(range(first), 1) | dict.fromkeys(more, 3)
        outcome.wrong([f"{how}: {what}" for what in disagreements(newer, expected, seed=seed)])
    return outcome
