"""How often the checker is right on the acceptance cases: `python -m benchmarks.quality.acceptance`.

Prints one JSON object: balanced accuracy per aspect over all cases, accuracy per category and
aspect, how many claims each stands for, and the guide's examples with the scores that the guide
prints. `--failures` adds the wrong judgements on standard error. What is judged, and how:
tests/acceptance/judging.py.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

from tests.acceptance.judging import (
    Judgement,
    check,
    failure_table,
    judge,
    load,
    load_cases,
    summary,
)
from toulmin import Fact, __version__, check_grounding


def guide_scores() -> dict[str, dict[str, float]]:
    """Return for each example of the guide our scores and, under `guide_...`, the guide's."""
    guide = load("guide.json")
    facts = [Fact(fact["text"], fact["attributes"]) for fact in guide["facts"]]
    rows = {}
    for example in guide["examples"]:
        report = check_grounding(
            example["answer"], facts, anti_citations=True, prompt=example.get("prompt")
        )
        row = {}
        for kind, score in (
            ("support", report.support_score),
            ("contradiction", report.contradiction_score),
            ("helpfulness", report.helpfulness_score),
        ):
            if kind in example and score is not None:
                row[kind] = round(score, 4)
                if "guide" in example[kind]:
                    row[f"guide_{kind}"] = example[kind]["guide"]
        rows[example["id"]] = row
    return rows


def rounded(value: object) -> object:
    """Return the value with every number in it rounded to four places."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def main() -> None:
    """Run all cases and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--failures", action="store_true", help="print the wrong judgements")
    options = parser.parse_args()
    cases = load_cases()
    judgements: list[Judgement] = []
    started = time.perf_counter()
    for case in cases:
        judgements += judge(case, check(case))
    seconds = time.perf_counter() - started
    counts: dict[str, int] = {}
    for case in cases:
        claims = len(case["expect"]["claims"])
        counts[case["category"]] = counts.get(case["category"], 0) + claims
    result = {
        "toulmin": __version__,
        "cases": len(cases),
        "claims": sum(counts.values()),
        "seconds": seconds,
        **summary(judgements),
        "claims_per_category": counts,
        "guide": guide_scores(),
    }
    print(json.dumps(rounded(result), indent=1))
    if options.failures:
        print(failure_table(judgements), file=sys.stderr)


if __name__ == "__main__":
    main()
