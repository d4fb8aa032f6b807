"""What a status says of what has not happened: what is shipped is not delivered yet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toulmin.conversation.words import words_of

_ON_THE_WAY: Final = (
    (
        "pending",
        "processing",
        "preparing",
        "placed",
        "received",
        "confirmed",
        "packed",
        "backordered",
    ),
    ("shipped", "dispatched", "in transit", "out for delivery", "on its way"),
    ("delivered", "arrived"),
)
"""Stages that follow each other; who says a later one than the status is wrong."""
_EITHER: Final = (
    (
        ("pending", "in review", "under review", "open"),
        ("approved", "rejected", "declined", "denied"),
    ),
    (("approved", "accepted"), ("rejected", "declined", "denied")),
    (("rejected", "declined", "denied"), ("approved", "accepted")),
    (("open", "in progress"), ("closed", "resolved", "solved")),
    (("active",), ("cancelled", "expired", "suspended")),
    (("cancelled", "expired", "suspended"), ("active",)),
    (("unpaid", "overdue"), ("paid",)),
    (("cancelled",), ("shipped", "dispatched", "delivered", "arrived")),
)
"""A status, and what it denies."""
_ALSO: Final = {"canceled": "cancelled"}
_STATUS: Final = re.compile(r"\b(?:status|state)\s*\Z", re.IGNORECASE)
_HAPPENED: Final = (
    r"\b(?P<verb>(?:is|are|was|were|(?:has|have)(?:\s+been)?|had(?:\s+been)?|got|it's|they're)\s+"
    r"(?:(?:already|now|just|finally|both|all|been)\s+)*{word}\b)(?!\s+(?:to|for|by)\b)"
)
_CAME: Final = (
    r"\b(?:order|parcel|package|delivery|shipment|it|they|#?[\w-]*\d)\s+(?P<verb>{word}\b)"
)
_SAME: Final = (
    frozenset({"order", "parcel", "package", "delivery", "shipment", "shipping", "tracking"}),
    frozenset({"booking", "reservation"}),
)
"""Names of one thing."""
_OF_NO_THING: Final = frozenset({"status", "state", "current", "latest", "overall", "new"})
"""Words in the name of a status that do not say whose it is."""
_DETERMINERS: Final = frozenset(
    {"my", "our", "the", "this", "that", "these", "those", "its", "his", "her", "their", "a", "an"}
)
_PREPOSITIONS: Final = frozenset(
    {"of", "for", "from", "in", "on", "at", "with", "to", "by", "about", "under", "inside"}
)
_ENDS: Final = _PREPOSITIONS | {"which", "who", "i", "we", "you", "he", "she"}
"""What ends the words of a thing: "the order I placed"."""
_BESIDE: Final = frozenset(
    {"number", "no", "nr", "id", "code", "reference", "already", "now", "just", "all", "both"}
    | {"also", "still", "then", "never", "not", "since"}
)
"""What may stand behind the name of a thing and is none: "order number 12 finally ..."."""
_PRONOUNS: Final = frozenset({"it", "they", "them", "everything"})
_TOKEN: Final = re.compile(r"#?\w+(?:[-.]\w+)*")


@dataclass(frozen=True, slots=True)
class Call:
    """The call that returned a line.

    Attributes:
        words: Of the names of its tool and arguments: "find", "order", "id".
        ids: Values that it was made with and that have a digit.
        latest: Whether it is the last one, which "it" may mean.
    """

    words: frozenset[str]
    ids: frozenset[str] = frozenset()
    latest: bool = False


def status_denies(line: str, stated: str, call: Call | None = None) -> bool:
    """Return whether a line such as "Status: SHIPPED" denies what is stated of the same thing.

    The thing that the statement is about must be named by the line ("Membership status") or, where
    the line names none, by the call. A pronoun may mean what the latest call was about.

    Args:
        line: What is known: a name, a colon, a value.
        stated: What somebody says has happened.
        call: What returned the line; None: nothing did, it is a variable's.
    """
    name, colon, value = line.partition(":")
    if not colon or not _STATUS.search(name):
        return False
    status = " ".join(re.split(r"[\s_-]+", value.strip().lower()))
    whose = [word for word in words_of(name) if word not in _OF_NO_THING]
    return any(
        _is_of(subject, whose, call)
        for word in _denied(_ALSO.get(status, status))
        for subject in _said_of(stated, word)
    )


def _is_of(subject: Sequence[str], whose: Sequence[str], call: Call | None) -> bool:
    """Return whether a status is that of a subject.

    Args:
        subject: Its words, lower case.
        whose: What the status is of by its own name; empty: that does not say.
        call: What returned it.
    """
    plain = [word.lstrip("#") for word in subject]
    names = [
        word
        for word in plain
        if not any(char.isdigit() for char in word)
        and word not in _BESIDE
        and not word.endswith("ly")
    ]
    if not names or names[-1] in _PRONOUNS:
        numbered = call is not None and any(word in call.ids for word in plain)
        return call is not None and (call.latest or numbered)
    thing = _same_things(names[-1])
    if whose:
        return any(_same_things(word) & thing for word in whose)
    return call is not None and (
        any(_same_things(word) & thing for word in call.words)
        or any(word in call.ids for word in plain)
    )


def _same_things(word: str) -> frozenset[str]:
    single = word[:-1] if word.endswith("s") and not word.endswith("ss") else word
    return next((names for names in _SAME if single in names), frozenset({single}))


def _denied(status: str) -> list[str]:
    found: list[str] = []
    for place, stage in enumerate(_ON_THE_WAY):
        if status in stage:
            found += [word for later in _ON_THE_WAY[place + 1 :] for word in later]
            found += ["cancelled", "canceled"]
    for statuses, denied in _EITHER:
        if status in statuses:
            found += denied
    return found


def _said_of(stated: str, word: str) -> list[list[str]]:
    """Return of which subjects it is stated that a word such as "delivered" holds."""
    forms = [_HAPPENED] + ([_CAME] if word == "arrived" else [])
    found = (re.search(form.replace("{word}", word), stated, re.IGNORECASE) for form in forms)
    return [_subject(stated[: match.start("verb")]) for match in found if match is not None]


def _subject(before: str) -> list[str]:
    """Return the words of the subject in what stands before a verb: "the refund for my order"."""
    words = [word.lower() for word in _TOKEN.findall(before)]
    begins = [place for place, word in enumerate(words) if word in _DETERMINERS]
    while begins and begins[-1] and words[begins[-1] - 1] in _PREPOSITIONS:
        begins.pop()
    words = words[begins[-1] + 1 :] if begins else words
    end = next((n for n, word in enumerate(words) if n and word in _ENDS), len(words))
    return words[:end]
