"""Product 300 or product 500: which parts of passages are about another thing than is asked about.

"Kestrel 300", "version 2" and "March 2025" are names with a number. Where a question has one, what
the passages say of another with the same name ("Kestrel 500") is no answer to it, however alike the
words are. Whose a sentence is, the nearest line says that has such a name: the sentence itself,
those before it, the headings above it, the title of the document.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from toulmin.answering.compose.language import shared_words
from toulmin.answering.compose.sentences import Piece, pieces_of
from toulmin.answering.passages import Passage
from toulmin.grounding.prompt_intent import read_intent
from toulmin.retrieval.coverage import QueryWords
from toulmin.text.languages import find_language
from toulmin.text.words import fold_text

_NAMED = re.compile(
    r"(?<![^\W_])(?P<name>[^\W\d_][^\W_]*?)[ \u00a0-]?"
    r"(?P<number>(?:(?<=[ \u00a0-])v)?\d[\d.,/]*(?:[^\W_]*))"
    r"(?P<more>(?:(?:,| and| or| vs\.?| und| oder| y| e| et| ou| &)* (?:the )?\d[\d.]*(?![\w%]))*)",
    re.IGNORECASE,
)
_CAPITALS = re.compile(r"(?<=[\w,] )(?!I\b)[^\W\d_a-z][\w-]+")
_CALENDAR = shared_words("months") | shared_words("days")
_TOLD_BY = 400
"""Characters of a passage that its language is told by."""
_STEM = 5
"""Letters of a name that tell it ("German" for "Germany")."""
_NUMBER = re.compile(r"\d[\d.]*")
_YEAR = 4
"""Digits of a number that makes a date of a month's name. A day does not: "March 14, 2025"."""
_DATE = "a date"

Names = Mapping[str, Collection[str]]
"""A name in lower case -> the numbers behind it; all months with their years under one name."""


def only_about(query: str, passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages at their places, with blanks for what is about another thing.

    Offsets stay what they are. A question without such a name, and one whose name stands with no
    other number either, leaves all as it is. Where the passages know of others by that name, and
    not of the one asked about, nothing is left.

    Args:
        query: The question.
        passages: What may be read.
    """
    asked = named(query, anyhow=True)
    if not asked:
        return list(passages)
    if _is_unknown(asked, passages):
        return [replace(passage, text="") for passage in passages]
    texts = [list(passage.text) for passage in passages]
    for piece in pieces_of(passages):
        if piece.said and _is_of_another(piece, asked):
            blanks = (
                char if char.isspace() else " " for char in texts[piece.passage][_span(piece)]
            )
            texts[piece.passage][_span(piece)] = blanks
    return [
        replace(passage, text="".join(text)) for passage, text in zip(passages, texts, strict=True)
    ]


def named(text: str, *, anyhow: bool = False) -> dict[str, set[str]]:
    """Return the names with a number in a text.

    Args:
        text: A sentence, a heading or a question.
        anyhow: Names in lower case count, too, as people type them.
    """
    found: dict[str, set[str]] = {}
    for match in _NAMED.finditer(text):
        name, number = match["name"].casefold(), match["number"].rstrip(".,/").casefold()
        if name in shared_words("months"):
            if len(number) >= _YEAR and not (anyhow and _is_time(text[: match.start()])):
                found.setdefault(_DATE, set()).add(f"{name} {number}")
        elif name not in shared_words("uncounted") and (anyhow or match["name"][0].isupper()):
            found.setdefault(name, set()).update([number, *_NUMBER.findall(match["more"])])
    return found


def names_lacking(query: str, passages: Sequence[Passage]) -> list[str]:
    """Return the names of a question that stand in no passage, title or heading.

    A name is a word with a capital that is not the first one. Not told of German, where every noun
    has one, nor where most passages are in another language, which may have other forms of names.

    Args:
        query: The question.
        passages: What is read; without any text, nothing is said to lack.
    """
    language = read_intent(query).language
    if language == "de" or query.istitle() or query.isupper():
        return []
    names = [
        match[0] for match in _CAPITALS.finditer(query) if match[0].casefold() not in _CALENDAR
    ]
    if not names or not any(passage.text.strip() for passage in passages):
        return []
    texts = [p.text[:_TOLD_BY] for p in passages if p.text.strip()]
    own = sum(find_language(text, fallback=language) == language for text in texts)
    if 2 * own < len(texts):
        return []
    held = " ".join(line for p in passages for line in (p.title, *p.headings, p.text))
    folded = fold_text(held)
    return [
        name
        for name in names
        if not QueryWords(name).coverage([held])[0]
        and re.search(rf"(?<!\w){re.escape(fold_text(name)[:_STEM])}", folded) is None
    ]


def _is_time(before: str) -> bool:
    """Return whether a date tells when ("in March 2025") and not which ("of March 2025")."""
    words = before.casefold().split()
    word = words[-1] if words else ""
    return word in shared_words("uncounted") and word not in shared_words("links")


def _is_unknown(asked: Names, passages: Sequence[Passage]) -> bool:
    """Return whether a name stands in the passages with other numbers only."""
    held: dict[str, set[str]] = {}
    for passage in passages:
        for text in (passage.text, passage.title, *passage.headings):
            for name, numbers in named(text).items():
                held.setdefault(name, set()).update(numbers)
    return any(name in held and not held[name] & set(asked[name]) for name in asked)


def _is_of_another(piece: Piece, asked: Names) -> bool:
    """Return whether the nearest line with one of the names has it with another number only."""
    lines = (piece.text, piece.lead_in, *reversed(piece.before), *reversed(piece.under))
    for name, numbers in asked.items():
        for line in lines:
            held = named(line).get(name)
            if held:
                if not held & set(numbers):
                    return True
                break
    return False


def _span(piece: Piece) -> slice:
    return slice(piece.start, piece.end)
