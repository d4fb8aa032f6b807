"""What a prompt asks for: which kinds of answer, in how many parts, and how long it may be.

Questions are recognised by their question words in English, Spanish, Italian, French, German,
Portuguese, Japanese, Chinese and Korean (`text/data/languages.json`). A prompt in another
language counts as asking for "a thing", which demands nothing but something new.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.text.languages import LanguageCues, find_language, language_cues
from toulmin.text.words import fold_text, scan_words

KINDS = ("person", "time", "place", "number", "reason", "manner", "thing")

_READ_CHARACTERS = 2_000
_ROOM = {"reason": 45, "manner": 45, "open": 130}
_FACTOID_ROOM = 22
_ROOM_OF_FURTHER_PART = 14
_BRIEF_ROOM = 14
_JAPANESE_TOPIC_ONLY = re.compile("は[?\uff1f]?$")
_QUESTION_MARK = re.compile("[?\uff1f\u061f]")
_WORD_LIMIT = re.compile(r"\b(\d{1,4}) (?:words|palabras|parole|mots|worte|worter|palavras)\b")
_PLAIN_WORD = re.compile(r"\w+")
_CLAUSE_MARKS = frozenset(".;:?!,\u3001\u3002\uff0c\uff1f")
_LEAD_WORDS = 3
_VERB_WORDS = 1


@dataclass(frozen=True, slots=True)
class Intent:
    """What the prompt wants.

    Attributes:
        language: Code of the language whose cues were used ("en", "ja", ...).
        kinds: One kind of answer for each part asked for, out of `KINDS`, "open" and "yes_no".
        parts: For a prompt of several parts ("who wrote and composed", "when ..., and where ..."),
            the folded words that only that part has; empty for a prompt of one part.
        pair: Two folded words that the prompt joins otherwise ("of Norway and Finland"); empty
            where there are none. They may be one thing or two.
        choice: Whether the prompt names what to choose from, so that the answer need not be new.
        room: How many words an answer may take before it is long.
        asking_words: Folded words that ask and are not what is asked about.
    """

    language: str
    kinds: tuple[str, ...]
    parts: tuple[frozenset[str], ...]
    pair: tuple[str, ...]
    choice: bool
    room: int
    asking_words: frozenset[str]


def read_intent(prompt: str) -> Intent:
    """Return what `prompt` asks for; prompts are read up to 2,000 characters."""
    language = find_language(prompt)
    cues = language_cues()[language]
    folded = fold_text(prompt[:_READ_CHARACTERS]).replace("'", " ").replace("\u2019", " ")
    asks = _asking_places(folded, cues)
    kinds = tuple(cues.kind_of[match.group()] for match in asks)
    if cues.open.search(folded):
        kinds = ("open",)
    elif not kinds or _starts_as_yes_no(folded, cues):
        asks = []
        kinds = (_kind_without_question_word(folded, cues),)
    parts = _parts(folded, asks, cues) if kinds != ("open",) else ()
    if len(parts) > len(kinds):
        kinds += (kinds[-1],) * (len(parts) - len(kinds))
    asking = frozenset(w for match in asks for w in _PLAIN_WORD.findall(match.group()))
    pair = () if parts or kinds[0] in {"open", "yes_no"} else _joined_pair(folded, cues)
    return Intent(
        language=language,
        kinds=kinds,
        parts=parts,
        pair=pair,
        choice=cues.choice.search(folded) is not None,
        room=_room(folded, kinds, cues),
        asking_words=asking,
    )


def _asking_places(folded: str, cues: LanguageCues) -> list[re.Match[str]]:
    """The question words that ask; "the man who ..." does not ask where another one does."""
    every = list(cues.asks.finditer(folded))
    if not cues.spaced:
        return every[:1] + [m for m in every[1:] if _opens_clause(folded, m.start(), cues)]
    asking = [
        match
        for match in every
        if len(_PLAIN_WORD.findall(folded[: match.start()])) < _LEAD_WORDS
        or _opens_clause(folded, match.start(), cues)
    ]
    return (
        asking[:1] + [m for m in asking[1:] if _opens_clause(folded, m.start(), cues)] or every[-1:]
    )


def _opens_clause(folded: str, start: int, cues: LanguageCues) -> bool:
    before = folded[:start].rstrip()
    if not before or before[-1] in _CLAUSE_MARKS:
        return bool(before)
    last = before.split()[-1]
    return bool(cues.joins.fullmatch(last)) if cues.spaced else False


def _kind_without_question_word(folded: str, cues: LanguageCues) -> str:
    if _starts_as_yes_no(folded, cues):
        return "yes_no"
    if cues.inverts or _JAPANESE_TOPIC_ONLY.search(folded):
        return "thing"
    return "yes_no" if _QUESTION_MARK.search(folded) or "ですか" in folded else "thing"


def _starts_as_yes_no(folded: str, cues: LanguageCues) -> bool:
    first = _PLAIN_WORD.search(folded)
    return first is not None and first.group() in cues.yes_no_starts


def _parts(
    folded: str, asks: Sequence[re.Match[str]], cues: LanguageCues
) -> tuple[frozenset[str], ...]:
    """What each part of a prompt of several parts has for itself; empty for one part."""
    if len(asks) > 1:
        starts = [m.start() for m in asks]
        clauses = [folded[a:b] for a, b in zip(starts, [*starts[1:], len(folded)], strict=True)]
        words = [set(_telling(clause, cues)) for clause in clauses]
        return tuple(
            frozenset(own.difference(*(w for w in words if w is not own)) or own) for own in words
        )
    if not asks or not cues.spaced:
        return ()
    lead = folded[asks[0].end() :]
    join = cues.joins.search(lead)
    if join is None or not 0 < len(_PLAIN_WORD.findall(lead[: join.start()])) <= _VERB_WORDS:
        return ()
    before, after = _telling(lead[: join.start()], cues), _telling(lead[join.end() :], cues)
    return (frozenset(before[-1:]), frozenset(after[:1])) if before and after else ()


def _joined_pair(folded: str, cues: LanguageCues) -> tuple[str, ...]:
    """The telling words on both sides of the first joining word."""
    join = cues.joins.search(folded)
    if join is None or not cues.spaced:
        return ()
    before, after = _telling(folded[: join.start()], cues), _telling(folded[join.end() :], cues)
    return (before[-1], after[0]) if before and after else ()


def _telling(folded: str, cues: LanguageCues) -> list[str]:
    """Content words in reading order, without question words."""
    plain = cues.asks.sub(" ", folded)
    return [w for w in scan_words(plain).words() if w not in cues.function_words and len(w) > 1]


def _room(folded: str, kinds: Sequence[str], cues: LanguageCues) -> int:
    stated = _WORD_LIMIT.search(folded)
    if stated:
        return max(5, int(stated.group(1)))
    if cues.brief.search(folded):
        return _BRIEF_ROOM
    return _ROOM.get(kinds[0], _FACTOID_ROOM) + _ROOM_OF_FURTHER_PART * (len(kinds) - 1)
