"""The sentences of facts, each with what it is about, what it says of it, and in which values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toulmin.domain import Claim, Fact, FactChunk
from toulmin.grounding.claims import split_claims
from toulmin.grounding.conflicting.values import Value, ValueKind, parts_of, words_listed
from toulmin.grounding.subjects import resolve_subject
from toulmin.grounding.typed_words import Kind, Word, words_of, written_small
from toulmin.text.scripts import is_cjk
from toulmin.work import Work

Key = tuple[object, ...]

MAX_SENTENCES = 1_000
"""Sentences of all facts that are compared; those behind them are not."""
_MOST_WORDS = 60
_FEWEST_TELLING = 3
_FEWEST_WORDS = 4
_LEANT_ON = 3
"""Sentences before one that it is read with, where it leans on them."""
_LABEL = re.compile(r"[^:\uff1a]{1,60}[:\uff1a]\s")
_ENDS = re.compile(r"[.!\u3002\uff0e\uff01]['\"\u2019\u201d)\]\u300d]*$")
_INDEFINITE = words_listed("indefinite")
_SPEAKERS = words_listed("speakers")


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence of a fact.

    Attributes:
        sentence: It, and where it stands in its fact.
        text: How it is read: with what "it" means at its start, where that is plain.
        context: What it leans on.
        values: Its figures, dates and names by what is compared; places are characters of `text`.
        plain: Its other telling words.
        title: Title of its fact; empty: none.
        shift: Characters that `text` has more than the sentence, at its start.
        read: The sentence with those before it that it leans on.
    """

    sentence: FactChunk
    text: str
    context: str
    values: dict[Key, Value]
    plain: frozenset[str]
    title: str
    shift: int
    read: FactChunk

    @property
    def keys(self) -> frozenset[Key]:
        """All that it says, to be compared."""
        return frozenset(self.values) | {("word", term) for term in self.plain}

    @property
    def names(self) -> frozenset[str]:
        """The terms of its names."""
        return frozenset(
            term
            for value in self.values.values()
            if value.kind is ValueKind.NAME and isinstance(value.said, tuple)
            for term in value.said
        )

    def place_of(self, value: Value) -> tuple[int, int] | None:
        """Return where a value stands in the fact; None: in the subject that was put in."""
        at = self.sentence.start - self.shift
        if value.start < max(self.shift, 0) and self.text != self.sentence.text:
            return None
        return at + value.start, at + value.end


def sayings_of(facts: Sequence[Fact], *, work: Work) -> list[Saying]:
    """Return the sentences of facts that say something in a value, of things that can be told.

    Raises:
        Cancelled: Nobody waits any more.
    """
    lower = written_small([fact.text for fact in facts])
    found: list[Saying] = []
    read = 0
    for index, fact in enumerate(facts):
        work.check()
        if read >= MAX_SENTENCES:
            break
        claims = split_claims(fact.text)[: MAX_SENTENCES - read]
        read += len(claims)
        found += _of_fact(index, fact, claims, lower)
    return found


def _of_fact(
    index: int, fact: Fact, claims: Sequence[Claim], lower: frozenset[str]
) -> Iterator[Saying]:
    for place, claim in enumerate(claims):
        if not claim.needs_check or not _states(claim.text):
            continue
        resolved = resolve_subject(claim.text, claim.context)
        text = resolved.text if resolved else claim.text
        shift = len(text) - len(claim.text)
        words = words_of(text, lower=lower)
        if len(words) > _MOST_WORDS or _is_anybody(words):
            continue
        chunk = FactChunk(index, claim.start, claim.end, claim.text)
        values, plain = _told(text, words)
        if values and len(values) + len(plain) >= _FEWEST_TELLING:
            title = fact.attributes.get("title", "")
            start = claims[max(0, place - _LEANT_ON)].start if claim.context else claim.start
            read = FactChunk(index, start, claim.end, fact.text[start : claim.end])
            context = "" if resolved else claim.context
            yield Saying(chunk, text, context, values, plain, title, shift, read)


def _states(text: str) -> bool:
    """Return whether a text is a whole sentence: no label with a value, heading, item or row."""
    label = _LABEL.match(text)
    words = text[label.end() :] if label else text
    is_long = len(words.split()) >= _FEWEST_WORDS or any(map(is_cjk, words))
    return is_long and "|" not in text and bool(_ENDS.search(text))


def _told(text: str, words: list[Word]) -> tuple[dict[Key, Value], frozenset[str]]:
    values: dict[Key, Value] = {}
    plain: set[str] = set()
    for part in parts_of(text, words):
        if part.value is not None:
            values.setdefault(part.value.key, part.value)
        else:
            plain |= {word.term for word in words[part.first : part.last] if word.telling}
    return values, frozenset(plain)


def _is_anybody(words: Sequence[Word]) -> bool:
    """Return whether a sentence speaks of any thing of a sort, or of its speaker."""
    if any(word.term in _SPEAKERS for word in words):
        return True
    if not words:
        return False
    return words[0].term in _INDEFINITE or words[0].kind in {Kind.NUMBER, Kind.ORDINAL}
