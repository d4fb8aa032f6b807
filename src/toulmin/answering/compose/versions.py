"""Which of two documents is the newer one, and what of the older one no longer holds.

Two documents are versions of one when their titles are the same but for dates and numbers, and both
say from when they hold. A sentence of the older one that the newer one says with other words or
figures is not read; where the question names the older one's year, it is the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

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
_CHANGING = re.compile(rf"\b(?:{_MONTHS}|version|v)\b|\d+|[\W_]+", re.IGNORECASE)
_ALIKE = 0.6
"""Share of the words of both, from which on two sentences are about the same thing."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """An older version of a document of which something was left out.

    Attributes:
        newer: From when the newer one holds, as it says it.
        older: The same of the older one.
    """

    newer: str
    older: str


def newest(query: str, passages: Sequence[Passage]) -> tuple[list[Passage], Mapping[int, Replaced]]:
    """Return passages with blanks for what a newer version says otherwise, and where that is said.

    Args:
        query: The question.
        passages: What may be read; offsets stay what they are.

    Returns:
        The passages, and by the place of a newer one what it replaces.
    """
    dated = {place: found for place, p in enumerate(passages) if (found := _holds_from(p.text))}
    older = [
        (old, new)
        for old in dated
        for new in dated
        if dated[old][0] < dated[new][0]
        and _subject(passages[old]) == _subject(passages[new]) != ""
    ]
    if not older:
        return list(passages), {}
    pieces = [piece for piece in pieces_of(passages) if piece.said]
    kept = list(passages)
    replaced: dict[int, Replaced] = {}
    for old, new in older:
        if str(dated[old][0].year) in query and str(dated[new][0].year) not in query:
            old, new = new, old  # the older is asked about
        newer = [Saying(piece.text) for piece in pieces if piece.passage == new]
        for piece in (piece for piece in pieces if piece.passage == old):
            if any(Saying(piece.text).share(saying) >= _ALIKE for saying in newer):
                kept[old] = _without(kept[old], piece)
                if dated[old][0] < dated[new][0]:
                    replaced[new] = Replaced(dated[new][1], dated[old][1])
    return kept, replaced


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


def _subject(passage: Passage) -> str:
    """Return a title without what changes from version to version."""
    return " ".join(_CHANGING.sub(" ", passage.title).casefold().split())


def _without(passage: Passage, piece: Piece) -> Passage:
    text = passage.text
    blank = " " * (piece.end - piece.start)
    return replace(passage, text=text[: piece.start] + blank + text[piece.end :])
