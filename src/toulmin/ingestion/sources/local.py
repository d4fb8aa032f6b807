"""Files of this machine: `file://` URIs and absolute paths, beneath the folders that are allowed.

What decides is where a path leads once `..` and links are followed, not how it is written.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from toulmin.errors import InvalidArgument, NotFound, PermissionDenied, ToulminError, Unavailable
from toulmin.ingestion.parsing.file_format import mime_type_of_name
from toulmin.ingestion.sources.storage import Fetched, Found, Stat, hidden, read_steadily
from toulmin.ingestion.sources.uri import Target, local_target, local_uri

_OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Not waiting, as the open of a pipe would for its writer."""
_DESCRIPTORS = "/proc/self/fd"
_SETTLED_S = 0.2
"""Time without a change after which a file is taken for written: its writer may just have paused,
and times of changes are only told apart when some milliseconds lie between them."""


class LocalStorage:
    """Files beneath some folders.

    Args:
        roots: The folders; without one, every file is refused.
    """

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = tuple(os.path.realpath(os.path.expanduser(root)) for root in roots)  # noqa: PTH111

    def check(self, uri: str) -> None:
        """Raise PermissionDenied unless the path leads to somewhere beneath the roots."""
        self._real(local_target(uri).base, uri)

    def find(self, uri: str) -> Iterator[Found]:
        """Yield what a URI names; see `Storage.find`. Links to folders are not followed."""
        target = local_target(uri)
        real = self._real(target.base, uri)
        name = os.path.basename(target.base)  # noqa: PTH119
        if os.path.isdir(real):  # noqa: PTH112
            yield from self._beneath(target)
        elif os.path.lexists(target.base) and not target.pattern:
            yield Found(local_uri(target.base), name, named=True)

    def stat(self, uri: str) -> Stat:
        """Return size and time of the last change; the type is guessed from the name.

        Waits a moment for a file that has just been written to.
        """
        path = local_target(uri).base
        try:
            found = os.stat(self._real(path, uri), follow_symlinks=False)  # noqa: PTH116
            age = time.time() - found.st_mtime
            if 0 <= age < _SETTLED_S:
                time.sleep(_SETTLED_S - age)
                found = os.stat(self._real(path, uri), follow_symlinks=False)  # noqa: PTH116
        except OSError as error:
            raise _as_toulmin_error(uri, error) from error
        return Stat(found.st_size, f"{found.st_size}-{found.st_mtime_ns}", mime_type_of_name(path))

    def open(self, uri: str) -> BinaryIO:
        """Return the file; pipes, devices and the like are refused."""
        try:
            number = os.open(self._real(local_target(uri).base, uri), _OPEN_FLAGS)
        except OSError as error:
            raise _as_toulmin_error(uri, error) from error
        try:
            self._check_open(number, uri)
        except BaseException:
            os.close(number)
            raise
        return os.fdopen(number, "rb")

    def read(self, uri: str, limit: int) -> Fetched:
        """Return a whole file; see `Storage.read`."""
        try:
            return read_steadily(self, uri, limit)
        except OSError as error:
            raise _as_toulmin_error(uri, error) from error

    def _check_open(self, number: int, uri: str) -> None:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise _irregular(uri)
        if os.path.isdir(_DESCRIPTORS):  # noqa: PTH112
            # A folder above may have become a link since: where did it really lead?
            self._real(f"{_DESCRIPTORS}/{number}", uri)

    def _real(self, path: str, uri: str) -> str:
        """Return where a path leads, or raise."""
        if not self._roots:
            raise PermissionDenied(
                f"{uri}: files of this machine may not be imported; name the folders that may in"
                " the setting import_roots",
                reason="IMPORT_NOT_ALLOWED",
            )
        real = os.path.realpath(path)
        if not any(real == root or real.startswith(root.rstrip("/") + "/") for root in self._roots):
            raise PermissionDenied(
                f"{uri}: is not beneath a folder of the setting import_roots, links followed",
                reason="IMPORT_NOT_ALLOWED",
            )
        return real

    def _beneath(self, target: Target) -> Iterator[Found]:
        """Yield the files below a folder that match."""
        deepest = None if None in target.pattern or not target.pattern else len(target.pattern)
        pending = [("", 1)]
        while pending:
            above, depth = pending.pop()
            try:
                with os.scandir(os.path.join(target.base, above)) as scan:  # noqa: PTH118
                    entries = list(scan)
            except OSError as error:
                uri = local_uri(os.path.join(target.base, above))  # noqa: PTH118
                yield Found(uri, above, problem=_as_toulmin_error(uri, error))
                continue
            for entry in entries:
                relative = f"{above}{entry.name}"
                is_folder, problem = self._look_at(entry)
                goes_on = is_folder and (deepest is None or depth < deepest)
                if goes_on and not problem:
                    pending.append((f"{relative}/", depth + 1))
                elif (goes_on and not target.pattern) or (
                    not is_folder and target.matches(relative)
                ):
                    yield Found(local_uri(entry.path), relative, bool(target.pattern), problem)

    def _look_at(self, entry: os.DirEntry[str]) -> tuple[bool, ToulminError | None]:
        """Return whether an entry is a folder, and why it is left out, if it is."""
        uri = local_uri(entry.path)
        try:
            if entry.is_dir():
                if entry.is_symlink():
                    return True, InvalidArgument(
                        f"{uri}: is a link to a folder, and these are not followed; import the"
                        " folder itself",
                        reason="DOCUMENT_LINK",
                    )
                return True, hidden(uri) if entry.name.startswith(".") else None
            if entry.is_symlink():
                self._real(entry.path, uri)
            entry.stat()
            return False, None if entry.is_file() else _irregular(uri)
        except OSError as error:
            return False, _as_toulmin_error(uri, error)
        except PermissionDenied as error:
            return False, error


def _irregular(uri: str) -> InvalidArgument:
    return InvalidArgument(f"{uri}: is not a regular file", reason="DOCUMENT_UNREADABLE")


def _as_toulmin_error(uri: str, error: OSError) -> ToulminError:
    why = error.strerror or str(error)
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return NotFound(f"{uri}: there is no such file", reason="DOCUMENT_NOT_FOUND")
    if isinstance(error, PermissionError):
        return PermissionDenied(
            f"{uri}: the server may not read it ({why})", reason="DOCUMENT_UNREADABLE"
        )
    if isinstance(error, IsADirectoryError):
        return _irregular(uri)
    return Unavailable(f"{uri}: cannot be read: {why}", reason="DOCUMENT_UNREADABLE")
