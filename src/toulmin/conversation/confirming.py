"""What is asked before a tool changes something, and what the user's answer to that means.

Only a plain yes is one. A text with anything else in it corrects an argument, is a no, or is about
something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import Any, Final

from toulmin.conversation import agreeing, asides
from toulmin.conversation.agreeing import AGREES, AUXILIARIES, FILLERS, NO, WORDS, YES
from toulmin.conversation.arguments import ArgumentFiller
from toulmin.conversation.clues import is_identifier
from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.forms import form_of, is_proper_name
from toulmin.conversation.numerals import numerals_in, parts_between
from toulmin.conversation.words import shown, words_of
from toulmin.domain import JsonObject

_CORRECTS: Final = re.compile(
    r"^\W*(?:no|not|nope|actually|sorry|wait|rather|yes|make|change|instead|i mean|i meant"
    r"|it(?:'s| is| should)|that should|should be|but|with|for)\b|\binstead\b",
    re.IGNORECASE,
)
_GOES_BACK: Final = re.compile(
    r"^\W*(?:no|nope|actually|sorry|wait|make|change|rather|i mean|i meant)\b|\binstead\b",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(r"\s*(?:[,;]|\b(?:and|but)\b)\s*", re.IGNORECASE)
_SETS: Final = r"(?:to|is|are|as|should be|must be|will be|be)"
_LEADS: Final = re.compile(
    r"^\W*(?:(?:yes|yeah|ok|okay|no|not|nope|but|and|well|actually|sorry|wait|rather|please|instead"
    r"|i mean|i meant|make (?:it|that)|change (?:it|that)|it(?:'s| is| should be)|that should be)"
    r"\b\W*)*(?:(?:send|give|book|move) it\s+)?"
    r"(?:(?:to|for|from|in|at|with)\b\s*)?(?:(?:the|my)\s+)?",
    re.IGNORECASE,
)
_NOT: Final = r"(?:\b(?:not|instead of|rather than|from)\s+)"
_ENDS_WITH_NOT: Final = re.compile(rf"{_NOT}\Z", re.IGNORECASE)
_DAY: Final = re.compile(r"\d{1,2}(?:st|nd|rd|th)", re.IGNORECASE)
_ISO: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAY_OF_MONTH: Final = re.compile(r"(?<!\d)(\d{1,2})(st|nd|rd|th)?(?!\d)", re.IGNORECASE)
_SHORT: Final = 4
"""Words of a text that is nothing but another value."""


class Reply(Enum):
    """What an answer to "Shall I?" is: plain, with something after it, unclear, something else."""

    YES = auto()
    NO = auto()
    YES_BUT = auto()
    NO_BUT = auto()
    UNCLEAR = auto()
    OTHER = auto()


def question_about(tool: ToolSpec, args: Mapping[str, Any]) -> str:
    """Return the sentence that says what is about to be done, with every argument as it is."""
    name = f'Shall I do "{spoken_name(tool)}"'
    given = [f"{' '.join(words_of(key)) or key} {_quoted(value)}" for key, value in args.items()]
    if not given:
        return f"{name}?"
    before = f"{', '.join(given[:-1])} and " if given[1:] else ""
    return f"{name} with {before}{given[-1]}?"


def not_done(tool: ToolSpec) -> str:
    """Return that it was not done."""
    return f'All right, I have not done "{spoken_name(tool)}".'


def spoken_name(tool: ToolSpec) -> str:
    """Return a tool's name in words."""
    return " ".join(words_of(tool.display_name.replace("-", " "))) or tool.display_name


def read_reply(said: str, tool: ToolSpec, args: Mapping[str, Any]) -> Reply:
    """Return what an answer to `question_about` means.

    Args:
        said: The answer.
        tool: The tool that was asked about; its own words say nothing new, nor are they a no.
        args: Its arguments; their values say nothing new either.
    """
    if asides.is_pause(said):
        return Reply.UNCLEAR
    text = agreeing.read_as(said)
    words = [word.lower() for word in WORDS.findall(text)]
    named = set(words_of(tool.display_name))
    first = "".join(words[:1])
    if first not in AGREES and asides.takes_back(said) and not set(words) & named:
        return Reply.NO
    known = named | {word for key in args for word in words_of(key)}
    for value in args.values():
        known |= {word.lower() for word in WORDS.findall(_quoted(value))}
    asks = agreeing.asks(text)
    nothing_new = known | YES | NO | FILLERS | (AUXILIARIES if asks else set())
    says_more = any(word not in nothing_new for word in words)
    if asks or says_more:
        if first in NO - named or (not asks and first not in AGREES and agreeing.refuses(text)):
            return Reply.NO_BUT
        if first in AGREES:
            return Reply.YES_BUT
        return Reply.OTHER if says_more else Reply.UNCLEAR  # "is that right": it is said again
    if set(words) & NO - named:  # "yes, cancel that": whoever says both is asked again
        return Reply.UNCLEAR if first in AGREES else Reply.NO
    return Reply.YES if agreeing.is_yes(text, known) else Reply.UNCLEAR


def rest_of(said: str) -> str:
    """Return what follows a first yes or no, or the clause that is a no: "hm, don't send it"."""
    rest = re.sub(r"^\W*(?:(?:yes|yeah|ok|okay|no|nope|but|and|well)\b\W*)+", "", said, flags=re.I)
    return rest if rest != said else agreeing.after_refusal(said)


def denies(said: str, tool: ToolSpec) -> str:
    """Return what follows where a user says not to do it: "no, don't cancel it, rather move it".

    Empty: they do not say that, or nothing follows.
    """
    verbs = "|".join(map(re.escape, words_of(tool.display_name)[:1]))
    found = re.search(
        rf"\b(?:do not|don['\u2019]?t|not)\s+(?:{verbs})\b[^,.;!]*[,.;!]\s*", said, re.I
    )
    return said[found.end() :].strip() if found and verbs else ""


def goes_back(said: str) -> bool:
    """Return whether a text goes back to what was said before: "no, 25", "actually Friday"."""
    return bool(_GOES_BACK.search(said))


def corrected(
    args: Mapping[str, Any],
    said: str,
    *,
    schemas: Mapping[str, JsonObject],
    filler: ArgumentFiller,
    leads_elsewhere: Callable[[], bool],
    by_look: bool = True,
) -> dict[str, Any] | None:
    """Return the arguments with what the user puts right in them; None: nothing.

    Every argument that is named gets what is said of it ("the amount to 30 and the person to Zoe");
    the rest of the text is looked through for the others, and a single value that is left goes to
    the only argument whose value looks like it ("but to Bert").

    Args:
        args: As they were asked about.
        said: What the user said.
        schemas: Of the arguments that may be put right.
        filler: Finds values in a text.
        leads_elsewhere: Whether what was said is for another tool; asked where it does not begin as
            a correction.
        by_look: Whether a value may go to the argument whose value it looks like.
    """
    if agreeing.ASKS_SOMETHING.search(said):
        return None
    words = set(words_of(said))
    names_one = any(set(words_of(name)) <= words for name in args if words_of(name))
    insists = _CORRECTS.search(said) or names_one or len(said.split()) <= _SHORT
    if not insists and leads_elsewhere():
        return None
    found, rest = _of_named(_without_values(said, args), schemas, filler)
    others = {name: schema for name, schema in schemas.items() if name not in found}
    found |= filler.values_in(others, rest)
    new = {name: _dated(args.get(name), value) for name, value in found.items()}
    new = {name: value for name, value in new.items() if args.get(name) != value}
    if by_look and not new:
        new = _of_the_same_look(rest, args, others)
    return {**args, **new} if new else None


def _of_named(
    said: str, schemas: Mapping[str, JsonObject], filler: ArgumentFiller
) -> tuple[dict[str, Any], str]:
    """Return the values that are said of arguments by name, and the text without these parts."""
    found: dict[str, Any] = {}
    rest: list[str] = []
    for part in parts_between(_PARTS, said):
        words = words_of(part)
        named = [name for name in schemas if (own := words_of(name)) and set(own) <= set(words)]
        name = max(named, key=lambda name: len(words_of(name)), default="")
        last = words_of(name)[-1] if name else ""
        after = re.search(
            rf"\b{re.escape(last)}\b(?:\s+{_SETS}\b)?\W*(?P<value>.+)", part, re.I | re.S
        )
        value = (
            filler.find(name, schemas[name], after["value"], answer=True)
            if name and name not in found and after
            else None
        )
        if value is None:
            rest.append(part)
        else:
            found[name] = value
    return found, ", ".join(rest)


def _of_the_same_look(
    said: str, args: Mapping[str, Any], schemas: Mapping[str, JsonObject]
) -> dict[str, Any]:
    """Return the one name that is left of a correction for the one argument that is a name."""
    text = _LEADS.sub("", said).strip(" .,;!?\n")
    text = re.sub(r"\W+(?:instead|please)$", "", text, flags=re.IGNORECASE)
    names = [
        name
        for name, value in args.items()
        if name in schemas and isinstance(value, str) and _is_a_name(name, schemas[name], value)
    ]
    return {names[0]: text} if len(names) == 1 and is_proper_name(text) else {}


def _is_a_name(name: str, schema: JsonObject, value: str) -> bool:
    formed = form_of(name, schema) is not None or is_identifier(name, schema)
    return not (formed or schema.get("enum")) and is_proper_name(value)


def _dated(before: Any, value: Any) -> Any:
    """Return a date with the month that it had, where only another day was said: "the 6th"."""
    if not (isinstance(before, str) and isinstance(value, str) and _DAY.fullmatch(value)):
        return value
    day = value[:-2]
    if _ISO.fullmatch(before):
        return f"{before[:-2]}{int(day):02d}"
    found = _DAY_OF_MONTH.search(before)
    if found is None:
        return value
    new = value if found[2] else day
    return f"{before[: found.start()]}{new}{before[found.end() :]}"


def _without_values(said: str, args: Mapping[str, Any]) -> str:
    """Return a text without the values that are there already: "Saturday, not Friday"."""
    numbers = [value for value in args.values() if type(value) in (int, float)]
    for numeral in reversed(numerals_in(said)):
        if numeral.number is not None and numeral.number in numbers:
            before = _ENDS_WITH_NOT.sub(" ", said[: numeral.start])
            said = f"{before} {said[numeral.end :]}"
    for value in args.values():
        if isinstance(value, str) and value:
            pattern = rf"{_NOT}?(?<!\w){re.escape(value)}(?!\w|[.,]\d)"
            said = re.sub(pattern, " ", said, flags=re.IGNORECASE)
    return said


def _quoted(value: Any) -> str:
    """Return a value as it is asked about: a text in quotes, others as JSON has them."""
    if isinstance(value, bool | float):
        return shown(value)
    return json.dumps(value, ensure_ascii=False)
