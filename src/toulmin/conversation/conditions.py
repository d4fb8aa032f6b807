"""Conditions on a session's variables: a small part of the Common Expression Language.

    plan == "gold" && (visits > 3 || !known)        comparisons, && || !, parentheses
    variables.plan, state["plan"], $context.variables.plan        all the same as plan
    user.age >= 18, plan in ["gold", "silver"], has(plan), size(cart) > 0
    name.startsWith("A"), .endsWith("z"), .contains("m")

AND, OR and NOT may stand for the signs. A variable without a value is null: it is equal to nothing
else, and anything else that is asked of it is a fault, as it is in that language.

Source: the language definition of CEL, sections on logical operators and on equality.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toulmin.conversation.words import quoted

LONGEST: Final = 10_000
"""Characters of a condition."""
DEEPEST: Final = 50
"""Parentheses, lists and denials within each other."""

Node = Callable[[Mapping[str, Any]], Any]
Step = Callable[[Any, Mapping[str, Any]], Any]
"""From a value and the variables to what is meant of the value."""

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<number>-?\d+(?:\.\d+)?)
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<name>\$?[A-Za-z_]\w*)
    |(?P<sign>&&|\|\||==|!=|<=|>=|[<>!()\[\],.])
    |(?P<end>\Z))""",
    re.VERBOSE | re.ASCII,
)
_WORDS: Final = {"AND": "&&", "OR": "||", "NOT": "!"}
_CONSTANTS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_METHODS: Final[dict[str, Callable[[str, str], bool]]] = {
    "startsWith": str.startswith,
    "endsWith": str.endswith,
    "contains": operator.contains,
}
_WHOLE: Final = ("variables", "state")


class ConditionError(ValueError):
    """A condition cannot be read, or cannot be answered for the values there are."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that was read.

    Attributes:
        text: As it was written.
        node: Returns its value.
    """

    text: str
    node: Node

    def holds(self, variables: Mapping[str, Any]) -> bool:
        """Return whether it is true of some variables.

        Raises:
            ConditionError: Its value is neither true nor false, or a value is of another type
                than what is asked of it.
        """
        return _truth(self.node(variables))


def parse_condition(text: str) -> Condition:
    """Return a condition.

    Raises:
        ConditionError: It cannot be read; says the column.
    """
    if not text.strip():
        raise ConditionError("is empty; it is required")
    if len(text) > LONGEST:
        raise ConditionError(f"has {len(text):,} characters; at most {LONGEST:,} are allowed")
    return Condition(text, _Parser(text).whole())


class _Parser:
    """Reads one condition, by descent."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._next()

    def whole(self) -> Node:
        found = self._any_of()
        if self._kind != "end":
            raise self._wrong("an operator or the end")
        return found

    def _next(self) -> None:
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            rest = self._text[self._at :].lstrip()
            self._column = len(self._text) - len(rest) + 1
            raise ConditionError(f'column {self._column}: "{rest[:20]}" cannot be read')
        self._kind = str(found.lastgroup)
        self._word = _WORDS.get(found[self._kind], found[self._kind])
        if self._word in ("&&", "||", "!"):
            self._kind = "sign"
        self._column = found.start(self._kind) + 1
        self._at = found.end()

    def _take(self, *signs: str) -> str:
        """Return the sign that stands here, and go on behind it; empty: it is none of these."""
        if self._kind == "sign" and self._word in signs:
            found = self._word
            self._next()
            return found
        return ""

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._wrong(f'"{sign}"')

    def _wrong(self, wanted: str) -> ConditionError:
        found = f'"{self._word[:20]}"' if self._word else "the end"
        return ConditionError(f"column {self._column}: {found} where {wanted} should be")

    def _any_of(self) -> Node:
        sides = [self._all_of()]
        while self._take("||"):
            sides.append(self._all_of())
        return sides[0] if len(sides) == 1 else _settled_by(sides, decisive=True)

    def _all_of(self) -> Node:
        sides = [self._relation()]
        while self._take("&&"):
            sides.append(self._relation())
        return sides[0] if len(sides) == 1 else _settled_by(sides, decisive=False)

    def _relation(self) -> Node:
        left = self._unary()
        sign = self._take("==", "!=", *_ORDERS)
        if sign:
            return _compared(left, sign, self._unary())
        if self._kind == "name" and self._word == "in":
            self._next()
            return _contained(left, self._unary())
        return left

    def _unary(self) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ConditionError(f"column {self._column}: more than {DEEPEST} levels")
        if self._take("!"):
            denied = self._unary()
            found: Node = lambda variables: not _truth(denied(variables))  # noqa: E731
        else:
            found = self._primary()
        self._depth -= 1
        return found

    def _primary(self) -> Node:
        if self._take("("):
            found = self._any_of()
            self._expect(")")
            return found
        if self._take("["):
            return self._list()
        if self._kind in ("number", "text"):
            return self._constant(self._literal())
        if self._kind != "name":
            raise self._wrong("a value")
        name = self._word
        self._next()
        if name in _CONSTANTS:
            return self._constant(_CONSTANTS[name])
        if name in ("has", "size") and self._take("("):
            inside = self._any_of()
            self._expect(")")
            if name == "has":
                return lambda variables: inside(variables) is not None
            return lambda variables: _size(inside(variables))
        return self._path(_root(name))

    def _list(self) -> Node:
        items: list[Node] = []
        while not self._take("]"):
            if items:
                self._expect(",")
            items.append(self._any_of())
        return lambda variables: [item(variables) for item in items]

    def _path(self, found: Node) -> Node:
        """Read what of a value is meant: fields of it, or answers."""
        steps: list[Step] = []
        while sign := self._take(".", "["):
            if sign == "[":
                steps.append(_field(self._literal()))
                self._expect("]")
                continue
            if self._kind != "name":
                raise self._wrong("a name")
            name = self._word
            self._next()
            if self._take("("):
                if name not in _METHODS:
                    raise ConditionError(f"{name}: is none of {', '.join(_METHODS)}")
                steps.append(_asked(name, self._any_of()))
                self._expect(")")
            else:
                steps.append(_field(name))
        return _followed(found, steps) if steps else found

    def _literal(self) -> Any:
        kind, token = self._kind, self._word
        if kind == "number":
            number = self._number(token)
            self._next()
            return number
        if kind != "text":
            raise self._wrong("a number or a text in quotes")
        self._next()
        return re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL)

    def _number(self, text: str) -> int | float:
        found = float(text)
        if not math.isfinite(found) or re.match(r"-?0\d", text):
            raise self._wrong("a number as JSON writes it, of at most 308 digits")
        return found if "." in text else int(text)

    @staticmethod
    def _constant(value: Any) -> Node:
        return lambda _variables: value


def _root(name: str) -> Node:
    """Return the value of a name: a variable, or what holds all of them."""
    if name == "$context":
        return lambda variables: {"variables": variables}

    def value(variables: Mapping[str, Any]) -> Any:
        return variables if name in _WHOLE and name not in variables else variables.get(name)

    return value


def _followed(start: Node, steps: Sequence[Step]) -> Node:
    def value(variables: Mapping[str, Any]) -> Any:
        found = start(variables)
        for step in steps:
            found = step(found, variables)
        return found

    return value


def _field(key: Any) -> Step:
    def value(found: Any, _variables: Mapping[str, Any]) -> Any:
        if isinstance(found, list) and isinstance(key, int) and 0 <= key < len(found):
            return found[key]
        return found.get(key) if isinstance(found, Mapping) else None

    return value


def _asked(method: str, argument: Node) -> Step:
    def value(text: Any, variables: Mapping[str, Any]) -> Any:
        other = argument(variables)
        if not (isinstance(text, str) and isinstance(other, str)):
            raise ConditionError(f"{method} is asked of {quoted(text)} with {quoted(other)}")
        return _METHODS[method](text, other)

    return value


def _settled_by(sides: Sequence[Node], *, decisive: bool) -> Node:
    """Return "or" (settled by true) or "and" (by false) of several sides.

    As the language has it: a fault on one side does not matter if another one settles it.
    """

    def value(variables: Mapping[str, Any]) -> bool:
        fault: ConditionError | None = None
        for side in sides:
            try:
                if _truth(side(variables)) is decisive:
                    return decisive
            except ConditionError as error:
                fault = fault or error
        if fault is not None:
            raise fault
        return not decisive

    return value


def _compared(left: Node, sign: str, right: Node) -> Node:
    def value(variables: Mapping[str, Any]) -> bool:
        one, other = left(variables), right(variables)
        if sign in ("==", "!="):
            return _equal(one, other) == (sign == "==")
        numbers = _is_number(one) and _is_number(other)
        if numbers or (isinstance(one, str) and isinstance(other, str)):
            return _ORDERS[sign](one, other)
        raise ConditionError(f"{quoted(one)} {sign} {quoted(other)} cannot be compared")

    return value


def _contained(item: Node, inside: Node) -> Node:
    def value(variables: Mapping[str, Any]) -> bool:
        found, whole = item(variables), inside(variables)
        if not isinstance(whole, list | Mapping):
            raise ConditionError(f"{quoted(whole)} is no list")
        return any(_equal(found, one) for one in whole)

    return value


def _equal(one: Any, other: Any) -> bool:
    """Return whether two values are equal; true is not 1, as it is in Python."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _size(value: Any) -> int:
    if isinstance(value, str | list | Mapping):
        return len(value)
    raise ConditionError(f"{quoted(value)} has no size")


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ConditionError(f"{quoted(value)} is neither true nor false")
