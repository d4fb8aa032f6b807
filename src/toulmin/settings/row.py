"""What one setting is: a field of a dataclass, and a row of the table that is made from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypedDict, Unpack

ENVIRONMENT_PREFIX: Final = "TOULMIN_"

_TYPE_NAMES: Final[Mapping[str, str]] = {
    "str": "text",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "tuple[str, ...]": "list",
    "Path": "path",
}


class About(TypedDict, total=False):
    """What may be said of a setting beside its help and default; see `Setting`."""

    unit: str
    at_least: float
    at_most: float
    choices: Sequence[str]
    secret: bool
    wrong: Callable[[Any], str]


_NOTHING_SAID: Final[Mapping[str, Any]] = {
    "unit": "",
    "at_least": None,
    "at_most": None,
    "choices": (),
    "secret": False,
    "wrong": None,
}


def option(help_text: str, *, default: Any, **about: Unpack[About]) -> Any:
    """Return a dataclass's field that is a setting; its name and type are the field's own.

    Args:
        help_text: What the setting does, in a sentence or two.
        default: The value when nobody sets one.
        **about: The further columns of `Setting`.
    """
    columns = {"help": help_text, **_NOTHING_SAID, **about}
    return dataclasses.field(default=default, metadata=columns, repr=not columns["secret"])


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table.

    Attributes:
        name: As in the file, "max_queue".
        type: "text", "integer", "number", "boolean", "list" or "path".
        default: The value when nobody sets one.
        unit: "seconds", "bytes", ...; empty when the value has none.
        help: What it does, in a sentence or two.
        at_least: Smallest allowed number, inclusive; None when there is no bound.
        at_most: Largest allowed number, inclusive; None when there is no bound.
        choices: The allowed words; empty when any will do.
        secret: Whether the value must not be shown.
        wrong: Says what an otherwise allowed value must be; "" where it is that.
    """

    name: str
    type: str
    default: Any
    unit: str
    help: str
    at_least: float | None
    at_most: float | None
    choices: Sequence[str]
    secret: bool
    wrong: Callable[[Any], str] | None

    @property
    def environment(self) -> str:
        """Return the environment variable's name."""
        return ENVIRONMENT_PREFIX + self.name.upper()

    @property
    def flag(self) -> str:
        """Return the command line flag."""
        return "--" + self.name.replace("_", "-")

    @property
    def allowed(self) -> str:
        """Return in words which values are allowed."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        noun = {
            "text": "a text",
            "integer": "a whole number",
            "number": "a number",
            "boolean": "true or false",
            "list": "a list of texts",
            "path": "the path of a folder",
        }[self.type]
        if self.at_least is not None and self.at_most is not None:
            return f"{noun} from {self.at_least:g} to {self.at_most:.0f}"
        if self.at_least is not None:
            return f"{noun} of at least {self.at_least:g}"
        return noun


def rows_of(table: type[Any]) -> tuple[Setting, ...]:
    """Return the settings among a dataclass's fields, in order."""
    return tuple(
        Setting(name=row.name, type=_TYPE_NAMES[str(row.type)], default=row.default, **row.metadata)
        for row in dataclasses.fields(table)
        if row.metadata
    )
