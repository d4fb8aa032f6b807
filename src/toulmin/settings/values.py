"""A value as somebody wrote it into the type of its setting, or why it cannot be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from toulmin.errors import FieldViolation, InvalidArgument
from toulmin.settings.row import Setting

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})


def convert(row: Setting, raw: object, origin: str) -> object:
    """Return the value in the row's type.

    Args:
        row: The setting.
        raw: The value as it was written: a text, or what TOML has for it.
        origin: Where it was written, for the error.

    Raises:
        InvalidArgument: It is not allowed; the message has the name, the origin, the value (but
            for a secret) and what is allowed.
    """
    try:
        value = _CONVERTERS[row.type](raw)
    except (TypeError, ValueError):
        raise refusal(row, raw, origin, row.allowed) from None
    if row.choices and value not in row.choices:
        raise refusal(row, raw, origin, row.allowed)
    if isinstance(value, int | float) and not isinstance(value, bool):
        too_small = row.at_least is not None and not value >= row.at_least
        too_large = row.at_most is not None and not value <= row.at_most
        if too_small or too_large:
            raise refusal(row, raw, origin, row.allowed)
    if row.wrong is not None and (allowed := row.wrong(value)):
        raise refusal(row, raw, origin, allowed)
    return value


def refusal(row: Setting, raw: object, origin: str, allowed: str) -> InvalidArgument:
    """Return the error for a value that is not allowed."""
    value = "(hidden)" if row.secret else repr(raw)
    return InvalidArgument(
        f"Setting {row.name} ({origin}) is {value}; it must be {allowed}.",
        violations=[FieldViolation(row.name, f"must be {allowed}")],
    )


def shown(row: Setting, value: object) -> str:
    """Return a value as people may see it; a secret shows only how many there are."""
    if row.secret:
        number = len(value) if isinstance(value, tuple) else int(bool(value))
        return f"({number} set)" if number else ""
    if isinstance(value, tuple):
        return ",".join(str(item) for item in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _to_text(raw: object) -> str:
    if isinstance(raw, str):
        return raw
    raise TypeError


def _to_integer(raw: object) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int | str):
        raise TypeError
    return int(raw)


def _to_number(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise TypeError
    value = float(raw)
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError
    return value


def _to_boolean(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    word = _to_text(raw).strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueError


def _to_list(raw: object) -> tuple[str, ...]:
    items = raw.split(",") if isinstance(raw, str) else raw
    if not isinstance(items, list | tuple):
        raise TypeError
    return tuple(stripped for item in items if (stripped := _to_text(item).strip()))


def _to_path(raw: object) -> Path:
    if isinstance(raw, Path):
        return raw
    text = _to_text(raw)
    if not text or "\0" in text:
        raise ValueError
    return Path(text).expanduser()


_CONVERTERS: Final[Mapping[str, Callable[[object], object]]] = {
    "text": _to_text,
    "integer": _to_integer,
    "number": _to_number,
    "boolean": _to_boolean,
    "list": _to_list,
    "path": _to_path,
}
