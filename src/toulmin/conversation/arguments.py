"""What a tool is called with, read out of what the user said; nothing is made up.

An argument comes, in this order, from what the instruction spells out, from a pattern of its own
(identifiers, e-mail addresses, numbers, yes and no, one of its allowed values), from a variable
of the same name, or from the reader, which is asked for it in words. What is not found is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toulmin.answering.reading.reader import QuestionReader
from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.schemas import value_problem
from toulmin.domain import JsonObject

SURE: Final = 0.5
"""Probability from which on the reader is believed."""

_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NUMBER: Final = re.compile(r"(?<![\w.,-])-?\d[\d,]*(?:\.\d+)?(?![\w-])")
_IDENTIFIER: Final = re.compile(r"(?<![\w-])(?=[\w-]*\d)#?([A-Za-z0-9][\w-]*)(?![\w-])")
_QUOTED: Final = re.compile(r"[\"“„«]([^\"”“»]{1,200})[\"”“»]")
_IS: Final = re.compile(
    r"^(?:well|so|okay|ok|sure|yes|it|it's|its|that's|that|this|the|my|is|are|an?|\W)+\s+",
    re.IGNORECASE,
)
_IDENTIFYING: Final = frozenset({"id", "identifier", "number", "no", "code", "sku", "reference"})
_ASKS: Final = re.compile(r"(?:why|what|when|where|who|which|how|whether|if)\b", re.IGNORECASE)
_YES: Final = frozenset({"yes", "yeah", "yep", "sure", "ok", "okay", "correct", "right"})
_NO: Final = frozenset({"no", "nope", "not", "never", "don't"})
_UNIT_NAMES: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_UNITS: Final = {name: number for number, name in enumerate(_UNIT_NAMES.split())}
_WORDS: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")


@dataclass(frozen=True, slots=True)
class Filled:
    """Arguments as far as they are known.

    Attributes:
        args: By name.
        missing: Required ones that are not known, in the order of the schema.
    """

    args: dict[str, Any]
    missing: tuple[str, ...]


class ArgumentFiller:
    """Fills in arguments; threads may share it.

    Args:
        reader: Returns what finds the answer to a question in a text.
    """

    def __init__(self, reader: Callable[[], QuestionReader]) -> None:
        self._reader = reader

    def fill(
        self,
        tool: ToolSpec,
        said: str,
        *,
        known: Mapping[str, Any],
        variables: Mapping[str, Any],
    ) -> Filled:
        """Return the arguments of a tool.

        Args:
            tool: The tool.
            said: What the user said.
            known: Arguments that are settled.
            variables: The session's variables; empty ones count as not known.
        """
        args = {name: value for name, value in known.items() if name in tool.properties}
        for name, schema in tool.properties.items():
            if name in args or not (name in tool.required or _is_asked(schema)):
                continue
            found = self.find(name, schema, said)
            if found is None and name in tool.required:
                found = _of_variable(variables.get(name), schema)
            if found is not None:
                args[name] = found
        missing = tuple(name for name in tool.required if name not in args)
        return Filled(args, missing)

    def find(self, name: str, schema: JsonObject, said: str, *, answer: bool = False) -> Any:
        """Return the value of one argument in what was said; None: it is not there.

        Args:
            name: The argument.
            schema: What it may be.
            said: What the user said.
            answer: Whether that answers a question for this argument, so that a text that is
                nothing else is its value.
        """
        if not said.strip():
            return None
        value = self._found(name, schema, said, answer=answer)
        return None if value is None or value_problem(value, schema) else value

    def _found(self, name: str, schema: JsonObject, said: str, *, answer: bool) -> Any:
        kind = schema.get("type", "STRING")
        if schema.get("enum"):
            return _one_of(schema["enum"], said)
        if kind in ("INTEGER", "NUMBER"):
            return self._number(name, schema, said)
        if kind == "BOOLEAN":
            return _yes_or_no(said) if answer else None
        if kind == "ARRAY":
            inside = self._found(name, schema.get("items", {}), said, answer=answer)
            return None if inside is None else [inside]
        return None if kind == "OBJECT" else self._text(name, schema, said, answer=answer)

    def _number(self, name: str, schema: JsonObject, said: str) -> float | None:
        numbers = [_read_number(found) for found in _NUMBER.findall(said)]
        numbers += [_UNITS[word.lower()] for word in _WORDS.findall(said) if word.lower() in _UNITS]
        if len(numbers) > 1:
            span = self._read(name, schema, said)
            inside = _NUMBER.search(span or "")
            return _read_number(inside[0]) if inside else None
        return numbers[0] if numbers else None

    def _text(self, name: str, schema: JsonObject, said: str, *, answer: bool) -> str | None:
        words = set(_words_of(name))
        about = words | set(_words_of(str(schema.get("description", ""))))
        if {"email", "mail"} & words:
            found = _EMAIL.search(said)
            return found[0] if found else None
        if words & _IDENTIFYING or (about & _IDENTIFYING and len(about) <= 4):
            return _identifier(said, about - _IDENTIFYING)
        if quoted := _QUOTED.search(said):
            return quoted[1]
        if answer and len(said.split()) <= 6:
            return _IS.sub("", said).strip(" .!?\n") or None
        span = self._read(name, schema, said)
        return span or (said.strip() if answer else None)

    def _read(self, name: str, schema: JsonObject, said: str) -> str | None:
        answers = self._reader().read(question_for(name, schema), [said], most_answers=1).answers
        if not answers or answers[0].probability < SURE:
            return None
        span = answers[0].text.strip(" .,;!?\n")
        names = set(_words_of(name))
        content = [word for word in _words_of(span) if word not in names]
        return span if content and span.lower() != said.strip(" .,;!?\n").lower() else None


def question_for(name: str, schema: JsonObject) -> str:
    """Return the question for an argument: "What is the order number?"."""
    description = str(schema.get("description", "")).strip()
    if description.endswith("?"):
        return description
    description = description.rstrip(".")
    first = re.split(r"(?<=\w)[.;(]\s", description)[0].strip()
    if not first or len(first.split()) > 12 or _ASKS.match(first):
        first = " ".join(_words_of(name))
    first = re.sub(r"^(?:the|an?|your|my)\s+", "", first, flags=re.IGNORECASE)
    lowered = first if first[1:2].isupper() else first[:1].lower() + first[1:]
    return f"What is the {lowered}?"


def _is_asked(schema: JsonObject) -> bool:
    """Return whether an optional argument is looked for: one that cannot be mistaken."""
    return bool(schema.get("enum"))


def _one_of(choices: list[Any], said: str) -> Any:
    words = [word.lower() for word in _WORDS.findall(said)]
    text = f" {' '.join(words)} "
    found = []
    for choice in choices:
        wanted = " ".join(_words_of(str(choice)))
        place = text.find(f" {wanted} ")
        if wanted and place >= 0:
            found.append((place, -len(wanted), choice))
    return min(found)[2] if found else None


def _yes_or_no(said: str) -> bool | None:
    words = {word.lower() for word in _WORDS.findall(said)}
    yes, no = bool(words & _YES), bool(words & _NO)
    return yes if yes != no else None


def _identifier(said: str, about: set[str]) -> str | None:
    """Return the only word with a digit in it, or the one that stands nearest after its name."""
    found = list(_IDENTIFIER.finditer(said))
    if len(found) <= 1:
        return found[0][1] if found else None
    places = [
        word.end() for word in _WORDS.finditer(said) if word[0].lower() in about | _IDENTIFYING
    ]
    after = [
        (item.start() - place, item[1])
        for item in found
        for place in places
        if item.start() >= place
    ]
    return min(after)[1] if after else None


def _of_variable(value: Any, schema: JsonObject) -> Any:
    empty = value is None or value == "" or value_problem(value, schema)
    return None if empty else value


def _read_number(text: str) -> float:
    value = float(text.replace(",", ""))
    return int(value) if value.is_integer() else value


def _words_of(text: str) -> list[str]:
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text.replace("_", " "))
    return [word.lower() for word in _WORDS.findall(spaced)]
