"""How a case of data/cases.json is judged: reports in, right or wrong per claim and aspect out.

Every expected claim is judged in up to three aspects, each right or wrong:

* support: a supported claim has a score of 0.5 or more, any other one a lower score.
* contradiction: a contradicted claim has a contradiction score of 0.5 or more, any other one a
  lower score. Cases whose `contradicted` is null are not judged.
* citations: at the default citation threshold (0.6) every fact of `cites` is cited and no fact of
  `not_cites` is. An unsupported claim has no `cites` and all facts in `not_cites`.

A claim that the checker did not find, or found but did not check, is wrong in every aspect: an
expected claim always states something. Which reported claim belongs to an expected one: the one
that shares most characters with it, and at least half of them, so that a list marker or Markdown
around a sentence does not matter. A reported claim belongs to one expected claim at most.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toulmin import CheckedClaim, Fact, GroundingReport, check_grounding

DATA = Path(__file__).parent / "data"
ASPECTS = ("support", "contradiction", "citations")
SCORE_THRESHOLD = 0.5


@dataclass(frozen=True)
class Judgement:
    """One aspect of one expected claim.

    Attributes:
        case_id: The case's id.
        category: The case's category.
        claim: The expected claim's text.
        aspect: One of `ASPECTS`.
        expected: What the case says.
        found: What the checker said, with its score, for the table of failures.
        right: Whether the two agree.
        positive: Whether the expected answer is yes (for balanced accuracy); for citations,
            whether something must be cited.
    """

    case_id: str
    category: str
    claim: str
    aspect: str
    expected: str
    found: str
    right: bool
    positive: bool


def load(name: str) -> Any:
    """Return the content of one file of data/."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def load_cases() -> list[dict[str, Any]]:
    """Return the cases of data/cases.json in their order."""
    return load("cases.json")["cases"]


def facts_of(case: Mapping[str, Any]) -> list[Fact]:
    """Return the facts of a case."""
    return [Fact(fact["text"], fact.get("attributes", {})) for fact in case["facts"]]


def check(case: Mapping[str, Any]) -> GroundingReport:
    """Return the checker's report on a case, with the default thresholds."""
    return check_grounding(case["answer"], facts_of(case), anti_citations=True)


def cited_facts(report: GroundingReport, claim: CheckedClaim) -> set[int]:
    """Return the indices of the facts that the claim cites."""
    return {report.cited_chunks[index].fact_index for index in claim.citations}


def anti_cited_facts(report: GroundingReport, claim: CheckedClaim) -> set[int]:
    """Return the indices of the facts that the claim is said to contradict."""
    return {report.cited_chunks[index].fact_index for index in claim.anti_citations}


def counterparts(
    case: Mapping[str, Any], claims: Sequence[CheckedClaim]
) -> list[CheckedClaim | None]:
    """Return the reported claim for each expected one, None where there is none."""
    found: list[CheckedClaim | None] = []
    free = list(claims)
    position = 0
    for expected in case["expect"]["claims"]:
        start = case["answer"].index(expected["text"], position)
        end = position = start + len(expected["text"])
        best = max(free, key=lambda c: _overlap(c, start, end), default=None)
        if best is None or _overlap(best, start, end) * 2 < end - start:
            found.append(None)
            continue
        free.remove(best)
        found.append(best)
    return found


def _overlap(claim: CheckedClaim, start: int, end: int) -> int:
    return max(0, min(claim.end, end) - max(claim.start, start))


def judge(case: Mapping[str, Any], report: GroundingReport) -> list[Judgement]:
    """Return the judgements on one case."""
    judgements = []
    pairs = zip(case["expect"]["claims"], counterparts(case, report.claims), strict=True)
    for expected, claim in pairs:
        for aspect, verdict in _verdicts(expected, claim, report).items():
            judgements.append(
                Judgement(case["id"], case["category"], expected["text"], aspect, *verdict)
            )
    return judgements


def _verdicts(
    expected: Mapping[str, Any], claim: CheckedClaim | None, report: GroundingReport
) -> dict[str, tuple[str, str, bool, bool]]:
    """Return (expected, found, right, positive) by aspect, judged aspects only."""
    verdicts = {}
    score = claim.score if claim is not None and claim.needs_check else None
    contradiction = claim.contradiction_score if score is not None and claim else None
    if expected["supported"] is not None:
        verdicts["support"] = _yes_or_no(expected["supported"], score)
        verdicts["citations"] = _cites(expected, claim, report)
    if expected["contradicted"] is not None:
        verdicts["contradiction"] = _yes_or_no(expected["contradicted"], contradiction)
    return verdicts


def _yes_or_no(expected: bool, score: float | None) -> tuple[str, str, bool, bool]:
    if score is None:
        return str(expected), "not checked", False, expected
    right = (score >= SCORE_THRESHOLD) == expected
    return str(expected), f"{score:.2f}", right, expected


def _cites(
    expected: Mapping[str, Any], claim: CheckedClaim | None, report: GroundingReport
) -> tuple[str, str, bool, bool]:
    must, must_not = set(expected["cites"]), set(expected["not_cites"])
    wanted = f"{sorted(must)}, not {sorted(must_not)}"
    if claim is None or not claim.needs_check:
        return wanted, "not checked", False, bool(must)
    cited = cited_facts(report, claim)
    return wanted, str(sorted(cited)), must <= cited and not must_not & cited, bool(must)


def accuracy(judgements: Iterable[Judgement]) -> float:
    """Return the share of right judgements, in [0, 1]; 0 when there are none."""
    rights = [judgement.right for judgement in judgements]
    return sum(rights) / len(rights) if rights else 0.0


def balanced_accuracy(judgements: Iterable[Judgement]) -> float:
    """Return the mean of the accuracies on expected yes and on expected no, in [0, 1]."""
    rows = list(judgements)
    yes = [row for row in rows if row.positive]
    no = [row for row in rows if not row.positive]
    return (accuracy(yes) + accuracy(no)) / 2


def summary(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Return balanced accuracy per aspect over all, and plain accuracy per category and aspect."""
    categories = dict.fromkeys(judgement.category for judgement in judgements)
    return {
        "overall": {
            aspect: balanced_accuracy(j for j in judgements if j.aspect == aspect)
            for aspect in ASPECTS
        },
        "categories": {
            category: {
                aspect: accuracy(
                    j for j in judgements if j.category == category and j.aspect == aspect
                )
                for aspect in ASPECTS
            }
            for category in categories
        },
    }


def failure_table(judgements: Iterable[Judgement]) -> str:
    """Return one line per wrong judgement: case, aspect, expected, found, claim."""
    lines = [f"{'case':<18} {'aspect':<14} {'expected':<18} {'found':<12} claim"]
    lines += [
        f"{j.case_id:<18} {j.aspect:<14} {j.expected:<18} {j.found:<12} {j.claim}"
        for j in judgements
        if not j.right
    ]
    return "\n".join(lines)
