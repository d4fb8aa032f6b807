"""The two collections, as JSON files that a peer's environment can read without our packages.

Cranfield: 1,400 abstracts, 225 queries, graded. Paragraphs: every unique context of the SQuAD 1.1
part and the SQuAD 2.0 half (3,050); asked are 1,000 answerable questions of the half, by a seed. So
most paragraphs are of articles that no question is about.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from benchmarks.retrieval_collections import Collection, cranfield, squad_among_all

QUESTIONS = 1_000


def paragraphs(data: Path, *, questions: int = QUESTIONS) -> Collection:
    """Return all paragraphs of the SQuAD files; each question's own is the relevant one."""
    whole = squad_among_all(data)
    queries, relevant = whole.queries[:questions], whole.relevant[:questions]
    return Collection("paragraphs", whole.documents, queries, relevant)


def collections(data: Path, *, questions: int = QUESTIONS, sample: float = 1.0) -> list[Collection]:
    """Return both; with `sample` below 1, the first so much of the queries, and what they need."""
    whole = (cranfield(data), paragraphs(data, questions=questions))
    return [_part(found, sample) for found in whole]


def write(collection: Collection, path: Path) -> Path:
    """Write a collection where a worker reads it."""
    path.write_text(json.dumps(asdict(collection)), encoding="utf-8")
    return path


def load(path: Path) -> Collection:
    """Return what `write` wrote; the keys of `relevant` are numbers again."""
    value = json.loads(path.read_text(encoding="utf-8"))
    relevant = [{int(key): grade for key, grade in row.items()} for row in value["relevant"]]
    return Collection(value["name"], value["documents"], value["queries"], relevant)


def _part(whole: Collection, share: float) -> Collection:
    if share >= 1:
        return whole
    queries = max(25, int(len(whole.queries) * share))
    needed = {document for row in whole.relevant[:queries] for document in row}
    more = max(200, int(len(whole.documents) * share))
    kept = sorted(needed | set(range(min(more, len(whole.documents)))))
    place = {document: number for number, document in enumerate(kept)}
    return Collection(
        whole.name,
        [whole.documents[document] for document in kept],
        whole.queries[:queries],
        [
            {place[document]: grade for document, grade in row.items()}
            for row in whole.relevant[:queries]
        ],
    )
