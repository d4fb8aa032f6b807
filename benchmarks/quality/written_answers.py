"""How right are answers to questions that people wrote over handbooks, notices and product pages?

    python -m benchmarks.quality.written_answers --data DATA [--questions 60] [--seed 12]

A data store of all passages of written_questions.jsonl.gz, one document each, answered as `:answer`
does it by default. An answer is right when it holds a gold answer's words; that to a yes/no
question, when it begins with the right word; one that begins with neither is not counted as wrong.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.measurement import circumstances, write_result
from benchmarks.quality.answers import has_gold
from benchmarks.retrieval_collections import read
from benchmarks.speed.answer_latency import fill, question_of
from toulmin.answering.answer import Answer
from toulmin.services import build_services
from toulmin.settings import load_settings

SEED = 12
_WORDS = {
    True: ("Yes.", "Sí.", "Sì.", "Ja.", "Oui.", "はい。"),
    False: ("No.", "Nein.", "Non.", "いいえ。"),
}


def outcome(row: dict, answer: Answer) -> str:
    """Return what came of a question."""
    if answer.skipped:
        return "wrongly_declined" if row["answerable"] else "rightly_declined"
    if not row["answerable"]:
        return "should_have_declined"
    if row["yes_no"] is None:
        return "right" if has_gold(answer.text, row) else "wrong"
    yes = row["yes_no"] in {"yes", True}
    if answer.text.startswith(_WORDS[yes]):
        return "right"
    return "wrong" if answer.text.startswith(_WORDS[not yes]) else "open"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=SEED, help="which questions are drawn")
    parser.add_argument("--show", action="store_true", help="print each question with its answer")
    args = parser.parse_args()
    rows = read(args.data / "qa" / "dev" / "written_questions.jsonl.gz")
    passages = sorted({row["context"] for row in rows})
    asked = random.Random(args.seed).sample(list(rows), min(args.questions, len(rows)))
    found = circumstances()
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    cited = 0
    with tempfile.TemporaryDirectory() as folder:
        services = build_services(load_settings(environment={"TOULMIN_DATA_DIR": folder}))
        try:
            fill(services, passages, 0)
            for row in asked:
                answer = services.answerer().answer(question_of(row["question"]))
                came = outcome(row, answer)
                kinds[row["kind"]][came] += 1
                cited += came in {"wrong", "should_have_declined"} and bool(answer.citations)
                if args.show:
                    said = "-" if answer.skipped else answer.text
                    print(
                        f"{came} {answer.answerable or 0.0:.2f}: {row['question']} | {said!r}"
                        f" | {row['answers'][:1]}"
                    )
        finally:
            services.close()
    whole = sum(kinds.values(), Counter())
    figures = {
        "questions": len(asked),
        "seed": args.seed,
        "passages": len(passages),
        "outcomes": dict(sorted(whole.items())),
        "wrong_with_a_citation": cited,
        "by_kind": {kind: dict(sorted(counts.items())) for kind, counts in sorted(kinds.items())},
    }
    for name, value in figures.items():
        print(f"{name}: {value}")
    write_result("written_answers", {**found, **figures})


if __name__ == "__main__":
    main()
