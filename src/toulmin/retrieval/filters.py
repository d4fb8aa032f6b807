r"""The filter expressions of Discovery Engine: text -> predicate.

    filter     = and-part { "OR" and-part }
    and-part   = negation { "AND" negation }
    negation   = [ "NOT" | "-" ] ( "(" filter ")" | condition )
    condition  = field ":" "ANY" "(" string { "," string } ")"
               | field ":" "IN" "(" bound "," bound ")"
               | field ( ":" | "=" | "!=" ) ( string | number )
               | field ( "<" | "<=" | ">" | ">=" ) ( string | number )
    bound      = number [ "i" | "e" ] | "*"        (lower included, upper excluded if not said)
    field      = name { "." name } | string

Strings stand in double quotes, with `\"` and `\\` inside. A string that is compared is a time (a
year, a month, a day or a moment of ISO 8601), "true" or "false", or text; text can only be equal. A
number is a number, or for a field of times the microseconds since 1970. `a != b` is `NOT a = b`.
Capitals count everywhere.

Shape and examples: https://docs.cloud.google.com/generative-ai-app-builder/docs/filter-search-metadata
That page leaves open whether AND or OR binds closer; here AND does, as in SQL and most languages.
Wider than there: text with `=`, `!=`, and strings after `:` without ANY.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from toulmin.errors import InvalidArgument
from toulmin.retrieval.filter_tokens import Kind, Token, TokenReader
from toulmin.retrieval.filter_values import Bound, between, compared, wrong_value
from toulmin.stores.index.predicate import (
    EVERYTHING,
    And,
    AnyOf,
    During,
    FieldValue,
    InRange,
    Is,
    Not,
    Or,
    Predicate,
    field_names,
)

MOST_LEVELS = 50
MOST_CONDITIONS = 1_000
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
_STRUCT_PREFIXES = ("structData.", "struct_data.")
_NO_KINDS: Final[Mapping[str, type[FieldValue]]] = {}
_OF_KIND: Final[Mapping[type[FieldValue], tuple[type, str]]] = {
    str: (AnyOf, 'a text: "=" or "!=" and a string, or ANY(...)'),
    int: (InRange, "a number: compare it with one, without quotes"),
    bool: (Is, "true or false: compare it with one of them"),
    datetime: (During, 'a time: compare it with one such as "2024-04-16"'),
}
"""The condition that can hold for a field of a kind, and what is said where it is another one."""


def parse_filter(
    text: str, *, field: str = "filter", kinds: Mapping[str, type[FieldValue]] = _NO_KINDS
) -> Predicate:
    """Return what `text` asks for; everything if it is blank.

    Args:
        text: A filter expression.
        field: Path of the request field that it stands in, for the error.
        kinds: What values of a field are: a condition on one of these that could hold for none is
            refused; fields that are not in it may have values of any kind.

    Raises:
        InvalidArgument: It is no filter expression; says the column (a character, from 1), what
            was expected there and what was found. Or a field is compared with what it cannot be.
    """
    if not text.strip():
        return EVERYTHING
    return _Parser(TokenReader(text, field), kinds).parse()


class _Parser:
    """Recursive descent: one method for each rule of the grammar above."""

    def __init__(self, tokens: TokenReader, kinds: Mapping[str, type[FieldValue]]) -> None:
        self._tokens = tokens
        self._kinds = kinds
        self._conditions = 0

    def parse(self) -> Predicate:
        found = self._filter(level=0)
        self._tokens.expect(Kind.END, "AND, OR or the end")
        return found

    def _filter(self, level: int) -> Predicate:
        parts = [self._and_part(level)]
        while self._tokens.take_word("OR"):
            parts.append(self._and_part(level))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _and_part(self, level: int) -> Predicate:
        parts = [self._negation(level)]
        while self._tokens.take_word("AND"):
            parts.append(self._negation(level))
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _negation(self, level: int) -> Predicate:
        negated = self._tokens.take_word("NOT") or self._tokens.take("-")
        opening = self._tokens.peek()
        if not self._tokens.take("("):
            found = self._of_kind(self._condition(), opening)
        elif level == MOST_LEVELS:
            raise self._tokens.error(opening, f"at most {MOST_LEVELS} levels of parentheses")
        else:
            found = self._filter(level + 1)
            self._tokens.expect_symbol(")", "AND, OR or ')'")
        return Not(found) if negated else found

    def _condition(self) -> Predicate:
        name_token = self._tokens.peek()
        if self._conditions == MOST_CONDITIONS:
            raise self._tokens.error(name_token, f"at most {MOST_CONDITIONS} conditions")
        self._conditions += 1
        name = self._field()
        if self._tokens.take(":"):
            return self._after_colon(name)
        operator = self._tokens.peek()
        if not any(self._tokens.take(comparison) for comparison in _COMPARISONS):
            raise self._tokens.error(operator, "':', '=', '!=', '<', '<=', '>' or '>='")
        return self._compared(name, operator.text)

    def _of_kind(self, found: Predicate, token: Token) -> Predicate:
        """Return a condition, unless no value of its field's kind can fulfil it."""
        (name,) = field_names(found)
        if name in self._kinds:
            wanted, what = _OF_KIND[self._kinds[name]]
            if not _can_hold(found, wanted):
                raise InvalidArgument.of_field(
                    self._tokens.field, f'column {token.column}: "{name}" is {what}'
                )
        return found

    def _field(self) -> str:
        token = self._tokens.take_kind(Kind.NAME) or self._tokens.take_kind(Kind.STRING)
        if token is None:
            raise self._tokens.error(self._tokens.peek(), "a field, NOT, '-' or '('")
        for prefix in _STRUCT_PREFIXES:
            if token.text.startswith(prefix):
                return token.text.removeprefix(prefix)
        return token.text

    def _after_colon(self, name: str) -> Predicate:
        token = self._tokens.peek()
        if token.kind in (Kind.STRING, Kind.NUMBER):
            return self._compared(name, "=")
        if self._tokens.take_word("ANY"):
            return AnyOf(name, self._strings())
        if self._tokens.take_word("IN"):
            return self._range(name)
        if token.text == "GEO_DISTANCE":
            raise InvalidArgument.of_field(
                self._tokens.field,
                f"column {token.column}: GEO_DISTANCE is not supported; filter by text, number,"
                " boolean or time fields",
            )
        raise self._tokens.error(token, "ANY(...), IN(...), a string in double quotes or a number")

    def _strings(self) -> tuple[str, ...]:
        self._tokens.expect_symbol("(", "'('")
        values = [self._tokens.expect(Kind.STRING, "a string in double quotes").text]
        while self._tokens.take(","):
            values.append(self._tokens.expect(Kind.STRING, "a string in double quotes").text)
        self._tokens.expect_symbol(")", "',' or ')'")
        return tuple(dict.fromkeys(values))

    def _range(self, name: str) -> Predicate:
        self._tokens.expect_symbol("(", "'('")
        low = self._bound(included_by_default=True)
        self._tokens.expect_symbol(",", "','")
        high = self._bound(included_by_default=False)
        self._tokens.expect_symbol(")", "')'")
        return between(name, low, high)

    def _bound(self, *, included_by_default: bool) -> Bound:
        if self._tokens.take("*"):
            return Bound(None, included=False)
        token = self._tokens.expect(Kind.NUMBER, "a number, or '*' for no bound")
        number, suffix = token.text, token.text[-1:]
        if suffix in ("i", "e"):
            return Bound(float(number[:-1]), included=suffix == "i")
        return Bound(float(number), included=included_by_default)

    def _compared(self, name: str, operator: str) -> Predicate:
        token = self._tokens.peek()
        if token.kind not in (Kind.STRING, Kind.NUMBER):
            raise self._tokens.error(token, "a string in double quotes or a number")
        self._tokens.advance()
        if operator == "!=":
            return Not(self._value(name, "=", token))
        return self._value(name, operator, token)

    def _value(self, name: str, operator: str, token: Token) -> Predicate:
        wrong = wrong_value(operator, token)
        if wrong:
            raise self._tokens.error(token, wrong)
        return compared(name, operator, token)


def _can_hold(condition: Predicate, kind: type) -> bool:
    """Return whether a condition, or one of its readings, is of a kind."""
    match condition:
        case Not(operand):
            return _can_hold(operand, kind)
        case Or(readings):
            return any(_can_hold(reading, kind) for reading in readings)
        case _:
            return isinstance(condition, kind)
