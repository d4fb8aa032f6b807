"""The steps: sentences of facts, pairs that disagree in a value, those that the check bears out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from toulmin.domain import Claim, Fact, FactChunk
from toulmin.grounding.conflicting.pairing import Pair, pairs_of
from toulmin.grounding.conflicting.sayings import Saying, sayings_of
from toulmin.grounding.conflicting.values import Value, ValueKind, disagree, parts_of
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.support import PairScore
from toulmin.grounding.typed_words import words_of
from toulmin.work import Work

Score = Callable[[Sequence[Claim], Sequence[Sequence[Evidence]]], list[list[PairScore]]]
"""Says how well evidence bears out or contradicts claims."""

MAX_PAIRS = 64
"""Pairs that the check is asked about; those behind them are not reported."""
LEAST_CONTRADICTION = 0.7
"""Least contradiction of each side by the other."""
LEAST_EITHER = 0.1
"""The same of the side of which the other says less, where both are borne out once changed."""
LEAST_SUPPORT = 0.8
"""Least support of a side by the other once it has the other's value."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one of two facts says.

    Attributes:
        sentence: The sentence, verbatim, and where it stands in its fact.
        start: First character of the differing words in the fact.
        end: One past the last.
        text: These words.
    """

    sentence: FactChunk
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two facts that cannot both be right.

    Attributes:
        kind: What differs: "figure", "date", "weekday" or "name".
        one: What the fact of the lower index says.
        other: What the other fact says.
    """

    kind: ValueKind
    one: Side
    other: Side


def find_conflicts(facts: Sequence[Fact], *, score: Score, work: Work) -> tuple[Conflict, ...]:
    """Return the conflicts between facts, in the order of the second of each two.

    Args:
        facts: The facts.
        score: Scores claims against evidence from these facts.
        work: Asked before each fact is read.

    Raises:
        Cancelled: Nobody waits any more.
    """
    sayings = sayings_of(facts, work=work)
    placed = [
        (pair, sides)
        for pair in pairs_of(sayings)[:MAX_PAIRS]
        if (sides := _sides(pair, facts)) is not None
    ]
    proven = _proven([pair for pair, _ in placed], score)
    return tuple(
        Conflict(pair.mine.kind, *sides)
        for (pair, sides), holds in zip(placed, proven, strict=True)
        if holds
    )


def rests_on(claim: str, cited: Sequence[FactChunk], conflict: Conflict) -> bool:
    """Return whether a claim says what one side of a conflict says, and cites it for that.

    Args:
        claim: The claim.
        cited: What it cites.
        conflict: The conflict.
    """
    said = _values(claim)
    return any(
        chunk.fact_index == side.sentence.fact_index
        and chunk.start <= side.start
        and side.end <= chunk.end
        and any(_say_the_same(value, other) for value in _values(side.text) for other in said)
        for side in (conflict.one, conflict.other)
        for chunk in cited
    )


def _values(text: str) -> list[Value]:
    return [part.value for part in parts_of(text, words_of(text)) if part.value is not None]


def _say_the_same(one: Value, other: Value) -> bool:
    return (one.kind, one.unit) == (other.kind, other.unit) and not disagree(
        replace(one, bounds=frozenset()), replace(other, bounds=frozenset())
    )


def _sides(pair: Pair, facts: Sequence[Fact]) -> tuple[Side, Side] | None:
    one, other = (
        _side(saying, value, facts)
        for saying, value in ((pair.one, pair.mine), (pair.other, pair.its))
    )
    return (one, other) if one is not None and other is not None else None


def _side(saying: Saying, value: Value, facts: Sequence[Fact]) -> Side | None:
    place = saying.place_of(value)
    if place is None:
        return None
    whole = facts[saying.sentence.fact_index].text
    return Side(saying.sentence, *place, whole[slice(*place)])


def _proven(pairs: Sequence[Pair], score: Score) -> list[bool]:
    """Return of each pair whether the check takes the two for sides of one thing."""
    if not pairs:
        return []
    asked = [item for pair in pairs for item in _asked(pair)]
    scores = iter(score([claim for claim, _ in asked], [[evidence] for _, evidence in asked]))
    return [_holds(*(next(scores)[0] for _ in range(4))) for _ in pairs]


def _holds(one: PairScore, other: PairScore, changed: PairScore, back: PairScore) -> bool:
    """Return whether two sentences are at odds, and but for the value say the same.

    Of "opened on 4 May 1998" a text that only says "opened in 1975" leaves the day open, and the
    check is in two minds; then either sentence has to be borne out with the other's value.
    """
    less, more = sorted((one.contradiction, other.contradiction))
    if more < LEAST_CONTRADICTION or changed.support < LEAST_SUPPORT:
        return False
    return less >= LEAST_CONTRADICTION or (less >= LEAST_EITHER and back.support >= LEAST_SUPPORT)


def _asked(pair: Pair) -> Iterator[tuple[Claim, Evidence]]:
    """Yield either side over the other, and then each with the other's value in its place."""
    sides = (
        (pair.one, pair.mine, pair.other, pair.its),
        (pair.other, pair.its, pair.one, pair.mine),
    )
    for saying, _, over, _ in sides:
        yield _claim(saying, saying.text), Evidence((over.read,))
    for saying, mine, over, its in sides:
        text = saying.text
        changed = f"{text[: mine.start]}{over.text[its.start : its.end]}{text[mine.end :]}"
        yield _claim(saying, changed), Evidence((over.read,))


def _claim(saying: Saying, text: str) -> Claim:
    return Claim(text, saying.sentence.start, saying.sentence.end, context=saying.context)
