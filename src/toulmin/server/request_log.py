"""The request log: one line per request on standard error, never with the user's text.

Query strings, headers and bodies are not logged; they carry keys and questions.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from toulmin import metrics

_request_logger: Final = logging.getLogger("toulmin.request")
_logger: Final = logging.getLogger(__name__)
_MAX_PATH: Final = 256


@dataclass(slots=True)
class RequestRecord:
    """What the log says about one request; filled in while the request goes through.

    Attributes:
        request_id: The id that the response carries.
        protocol: "rest" or "grpc".
        started: `time.monotonic()` when the request arrived.
        rpc: Full name of the RPC; empty when the path means none.
        path: Method and path, without the query; empty for gRPC and when `rpc` says it all.
        code: Name of the google.rpc code.
        http_status: HTTP status; 0 for gRPC.
        bytes_in: Length of the request body as it came.
        bytes_out: Length of the response body.
        timings: Milliseconds by step, from the server ("queue_ms") and from the handler.
        caller: Who called; empty: nobody knows.
        names: Names of resources in the request.
        reason: Identifier of the error, where there was one.
        at_end: Called when the request is done; None: nothing is.
    """

    request_id: str
    protocol: str
    started: float = field(default_factory=time.monotonic)
    rpc: str = ""
    path: str = ""
    code: str = "OK"
    http_status: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    timings: dict[str, float] = field(default_factory=dict)
    caller: str = ""
    names: Sequence[str] = ()
    reason: str = ""
    at_end: Callable[[], None] | None = None

    def fields(self) -> dict[str, object]:
        """Return the columns of the line, in order; empty ones are left out."""
        columns: dict[str, object] = {
            "request_id": self.request_id,
            "protocol": self.protocol,
            "caller": self.caller,
            "rpc": self.rpc,
            "path": self.path[:_MAX_PATH],
            "code": self.code,
            "http_status": self.http_status,
            "duration_ms": round((time.monotonic() - self.started) * 1000, 3),
            "bytes_in": self.bytes_in,
            "bytes_out": self.bytes_out,
        }
        # A handler that is out of time may still add timings; a copy cannot change while we read.
        columns.update({name: round(value, 3) for name, value in self.timings.copy().items()})
        return {name: value for name, value in columns.items() if value != ""}


def log_request(record: RequestRecord) -> None:
    """Count a finished request, and write its line."""
    _count(record)
    if record.at_end is not None:
        record.at_end()
    if _request_logger.isEnabledFor(logging.INFO):
        _request_logger.info("request", extra={"columns": record.fields()})


def _count(record: RequestRecord) -> None:
    metrics.REQUESTS.add(record.rpc, record.code, record.protocol)
    if not record.rpc:  # health pages, and paths that mean nothing
        return
    metrics.REQUEST_SECONDS.observe(time.monotonic() - record.started, record.rpc)
    steps = record.timings.copy().items()
    metrics.STEP_SECONDS.observe_all(
        [(took / 1000, (record.rpc, name.removesuffix("_ms"))) for name, took in steps]
    )


def log_defect(error: BaseException, *, request_id: str, rpc: str) -> None:
    """Log an error of ours: its type and where it was raised.

    The error's own text is left out, for it may quote what the user sent.
    """
    _logger.error(
        "defect",
        extra={
            "columns": {
                "request_id": request_id,
                "rpc": rpc,
                "error": type(error).__name__,
                "trace": "".join(traceback.format_tb(error.__traceback__)),
            }
        },
    )


class JsonFormatter(logging.Formatter):
    """One JSON object per line: time, level, message, then the columns."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, object] = {
            "time": _time_of(record),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        line.update(getattr(record, "columns", {}))
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            line["trace"] = "".join(traceback.format_tb(record.exc_info[2]))
        return json.dumps(line, ensure_ascii=False, default=str)


class TextFormatter(logging.Formatter):
    """A line for people: time, level, message, then name=value columns."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        columns: dict[str, object] = getattr(record, "columns", {})
        pairs = " ".join(f"{name}={value}" for name, value in columns.items())
        parts = (_time_of(record), record.levelname, record.getMessage(), pairs)
        line = " ".join(part for part in parts if part)
        if record.exc_info and record.exc_info[0] is not None:
            trace = "".join(traceback.format_tb(record.exc_info[2]))
            line += f"\n{trace}{record.exc_info[0].__name__}"
        return line


def configure_logging(log_format: str) -> None:
    """Send the log to standard error in the given form, "json" or "text".

    Replaces the handlers of the root logger; called by the command line, never by the library.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("toulmin").setLevel(logging.INFO)


def _time_of(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
