"""Parse in a child process: a file that hangs, crashes or eats memory is an error of that file.

Children are kept and used again, so that a small file does not pay for a new process; one that was
killed or has read many files is replaced. They are started with `python -m`, not forked: the
server has threads, and a fork would copy its secrets.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict
from types import TracebackType
from typing import Self

from toulmin.errors import (
    DeadlineExceeded,
    InvalidArgument,
    ResourceExhausted,
    ToulminError,
    Unavailable,
)
from toulmin.ingestion.document import ParsedDocument
from toulmin.ingestion.limits import ParseLimits
from toulmin.ingestion.ocr import OcrOptions
from toulmin.ingestion.parse import PARSER_VERSION, named
from toulmin.ingestion.wire import (
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
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TESSDATA_PREFIX", "SYSTEMROOT", "TMPDIR")


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
        """Return what a file says; see `toulmin.ingestion.parse.parse`.

        Raises:
            DeadlineExceeded: It took longer than `limits.seconds`.
            ResourceExhausted: It needed more than `limits.memory_bytes`, or is over a limit.
            InvalidArgument: It crashed the child, or cannot be read.
            FailedPrecondition: An extra or a program that it needs is not installed.
            Unavailable: The pool is closed.
        """
        if len(content) > self._limits.file_bytes:
            raise named(
                ResourceExhausted(
                    f"has {len(content)} bytes; {self._limits.file_bytes} are allowed",
                    reason="DOCUMENT_TOO_LARGE",
                ),
                name,
            )
        with self._child() as child:
            try:
                return child.parse(content, mime_type, name)
            except _Died as death:
                raise named(death.error, name) from None

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

    @contextlib.contextmanager
    def _child(self) -> Iterator[_Child]:
        """Lend a child that lives; one that died or is worn out is not lent again."""
        with self._free:
            with self._lock:
                if self._closed:
                    raise Unavailable("the parsers are shut down", reason="SHUTTING_DOWN")
                child = self._idle.pop() if self._idle else None
            if child is None or not child.is_alive:
                self._forget(child)
                child = _Child(self._limits, self._ocr)
                with self._lock:
                    self._all.add(child)
            try:
                yield child
            finally:
                self._give_back(child)

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
        self._timed_out = threading.Event()
        self._most = limits.characters * _BYTES_PER_CHARACTER + limits.blobs_bytes + (1 << 20)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "toulmin.ingestion.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,  # Ctrl-C is for the parent; OCR's process ends with the group
        )

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def parse(self, content: bytes, mime_type: str | None, name: str | None) -> ParsedDocument:
        """Return the document.

        Raises:
            _Died: The child had to be killed, or died by itself.
            ToulminError: What `parse` says of the file.
        """
        self.files += 1
        timer = threading.Timer(self._limits.seconds, self._time_out)
        timer.daemon = True
        timer.start()
        try:
            reply = self._exchange(content, mime_type, name)
            if reply is not None and "error" not in reply[0]:
                return document_from_message(*reply)
        except (OSError, ValueError, KeyError, TypeError) as error:
            logger.debug("a parser died", exc_info=error)
            reply = None
        finally:
            timer.cancel()
        if reply is None:
            raise _Died(self._cause())
        raise error_from_fields(reply[0])

    def _exchange(
        self, content: bytes, mime_type: str | None, name: str | None
    ) -> tuple[dict[str, object], bytes] | None:
        source, target = self._process.stdout, self._process.stdin
        if source is None or target is None:
            return None
        fields = {
            "mime_type": mime_type,
            "name": name,
            "limits": asdict(self._limits),
            "ocr": asdict(self._ocr) if self._ocr else None,
        }
        write_message(target.write, fields, content)
        target.flush()
        return read_message(source.read, most=self._most)

    def _time_out(self) -> None:
        self._timed_out.set()
        self._kill()

    def _cause(self) -> ToulminError:
        """Return why the child is gone, after seeing to it that it is."""
        timed_out = self._timed_out.is_set()
        if self._process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1)  # its pipes close a moment before it is gone
        self.end()
        code = self._process.returncode
        if timed_out:
            return DeadlineExceeded(
                f"was not parsed within {self._limits.seconds:g} s, the most allowed",
                reason="PARSING_TIMED_OUT",
            )
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
