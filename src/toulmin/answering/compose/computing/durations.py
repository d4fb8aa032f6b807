# ruff: noqa: RUF001 - the marks of many scripts are a subject of this file.
"""How long it took, and how much time lies between: computed from two dates that passages state.

There must be one way to compute it: every telling word of the question and of what states a date is
accounted for, each end has one date, both are equally exact, and no sentence hedges or denies one
of them, says that it goes on, or says itself how long it was. "How long did the project take?" is
not answered with the dates of its first phase.
"""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from toulmin.answering.compose.computing.dated_events import DatedEvent, dated_events
from toulmin.answering.compose.computing.duration_words import (
    DurationWords,
    Word,
    duration_words,
)
from toulmin.answering.compose.computing.moments import Moment, moments_of
from toulmin.answering.compose.sentences import Piece
from toulmin.answering.passages import Passage
from toulmin.text.words import fold_text

_LEAST_ABOUT = 2
"""Months or years between two months or years from which on the difference says how long."""
_ENDS = " ?!？。."


@dataclass(frozen=True, slots=True)
class Event:
    """One of the two ends that a question asks about.

    Attributes:
        kind: "start", "end" or "event".
        words: The words that say of what.
        at: The date, where the question says it itself.
    """

    kind: str
    words: tuple[Word, ...]
    at: Moment | None = None


@dataclass(frozen=True, slots=True)
class AskedDuration:
    """What a question wants to know of a time.

    Attributes:
        language: The words of its language.
        unit: "day", "week", "month", "year"; empty: it does not say.
        first: One end.
        second: The other one.
        whole: Whether they are beginning and end of one thing.
        past: Whether it asks of what has been.
        named: Whether its things have names, so that more than one document may speak of them.
    """

    language: DurationWords
    unit: str
    first: Event
    second: Event
    whole: bool
    past: bool
    named: bool


@dataclass(frozen=True, slots=True)
class Lasted:
    """How long it was, in words, and the passages that state the dates."""

    text: str
    passages: tuple[int, ...]


def asked_duration(query: str, language: str) -> AskedDuration | None:
    """Return which time a question asks for; None: none, or in a unit that dates do not tell."""
    words = duration_words(language)
    plain = " ".join(query.split()).strip(" ¿" + _ENDS)
    folded = fold_text(plain)
    if words is None or len(folded) != len(plain):
        return None
    for kind in (words.between, words.lasts):
        for pattern in kind:
            found = pattern.fullmatch(folded)
            if found is None:
                continue
            groups = {name: plain[slice(*found.span(name))] for name in found.groupdict()}
            unit = fold_text(groups.get("unit") or "")
            things = " ".join(text for name, text in groups.items() if name != "unit")
            if (unit and unit not in words.units) or words.has(words.hedges, things):
                return None
            ends = _ends(groups, folded, words)
            if ends is None:
                return None
            return AskedDuration(
                language=words,
                unit=words.units.get(unit, ""),
                first=ends[0],
                second=ends[1],
                whole="what" in groups,
                past=words.past.match(folded) is not None,
                named=_has_name(things, words),
            )
    return None


def lasted(
    asked: AskedDuration,
    passages: Sequence[Passage],
    pieces: Sequence[Piece],
    languages: Sequence[str],
) -> Lasted | None:
    """Return how long it was; None: the passages do not say, or not in one way.

    Args:
        asked: What is asked.
        passages: What was found.
        pieces: Their pieces.
        languages: Code of each passage's language.
    """
    words_of = [duration_words(language) for language in languages]
    events = dated_events(pieces, words_of)
    if not events or _is_told_otherwise(asked, pieces, words_of):
        return None
    found = _stretch(asked, events) if asked.whole else None
    if found is None:
        first, second = _one(asked, asked.first, events), _one(asked, asked.second, events)
        if first is None or second is None or not _belong(asked, first, second, passages):
            return None
        found = (first, second)
    one, other = found
    start = one.first if one.first is not None else asked.first.at
    end = (other.last or other.first) if one is other else other.first
    end = end if end is not None else asked.second.at
    if start is None or end is None:
        return None
    if not asked.whole and end < start:
        start, end = end, start
    text = _said(asked, start, end)
    places = dict.fromkeys(event.passage for event in found if event.passage >= 0)
    return Lasted(text, tuple(places)) if text and places else None


def _ends(groups: dict[str, str], folded: str, words: DurationWords) -> tuple[Event, Event] | None:
    if "what" in groups:
        thing = words.words_in(groups["what"])
        if not words.without(words.pronouns - {"project", "proyecto", "progetto"}, thing):
            return None
        own = words.without(words.states, thing)
        return Event("start", own), Event("end", own)
    if not words.between_asks.search(folded):
        return None
    first, second = _end(groups["from"], words), _end(groups["to"], words)
    if first is None or second is None or (first.at and second.at):
        return None
    if first.kind == second.kind != "event":  # the opening and the launch are two events
        return _as_event(groups["from"], words), _as_event(groups["to"], words)
    bare = [not e.words and e.at is None for e in (first, second)]
    if all(bare):
        return None
    if any(bare):
        known = first.words or second.words
        if "event" in {first.kind, second.kind}:
            return _as_event(groups["from"], words), _as_event(groups["to"], words)
        return Event(first.kind, known), Event(second.kind, known)
    return first, second


def _end(text: str, words: DurationWords) -> Event | None:
    """Return one end as a question names it; None: it cannot be read."""
    dates = moments_of(text)
    if dates:
        one = dates[0]
        rest = words.words_in(text[: one.start] + " " + text[one.end :])
        if len(dates) > 1 or one.first is None or one.last is not None or rest:
            return None
        return Event("event", (), one.first)
    said = words.words_in(text)
    begins = words.without(words.starts, said) != said
    ends = words.without(words.ends, said) != said
    if begins and ends:
        return None
    kind = "start" if begins else "end" if ends else "event"
    own = words.without(words.starts | words.ends, said)
    return Event(kind, tuple(word for word in own if word.text not in {"it", "they"}))


def _as_event(text: str, words: DurationWords) -> Event:
    return Event("event", words.words_in(text))


def _stretch(
    asked: AskedDuration, events: Sequence[DatedEvent]
) -> tuple[DatedEvent, DatedEvent] | None:
    """Return the one stretch of time that is stated of the thing, as both of its ends."""
    meant = [e for e in events if e.kind == "stretch" and _is_of(e, e.words, asked.first, asked)]
    others = [
        e for e in events if e.kind in {"start", "end"} and _is_of(e, e.own, asked.first, asked)
    ]
    if not meant or others or len({(e.first, e.last) for e in meant}) > 1:
        return None
    return None if _is_to_come(asked, meant[0]) else (meant[0], meant[0])


def _one(asked: AskedDuration, end: Event, events: Sequence[DatedEvent]) -> DatedEvent | None:
    """Return what states the date of one end; None: nothing does, or two dates, or not clearly."""
    if end.at is not None:
        return DatedEvent("event", (), (), (), -1, end.at)
    meant = [
        e
        for e in events
        if (e.kind == end.kind and _is_of(e, e.own, end, asked))
        or (end.kind == "event" and e.kind != "stretch" and _is_of(e, e.words, end, asked))
        or (e.kind == "stretch" and _is_of(e, e.words, end, asked))
    ]
    if not meant or any(e.first is None or _is_to_come(asked, e) for e in meant):
        return None
    if any(e.kind == "stretch" for e in meant) or len({e.first for e in meant}) > 1:
        return None
    return meant[0]


def _is_to_come(asked: AskedDuration, event: DatedEvent) -> bool:
    return event.planned and asked.past


def _is_of(event: DatedEvent, said: tuple[Word, ...], end: Event, asked: AskedDuration) -> bool:
    """Return whether a date is that of what a question names: neither has words of its own."""
    words = asked.language
    allowed = (*asked.first.words, *asked.second.words)
    if event.after:
        said = words.subject_of(event.after)
    plain = words.without(words.pronouns, said)
    if not all(_among(word, allowed) for word in plain):
        return False
    left = [word for word in end.words if not _among(word, said)]
    if left and not all(_among(word, end.words) for word in plain):
        return False  # it is the other end
    for line in reversed(event.under):
        above = words.without(words.headings | words.starts | words.ends, words.words_in(line))
        above = tuple(word for word in above if not word.text.isdigit())
        if not above:
            continue
        if not left:
            return bool(said) or all(_among(word, allowed) for word in above)
        if not all(_among(word, allowed) for word in above):
            return False
        left = [word for word in left if not _among(word, above)]
    return not left


def _among(word: Word, others: Sequence[Word]) -> bool:
    return any(word.is_as(other) for other in others)


def _belong(
    asked: AskedDuration, one: DatedEvent, other: DatedEvent, passages: Sequence[Passage]
) -> bool:
    """Return whether two dates are of the same thing: of one document, or of what has a name."""
    if one.passage == other.passage or -1 in {one.passage, other.passage} or asked.named:
        return True
    first, second = passages[one.passage], passages[other.passage]
    return first.document == second.document != ""


def _is_told_otherwise(
    asked: AskedDuration, pieces: Sequence[Piece], words_of: Sequence[DurationWords | None]
) -> bool:
    """Return whether a sentence about it says that it goes on, or how long it was."""
    thing = (*asked.first.words, *asked.second.words)
    for piece in pieces:
        words = words_of[piece.passage]
        if words is None:
            continue
        folded = fold_text(piece.text)
        if words.goes_on.search(folded) or (asked.whole and words.stated.search(folded)):
            near = words.words_in(" ".join((*piece.under, *piece.before, piece.text)))
            if all(_among(word, near) for word in thing):
                return True
    return False


def _has_name(text: str, words: DurationWords) -> bool:
    if words.parts is not None:
        return any(char.isascii() and char.isalnum() for char in text)
    return any(word[:1].isupper() or word[:1].isdigit() for word in text.split())


def _said(asked: AskedDuration, start: Moment, end: Moment) -> str:
    """Return in words how long it was from one date to the other; empty: they do not tell."""
    words = asked.language
    if start.parts != end.parts or not start < end:
        return ""
    shown = {"start": _date(start, words), "end": _date(end, words)}
    if start.day:
        length = _days_long(start.as_date, end.as_date, asked.unit, words)
        return words.says.format(length=length, **shown)
    if start.month:
        months = (end.year - start.year) * 12 + end.month - start.month
        if asked.unit in {"day", "week"} or months < _LEAST_ABOUT:
            return ""
        length = _joined(_months(months, words), words)
        return words.says_about.format(length=length, **shown)
    years = end.year - start.year
    if asked.unit not in {"", "year"} or years < _LEAST_ABOUT:
        return ""
    return words.says_about.format(length=_counted(years, "year", words), **shown)


def _days_long(start: date, end: date, unit: str, words: DurationWords) -> str:
    count = (end - start).days
    days = _counted(count, "day", words)
    if unit == "day":
        return days
    if unit == "week":
        weeks, over = divmod(count, 7)
        parts = [_counted(n, name, words) for n, name in ((weeks, "week"), (over, "day")) if n]
    else:
        months = (end.year - start.year) * 12 + end.month - start.month
        if _months_later(start, months) > end:
            months -= 1
        over = (end - _months_later(start, months)).days
        parts = _months(months, words) + ([_counted(over, "day", words)] if over else [])
    length = _joined(parts, words)
    return length if length == days else words.words["all"].format(length=length, days=days)


def _months(months: int, words: DurationWords) -> list[str]:
    years, over = divmod(months, 12)
    return [_counted(n, name, words) for n, name in ((years, "year"), (over, "month")) if n]


def _months_later(day: date, months: int) -> date:
    """Return the same day so many months later, or the last one of that month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, 1) + timedelta(days=min(day.day, last) - 1)


def _counted(number: int, unit: str, words: DurationWords) -> str:
    one, several = words.words[unit].split("|")
    return (one if number == 1 else several).format(n=number)


def _joined(parts: Sequence[str], words: DurationWords) -> str:
    comma = "" if words.parts is not None else ", "
    *others, last = parts
    return f"{comma.join(others)}{words.words['and']}{last}" if others else last


def _date(moment: Moment, words: DurationWords) -> str:
    name = words.names[moment.month - 1] if words.names and moment.month else ""
    return words.dates[3 - moment.parts].format(
        day=moment.day, month=moment.month, name=name, year=moment.year
    )
