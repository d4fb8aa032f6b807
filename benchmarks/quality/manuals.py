"""How right are answers to what engineers ask of documentation: commands, steps, limits, what is what?

    python -m benchmarks.quality.manuals [--set b] [--show]

A data store of the manuals in `benchmarks/quality/data/manuals/SET/` (invented ones, Markdown with
code, steps and tables), imported as `toulmin ingest` does it and answered as `:answer` does it by
default. An answer is right when it has all strings of the question's `answer`, which the manual has
too. Long answers have more strings, so their length is told, and how many the passage that is found
first would have been right with, said as a whole. On set a errors were read while the rules were made; set b was written at the same time and only
measured.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

from benchmarks.measurement import circumstances, write_result
from toulmin.answering.answer import Answer
from toulmin.answering.question import Question
from toulmin.answering.searching import search_passages
from toulmin.cli import ingest
from toulmin.retrieval.query import ResultMode, Scope, SearchQuery
from toulmin.services import build_services
from toulmin.settings import load_settings

STORE = "projects/default/locations/global/collections/default_collection/dataStores/default"
MANUALS = Path(__file__).parent / "data" / "manuals"


def outcome(row: dict, answer: Answer) -> str:
    """Return what came of a question."""
    if answer.skipped:
        return "wrongly_declined" if row["answerable"] else "rightly_declined"
    if not row["answerable"]:
        return "should_have_declined"
    return "right" if _has_all(row, answer.text) else "wrong"


def _has_all(row: dict, text: str) -> bool:
    return all(_plain(part) in _plain(text) for part in row["answer"])


def question_of(text: str) -> Question:
    search = SearchQuery(scopes=[Scope(data_store=STORE)], mode=ResultMode.CHUNKS, page_size=10)
    return Question(text=text, search=search, with_citations=True, with_supports=True)


def _plain(text: str) -> str:
    return " ".join(text.replace("`", "").replace("*", "").lower().split())


def _import(folder: Path, data: str) -> None:
    parser = argparse.ArgumentParser()
    ingest.add_arguments(parser)
    ingest.run(parser.parse_args([f"{folder}/*.md", "--store", "default", "--data-dir", data]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", default="b", choices=["a", "b"])
    parser.add_argument("--folder", type=Path, default=MANUALS, help="of the sets")
    parser.add_argument("--show", action="store_true", help="print each question with its answer")
    args = parser.parse_args()
    folder = args.folder / args.set
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    found = circumstances()
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    lengths: list[int] = []
    whole_passages: list[int] = []
    right_as_a_whole = 0
    with tempfile.TemporaryDirectory() as data:
        _import(folder, data)
        services = build_services(load_settings(environment={"TOULMIN_DATA_DIR": data}))
        try:
            for row in rows:
                question = question_of(row["question"])
                answer = services.answerer().answer(question)
                came = outcome(row, answer)
                lengths += [] if answer.skipped else [len(answer.text)]
                if question.search and row["answerable"]:
                    asked = replace(question.search, text=question.text)
                    first = search_passages(services.searcher(), asked).passages[0]
                    whole_passages.append(len(first.text))
                    right_as_a_whole += _has_all(row, first.text)
                kinds[row["kind"]][came] += 1
                if args.show:
                    said = "-" if answer.skipped else answer.text
                    print(
                        f"{came} [{row['kind']}] {answer.answerable or 0.0:.2f}: {row['question']}"
                        f" | {said!r} | {row['answer']} {row['file']}",
                        flush=True,
                    )
        finally:
            services.close()
    whole = sum(kinds.values(), Counter())
    figures = {
        "set": args.set,
        "questions": len(rows),
        "outcomes": dict(sorted(whole.items())),
        "mean_characters": round(sum(lengths) / len(lengths)),
        "first_passage_as_a_whole": {
            "right": right_as_a_whole,
            "mean_characters": round(sum(whole_passages) / len(whole_passages)),
        },
        "by_kind": {kind: dict(sorted(counts.items())) for kind, counts in sorted(kinds.items())},
    }
    for name, value in figures.items():
        print(f"{name}: {value}")
    write_result(f"manuals_{args.set}", {**found, **figures})


if __name__ == "__main__":
    main()
