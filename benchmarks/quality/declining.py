"""When is a question declined that could be answered, and when answered that could not?

    python -m benchmarks.quality.declining --data DATA [--questions 200] [--vectors FOLDER] [--rows FILE]

Questions over all paragraphs of both SQuAD files, found as `benchmarks.quality.answers` finds them, go
through the answering pipeline with its refusals after the search turned off; what the thresholds of
`toulmin/answering/deciding.py` would do with each is worked out afterwards:

- answerable: of the SQuAD 2.0 half; the paragraph that answers is in the corpus;
- unanswerable: of the same, written to look as if the paragraph answered;
- foreign: what people ask an assistant or a bank (CLINC150, BANKING77), on which the corpus has
  nothing.

Grounding and helpfulness are measured on the answers themselves, and on the answer to another
question put in their place. Questions whose text has an even CRC-32 are there to choose thresholds
by, the others for the figures reported. The classes of queries are measured on all development
queries; their thresholds were chosen on other data (training/query_classes/CARD.md).
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import tomllib
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measurement import circumstances, write_result
from benchmarks.quality.answers import Corpus, has_gold
from benchmarks.quality.retrieval import Vectors
from benchmarks.retrieval_collections import read
from toulmin.answering import deciding
from toulmin.answering.citing import Citer
from toulmin.answering.passages import Passage
from toulmin.answering.question import FilteringLevel, Question
from toulmin.answering.understanding.user_class import UserClass, UserClassifier
from toulmin.grounding.helpfulness import helpfulness
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.models.static_embedder import StaticEmbedder
from toulmin.safety.query_classes import QueryClass
from toulmin.services.wiring import Services, build_services
from toulmin.settings import Settings

RELEVANCE = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
ANSWERABLE = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6)
GROUNDED = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
LIKENESS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
OTHERS = 10
"""Every so many of the development queries are compared with the described classes."""
USER_CLASSES = Path(__file__).parent / "data" / "user_classes.toml"
HELPFUL = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)


def questions(data: Path, count: int, seed: int) -> list[dict[str, Any]]:
    """Return `count` questions of each kind."""
    squad = read(data / "qa" / "dev" / "squad2_half.jsonl.gz")
    asked = [
        {**row, "kind": "answerable" if row["answerable"] else "unanswerable"} for row in squad
    ]
    asked += [
        {"question": row["text"], "answers": [], "kind": "foreign"}
        for row in read(data / "queries" / "dev.jsonl.gz")
        if row["label"] == "answer_seeking" and not row["source"].startswith("SQuAD")
    ]
    draw = random.Random(seed)
    found = []
    for kind in ("answerable", "unanswerable", "foreign"):
        of_kind = [row for row in asked if row["kind"] == kind]
        found += draw.sample(of_kind, min(count, len(of_kind)))
    return found


def measure(services: Services, corpus: Corpus, rows: Sequence[dict[str, Any]]) -> list[dict]:
    """Return for each question what the thresholds are compared with."""
    answerer, measured = services.answerer(), []
    judged = services.certainty() is not None
    passages = [tuple(corpus.found(row["question"])) for row in rows]
    texts = []
    for row, found in zip(rows, passages, strict=True):
        question = Question(
            text=row["question"], given=found, ignore_low_relevance=False, with_supports=True
        )
        answer = answerer.answer(question)
        texts.append("" if answer.skipped else answer.text)
        measured.append(
            {
                "kind": row["kind"],
                "even": zlib.crc32(row["question"].encode()) % 2 == 0,
                "relevance": max(passage.relevance or 0.0 for passage in found),
                "answerable": answer.answerable or 0.0,
                "judged": judged,
                "right": has_gold(answer.text, row),
                "said": bool(texts[-1]),
                "skipped": [str(reason) for reason in answer.skipped],
                "grounded": answer.grounding_score or 0.0,
            }
        )
    embedder = StaticEmbedder(EMBEDDED_WEIGHTS / "static_embedder")
    for place, (row, figures) in enumerate(zip(rows, measured, strict=True)):
        other = texts[(place + 1) % len(texts)]
        figures["helpful"] = helpfulness(row["question"], texts[place], embedder=embedder)
        figures["helpful_other"] = helpfulness(row["question"], other, embedder=embedder)
        claims = Citer(services.checker(), passages[place]).check(other)
        scores = [claim.score for claim in claims if claim.score is not None]
        figures["grounded_other"] = sum(scores) / len(scores) if scores else 1.0
    return measured


def classes(services: Services, data: Path) -> dict[str, Any]:
    """Return how often each class of queries is seen, and seen where it is not."""
    rows = read(data / "queries" / "dev.jsonl.gz")
    classifier = services.query_classifier()
    found = [classifier.classify(row["text"]).positive for row in rows]
    result = {}
    for name in QueryClass:
        of_class = [name in positive for positive, row in zip(found, rows, strict=True)
                    if row["label"] == name.value]  # fmt: skip
        seeking = [name in positive for positive, row in zip(found, rows, strict=True)
                   if row["label"] == "answer_seeking"]  # fmt: skip
        result[name.value] = {
            "queries": len(of_class),
            "false_answer": percent([not seen for seen in of_class]),
            "answer_seeking": len(seeking),
            "false_decline": percent(seeking),
        }
    return result


def user_classes(services: Services, data: Path) -> dict[str, Any]:
    """Return how often a question of a described class is seen, by embeddings alone."""
    described = tomllib.loads(USER_CLASSES.read_text("utf-8"))["class"]
    others = [r["text"] for r in read(data / "queries" / "dev.jsonl.gz")
              if r["label"] == "answer_seeking"]  # fmt: skip
    classifier = UserClassifier(lambda texts: services.embedder().embed(list(texts)))
    of_class, of_others = [], []
    for item in described:
        own = UserClass(item["description"])
        of_class += [classifier.likeness(question, own) for question in item["questions"]]
        of_others += [classifier.likeness(text, own) for text in others[::OTHERS]]
    return {
        str(t): {
            "questions": len(of_class),
            "false_answer": percent([score < t for score in of_class]),
            "others": len(of_others),
            "false_decline": percent([score >= t for score in of_others]),
        }
        for t in LIKENESS
    }


def below(rows: Sequence[dict], name: str, threshold: float, **which: Any) -> float:
    """Return the share of those rows whose figure is below a threshold, in percent."""
    kept = [row for row in rows if all(row[key] == value for key, value in which.items())]
    return percent([row[name] < threshold for row in kept])


def curves(rows: Sequence[dict]) -> dict[str, Any]:
    """Return what each threshold alone would decline."""
    kinds = ("answerable", "unanswerable", "foreign")
    return {
        "relevance": {
            t: {kind: below(rows, "relevance", t, kind=kind) for kind in kinds} for t in RELEVANCE
        },
        "answerable": {
            t: {kind: below(rows, "answerable", t, kind=kind) for kind in kinds}
            | {"answered_rightly": below(rows, "answerable", t, right=True)}
            for t in ANSWERABLE
        },
        "grounded": {
            t: {
                "own": below(rows, "grounded", t, said=True),
                "of_another": below(rows, "grounded_other", t, said=True),
            }
            for t in GROUNDED
        },
        "helpful": {
            t: {
                "own, right": below(rows, "helpful", t, right=True),
                "of_another": below(rows, "helpful_other", t, said=True),
            }
            for t in HELPFUL
        },
    }


def reasons_of(row: dict) -> tuple[str, ...]:
    passage = Passage(text="", relevance=row["relevance"])
    return deciding.reasons_of_search([passage], row["answerable"], judged=row["judged"])


def decided(rows: Sequence[dict]) -> dict[str, Any]:
    """Return what the thresholds in force do, one after the other."""
    result: dict[str, Any] = {}
    for kind in ("answerable", "unanswerable", "foreign"):
        of_kind = [row for row in rows if row["kind"] == kind]
        reasons = [reasons_of(row) for row in of_kind]
        out = ["OUT_OF_DOMAIN_QUERY_IGNORED" in found for found in reasons]
        nothing = ["NO_RELEVANT_CONTENT" in found for found in reasons]
        useless = [row["helpful"] < deciding.LEAST_HELPFUL for row in of_kind]
        steps = list(zip(out, nothing, useless, strict=True))
        answered = [not any(step) for step in steps]
        result[kind] = {
            "questions": len(of_kind),
            "OUT_OF_DOMAIN_QUERY_IGNORED": percent([o for o, _, _ in steps]),
            "NO_RELEVANT_CONTENT": percent([n and not o for o, n, _ in steps]),
            "UNHELPFUL_ANSWER": percent([u and not o and not n for o, n, u in steps]),
            "answered": percent(answered),
        }
        for level, least in deciding.LEAST_GROUNDED.items():
            low = [
                said and row["said"] and (row["grounded"] or 0.0) < least
                for said, row in zip(answered, of_kind, strict=True)
            ]
            result[kind][f"LOW_GROUNDED_ANSWER at {FilteringLevel(level)}"] = percent(low)
        if kind == "answerable":
            right = [row["right"] for row, said in zip(of_kind, answered, strict=True) if said]
            result[kind]["of the answered, holding the gold answer"] = percent(right)
    return result


def percent(values: Sequence[bool]) -> float:
    return round(100 * sum(values) / len(values), 1) if values else 0.0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=200, help="of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--vectors", type=Path, help="folder that keeps embeddings between runs")
    parser.add_argument("--rows", type=Path, help="file that keeps the measured rows")
    options = parser.parse_args()
    about = circumstances()
    services = build_services(Settings())
    if options.rows and options.rows.exists():
        rows = json.loads(options.rows.read_text())
    else:
        with tempfile.TemporaryDirectory() as folder:
            corpus = Corpus(options.data, Path(folder), Vectors(options.vectors))
            asked = questions(options.data, options.questions, options.seed)
            rows = measure(services, corpus, asked)
            corpus.close()
        if options.rows:
            options.rows.write_text(json.dumps(rows))
    chosen_on = [row for row in rows if row["even"]]
    reported = [row for row in rows if not row["even"]]
    result = {
        **about,
        "command": f"python -m benchmarks.quality.declining --data DATA --questions {options.questions}",
        "chosen_on": {"curves": curves(chosen_on), "decided": decided(chosen_on)},
        "reported": {"curves": curves(reported), "decided": decided(reported)},
        "classes": classes(services, options.data),
        "user_classes": user_classes(services, options.data),
    }
    services.close()
    print(json.dumps(result, indent=1))
    write_result("declining", result)


if __name__ == "__main__":
    main()
