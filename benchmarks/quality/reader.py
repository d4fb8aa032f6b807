"""How right is the reader? Answers, and whether there is one, on sets that it never trained on.

    python -m benchmarks.quality.reader --data DATA

DATA holds qa/dev/*.jsonl.gz. SQuAD 2.0 is the half of its development contexts in the ledger; each
question is asked of its own paragraph, and then of its own and four others that BM25 finds.
Exact match and F1 follow SQuAD's evaluation (lower case, no punctuation, articles or extra spaces;
the best of the gold answers), F1 of Japanese over characters. They take the best span whatever the
probability; "with abstention" counts an answer below 0.5 as none, as SQuAD 2.0's own figures do.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import math
import random
import re
import string
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measurement import circumstances, summary, write_result
from toulmin.answering.reading.reader import QuestionReader, Reading
from toulmin.evaluation.metrics import auroc, calibration_error
from toulmin.services import build_services, reader_versions
from toulmin.settings import load_settings

MAIN_SET = "squad2_half"
OTHER_SETS = ("jaquad", "jsquad_ja", "xquad_es", "squad_it")
DISTRACTORS = 4
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


class Bm25:
    """BM25 over passages (k1 1.2, b 0.75)."""

    def __init__(self, passages: list[str]) -> None:
        self._passages = passages
        counts = [collections.Counter(_words(text)) for text in passages]
        mean = sum(sum(c.values()) for c in counts) / len(counts)
        self._index: dict[str, list[tuple[int, float]]] = collections.defaultdict(list)
        for number, count in enumerate(counts):
            length = 0.25 + 0.75 * sum(count.values()) / mean
            for word, times in count.items():
                self._index[word].append((number, times * 2.2 / (times + 1.2 * length)))

    def others(self, question: str, own: str, most: int) -> list[str]:
        """Return the best passages for a question besides its own."""
        scores: collections.Counter[int] = collections.Counter()
        for word in set(_words(question)):
            found = self._index.get(word, [])
            weight = math.log(1 + len(self._passages) / (len(found) + 0.5))
            for number, value in found:
                scores[number] += weight * value
        order = sorted(scores, key=lambda n: (-scores[n], n))
        return [self._passages[n] for n in order if self._passages[n] != own][:most]


def read_set(path: Path, items: int, seed: int) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    if items and items < len(rows):
        rows = random.Random(seed).sample(rows, items)
    return rows


def normal(text: str) -> str:
    """SQuAD's normal form of an answer."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def f1(predicted: str, gold: str, *, characters: bool = False) -> float:
    split = list if characters else str.split
    a, b = split(normal(predicted)), split(normal(gold))
    if not a or not b:
        return float(a == b)
    same = sum((collections.Counter(a) & collections.Counter(b)).values())
    return 2 * same / (len(a) + len(b))


def best_f1(predicted: str, row: dict) -> float:
    japanese = row["lang"] == "ja"
    return max(f1(predicted, gold["text"], characters=japanese) for gold in row["answers"])


def best_exact(predicted: str, row: dict) -> float:
    return max(float(normal(predicted) == normal(gold["text"])) for gold in row["answers"])


def figures(rows: list[dict], readings: list[Reading]) -> dict[str, Any]:
    """Every figure of one set."""
    texts = [r.answers[0].text if r.answers else "" for r in readings]
    p = np.array([r.answerable for r in readings])
    targets = np.array([int(row["answerable"]) for row in rows])
    asked = [(row, text) for row, text in zip(rows, texts, strict=True) if row["answerable"]]
    result: dict[str, Any] = {
        "questions": len(rows),
        "answerable_questions": len(asked),
        "f1": 100 * float(np.mean([best_f1(text, row) for row, text in asked])),
        "exact": 100 * float(np.mean([best_exact(text, row) for row, text in asked])),
        "mean_answerable_probability": float(p.mean()),
    }
    top = np.array([r.answers[0].probability if r.answers else 0.0 for r in readings])
    right = np.array(
        [
            float(row["answerable"] and best_f1(text, row) >= 0.5)
            for row, text in zip(rows, texts, strict=True)
        ]
    )
    result["answer_probability_ece"] = calibration_error(right > 0, top)
    if len(set(targets.tolist())) == 2:
        result["answerability_auroc"] = auroc(targets > 0, p)
        result["answerability_ece"] = calibration_error(targets > 0, p)
        result["answerability_accuracy_at_0.5"] = float(((p >= 0.5) == targets).mean())
        kept = [
            (best_f1(text, row) if row["answerable"] else 0.0) if p_i >= 0.5 else 1.0 - target
            for row, text, p_i, target in zip(rows, texts, p, targets, strict=True)
        ]
        result["f1_with_abstention"] = 100 * float(np.mean(kept))
        result["reliability"] = reliability(p, targets)
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in result.items()}


def reliability(p: np.ndarray, targets: np.ndarray) -> list[dict[str, float]]:
    """Count, mean probability and observed share for each of ten equal bins."""
    which = np.minimum((p * 10).astype(int), 9)
    return [
        {
            "count": int((which == b).sum()),
            "predicted": round(float(p[which == b].mean()), 3),
            "observed": round(float(targets[which == b].mean()), 3),
        }
        for b in range(10)
        if (which == b).any()
    ]


def read_all(
    reader: QuestionReader, rows: list[dict], passages: list[list[str]]
) -> tuple[list, dict]:
    """The reading of each question, and milliseconds of each."""
    readings, times = [], []
    for row, texts in zip(rows, passages, strict=True):
        began = time.perf_counter()
        readings.append(reader.read(row["question"], texts))
        times.append(1000 * (time.perf_counter() - began))
    return readings, summary(times)


def measure(reader: QuestionReader, data: Path, args: argparse.Namespace) -> dict[str, Any]:
    folder = data / "qa" / "dev"
    everything = read_set(folder / f"{MAIN_SET}.jsonl.gz", 0, args.seed)
    rows = read_set(folder / f"{MAIN_SET}.jsonl.gz", args.items, args.seed)
    readings, times = read_all(reader, rows, [[row["context"]] for row in rows])
    results: dict[str, Any] = {MAIN_SET: {**figures(rows, readings), "ms_per_question": times}}
    show(MAIN_SET, results[MAIN_SET])

    index = Bm25(list(dict.fromkeys(row["context"] for row in everything)))
    chosen = (
        rows[: args.several]
        if args.items
        else read_set(folder / f"{MAIN_SET}.jsonl.gz", args.several, args.seed)
    )
    order = random.Random(args.seed)
    passages = []
    for row in chosen:
        texts = [row["context"], *index.others(row["question"], row["context"], DISTRACTORS)]
        order.shuffle(texts)
        passages.append(texts)
    readings, times = read_all(reader, chosen, passages)
    own = [
        float(texts[reading.answers[0].passage_index] == row["context"])
        for row, reading, texts in zip(chosen, readings, passages, strict=True)
        if row["answerable"]
    ]
    name = f"{MAIN_SET}_among_{DISTRACTORS + 1}"
    results[name] = {
        **figures(chosen, readings),
        "answer_from_own_passage": round(float(np.mean(own)), 4),
        "ms_per_question": times,
    }
    show(name, results[name])
    for name in OTHER_SETS:
        rows = read_set(folder / f"{name}.jsonl.gz", args.others, args.seed)
        readings, times = read_all(reader, rows, [[row["context"]] for row in rows])
        results[name] = {**figures(rows, readings), "ms_per_question": times}
        show(name, results[name])
    return results


def show(name: str, result: dict[str, Any]) -> None:
    print(name, json.dumps({k: v for k, v in result.items() if k != "reliability"}), flush=True)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--items", type=int, default=0, help="SQuAD questions; 0 takes all")
    parser.add_argument("--several", type=int, default=1500, help="questions read among others")
    parser.add_argument("--others", type=int, default=500, help="questions of each other set")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()

    about = circumstances()
    settings = load_settings()
    services = build_services(settings)
    results = measure(services.reader(), args.data, args)
    services.close()
    path = write_result(
        "reader",
        {
            **about,
            "readers": reader_versions(settings),
            "results": results,
        },
        out=args.out,
    )
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
