"""Read in a child process: a file that hangs, crashes or eats memory is an error of that file.

What takes long there is ended with the process, also for a caller who has gone. Children are kept
and used again, so that a small file does not pay for a new process; one that was killed or has
read many files is replaced. They are started with `python -m`, not forked: the server has threads,
and a fork would copy its secrets.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Self

from toulmin.errors import ResourceExhausted, ToulminError, Unavailable
from toulmin.ingestion.parsing import office
from toulmin.ingestion.parsing.child import (
    POLL_S,
    Child,
    Died,
    ReadDocument,
    Reading,
)
from toulmin.ingestion.parsing.document import ParsedDocument
from toulmin.ingestion.parsing.file_format import FORMATS, FileFormat
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.ocr import OcrOptions
from toulmin.ingestion.parsing.parse import PARSER_VERSION, ConversionNeeded, named
from toulmin.work import UNLIMITED, Work

__all__ = ["ParserPool", "ReadDocument", "Reading"]

FILES_PER_CHILD = 500
"""A child is replaced after this many files, so that a library's leaks end with it."""


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
        self._idle: list[Child] = []
        self._all: set[Child] = set()
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

    def read(self, reading: Reading, *, work: Work = UNLIMITED) -> ReadDocument:
        """Return a document, cut if that is asked for.

        Args:
            reading: What to read.
            work: Asked every 50 ms; what it raises ends the child at once.

        Raises:
            Cancelled: Nobody waits any more.
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
        try:
            return self._read(reading, work)
        except ConversionNeeded as needed:
            return self._read_converted(reading, needed.found, work)

    def _read(self, reading: Reading, work: Work) -> ReadDocument:
        with self._child(work) as child:
            try:
                return child.read(reading, work)
            except Died as death:
                raise named(death.error, reading.name) from None

    def _read_converted(self, reading: Reading, found: FileFormat, work: Work) -> ReadDocument:
        """Return a document of a format that LibreOffice converts first."""

        def is_gone() -> bool:
            work.check()
            return self._closed

        with self._place(work):
            try:
                converting = Work("converting the file", is_gone=is_gone)
                content = office.convert(reading.content, found, self._limits, converting)
            except ToulminError as error:
                raise named(error, reading.name) from error
        spec = FORMATS[found]
        target = FORMATS[spec.converted_to or found]
        read = self._read(replace(reading, content=content, mime_type=target.mime_types[0]), work)
        note = f"is {found.upper()}; LibreOffice converted it to {target.module.upper()}"
        document = replace(
            read.document, mime_type=spec.mime_types[0], notes=(note, *read.document.notes)
        )
        return replace(read, document=document)

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
    def _child(self, work: Work) -> Iterator[Child]:
        """Lend a child that lives; one that died or is worn out is not lent again."""
        with self._place(work):
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
    def _place(self, work: Work) -> Iterator[None]:
        """Wait until one of the children is free."""
        while not self._free.acquire(timeout=POLL_S):
            work.check()
        try:
            yield
        finally:
            self._free.release()

    def _started(self) -> Child:
        """Return a new child; one that is started while the pool closes is ended at once."""
        child = Child(self._limits, self._ocr)
        with self._lock:
            if not self._closed:
                self._all.add(child)
                return child
        child.end()
        raise Unavailable("the parsers are shut down", reason="SHUTTING_DOWN")

    def _give_back(self, child: Child) -> None:
        with self._lock:
            reusable = child.is_alive and child.files < FILES_PER_CHILD and not self._closed
            if reusable:
                self._idle.append(child)
        if not reusable:
            self._forget(child)

    def _forget(self, child: Child | None) -> None:
        if child is not None:
            with self._lock:
                self._all.discard(child)
            child.end()
