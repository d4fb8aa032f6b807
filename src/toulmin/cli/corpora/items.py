"""Corpora, documents and chunks of Google's semantic retriever, from a file or from the API itself.

A file is JSON, or JSON lines. It may have what the REST API answers, what `to_dict` and `to_json`
of the official client's messages write, or the fields of `google-generativeai`'s objects: in
camelCase or snake_case, each alone, in lists, in list responses, or one inside the other under
`corpora`, `documents` and `chunks`. What each thing is, its name says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import orjson

from toulmin.errors import InvalidArgument, ToulminError

if TYPE_CHECKING:
    from toulmin.cli.access import Api

API_VERSION: Final = "v1beta"
_NAME: Final = re.compile(r"(corpora/[^/]+)(?:(/documents/[^/]+)(/chunks/[^/]+)?)?")
_PERMISSION: Final = re.compile(r"corpora/[^/]+/permissions/[^/]+")
_BELOW: Final = ("corpora", "documents", "chunks")
_LINES: Final = (".jsonl", ".ndjson")
_PAGES: Final = {"corpora": 20, "documents": 20, "chunks": 100}
_MISSING: Final = object()


class Kind(StrEnum):
    """What an item is."""

    CORPUS = "corpora"
    DOCUMENT = "documents"
    CHUNK = "chunks"


@dataclass(frozen=True, slots=True)
class Item:
    """A corpus, a document or a chunk.

    Attributes:
        kind: Which.
        name: Its full name.
        where: Where it was read, for people.
        display_name: Its display name; chunks have none.
        metadata: Its custom metadata by key: texts, numbers, lists of texts.
        text: The words of a chunk.
    """

    kind: Kind
    name: str
    where: str
    display_name: str = ""
    metadata: Mapping[str, Any] | None = None
    text: str = ""

    @property
    def parent(self) -> str:
        """Name of the corpus of a document, or of the document of a chunk."""
        return self.name.rpartition("/")[0].rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read.

    Attributes:
        where: What it is.
        message: What is wrong with it.
    """

    where: str
    message: str


Found: TypeAlias = Item | Problem


def read_export(path: Path) -> Iterator[Found]:
    """Yield what a file has, in its order.

    Raises:
        InvalidArgument: It cannot be read, or is neither JSON nor JSON lines.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidArgument.of_field(
            "FILE", f"{path} cannot be read: {error.strerror}"
        ) from error
    if path.suffix.lower() in _LINES:
        yield from _read_lines(path, content)
        return
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        if not _is_json(content.partition(b"\n")[0]):
            raise InvalidArgument.of_field("FILE", f"{path} is not JSON: {error}") from error
        yield from _read_lines(path, content)
        return
    yield from _walk(value, str(path))


def _read_lines(path: Path, content: bytes) -> Iterator[Found]:
    for number, line in enumerate(content.splitlines(), 1):
        where = f"{path}, line {number}"
        if not line.strip():
            continue
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            yield Problem(where, f"is not JSON: {error}")
            continue
        yield from _walk(value, where)


def _is_json(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


def _walk(value: Any, where: str) -> Iterator[Found]:
    """Yield the items in a value: itself, and what is inside it."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _walk(item, f"{where}[{number}]")
        return
    if not isinstance(value, dict):
        yield Problem(where, "is no object")
        return
    inner = [key for key in _BELOW if isinstance(value.get(key), list)]
    if value.get("name") or not inner:
        yield from _item(value, where)
    for key in inner:
        yield from _walk(value[key], f"{where}: {key}")
    if _get(value, "next_page_token", ""):
        yield Problem(where, "goes on on another page (nextPageToken), which is not here")


def _item(value: Mapping[str, Any], where: str) -> Iterator[Found]:
    name = str(value.get("name") or "")
    if _PERMISSION.fullmatch(name):  # says who may see a corpus of Google's; nothing to take over
        return
    match = _NAME.fullmatch(name)
    if match is None:
        shown = f'the name "{name[:200]}"' if name else "no name"
        yield Problem(where, f"has {shown}, so it is no corpus, document or chunk")
        return
    kind = Kind.CHUNK if match[3] else Kind.DOCUMENT if match[2] else Kind.CORPUS
    try:
        yield Item(
            kind=kind,
            name=name,
            where=where,
            display_name=str(_get(value, "display_name", "") or ""),
            metadata=_metadata(_get(value, "custom_metadata", None)),
            text=_text(value) if kind is Kind.CHUNK else "",
        )
    except InvalidArgument as error:
        yield Problem(f"{where}: {name}", error.message)


def _text(value: Mapping[str, Any]) -> str:
    data = value.get("data")
    text = _get(data, "string_value", "") if isinstance(data, dict) else data
    if not isinstance(text, str) or not text.strip():
        raise InvalidArgument("has no text (data.stringValue)")
    return text


def _metadata(value: Any) -> dict[str, Any]:
    """Return custom metadata by key, whichever way they are written.

    Raises:
        InvalidArgument: One has no key, or a value that is no text, number or list of texts.
    """
    if not value:
        return {}
    if isinstance(value, dict):
        value = [{"key": key, "value": item} for key, item in value.items()]
    found = {}
    for number, item in enumerate(value):
        key = item.get("key") if isinstance(item, dict) else None
        if not key:
            raise InvalidArgument(f"customMetadata[{number}] has no key")
        found[str(key)] = _metadata_value(item, str(key))
    return found


def _metadata_value(item: Mapping[str, Any], key: str) -> str | float | list[str]:
    for name in ("string_value", "numeric_value", "string_list_value", "value"):
        value = _get(item, name, _MISSING)
        if value is _MISSING:
            continue
        if isinstance(value, dict):
            value = value.get("values", [])
        if isinstance(value, str) or (
            isinstance(value, list) and all(isinstance(one, str) for one in value)
        ):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        break
    raise InvalidArgument(f'customMetadata "{key[:200]}" is no text, number or list of texts')


def _get(value: Mapping[str, Any], name: str, default: Any) -> Any:
    """Return a field by its name in snake_case, which may be written in camelCase."""
    head, *rest = name.split("_")
    camel = head + "".join(part.capitalize() for part in rest)
    return value.get(name, value.get(camel, default))


def list_api(api: Api) -> Iterator[Found]:
    """Yield every corpus that an API lists, each followed by its documents with their chunks.

    What cannot be listed is a problem, and the rest goes on.

    Raises:
        ToulminError: Not even the corpora can be listed.
    """
    for corpus in _list(api, "corpora"):
        yield from _item(corpus, corpus["name"])
        yield from _list_below(api, corpus["name"], "documents")


def _list_below(api: Api, parent: str, kind: str) -> Iterator[Found]:
    try:
        for value in _list(api, f"{parent}/{kind}"):
            yield from _item(value, value["name"])
            if kind == Kind.DOCUMENT:
                yield from _list_below(api, value["name"], "chunks")
    except ToulminError as error:
        yield Problem(f"{kind} of {parent}", error.message)


def _list(api: Api, path: str) -> Iterator[dict[str, Any]]:
    kind = path.rpartition("/")[2]
    token = ""
    while True:
        query = {"pageSize": _PAGES[kind]} | ({"pageToken": token} if token else {})
        page = api.call("GET", path, None, query, version=API_VERSION)
        yield from page.get(kind, [])
        token = page.get("nextPageToken", "")
        if not token:
            return


def metadata_json(metadata: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return custom metadata as the API has them."""
    made: list[dict[str, Any]] = []
    for key, value in metadata.items():
        if isinstance(value, str):
            made.append({"key": key, "stringValue": value})
        elif isinstance(value, list):
            made.append({"key": key, "stringListValue": {"values": value}})
        else:
            made.append({"key": key, "numericValue": value})
    return made


def item_of(value: Mapping[str, Any]) -> Item:
    """Return what the API answers as an item.

    Raises:
        InvalidArgument: It is none.
    """
    (found,) = _item(value, str(value.get("name", "")))
    if isinstance(found, Problem):
        raise InvalidArgument(f"{found.where}: {found.message}")
    return found
