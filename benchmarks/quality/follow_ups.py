"""Does a follow-up question find its paragraph? As asked, rephrased, and with all that was said.

    python -m benchmarks.quality.follow_ups --data DATA [--list]

Conversations of our own making (`data/follow_ups.jsonl`: two or three questions over a paragraph
of the SQuAD half, named by the hash of its text) are searched among the paragraphs of both SQuAD
files, about 3,050, with the product's index: words and vectors, ordered by relevance. The right
paragraph is the one the last question was written for.

    asked      the last question alone
    rephrased  as `answering/understanding/rephrase.py` understands it
    joined     the naive way: every question and answer of the conversation in one query

Rules and words were made looking at the conversations of half of the paragraphs ("tuned"); the
figures that count are those of the other half ("held out"). `answerable` is the reader's
probability that the right paragraph answers the question as it is put: does it read as a question?
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.measurement import circumstances, write_result
from benchmarks.retrieval_collections import DEPTH, RESAMPLES, SEED, Ranking, read, squad_among_all
from toulmin.answering.question import Exchange
from toulmin.answering.reading.answerability import load_answerability
from toulmin.answering.reading.reader import Reader
from toulmin.answering.understanding.rephrase import rephrase
from toulmin.models.embedder import Embedder
from toulmin.models.reader_model import ReaderModel
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.retrieval.fusion import VECTOR_WEIGHT, fuse_scores
from toulmin.retrieval.relevance import coverage, load_relevance
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.index.protocol import IndexedChunk, Put, Query

CONVERSATIONS = Path(__file__).resolve().parent / "data" / "follow_ups.jsonl"
WAYS = ("asked", "rephrased", "joined")
STANDALONE = "standalone"
UNRELATED = ("train/squad1_part", "dev/xquad_es", "dev/squad_it", "train/jaquad")
MOST_UNRELATED = 3000


@dataclass(frozen=True)
class Conversation:
    """A conversation and the paragraph that answers its last question."""

    id: str
    kind: str
    history: tuple[Exchange, ...]
    question: str
    paragraph: str

    @property
    def held_out(self) -> bool:
        """Whether nothing was tuned on it; conversations over one paragraph stay together."""
        return int(self.paragraph, 16) % 2 == 1

    def put(self, way: str) -> str:
        """Return the query."""
        if way == "asked":
            return self.question
        if way == "rephrased":
            return rephrase(self.question, self.history)
        said = [f"{exchange.question} {exchange.answer}" for exchange in self.history]
        return " ".join([*said, self.question])


def read_conversations(path: Path = CONVERSATIONS) -> list[Conversation]:
    """Return the conversations in the order of the file."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        history = tuple(Exchange(turn["question"], turn["answer"]) for turn in row["history"])
        found.append(
            Conversation(row["id"], row["kind"], history, row["question"], row["paragraph"])
        )
    return found


def name_of(paragraph: str) -> str:
    """Return what a paragraph is called in the file of conversations."""
    return hashlib.sha256(paragraph.encode()).hexdigest()[:16]


class Paragraphs:
    """The collection, searched."""

    def __init__(self, texts: Sequence[str], vectors: np.ndarray, folder: Path) -> None:
        self._texts = texts
        self._vectors = vectors
        self._model = load_relevance()
        self._index = EmbeddedIndex(folder, lineage="benchmark")
        rows = [
            Put(IndexedChunk(key=i, document=i, text=text, vector=vectors[i]))
            for i, text in enumerate(texts)
        ]
        self._index.apply(rows, up_to=1)

    def search(self, text: str, vector: np.ndarray) -> Ranking:
        """Return the places of the best paragraphs, best first."""
        hits = self._index.search(Query(text=text, vector=vector, limit=DEPTH))
        words = {hit.key: hit.score for hit in hits.lexical}
        near = {hit.key: hit.score for hit in hits.dense}
        weights = [1 - VECTOR_WEIGHT, VECTOR_WEIGHT]
        found = [place for place, _ in fuse_scores([words, near], weights=weights)]
        lexical = np.array([words.get(place, 0.0) for place in found])
        dense = (self._vectors[found] @ vector).astype(np.float64)
        held = coverage(text, [self._texts[place] for place in found])
        relevance = self._model.predict(lexical, dense, held)
        return [found[i] for i in np.argsort(-relevance, kind="stable")]

    def close(self) -> None:
        self._index.close()


def ranks(
    conversations: Sequence[Conversation],
    texts: Sequence[str],
    vectors: np.ndarray,
    embedder: Embedder,
) -> dict[str, list[int]]:
    """Return for each way the rank, from 1, of each right paragraph; 0: not among the first 100."""
    place = {name_of(text): i for i, text in enumerate(texts)}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        paragraphs = Paragraphs(texts, vectors, Path(folder) / "index")
        for way in WAYS:
            queries = [conversation.put(way) for conversation in conversations]
            rankings = [
                paragraphs.search(query, vector)
                for query, vector in zip(queries, embedder.embed(queries), strict=True)
            ]
            right = [place[conversation.paragraph] for conversation in conversations]
            found[way] = [
                ranking.index(own) + 1 if own in ranking else 0
                for ranking, own in zip(rankings, right, strict=True)
            ]
        paragraphs.close()
    return found


def answerable(
    conversations: Sequence[Conversation], texts: Sequence[str]
) -> dict[str, list[float]]:
    """Return for each way the probability that the right paragraph answers each question."""
    by_name = {name_of(text): text for text in texts}
    reader = Reader(ReaderModel(EMBEDDED_WEIGHTS / "reader"), load_answerability())
    return {
        way: [reader.read(c.put(way), [by_name[c.paragraph]]).answerable for c in conversations]
        for way in WAYS
    }


def figures(
    conversations: Sequence[Conversation],
    places: dict[str, list[int]],
    said: dict[str, list[float]],
) -> dict[str, dict]:
    """Return the figures of each half, of follow-ups and of questions that stand alone."""
    result: dict[str, dict] = {}
    for half in ("held out", "tuned"):
        for part in ("follow-ups", STANDALONE, "all"):
            chosen = [
                i
                for i, c in enumerate(conversations)
                if c.held_out == (half == "held out")
                and (part == "all" or (c.kind == STANDALONE) == (part == STANDALONE))
            ]
            row: dict = {
                way: {
                    "recall@1": share([places[way][i] == 1 for i in chosen]),
                    "recall@5": share([0 < places[way][i] <= 5 for i in chosen]),
                    "answerable": round(float(np.mean([said[way][i] for i in chosen])), 3),
                }
                for way in WAYS
            }
            for theirs in ("asked", "joined"):
                row[f"gain over {theirs}"] = {
                    "recall@1": gain(places, theirs, chosen, 1),
                    "recall@5": gain(places, theirs, chosen, 5),
                }
            unchanged = [conversations[i].put("rephrased") for i in chosen]
            row["left as asked"] = share(
                [
                    text == conversations[i].question
                    for i, text in zip(chosen, unchanged, strict=True)
                ]
            )
            result[f"{part}, {half}"] = {"conversations": len(chosen), **row}
    return result


def left_alone(data: Path) -> dict[str, dict[str, float]]:
    """Return the share of people's single questions that stay as asked after another's question.

    Each is a change of topic. Some do lean ("What is the name of this building?"): they were
    written beside their paragraph. The rules were made looking at samples of the Spanish and the
    Italian set and of other English and Japanese questions, not at these two.
    """
    found = {}
    for name in UNRELATED:
        rows = [row for row in read(data / "qa" / f"{name}.jsonl.gz") if row["answerable"]]
        chosen = random.Random(SEED).sample(rows, min(2 * MOST_UNRELATED, len(rows)) // 2 * 2)
        pairs = list(zip(chosen[::2], chosen[1::2], strict=True))
        same = [
            rephrase(row["question"], (Exchange(before["question"], before["answers"][0]["text"]),))
            == row["question"]
            for before, row in pairs
        ]
        found[name] = {"questions": len(pairs), "left as asked": share(same)}
    return found


def share(values: Sequence[bool]) -> float:
    return round(float(np.mean(values)), 3)


def gain(
    places: dict[str, list[int]], theirs: str, chosen: Sequence[int], depth: int
) -> list[float]:
    """Difference of recall with its 95 % interval over resampled conversations (paired)."""
    ours = np.array([0 < places["rephrased"][i] <= depth for i in chosen], dtype=float)
    others = np.array([0 < places[theirs][i] <= depth for i in chosen], dtype=float)
    differences = ours - others
    size = len(differences)
    draws = np.random.default_rng(SEED).integers(0, size, (RESAMPLES, size))
    low, high = np.percentile(differences[draws].mean(axis=1), [2.5, 97.5])
    return [round(float(value), 3) for value in (differences.mean(), low, high)]


def embedded(texts: Sequence[str], embedder: Embedder, kept: Path | None) -> np.ndarray:
    """Return the paragraphs' vectors, from a file if there is one."""
    if kept and kept.exists():
        vectors: np.ndarray = np.load(kept)
        return vectors
    vectors = embedder.embed(texts)
    if kept:
        np.save(kept, vectors)
    return vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, help="a .npy file: read, or written if not there")
    parser.add_argument("--list", action="store_true", help="print each tuned question and ranks")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()

    about = circumstances()
    conversations = read_conversations()
    texts = squad_among_all(args.data).documents
    embedder = Embedder()
    places = ranks(conversations, texts, embedded(texts, embedder, args.vectors), embedder)
    if args.list:
        for i, conversation in enumerate(conversations):
            if not conversation.held_out:
                at = "/".join(str(places[way][i]) for way in WAYS)
                print(f"{conversation.id[-3:]} {at:10s} {conversation.put('rephrased')}")
    result = figures(conversations, places, answerable(conversations, texts))
    for name, row in result.items():
        print(name, json.dumps(row))
    unrelated = left_alone(args.data)
    print(json.dumps(unrelated))
    path = write_result(
        "follow_ups",
        {**about, "paragraphs": len(texts), "results": result, "unrelated": unrelated},
        out=args.out,
    )
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
