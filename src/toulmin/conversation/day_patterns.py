"""How days and times are written in English, for all that reads them."""

from __future__ import annotations

import re
from typing import Final

HOURS: Final = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_PART: Final = r"(?:\s+(?:in the (?:morning|afternoon|evening)|at night))?"
TIME: Final = re.compile(
    r"\b(?:\d{1,2}[:.]\d{2}\s*(?:[ap]\.?m\b\.?)?|\d{1,2}\s*(?:[ap]\.?m\b\.?|o'?clock)|noon|midnight"
    rf"|(?:half|quarter|five|ten|twenty)\s+(?:past|to)\s+(?:{HOURS}|\d{{1,2}})\b{_PART}"
    rf"|(?:{HOURS})\s+(?:o'?clock|[ap]\.?m\b\.?|in the (?:morning|afternoon|evening)))",
    re.IGNORECASE,
)
MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
WEEKDAY: Final = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_ORDINAL: Final = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth"
    "|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth"
)
ORDINALS: Final = tuple(_ORDINAL.split("|"))
TOMORROW: Final = r"(?:tomm?orr?ow|tmrw)"
DATE: Final = re.compile(
    rf"\b(?:\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}[./]\d{{1,2}}[./](?:\d{{2,4}})?"
    rf"|(?:{WEEKDAY},?\s+(?:the\s+)?)?\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}(?:\s+\d{{4}})?"
    rf"|(?:{WEEKDAY},?\s+)?{MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?"
    rf"|(?:{_ORDINAL})\s+of\s+{MONTH}(?:\s+\d{{4}})?"
    rf"|{WEEKDAY},?\s+(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)"
    rf"|(?:next\s+|this\s+)?{WEEKDAY}|(?:the\s+)?day\s+(?:after\s+{TOMORROW}|before\s+yesterday)"
    rf"|today|{TOMORROW}|tonight|yesterday)\b",
    re.IGNORECASE,
)
DAY_OF_MONTH: Final = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b", re.IGNORECASE)
"""A day whose month is said elsewhere."""
_SPAN: Final = re.compile(
    r"\b(\d{1,2}(?:st|nd|rd|th)?)(\s*(?:to|until|till|through|-|\u2013|and)\s*(?:the\s+)?)"
    rf"(\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?({MONTH})\b)",
    re.IGNORECASE,
)


def with_months(said: str) -> str:
    """Return a text with the month at both ends of a span: "from 16 February to 20 February"."""
    return _SPAN.sub(lambda found: f"{found[1]} {found[4]}{found[2]}{found[3]}", said)
