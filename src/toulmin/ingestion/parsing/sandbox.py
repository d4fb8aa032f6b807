"""Read in a child process: a file that hangs, crashes or eats memory is an error of that file.

What takes long there is ended with the process, also for a caller who has gone. Children are kept
and used again, so that a small file does not pay for a new process; one that was killed or has
read many files is replaced. They are started with `python -m`, not forked: the server has threads,
and a fork would copy its secrets.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Self

from toulmin.errors import (
    Cancelled,
    DeadlineExceeded,
    InvalidArgument,
    ResourceExhausted,
    ToulminError,
    Unavailable,
)
from toulmin.ingestion.parsing.document import ParsedChunk, ParsedDocument
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.ocr import OcrOptions
from toulmin.ingestion.parsing.parse import PARSER_VERSION, named
from toulmin.ingestion.parsing.wire import (
    chunks_from_rows,
    document_from_message,
    error_from_fields,
    read_message,
    write_message,
)

logger = logging.getLogger(__name__)

FILES_PER_CHILD = 500
"""A child is replaced after this many files, so that a library's leaks end with it."""
_BYTES_PER_CHARACTER = 24
"""Room in a reply for a character: its UTF-8, again as a cell, escaped, and its block's row."""
_POLL_S = 0.05
"""How often it is asked whether the caller still wants the file."""
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


class ParserPool:
    """Child processes that parse; safe to use from many threads.

    Args:
        children: Most processes at a time; further callers wait.
        limits: What one file may cost.
        ocr: How to read images of text; None leaves them unread.
    """

    def __init__(
        self,
        *,
        children: int = 1,
        limits: ParseLimits | None = None,
        ocr: OcrOptions | None = None,
    ) -> None:
        if children < 1:
            raise ValueError(f"children is {children}; it must be at least 1")
        self._limits = limits or ParseLimits()
        self._ocr = ocr
        self._children = children
        self._free = threading.Semaphore(children)
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        self._all: set[_Child] = set()
        self._closed = False

    @property
    def children(self) -> int:
        """How many files are parsed at the same time."""
        return self._children

    @property
    def limits(self) -> ParseLimits:
        """What one file may cost."""
        return self._limits

    @property
    def version(self) -> str:
        """What decides, beside a file's bytes, type and name, which document comes out."""
        return f"{PARSER_VERSION} {self._ocr or 'no OCR'}"

    def parse(
        self, content: bytes, *, mime_type: str | None = None, name: str | None = None
    ) -> ParsedDocument:
        """Return what a file says; see `toulmin.ingestion.parsing.parse.parse`.

        Raises:
            ToulminError: As `read` does.
        """
        return self.read(Reading(content=content, mime_type=mime_type, name=name)).document

    def read(
        self, reading: Reading, *, should_stop: Callable[[], bool] = lambda: False
    ) -> ReadDocument:
        """Return a document, cut if that is asked for.

        Args:
            reading: What to read.
            should_stop: Asked every 50 ms; true, or what it raises, ends the child at once.

        Raises:
            Cancelled: `should_stop()` became true.
            DeadlineExceeded: It took longer than `limits.seconds`.
            ResourceExhausted: It needed more than `limits.memory_bytes`, or is over a limit.
            InvalidArgument: It crashed the child, or cannot be read.
            FailedPrecondition: A program that it needs is not installed.
            Unavailable: The pool is closed.
        """
        if len(reading.content) > self._limits.file_bytes:
            raise named(
                ResourceExhausted(
                    f"has {len(reading.content)} bytes; {self._limits.file_bytes} are allowed",
                    reason="DOCUMENT_TOO_LARGE",
                ),
                reading.name,
            )
        with self._child(should_stop) as child:
            try:
                return child.read(reading, should_stop)
            except _Died as death:
                raise named(death.error, reading.name) from None

    def close(self) -> None:
        """End the children; a file that is being parsed fails."""
        with self._lock:
            self._closed = True
            children, self._idle = list(self._all), []
            self._all.clear()
        for child in children:
            child.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _child(self, should_stop: Callable[[], bool]) -> Iterator[_Child]:
        """Lend a child that lives; one that died or is worn out is not lent again."""
        with self._place(should_stop):
            with self._lock:
                if self._closed:
                    raise Unavailable("the parsers are shut down", reason="SHUTTING_DOWN")
                child = self._idle.pop() if self._idle else None
            if child is None or not child.is_alive:
                self._forget(child)
                child = self._started()
            try:
                yield child
            finally:
                self._give_back(child)

    @contextmanager
    def _place(self, should_stop: Callable[[], bool]) -> Iterator[None]:
        """Wait until one of the children is free."""
        while not self._free.acquire(timeout=_POLL_S):
            if should_stop():
                raise Cancelled("the caller is gone; the file is not read")
        try:
            yield
        finally:
            self._free.release()

    def _started(self) -> _Child:
        """Return a new child; one that is started while the pool closes is ended at once."""
        child = _Child(self._limits, self._ocr)
        with self._lock:
            if not self._closed:
                self._all.add(child)
                return child
        child.end()
        raise Unavailable("the parsers are shut down", reason="SHUTTING_DOWN")

    def _give_back(self, child: _Child) -> None:
        with self._lock:
            reusable = child.is_alive and child.files < FILES_PER_CHILD and not self._closed
            if reusable:
                self._idle.append(child)
        if not reusable:
            self._forget(child)

    def _forget(self, child: _Child | None) -> None:
        if child is not None:
            with self._lock:
                self._all.discard(child)
            child.end()


class _Died(Exception):
    """The child is gone; `error` says why, without the file's name."""

    def __init__(self, error: ToulminError) -> None:
        super().__init__(error.message)
        self.error = error


class _Child:
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
        return self._process.poll() is None

    def read(self, reading: Reading, should_stop: Callable[[], bool]) -> ReadDocument:
        """Return the document.

        Raises:
            _Died: The child had to be killed, or died by itself.
            ToulminError: What the child says of the file, or why nobody waits for it.
        """
        self.files += 1
        found: ReadDocument | ToulminError | None = None
        with self._watched(should_stop) as why_ended:
            try:
                reply = self._exchange(reading)
                if reply is not None:
                    is_error = "error" in reply[0]
                    found = error_from_fields(reply[0]) if is_error else _read_document(*reply)
            except (OSError, ValueError, KeyError, TypeError) as error:
                logger.debug("a parser died", exc_info=error)
        if why_ended:
            self.end()
            raise why_ended[0]
        if found is None:
            raise _Died(self._cause())
        if isinstance(found, ToulminError):
            raise found
        return found

    @contextmanager
    def _watched(self, should_stop: Callable[[], bool]) -> Iterator[list[Exception]]:
        """Kill the child when its time is up or its caller has gone; then the list says why."""
        why_ended: list[Exception] = []
        done = threading.Event()

        def watch() -> None:
            last = time.monotonic() + self._limits.seconds
            while not why_ended and not done.wait(min(_POLL_S, self._limits.seconds)):
                if time.monotonic() >= last:
                    why_ended.append(_Died(_timed_out(self._limits.seconds)))
                    continue
                try:
                    if should_stop():
                        why_ended.append(Cancelled("the caller is gone; the file is not read"))
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
