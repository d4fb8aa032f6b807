"""Rows of a database -> documents as the API writes them in JSON.

A row is data, or a text with the rest of the row as its data. A document's id is the value of a
column: itself where it is an id, else what can be read of it with a mark of its hash.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import ipaddress
import math
import sqlite3
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from toulmin.errors import InvalidArgument
from toulmin.ingestion.sources.database import QUERY_FIELD, Rows
from toulmin.ingestion.sources.ids import id_of_text

ID_FIELD, TEXT_FIELD = "--id-field", "--text-field"
DEFAULT_ID_COLUMN = "id"
_MAX_DIGITS = 15
"""So many decimal digits a double keeps; longer numbers stay text, as in CSV files."""
_NAMED = 5
"""How many rows that are wrong an error names."""
_PLAIN = (
    uuid.UUID,
    ipaddress.IPv4Address,
    ipaddress.IPv6Address,
    ipaddress.IPv4Network,
    ipaddress.IPv6Network,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowShape:
    """What a row is made into.

    Attributes:
        id_column: Column of the ids.
        text_column: Column of the texts; empty: rows are data alone.
        mime_type: Of the texts.
    """

    id_column: str = DEFAULT_ID_COLUMN
    text_column: str = ""
    mime_type: str = "text/plain"


def documents_of_rows(rows: Rows, shape: RowShape) -> Iterator[dict[str, Any]]:
    """Yield a document for each row, in the order of the rows.

    Raises:
        InvalidArgument: A column is not there, an id is missing or comes twice, or a value has no
            place in JSON. Rows are counted from 1.
    """
    _check_columns(rows, shape)
    at_id = rows.names.index(shape.id_column)
    # A database in a temporary file: the ids of many rows need not fit into memory.
    with closing(sqlite3.connect("")) as seen:
        seen.execute("CREATE TABLE ids (id TEXT PRIMARY KEY, row INTEGER) WITHOUT ROWID")
        twice: list[str] = []
        for number, row in enumerate(rows.values, start=1):
            value = _json(row[at_id], shape.id_column, number)
            id_ = _id(value, shape.id_column, number)
            if earlier := _earlier(seen, id_, number):
                twice.append(f"{value!r} (rows {earlier} and {number})")
                if len(twice) >= _NAMED:
                    break
            elif not twice:
                yield _document(id_, number, row, rows.names, shape)
    if twice:
        raise InvalidArgument.of_field(
            ID_FIELD,
            f"column {shape.id_column!r} is no id: it has the same value in several rows:"
            f" {', '.join(twice)}",
        )


def _check_columns(rows: Rows, shape: RowShape) -> None:
    for flag, name in ((ID_FIELD, shape.id_column), (TEXT_FIELD, shape.text_column)):
        if name and name not in rows.names:
            raise InvalidArgument.of_field(
                flag,
                f"the query gives no column {name!r}; it gives {', '.join(rows.names)}",
            )
    if shape.id_column == shape.text_column:
        raise InvalidArgument.of_field(TEXT_FIELD, f"is {shape.text_column!r}, the column of ids")


def _earlier(seen: sqlite3.Connection, id_: str, number: int) -> int:
    """Keep an id; return the row that had it before, 0 for none."""
    kept = seen.execute("INSERT OR IGNORE INTO ids VALUES (?, ?)", (id_, number))
    if kept.rowcount:
        return 0
    (row,) = seen.execute("SELECT row FROM ids WHERE id = ?", (id_,)).fetchone()
    return int(row)


def _id(value: Any, column: str, number: int) -> str:
    if value is None or value == "":
        raise InvalidArgument.of_field(ID_FIELD, f"row {number} has no value in column {column!r}")
    if isinstance(value, list | dict):
        raise InvalidArgument.of_field(
            ID_FIELD, f"row {number} has no single value in column {column!r}"
        )
    return id_of_text(str(value))


def _document(
    id_: str, number: int, row: Sequence[Any], names: tuple[str, ...], shape: RowShape
) -> dict[str, Any]:
    values = {
        name: found
        for name, value in zip(names, row, strict=True)
        if (found := _json(value, name, number)) is not None
    }
    document: dict[str, Any] = {"id": id_}
    if shape.text_column:
        text = values.pop(shape.text_column, "")
        content = str(text).encode("utf-8", "replace")
        document["content"] = {
            "mimeType": shape.mime_type,
            "rawBytes": base64.b64encode(content).decode("ascii"),
        }
    document["structData"] = values
    return document


def _json(value: Any, column: str, number: int) -> Any:
    """Return a value as JSON has it; None for NULL."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, list | tuple):
        return [_json(item, column, number) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _json(item, column, number) for key, item in value.items()}
    found = _scalar(value)
    if found is None:
        is_bytes = isinstance(value, bytes | bytearray | memoryview)
        what = "bytes" if is_bytes else f"{value!r:.40}"
        raise InvalidArgument.of_field(
            QUERY_FIELD,
            f"row {number} has {what} in column {column!r}, which JSON does not hold; leave the"
            " column out, or convert it to text in the query",
        )
    return found


def _scalar(value: Any) -> str | int | float | None:
    """Return a single value as JSON has it; None: JSON has none such."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case int():
            return value if len(str(abs(value))) <= _MAX_DIGITS else str(value)
        case float():
            return value if math.isfinite(value) else None
        case decimal.Decimal():
            return _decimal(value) if value.is_finite() else None
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
        case datetime.timedelta():
            return _duration(value)
        case _:
            return str(value) if isinstance(value, _PLAIN) else None


def _decimal(value: decimal.Decimal) -> int | float | str:
    if len(value.as_tuple().digits) > _MAX_DIGITS:
        return str(value)
    if value == value.to_integral_value():
        return int(value) if abs(value) < 10**_MAX_DIGITS else str(value)
    return float(value)


def _duration(value: datetime.timedelta) -> str:
    """Return a time span as databases write it: hours, minutes, seconds."""
    seconds = abs(value)
    minutes, rest = divmod(seconds, datetime.timedelta(minutes=1))
    sign = "-" if value < datetime.timedelta() else ""
    parts = f"{sign}{minutes // 60:02}:{minutes % 60:02}:{rest.seconds:02}"
    return parts + (f".{rest.microseconds:06}" if rest.microseconds else "")
