"""A claim and a sentence of a fact that say nearly the same: what differs, in its place.

Both are compared word by word. What stands between the same words on both sides is a difference;
a small one of the same kind (a number for a number, a name for a name, "not" or none) can be taken
over from the fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from toulmin.domain import FactChunk
from toulmin.grounding.correcting.replacing import Replacement
from toulmin.grounding.typed_words import (
    AUXILIARIES,
    OPPOSITES,
    Kind,
    Mention,
    Word,
    mentions_of,
)
from toulmin.text.scripts import is_cjk

_LONGEST = 4
"""Words of a difference that is taken over as a whole."""
_LONGEST_PLAIN = 2
"""The same where none of them is a number, a date or a name."""
_LONGEST_UNSPACED = 6
"""The same of Chinese and Japanese, where a word is a character; a word of Katakana is one, too."""
_PROPER = frozenset({Kind.NAME, Kind.MONTH, Kind.WEEKDAY})


@dataclass(frozen=True, slots=True)
class Sides:
    """A claim beside a sentence of a fact.

    Attributes:
        claim: The claim.
        words: Its words.
        sentence: The sentence, and where it stands.
        fact_words: Its words.
        before: Terms of what the sentence leans on: "It was designed by ..." does not name it.
    """

    claim: str
    words: list[Word]
    sentence: FactChunk
    fact_words: list[Word]
    before: frozenset[str] = frozenset()

    def replacement(self, claim: tuple[int, int], fact: tuple[int, int]) -> Replacement:
        """Return the change of words of the claim to words of the fact; ranges of places.

        Either range may be empty, not both; words are put in before the place of an empty one.
        """
        start, end = _range(self.claim, self.words, claim)
        fact_start, fact_end = _range(self.sentence.text, self.fact_words, fact)
        text = self._as_in_the_claim(claim[0], fact, self.sentence.text[fact_start:fact_end])
        if claim[0] == claim[1]:
            text += " "
        elif not text:  # the blank behind it goes, too
            end += self.claim[end : end + 1] == " "
        at = self.sentence.start
        return Replacement(
            start, end, text, self.sentence.fact_index, at + fact_start, at + fact_end
        )

    def is_unspaced(self, places: tuple[int, int]) -> bool:
        """Return whether these words of the claim are all Chinese or Japanese."""
        return all(is_cjk(self.claim[word.start]) for word in self.words[slice(*places)])

    def _as_in_the_claim(self, place: int, fact: tuple[int, int], text: str) -> str:
        """Return words of the fact with the capital or small letter of their new place."""
        if not text:
            return text
        if place == 0:
            return text[0].upper() + text[1:]
        if fact[0] == 0 and self.fact_words[0].kind not in _PROPER and text[1:2].islower():
            return text[0].lower() + text[1:]
        return text


def aligned(sides: Sides) -> tuple[list[Replacement], float]:
    """Return the differences that can be taken over, and the share of the claim that is the same.

    The share is of the telling words outside of these differences, in [0, 1].
    """
    words, fact_words = sides.words, sides.fact_words
    matcher = SequenceMatcher(
        None, [w.term for w in words], [w.term for w in fact_words], autojunk=False
    )
    changes: list[Replacement] = []
    changed: set[int] = set()
    same: set[int] = set()
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            same.update(range(i1, i2))
            continue
        for claim, fact in _taken_over(sides, (i1, i2), (j1, j2)):
            changes.append(sides.replacement(claim, fact))
            changed.update(range(*claim))
    rest = [i for i, word in enumerate(words) if word.telling and i not in changed]
    held = sum(i in same or words[i].term in sides.before for i in rest)
    return changes, held / len(rest) if rest else 0.0


def _taken_over(
    sides: Sides, claim: tuple[int, int], fact: tuple[int, int]
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    said, told = sides.words[slice(*claim)], sides.fact_words[slice(*fact)]
    if _is_negation(said, told):
        yield _with_inflection(sides, claim, fact)
        return
    if not said or not told:
        return
    if _are_opposites(said, told) or _are_alike(said, told, sides.is_unspaced(claim)):
        yield claim, fact
        return
    for one in _mentions(sides.claim, sides.words, claim):
        others = [
            other
            for other in _mentions(sides.sentence.text, sides.fact_words, fact)
            if other.kind is one.kind
        ]
        if len(others) == 1:
            yield (one.first, one.last), (others[0].first, others[0].last)


def _are_opposites(said: Sequence[Word], told: Sequence[Word]) -> bool:
    """Return whether both are a word of grammar that turns a statement round: "less", "more"."""
    return len(said) == len(told) == 1 and {said[0].term, told[0].term} <= OPPOSITES


def _are_alike(said: Sequence[Word], told: Sequence[Word], unspaced: bool) -> bool:  # noqa: FBT001
    """Return whether one may stand for the other: as short, and of the same kinds."""
    kinds = [_kinds(said), _kinds(told)]
    if kinds[0] != kinds[1] or Kind.NEGATION in kinds[0]:
        return False
    longest = _LONGEST if kinds[0] else _LONGEST_PLAIN
    longest = _LONGEST_UNSPACED if unspaced else longest
    return (
        max(len(said), len(told)) <= longest
        and any(word.telling for word in said)
        and any(word.telling for word in told)
    )


def _kinds(words: Sequence[Word]) -> list[Kind]:
    return sorted({word.kind for word in words} - {Kind.OTHER})


def _is_negation(said: Sequence[Word], told: Sequence[Word]) -> bool:
    """Return whether one side negates, the other does not, and nothing else differs."""
    both = [*said, *told]
    negated = [any(word.kind is Kind.NEGATION for word in side) for side in (said, told)]
    return (
        negated[0] != negated[1]
        and len(both) <= _LONGEST
        and all(word.kind is Kind.NEGATION or word.term in AUXILIARIES for word in both)
    )


def _with_inflection(
    sides: Sides, claim: tuple[int, int], fact: tuple[int, int]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the ranges with the word behind them, where it is written differently: "allows"."""
    (first, last), (other_first, other_last) = claim, fact
    if last < len(sides.words) and other_last < len(sides.fact_words):
        mine, its = sides.words[last], sides.fact_words[other_last]
        spelt = sides.claim[mine.start : mine.end], sides.sentence.text[its.start : its.end]
        if mine.term == its.term and spelt[0] != spelt[1]:
            return (first, last + 1), (other_first, other_last + 1)
    return claim, fact


def _mentions(text: str, words: list[Word], within: tuple[int, int]) -> list[Mention]:
    return [
        mention
        for mention in mentions_of(text, words)
        if within[0] <= mention.first and mention.last <= within[1]
    ]


def _range(text: str, words: Sequence[Word], places: tuple[int, int]) -> tuple[int, int]:
    first, last = places
    if first == last:
        at = words[first].start if first < len(words) else len(text)
        return at, at
    return words[first].start, words[last - 1].end
