"""Which part of an instruction belongs to which tool or agent.

An instruction is prose, numbered steps or XML. What a tool or agent is for is read from it, so that
a user's words can be compared with it; the steps themselves are not followed without a language
model. A part belongs to a target when it names it: `{@TOOL: find_order}`, `{@AGENT: Returns}`, or
the words of its display name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from toulmin.conversation.words import words_of

# No step holds another one's beginning; else many that are not ended take time squared.
_STEP: Final = re.compile(r"<step\b[^<>]*>((?:[^<]|<(?!/?step\b))*+)</step>", re.DOTALL)
_TRIGGER: Final = re.compile(r"<trigger>(.*?)</trigger>", re.DOTALL)
_NUMBERED: Final = re.compile(r"^[ \t]*(?=\d+[.)]\s)", re.MULTILINE)
_REFERENCE: Final = re.compile(r"\{@(?:TOOL|AGENT):\s*([^}]+)\}")
_TAG: Final = re.compile(r"</?[A-Za-z_][^<>]*>")
_MARKER: Final = re.compile(r"^\s*(?:\d+[.)]|[-*])\s*")
_CONDITION: Final = re.compile(r"^(?:if|when|whenever|once)\s+", re.IGNORECASE)
_CONSTANT: Final = re.compile(
    r'^[ \t]*[-*]?[ \t]*(\w+)[ \t]*=[ \t]*"([^"\n]*)"[ \t]*$', re.MULTILINE
)
_ROLE: Final = re.compile(
    r"<(role|primary_goal)>((?:[^<]|<(?!/?(?:role|primary_goal)>))*+)</\1>", re.DOTALL
)
_BRACKETS: Final = re.compile(r"\(([^()]*,[^()]*)\)")
_ON_VARIABLE: Final = re.compile(r"\s+(?:AND|OR)\s+\{.*", re.IGNORECASE)
_OR: Final = re.compile(r",\s+or\s+", re.IGNORECASE)
_LONGEST: Final = 400


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of an instruction that names a target.

    Attributes:
        phrases: When the target is to be used, as far as the part says.
        constants: Arguments that the part spells out.
    """

    phrases: tuple[str, ...]
    constants: Mapping[str, str] = field(default_factory=dict)


@lru_cache(maxsize=1_024)
def role_of(instruction: str) -> str:
    """Return the sentence in which an instruction says what the agent is for; empty: none."""
    text = _without_comments(instruction)
    found = _ROLE.search(text)
    body = found[2] if found else text.split("<", 1)[0]
    return " ".join(_TAG.sub(" ", body).split())[:_LONGEST]


@lru_cache(maxsize=1_024)
def mentions(instruction: str, name: str) -> tuple[Mention, ...]:
    """Return the parts of an instruction that name a tool or an agent.

    Args:
        instruction: The instruction.
        name: The target's display name.
    """
    return tuple(_mentions(_without_comments(instruction), name))


@lru_cache(maxsize=1_024)
def lines_about(instruction: str, name: str) -> tuple[str, ...]:
    """Return the lines of an instruction that name a tool or an agent, as they stand there.

    Args:
        instruction: The instruction.
        name: The target's display name.
    """
    lines = _TAG.sub("\n", _without_comments(instruction)).splitlines()
    return tuple(line for line in lines if _names(line, name))


def _without_comments(text: str) -> str:
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts.append(text[at:start])
        at = end + 3
    return "".join([*parts, text[at:]])


def _mentions(text: str, name: str) -> Iterator[Mention]:
    steps = [(found[0], found[1]) for found in _STEP.finditer(text)]
    rest = _STEP.sub("\n\n", text)
    for _, body in steps:
        trigger = _TRIGGER.search(body)
        phrase = _clean(trigger[1]) if trigger else ""
        items = _NUMBERED.split(_TRIGGER.sub("", body))
        named = [item for item in items if _names(item, name)]
        if not named:
            continue
        for item in named:
            condition = _condition(item)
            constants = dict(_CONSTANT.findall(body))
            yield Mention(_with_parts(condition or phrase), constants)
    for line in _TAG.sub("\n", rest).splitlines():
        if _names(line, name):
            yield Mention(_with_parts(_clean(line)))


def _names(text: str, name: str) -> bool:
    for reference in _REFERENCE.findall(text):
        if words_of(reference) == words_of(name):
            return True
    wanted = words_of(name)
    if len(wanted) < 2:
        return False
    said = words_of(_REFERENCE.sub(" ", text))
    return any(
        all(word.startswith(start) for word, start in zip(said[at:], wanted, strict=False))
        for at in range(len(said) - len(wanted) + 1)
    )


def _condition(item: str) -> str:
    """Return when a step applies: what stands before its first colon, after "if"."""
    first = _MARKER.sub("", item.strip())
    if not _CONDITION.match(first):
        return ""
    body = re.split(r":\s*\n|:\s*$|,\s*(?:then|call|use|transfer)\b", first, maxsplit=1)[0]
    return _clean(_ON_VARIABLE.sub("", _CONDITION.sub("", body)))


def _with_parts(phrase: str) -> tuple[str, ...]:
    """Return a phrase, its alternatives, and each item of a list that it has in brackets."""
    items = [part.strip() for found in _BRACKETS.findall(phrase) for part in found.split(",")]
    choices = _OR.split(_BRACKETS.sub("", phrase)) if _OR.search(phrase) else []
    return tuple(part for part in dict.fromkeys((phrase, *choices, *items)) if part)


def _clean(text: str) -> str:
    without = _TAG.sub(" ", _REFERENCE.sub(" ", text))
    return " ".join(_MARKER.sub("", without).split())[:_LONGEST].strip(" :-")
