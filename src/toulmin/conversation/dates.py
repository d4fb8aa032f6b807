"""Days as some tools want them: "tomorrow" and "6 July" as 2026-07-06, in the user's time zone.

Only where a tool says that it wants them so; elsewhere it gets the user's own words. A day without
a year is the next one from today on. "3/4" is March or April, so it stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.forms import WANTS_ISO, is_date
from toulmin.domain import JsonObject

_ISO: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
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
_NEAR: Final = {
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
    "yesterday": -1,
    "day after tomorrow": 2,
    "day before yesterday": -2,
}
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


def today_in(name: str, now: datetime) -> date:
    """Return the day that it is in a time zone; one that is not known counts as UTC."""
    return now.astimezone(zone_by_name(name) or UTC).date()


def with_iso_days(tool: ToolSpec, args: Mapping[str, Any], today: date) -> dict[str, Any]:
    """Return a call's arguments with days written as the tool wants them, where it says how.

    What is no day, or may be one of two, stays as it is.

    Args:
        tool: The tool.
        args: The arguments as they were said.
        today: The day that it is where the user is.
    """
    return {
        name: (isinstance(value, str) and wants_iso(name, tool.properties.get(name, {}))
               and iso_day(value, today)) or value
        for name, value in args.items()
    }  # fmt: skip


def wants_iso(name: str, schema: JsonObject) -> bool:
    """Return whether an argument is a day that is to be written YYYY-MM-DD."""
    says_so = WANTS_ISO.search(str(schema.get("description", ""))) is not None
    return says_so and is_date(name, schema)


def iso_day(said: str, today: date) -> str:
    """Return a day as YYYY-MM-DD; empty: it is none, or may be one of two.

    "Friday" is the first one after today, "next Friday" that of the week after this one.
    """
    text = said.strip(" ,!?").lower()
    text = text if _DIGITS.fullmatch(text) else text.rstrip(".")
    if _ISO.fullmatch(text):
        return text
    if (near := text.removeprefix("the ")) in _NEAR:
        return (today + timedelta(days=_NEAR[near])).isoformat()
    if found := _WEEKDAY.fullmatch(text):
        number = _WEEKDAYS.index(found["day"][:3])
        if (found["which"] or "").startswith("next"):
            return (today + timedelta(days=7 - today.weekday() + number)).isoformat()
        return (today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)).isoformat()
    for pattern in (_DAY_MONTH, _MONTH_DAY, _DIGITS):
        if found := pattern.fullmatch(text):
            return _dated(found, today)
    return ""


def _dated(found: re.Match[str], today: date) -> str:
    named = found["month"][:3]
    if named.isdigit() or len(named) < 3:
        month = int(named)
    elif named in _MONTHS:
        month = _MONTHS.index(named) + 1
    else:
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
