"""Runs labelled examples through the check and keeps what it says of each claim."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum

from toulmin.evaluation.examples import Example
from toulmin.evaluation.overlap import WordCounts, count_words
from toulmin.grounding.check import CheckSpec, GroundingChecker
from toulmin.work import UNLIMITED, Work


class Aggregate(StrEnum):
    """How an example's score is made of its claims' scores."""

    MEAN = "mean"
    MIN = "min"


# The mean is the report's own support score; the minimum is that of the least supported claim.
DEFAULT_AGGREGATE = Aggregate.MEAN


@dataclass(frozen=True, slots=True)
class ScoredExample:
    """What the check said of one example.

    Attributes:
        example: The example.
        supports: Support of each claim that needs a check, in [0, 1]; empty when none does.
        contradictions: Contradiction of the same claims, in [0, 1].
        evidence: The chunks that the claims cite, best first.
        milliseconds: Time of the check.
        words: What counting words says of the example.
    """

    example: Example
    supports: tuple[float, ...]
    contradictions: tuple[float, ...]
    evidence: tuple[str, ...]
    milliseconds: float
    words: WordCounts

    def support(self, aggregate: Aggregate) -> float:
        """Return the example's support in [0, 1]; 1.0 when there is nothing to check."""
        if not self.supports:
            return 1.0
        if aggregate is Aggregate.MIN:
            return min(self.supports)
        return sum(self.supports) / len(self.supports)

    def contradiction(self, aggregate: Aggregate) -> float:
        """Return the example's contradiction in [0, 1]: the mean, or for MIN that of the worst."""
        if not self.contradictions:
            return 0.0
        if aggregate is Aggregate.MIN:
            return max(self.contradictions)
        return sum(self.contradictions) / len(self.contradictions)


def score_examples(
    checker: GroundingChecker,
    examples: Sequence[Example],
    *,
    threshold: float,
    workers: int = 1,
    on_done: Callable[[], None] = lambda: None,
) -> list[ScoredExample]:
    """Return the check's scores, in the order of the examples.

    Args:
        checker: The check of the product.
        examples: What to check.
        threshold: Least support of a cited chunk, in [0, 1].
        workers: Checks at the same time; with more than one, a check's latency includes waiting
            for the others.
        on_done: Called after each example, by the caller's thread.
    """

    def score(example: Example) -> ScoredExample:
        return score_example(checker, example, threshold=threshold)

    results = []
    if workers == 1:
        for example in examples:
            results.append(score(example))
            on_done()
        return results
    pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="evaluate")
    try:
        for result in pool.map(score, examples):
            results.append(result)
            on_done()
    finally:
        pool.shutdown(cancel_futures=True)
    return results


def score_example(
    checker: GroundingChecker,
    example: Example,
    *,
    threshold: float,
    work: Work = UNLIMITED,
) -> ScoredExample:
    """Return the check's scores of one example.

    Args:
        checker: The check of the product.
        example: What to check.
        threshold: Least support of a cited chunk, in [0, 1].
        work: Asked before every run of the model.

    Raises:
        Cancelled: Nobody waits any more.
        ResourceExhausted: It would take far longer than there is time.
    """
    spec = CheckSpec(citation_threshold=threshold, anti_citations=True)
    started = time.perf_counter()
    report = checker.check(example.claim, example.facts, spec, work=work)
    milliseconds = (time.perf_counter() - started) * 1000
    checked = [claim for claim in report.claims if claim.needs_check]
    cited = dict.fromkeys(index for claim in checked for index in claim.citations)
    return ScoredExample(
        example=example,
        supports=tuple(claim.score or 0.0 for claim in checked),
        contradictions=tuple(claim.contradiction_score or 0.0 for claim in checked),
        evidence=tuple(report.cited_chunks[index].text for index in cited),
        milliseconds=milliseconds,
        words=count_words(example.claim, [fact.text for fact in example.facts]),
    )
