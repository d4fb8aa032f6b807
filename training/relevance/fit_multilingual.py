"""Fit relevance for the multilingual embedder, in and across languages; print what came out.

    PYTHONPATH=src python training/relevance/fit_multilingual.py --data DATA [--vectors F] [--write]

As `fit.py`, with one weight more: what a text in another language than the query has beside its
cosine, since it shares no words; and with a calibration of its own for such texts. Questions and
supported claims of the train files in six languages are searched over all their passages in one
index; those whose passage is in another language weigh as much together as the others. The weight
of few texts (`sizes.py`) is the English one's.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from fit import calibrate, read, rounded

from toulmin.models.embedder import Embedder
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.retrieval import coverage
from toulmin.retrieval.relevance import RELEVANCE_FILES, Calibration, elsewhere, read_weights
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.index.protocol import IndexedChunk, Put, Query

SEED = 6
QUESTIONS = {"squad1_part": 220, "qed_nq": 120, "jaquad": 100, "jsquad_ja": 60, "piaf_fr": 120}
OTHER_PASSAGES = 100  # of each file, that no question chosen was asked about
MOST_WRITTEN = 60  # of each pair of languages
FOUND = 100
MODEL = EMBEDDED_WEIGHTS / "multilingual" / "embedder"

Asked = tuple[str, str, bool]  # query, passage, whether they are in different languages
Group = tuple[np.ndarray, np.ndarray, bool]  # features, which is right, the same


def queries(data: Path) -> tuple[list[str], list[Asked]]:
    """(all passages, what is asked of them)."""
    rng = random.Random(SEED)
    passages: set[str] = set()
    asked: list[Asked] = []
    for name, count in QUESTIONS.items():
        rows = [
            row for row in read(data / "qa" / "train" / f"{name}.jsonl.gz") if row["answerable"]
        ]
        chosen = rng.sample(rows, count)
        asked += [(row["question"], row["context"], False) for row in chosen]
        passages |= set(rng.sample(sorted({row["context"] for row in rows}), OTHER_PASSAGES))
    asked += written(data, rng)
    passages |= {passage for _, passage, _ in asked}
    return sorted(passages), asked


def written(data: Path, rng: random.Random) -> list[Asked]:
    """Questions and claims of the written train files, some of each pair of languages."""
    found: dict[tuple[str, str], list[Asked]] = {}

    def add(query: str, passage: str, text_language: str, query_language: str) -> None:
        pair = (text_language, query_language)
        found.setdefault(pair, []).append((query, passage, text_language != query_language))

    for row in read(data / "qa" / "train" / "written_questions.jsonl.gz"):
        if row["answerable"]:
            add(row["question"], row["context"], row["lang"], row["question_lang"])
    for row in read(data / "grounding" / "train" / "written.jsonl.gz"):
        if row["label"] == 1:
            add(row["claim"], row["premise"], row["lang"], row["claim_lang"])
    return [
        item
        for pair in sorted(found)
        for item in rng.sample(found[pair], min(MOST_WRITTEN, len(found[pair])))
    ]


class Vectors:
    """Rows of the embedder, kept in a folder if there is one."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._embedder = Embedder(MODEL, workers=1)

    @property
    def version(self) -> str:
        return self._embedder.version

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        return self._kept("passages", texts)

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        return self._kept("queries", texts)

    def _kept(self, kind: str, texts: Sequence[str]) -> np.ndarray:
        text = "\0".join([self.version, kind, *texts])
        name = hashlib.sha256(text.encode()).hexdigest()[:16]
        path = self._folder / f"{name}.npy" if self._folder else None
        if path and path.exists():
            return np.load(path)
        embed = self._embedder.embed if kind == "passages" else self._embedder.embed_queries
        rows = embed(texts)
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, rows)
        return rows


def search(passages: list[str], asked: list[Asked], vectors: Vectors) -> list[Group]:
    """Cosine, coverage, BM25 and "elsewhere" of what words and vectors find for each query."""
    place = {text: i for i, text in enumerate(passages)}
    rows = vectors.passages(passages)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        index = EmbeddedIndex(Path(folder) / "index", lineage="fit")
        puts = [
            Put(IndexedChunk(key=i, document=i, text=text, vector=rows[i]))
            for i, text in enumerate(passages)
        ]
        index.apply(puts, up_to=1)
        vectors_asked = vectors.queries([query for query, _, _ in asked])
        for (query, passage, across), vector in zip(asked, vectors_asked, strict=True):
            hits = index.search(Query(text=query, vector=vector, limit=FOUND))
            words = {hit.key: hit.score for hit in hits.lexical}
            places = sorted(words | {hit.key: 0.0 for hit in hits.dense})
            texts = [passages[i] for i in places]
            features = np.stack(
                [
                    (rows[places] @ vector).astype(np.float64),
                    coverage.QueryWords(query).coverage(texts),
                    np.array([words.get(i, 0.0) for i in places]),
                    elsewhere(query, texts),
                ],
                axis=1,
            )
            found.append((features, np.array([i == place[passage] for i in places]), across))
        index.close()
    return found


def conditional_logit(groups: list[Group], columns: list[int]) -> np.ndarray:
    """Weights under which the right candidate is likeliest to be picked; Newton's method.

    Queries across languages weigh as much together as the others; a small ridge keeps them finite.
    """
    crossing = sum(across for _, _, across in groups)
    share = (len(groups) - crossing) / max(crossing, 1)
    weights = np.zeros(len(columns))
    for _ in range(80):
        gradient, hessian = -1e-3 * weights, 1e-3 * np.eye(len(weights))
        for features, right, across in groups:
            if not right.any():
                continue
            own, weight = features[:, columns], share if across else 1.0
            scores = own @ weights
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            mean = shares @ own
            gradient += weight * (own[right].mean(axis=0) - mean)
            hessian += weight * ((own * shares[:, None]).T @ own - np.outer(mean, mean))
        step = np.linalg.solve(hessian, gradient)
        weights += step * min(1.0, 10 / np.abs(step).max())
        if np.abs(step).max() < 1e-6:
            break
    return weights


def fit(groups: list[Group], names: tuple[str, ...], section: str) -> dict:
    columns = [("dense", "coverage", "lexical", "across").index(name) for name in names]
    fitted = np.array([rounded(value) for value in conditional_logit(groups, columns)])
    sides: dict[bool, list[tuple[np.ndarray, np.ndarray]]] = {False: [], True: []}
    for features, right, across in groups:
        kept = (features[:, 3] > 0) == across  # among themselves, as where a store has one language
        sides[across].append((features[kept][:, columns] @ fitted, right[kept]))
    few = read_weights(section)["calibration"].get("few", 0.0)
    found: dict = {"lexical": 0.0, **dict(zip(names, fitted.tolist(), strict=True))}
    for across, name in ((False, "calibration"), (True, "abroad")):
        made = calibrate(sides[across])
        report(name, sides[across], made)
        found[name] = {"bias": made.bias, "slope": made.slope, "lead": made.lead, "few": few}
    return found


def report(name: str, scored: list[tuple[np.ndarray, np.ndarray]], made: Calibration) -> None:
    """Print how often the right one is first, and how sure that is with and without it."""
    found = [item for item in scored if len(item[0])]
    first = np.mean([bool(right[np.argmax(scores)]) for scores, right in found])
    best = [float(made.probabilities(scores).max()) for scores, _ in found]
    gone = [
        float(made.probabilities(scores[~right]).max()) for scores, right in found if (~right).any()
    ]
    held = np.mean([right.any() for _, right in found])
    print(
        f"{name}: {len(found)} queries, found {held:.3f}, first {first:.3f}, said of the first"
        f" {np.mean(best):.3f}, median {np.median(best):.3f}; without the right one"
        f" {np.median(gone):.3f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    vectors = Vectors(args.vectors)
    passages, asked = queries(args.data)
    print(len(passages), "passages,", len(asked), "queries")
    groups = search(passages, asked, vectors)
    fitted = {
        "embedder": vectors.version,
        "found": fit(groups, ("dense", "coverage", "lexical", "across"), "found"),
        "given": fit(groups, ("dense", "coverage", "across"), "given"),
    }
    print(json.dumps(fitted, indent=1))
    if args.write:
        text = json.dumps(fitted, indent=1) + "\n"
        RELEVANCE_FILES["multilingual"].write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
