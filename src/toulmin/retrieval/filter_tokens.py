"""A filter or order expression as tokens, each with its column; and errors that point at one."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass

from toulmin.errors import InvalidArgument


class Kind(enum.Enum):
    """What a token is."""

    NAME = "name"
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its kind, its text (of a string: what it says), its column from 1."""

    kind: Kind
    text: str
    column: int


# A name may hold "-" inside ("pet-friendly"), so a minus before a name is a token of its own.
_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ie]?(?![\w.]))
  | (?P<name>[^\W\d][\w-]*(?:\.[\w-]+)*)
  | (?P<symbol><=|>=|!=|[-:=<>(),*])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_RESERVED = frozenset(["AND", "OR", "NOT"])
_LONGEST_SHOWN = 40


class TokenReader:
    """Reads tokens one after the other.

    Args:
        text: The expression.
        field: Path of the request field that it stands in.

    Raises:
        InvalidArgument: There is a character that begins no token, or a string without an end.
    """

    def __init__(self, text: str, field: str) -> None:
        self.field = field
        self._tokens = list(self._read(text))
        self._next = 0

    def peek(self) -> Token:
        """Return the next token."""
        return self._tokens[self._next]

    def advance(self) -> Token:
        """Return the next token and go past it; the end stays the next."""
        token = self.peek()
        if token.kind is not Kind.END:
            self._next += 1
        return token

    def take(self, symbol: str) -> bool:
        """Go past `symbol` if it is next; return whether it was."""
        return self._take_if(self.peek().kind is Kind.SYMBOL and self.peek().text == symbol)

    def take_word(self, word: str) -> bool:
        """Go past `word` if it is next; return whether it was."""
        return self._take_if(self.peek().kind is Kind.NAME and self.peek().text == word)

    def take_kind(self, kind: Kind) -> Token | None:
        """Return the next token and go past it if it is of `kind`; a reserved word is no name."""
        token = self.peek()
        if token.kind is not kind or (kind is Kind.NAME and token.text in _RESERVED):
            return None
        return self.advance()

    def expect(self, kind: Kind, expected: str) -> Token:
        """Return the next token, which must be of `kind`, and go past it."""
        token = self.peek()
        if token.kind is not kind:
            raise self.error(token, expected)
        return self.advance()

    def expect_symbol(self, symbol: str, expected: str) -> None:
        """Go past `symbol`, which must be next."""
        if not self.take(symbol):
            raise self.error(self.peek(), expected)

    def error(self, token: Token, expected: str) -> InvalidArgument:
        """Return the error that something else than `token` was expected."""
        found = "the end" if token.kind is Kind.END else _shown(token)
        return InvalidArgument.of_field(
            self.field, f"column {token.column}: expected {expected}, found {found}"
        )

    def _take_if(self, wanted: bool) -> bool:  # noqa: FBT001 - the answer to "is it next?"
        if wanted:
            self.advance()
        return wanted

    def _read(self, text: str) -> Iterator[Token]:
        place = 0
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None:
                raise self._no_token(text, place)
            if found.lastgroup != "space":
                kind = Kind(found.lastgroup)
                said = found.group()
                if kind is Kind.STRING:
                    said = _ESCAPE.sub(r"\1", said[1:-1])
                yield Token(kind, said, place + 1)
            place = found.end()
        yield Token(Kind.END, "", len(text) + 1)

    def _no_token(self, text: str, place: int) -> InvalidArgument:
        if text[place] == '"':
            problem = "the string that begins here has no closing double quote"
        elif text[place] in "'\u201c\u201d\u2018\u2019":  # typed or pasted from a text
            problem = f'strings stand in plain double quotes ("), not in {text[place]}'
        else:
            problem = f"{text[place : place + 1]!r} cannot stand here"
        return InvalidArgument.of_field(self.field, f"column {place + 1}: {problem}")


def _shown(token: Token) -> str:
    text = token.text
    if len(text) > _LONGEST_SHOWN:
        text = text[: _LONGEST_SHOWN - 1] + "…"
    hint = ""
    if token.kind is Kind.NAME and token.text.upper() in _RESERVED:
        hint = " (operators are written in capitals and stand between conditions)"
    return f'"{text}"{hint}' if token.kind is Kind.STRING else f"{text}{hint}"
