"""How days and times are written in English, for all that reads them."""

from __future__ import annotations

import re
from typing import Final

HOURS: Final = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
"""How they begin."""
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
_NO_NOUN: Final = (
    rf"(?=\s*(?:\Z|[^\s\w$€£%]|\d|(?:{WEEKDAY}|today|{TOMORROW}|tonight|at|on|in|by|for|from|to|until"
    r"|till|with|of|and|or|but|if|so|please|thanks|thank|then|would|will|is|was|works|suits|not|instead"
    r"|i|we|my|our|the|this|next|under|because|as|since|when|where|around|about|between|before|after"
    r"|sharp|local|each|every)\b))"
)
"""What stands behind a day or a time, and behind no number of things: no noun, and no verb."""
_BEFORE_TIME: Final = (
    r"(?:(?<=\bat )|(?<=\bby )|(?<=\bfrom )|(?<=\buntil )|(?<=\btill )|(?<=\baround )|(?<=\babout )"
    r"|(?<=\bbefore )|(?<=\bafter )|(?<=\bbetween )|(?<=\bto )|(?<=\bis )|(?<=\bit's ))"
)
_BEFORE_DAY: Final = (
    r"(?:(?<=\bon )|(?<=\bby )|(?<=\bfrom )|(?<=\buntil )|(?<=\btill )|(?<=\bsince )|(?<=\bbefore )"
    r"|(?<=\bafter )|(?<=\bbetween )|(?<=\bto )|(?<=\bthe ))"
)
_MINUTES: Final = r"(?:half|(?:a\s+)?quarter|five|ten|twenty(?:[-\s]+five)?)"
_PART: Final = r"(?:\s+(?:in the (?:morning|afternoon|evening)|at night))?"
_AP: Final = r"[ap]\.?m\b\.?"
_DOTTED: Final = r"(?:[01]?\d|2[0-3])\.[0-5]\d(?!\d|[.,]\d)"
_NO_PRICE: Final = r"(?<![\d.,$€£])(?<![$€£] )"
_MONEY: Final = r"\s*(?:[$€£%]|(?:euros?|eur|dollars?|usd|pounds?|gbp|francs?|chf|cents?)\b)"
TIME: Final = re.compile(
    rf"\b(?:\d{{1,2}}:\d{{2}}\s*(?:{_AP})?|\d{{1,2}}\.\d{{2}}\s*{_AP}"
    rf"|{_BEFORE_TIME}{_NO_PRICE}{_DOTTED}(?!{_MONEY})"
    rf"|(?P<bare>{_NO_PRICE}{_DOTTED}(?!{_MONEY}){_NO_NOUN})"
    rf"|\d{{1,2}}\s*(?:{_AP}|o'?clock)|noon|midnight"
    rf"|{_MINUTES}\s+past\s+(?:{HOURS}|\d{{1,2}})\b{_PART}"
    rf"|(?<!\bfrom ){_MINUTES}\s+to\s+(?:{HOURS}|\d{{1,2}})\b(?:{_PART}(?:\s*{_AP})?{_NO_NOUN})"
    rf"|\d{{1,2}}\s+(?:past|minutes?\s+(?:past|to))\s+(?:{HOURS}|\d{{1,2}})\b{_PART}"
    rf"|(?:{HOURS})\s+(?:o'?clock|{_AP}|in the (?:morning|afternoon|evening)))",
    re.IGNORECASE,
)
"""The group `bare` is a time that may be a price or a measure as well: "12.50"."""
_NO_VERB: Final = rf"(?!\s+(?:not|or\s+may\s+not)\b){_NO_NOUN}"
_NOT_MAY: Final = MONTH.replace("|may", "")
_MAY: Final = r"(?-i:May|MAY)\b"
"""In small letters it is also a verb: "3 may be late"."""
_DAY_MONTH: Final = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_NOT_MAY}|{_MAY})"
    r"|\d{1,2}(?:(?:st|nd|rd|th)\s+(?:of\s+)?|\s+of\s+)may"
    rf"|{_BEFORE_DAY}\d{{1,2}}\s+may|\d{{1,2}}\s+may(?:(?=,?\s+\d{{4}}\b)|{_NO_VERB}))"
)
_MONTH_DAY: Final = (
    rf"(?:(?:{_NOT_MAY}|{_MAY})\s+\d{{1,2}}(?:st|nd|rd|th)?"
    rf"|may\s+\d{{1,2}}(?:st|nd|rd|th|(?=,?\s+\d{{4}}\b)|\b{_NO_VERB}))"
)
DATE: Final = re.compile(
    rf"\b(?:\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}[./]\d{{1,2}}[./](?:\d{{2,4}})?"
    rf"|(?:{WEEKDAY},?\s+(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}|{_DAY_MONTH})"
    r"(?:\s+\d{4})?"
    rf"|(?:{WEEKDAY},?\s+{MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?|{_MONTH_DAY})(?:,?\s+\d{{4}})?"
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
    rf"(\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?({_NOT_MAY}\b|{_MAY}|may\b{_NO_VERB}))",
    re.IGNORECASE,
)


def with_months(said: str) -> str:
    """Return a text with the month at both ends of a span: "from 16 February to 20 February"."""
    return _SPAN.sub(lambda found: f"{found[1]} {found[4]}{found[2]}{found[3]}", said)
