"""A claim that stands in a fact word for word is borne out by it, whatever a model makes of it.

In: claims, facts and the scores of their evidence. Out: the same scores, with one more for each
claim that is a whole sentence (or line) of a fact, up to white space, case, quotes, a list's mark
and the last stop, unless something beside that sentence may take it back: it is asked or quoted
there, or a neighbour denies, corrects or supposes it, or the model finds it contradicted by that
fact.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files

from toulmin.domain import Claim, Fact, FactChunk
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.support import PairScore
from toulmin.text.sentences import split_sentences

SUPPORT = 0.97
"""What a sentence is worth that stands in the fact; the rest is for what was not foreseen."""
_MOST_CONTRADICTION = 0.6
_SHORTEST = 12
_QUOTES = "\"'\u2018\u2019\u201c\u201d\u00ab\u00bb\u300c\u300d\u300e\u300f`*_"
_DATA = tomllib.loads(
    files("toulmin.grounding").joinpath("data/taken_back.toml").read_text(encoding="utf-8")
)
_WORDS = frozenset(str(_DATA["words"]).split())
_PHRASES = tuple(str(phrase) for phrase in _DATA["phrases"])
_WORD = re.compile(r"[^\W\d_]+")
_MARKER = re.compile(r"(?:[-*+\u2022\u25aa\u2013]|\(?\d{1,3}[.)])\s+")
_OPENING = {"\u201c": "\u201d", "\u00ab": "\u00bb", "\u300c": "\u300d", "\u300e": "\u300f"}
_PLAIN = str.maketrans(dict.fromkeys(_QUOTES))
_BEFORE, _AFTER = 1, 2


def add_verbatim(
    claims: Sequence[Claim], facts: Sequence[Fact], scores: Sequence[Sequence[PairScore]]
) -> list[list[PairScore]]:
    """Return `scores` with one of .97 for each claim that a fact states word for word."""
    stated = _Stated(facts)
    found = []
    for claim, pairs in zip(claims, scores, strict=True):
        places = stated.places(claim)
        chunk = next((c for c in places if not _is_contradicted(c, pairs)), None)
        found.append([*pairs, *([_borne_out(chunk)] if chunk else [])])
    return found


def quoted(claims: Sequence[Claim], facts: Sequence[Fact]) -> list[PairScore | None]:
    """Return the score of each claim that a fact states word for word, without a model; else None.

    For claims that were taken from the facts: a model might find one contradicted by another
    sentence of its fact, which nobody looks for then.
    """
    stated = _Stated(facts)
    first = (next(stated.places(claim), None) for claim in claims)
    return [_borne_out(chunk) if chunk else None for chunk in first]


def _borne_out(chunk: FactChunk) -> PairScore:
    return PairScore(Evidence((chunk,)), SUPPORT, 0.0, 1.0, None)


class _Stated:
    """What facts state word for word."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._facts = facts
        self._plain = [_plain(fact.text) for fact in facts]
        self._everything = "\n".join(self._plain)

    def places(self, claim: Claim) -> Iterator[FactChunk]:
        """Yield the sentences of facts that state a claim and stand by it."""
        marker = _MARKER.match(claim.text)
        wanted = _plain(claim.text[marker.end() :] if marker else claim.text)
        if claim.needs_check and len(wanted) >= _SHORTEST and wanted in self._everything:
            yield from _places(wanted, self._facts, self._plain)


def _places(wanted: str, facts: Sequence[Fact], plain_facts: Sequence[str]) -> Iterator[FactChunk]:
    """Yield the sentences of facts that say it and stand by it."""
    for index, fact in enumerate(facts):
        if wanted not in plain_facts[index]:
            continue
        sentences = split_sentences(fact.text)
        for number, (start, end) in enumerate(sentences):
            marker = _MARKER.match(fact.text[start:end])
            if marker:
                start += marker.end()
            if _plain(fact.text[start:end]) != wanted:
                continue
            near = sentences[max(0, number - _BEFORE) : number + _AFTER + 1]
            if not _is_taken_back(fact.text, (start, end), near):
                yield FactChunk(index, start, end, fact.text[start:end])


def _is_taken_back(text: str, span: tuple[int, int], near: Sequence[tuple[int, int]]) -> bool:
    start, end = span
    if text[start:end].rstrip(_QUOTES + ") ").endswith(("?", "\uff1f")):
        return True
    before = text[:start]
    opened = before.count('"') % 2 == 1 or text[start] == '"'
    if opened or any(
        before.count(opening) > before.count(closing) or text[start] == opening
        for opening, closing in _OPENING.items()
    ):
        return True
    for low, high in near:
        if (low, high) == span or low <= start < high:
            continue
        told = text[low:high].casefold()
        if not _WORDS.isdisjoint(_WORD.findall(told)) or any(p in told for p in _PHRASES):
            return True
    return False


def _is_contradicted(chunk: FactChunk, pairs: Sequence[PairScore]) -> bool:
    """Return whether the model read this place and found the claim contradicted there."""
    return any(
        pair.contradiction >= _MOST_CONTRADICTION
        and any(
            read.fact_index == chunk.fact_index
            and read.start < chunk.end
            and read.end > chunk.start
            for read in pair.evidence.chunks
        )
        for pair in pairs
    )


def _plain(text: str) -> str:
    """Return `text` for comparing: case, quotes, runs of white space and the last stop gone."""
    return " ".join(text.translate(_PLAIN).casefold().split()).rstrip(".\u3002! ")
