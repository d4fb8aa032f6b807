"""Days and times as some tools want them: "6 July" as 2026-07-06, in the user's time zone.

Only where a tool says that it wants them so; elsewhere it gets the user's own words. A day without
a year is the next one from today on. "3/4" is March or April, so it stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from difflib import get_close_matches
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from toulmin.conversation.day_patterns import (
    HOURS,
    MONTH,
    MONTHS,
    ORDINALS,
    TOMORROW,
    WEEKDAY,
    WEEKDAYS,
)
from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.forms import WANTS_CLOCK, wants_iso
from toulmin.domain import JsonObject

_ISO: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_ALIKE: Final = 0.85
"""Likeness from which on a word is a month misspelt."""
_DAY_MONTH: Final = re.compile(
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>[a-z]{3,})\.?,?(?:\s+(?P<year>\d{4}))?",
    re.IGNORECASE,
)
_MONTH_DAY: Final = re.compile(
    r"(?P<month>[a-z]{3,})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?(?:\s+(?P<year>\d{4}))?",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})?")
_WEEKDAY: Final = re.compile(
    r"(?P<which>next\s+|this\s+|on\s+)?(?P<day>mon|tues|wednes|thurs|fri|satur|sun)day",
    re.IGNORECASE,
)
_HOURS: Final = HOURS.split("|")
_PARTS: Final = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twentyfive": 25}
_NAMED_TIMES: Final = {"noon": "12:00", "midnight": "00:00"}
_LATE: Final = re.compile(r"\s*(?:p\.?m\.?|in the (?:afternoon|evening))\Z")
_AT_NIGHT: Final = re.compile(r"\s+at night\Z")
_DAWN: Final = 6
"""The hour before which "at night" is early."""
_EARLY: Final = re.compile(r"\s*(?:a\.?m\.?|in the morning)\Z")
_CLOCK: Final = re.compile(
    r"(?:(?:at|around|about)\s+)?"
    r"(?:(?:a\s+)?(?P<part>[a-z]+(?:[-\s]+five)?|\d{1,2})(?P<minutes>\s+minutes?)?"
    r"\s+(?P<way>past|to)\s+)?"
    rf"(?P<hour>{HOURS}|\d{{1,2}})(?:[:.](?P<minute>\d{{2}}))?"
)
_BEFORE: Final = re.compile(rf"{WEEKDAY},?\s+(?:the\s+)?(?=\d|[a-z]{{3,9}}\s+\d)")
_BARE: Final = re.compile(r"(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)")
_WORDED: Final = re.compile(rf"(?:the\s+)?({'|'.join(ORDINALS)})(?=\s+of\b)")
_TOMORROW: Final = re.compile(TOMORROW)
_NEAR: Final = {
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
    "yesterday": -1,
    "day after tomorrow": 2,
    "day before yesterday": -2,
}
_MONTHS_AHEAD: Final = 3
_YEARS: Final = 8
"""Years in which the next 29 February is."""


def zone_by_name(name: str) -> tzinfo | None:
    """Return a time zone of the IANA database by its name; UTC for "", None: there is none such."""
    if not name:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: the name of a folder of it
        return None


def zone_problem(name: str) -> str:
    """Return what is wrong with the name of a time zone; empty: nothing, or there is no name."""
    if zone_by_name(name) is not None:
        return ""
    if available_timezones():
        return f'"{name[:100]}" is no time zone of the IANA database, such as "Europe/Paris"'
    return (
        f'"{name[:100]}" is not found: this machine has no time zones;'
        " `pip install tzdata` brings them"
    )


def today_in(name: str, now: datetime) -> date:
    """Return the day that it is in a time zone; one that is not known counts as UTC."""
    return now.astimezone(zone_by_name(name) or UTC).date()


def as_wanted(tool: ToolSpec, args: Mapping[str, Any], today: date) -> dict[str, Any]:
    """Return a call's arguments with days and times written as the tool wants them.

    What is no day, or may be one of two, stays as it is.

    Args:
        tool: The tool.
        args: The arguments as they were said.
        today: The day that it is where the user is.
    """
    return {
        name: _as_wanted(name, tool.properties.get(name, {}), value, today)
        for name, value in args.items()
    }


def iso_day(said: str, today: date) -> str:
    """Return a day as YYYY-MM-DD; empty: it is none, or may be one of two.

    "Friday" is the first one after today, "next Friday" that of the week after this one.
    """
    text = said.strip(" ,!?").lower()
    text = text if _DIGITS.fullmatch(text) else text.rstrip(".")
    if _ISO.fullmatch(text):
        return text if _is_day(text) else ""
    text = _TOMORROW.sub("tomorrow", _BEFORE.sub("", text, count=1))
    text = _WORDED.sub(lambda found: str(ORDINALS.index(found[1]) + 1), text)
    if bare := _BARE.fullmatch(text):
        return _next_such_day(int(bare[1]), today)
    if (near := text.removeprefix("the ")) in _NEAR:
        return (today + timedelta(days=_NEAR[near])).isoformat()
    if found := _WEEKDAY.fullmatch(text):
        number = WEEKDAYS.index(found["day"][:3])
        if (found["which"] or "").startswith("next"):
            return (today + timedelta(days=7 - today.weekday() + number)).isoformat()
        return (today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)).isoformat()
    for pattern in (_DAY_MONTH, _MONTH_DAY, _DIGITS):
        if found := pattern.fullmatch(text):
            return _dated(found, today)
    return ""


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _next_such_day(day: int, today: date) -> str:
    """Return the next day that has this number in its month; empty: there is none."""
    for months in range(_MONTHS_AHEAD):
        year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
        try:
            found = date(year, month + 1, day)
        except ValueError:
            continue
        if found >= today:
            return found.isoformat()
    return ""


def clock(said: str) -> str:
    """Return a time as HH:MM; empty: it is none.

    Without "pm" or "in the evening" it is taken as it is said: "8:15" is 08:15.
    """
    text = said.strip(" .,!?").lower().replace("o'clock", "").replace("oclock", "").strip()
    if text in _NAMED_TIMES:
        return _NAMED_TIMES[text]
    night, late, early = _AT_NIGHT.search(text), _LATE.search(text), _EARLY.search(text)
    if ending := night or late or early:
        text = text[: ending.start()]
    found = _CLOCK.fullmatch(text)
    minute = _minute(found) if found else None
    if found is None or minute is None:
        return ""
    named = found["hour"]
    hour = int(named) if named.isdigit() else _HOURS.index(named) + 1
    if night:
        early = night if hour < _DAWN or hour == 12 else None
        late = None if early else night
    if found["way"] == "to":
        # a quarter to one is near noon, and near midnight only where that is said
        hour = 12 if hour == 1 else hour - 1
        minute = 60 - minute
    if late and hour <= 12:
        hour = hour % 12 + 12
    elif early and hour == 12:
        hour = 0
    return f"{hour:02d}:{minute:02d}" if 0 <= hour < 24 and minute < 60 else ""


def _minute(found: re.Match[str]) -> int | None:
    """Return the minutes past or to an hour; None: they are none, or "5 to 12" may be a span."""
    part = found["part"]
    if not part:
        return int(found["minute"] or 0)
    if not part.isdigit():
        return _PARTS.get(re.sub(r"[-\s]+", "", part))
    return int(part) if found["minutes"] or found["way"] == "past" else None


def _as_wanted(name: str, schema: JsonObject, value: Any, today: date) -> Any:
    if not isinstance(value, str):
        return value
    if wants_iso(name, schema):
        return iso_day(value, today) or value
    if WANTS_CLOCK.search(str(schema.get("description", ""))):
        return clock(value) or value
    return value


def _dated(found: re.Match[str], today: date) -> str:
    named = found["month"]
    month = int(named) if named.isdigit() else _month(named)
    if not month:
        return ""
    years = [int(found["year"])] if found["year"] else range(today.year, today.year + _YEARS + 1)
    for year in years:
        try:
            day = date(year, month, int(found["day"]))
        except ValueError:
            continue
        if found["year"] or day >= today:
            return day.isoformat()
    return ""


def _month(name: str) -> int:
    """Return the number of a month by its name, also one that is misspelt; 0: it is none."""
    if not re.fullmatch(MONTH, name):
        name = next(iter(get_close_matches(name, MONTHS, 1, _ALIKE)), "")
    return next((at for at, month in enumerate(MONTHS, 1) if name and month[:3] == name[:3]), 0)
