"""Bytes to plain JSON values, as leniently as Google's servers: trailing commas and a BOM pass.

Strict parsing comes first and is the common case. Only when it fails are commas before `}` and `]`
taken out, outside strings, and the text parsed once more.
"""

from __future__ import annotations

import codecs
import re
from typing import Any, Final

import orjson

from toulmin.apis.aip.values import check_json_values
from toulmin.errors import FieldViolation, InvalidArgument

# Possessive (`*+`) and without a way to fail inside a string, so that it is linear in the text.
_TOKEN: Final = re.compile(
    rb"""
    (?P<keep> "[^"\\]*+(?:\\.[^"\\]*+)*+"?   # a string, perhaps cut off
            | [\[{]\s*+,                     # a comma after an opening bracket stays an error
    )
    | ,(?=\s*+[}\]])                         # a trailing comma
    """,
    re.VERBOSE | re.DOTALL,
)


def read_json(body: bytes) -> Any:
    """Return the value of a JSON text; {} for an empty one.

    Raises:
        InvalidArgument: not UTF-8, not JSON even without trailing commas, or too many values.
    """
    if body.startswith(codecs.BOM_UTF8):
        body = body[len(codecs.BOM_UTF8) :]
    if not body or body.isspace():
        return {}
    check_json_values(body)
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        first_error = error
    _refuse_other_encodings(body)
    stripped = _TOKEN.sub(_kept, body)
    if len(stripped) != len(body):
        try:
            return orjson.loads(stripped)
        except orjson.JSONDecodeError as error:
            raise _not_json(str(error)) from error
    raise _not_json(str(first_error)) from first_error


def _kept(found: re.Match[bytes]) -> bytes:
    return found["keep"] or b""


def _refuse_other_encodings(body: bytes) -> None:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_json(
            f"The body must be UTF-8; byte 0x{body[error.start]:02x} at offset {error.start} is not"
        ) from error


def _not_json(description: str) -> InvalidArgument:
    message = f"Invalid JSON payload received. {description[:1].upper()}{description[1:]}."
    return InvalidArgument(message, violations=[FieldViolation("", message)])
