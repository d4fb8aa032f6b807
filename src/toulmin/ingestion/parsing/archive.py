"""A ZIP container from a stranger: bounded in members, size and ratio, never written to disk."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from urllib.parse import unquote

from toulmin.errors import InvalidArgument, ResourceExhausted
from toulmin.ingestion.parsing.limits import ParseLimits

_SMALL_MEMBER = 1024 * 1024
"""Members up to this size may be packed at any ratio."""
_ENCRYPTED = 0x1


class Archive:
    """The members of a ZIP container.

    Args:
        content: The file.
        limits: `archive_members`, `archive_bytes` and `archive_ratio` are kept.

    Raises:
        InvalidArgument: It is not a ZIP container, or a damaged one.
        ResourceExhausted: It has too many members.
    """

    def __init__(self, content: bytes, limits: ParseLimits) -> None:
        self._limits = limits
        self._left = limits.archive_bytes
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise InvalidArgument(
                f"is a damaged ZIP container ({error}); was the file cut off?",
                reason="DOCUMENT_UNREADABLE",
            ) from error
        self._members = {info.filename: info for info in self._zip.infolist()}
        if len(self._members) > limits.archive_members:
            raise ResourceExhausted(
                f"holds {len(self._members)} files; {limits.archive_members} are allowed",
                reason="DOCUMENT_TOO_LARGE",
            )

    @property
    def names(self) -> list[str]:
        """Names of the members, in the order of the container's directory."""
        return list(self._members)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def check(self, name: str) -> int:
        """Return a member's unpacked size in bytes.

        Raises:
            InvalidArgument: It is missing or encrypted.
            ResourceExhausted: It would unpack to too much.
        """
        info = self._members.get(name)
        if info is None:
            raise InvalidArgument(
                f"lacks its part {name!r}; the file is damaged or of another format",
                reason="DOCUMENT_UNREADABLE",
            )
        if info.flag_bits & _ENCRYPTED:
            raise InvalidArgument(
                "is encrypted; save a copy without a password", reason="DOCUMENT_ENCRYPTED"
            )
        size, ratio = info.file_size, info.file_size / max(info.compress_size, 1)
        if size > _SMALL_MEMBER and ratio > self._limits.archive_ratio:
            raise ResourceExhausted(
                f"has a part {name!r} that unpacks to {size} bytes, {ratio:.0f} times its packed"
                f" size; {self._limits.archive_ratio} times are allowed",
                reason="DOCUMENT_TOO_LARGE",
            )
        if size > self._left:
            raise ResourceExhausted(
                f"unpacks to more than {self._limits.archive_bytes} bytes, the most allowed",
                reason="DOCUMENT_TOO_LARGE",
            )
        return size

    def read(self, name: str) -> bytes:
        """Return the bytes of a member.

        Raises:
            InvalidArgument: It is missing, encrypted or damaged.
            ResourceExhausted: It, or all that was read so far, is too large.
        """
        self._left -= self.check(name)
        try:
            return self._zip.read(name)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
            raise InvalidArgument(
                f"has a damaged part {name!r}: {error}", reason="DOCUMENT_UNREADABLE"
            ) from error


def resolve(base: str, target: str) -> str:
    """Return the member that `target`, written in member `base`, means.

    Args:
        base: Name of the member that holds the reference.
        target: A relative reference, or one from the root when it begins with "/".
    """
    path = unquote(target.partition("#")[0])
    if path.startswith("/"):
        return posixpath.normpath(path).lstrip("/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), path))
