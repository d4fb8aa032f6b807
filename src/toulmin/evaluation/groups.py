"""The figures of parts of the items: by kind, language, length of the premise, number of facts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from toulmin.evaluation import metrics
from toulmin.evaluation.metrics import BoolArray, FloatArray, Interval
from toulmin.evaluation.overlap import FEWEST_ITEMS, OverlapBaseline, compare
from toulmin.evaluation.runner import Aggregate, ScoredExample

# With fewer items of a label, a rate over them, and so AUROC, says nothing.
FEWEST_OF_LABEL = 5
# A contradiction score has no usual threshold; of equally good ones the nearest to this is taken.
_NEAR = 0.5


@dataclass(frozen=True, slots=True)
class Columns:
    """Items as arrays, all of shape (items,).

    Attributes:
        labels: Whether the example is supported.
        supports: The check's support, in [0, 1].
        found: Share of the claim's content words that the facts have, in [0, 1].
        judged: Whether it is unsupported and known to be contradicted or neutral.
        contradicted: Whether it is known to be contradicted.
        contradictions: The check's contradiction, in [0, 1].
    """

    labels: BoolArray
    supports: FloatArray
    found: FloatArray
    judged: BoolArray
    contradicted: BoolArray
    contradictions: FloatArray


@dataclass(frozen=True, slots=True)
class Group:
    """Items that are alike in one way.

    Attributes:
        grouping: Name of the way: one of `GROUPINGS`.
        name: What they have in common.
        items: How many.
        supported: How many of them are labelled 1.
        too_small: Whether they are too few for any figure.
        figures: `auroc` and `balanced_accuracy`; `false_pass_rate` and `false_strip_rate`; and
            `accuracy`, the share judged rightly, only where one label is missing or rare. None
            where there are too few items of a label.
        intervals: 95 % intervals of `auroc`, `balanced_accuracy` and `accuracy`.
        words_accuracy: Share that counting words judges rightly, with the threshold that is best
            for the whole file; only where there is `accuracy`.
        overlap: What counting words gets on these items; None where there is no `auroc`.
        contradiction_overlap: The same for contradicted against neutral.
    """

    grouping: str
    name: str
    items: int
    supported: int
    too_small: bool
    figures: Mapping[str, float | None]
    intervals: Mapping[str, Interval]
    words_accuracy: float | None
    overlap: OverlapBaseline | None
    contradiction_overlap: OverlapBaseline | None


@dataclass(frozen=True, slots=True)
class Grouping:
    """One way to put items into groups.

    Attributes:
        name: As in the JSON report.
        title: For people.
        key: An item's group; empty when the file does not say.
        order: The groups in order, where they have one; else the largest come first.
    """

    name: str
    title: str
    key: Callable[[ScoredExample], str]
    order: Sequence[str] = ()


# Short is a paragraph, which the check reads in one go; long is more than a page.
_LENGTHS = ("short (under 100 words)", "medium (100 to 399 words)", "long (400 words or more)")
_FACTS = ("1 fact", "2 to 5 facts", "6 to 20 facts", "over 20 facts")


def _length(item: ScoredExample) -> str:
    return _LENGTHS[bisect_right((100, 400), item.words.premise_words)]


def _facts(item: ScoredExample) -> str:
    return _FACTS[bisect_left((1, 5, 20), len(item.example.facts))]


GROUPINGS: tuple[Grouping, ...] = (
    Grouping("kind", "kind of claim", lambda item: item.example.kind),
    Grouping("language", "language", lambda item: item.example.language),
    Grouping("length", "length of the premise", _length, _LENGTHS),
    Grouping("facts", "number of facts", _facts, _FACTS),
)


def columns(scored: Sequence[ScoredExample], aggregate: Aggregate) -> Columns:
    """Return the items as arrays."""
    known = [None if it.example.label else it.example.contradiction for it in scored]
    return Columns(
        labels=np.array([it.example.label for it in scored], dtype=bool),
        supports=np.array([it.support(aggregate) for it in scored], dtype=float),
        found=np.array([it.words.found for it in scored], dtype=float),
        judged=np.array([value is not None for value in known], dtype=bool),
        contradicted=np.array([bool(value) for value in known], dtype=bool),
        contradictions=np.array([it.contradiction(aggregate) for it in scored], dtype=float),
    )


def support_overlap(items: Columns, threshold: float) -> OverlapBaseline:
    """Return what counting words gets at telling supported from unsupported."""
    return compare(items.labels, items.found, items.supports, near=threshold)


def contradiction_overlap(items: Columns) -> OverlapBaseline | None:
    """Return what it gets at telling contradicted from neutral; None without both."""
    labels = items.contradicted[items.judged]
    if labels.all() or not labels.any():
        return None
    return compare(
        labels, items.found[items.judged], items.contradictions[items.judged], near=_NEAR
    )


def groups_of(
    scored: Sequence[ScoredExample], aggregate: Aggregate, threshold: float
) -> list[Group]:
    """Return the groups of all ways, those that hold any item.

    Args:
        scored: The items of a file, or all.
        aggregate: How an item's score is made of its claims'.
        threshold: Least support of an item that passes.
    """
    rule = support_overlap(columns(scored, aggregate), threshold)
    return [
        _group(grouping.name, name, columns(members, aggregate), threshold, rule)
        for grouping in GROUPINGS
        for name, members in _members(grouping, scored)
    ]


def _members(
    grouping: Grouping, scored: Sequence[ScoredExample]
) -> Iterator[tuple[str, list[ScoredExample]]]:
    keys = [grouping.key(item) for item in scored]
    counts = Counter(key for key in keys if key)
    by_size = sorted(counts, key=lambda key: (-counts[key], key))
    for name in grouping.order or by_size:
        if counts[name]:
            yield name, [item for item, key in zip(scored, keys, strict=True) if key == name]


def _group(
    grouping: str, name: str, items: Columns, threshold: float, rule: OverlapBaseline
) -> Group:
    count, supported = len(items.labels), int(items.labels.sum())
    too_small = count < FEWEST_ITEMS
    both = min(supported, count - supported) >= FEWEST_OF_LABEL
    figures, intervals = ({}, {}) if too_small else _figures(items, threshold, both=both)
    told = None if too_small or both else rule.passes(items.found)
    return Group(
        grouping=grouping,
        name=name,
        items=count,
        supported=supported,
        too_small=too_small,
        figures=figures,
        intervals=intervals,
        words_accuracy=None if told is None else float((told == items.labels).mean()),
        overlap=support_overlap(items, threshold) if both and not too_small else None,
        contradiction_overlap=_group_contradiction(items),
    )


def _group_contradiction(items: Columns) -> OverlapBaseline | None:
    against = int(items.contradicted.sum())
    neutral = int(items.judged.sum()) - against
    if against + neutral < FEWEST_ITEMS or min(against, neutral) < FEWEST_OF_LABEL:
        return None
    return contradiction_overlap(items)


def _figures(
    items: Columns, threshold: float, *, both: bool
) -> tuple[dict[str, float | None], dict[str, Interval]]:
    """Return a group's figures and intervals; `both` when it has enough items of both labels."""
    labels, supports = items.labels, items.supports
    supported, unsupported = int(labels.sum()), int((~labels).sum())
    point = metrics.sweep_point(labels, supports, threshold)
    figures: dict[str, float | None] = {
        "auroc": metrics.auroc(labels, supports) if both else None,
        "balanced_accuracy": point.balanced_accuracy if both else None,
        "false_pass_rate": point.false_pass_rate if unsupported >= FEWEST_OF_LABEL else None,
        "false_strip_rate": point.false_strip_rate if supported >= FEWEST_OF_LABEL else None,
    }
    if not both:
        right = float(((supports >= threshold) == labels).mean())
        figures["accuracy"] = right
        return figures, {"accuracy": metrics.wilson_interval(right, len(labels))}
    intervals = {}
    draws = metrics.balanced_accuracy_draws(labels, supports, threshold, seed=0)
    if draws is not None:
        intervals["balanced_accuracy"] = metrics.interval_of_draws(draws)
    curve = metrics.auroc_interval(labels, supports)
    if curve is not None:
        intervals["auroc"] = curve
    return figures, intervals
