"""Do the records hold what was sent, once, and does the index hold what the records hold?

What is expected comes from `documents.py` alone; no index is asked what another should say, but for
scores: these are compared with an index that was built from the same records and never disturbed.
"""

from __future__ import annotations

import random
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reliability.documents import HashEmbedder, data, document_id, words
from benchmarks.reliability.processes import opened
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.index.manifest import read_json
from toulmin.stores.index.protocol import Query
from toulmin.stores.index.vectors import quantized
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import RecordStore

QUERIES = 200
_EVERYTHING = 10**6
_CLOSE = 3e-4
MODEL = f"embedder {HashEmbedder.version}"


@dataclass(frozen=True, slots=True)
class _Held:
    """What the records hold.

    Attributes:
        ids: Key of each chunk -> the document's id.
        numbers: Key of each chunk -> the document's number in the store.
        vectors: Key of each chunk -> its vector.
    """

    ids: dict[int, str]
    numbers: dict[int, int]
    vectors: dict[int, bytes]


def disagreements(
    folder: Path, expected: Mapping[int, int], *, seed: int = 1, url: str = ""
) -> list[str]:
    """Return what is wrong in a data folder that nobody has open; empty: nothing.

    Args:
        folder: The data folder.
        expected: Number of each document that must be there, no more and no fewer -> its version.
        seed: Chooses the queries.
        url: PostgreSQL database of the records; empty: they are in the folder.
    """
    with opened(folder, url) as records:
        wrong, held = _check_records(records, expected)
        for path in sorted((folder / "index").glob("store-*")):
            wrong += _check_index(records, path, held, expected, seed)
    if not list((folder / "index").glob("store-*")):
        wrong.append("there is no index")
    return wrong


def _check_records(records: RecordStore, expected: Mapping[int, int]) -> tuple[list[str], _Held]:
    wrong: list[str] = []
    held = _Held({}, {}, {})
    left = {document_id(number): (number, version) for number, version in expected.items()}
    after = 0
    while True:
        with records.read() as transaction:
            found = transaction.documents.scan(after_key=after, limit=1000)
        if not found:
            break
        after = found[-1].key
        for stored in found:
            document = stored.document
            number, version = left.pop(document.id, (-1, 0))
            if number < 0:
                wrong.append(f"{document.id} is there twice or should not be there")
            elif document.struct_data != data(number, version):
                wrong.append(f"{document.id} is not as it was sent: {document.struct_data}")
            if len(stored.chunks) != 1:
                wrong.append(f"{document.id} has {len(stored.chunks)} chunks")
            for chunk in stored.chunks:
                held.ids[chunk.key] = document.id
                held.numbers[chunk.key] = stored.key
                held.vectors[chunk.key] = chunk.embedding
    wrong += [f"{id_} is missing" for id_ in left]
    return wrong[:10], held


def _check_index(
    records: RecordStore, folder: Path, held: _Held, expected: Mapping[int, int], seed: int
) -> list[str]:
    lineage = read_json(folder / "current.json")["lineage"]
    index = EmbeddedIndex(folder, lineage=lineage)
    try:
        wrong = _check_rows(index, held)
        wrong += _check_words(index, held, expected, seed)
        if not wrong:
            with fresh_index(records, folder, model=lineage.partition(" ")[2]) as other:
                wrong += _check_scores(index, other, seed)
    finally:
        index.close()
    return wrong


def _check_rows(index: EmbeddedIndex, held: _Held) -> list[str]:
    """Compare every key, document number and vector."""
    wrong: list[str] = []
    segments = index._generation.snapshot.segments
    keys = np.concatenate(
        [np.zeros(0, dtype=np.int64), *(segment.rows.keys[segment.alive] for segment in segments)]
    )
    if len(keys) != len(set(keys.tolist())):
        wrong.append("a chunk is in the index twice")
    if set(keys.tolist()) != held.ids.keys():
        missing = len(held.ids.keys() - set(keys.tolist()))
        wrong.append(f"the index has {len(keys)} chunks, {missing} of the records' are missing")
        return wrong
    for segment in segments:
        rows = np.flatnonzero(segment.alive)
        if not len(rows):
            continue
        own = [int(key) for key in segment.rows.keys[rows]]
        if [held.numbers[key] for key in own] != segment.rows.documents[rows].tolist():
            wrong.append("chunks belong to other documents than in the records")
        vectors = np.stack([np.frombuffer(held.vectors[key], dtype="<f2") for key in own])
        unit = vectors.astype(np.float32)
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        small, _ = quantized(unit)
        off = np.abs(small.astype(np.int16) - segment.rows.vectors[rows].astype(np.int16)).max()
        if off > 1:  # the last place: norms of rows and of one row are added up differently
            wrong.append("vectors are not those of the records")
    return wrong


def queries(seed: int) -> list[list[str]]:
    """Return words to search for: of random documents, one to three."""
    chosen = random.Random(seed)
    return [
        chosen.sample(words(chosen.randrange(1000)), chosen.randint(1, 3)) for _ in range(QUERIES)
    ]


def _check_words(
    index: EmbeddedIndex, held: _Held, expected: Mapping[int, int], seed: int
) -> list[str]:
    """Compare what searches find with what has the words, by the documents themselves."""
    having: dict[str, set[str]] = defaultdict(set)
    for number, version in expected.items():
        for word in words(number, version):
            having[word].add(document_id(number))
    for query in queries(seed):
        hits = index.search(Query(text=" ".join(query), limit=_EVERYTHING)).lexical
        found = [held.ids.get(hit.key, "unknown") for hit in hits]
        if len(found) != len(set(found)):
            return [f"{query} finds a document twice"]
        if set(found) != set().union(*(having[word] for word in query)):
            return [f"{query} finds {len(found)} documents, other ones than have the words"]
    return []


def _check_scores(index: EmbeddedIndex, other: EmbeddedIndex, seed: int) -> list[str]:
    """Compare whole answers with an index built anew, where nothing that is dead counts."""
    embed = HashEmbedder().embed
    for query in queries(seed):
        text = " ".join(query)
        asked = Query(text=text, vector=embed([text])[0], limit=50)
        found, wanted = index.search(asked), other.search(asked)
        if [(hit.key, hit.document) for hit in found.dense] != [
            (hit.key, hit.document) for hit in wanted.dense
        ]:
            return [f"vectors near {text!r} are others than in an index built anew"]
        if index.wasted == 0 and not _alike(found.lexical, wanted.lexical):
            return [f"{text!r} has other scores than in an index built anew"]
    return []


def _alike(found: Any, wanted: Any) -> bool:
    return len(found) == len(wanted) and all(
        abs(a.score - b.score) < _CLOSE for a, b in zip(found, wanted, strict=True)
    )


@contextmanager
def fresh_index(
    records: RecordStore, folder: Path, *, model: str = MODEL
) -> Iterator[EmbeddedIndex]:
    """Build the index of a data store anew, elsewhere, by the product's own way."""
    place = folder.parent.parent.with_name(f"{folder.parent.parent.name}.fresh")
    shutil.rmtree(place, ignore_errors=True)
    index = EmbeddedIndex(place / "index", lineage="fresh")
    try:
        indexer = Indexer(records, place / "reader", embedding_model=model, embed=lambda *_: [])
        indexer._fill(index, int(folder.name.removeprefix("store-")))
        yield index
    finally:
        index.close()
        shutil.rmtree(place)
