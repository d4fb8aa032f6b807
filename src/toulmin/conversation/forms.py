"""Values that are known by their form: allowed values, yes and no, times, dates, names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from toulmin.conversation.day_patterns import DATE, DAY_OF_MONTH, MONTH, TIME, WEEKDAY
from toulmin.conversation.words import words_of
from toulmin.conversation.yes_or_no import truth_in
from toulmin.domain import JsonObject
from toulmin.grounding.quantities.numbers import NUMBER_WORDS, SCALES

_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_WANTS_DAY: Final = re.compile(r"\bYYYY-MM-DD(?![-\w]|\s+HH)", re.IGNORECASE)
_ISO: Final = re.compile(r"\bISO[ -]?8601\b", re.IGNORECASE)
WANTS_CLOCK: Final = re.compile(r"\bHH:MM\b", re.IGNORECASE)
_MOVES: Final = re.compile(
    r"\b(?:change|move|switch|reschedule|postpone|bring|put|shift|swap)\w*\b", re.IGNORECASE
)
_LOOK_BACK: Final = 40
"""Characters before a place that are looked at."""
_SINCE: Final = re.compile(r"\bsince\s+(?:last\s+)?\Z", re.IGNORECASE)
_TO: Final = re.compile(r"\b(?:to|for|until)\s+(?:the\s+)?\Z", re.IGNORECASE)
_PHONE: Final = re.compile(r"(?<![\w+])\+?\(?\d[\d ()/.-]{3,}\d(?!\w)")
_QUOTED: Final = re.compile(
    r"[\"“„«](?P<double>[^\"”“»]{1,200})[\"”“»]|(?<!\w)['\u2018](?P<single>[^'\u2019]{2,200})['\u2019](?!\w)"
)
_NAME: Final = re.compile(
    r"(?:\d+\w?\s+)?[A-ZÀ-Þ][\w'\u2019.-]*\w(?:\s+(?:(?:de|la|van|von|of|the)\s+)?(?:[A-ZÀ-Þ][\w'\u2019-]*|\d+\w?\b))*"
)
_PERSON_NAME: Final = re.compile(
    r"[A-ZÀ-Þ][\w'\u2019.-]*\w(?:\s+(?:(?:de|la|van|von|der|di|da)\s+)?[A-ZÀ-Þ][\w'\u2019-]*)*"
)
_PLACES: Final = frozenset(
    {"city", "town", "village", "country", "street", "place", "address", "location", "airport"}
    | {"station", "hotel", "restaurant", "destination"}
)
_AT_PLACE: Final = re.compile(r"\b(?:in|to|from|at|near)\s+(?:the\s+)?\Z", re.IGNORECASE)
_OF_PERSON: Final = re.compile(r"\b(?:for|with|to|by|of|is)\s+\Z", re.IGNORECASE)
_GOES_TO: Final = re.compile(
    r"(?<=\bto )(?:the [a-z]+|(?:the )?[A-ZÀ-Þ][\w'\u2019-]*)(?: [A-ZÀ-Þ][\w'\u2019-]*)*"
)
_NO_NAMES: Final = re.compile(
    rf"(?:It|This|That|There|He|She|We|You|They|What|Who|Which|How|Where|When|My|Our|Your|The|Here|Today"
    r"|Tomorrow|Yesterday|Everything|Everybody|Everyone|Nothing|Nobody|Something|Somebody|One|All|Some"
    rf"|Both|I|I'm|I've|I'd|I'll|{WEEKDAY}|{MONTH})\Z",
    re.IGNORECASE,
)
_NAMED: Final = frozenset(
    {"name", "city", "town", "village", "country", "street", "place", "address", "location"}
    | {"person", "driver", "author", "guest", "recipient", "contact", "customer", "employee"}
    | {"colleague", "patient", "friend", "airport", "station", "hotel", "restaurant"}
    | {
        "pupil",
        "student",
        "child",
        "trainer",
        "donor",
        "visitor",
        "teacher",
        "member",
        "dog",
        "pet",
    }
)
"""Words in the names of arguments whose values are written with capitals."""
_FORMS: Final = {
    "email": _EMAIL,
    "mail": _EMAIL,
    "time": TIME,
    "hour": TIME,
    "date": DATE,
    "day": DATE,
    "phone": _PHONE,
    "telephone": _PHONE,
    "mobile": _PHONE,
    "fax": _PHONE,
}
TAKING_BACK: Final = (
    r"er+m?|uh+m?|um+|no|nope|wait|sorry|actually|rather|better|i mean|i meant|make (?:that|it)"
)
"""What stands between a value and the one that takes its place."""
_TAKEN_BACK: Final = re.compile(rf"\b(?:{TAKING_BACK})\b", re.IGNORECASE)
_EMPHASIS: Final = frozenset(
    {"AGAIN", "NOT", "NOW", "NEVER", "STILL", "PLEASE", "ASAP", "VERY", "ALL", "TODAY", "URGENT"}
    | {"REALLY", "HELP", "NO", "YES", "ANY", "EVERY", "ALWAYS", "IMMEDIATELY", "STOP", "TOMORROW"}
)
"""Words in capitals that are no names."""
_WORKS: Final = frozenset(
    {"book", "film", "movie", "song", "album", "show", "play", "game", "magazine", "series"}
)
_ACTS: Final = re.compile(
    r"(?:'s)?\s+(?:will|is|has|was|needs|wants|would|can|cannot|can't|won't|isn't|and\s+[A-ZÀ-Þ])\b"
)
"""What follows a name that begins a sentence: "Ravi will be late"."""
_CODE: Final = re.compile(
    r"(?<![\w-])(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z])[A-Z0-9]+(?:-[A-Z0-9]+)*(?![\w-])"
)
_LABELS: Final = frozenset({"label", "tag", "serial", "plate", "code", "badge", "mark"})
_ASKS_WHICH: Final = re.compile(
    r"which\b(?!\s+(?:day|date|time|number|one))"
    r"|what\s+(?:\w+\s+){0,3}(?:to|eat|bring|order|borrow)\b",
    re.IGNORECASE,
)
_THINGS: Final = frozenset({"item", "product", "dish", "article", "thing", "object", "equipment"})
_COUNTING: Final = rf"(?:{'|'.join((*NUMBER_WORDS, *SCALES))})"
_COUNT: Final = (
    rf"(?:\d+|a couple of|(?:half\s+)?a\s+(?:{'|'.join(SCALES)})"
    rf"|{_COUNTING}(?:[-\s]+(?:and\s+)?{_COUNTING})*)"
)
_NO_THING: Final = (
    r"(?!(?:for|to|from|at|on|in|with|by|that|which|who|please|and|so|because|thanks|of|into|today"
    r"|tomorrow)\b)"
)
_WORDS_OF_THING: Final = rf"(?P<thing>{_NO_THING}[a-z][\w'-]*(?:\s+{_NO_THING}[a-z][\w'-]*){{0,2}})"
_CONTAINER: Final = r"(?:(?:bottle|box|pack|packet|case|bag|cup|can|piece|pair|set)s?\s+of\s+)?"
_OWNER: Final = r"(?:(?:the|your|my|our|some|more|extra|an?)\s+)*"
_THING: Final = re.compile(
    r"\b(?:order|borrow|rent|buy|get|bring|need|reserve|lend|hire|got)\s+(?:me\s+|us\s+)?"
    rf"(?=(?:{_COUNT}|the|your|my|some|an?)\s)(?:{_COUNT}\s+)?"
    rf"{_OWNER}{_CONTAINER}{_OWNER}{_WORDS_OF_THING}",
    re.IGNORECASE,
)
_THING_FIRST: Final = re.compile(
    rf"\W*(?:{_COUNT})\s+{_OWNER}{_CONTAINER}{_OWNER}{_WORDS_OF_THING}", re.IGNORECASE
)
_BY: Final = re.compile(r"\bby\s+(?:the\s+)?\Z", re.IGNORECASE)
_AFTER_HEAD: Final = re.compile(
    r"\b(?:of|for|to|from|who|that|which|where|when|at|in|on|with|by|if|as)\b|[.;:,(]",
    re.IGNORECASE,
)
_LONGEST_HEAD: Final = 4
_WORDS: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")


@dataclass(frozen=True, slots=True)
class Found:
    """A value and where it stands.

    Attributes:
        value: The value.
        start: First character.
        end: One past the last.
    """

    value: Any
    start: int
    end: int

    def overlaps(self, other: Found) -> bool:
        """Return whether two stand on one character or more together."""
        return self.start < other.end and other.start < self.end


def form_of(name: str, schema: JsonObject) -> re.Pattern[str] | None:
    """Return the pattern that the values of an argument have; None: it has none.

    The name tells it, or where it has no such word what the description is headed by: "when", the
    "Date of the visit".
    """
    told = str(schema.get("description", ""))
    if _WANTS_DAY.search(told):
        return DATE
    if WANTS_CLOCK.search(told):
        return TIME
    return next((_FORMS[word] for word in head_of(name, schema) if word in _FORMS), None)


def wants_iso(name: str, schema: JsonObject) -> bool:
    """Return whether an argument is a day that is to be written YYYY-MM-DD."""
    told = str(schema.get("description", ""))
    says_so = _WANTS_DAY.search(told) or _ISO.search(told)
    return bool(says_so) and form_of(name, schema) is DATE


def head_of(name: str, schema: JsonObject) -> list[str]:
    """Return the words of an argument's name, then those that its description is headed by.

    A note for the driver is no driver, and the number of the day pass no day.
    """
    head = _AFTER_HEAD.split(str(schema.get("description", "")), maxsplit=1)[0]
    words = words_of(head)
    return words_of(name) + (words if len(words) <= _LONGEST_HEAD else [])


def by_form(
    name: str, schema: JsonObject, said: str, *, answer: bool, taken: Iterable[Found] = ()
) -> Found | None:
    """Return the value of an argument that is known by its form; None: there is none.

    Args:
        name: The argument.
        schema: What it may be.
        said: What was said.
        answer: Whether that answers a question for this argument; yes and no count only then.
        taken: What is the value of another one.
    """
    kind = schema.get("type", "STRING")
    if schema.get("enum"):
        return _one_of(schema["enum"], said)
    if kind == "BOOLEAN":
        truth = truth_in(name, schema, said, answer=answer)
        return Found(*truth) if truth else None
    if kind != "STRING":
        return None
    if pattern := form_of(name, schema):
        free = masked(said, taken)
        found = _moved_to(pattern, free) or _first(pattern, free)
        if found is None and pattern is DATE:
            found = DAY_OF_MONTH.search(free)
        return Found(found[0].strip(" ."), found.start(), found.end()) if found else None
    quoted = _QUOTED.search(said)
    if quoted is None:
        return None
    return Found(quoted["double"] or quoted["single"], quoted.start(), quoted.end())


def _first(pattern: re.Pattern[str], said: str) -> re.Match[str] | None:
    """Return the first one.

    One that something has lasted since, or that may be a price, only where there is no other.
    """
    several = list(pattern.finditer(said))
    fresh = [one for one in several if not ends_with(_SINCE, said, one.start())] or several
    sure = [one for one in fresh if not one.groupdict().get("bare")]
    return next(iter(sure or fresh), None)


def _moved_to(pattern: re.Pattern[str], said: str) -> re.Match[str] | None:
    """Return the one that something is moved to, of several: "change it from Friday to Monday"."""
    several = list(pattern.finditer(said))
    if len(several) < 2 or not _MOVES.search(said):
        return None
    to = [one for one in several if ends_with(_TO, said, one.start())]
    return to[-1] if to else None


def proper_name(name: str, schema: JsonObject, said: str, taken: Iterable[Found]) -> Found | None:
    """Return the only words with capitals where the value of an argument has them.

    The first word of a sentence does not count.
    """
    if not is_named(name, schema):
        return None
    is_place = bool(_PLACES & set(head_of(name, schema)))
    rest = masked(said, taken)
    found = [
        Found(match[0], match.start(), match.end())
        for match in (_NAME if is_place else _PERSON_NAME).finditer(rest)
        if (not _begins_sentence(said, match.start()) or _ACTS.match(said, match.end()))
        and not _NO_NAMES.match(match[0])
        and match[0] not in _EMPHASIS
    ]
    if _is_work(name, schema):
        found = [item for item in found if not ends_with(_BY, rest, item.start)]
        return found[0] if len(found) == 1 else None
    if len(found) != 1:
        before = _AT_PLACE if is_place else _OF_PERSON
        found = [item for item in found if ends_with(before, rest, item.start)]
    return found[0] if len(found) == 1 else None


def name_beside(name: str, schema: JsonObject, said: str) -> str | None:
    """Return the name that stands right behind an argument's own word: "my stylist is Paola"."""
    if not is_named(name, schema) or not (own := words_of(name)):
        return None
    found = re.search(
        rf"\b{re.escape(own[-1])}\b(?:\s+(?:is|named|called|should be|will be))?:?\s+"
        rf"(?-i:(?P<name>{_PERSON_NAME.pattern}))",
        said,
        re.IGNORECASE,
    )
    return found["name"] if found and not _NO_NAMES.match(found["name"]) else None


def destination(name: str, said: str) -> Found | None:
    """Return where something goes to, where an argument asks for that: "to the airport"."""
    found = list(_GOES_TO.finditer(said)) if "destination" in words_of(name) else []
    return Found(found[0][0], found[0].start(), found[0].end()) if len(found) == 1 else None


def code_in(name: str, schema: JsonObject, said: str, taken: Iterable[Found]) -> Found | None:
    """Return the only word of capitals and digits, "ORS-0417", where an argument is a label."""
    if not _LABELS & set(head_of(name, schema)):
        return None
    found = list(_CODE.finditer(masked(said, taken)))
    return Found(found[0][0], found[0].start(), found[0].end()) if len(found) == 1 else None


def thing_in(name: str, schema: JsonObject, said: str, taken: Iterable[Found]) -> Found | None:
    """Return the thing that is ordered, borrowed, needed, where an argument asks which one it is.

    "Order the pork gyoza", "two extra pillows to room 412", "a dozen bottles of your riesling".
    """
    told = str(schema.get("description", ""))
    asks = _ASKS_WHICH.match(told) or _THINGS & set(head_of(name, schema))
    if not asks or is_named(name, schema):
        return None
    rest = masked(said, taken)
    found = _THING.search(rest) or _THING_FIRST.match(rest)
    if found is None:
        return None
    return Found(found["thing"], found.start("thing"), found.end("thing"))


def masked(said: str, found: Iterable[Found]) -> str:
    """Return a text with spaces where something was found; places stay."""
    for item in found:
        said = said[: item.start] + " " * (item.end - item.start) + said[item.end :]
    return said


def is_day_or_time(text: str) -> bool:
    """Return whether a text is a date, a day or a time, and nothing else."""
    return any(pattern.fullmatch(text) for pattern in (DATE, TIME, DAY_OF_MONTH))


def is_named(name: str, schema: JsonObject) -> bool:
    """Return whether the values of an argument are names, which are written with capitals."""
    return bool(_NAMED & set(head_of(name, schema))) or _is_work(name, schema)


def _is_work(name: str, schema: JsonObject) -> bool:
    """Return whether an argument is the title of a book, a film, a show."""
    head = set(head_of(name, schema))
    told = set(words_of(str(schema.get("description", ""))))
    return bool(_WORKS & head) or ("title" in head and bool(_WORKS & told))


def is_proper_name(text: str) -> bool:
    """Return whether a text is a name with capitals and nothing else."""
    return bool(_NAME.fullmatch(text)) and not _NO_NAMES.match(text)


def ends_with(pattern: re.Pattern[str], text: str, place: int) -> bool:
    """Return whether what a pattern ends with stands right before a place of a text."""
    return pattern.search(text, max(0, place - _LOOK_BACK), place) is not None


def _begins_sentence(said: str, place: int) -> bool:
    before = said[:place].rstrip()
    return not before or before[-1] in ".!?"


def _one_of(choices: list[Any], said: str) -> Found | None:
    """Return the first choice that is named, or what it was taken back for: "small? no, medium"."""
    words = list(_WORDS.finditer(said))
    found: list[tuple[int, int, int, Found]] = []
    for choice in choices:
        wanted = words_of(str(choice))
        for at in range(len(words) - len(wanted) + 1):
            if wanted and [word[0].lower() for word in words[at : at + len(wanted)]] == wanted:
                value = Found(choice, words[at].start(), words[at + len(wanted) - 1].end())
                found.append((at, -len(wanted), len(found), value))
                break
    first: Found | None = None
    for *_, value in sorted(found, key=lambda one: one[:3]):
        if first is None or _TAKEN_BACK.search(said[first.end : value.start]):
            first = value
    return first
