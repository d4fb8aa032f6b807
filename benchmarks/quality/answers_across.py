"""How right are answers to questions in one language over pages in another?

    python -m benchmarks.quality.answers_across --data DATA [--questions 40] [--embedder multilingual]

XQuAD's Spanish and SQuAD-it's Italian paragraphs are translations of SQuAD's, so questions of one
can be asked over the other (`language_collections.py` pairs them). Each direction has a data store
of its own, a document for each paragraph, asked as `:answer` does it by default. Asked are only
questions one of whose gold answers stands in the other paragraph word for word (a number, a name):
an answer is right when it holds it. Answers that read otherwise in the other language, which are
most, are not measured. Two fifths of them lack their own paragraph, so that declining
is right, and so is whatever else happens to hold the gold answer.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.language_collections import paired_questions
from benchmarks.measurement import circumstances, write_result
from benchmarks.quality.answers import has_gold
from benchmarks.speed.answer_latency import fill, question_of
from toulmin.answering.answer import Answer
from toulmin.services import build_services
from toulmin.settings import load_settings

SEED = 17
WITHOUT_OWN = 0.4
PASSAGES = 120

Pairs = list[tuple[dict, str]]  # a row of the set, its paragraph in the other language


def chosen(pairs: Pairs, most: int, rng: random.Random) -> list[tuple[dict, str, bool]]:
    """Some questions, each with whether its paragraph is in the store."""
    told = [(row, text) for row, text in pairs if has_gold(text, row)]
    texts = sorted({text for _, text in told})
    lacking = set(rng.sample(texts, round(WITHOUT_OWN * len(texts))))
    asked = []
    for answerable, share in ((True, 1 - WITHOUT_OWN), (False, WITHOUT_OWN)):
        found = [(row, text) for row, text in told if (text not in lacking) == answerable]
        some = rng.sample(found, min(round(share * most), len(found)))
        asked += [(row, text, answerable) for row, text in some]
    return asked


def outcome(row: dict, answer: Answer, *, answerable: bool) -> str:
    """Return what came of a question."""
    if answer.skipped:
        return "wrongly_declined" if answerable else "rightly_declined"
    if has_gold(answer.text, row):
        return "right"
    return "wrong" if answerable else "should_have_declined"


def measure(pairs: Pairs, others: list[str], args: argparse.Namespace) -> dict:
    """Ask the questions of one direction; returns how many had each outcome."""
    rng = random.Random(SEED)
    asked = chosen(pairs, args.questions, rng)
    lacking = {text for _, text, answerable in asked if not answerable}
    passages = sorted({text for _, text, answerable in asked if answerable})
    rest = sorted(set(others) - set(passages) - lacking)
    passages += rng.sample(rest, min(PASSAGES - len(passages), len(rest)))
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        environment = {"TOULMIN_DATA_DIR": folder, "TOULMIN_EMBEDDER": args.embedder}
        services = build_services(load_settings(environment=environment))
        try:
            fill(services, passages, 0)
            for row, _, answerable in asked:
                answer = services.answerer().answer(question_of(row["question"]))
                came = outcome(row, answer, answerable=answerable)
                counts[came] += 1
                if args.show:
                    said = "-" if answer.skipped else answer.text
                    why = " ".join(answer.skipped)
                    print(
                        f"{came} {answer.answerable or 0.0:.2f}: {row['question']} | {said!r}"
                        f" | {row['answers'][0]['text']} | {why}",
                        flush=True,
                    )
        finally:
            services.close()
    return {"questions": len(asked), "passages": len(passages), **dict(sorted(counts.items()))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=40, help="in each direction")
    parser.add_argument("--embedder", default="multilingual")
    parser.add_argument("--show", action="store_true", help="print each question with its answer")
    args = parser.parse_args()
    found = circumstances()
    figures = {}
    for name, (pairs, others) in paired_questions(args.data).items():
        figures[name] = measure(pairs, others, args)
        print(f"{name}: {figures[name]}", flush=True)
    whole: Counter[str] = Counter()
    for counts in figures.values():
        whole.update(counts)
    print(f"all: {dict(whole)}")
    result = {**found, "embedder": args.embedder, "all": dict(whole), "directions": figures}
    write_result("answers_across", result)


if __name__ == "__main__":
    main()
