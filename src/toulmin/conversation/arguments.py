"""What a tool is called with, read out of what the user said; nothing is made up.

An argument comes, in this order, from what the instruction spells out, from its form (`forms.py`:
one of its allowed values, addresses, times), from the numbers and identifiers (`numerals.py`), from
the reader, which is asked for it in words, or from a variable of the same name. Nothing that was
said is the value of two arguments. What is not found is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toulmin.answering.reading.reader import QuestionReader
from toulmin.conversation.asides import is_free
from toulmin.conversation.clues import is_identifier
from toulmin.conversation.day_patterns import with_months
from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.forms import (
    Found,
    by_form,
    code_in,
    destination,
    form_of,
    is_day_or_time,
    is_named,
    masked,
    name_beside,
    proper_name,
    thing_in,
)
from toulmin.conversation.numerals import assign_numerals, numerals_in
from toulmin.conversation.repairs import mended
from toulmin.conversation.schemas import value_problem
from toulmin.conversation.words import words_of
from toulmin.conversation.yes_or_no import opposites
from toulmin.domain import JsonObject

SURE: Final = 0.5
"""Probability from which on the reader is believed.

docs/decisions/0055 has what lower ones give.
"""

_IS: Final = re.compile(
    r"^\W*(?:(?:well|so|okay|ok|sure|yes|and|but|sorry|actually|please|um+|uh+|hm+)\b\W*)*"
    r"(?:(?:let'?s say|make (?:it|that)|i mean|i meant|i think|i guess"
    r"|i(?:['\u2019]d| would)? (?:want|like|need|prefer))\s+)?"
    r"(?:(?:it|that|this|they|mine)(?:['\u2019](?:s|d be|ll be)|\s+(?:is|are|would be|will be))\s+"
    r"|(?:the|my)\s[\w\s]{1,30}?\sis\s+)?"
    r"(?:(?:under|in)\s+(?:the\s+name(?:\s+of)?\s+)?(?-i:(?=[A-ZÀ-Þ])))?"
    r"(?:(?:called|named)\s+)?(?:me,\s+)?(?:(?:an?|the|my)\s+)?"
    r"(?:(?:to|into|for|from|in|at|with)\s+(?-i:(?=[A-ZÀ-Þ\d])))?",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    r"(?:\W+(?:please|thanks|thank you|if you (?:would|could|can|will|don['\u2019]t mind|please))"
    r"|\s+(?:first|for now|to start with))+\W*$",
    re.IGNORECASE,
)
_SPEAKS: Final = re.compile(r"^\W*(?:i|we|you|he|she|they|it|there)\b", re.IGNORECASE)
_ASKS: Final = re.compile(r"(?:why|what|when|where|who|which|how|whether|if)\b", re.IGNORECASE)
_DIRECT: Final = re.compile(
    r"(?:for|by|until|from|in|on|at|to|with)\s+(?:how|which|what|whom|when)\b[\w\s]*\Z"
    r"|(?:which|how many|how much)\s+\w+"
    r"(?:\s+(?!(?:is|are|was|were|it|to|the|they|he|she|you)\b)\w+)?\Z"
    r"|(?:when|where|how|why|what|which\s+\w+|on\s+which\s+\w+)\s+(?:did|does|do|can|should|will|must)\s.+\Z"
    r"|is\s+(?:it|there|that|this)\s.+\Z"
    r"|who\s+(?!(?:to|it|is to)\b)\w+(?:\s+\w+){0,4}\Z",
    re.IGNORECASE,
)
"""Descriptions that are questions as they stand: "For how many days", "Who takes it over"."""
_FORMAT: Final = re.compile(
    r"[,;(\s]*(?:in the form(?:at)? |as )?(?:YYYY-MM-DD|HH:MM)[)]?\.?\Z", re.IGNORECASE
)
"""How a value is to be written, which is no part of the question."""
_CAN_YOU: Final = "Can you tell me "
_LONGEST_QUESTION: Final = 12
_PLURAL: Final = re.compile(r"(?:[^su]s|people|persons|children)\Z")
_PERSON: Final = re.compile(
    r"(?:person|recipient|driver|guest|contact|customer|patient|author|colleague|friend|employee)"
    r"(?:\s+(?:who|that|to|of|for|with)\b|\Z)"
)
_LIST: Final = 3
"""Parts of a list, at least."""
_PART: Final = 3
"""Words of each, at most."""
_SHORT: Final = 6
"""Words of an answer that is taken as it stands."""


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
        wanted = {
            name: schema
            for name, schema in tool.properties.items()
            if name not in args and (name in tool.required or _is_certain(name, schema))
        }
        meant = _as_meant(said)
        args |= self._find_all(wanted, meant, if_named=wanted.keys() - set(tool.required))
        for name, schema in tool.properties.items():
            beside = None if name in wanted or name in args else name_beside(name, schema, meant)
            if beside is not None and not value_problem(beside, schema):
                args[name] = beside
        for name in tool.required:
            value = _of_variable(variables.get(name), tool.properties.get(name, {}))
            if name not in args and value is not None:
                args[name] = value
        missing = tuple(name for name in tool.required if name not in args)
        if len(missing) == 1 and (left := left_of_list(said, args.values(), tool)):
            schema = tool.properties.get(missing[0], {})
            if value_kind(missing[0], schema) == "STRING" and not value_problem(left, schema):
                args[missing[0]], missing = left, ()
        return Filled({name: args[name] for name in tool.properties if name in args}, missing)

    def find(self, name: str, schema: JsonObject, said: str, *, answer: bool = False) -> Any:
        """Return the value of one argument in what was said; None: it is not there.

        Args:
            name: The argument.
            schema: What it may be.
            said: What the user said.
            answer: Whether that answers a question for this argument, so that a text that is
                nothing else is its value.
        """
        return self._find_all({name: schema}, _as_meant(said), answer=answer).get(name)

    def take(self, name: str, schema: JsonObject, said: str) -> tuple[Any, str]:
        """Return the value in an answer to the question for an argument, and the rest of it.

        The rest has spaces where the value stood, so that it is not the value of another one.
        """
        said, found = _as_meant(said), dict[str, Found]()
        value = self._find_all({name: schema}, said, answer=True, places=found).get(name)
        return value, masked(said, found.values()) if value is not None else said

    def values_in(self, schemas: Mapping[str, JsonObject], said: str) -> dict[str, Any]:
        """Return the values of any of these arguments in what was said."""
        return self._find_all(schemas, _as_meant(said))

    def _find_all(
        self,
        wanted: Mapping[str, JsonObject],
        said: str,
        *,
        answer: bool = False,
        if_named: Collection[str] = (),
        places: dict[str, Found] | None = None,
    ) -> dict[str, Any]:
        """Return the values that are there; no stretch of the text is the value of two.

        Arguments in `if_named` get a number or identifier only where their name stands near it.
        Where they were found is put into `places`.
        """
        if not said.strip():
            return {}
        found: dict[str, Found] = {}
        for name, schema in wanted.items():
            value = by_form(name, _inside(schema), said, answer=answer, taken=found.values())
            if value and not any(value.overlaps(other) for other in found.values()):
                found[name] = value
        rest = masked(said, found.values())
        left = {name: _inside(schema) for name, schema in wanted.items() if name not in found}
        numerals, unclear = assign_numerals(left, rest, asked=answer, if_named=if_named)
        for name, numeral in numerals.items():
            read = numeral.text if is_identifier(name, left[name]) else _tidy(numeral.number)
            found[name] = Found(read, numeral.start, numeral.end)
        for name, schema in left.items():
            if name not in found and (value := self._by_reading(
                name, schema, said, taken=found.values(), answer=answer, unclear=name in unclear
            )):  # fmt: skip
                found[name] = value
        if places is not None:
            places |= found
        values = {name: _wrapped(wanted[name], item.value) for name, item in found.items()}
        return {
            name: value for name, value in values.items() if not value_problem(value, wanted[name])
        }

    def _by_reading(
        self,
        name: str,
        schema: JsonObject,
        said: str,
        *,
        taken: Iterable[Found],
        answer: bool,
        unclear: bool,
    ) -> Found | None:
        """Return a value that has no form of its own, or is one of several numbers."""
        kind = schema.get("type", "STRING")
        if kind in ("INTEGER", "NUMBER"):
            span = self._read(name, schema, said, taken) if unclear else None
            inside = (
                [item for item in numerals_in(span.value) if item.number is not None]
                if span
                else []
            )
            return Found(_tidy(inside[0].number), span.start, span.end) if span and inside else None
        formed = is_identifier(name, schema) or form_of(name, schema) is not None
        if kind in ("BOOLEAN", "OBJECT") or schema.get("enum") or formed:
            return None
        free = is_free(name, schema)
        if answer and len(said.split()) <= _SHORT:
            text = _CLOSING.sub("", _IS.sub("", said)).strip(" .!?\n")
            if free:
                return Found(text, 0, len(said)) if text else None
            if not _SPEAKS.match(text):
                return self._as_it_stands(name, schema, text, said)
        found = self._read(name, schema, said, taken) or proper_name(name, schema, said, taken)
        found = found or destination(name, said)
        if found is None and not answer:
            found = code_in(name, schema, said, taken) or thing_in(name, schema, said, taken)
        whole = answer and (free or not _SPEAKS.match(said))
        return found or (Found(said.strip(), 0, len(said)) if whole else None)

    @staticmethod
    def _as_it_stands(name: str, schema: JsonObject, text: str, said: str) -> Found | None:
        """Return a short answer as the value, or the name in it: "to my brother Jonas"."""
        if not _may_be(text, name, schema):
            return None
        name_in_it = proper_name(name, schema, said, ()) if text[0].islower() else None
        return name_in_it or Found(text, 0, len(said))

    def _read(
        self, name: str, schema: JsonObject, said: str, taken: Iterable[Found]
    ) -> Found | None:
        question = question_in_words(name, schema)
        answers = self._reader().read(question, [said], most_answers=1).answers
        if not answers or answers[0].probability < SURE:
            return None
        span, answer = answers[0].text.strip(" .,;!?\n"), answers[0]
        names = set(words_of(name))
        content = [word for word in words_of(span) if word not in names]
        if not content or span.lower() == said.strip(" .,;!?\n").lower():
            return None
        found = Found(span, answer.start, answer.end)
        return None if any(found.overlaps(other) for other in taken) else found


def _as_meant(said: str) -> str:
    """Return what was said without what was taken back in it, each day with its month."""
    return with_months(mended(said))


def left_of_list(said: str, values: Iterable[Any], tool: ToolSpec) -> str:
    """Return the only part of a terse list that no value is from: "van, leeds, friday, 2 days"."""
    parts = [part.strip(" .!?") for part in said.split(",")]
    if len(parts) < _LIST or any(len(part.split()) > _PART for part in parts):
        return ""
    found = [str(value).lower() for value in values]
    left = [part for part in parts if not any(one in part.lower() for one in found)]
    own = set(words_of(f"{tool.display_name} {tool.description}"))
    return left[0] if len(left) == 1 and not own & set(words_of(left[0])) else ""


def question_in_words(name: str, schema: JsonObject) -> str:
    """Return the question to the reader: "Which order number is mentioned?".

    What a user has said is no text about an order, and whether it mentions a value is easier to
    tell than whether it says what the value is (docs/decisions/0055).
    """
    asked = question_for(name, schema)
    if told := re.fullmatch(rf"{_CAN_YOU}(.)(.*)", asked):
        return told[1].upper() + told[2]
    what = re.fullmatch(r"(?:What|Who) is the (.+)\?", asked)
    return f"Which {what[1]} is mentioned?" if what else asked


def question_for(name: str, schema: JsonObject) -> str:
    """Return the question for an argument: "What is the order number?".

    One for a person is "Who is the recipient?", one for a number of things that nothing describes
    "How many guests?", and one for what is described as a question "Can you tell me why it is
    returned?".
    """
    description = _FORMAT.sub("", str(schema.get("description", "")).strip())
    if description.endswith("?"):
        return description
    if sides := opposites(schema):
        return f"{sides[0].capitalize()} or {sides[1]}?"
    description = description.rstrip(".")
    first = re.split(r"(?<=\w)[.;(]\s", description)[0].strip()
    if _DIRECT.match(first):
        return f"{first}?"
    if _ASKS.match(first) and 1 < len(first.split()) <= _LONGEST_QUESTION:
        return f"{_CAN_YOU}{first[:1].lower()}{first[1:]}?"
    words = words_of(name)
    counts = schema.get("type") == "INTEGER" and not description
    if counts and words and _PLURAL.search(words[-1]):
        return f"How many {' '.join(words)}?"
    if not first or len(first.split()) > _LONGEST_QUESTION or _ASKS.match(first):
        first = " ".join(words)
    first = re.sub(r"^(?:the|an?|your|my)\s+", "", first, flags=re.IGNORECASE)
    lowered = first if first[1:2].isupper() else first[:1].lower() + first[1:]
    return f"{'Who' if _PERSON.match(lowered) else 'What'} is the {lowered}?"


def _is_certain(name: str, schema: JsonObject) -> bool:
    """Return whether an optional argument is looked for: one that cannot be mistaken."""
    kind = schema.get("type", "STRING")
    if schema.get("enum") or kind in ("INTEGER", "NUMBER", "BOOLEAN"):
        return True
    formed = form_of(name, schema) is not None or is_identifier(name, schema)
    return kind == "STRING" and formed


def _may_be(text: str, name: str, schema: JsonObject) -> bool:
    """Return whether a text may be what was asked for: nobody is called 25, or "on Monday"."""
    if not text or is_day_or_time(re.sub(r"^(?:on|at|by|until|from)\s+", "", text)):
        return False
    return not is_named(name, schema) or any(c.isalpha() for c in text)


def value_kind(name: str, schema: JsonObject) -> str:
    """Return what values of an argument look like: its type, or its form where a text has one."""
    kind = str(schema.get("type", "STRING"))
    if kind in ("INTEGER", "NUMBER"):
        return "NUMBER"
    if kind != "STRING" or schema.get("enum"):
        return f"{kind} {schema.get('enum', '')}"
    pattern = form_of(name, schema)
    return pattern.pattern if pattern else "identifier" if is_identifier(name, schema) else kind


def _of_variable(value: Any, schema: JsonObject) -> Any:
    empty = value is None or value == "" or value_problem(value, schema)
    return None if empty else value


def _inside(schema: JsonObject) -> JsonObject:
    """Return the schema of what is looked for: of an array, that of its items."""
    if schema.get("type") != "ARRAY":
        return schema
    items: JsonObject = schema.get("items", {})
    return {"description": schema.get("description", ""), **items}


def _wrapped(schema: JsonObject, value: Any) -> Any:
    return [value] if schema.get("type") == "ARRAY" else value


def _tidy(number: float | None) -> float | None:
    return int(number) if number is not None and number.is_integer() else number
