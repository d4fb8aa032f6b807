"""URIs of files, folders and patterns: taken apart, and matched.

`*` stands for any characters within one part of a path, `**` as a whole part for any number of
parts. In a `file://` URI, `%2A` is a star that means itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeAlias
from urllib.parse import quote_from_bytes, unquote_to_bytes

from toulmin.errors import InvalidArgument

MAX_URI_CHARS = 2000
"""As the API allows in `GcsSource.input_uris`."""
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")

Part: TypeAlias = tuple[str, ...] | None
"""One part of a pattern: the texts between its stars; None is `**`."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a URI names.

    Attributes:
        base: Path of a file or folder; with a pattern, the folder above its first star.
        pattern: What the path beneath `base` must match; empty: the URI names `base` itself.
    """

    base: str
    pattern: tuple[Part, ...] = ()

    def matches(self, relative: str) -> bool:
        """Return whether a path relative to `base` is meant; each step costs what is in it."""
        if not self.pattern:
            return True
        positions = _skipping(self.pattern, {0})
        for name in relative.split("/"):
            after = set()
            for position in positions:
                if position == len(self.pattern):
                    continue
                part = self.pattern[position]
                if part is None:
                    after.add(position)
                elif _part_matches(part, name):
                    after.add(position + 1)
            positions = _skipping(self.pattern, after)
        return len(self.pattern) in positions


def scheme_of(uri: str) -> str:
    """Return the scheme in lower case, "file" for an absolute path.

    Raises:
        InvalidArgument: It has none, is too long, or has control characters.
    """
    if len(uri) > MAX_URI_CHARS:
        raise InvalidArgument(f"{uri[:80]!r}... has {len(uri)} characters; {MAX_URI_CHARS} may be")
    if _CONTROL.search(uri):
        raise InvalidArgument(f"{uri!r} has control characters or lone surrogates")
    if uri.startswith("/"):
        return "file"
    found = _SCHEME.match(uri)
    if not found:
        raise InvalidArgument(
            f"{uri!r} is neither an absolute path nor a URI such as 'gs://bucket/folder/*.pdf'"
        )
    return found[1].lower()


def local_target(uri: str) -> Target:
    """Return what an absolute path or a `file://` URI names; `..` and `//` are taken out.

    Raises:
        InvalidArgument: The URI has a host, an encoded NUL, or `..` after a star.
    """
    if uri.startswith("/"):
        return _target(uri.split("/"))
    host, slash, path = uri[len("file://") :].partition("/")
    if host not in ("", "localhost") or not slash:
        raise InvalidArgument(f"{uri!r} names a host; write file:///folder/file")
    if "%00" in path:
        raise InvalidArgument(f"{uri!r} has a NUL character")
    found = _target(("/" + path).split("/"))
    decoded = tuple(None if part is None else tuple(map(_decoded, part)) for part in found.pattern)
    return Target(os.path.normpath(_decoded(found.base)), decoded)


def object_target(uri: str) -> Target:
    """Return what `gs://bucket/key` and the like name; `base` begins with the bucket.

    Raises:
        InvalidArgument: There is no bucket, or a star in its name.
    """
    path = uri.partition("://")[2]
    bucket = path.partition("/")[0]
    if not bucket or "*" in bucket:
        raise InvalidArgument(f"{uri!r} must name a bucket, as in gs://bucket/folder/*.pdf")
    parts = path.rstrip("/").split("/")
    star = next((number for number, part in enumerate(parts) if "*" in part), len(parts))
    return Target("/".join(parts[:star]), _pattern(parts[star:]))


def local_uri(path: str) -> str:
    """Return the `file://` URI of an absolute path."""
    return "file://" + quote_from_bytes(os.fsencode(path))


def name_of(uri: str) -> str:
    """Return the last part of a URI's path."""
    path = uri.partition("?")[0] if uri.startswith("https:") else uri
    return PurePosixPath(_decoded(path) if path.startswith("file:") else path).name


def _target(parts: Sequence[str]) -> Target:
    star = next((number for number, part in enumerate(parts) if "*" in part), len(parts))
    if ".." in parts[star:]:
        raise InvalidArgument(f"{'/'.join(parts)!r} has `..` after a star")
    base = os.path.normpath("/".join(parts[:star]) or "/")
    return Target("/" + base.lstrip("/"), _pattern([part for part in parts[star:] if part]))


def _pattern(parts: Sequence[str]) -> tuple[Part, ...]:
    return tuple(None if part == "**" else tuple(part.split("*")) for part in parts)


def _decoded(text: str) -> str:
    return os.fsdecode(unquote_to_bytes(text))


def _skipping(pattern: tuple[Part, ...], positions: set[int]) -> set[int]:
    """Return the positions with those that `**` may leave at once, standing for no part."""
    found = set(positions)
    for position in positions:
        after = position
        while after < len(pattern) and pattern[after] is None:
            after += 1
            found.add(after)
    return found


def _part_matches(texts: tuple[str, ...], name: str) -> bool:
    """Return whether a name has the texts in order, with anything in between.

    Taking each text at its first place is right here and, unlike a regular expression, never
    slow.
    """
    if len(texts) == 1:
        return name == texts[0]
    first, *middle, last = texts
    if not name.startswith(first) or not name.endswith(last):
        return False
    place, end = len(first), len(name) - len(last)
    for text in middle:
        place = name.find(text, place, max(end, 0))
        if place < 0:
            return False
        place += len(text)
    return place <= end
