"""One child process that parses, and how it is ended: when its time is up, or its caller gone."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from toulmin.errors import (
    DeadlineExceeded,
    InvalidArgument,
    ResourceExhausted,
    ToulminError,
)
from toulmin.ingestion.parsing.document import ParsedChunk, ParsedDocument
from toulmin.ingestion.parsing.file_format import FileFormat
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.ocr import OcrOptions
from toulmin.ingestion.parsing.parse import ConversionNeeded
from toulmin.ingestion.parsing.wire import (
    chunks_from_rows,
    document_from_message,
    error_from_fields,
    read_message,
    write_message,
)
from toulmin.work import Work

logger = logging.getLogger(__name__)

POLL_S = 0.05
"""How often it is asked whether the caller still wants the file."""
_BYTES_PER_CHARACTER = 24
"""Room in a reply for a character: its UTF-8, again as a cell, escaped, and its block's row."""
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TESSDATA_PREFIX", "SYSTEMROOT", "TMPDIR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is to be read, and how it is to be cut.

    Attributes:
        content: A file, or data as JSON.
        is_data: Which of the two.
        mime_type: Of a file, when somebody stated one.
        name: Of a file, for its ending and for errors.
        max_tokens: Budget of a chunk; 0: it is not cut.
        include_ancestor_headings: Whether the headings above a chunk stand in front of it.
    """

    content: bytes
    is_data: bool = False
    mime_type: str | None = None
    name: str | None = None
    max_tokens: int = 0
    include_ancestor_headings: bool = False


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document and its chunks; none if it was not to be cut."""

    document: ParsedDocument
    chunks: list[ParsedChunk]


class Died(Exception):
    """The child is gone; `error` says why, without the file's name."""

    def __init__(self, error: ToulminError) -> None:
        super().__init__(error.message)
        self.error = error


class Child:
    """One process, used by one thread at a time."""

    def __init__(self, limits: ParseLimits, ocr: OcrOptions | None) -> None:
        self.files = 0
        self._limits = limits
        self._ocr = ocr
        self._most = limits.characters * _BYTES_PER_CHARACTER + limits.blobs_bytes + (1 << 20)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "toulmin.ingestion.parsing.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,  # Ctrl-C is for the parent; OCR's process ends with the group
        )

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def read(self, reading: Reading, work: Work) -> ReadDocument:
        """Return the document.

        Raises:
            Died: The child had to be killed, or died by itself.
            ConversionNeeded: Another program has to convert it first.
            ToulminError: What the child says of the file, or why nobody waits for it.
        """
        self.files += 1
        found: ReadDocument | ToulminError | None = None
        with self._watched(work) as why_ended:
            try:
                reply = self._exchange(reading)
                if reply is not None:
                    found = _found(*reply)
            except (OSError, ValueError, KeyError, TypeError) as error:
                logger.debug("a parser died", exc_info=error)
        if why_ended:
            self.end()
            raise why_ended[0]
        if found is None:
            raise Died(self._cause())
        if isinstance(found, ToulminError):
            raise found
        return found

    @contextmanager
    def _watched(self, work: Work) -> Iterator[list[Exception]]:
        """Kill the child when its time is up or its caller has gone; then the list says why."""
        why_ended: list[Exception] = []
        done = threading.Event()

        def watch() -> None:
            last = time.monotonic() + self._limits.seconds
            while not why_ended and not done.wait(min(POLL_S, self._limits.seconds)):
                if time.monotonic() >= last:
                    why_ended.append(Died(_timed_out(self._limits.seconds)))
                    continue
                try:
                    work.check()
                except ToulminError as error:
                    why_ended.append(error)
            if why_ended:
                self._kill()

        watcher = threading.Thread(target=watch, name="parser-watch", daemon=True)
        watcher.start()
        try:
            yield why_ended
        finally:
            done.set()
            watcher.join()

    def _exchange(self, reading: Reading) -> tuple[dict[str, Any], bytes] | None:
        source, target = self._process.stdout, self._process.stdin
        if source is None or target is None:
            return None
        chunking = {
            "max_tokens": reading.max_tokens,
            "include_ancestor_headings": reading.include_ancestor_headings,
        }
        fields = {
            "is_data": reading.is_data,
            "mime_type": reading.mime_type,
            "name": reading.name,
            "limits": asdict(self._limits),
            "ocr": asdict(self._ocr) if self._ocr else None,
            "chunking": chunking if reading.max_tokens else None,
        }
        write_message(target.write, fields, reading.content)
        target.flush()
        return read_message(source.read, most=self._most)

    def _cause(self) -> ToulminError:
        """Return why the child is gone, after seeing to it that it is."""
        if self._process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1)  # its pipes close a moment before it is gone
        self.end()
        code = self._process.returncode
        how = signal.Signals(-code).name if code and code < 0 else f"exit status {code}"
        if how in ("SIGKILL", "SIGABRT"):
            return ResourceExhausted(
                f"ended its parser ({how}), most likely for want of memory;"
                f" {self._limits.memory_bytes} bytes are allowed",
                reason="PARSER_OUT_OF_MEMORY",
            )
        return InvalidArgument(f"crashed its parser ({how})", reason="PARSER_CRASHED")

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill the process and wait for it; may be called again."""
        if self._process.poll() is None:
            self._kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was not written yet has no reader
                    pipe.close()


def _found(fields: dict[str, Any], body: bytes) -> ReadDocument | ToulminError:
    if "convert" in fields:
        return ConversionNeeded(FileFormat(fields["convert"]))
    return error_from_fields(fields) if "error" in fields else _read_document(fields, body)


def _read_document(fields: dict[str, Any], body: bytes) -> ReadDocument:
    document = document_from_message(fields, body)
    return ReadDocument(document, chunks_from_rows(fields.get("chunks", []), document.text))


def _timed_out(seconds: float) -> DeadlineExceeded:
    return DeadlineExceeded(
        f"was not parsed within {seconds:g} s, the most allowed", reason="PARSING_TIMED_OUT"
    )


def _environment() -> dict[str, str]:
    """Return the child's environment: nothing of the server's secrets, the same modules."""
    kept = {key: os.environ[key] for key in _ENVIRONMENT if key in os.environ}
    return kept | {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "MALLOC_ARENA_MAX": "2",
        "OMP_NUM_THREADS": "1",
        "OMP_THREAD_LIMIT": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
