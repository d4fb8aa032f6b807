"""Which of two documents is the newer one, and what of the older one no longer holds.

Two documents are versions of one when their titles are the same but for dates and versions, and
both say from when they hold: in their text, or in their data (`effective_date`); or when their data
say of both when they were written (`updated`, `published`). Other numbers are names: product 300 is
no older version of product 500, and room 101 none of room 205. A sentence of the older one that the
newer one says with other words or figures is not read; where the question names the older one's
year or version, it is the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from toulmin.answering.compose.computing.moments import Moment, moments_of
from toulmin.answering.compose.language import shared_words
from toulmin.answering.compose.repeats import Saying
from toulmin.answering.compose.sentences import Piece, pieces_of
from toulmin.answering.passages import Passage

_NAMES = (
    "january januar janvier enero gennaio",
    "february februar février febrero febbraio",
    "march märz mars marzo",
    "april avril abril aprile",
    "may mai mayo maggio",
    "june juni juin junio giugno",
    "july juli juillet julio luglio",
    "august août agosto",
    "september septembre septiembre settembre",
    "october oktober octobre octubre ottobre",
    "november novembre noviembre",
    "december dezember décembre diciembre dicembre",
)
_MONTH_NUMBERS = {name: i for i, names in enumerate(_NAMES, 1) for name in names.split()}
_MONTHS = "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True))
_DATE = (
    rf"(?:(?P<d>\d{{1,2}})\.? (?:de |di )?(?P<m>{_MONTHS})(?: de)? (?P<y>\d{{4}})"
    rf"|(?P<m2>{_MONTHS}) (?P<d2>\d{{1,2}}),? (?P<y2>\d{{4}})|(?P<iso>\d{{4}}-\d\d-\d\d))"
)
_HOLDS = re.compile(
    r"\b(?:effective|in force|valid|applies|as of|last updated|last revised|updated|revised|gültig"
    r"|in kraft|stand|vigente|válid[oa]|valid[oa]|in vigore|en vigueur)\b(?: (?:date|from|since|on"
    rf"|ab|seit|desde|dal|depuis|le|il|el))?\W{{0,3}}(?:the )?{_DATE}",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"^[^\w\n]*+(?:date|dated|published|datum|veröffentlicht|fecha|publicado|data|pubblicato"
    rf"|publié le)\s?:[^\S\n]*(?P<written>{_DATE})[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_VERSION = (
    r"(?<![^\W_])(?:version|versión|versione|ver|v|revision|revisión|révision|revisione|rev|edition"
    r"|edición|édition|edizione|auflage|ausgabe|fassung)[ ._]{0,2}(?P<version>\d[\d.]*)"
)
_YEAR = r"(?<!\d)(?P<year>(?:19|20)\d\d)(?!\d)"
_CHANGING = re.compile(
    rf"{_VERSION}|(?<!\w)\d{{1,2}}(?:st|nd|rd|th|\.)? (?:edition\b|auflage\b|ausgabe\b)"
    rf"|(?<!\w)\d{{1,2}}(?:st|nd|rd|th|\.)? (?:de |di |of )?(?:{_MONTHS})(?![^\W_])"
    rf"|(?<![^\W_])(?:{_MONTHS})(?: \d{{1,2}}(?!\d))?(?![^\W_])"
    rf"|(?<!\d)(?:19|20)\d{{6}}(?!\d)|(?<!\d)\d{{1,2}}[./-](?:\d{{1,2}}[./-])?(?:19|20)\d\d(?!\d)"
    rf"|(?:(?<![^\W_])q[1-4][\W_]*)?{_YEAR}(?:[-/]\d\d(?!\d)){{0,2}}(?:[\W_]*q[1-4](?![^\W_]))?"
    r"|[\W_]+",
    re.IGNORECASE,
)
"""What may be another one in the title of another version: all but a name's own number."""
_TITLE_VERSION, _TITLE_YEAR = re.compile(_VERSION, re.IGNORECASE), re.compile(_YEAR)
_NO_LETTER = re.compile(r"[^A-Za-z]+")
_TIME = re.compile(r"(?<=\d)[T ]\d\d:\d\d.*$")
_ALIKE = 0.6
"""Share of the words of both, from which on two sentences are about the same thing."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """An older version of a document of which something was left out.

    Attributes:
        newer: From when the newer one holds, or of when it is, as it says it.
        older: The same of the older one.
        holds: Whether these are dates from which on they hold.
    """

    newer: str
    older: str
    holds: bool = True


@dataclass(frozen=True, slots=True)
class Dating:
    """Of when a document is.

    Attributes:
        day: The day.
        written: How it is written.
        holds: Whether it holds from then on.
    """

    day: date
    written: str
    holds: bool


def newest(query: str, passages: Sequence[Passage]) -> tuple[list[Passage], Mapping[int, Replaced]]:
    """Return passages with blanks for what a newer version says otherwise, and where that is said.

    Args:
        query: The question.
        passages: What may be read; offsets stay what they are.

    Returns:
        The passages, and by the place of a newer one what it replaces.
    """
    dated = {place: found for place, p in enumerate(passages) if (found := dating(p))}
    older = [
        (old, new)
        for old in dated
        for new in dated
        if dated[old].day < dated[new].day
        and dated[old].holds == dated[new].holds
        and _are_versions(passages[old], passages[new])
    ]
    if not older:
        return list(passages), {}
    pieces = [piece for piece in pieces_of(passages) if piece.said]
    kept = list(passages)
    replaced: dict[int, Replaced] = {}
    for old, new in older:
        if _is_named(query, passages[old], dated[old].day) and not _is_named(
            query, passages[new], dated[new].day
        ):
            old, new = new, old  # the older is asked about
        newer = [Saying(piece.text) for piece in pieces if piece.passage == new]
        for piece in (piece for piece in pieces if piece.passage == old):
            if any(Saying(piece.text).share(saying) >= _ALIKE for saying in newer):
                kept[old] = _without(kept[old], piece)
                if dated[old].day < dated[new].day:
                    replaced[new] = Replaced(
                        dated[new].written, dated[old].written, holds=dated[new].holds
                    )
    return kept, replaced


def dating(passage: Passage) -> Dating | None:
    """Return of when a passage's document is; None: neither it nor its data say.

    From when it holds goes before when it was written, and its text before its data. Of several
    dates of writing the last one is told.
    """
    if found := _holds_from(passage.text):
        return Dating(*found, holds=True)
    for names, holds in (("holding_fields", True), ("written_fields", False)):
        found_in = [
            (moment.as_date, written)
            for name, value in passage.struct_data.items()
            if _NO_LETTER.sub("", name).casefold() in shared_words(names) and isinstance(value, str)
            for moment, written in _day_of(value)
        ]
        if found_in:
            day, written = max(found_in)
            return Dating(day, written, holds=holds)
    return None


def _day_of(value: str) -> list[tuple[Moment, str]]:
    """Return the day that a field says, and how; of a time its day. Empty where it may be two."""
    text = _TIME.sub("", value.strip())
    found = moments_of(text)
    if len(found) != 1 or (found[0].start, found[0].end) != (0, len(text)):
        return []
    first = found[0].first
    return [(first, text)] if first is not None and first.day and found[0].last is None else []


def _holds_from(text: str) -> tuple[date, str] | None:
    """Return the date from which on a text says that it holds, and how it writes it."""
    match = _HOLDS.search(text)
    if match is None:
        return None
    try:
        if match["iso"]:
            return date.fromisoformat(match["iso"]), match["iso"]
        month = _MONTH_NUMBERS[(match["m"] or match["m2"]).casefold()]
        found = date(int(match["y"] or match["y2"]), month, int(match["d"] or match["d2"]))
    except ValueError:  # the 31st of February
        return None
    return found, text[match.start("d" if match["d"] else "m2") : match.end()]


def written_on(text: str) -> str:
    """Return the date that a line of its own gives a text, "Date: 4 May 2025", as it is written.

    That does not make it a version of another: minutes of two days both hold.
    """
    found = _WRITTEN.search(text)
    return found["written"] if found else ""


def _are_versions(one: Passage, other: Passage) -> bool:
    """Return whether two titles are the same but for what changes from version to version."""
    first, second = (
        " ".join(_CHANGING.sub(" ", passage.title).casefold().split()) for passage in (one, other)
    )
    return first == second != ""


def _is_named(query: str, passage: Passage, day: date) -> bool:
    """Return whether a question names a version by its year, or by the number in its title."""
    years = {str(day.year), *(m["year"] for m in _TITLE_YEAR.finditer(passage.title))}
    asked, own = (
        {m["version"].rstrip(".") for m in _TITLE_VERSION.finditer(text)}
        for text in (query, passage.title)
    )
    return bool(asked & own) or any(m["year"] in years for m in _TITLE_YEAR.finditer(query))


def _without(passage: Passage, piece: Piece) -> Passage:
    text = passage.text
    blank = " " * (piece.end - piece.start)
    return replace(passage, text=text[: piece.start] + blank + text[piece.end :])
