"""What is so or not: values of arguments that are true or false.

What was said answers the question for one ("yes please"), has its name ("and breakfast", "without
the dog"), or one of two opposites that its description sets against each other ("True turns it on,
false turns it off").
"""

from __future__ import annotations

import re
from typing import Final

from toulmin.conversation.words import words_of
from toulmin.domain import JsonObject

Truth = tuple[bool, int, int]
"""A value, the first character of what says it, and one past the last."""

_OPPOSITES: Final = (
    *(("on", "off"), ("open", "closed"), ("open", "close"), ("up", "down"), ("enable", "disable")),
    *(("enabled", "disabled"), ("lock", "unlock"), ("locked", "unlocked"), ("start", "stop")),
)
_TRUE_FALSE: Final = re.compile(
    r"\btrue\b(?P<true>[^.;]{0,80}?)\bfalse\b(?P<false>[^.;]{0,80})", re.I
)
_LEADING: Final = frozenset({"is", "has", "have", "with", "wants", "needs", "include", "includes"})
"""Words that the name of something that is so or not begins with: `with_dog`, `hasGarden`."""
_DENIED_BEHIND: Final = re.compile(
    r"\s+(?:is\s+|are\s+)?(?:not|isn['\u2019]?t|aren['\u2019]?t)\b", re.I
)
_CLAUSE_ENDS: Final = re.compile(r"[,.;:!?\u2026]")
_LOOK_BACK: Final = 3
"""Words before a name in which it is denied."""
_YES: Final = frozenset({"yes", "yeah", "yep", "sure", "ok", "okay", "correct", "right"})
_NO: Final = frozenset({"no", "nope", "not", "never", "don't"})
_DENIALS: Final = _NO | {"isn't", "isn\u2019t", "isnt", "without", "nothing", "haven't", "havent"}
_PLAIN_YES: Final = frozenset({"yes", "yeah", "yep", "yup"})
_PLAIN_NO: Final = frozenset({"no", "nope", "nah"})
_BEFORE_YES: Final = frozenset({"well", "oh", "um", "uh", "er", "hm", "so", "and", "ok", "okay"})
_WORDS: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")


def truth_in(name: str, schema: JsonObject, said: str, *, answer: bool) -> Truth | None:
    """Return whether what an argument is about is said to be so; None: nothing is said of it.

    Args:
        name: The argument.
        schema: What it may be.
        said: What was said.
        answer: Whether that answers a question for this argument; yes and no count only then.
    """
    if sides := opposites(schema):
        return _of_two(sides, said)
    value = _yes_or_no(said) if answer else None
    return _said_to_be(name, said) if value is None else (value, 0, len(said))


def _said_to_be(name: str, said: str) -> Truth | None:
    """Return whether a text says that something is as an argument is called: "it is fragile"."""
    own = words_of(name)
    own = own[1:] if own[:1] and own[0] in _LEADING else own
    found = re.search(rf"\b{' '.join(map(re.escape, own))}\b", said, re.IGNORECASE) if own else None
    if found is None:
        return None
    clause = _CLAUSE_ENDS.split(said[: found.start()])[-1]
    before = {word.lower() for word in _WORDS.findall(clause)[-_LOOK_BACK:]}
    denying = _DENIALS - _PLAIN_NO if "with" in before else _DENIALS  # "no with the dog"
    denied = bool(before & denying) or bool(_DENIED_BEHIND.match(said, found.end()))
    return not denied, found.start(), found.end()


def opposites(schema: JsonObject) -> tuple[str, str] | None:
    """Return the words for true and false where a description has them: "True turns it on, ..."."""
    told = _TRUE_FALSE.search(str(schema.get("description", "")))
    if schema.get("type") != "BOOLEAN" or told is None:
        return None
    true, false = set(words_of(told["true"])), set(words_of(told["false"]))
    for pair in _OPPOSITES:
        for yes, no in (pair, pair[::-1]):
            if yes in true - false and no in false - true:
                return yes, no
    return None


def _of_two(sides: tuple[str, str], said: str) -> Truth | None:
    """Return which of two opposite words a text has; None: neither, or both."""
    found = [word for word in _WORDS.finditer(said) if word[0].lower() in sides]
    if len({word[0].lower() for word in found}) != 1:
        return None
    return found[0][0].lower() == sides[0], found[0].start(), found[0].end()


def _yes_or_no(said: str) -> bool | None:
    """Return what is said to a question for yes or no; the first word counts if it is one."""
    words = [word.lower() for word in _WORDS.findall(said)]
    first = next((word for word in words if word not in _BEFORE_YES), "")
    if first in _PLAIN_YES | _PLAIN_NO:
        return first in _PLAIN_YES
    yes, no = bool(set(words) & _YES), bool(set(words) & _NO)
    return yes if yes != no else None
