"""A claim that stands in a fact word for word is borne out by it, whatever a model makes of it.

In: claims, facts and the scores of their evidence. Out: the same scores, with one more for each
claim that is a whole sentence (or line) of a fact, up to white space, case, quotes and the last
stop, unless something beside that sentence may take it back: it is asked or quoted there, or a
neighbour denies, corrects or supposes it, or the model finds it contradicted by that fact.
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
    plain_facts = [_plain(fact.text) for fact in facts]
    everything = "\n".join(plain_facts)
    found = []
    for claim, pairs in zip(claims, scores, strict=True):
        chunk = None
        wanted = _plain(claim.text)
        if claim.needs_check and len(wanted) >= _SHORTEST and wanted in everything:
            places = _places(wanted, facts, plain_facts)
            chunk = next((c for c in places if not _is_contradicted(c, pairs)), None)
        extra = [PairScore(Evidence((chunk,)), SUPPORT, 0.0, 1.0, None)] if chunk else []
        found.append([*pairs, *extra])
    return found


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
