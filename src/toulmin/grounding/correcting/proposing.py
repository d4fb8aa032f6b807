"""What a claim could have been: a few proposals, the likeliest first; none of them is proven yet.

Three ways: what differs where a sentence of a fact says the same in the same words (`aligning.py`);
a number, date or name of the sentence for one of the claim that the sentence does not have; and
two numbers, dates or names of the claim exchanged. What the claim is about is never replaced, or
any claim could become one about something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from toulmin.domain import Fact, FactChunk
from toulmin.grounding.claims import leans
from toulmin.grounding.correcting.aligning import Sides, aligned
from toulmin.grounding.correcting.replacing import Proposal, Replacement, replaced
from toulmin.grounding.typed_words import (
    Kind,
    Mention,
    Word,
    mentions_of,
    words_of,
    written_small,
)
from toulmin.text.sentences import split_sentences

MAX_PROPOSALS = 8
"""Proposals for one claim; each costs what a claim costs."""
_SENTENCES = 3
_LEANT_ON = 3
"""Sentences before one that may say what it is about."""
_MOST_CHANGES = 4
_ALL_SUBSETS = 3
_MOST_WORDS = 120
"""Words of a claim, and of a sentence of a fact, that are laid side by side; no longer ones are."""
_EXCHANGES = 4
_MOST_TRIED = 60
"""Changes of one sentence that are looked at."""
_LEAST_SAME = 0.5
"""Share of the claim's other telling words that a sentence has in order, where it is aligned."""
_LEAST_SHARED = 0.3
"""The same in any order, for a sentence to be looked at."""
_MOST_CHANGED = 0.6
"""Share of the claim's telling words that may be replaced."""
_COUNTED = frozenset({Kind.NUMBER, Kind.ORDINAL, Kind.YEAR, Kind.MONTH, Kind.WEEKDAY})


def propose(claim: str, chunks: Sequence[FactChunk], facts: Sequence[Fact]) -> list[Proposal]:
    """Return up to eight changed claims, each with words of one sentence of a fact.

    Args:
        claim: The claim as it stands in the answer.
        chunks: What was read for it.
        facts: The facts.
    """
    lower = written_small([claim, *(chunk.text for chunk in chunks)])
    words = words_of(claim, lower=lower)
    found: dict[str, Proposal] = {}
    loose: dict[str, Proposal] = {}
    if len(words) > _MOST_WORDS:
        return []
    told = [_Told(sentence, before, lower) for sentence, before in _sentences(chunks, facts)]
    for sentence in _nearest(words, told):
        sides = Sides(claim, words, sentence.chunk, sentence.words, sentence.before)
        for proposal in _of_sentence(sides):
            (found if proposal.aligned else loose).setdefault(proposal.text, proposal)
    ordered = found | {text: item for text, item in loose.items() if text not in found}
    return list(ordered.values())[:MAX_PROPOSALS]


class _Told:
    """A sentence of a fact with its words, and the terms of what it leans on."""

    def __init__(self, chunk: FactChunk, before: str, lower: frozenset[str]) -> None:
        self.chunk = chunk
        self.words = words_of(chunk.text, lower=lower)
        self.terms = frozenset(word.term for word in self.words)
        context = before if leans(chunk.text) else ""
        self.before = frozenset(word.term for word in words_of(context) if word.telling)

    def share(self, telling: frozenset[str]) -> float:
        """Return the share of these terms that it has; those that it leans on count half."""
        leant_on = len(telling & (self.before - self.terms))
        return (len(telling & self.terms) + leant_on / 2) / max(len(telling), 1)


def _sentences(
    chunks: Sequence[FactChunk], facts: Sequence[Fact]
) -> Iterator[tuple[FactChunk, str]]:
    """Yield the sentences of the chunks, each once, with what stands before them in the chunk."""
    seen: set[tuple[int, int]] = set()
    for chunk in chunks:
        whole = facts[chunk.fact_index].text
        ranges = split_sentences(chunk.text)
        for place, (start, end) in enumerate(ranges):
            first, last = chunk.start + start, chunk.start + end
            if (chunk.fact_index, first) in seen:
                continue
            seen.add((chunk.fact_index, first))
            context = chunk.text[ranges[max(0, place - _LEANT_ON)][0] : start]
            yield FactChunk(chunk.fact_index, first, last, whole[first:last]), context


def _nearest(words: Sequence[Word], told: Sequence[_Told]) -> list[_Told]:
    """Return the sentences that have most of the claim's telling words."""
    telling = frozenset(word.term for word in words if word.telling)
    near = [
        sentence
        for sentence in told
        if len(sentence.words) <= _MOST_WORDS and sentence.share(telling) >= _LEAST_SHARED
    ]
    return sorted(near, key=lambda sentence: -sentence.share(telling))[:_SENTENCES]


def _of_sentence(sides: Sides) -> Iterator[Proposal]:
    changes, same = aligned(sides)
    if same >= _LEAST_SAME and len(changes) <= _MOST_CHANGES:
        for chosen in _subsets(changes):
            yield from _proposal(sides, chosen, is_aligned=True)
    for pair in islice(_exchanges(sides), _EXCHANGES):
        yield from _proposal(sides, pair, is_aligned=False)
    for change in islice(_others(sides), _MOST_TRIED):
        yield from _proposal(sides, (change,), is_aligned=False)


def _subsets(changes: Sequence[Replacement]) -> Iterator[tuple[Replacement, ...]]:
    yield from ((change,) for change in changes)
    if len(changes) > 1:
        yield tuple(changes)
    if len(changes) == _ALL_SUBSETS:
        yield from combinations(changes, 2)


def _others(sides: Sides) -> Iterator[Replacement]:
    """Yield a mention of the sentence for one of the claim that the sentence lacks."""
    mine = list(mentions_of(sides.claim, sides.words))
    its = list(mentions_of(sides.sentence.text, sides.fact_words))
    said = {term for mention in mine for term in mention.terms}
    told = {term for mention in its for term in mention.terms}
    for one in mine:
        if told.issuperset(one.terms):
            continue
        for other in its:
            if other.kind is one.kind and not said.issuperset(other.terms):
                if one.kind is Kind.NUMBER and not _same_unit(sides, one, other):
                    continue
                yield sides.replacement((one.first, one.last), (other.first, other.last))


def _same_unit(sides: Sides, one: Mention, other: Mention) -> bool:
    """Return whether two numbers count the same, or the sentence does not say what the claim's."""
    mine, its = _unit(sides.words, one), _unit(sides.fact_words, other)
    return mine == its or mine not in {word.term for word in sides.fact_words}


def _unit(words: Sequence[Word], mention: Mention) -> str:
    return words[mention.last].term if mention.last < len(words) else ""


def _exchanges(sides: Sides) -> Iterator[tuple[Replacement, Replacement]]:
    """Yield two mentions of the claim, each in the place of the other; the sentence has both."""
    mine = list(mentions_of(sides.claim, sides.words))
    its = list(mentions_of(sides.sentence.text, sides.fact_words))
    for one, other in combinations(mine, 2):
        if one.kind is not other.kind or one.terms == other.terms:
            continue
        there = [_place(mention, its) for mention in (one, other)]
        if there[0] and there[1]:
            yield (
                sides.replacement((one.first, one.last), (there[1].first, there[1].last)),
                sides.replacement((other.first, other.last), (there[0].first, there[0].last)),
            )


def _place(mention: Mention, others: Sequence[Mention]) -> Mention | None:
    return next((other for other in others if other.terms == mention.terms), None)


def _proposal(
    sides: Sides, changes: tuple[Replacement, ...], *, is_aligned: bool
) -> Iterator[Proposal]:
    changes = tuple(sorted(changes))
    text = replaced(sides.claim, changes)
    if (
        text != sides.claim
        and _is_small(sides, changes)
        and _keeps_subject(sides, changes, text)
        and not _says_twice(sides, text)
    ):
        yield Proposal(text, changes, is_aligned, sides.sentence)


def _is_small(sides: Sides, changes: Sequence[Replacement]) -> bool:
    telling = [word for word in sides.words if word.telling]
    gone = sum(
        any(change.start <= word.start < change.end for change in changes) for word in telling
    )
    return gone <= _MOST_CHANGED * len(telling)


def _says_twice(sides: Sides, text: str) -> bool:
    """Return whether a number, date or name came to stand twice that neither text has twice."""
    before, told = _counts(sides.claim, sides.words), _counts(sides.sentence.text, sides.fact_words)
    now = _counts(text, words_of(text))
    return any(
        count > 1 and count > max(before[terms], told[terms]) for terms, count in now.items()
    )


def _counts(text: str, words: list[Word]) -> Counter[tuple[str, ...]]:
    return Counter(mention.terms for mention in mentions_of(text, words))


def _keeps_subject(sides: Sides, changes: Sequence[Replacement], text: str) -> bool:
    """Return whether what the claim begins with stays, or only changes its place."""
    first = next((place for place, word in enumerate(sides.words) if word.telling), None)
    if first is None:
        return False
    word = sides.words[first]
    if word.kind in _COUNTED | {Kind.NEGATION}:
        return True
    last = next(
        (m.last for m in mentions_of(sides.claim, sides.words) if m.first <= first < m.last),
        first + 1,
    )
    start, end = word.start, sides.words[last - 1].end
    if all(change.end <= start or change.start >= end for change in changes):
        return True
    kept = {word.term for word in words_of(text)}
    return all(word.term in kept for word in sides.words[first:last])
