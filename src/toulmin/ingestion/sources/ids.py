"""Ids of documents that bring none: of a URI, of a path, of the data."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from toulmin.errors import InvalidArgument
from toulmin.ingestion.sources.storage import Found

MAX_ID_CHARS = 128
_OTHERS = re.compile(r"[^A-Za-z0-9_-]+")
_MARK_CHARS = 8
_LONG_MARK_CHARS = 16
"""Of texts of which nothing may be readable, and of which there may be millions."""


def id_of_uri(uri: str) -> str:
    """Return the first 128 bits of the URI's SHA-256 in hexadecimal, as the API does."""
    return _hash(uri)[:32]


def id_of_data(data: Mapping[str, Any]) -> str:
    """Return the first 128 bits of the SHA-256 of the data, whatever the order of the keys.

    Equal data have equal ids, so a record that is in a file twice becomes one document.

    Raises:
        InvalidArgument: They are nested deeper than JSON is written.
    """
    try:
        content = orjson.dumps(data, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError as error:
        raise InvalidArgument(f"cannot be kept as JSON: {error}") from error
    return hashlib.sha256(content).hexdigest()[:32]


class PathIds:
    """Ids that show the files' paths: `guide/setup.md` gets `guide-setup-md-0a1b2c3d`.

    The mark at the end is of the path below the folder that was named, so the ids stay when that
    folder is moved. Of two files with one such path, beneath two folders, the second in the order
    of URIs is marked by its URI.

    Args:
        files: All files of the import, in the order of their URIs.
    """

    def __init__(self, files: Iterable[Found]) -> None:
        self._by_uri: dict[str, str] = {}
        taken: set[str] = set()
        for file in files:
            found = _id_of_path(file.relative, mark=file.relative)
            if found in taken:
                found = _id_of_path(file.relative + "*", mark=file.uri)
            taken.add(found)
            self._by_uri[file.uri] = found

    def __getitem__(self, uri: str) -> str:
        return self._by_uri[uri]


def id_of_text(text: str) -> str:
    """Return a text that is an id as it is; else what can be read of it, and a mark of its hash."""
    return _id_of_path(text, mark=text, chars=_LONG_MARK_CHARS)


def _id_of_path(path: str, *, mark: str, chars: int = _MARK_CHARS) -> str:
    found = _OTHERS.sub("-", path)
    if found == path and len(path) <= MAX_ID_CHARS:
        return path
    return f"{found[: MAX_ID_CHARS - chars - 1].strip('-')}-{_hash(mark)[:chars]}"


def _hash(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()
