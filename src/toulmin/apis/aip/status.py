"""Errors on the wire (AIP-193): one shape, google.rpc.Status with details, and two tables.

The tables are the only place where a google.rpc code becomes an HTTP status or a name. Source:
https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple, cast

import orjson
from google.protobuf.message import Message

from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.schema import Schema, load_schema, shared_pb2
from toulmin.errors import (
    Internal,
    Quota,
    QuotaExceeded,
    ShuttingDown,
    TooManyConnections,
    ToulminError,
)

ERROR_DOMAIN: Final = "toulmin"
INTERNAL_MESSAGE: Final = "Internal error. The server's log has the details under the request id."

# A gRPC status travels in HTTP/2 headers, which peers limit to 8 KiB by default: the message once
# percent-encoded (three bytes for one outside ASCII), message and details once more in base64.
_MAX_MESSAGE_BYTES: Final = 1_200
_MAX_FIELD_BYTES: Final = 200
_MAX_DESCRIPTION_BYTES: Final = 300
_MAX_VIOLATIONS_BYTES: Final = 1_500


class _Row(NamedTuple):
    name: str
    http: int


_CODES: Final[dict[int, _Row]] = {
    0: _Row("OK", 200),
    1: _Row("CANCELLED", 499),
    2: _Row("UNKNOWN", 500),
    3: _Row("INVALID_ARGUMENT", 400),
    4: _Row("DEADLINE_EXCEEDED", 504),
    5: _Row("NOT_FOUND", 404),
    6: _Row("ALREADY_EXISTS", 409),
    7: _Row("PERMISSION_DENIED", 403),
    8: _Row("RESOURCE_EXHAUSTED", 429),
    9: _Row("FAILED_PRECONDITION", 400),
    10: _Row("ABORTED", 409),
    11: _Row("OUT_OF_RANGE", 400),
    12: _Row("UNIMPLEMENTED", 501),
    13: _Row("INTERNAL", 500),
    14: _Row("UNAVAILABLE", 503),
    15: _Row("DATA_LOSS", 500),
    16: _Row("UNAUTHENTICATED", 401),
}


def http_status(code: int) -> int:
    """Return the HTTP status of a google.rpc code; 500 for a number that is none."""
    return _CODES.get(code, _CODES[2]).http


def grpc_status_name(code: int) -> str:
    """Return the name of a google.rpc code, "INVALID_ARGUMENT"; "UNKNOWN" when it is none."""
    return _CODES.get(code, _CODES[2]).name


def to_status(error: BaseException, schema: Schema | None = None) -> shared_pb2.Status:
    """Return the google.rpc.Status of an error, short enough for gRPC's headers (8 KiB).

    Details are an `ErrorInfo` (reason: the error's own, else the code's name); when fields are at
    fault, a `BadRequest`; for a quota a `QuotaFailure`; and a `RetryInfo` for a quota where waiting
    helps, for too many connections and for a server that shuts down. Any error that is not a
    `ToulminError` becomes INTERNAL with a fixed message and no details: what it says may be the
    caller's text or our files' names.

    Args:
        error: What was raised.
        schema: The contract to take the message classes from; the shipped one when None.
    """
    contract = schema or load_schema()
    status = cast("shared_pb2.Status", contract.message_class("google.rpc.Status")())
    if not isinstance(error, ToulminError):
        status.code, status.message = Internal.code, INTERNAL_MESSAGE
        return status
    new_info = cast("type[shared_pb2.ErrorInfo]", contract.message_class("google.rpc.ErrorInfo"))
    info = new_info(reason=error.reason or grpc_status_name(error.code), domain=ERROR_DOMAIN)
    details: list[Message] = [info]
    if error.violations:
        details.append(_bad_request(error, contract))
    if isinstance(error, QuotaExceeded):
        info.metadata.update(_quota_metadata(error.quota))
        details.append(_quota_failure(error, contract))
    if (
        isinstance(error, QuotaExceeded | ShuttingDown | TooManyConnections)
        and error.retry_s is not None
    ):
        retry = cast("shared_pb2.RetryInfo", contract.message_class("google.rpc.RetryInfo")())
        retry.retry_delay.FromMilliseconds(math.ceil(error.retry_s * 1000))
        details.append(retry)
    status.code = error.code
    status.message = _fit(error.message, _MAX_MESSAGE_BYTES)
    for detail in details:
        status.details.add().Pack(detail)
    return status


def _bad_request(error: ToulminError, schema: Schema) -> Message:
    """Return the fields at fault, as many as fit."""
    violations: list[dict[str, str]] = []
    room = _MAX_VIOLATIONS_BYTES
    for violation in error.violations:
        field = _fit(violation.field, _MAX_FIELD_BYTES)
        description = _fit(violation.description, _MAX_DESCRIPTION_BYTES)
        room -= len(field.encode()) + len(description.encode())
        if room < 0:
            break
        violations.append({"field": field, "description": description})
    new_bad_request: Callable[..., Message] = schema.message_class("google.rpc.BadRequest")
    return new_bad_request(field_violations=violations)


def _quota_metadata(quota: Quota) -> dict[str, str]:
    return {
        "consumer": _fit(quota.subject, _MAX_FIELD_BYTES),
        "quota_limit": quota.id,
        "quota_limit_value": str(quota.value),
        "quota_metric": quota.metric,
    }


def _quota_failure(error: QuotaExceeded, schema: Schema) -> Message:
    """Return what Google sends with a used-up quota: which one it is."""
    quota = error.quota
    subject = _fit(quota.subject, _MAX_FIELD_BYTES)
    kind, _, id_ = subject.partition(":")
    new_failure: Callable[..., Message] = schema.message_class("google.rpc.QuotaFailure")
    violation = {
        "subject": subject,
        "description": _fit(error.message, _MAX_DESCRIPTION_BYTES),
        "quota_metric": quota.metric,
        "quota_id": quota.id,
        "quota_dimensions": {kind: id_},
        "quota_value": quota.value,
    }
    return new_failure(violations=[violation])


def _fit(text: str, limit: int) -> str:
    """Return text that UTF-8 can carry (no lone surrogates), in at most `limit` bytes of it."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) > limit:
        encoded = encoded[: limit - 3] + b"..."
    return encoded.decode("utf-8", "ignore")


def error_value(status: shared_pb2.Status) -> dict[str, object]:
    """Return Google's JSON error as a dict: {"error": {"code", "message", "status", "details"}}.

    Args:
        status: A google.rpc.Status; its code becomes an HTTP status and a name.
    """
    value = to_json_value(status, enums_as_ints=False)
    code = status.code
    body: dict[str, object] = {
        "code": http_status(code),
        "message": value.get("message", ""),
        "status": grpc_status_name(code),
    }
    if "details" in value:
        body["details"] = value["details"]
    return {"error": body}


def error_body(status: shared_pb2.Status) -> bytes:
    """Return `error_value` as JSON, the body of an HTTP error response."""
    return orjson.dumps(error_value(status))
