"""Fit relevance and reranking on questions of the ledger's train lines; print what came out.

    PYTHONPATH=src python training/relevance/fit.py --data DATA [--vectors FOLDER] [--write]

Questions are searched over all passages of their files, as `retrieval` does. First the weights are
fitted that put the right passage in front of the others found (conditional logit); then, with the
right passage taken away from half of the questions, what turns scores into probabilities. The
reranker is fitted on articles that the reader was not trained on. With `--write` the two files in
`src/toulmin/retrieval/data` are made anew. Takes about ten minutes on two cores.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from toulmin.ingestion.chunk_vectors import ChunkText
from toulmin.ingestion.part_vectors import part_texts
from toulmin.models.embedder import Embedder
from toulmin.models.reader_model import ReaderModel
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.retrieval import coverage
from toulmin.retrieval.frequencies import FREQUENCIES_FILE
from toulmin.retrieval.relevance import RELEVANCE_FILE, Calibration, RelevanceModel, logit
from toulmin.retrieval.rerank import DEPTH, Reranker, RerankWeights
from toulmin.stores.index.analysis import word_analyzer
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.index.protocol import IndexedChunk, Put, Query
from toulmin.stores.index.vectors import quantized

SEED = 5
QUESTIONS = {"squad1_part": 1500, "qed_nq": 600, "adversarial_qa_part": 400}
HELD_OUT = 0.05  # of a file's contexts, the last ones: the reader never saw them (training/reader)
HELD_OUT_QUESTIONS = 500
FOUND = 200
"""Of each search, as searches take them (`retrieval.candidates.DEPTH`)."""
FREQUENCY_FILES = (
    *(f"qa/train/{name}" for name in ("squad1_part", "qed_nq", "policyqa")),
    *(f"grounding/train/{name}.dev" for name in ("fever_dev", "foolmetwice", "mnli_m")),
    "grounding/train/expertqa_domain.val",
)
COLUMNS = ("dense", "coverage", "lexical", "whole")
LISTED = 20  # a word in fewer texts is not listed
UNLISTED = 5
NEVER_GIVEN = RelevanceModel(
    dense=0.0, coverage=0.0, lexical=0.0, calibration=Calibration(bias=0.0, slope=0.0, lead=0.0)
)


@dataclass
class Asked:
    """A question with what was found for it.

    Attributes:
        features: Cosine with parts counted in, coverage, BM25, cosine without parts; shape
            (candidates, 4).
        relevant: Which candidate is the passage asked about, shape (candidates,).
        places: Number of each candidate's passage.
    """

    question: str
    features: np.ndarray
    relevant: np.ndarray
    places: list[int]


def read(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def word_frequencies(data: Path) -> dict:
    """In how many texts each stem stands, stems in order."""
    texts: set[str] = set()
    for name in FREQUENCY_FILES:
        texts |= {row.get("context") or row["premise"] for row in read(data / f"{name}.jsonl.gz")}
    words, counts = word_analyzer(), Counter()
    for text in texts:
        counts.update(set(words.analyze(text)))
    listed = {word: counts[word] for word in sorted(counts) if counts[word] >= LISTED}
    return {"texts": len(texts), "unlisted": UNLISTED, "counts": listed}


def questions(data: Path) -> tuple[list[str], list[tuple[str, str]], list[tuple[str, str]]]:
    """(all passages, (question, passage) to fit relevance on, the same to fit reranking on)."""
    rng = random.Random(SEED)
    passages: set[str] = set()
    seen: list[tuple[str, str]] = []
    unseen: list[tuple[str, str]] = []
    for name, count in QUESTIONS.items():
        rows = read(data / "qa" / "train" / f"{name}.jsonl.gz")
        contexts = list(dict.fromkeys(row["context"] for row in rows))
        kept = set(contexts[: round(len(contexts) * (1 - HELD_OUT))])
        passages |= set(contexts)
        pairs = [(row["question"], row["context"]) for row in rows if row["answerable"]]
        seen += rng.sample([p for p in pairs if p[1] in kept], count)
        unseen += [p for p in pairs if p[1] not in kept]
    rng.shuffle(unseen)
    return sorted(passages), seen, unseen[:HELD_OUT_QUESTIONS]


def embedded(texts: Sequence[str], folder: Path | None) -> np.ndarray:
    embedder = Embedder()
    key = hashlib.sha256("\0".join([embedder.version, *texts]).encode()).hexdigest()[:16]
    path = folder / f"{key}.npy" if folder else None
    if path and path.exists():
        return np.load(path)
    rows = embedder.embed(texts)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, rows)
    return rows


def chunks_of(passages: list[str], vectors: np.ndarray, folder: Path | None) -> list[IndexedChunk]:
    """Passages as an index takes them, with the vectors of their parts."""
    texts = [part_texts(ChunkText("", (), passage)) for passage in passages]
    rows = iter(quantized(embedded([part for own in texts for part in own], folder))[0])
    return [
        IndexedChunk(
            key=i,
            document=i,
            text=passage,
            vector=vectors[i],
            parts=np.stack([next(rows) for _ in texts[i]]) if texts[i] else None,
        )
        for i, passage in enumerate(passages)
    ]


def search(
    chunks: list[IndexedChunk], pairs: list[tuple[str, str]], asked: np.ndarray
) -> list[Asked]:
    """What words and vectors find for each question."""
    passages = [chunk.text for chunk in chunks]
    place = {text: i for i, text in enumerate(passages)}
    found = []
    with tempfile.TemporaryDirectory() as folder:
        index = EmbeddedIndex(Path(folder) / "index", lineage="fit")
        index.apply([Put(chunk) for chunk in chunks], up_to=1)
        for (question, passage), vector in zip(pairs, asked, strict=True):
            hits = index.search(Query(text=question, vector=vector, by_parts=True, limit=FOUND))
            words = {hit.key: hit.score for hit in hits.lexical}
            near = {hit.key: hit.score for hit in hits.dense}
            places = sorted(words | near)
            held = coverage.QueryWords(question).coverage([passages[i] for i in places])
            lexical = np.array([words.get(i, 0.0) for i in places])
            dense = np.array([near.get(i, min(near.values())) for i in places])
            whole = np.array([float(chunks[i].vector @ vector) for i in places])
            features = np.stack([dense, held, lexical, whole], axis=1)
            relevant = np.array([i == place[passage] for i in places])
            found.append(Asked(question, features.astype(np.float64), relevant, places))
        index.close()
    return found


def conditional_logit(groups: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Weights under which the right candidate is likeliest to be picked; Newton's method."""
    weights = np.zeros(groups[0][0].shape[1])
    for _ in range(50):
        gradient, hessian = np.zeros_like(weights), 1e-6 * np.eye(len(weights))
        for features, right in groups:
            if not right.any():
                continue
            scores = features @ weights
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            mean = shares @ features
            gradient += features[right].mean(axis=0) - mean
            hessian += (features * shares[:, None]).T @ features - np.outer(mean, mean)
        step = np.linalg.solve(hessian, gradient)
        weights += step * min(1.0, 10 / np.abs(step).max())
        if np.abs(step).max() < 1e-6:
            break
    return weights


def calibrate(groups: list[tuple[np.ndarray, np.ndarray]]) -> Calibration:
    """Fit on (scores, which is right); the right one is taken away from every second question."""
    rows, labels = [], []
    for number, (scores, right) in enumerate(groups):
        kept = np.ones(len(scores), bool) if number % 2 else ~right
        if kept.any():
            rows.append(np.stack([scores, scores - scores[kept].max()], axis=1)[kept])
            labels.append(right[kept])
    bias, slope, lead = logistic(np.concatenate(rows), np.concatenate(labels))
    return Calibration(bias=rounded(bias), slope=rounded(slope), lead=rounded(lead))


def logistic(features: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Bias and weights of a logistic regression; Newton's method."""
    x = np.hstack([np.ones((len(features), 1)), features])
    weights = np.zeros(x.shape[1])
    for _ in range(200):
        p = 1 / (1 + np.exp(-(x @ weights)))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(len(weights))
        step = np.linalg.solve(hessian, x.T @ (labels - p))
        weights += step * min(1.0, 2 / np.abs(step).max())
        if np.abs(step).max() < 1e-6:
            break
    return weights


def rounded(value: float) -> float:
    return float(f"{value:.4g}")


def fit_relevance(found: list[Asked], names: tuple[str, ...]) -> dict:
    columns = [COLUMNS.index(name) for name in names]
    groups = [(asked.features[:, columns], asked.relevant) for asked in found]
    fitted = [rounded(value) for value in conditional_logit(groups)]
    calibration = calibrate([(features @ np.array(fitted), right) for features, right in groups])
    return {
        "lexical": 0.0,
        **dict(zip([name.replace("whole", "dense") for name in names], fitted, strict=True)),
        "calibration": as_json(calibration),
    }


def fit_reranking(found: list[Asked], passages: list[str], relevance: dict) -> dict:
    model = RelevanceModel(**{**relevance, "calibration": Calibration(**relevance["calibration"])})
    nothing = RerankWeights(prior=1.0, margin=0.0, calibration=NEVER_GIVEN.calibration)
    reranker = Reranker(ReaderModel(EMBEDDED_WEIGHTS / "reader"), nothing)
    groups = []
    for asked in found:
        dense, held, lexical, _ = asked.features.T
        prior = model.predict(lexical, dense, held)
        best = np.argsort(-prior, kind="stable")[:DEPTH]
        margins = reranker.margins(asked.question, [passages[asked.places[i]] for i in best])
        groups.append((np.stack([logit(prior[best]), margins], axis=1), asked.relevant[best]))
    prior_weight, margin = (rounded(value) for value in conditional_logit(groups))
    weights = np.array([prior_weight, margin])
    calibration = calibrate([(features @ weights, right) for features, right in groups])
    return {"prior": prior_weight, "margin": margin, "calibration": as_json(calibration)}


def as_json(calibration: Calibration) -> dict:
    return {
        "bias": calibration.bias,
        "slope": calibration.slope,
        "lead": calibration.lead,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    frequencies = word_frequencies(args.data)
    if args.write:  # before anything looks for words
        RELEVANCE_FILE.parent.mkdir(exist_ok=True)
        FREQUENCIES_FILE.write_text(
            json.dumps(frequencies, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8"
        )
    passages, seen, unseen = questions(args.data)
    vectors = embedded(passages, args.vectors)
    asked = embedded([question for question, _ in seen + unseen], args.vectors)
    chunks = chunks_of(passages, vectors, args.vectors)
    found = search(chunks, seen, asked[: len(seen)])
    held_out = search(chunks, unseen, asked[len(seen) :])
    fitted: dict = {
        "embedder": Embedder().version,
        "found": fit_relevance(found, ("dense", "coverage", "lexical")),
        "given": fit_relevance(found, ("whole", "coverage")),
    }
    fitted["reranked"] = fit_reranking(held_out, passages, fitted["found"])
    print(json.dumps(fitted, indent=1))
    if args.write:
        RELEVANCE_FILE.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
