"""Which words of a claim are unsupported, and which words of the fact they conflict with: how right?

    python -m benchmarks.quality.spans --data DATA [--items 600] [--seed 11]

Claims are made from passages of DATA/qa/dev/squad2_half.jsonl.gz, which nothing was trained on, by
replacing one or two words (benchmarks/quality/substitutions.py). Each goes through `check_grounding` with
its passage as the only fact, explanations and anti-citations on. Writes results/spans.json.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.measurement import circumstances, write_result
from benchmarks.quality.substitutions import KINDS, UNTOUCHED, WORD, Claim, Span, make_claims
from toulmin import GroundingReport, check_grounding
from toulmin.grounding.check import ANTI_CITATION_THRESHOLD, CITATION_THRESHOLD

IntArray = npt.NDArray[np.int64]

ITEMS = 600
SEED = 11
MS_PER_ITEM = 40
_DRAWS = 2000
_PASSAGES = Path("qa") / "dev" / "squad2_half.jsonl.gz"


@dataclass(frozen=True)
class Counts:
    """Words of one text: marked and rightly so, marked, and those that should be."""

    right: int
    marked: int
    wanted: int


@dataclass(frozen=True)
class Outcome:
    """What the check said of one claim.

    Attributes:
        claim: The claim.
        words: Counts of the claim's words.
        fact_words: Counts of the passage's words.
        exact: Whether exactly the wrong words are marked.
        whole: Whether every word of the claim is marked: the claim is refused, no word is told.
        support: Support score, in [0, 1].
        contradiction: Contradiction score, in [0, 1].
    """

    claim: Claim
    words: Counts
    fact_words: Counts
    exact: bool
    whole: bool
    support: float
    contradiction: float


def words_in(text: str, spans: Sequence[Span]) -> set[Span]:
    """Return the words of `text` that share a character with one of the spans."""
    return {
        match.span()
        for match in WORD.finditer(text)
        if any(match.start() < end and start < match.end() for start, end in spans)
    }


def compare(
    text: str, marked: Sequence[Span], wanted: Sequence[Span], either: Sequence[Span]
) -> Counts:
    """Return the counts of words; those in `either` count neither for nor against."""
    gold = words_in(text, wanted)
    found = words_in(text, marked) - (words_in(text, either) - gold)
    return Counts(len(found & gold), len(found), len(gold))


def outcome(claim: Claim, report: GroundingReport) -> Outcome:
    """Return how the report's spans on `claim` compare with what was replaced."""
    spans = [span for found in report.claims for span in found.spans if not span.supported]
    marked = [(span.start, span.end) for span in spans]
    against = [(s.fact_start, s.fact_end) for s in spans if s.fact_index is not None]
    words = compare(claim.text, marked, claim.wrong, claim.either)
    return Outcome(
        claim=claim,
        words=words,
        fact_words=compare(claim.passage, against, claim.conflicting, claim.either_fact),
        exact=words.right == words.marked == words.wanted,
        whole=len(words_in(claim.text, marked)) == len(WORD.findall(claim.text)),
        support=report.support_score,
        contradiction=report.contradiction_score or 0.0,
    )


def total(counts: Sequence[Counts]) -> dict[str, float | None]:
    """Return precision, recall and F1 over all words; None where there is nothing to divide by."""
    right = sum(count.right for count in counts)
    marked = sum(count.marked for count in counts)
    wanted = sum(count.wanted for count in counts)
    return {
        "precision": _share(right, marked),
        "recall": _share(right, wanted),
        "f1": _share(2 * right, marked + wanted),
    }


def changed_figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the figures of claims in which words were replaced."""
    found = [o for o in outcomes if o.words.right]
    refused = [o for o in outcomes if o.support < CITATION_THRESHOLD]
    return {
        "items": len(outcomes),
        "claim_words": total([o.words for o in outcomes]),
        "claim_words_if_unsupported": total([o.words for o in refused]),
        "exact_share": _rate(outcomes, lambda o: o.exact),
        "whole_claim_share": _rate(outcomes, lambda o: o.whole),
        "fact_words": total([o.fact_words for o in outcomes]),
        "fact_words_if_claim_word_marked": total([o.fact_words for o in found]),
        "unsupported_share": _rate(outcomes, lambda o: o.support < CITATION_THRESHOLD),
        "contradicted_share": _rate(outcomes, lambda o: o.contradiction >= 0.5),
        "anti_cited_share": _rate(outcomes, lambda o: o.contradiction >= ANTI_CITATION_THRESHOLD),
    }


def untouched_figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the figures of claims that the passage bears out."""
    return {
        "items": len(outcomes),
        "false_alarm_share": _rate(outcomes, lambda o: o.words.marked > 0),
        "supported_share": _rate(outcomes, lambda o: o.support >= CITATION_THRESHOLD),
        "contradicted_share": _rate(outcomes, lambda o: o.contradiction >= 0.5),
    }


def intervals(
    outcomes: Sequence[Outcome], *, seed: int
) -> dict[str, dict[str, list[float] | None]]:
    """Return 95 % intervals of the word figures over resampled claims."""
    rng = np.random.default_rng(seed)
    result = {}
    for name in ("words", "fact_words"):
        table = np.array(
            [(c.right, c.marked, c.wanted) for c in (getattr(o, name) for o in outcomes)]
        )
        draws = rng.integers(0, len(table), (_DRAWS, len(table)))
        right, marked, wanted = table[draws].sum(axis=1).T
        parts = {
            "precision": (right, marked),
            "recall": (right, wanted),
            "f1": (2 * right, marked + wanted),
        }
        result[name] = {key: _bounds(*pair) for key, pair in parts.items()}
    return result


def _bounds(part: IntArray, whole: IntArray) -> list[float] | None:
    known = whole > 0
    if not known.any():
        return None
    low, high = np.quantile(part[known] / whole[known], [0.025, 0.975])
    return [round(float(low), 4), round(float(high), 4)]


def figures(outcomes: Sequence[Outcome], *, seed: int) -> dict[str, Any]:
    """Return all figures: over all claims, and by kind."""
    changed = [o for o in outcomes if o.claim.kind not in UNTOUCHED]
    untouched = [o for o in outcomes if o.claim.kind in UNTOUCHED]
    by_kind: dict[str, Any] = {}
    for kind in KINDS:
        of_kind = [o for o in outcomes if o.claim.kind == kind]
        if of_kind:
            make = untouched_figures if kind in UNTOUCHED else changed_figures
            by_kind[kind] = make(of_kind)
    return {
        "changed": changed_figures(changed),
        "intervals": intervals(changed, seed=seed),
        "untouched": untouched_figures(untouched),
        # The false marks of claims that are right as a whole count here too.
        "all_claim_words": total([o.words for o in outcomes]),
        "verdict_balanced_accuracy": _mean(
            _rate(changed, lambda o: o.support < CITATION_THRESHOLD),
            _rate(untouched, lambda o: o.support >= CITATION_THRESHOLD),
        ),
        "kinds": by_kind,
    }


def read_passages(data: Path) -> list[str]:
    """Return the unique English passages, sorted."""
    with gzip.open(data / _PASSAGES, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return sorted({row["context"] for row in rows})


def measure(
    data: Path, *, items: int, seed: int, about: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the content of results/spans.json.

    Args:
        data: The folder that holds qa/dev.
        items: Claims to make.
        seed: Of every choice.
        about: The circumstances, when the caller knows them.
    """
    about = about or circumstances()
    claims = make_claims(read_passages(data), items, seed=seed)
    print(
        f"spans: {len(claims)} claims, about {len(claims) * MS_PER_ITEM / 1000:.0f} s", flush=True
    )
    outcomes = []
    started = time.perf_counter()
    for claim in claims:
        report = check_grounding(
            claim.text, [claim.passage], explanations=True, anti_citations=True
        )
        outcomes.append(outcome(claim, report))
    seconds = time.perf_counter() - started
    return {
        "circumstances": about,
        "items": len(claims),
        "seed": seed,
        "ms_per_item": round(1000 * seconds / len(claims), 1),
        **figures(outcomes, seed=seed),
    }


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None


def _rate(outcomes: Sequence[Outcome], holds: Callable[[Outcome], bool]) -> float | None:
    return _share(sum(map(holds, outcomes)), len(outcomes))


def _mean(*values: float | None) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 4) if len(known) == len(values) else None


def main() -> int:
    """Measure and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds qa/dev")
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    result = measure(args.data, items=args.items, seed=args.seed)
    print(json.dumps({k: v for k, v in result.items() if k != "circumstances"}, indent=1))
    print(write_result("spans", result, out=args.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
