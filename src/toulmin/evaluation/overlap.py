"""The overlap baseline: what would counting words get on these very items?

The score is the share of the claim's content words that occur anywhere in the facts. A file on
which it tells the labels apart says little about understanding, however well a checker does there.

Content words are all distinct words but stopwords ("the", "not", "und"). Scripts written without
spaces, and Korean, give pairs of neighbouring characters instead; a pair of hiragana alone is
grammar and does not count. Words are compared as the product's word search does: without case,
accents and English endings, with numbers in one notation (`toulmin.grounding.terms`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from toulmin.evaluation import metrics
from toulmin.evaluation.metrics import BoolArray, FloatArray, Interval
from toulmin.grounding.terms import is_content, to_term
from toulmin.text.words import WordStream, scan_words

# Items from which on figures are worth a sentence, or a row of their own.
FEWEST_ITEMS = 20
# From this AUROC on, words all but are the labels; from this one on they give part of them away.
_HARDLY_TESTS = 0.8
_GIVES_PART = 0.65
_NO_RULE = 0.5


@dataclass(frozen=True, slots=True)
class WordCounts:
    """What counting words says of one example.

    Attributes:
        found: Share of the claim's content words that the facts have, in [0, 1]; 1 without any.
        premise_words: Words of the facts; in scripts without spaces two characters are one.
    """

    found: float
    premise_words: int


def count_words(claim: str, facts: Sequence[str]) -> WordCounts:
    """Return what counting words says of a claim and its facts."""
    wanted = _content_terms(scan_words(claim))
    held: set[str] = set()
    spaced = pairs = 0
    for text in facts:
        stream = scan_words(text)
        held |= _content_terms(stream)
        pairs += int(stream.unspaced.sum())
        spaced += len(stream) - int(stream.unspaced.sum())
    found = len(wanted & held) / len(wanted) if wanted else 1.0
    return WordCounts(found=found, premise_words=spaced + round(pairs / 2))


def _content_terms(stream: WordStream) -> set[str]:
    terms = set()
    for at in stream.distinct.tolist():
        unspaced = bool(stream.unspaced[at])
        term = stream.word(at) if unspaced else to_term(stream.word(at))
        if is_content(term, unspaced=unspaced):
            terms.add(term)
    return terms


@dataclass(frozen=True, slots=True)
class OverlapBaseline:
    """What the share of words found gets at telling two labels apart, beside a checker's score.

    Where its AUROC is below 0.5, few shared words speak for the label. The share of words
    *missing* is then the better score: `best` figures and differences are against that.

    Attributes:
        items: How many.
        positives: How many of them should score high.
        reversed: Whether the share missing is the better score.
        words: `auroc` of the share found, `auroc_reversed` of the share missing, and of the
            better one `balanced_accuracy_best` and its `best_threshold`.
        check: `auroc` and `balanced_accuracy_best` of the checker.
        difference: The checker's less the better of the words', by the same two names.
        intervals: 95 %: `words_auroc`, `check_auroc` and `difference_auroc`, where there is one.
    """

    items: int
    positives: int
    reversed: bool
    words: Mapping[str, float | None]
    check: Mapping[str, float | None]
    difference: Mapping[str, float | None]
    intervals: Mapping[str, Interval]

    @property
    def best_auroc(self) -> float | None:
        """AUROC of the better one of share found and share missing."""
        return self.words["auroc_reversed" if self.reversed else "auroc"]

    def passes(self, found: FloatArray) -> BoolArray | None:
        """Return what counting words lets pass at its best threshold; None when it has none."""
        threshold = self.words["best_threshold"]
        return None if threshold is None else _better(found, reverse=self.reversed) >= threshold


def compare(
    labels: BoolArray, found: FloatArray, scores: FloatArray, *, near: float
) -> OverlapBaseline:
    """Return what counting words gets, beside a checker.

    Args:
        labels: True for what should score high, shape (items,).
        found: Share of the claim's content words that the facts have, in [0, 1], same shape.
        scores: The checker's, in [0, 1], same shape.
        near: Of the checker's equally good thresholds, the one nearest to this is taken.
    """
    value = metrics.auroc(labels, found)
    reverse = value is not None and value < _NO_RULE
    better = _better(found, reverse=reverse)
    words_best = metrics.best_threshold(labels, better, near=_NO_RULE)
    check_best = metrics.best_threshold(labels, scores, near=near)
    gap = metrics.auroc_difference(labels, scores, better)
    intervals = {
        "words_auroc": metrics.auroc_interval(labels, found),
        "check_auroc": metrics.auroc_interval(labels, scores),
        "difference_auroc": gap and gap[1],
    }
    return OverlapBaseline(
        items=len(labels),
        positives=int(labels.sum()),
        reversed=reverse,
        words={
            "auroc": value,
            "auroc_reversed": None if value is None else 1 - value,
            "balanced_accuracy_best": words_best and words_best[1],
            "best_threshold": words_best and words_best[0],
        },
        check={
            "auroc": metrics.auroc(labels, scores),
            "balanced_accuracy_best": check_best and check_best[1],
        },
        difference={
            "auroc": gap and gap[0],
            "balanced_accuracy_best": (
                check_best[1] - words_best[1] if check_best and words_best else None
            ),
        },
        intervals={name: interval for name, interval in intervals.items() if interval},
    )


def verdict(baseline: OverlapBaseline, *, where: str = "here") -> str:
    """Return in plain words what the baseline means for the figures beside it.

    Args:
        baseline: Of all items that the figures are of.
        where: Where counting words gets what it gets.
    """
    value, rival = baseline.best_auroc, baseline.check["auroc"]
    if value is None or rival is None:
        return f"What counting words gets {where} is not known: there is one label only."
    counted = "missing words" if baseline.reversed else "words"
    got = f"Counting {counted} gets {value:.2f} {where}"
    if baseline.items < FEWEST_ITEMS:
        return f"{got}, on {baseline.items} examples only: too few to say what that means."
    return f"{got}: {_meaning(baseline, value)}. The check gets {rival:.2f}, {_rank(baseline)}."


def _meaning(baseline: OverlapBaseline, value: float) -> str:
    # Rounded as it is shown, so that nobody reads 0.80 and wonders.
    if round(value, 2) >= _HARDLY_TESTS:
        return "this file hardly tests understanding"
    if round(value, 2) >= _GIVES_PART:
        return "words give part of the labels away"
    interval = baseline.intervals.get("words_auroc")
    if interval is None or interval.low <= _NO_RULE <= interval.high:
        return "words are not clearly better than guessing"
    return "words give little of the labels away"


def _rank(baseline: OverlapBaseline) -> str:
    interval = baseline.intervals.get("difference_auroc")
    if interval is None or interval.low <= 0 <= interval.high:
        return "which is not clearly different"
    return "clearly more" if interval.low > 0 else "clearly less"


def _better(found: FloatArray, *, reverse: bool) -> FloatArray:
    better: FloatArray = np.subtract(1.0, found) if reverse else found
    return better
