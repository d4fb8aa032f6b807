"""The child process: reads files from standard input, writes documents to standard output.

A file is parsed, data are rendered as text, and either is cut into chunks if that is asked for.

    python -m toulmin.ingestion.parsing.worker

It sees no environment but what parsing needs, may write no files, open no sockets and use only
the memory that it is told first. Started and ended by sandbox.py.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from typing import Any, BinaryIO

from toulmin.errors import ToulminError
from toulmin.ingestion.parsing.chunking import chunk_document
from toulmin.ingestion.parsing.document import ParsedDocument
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.ocr import OcrOptions
from toulmin.ingestion.parsing.parse import ConversionNeeded, parse
from toulmin.ingestion.parsing.struct_text import render_data
from toulmin.ingestion.parsing.wire import (
    chunks_to_rows,
    document_to_message,
    error_to_fields,
    read_message,
    write_message,
)

_SPARE_SECONDS = 30
"""Processor time beyond a file's limit: the parent kills the child long before that."""


def main() -> None:
    """Serve until standard input ends."""
    source = sys.stdin.buffer
    # What libraries print must not get between the messages.
    target = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _forbid_writing_and_sockets()
    while (message := read_message(source.read, most=1 << 40)) is not None:
        fields, content = message
        _answer(fields, content, target)
        target.flush()


def _answer(fields: dict[str, Any], content: bytes, target: BinaryIO) -> None:
    limits = ParseLimits(**fields["limits"])
    set_limits(memory_bytes=limits.memory_bytes, seconds=limits.seconds)
    try:
        document = _document(fields, content, limits)
        reply, body = document_to_message(document)
        if fields["chunking"]:
            reply["chunks"] = chunks_to_rows(chunk_document(document, **fields["chunking"]))
    except ConversionNeeded as needed:
        reply, body = {"convert": needed.found.value}, b""
    except ToulminError as error:
        reply, body = error_to_fields(error), b""
    write_message(target.write, reply, body)


def _document(fields: dict[str, Any], content: bytes, limits: ParseLimits) -> ParsedDocument:
    if fields["is_data"]:
        return render_data(json.loads(content), limits=limits)
    ocr = OcrOptions(**fields["ocr"]) if fields["ocr"] else None
    return parse(
        content, mime_type=fields["mime_type"], name=fields["name"], limits=limits, ocr=ocr
    )


def set_limits(*, memory_bytes: int, seconds: float, file_bytes: int | None = None) -> None:
    """Set what this process, and what it becomes, may use from now on.

    Args:
        memory_bytes: Memory.
        seconds: Processor time.
        file_bytes: Largest file that it writes; None leaves that as it is.
    """
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _set(kind, memory_bytes)
    # A safeguard for a parent that was killed: nobody would stop the child then.
    _set(resource.RLIMIT_CPU, int(time.process_time() + seconds + _SPARE_SECONDS))
    if file_bytes is not None:
        _set(resource.RLIMIT_CORE, 0)
        _set(resource.RLIMIT_FSIZE, file_bytes)


def _set(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    try:
        resource.setrlimit(kind, (value, hard))
    except (OSError, ValueError):
        return  # macOS has no limit of memory; the limits of the parser itself still hold


def _forbid_writing_and_sockets() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    def refuse(event: str, _: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.bind", "socket.getaddrinfo"):
            raise PermissionError(f"{event} while parsing a file")

    sys.addaudithook(refuse)


if __name__ == "__main__":
    main()
