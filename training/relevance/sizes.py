"""Fit how much likelier the best result of a small data store is right; print what came out.

    PYTHONPATH=src python training/relevance/sizes.py --data DATA [--vectors FOLDER] [--write]

The probability of relevance.json is fitted on questions over thousands of passages, of which many
are on the question's topic. Of three passages, one that is as near is likelier the right one. Each
question is searched in stores of 3 to 100 passages, which stand beside the right one in its file or
are drawn at random; every second store has the right one not. All else is as in fit.py, which comes
before. Takes about a minute.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
from fit import chunks_of, embedded, logistic, read, rounded

from toulmin.retrieval import coverage
from toulmin.retrieval.relevance import RELEVANCE_FILE, load_relevance, logit
from toulmin.stores.index.parts import parts_of
from toulmin.stores.index.protocol import IndexedChunk
from toulmin.stores.index.vectors import quantized

SEED = 7
QUESTIONS = {"squad1_part": 60, "qed_nq": 60, "adversarial_qa_part": 60, "policyqa": 60}
PASSAGES = 110
"""So many of each file, which stand beside each other: more would only take longer."""
SIZES = (3, 10, 30, 100)
MANY = 200
"""A search finds no more than this by words and by vectors; from here on nothing changes."""


def stores(data: Path) -> list[tuple[str, str, list[str]]]:
    """(question, passage asked about, passages of the store) for each size of each question."""
    rng = random.Random(SEED)
    found = []
    for name, count in QUESTIONS.items():
        rows = [
            row for row in read(data / "qa" / "train" / f"{name}.jsonl.gz") if row["answerable"]
        ]
        contexts = list(dict.fromkeys(row["context"] for row in rows))[:PASSAGES]
        rows = [row for row in rows if row["context"] in contexts]
        place = {text: i for i, text in enumerate(contexts)}
        for row in rng.sample(rows, count):
            right = row["context"]
            for size in SIZES:
                start = max(0, min(place[right] - size // 2, len(contexts) - size - 1))
                near = contexts[start : start + size + 1]
                drawn = near if rng.random() < 0.5 else rng.sample(contexts, size + 1)
                others = [text for text in drawn if text != right][:size]
                store = others if rng.random() < 0.5 else [right, *others[: size - 1]]
                found.append((row["question"], right, store))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    made = stores(args.data)
    passages = sorted({text for _, right, store in made for text in (*store, right)})
    questions = sorted({question for question, _, _ in made})
    chunks = chunks_of(passages, embedded(passages, args.vectors), args.vectors)
    place = dict(zip(passages, chunks, strict=True))
    asked = dict(zip(questions, embedded(questions, args.vectors), strict=True))
    model = load_relevance()
    rows, labels, sizes = [], [], []
    for question, right, store in made:
        dense = nearness([place[text] for text in store], asked[question])
        held = coverage.QueryWords(question).coverage(store)
        lexical = np.zeros(len(store))  # in so small an index it weighs next to nothing
        rows.append(logit(model.predict(lexical, dense, held)))
        labels.append(np.array([text == right for text in store]))
        sizes.append(np.full(len(dense), len(store)))
    x, y, n = np.concatenate(rows), np.concatenate(labels), np.concatenate(sizes)
    fewer = np.log(MANY / n)
    print("free:", logistic(np.stack([x, fewer], axis=1), y))
    few = fixed_offset(x, fewer, y)
    for size in SIZES:
        at = n == size
        before, after = sigmoid(x[at]), sigmoid(x[at] + few * fewer[at])
        right = y[at]
        print(
            size,
            f"right: {np.median(before[right]):.3f} -> {np.median(after[right]):.3f}",
            f"others' best decile: {np.quantile(before[~right], 0.9):.3f}"
            f" -> {np.quantile(after[~right], 0.9):.3f}",
            f"mean {before.mean():.3f} -> {after.mean():.3f}, true share {right.mean():.3f}",
        )
    print("few:", rounded(few))
    if args.write:
        fitted = json.loads(RELEVANCE_FILE.read_text(encoding="utf-8"))
        fitted["found"]["calibration"]["few"] = rounded(few)
        RELEVANCE_FILE.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


def nearness(chunks: list[IndexedChunk], asked: np.ndarray) -> np.ndarray:
    """How near chunks are to a question, as an index of them says, shape (chunks,)."""
    wholes = np.array([float(chunk.vector @ asked) for chunk in chunks])
    small, scale = quantized(asked[np.newaxis, :])
    rows = np.arange(len(chunks))
    return parts_of(chunks, asked.shape[0]).nearest(rows, small[0], float(scale[0]), wholes)


def fixed_offset(offsets: np.ndarray, feature: np.ndarray, labels: np.ndarray) -> float:
    """The weight of one feature beside logits that stay as they are; Newton's method."""
    weight = 0.0
    for _ in range(50):
        p = sigmoid(offsets + weight * feature)
        gradient = float(feature @ (labels - p))
        weight += gradient / float((feature**2) @ (p * (1 - p)))
        if abs(gradient) < 1e-6:
            break
    return weight


def sigmoid(logits: np.ndarray) -> np.ndarray:
    return 0.5 * (1.0 + np.tanh(0.5 * logits))


if __name__ == "__main__":
    main()
