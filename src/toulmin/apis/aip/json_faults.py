"""Collects what is wrong with one request, in the words of Google's servers.

The wordings were read in answers of Google's servers that people quote in public issue trackers,
for example "Invalid value at 'message.data[0].value' (TYPE_STRING), 12345".
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias, Union

import orjson

from toulmin.errors import FieldViolation, InvalidArgument

# A place in a request: (parent, field name or index, depth). None is the root. Tuples, because one
# is made for every object that is read and rendered only when something is wrong there.
Place: TypeAlias = Union["tuple[Place, str | int, int]", None]

# As deep as protobuf's own decoders go by default.
MAX_DEPTH: Final = 100
_MAX_FAULTS: Final = 16
_MAX_VALUE_CHARS: Final = 100
_PREFIX: Final = "Invalid JSON payload received."


def below(place: Place, label: str | int, *, levels: int = 1) -> Place:
    """Return the place of a field or list element inside another place.

    Args:
        place: The outer place.
        label: Field name, map key or index.
        levels: How many levels of messages it adds; a key of a Struct adds three.
    """
    return (place, label, levels + (0 if place is None else place[2]))


def depth_of(place: Place) -> int:
    """Return how many levels of messages lead to a place, or more; 0 for the root."""
    return 0 if place is None else place[2]


def render(place: Place) -> str:
    """Return a place as Google writes it: "grounding_spec", "facts[2].attributes[0].value"."""
    labels: list[str | int] = []
    while place is not None:
        labels.append(place[1])
        place = place[0]
    text = ""
    for label in reversed(labels):
        if isinstance(label, int):
            text += f"[{label}]"
        else:
            text += f".{label}" if text else label
    return text


class Faults:
    """The faults of one request; reading goes on after one, to name several at once."""

    def __init__(self) -> None:
        self._violations: list[FieldViolation] = []

    def add(self, place: Place, description: str) -> None:
        """Note a fault.

        Raises:
            InvalidArgument: there are so many that reading on would tell the caller nothing.
        """
        self._violations.append(FieldViolation(render(place), description))
        if len(self._violations) >= _MAX_FAULTS:
            self.raise_if_any()

    def unknown_name(self, place: Place, name: str, reason: str = "Cannot find field.") -> None:
        """Note that the object at a place has a name that cannot be read there."""
        where = f" at '{render(place)}'" if place is not None else ""
        self.add(place, f'{_PREFIX} Unknown name "{shorten(name)}"{where}: {reason}')

    def wrong_value(self, place: Place, type_name: str, value: object) -> None:
        """Note that a value does not fit the type of its field; the value is quoted, cut off."""
        self.add(place, f"Invalid value at '{render(place)}' ({type_name}), {quote(value)}")

    def wrong_because(self, place: Place, type_name: str, reason: str) -> None:
        """Note that a value does not fit, with the reason instead of the value."""
        self.add(place, f"Invalid value at '{render(place)}' ({type_name}), {reason}")

    def too_deep(self, place: Place) -> None:
        """Refuse a request that is nested deeper than protobuf reads.

        Raises:
            InvalidArgument: always; what is below the limit is not read.
        """
        top = place
        while top is not None and top[0] is not None:
            top = top[0]
        self._violations.append(
            FieldViolation(
                render(top),
                f"{_PREFIX} Message too deep at '{render(top)}': protobuf reads at most "
                f"{MAX_DEPTH} levels of messages (a key of a Struct makes three).",
            )
        )
        self.raise_if_any()

    def raise_if_any(self) -> None:
        """Raise one error that names every fault noted so far.

        Raises:
            InvalidArgument: there is a fault.
        """
        if self._violations:
            text = "\n".join(violation.description for violation in self._violations)
            raise InvalidArgument(text, violations=self._violations)


def quote(value: Any) -> str:
    """Return a value as JSON, cut to 100 characters."""
    if isinstance(value, str):
        value = shorten(value)
    elif isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return orjson.dumps(value).decode() if _is_plain(value) else repr(value)


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | bool | int | float)


def shorten(text: str) -> str:
    """Return a text cut to 100 characters, with what UTF-8 cannot carry replaced."""
    if len(text) > _MAX_VALUE_CHARS:
        text = text[:_MAX_VALUE_CHARS] + "..."
    return text.encode("utf-8", "replace").decode("utf-8")
