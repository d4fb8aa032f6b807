# ruff: noqa: RUF001 - the marks of many scripts are a subject of this file.
"""What passages say of when something begins, ends or happens: one statement for each date.

Of a sentence the words before its date say of what it is, or those behind it where it comes first;
of a line or row its label. Where they leave something out, the sentence before and the headings say
it. A date that is hedged, denied, planned or one of several in a clause makes a statement that is
not clear: it is kept, since it forbids to compute with another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from toulmin.answering.compose.computing.duration_words import DurationWords, Word
from toulmin.answering.compose.computing.moments import Dated, Moment, moments_of
from toulmin.answering.compose.sentences import Piece, PieceKind
from toulmin.text.words import fold_text

_LABEL = re.compile(r"(?P<label>[^:：.]{1,80}?)\s*[:：]\s*(?P<rest>.*)")
_PLACE = re.compile(
    r"\b(?:in|at|en|a|ad|nel|nella)\s+(?:[A-Z][\w'’-]+)(?:\s+[A-Z][\w'’-]+)*(?=\s+\S)"
)
_MEANT = re.compile(r"[\s.,;!。、）)]*")


@dataclass(frozen=True, slots=True)
class DatedEvent:
    """When something began, ended, happened or went on, as one place of a passage says it.

    Attributes:
        kind: "start", "end", "event" or "stretch".
        words: The words that say of what, with those for its beginning or end.
        own: The same without those.
        under: Title and headings above it, outermost first.
        passage: Place of its passage.
        first: The date; None: it is not clear.
        last: Of a stretch, its end.
        planned: Whether it is said of what is to come.
        after: The sentence before, where only its subject says of what; else empty.
    """

    kind: str
    words: tuple[Word, ...]
    own: tuple[Word, ...]
    under: tuple[str, ...]
    passage: int
    first: Moment | None
    last: Moment | None = None
    planned: bool = False
    after: str = ""


def dated_events(
    pieces: Sequence[Piece], words_of: Sequence[DurationWords | None]
) -> list[DatedEvent]:
    """Return what the pieces say of dates.

    Args:
        pieces: Of all passages, in order.
        words_of: The words of each passage's language; None: its dates are not read.
    """
    found: list[DatedEvent] = []
    before: tuple[str, DatedEvent | None] = ("", None)
    for piece in pieces:
        words = words_of[piece.passage]
        if words is None:
            continue
        if piece.kind is PieceKind.ROW:
            found += _of_row(piece, words)
            continue
        if piece.kind in {PieceKind.LINE, PieceKind.ITEM}:
            labelled = _of_label(piece, words)
            if labelled is not None:
                found.append(labelled)
                continue
        if piece.kind is PieceKind.SILENT:
            continue
        leans_on = before[1] if piece.before and piece.before[-1] == before[0] else None
        own = list(_of_sentence(piece, words, leans_on))
        found += own
        before = (piece.text, own[-1] if own else None)
    return found


def _of_row(piece: Piece, words: DurationWords) -> Iterator[DatedEvent]:
    name, label = piece.cells[0]
    for column, value in piece.cells[1:] if not moments_of(label) else piece.cells:
        role = _role(words.words_in(column), words)
        whole = _only_date(value)
        if whole is None and not role:
            continue
        named = words.words_in(f"{column} {label}" if not moments_of(label) else column)
        named = words.without(words.headings, named)
        hedged = words.has(words.hedges | words.planned, f"{column} {name}")
        event = _event(piece, words, named, None if hedged else whole)
        yield replace(event, under=(*piece.under, name)) if name else event


def _of_label(piece: Piece, words: DurationWords) -> DatedEvent | None:
    """Return what a line with a label says; None: it has no date and is of no beginning or end."""
    found = _LABEL.fullmatch(piece.text)
    if found is None:
        return None
    label = words.words_in(found["label"])
    whole = _only_date(found["rest"])
    if whole is None and (not _role(label, words) or len(moments_of(found["rest"])) > 1):
        return None
    hedged = words.has(words.hedges | words.planned, found["label"])
    return _event(piece, words, label, None if hedged else whole)


def _of_sentence(
    piece: Piece, words: DurationWords, leans_on: DatedEvent | None
) -> Iterator[DatedEvent]:
    text = piece.text
    folded = fold_text(text)
    hedged = words.has(words.hedges, text)
    planned = words.has(words.planned, text) or bool(words.to_come.search(folded))
    for clause, dates in _clauses(text, words):
        label = _said_of(clause, dates, words)
        event = _event(piece, words, label, None if hedged or len(dates) > 1 else dates[0])
        event = replace(event, planned=planned)
        plain = words.without(words.pronouns, event.own)
        if not plain and event.kind != "event" and (leans_on or piece.before):
            if leans_on is None:
                event = replace(event, after=piece.before[-1])
            else:
                own = leans_on.own
                event = replace(event, own=own, words=(*own, *event.words), under=leans_on.under)
                event = replace(event, after=leans_on.after)
        yield event
        leans_on = event


def _clauses(text: str, words: DurationWords) -> Iterator[tuple[str, list[Dated]]]:
    """Yield the parts of a sentence with their dates, whose places are those in the part."""
    dates = moments_of(text)
    begin, own = 0, list[Dated]()
    for place, dated in enumerate(dates):
        own.append(dated)
        following = dates[place + 1] if place + 1 < len(dates) else None
        joins = list(words.joins.finditer(text, dated.end, following.start)) if following else []
        if following is not None and not joins:
            continue
        end = joins[-1].start() if joins else len(text)
        yield (
            text[begin:end],
            [replace(d, start=d.start - begin, end=d.end - begin) for d in own],
        )
        begin, own = joins[-1].end() if joins else end, []


def _said_of(clause: str, dates: Sequence[Dated], words: DurationWords) -> tuple[Word, ...]:
    """Return the words of a clause that say of what its date is."""
    before, behind = clause[: dates[0].start], clause[dates[-1].end :]
    if words.parts is not None:
        return words.words_in(f"{before} {behind}")
    said = words.words_in(_PLACE.sub(" ", before))
    if said:
        return said
    behind = behind.lstrip(" ,;")
    cut = words.rest.search(fold_text(behind))
    return words.words_in(behind[: cut.start()] if cut else behind)


def _event(
    piece: Piece, words: DurationWords, said: tuple[Word, ...], dated: Dated | None
) -> DatedEvent:
    kind = _role(said, words)
    own = words.without(words.starts | words.ends, said)
    first, last = (dated.first, dated.last) if dated else (None, None)
    if last is not None:
        others = words.without(words.states, said)
        if words.without(words.starts | words.ends, others) == others:
            said = others
        kind = "stretch"
    elif kind == "both":
        kind, first = "end", None
    return DatedEvent(kind or "event", said, own, piece.under, piece.passage, first, last)


def _role(said: tuple[Word, ...], words: DurationWords) -> str:
    """Return "start" or "end" where words say so, "both", or ""."""
    begins = words.without(words.starts, said) != said
    ends = words.without(words.ends, said) != said
    return "both" if begins and ends else "start" if begins else "end" if ends else ""


def _only_date(text: str) -> Dated | None:
    """Return the date that a few words are; None: they are more, or none."""
    dates = moments_of(text)
    if len(dates) != 1 or dates[0].first is None:
        return None
    around = text[: dates[0].start] + text[dates[0].end :]
    return dates[0] if _MEANT.fullmatch(around) else None
