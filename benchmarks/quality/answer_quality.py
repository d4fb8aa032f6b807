"""How right are answers over all paragraphs, from the question to the citation?

    python -m benchmarks.quality.answer_quality --data DATA [--questions 300]

A data store of the paragraphs of both SQuAD files (about 3,050), searched and answered as
`:answer` does it, with the refusals that it has by default. Of the SQuAD 2.0 half, questions whose
text has an odd CRC-32 (thresholds and composer were chosen on the others): as many answerable as
unanswerable ones. An answer is right when it holds a gold answer's words; a citation, when it is of
the paragraph that the question was asked about.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measurement import circumstances, write_result
from benchmarks.quality.answers import has_gold
from benchmarks.retrieval_collections import read
from benchmarks.speed.answer_latency import fill, question_of
from toulmin.answering.answer import Answer
from toulmin.evaluation.metrics import auroc, calibration_error
from toulmin.services import build_services
from toulmin.settings import load_settings

SEED = 11


def chosen(rows: Sequence[dict], count: int) -> list[dict]:
    kept: list[dict] = []
    for answerable in (True, False):
        some = [
            row
            for row in rows
            if row["answerable"] == answerable and zlib.crc32(row["question"].encode()) % 2
        ]
        kept += random.Random(SEED).sample(some, count)
    return kept


def one(row: dict, answer: Answer, texts: dict[str, str]) -> dict[str, Any]:
    """Return what came of a question; `texts` has the paragraph of each document."""
    cited = {texts[passage.document.rpartition("/")[2]] for passage in answer.references}
    found = [
        passage for step in answer.steps for action in step.actions for passage in action.found
    ]
    return {
        "answerable": row["answerable"],
        "declined": bool(answer.skipped),
        "right": not answer.skipped and has_gold(answer.text, row),
        "cited": len(cited),
        "cited_gold": row["context"] in cited,
        "retrieved_gold": any(
            texts[passage.document.rpartition("/")[2]] == row["context"] for passage in found
        ),
        "probability": answer.answerable or 0.0,
        "support": answer.grounding_score,
    }


def figures(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    can = [row for row in rows if row["answerable"]]
    cannot = [row for row in rows if not row["answerable"]]
    answered = [row for row in can if not row["declined"]]
    probabilities = np.array([row["probability"] for row in rows])
    labels = np.array([row["answerable"] for row in rows])
    return {
        "answerable_questions": len(can),
        "gold_paragraph_among_the_passages": share(row["retrieved_gold"] for row in can),
        "wrongly_declined": share(row["declined"] for row in can),
        "answer_holds_gold": share(row["right"] for row in can),
        "answer_holds_gold_of_those_answered": share(row["right"] for row in answered),
        "citation_precision": round(
            sum(row["cited_gold"] for row in answered)
            / max(1, sum(row["cited"] for row in answered)),
            4,
        ),
        "citation_recall": share(row["cited_gold"] for row in answered),
        "unanswerable_questions": len(cannot),
        "unanswerable_declined": share(row["declined"] for row in cannot),
        "answerability_auroc": round(float(auroc(labels, probabilities) or 0.0), 4),
        "answerability_calibration_error": round(
            float(calibration_error(labels, probabilities) or 0.0), 4
        ),
    }


def share(values: Any) -> float:
    return round(float(np.mean([float(value) for value in values])), 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=300, help="of each kind")
    args = parser.parse_args()
    half = read(args.data / "qa" / "dev" / "squad2_half.jsonl.gz")
    others = read(args.data / "qa" / "train" / "squad1_part.jsonl.gz")
    paragraphs = sorted({row["context"] for row in (*half, *others)})
    texts = {f"p{i}": text for i, text in enumerate(paragraphs)}
    asked = chosen(half, args.questions)
    found = circumstances()
    with tempfile.TemporaryDirectory() as folder:
        services = build_services(load_settings(environment={"TOULMIN_DATA_DIR": folder}))
        try:
            fill(services, paragraphs, 0)
            answer = services.answerer().answer
            rows = [one(row, answer(question_of(row["question"])), texts) for row in asked]
        finally:
            services.close()
    result = {**found, "paragraphs": len(paragraphs), **figures(rows)}
    for name, value in figures(rows).items():
        print(f"{name}: {value}")
    write_result("answer_quality", result)


if __name__ == "__main__":
    main()
