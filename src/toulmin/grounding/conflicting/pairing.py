"""Sentences of two facts that say the same of the same thing, but for one value.

What both say has to be the same in nearly every telling word, in any order; in one value they
disagree, and every other figure, date and name is the same. "In 2019 sales were 5 million" and
"In 2020 sales were 6 million" are two statements, not two sides of one. Nor are the lines of a
list: where one fact says the same with two values, or all facts with more than three, each line
speaks of something else.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from toulmin.grounding.conflicting.sayings import Key, Saying
from toulmin.grounding.conflicting.values import Value, ValueKind, disagree, words_listed
from toulmin.grounding.terms import NEGATIONS, to_term
from toulmin.grounding.typed_words import OPPOSITES

MOST_OTHER_WORDS = 2
"""Telling words that each side may have beside those of the other, and beside its value."""
_LEAST_SHARED = 2
_LEAST_SHARE = 0.5
_MOST_VALUES = 3
MAX_PAIRS = 2_000
"""Pairs that disagree, in all; no more are looked for."""
MAX_COMPARED = 100_000
"""Sentences that are laid beside one another, two at a time: many that are nearly the same would
cost the square of their number."""
_SINGLE = frozenset(map(to_term, words_listed("single")))
_TURNING = frozenset(map(to_term, NEGATIONS)) | OPPOSITES


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences and the values in which they disagree.

    Attributes:
        one: The first.
        other: The second.
        mine: What only the first says.
        its: What only the second says.
        shared: What both say.
    """

    one: Saying
    other: Saying
    mine: Value
    its: Value
    shared: frozenset[Key]

    @property
    def is_of_one_fact(self) -> bool:
        """Whether a fact says both."""
        return self.one.sentence.fact_index == self.other.sentence.fact_index


def pairs_of(sayings: Sequence[Saying]) -> list[Pair]:
    """Return the pairs of sentences of different facts that disagree in one value, in order."""
    found = list(islice(_all_pairs(sayings), MAX_PAIRS))
    values: dict[frozenset[Key], set[Key]] = defaultdict(set)
    for pair in found:
        values[pair.shared] |= {pair.mine.key, pair.its.key}
    listed = {pair.shared for pair in found if pair.is_of_one_fact}
    listed |= {shared for shared, said in values.items() if len(said) > _MOST_VALUES}
    return [pair for pair in found if pair.shared not in listed]


def _all_pairs(sayings: Sequence[Saying]) -> Iterator[Pair]:
    keys = [saying.keys for saying in sayings]
    spread = Counter(key for found in keys for key in found)
    near: dict[Key, list[int]] = defaultdict(list)
    compared = 0
    for place, found in enumerate(keys):
        # Two sentences that differ in so few keys share one of the rarest of each.
        rarest = sorted(found, key=lambda key: (spread[key], repr(key)))[: MOST_OTHER_WORDS + 2]
        others = {at for key in rarest for at in near[key]}
        compared += len(others)
        if compared > MAX_COMPARED:
            return
        for at in sorted(others):
            pair = _paired(sayings[at], sayings[place], keys[at], found)
            if pair is not None:
                yield pair
        for key in rarest:
            near[key].append(place)


def _paired(one: Saying, other: Saying, mine: frozenset[Key], its: frozenset[Key]) -> Pair | None:
    shared = mine & its
    left = [one.values[key] for key in mine - its if key in one.values]
    right = [other.values[key] for key in its - mine if key in other.values]
    if len(left) != 1 or len(right) != 1 or not disagree(left[0], right[0]):
        return None
    if not _is_about_the_same(one, other, shared):
        return None
    words = (one.plain - other.plain, other.plain - one.plain)
    if any(len(side) > MOST_OTHER_WORDS or side & _TURNING for side in words):
        return None
    if len(shared) < max(_LEAST_SHARED, _LEAST_SHARE * max(len(mine), len(its))):
        return None
    if left[0].kind is ValueKind.NAME and not (
        _is_named(shared) and one.plain & other.plain & _SINGLE
    ):
        return None
    return Pair(one, other, left[0], right[0], shared)


def _is_about_the_same(one: Saying, other: Saying, shared: frozenset[Key]) -> bool:
    """Return whether a name tells that both speak of one thing, or nothing tells otherwise."""
    if _is_named(shared):
        return True
    return one.title == other.title and one.context == other.context


def _is_named(shared: frozenset[Key]) -> bool:
    return any(key[0] is ValueKind.NAME for key in shared)
