"""What every place of files has to do, and how a file is read that may change meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from toulmin.errors import Aborted, InvalidArgument, ResourceExhausted, ToulminError

TRIES = 3
"""How often a file is read that changes while it is read."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """One file.

    Attributes:
        data: Its bytes.
        mime_type: What its server says or its name suggests; "" when neither does.
        version: Differs when the bytes differ, as far as its place knows; "" when it does not.
    """

    data: bytes
    mime_type: str
    version: str


@dataclass(frozen=True, slots=True)
class Stat:
    """What is known of a file without reading it.

    Attributes:
        size: Bytes; None: unknown.
        version: As in `Fetched`.
        mime_type: As in `Fetched`.
    """

    size: int | None
    version: str
    mime_type: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that a URI names.

    Attributes:
        uri: Its own URI.
        relative: Its path below the folder that was named, or below the pattern's first star; the
            name alone for a file that was named itself.
        named: Whether the URI names it, itself or by a pattern, not only a folder above it.
        problem: Why it cannot be read; None: it is a file.
    """

    uri: str
    relative: str
    named: bool = False
    problem: ToulminError | None = None


class Storage(Protocol):
    """A place of files. Every method raises ToulminErrors whose message has the URI."""

    def check(self, uri: str) -> None:
        """Raise when files of this URI may not be read whether or not they exist."""

    def find(self, uri: str) -> Iterator[Found]:
        """Yield the files that a file's, a folder's or a pattern's URI names, in any order."""

    def stat(self, uri: str) -> Stat:
        """Return what is known of a file."""

    def open(self, uri: str) -> AbstractContextManager[BinaryIO]:
        """Return a file to read from, at its beginning; it can be moved in."""

    def read(self, uri: str, limit: int) -> Fetched:
        """Return a whole file of at most `limit` bytes."""


def read_steadily(storage: Storage, uri: str, limit: int) -> Fetched:
    """Return a file as it was at one moment: looked at before and after, read again if changed.

    Raises:
        Aborted: It changed each time.
        ResourceExhausted: It has more than `limit` bytes.
    """
    for _ in range(TRIES):
        before = storage.stat(uri)
        check_size(uri, before.size or 0, limit)
        with storage.open(uri) as file:
            data = file.read(limit + 1)
        check_size(uri, len(data), limit)
        if storage.stat(uri) == before and before.size in (None, len(data)):
            return Fetched(data, before.mime_type, before.version)
    raise changed(uri)


def check_size(uri: str, size: int, limit: int) -> None:
    """Raise ResourceExhausted when a file is too large."""
    if size > limit:
        raise ResourceExhausted(
            f"{uri}: has {size} bytes or more; {limit} are allowed", reason="DOCUMENT_TOO_LARGE"
        )


def changed(uri: str) -> Aborted:
    """Return the error of a file that changes faster than it is read."""
    return Aborted(
        f"{uri}: changed while it was read; import it again when it is written",
        reason="DOCUMENT_CHANGED",
    )


def hidden(uri: str) -> InvalidArgument:
    """Return the error of a file or folder whose name begins with a dot."""
    return InvalidArgument(
        f"{uri}: is hidden (its name begins with a dot) and left out", reason="DOCUMENT_HIDDEN"
    )
