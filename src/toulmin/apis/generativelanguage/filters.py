"""`MetadataFilter` messages -> a predicate over the fields of chunks.

Filters are joined by AND, the conditions of one by OR. A list holds several values: a condition on
one of them is enough, and NOT_EQUAL or EXCLUDES mean that none of them is so; both also hold where
there is no such key.

Source: comments of `MetadataFilter`, `Condition` and `QueryCorpusRequest` in retriever.proto, which
leave open what a missing key means and what EQUAL means for a list. A key without a prefix, as
LangChain's and LlamaIndex's examples have it, means the key of the chunk or of its document.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Final

from toulmin.apis.schema import generativelanguage_pb2 as pb
from toulmin.errors import InvalidArgument
from toulmin.stores.index.predicate import And, AnyOf, Condition, InRange, Not, Or, Predicate

CHUNK_PREFIX: Final = "chunk.custom_metadata."
DOCUMENT_PREFIX: Final = "document.custom_metadata."
MOST_CONDITIONS: Final = 1_000
_MARK: Final = "custom_metadata."

_Operator: Final = pb.Condition.Operator
_NEGATIVE: Final = (_Operator.NOT_EQUAL, _Operator.EXCLUDES)

_NUMERIC: Final[dict[pb.Condition.Operator.ValueType, Callable[[str, float], InRange]]] = {
    _Operator.LESS: lambda field, value: InRange(field, high=value, high_included=False),
    _Operator.LESS_EQUAL: lambda field, value: InRange(field, high=value),
    _Operator.EQUAL: lambda field, value: InRange(field, low=value, high=value),
    _Operator.GREATER_EQUAL: lambda field, value: InRange(field, low=value),
    _Operator.GREATER: lambda field, value: InRange(field, low=value, low_included=False),
    _Operator.NOT_EQUAL: lambda field, value: InRange(field, low=value, high=value),
}
_OF_STRINGS: Final = (_Operator.EQUAL, _Operator.NOT_EQUAL, _Operator.INCLUDES, _Operator.EXCLUDES)


def metadata_filter(
    messages: Iterable[pb.MetadataFilter], *, of_document: bool, field: str = "metadata_filters"
) -> Predicate:
    """Return what chunks must fulfil.

    Args:
        messages: The filters of a request.
        of_document: Whether the chunks of one document are asked for, so that conditions on the
            document make no sense.
        field: Path of the filters in the request, for the error.

    Raises:
        InvalidArgument: A key, operation or value is missing or does not fit.
    """
    parts: list[Predicate] = []
    conditions = 0
    for number, message in enumerate(messages):
        path = f"{field}[{number}]"
        fields = _fields(message.key, f"{path}.key", of_document=of_document)
        if not message.conditions:
            raise InvalidArgument.of_field(f"{path}.conditions", "is required; give at least one")
        conditions += len(message.conditions)
        if conditions > MOST_CONDITIONS:
            raise InvalidArgument.of_field(field, f"has over {MOST_CONDITIONS:,} conditions")
        parts.append(
            Or(
                tuple(
                    _predicate(condition, fields, f"{path}.conditions[{place}]")
                    for place, condition in enumerate(message.conditions)
                )
            )
        )
    return And(tuple(parts))


def _fields(key: str, path: str, *, of_document: bool) -> tuple[str, ...]:
    """Return the fields that a key stands for."""
    if not key:
        raise InvalidArgument.of_field(path, "is required")
    if key.startswith(DOCUMENT_PREFIX) and of_document:
        raise InvalidArgument.of_field(
            path,
            f'"{key[:200]}" is about the document, which is given already; use {CHUNK_PREFIX}KEY',
        )
    for prefix in (CHUNK_PREFIX, DOCUMENT_PREFIX):
        if key.startswith(prefix) and len(key) > len(prefix):
            return (key,)
    if _MARK in f"{key}.":
        raise InvalidArgument.of_field(
            path, f'"{key[:200]}" must be {CHUNK_PREFIX}KEY or {DOCUMENT_PREFIX}KEY'
        )
    if of_document:
        return (CHUNK_PREFIX + key,)
    return (CHUNK_PREFIX + key, DOCUMENT_PREFIX + key)


def _predicate(message: pb.Condition, fields: tuple[str, ...], path: str) -> Predicate:
    conditions = tuple(_condition(message, field, path) for field in fields)
    found: Predicate = conditions[0] if len(conditions) == 1 else Or(conditions)
    return Not(found) if message.operation in _NEGATIVE else found


def _condition(message: pb.Condition, field: str, path: str) -> Condition:
    """Return the condition without its negation."""
    kind = message.WhichOneof("value")
    operation = message.operation
    if operation not in _NUMERIC and operation not in _OF_STRINGS:
        raise InvalidArgument.of_field(
            f"{path}.operation", "is required; one of LESS to EXCLUDES must be given"
        )
    if kind is None:
        raise InvalidArgument.of_field(path, "has no value; give string_value or numeric_value")
    if kind == "string_value":
        if operation not in _OF_STRINGS:
            raise InvalidArgument.of_field(
                f"{path}.operation",
                "does not go with a string_value; EQUAL, NOT_EQUAL, INCLUDES and EXCLUDES do",
            )
        return AnyOf(field, (message.string_value,))
    if operation not in _NUMERIC:
        raise InvalidArgument.of_field(
            f"{path}.operation", "INCLUDES and EXCLUDES go with a string_value only"
        )
    if not math.isfinite(message.numeric_value):
        raise InvalidArgument.of_field(f"{path}.numeric_value", "must be a finite number")
    return _NUMERIC[operation](field, float(message.numeric_value))
