"""Partial responses (AIP-157): only the fields that the caller names, in `fields` or a header.

    mask = path { "," path }
    path = name { ( "." | "/" ) name } [ "(" mask ")" ]

A name is a field in camelCase or snake_case, a key of a map or of a Struct, or "*" for all of them.
"answer.answerText", "answer/references(chunkInfo,structuredDocumentInfo/title)", "results.*.id" are
masks. What lies below a repeated field holds for each item.

https://cloud.google.com/apis/docs/system-parameters
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from toulmin.apis.schema import class_of
from toulmin.errors import InvalidArgument

HEADER: Final = "x-goog-fieldmask"
MOST_CHARACTERS: Final = 10_000
_MOST_LEVELS: Final = 50
_ALL: Final = "*"
_TOKEN: Final = re.compile(r"\s*([A-Za-z0-9_@$-]+|[*,./()])")
_PREFIX: Final = "google.protobuf."

Tree: TypeAlias = dict[str, "Tree"]
"""Names with what is wanted below them; nothing below a name: all of it."""


class ResponseMask:
    """Which fields of a response the caller wants.

    Args:
        text: The mask.
        descriptor: Type of the response.
        field: What the caller gave it in, for errors: "fields" or "X-Goog-FieldMask".

    Raises:
        InvalidArgument: It is no mask, or names a field that the type lacks.
    """

    def __init__(self, text: str, descriptor: Descriptor, *, field: str) -> None:
        if len(text) > MOST_CHARACTERS:
            raise InvalidArgument.of_field(
                field, f"has {len(text):,} characters; at most {MOST_CHARACTERS:,} are allowed"
            )
        self._tree = _Parser(text, field).parse()
        _check(self._tree, descriptor, descriptor, field)

    def apply(self, message: Message) -> None:
        """Clear in place what the caller does not want."""
        _prune(message, self._tree)


def response_mask(
    *, query: str, headers: Mapping[str, str], descriptor: Descriptor
) -> ResponseMask | None:
    """Return the mask of a call: of its parameter `fields`, else of its header; None: neither.

    Args:
        query: Value of the parameter; empty: there is none.
        headers: Lower-case names.
        descriptor: Type of the response.

    Raises:
        InvalidArgument: It is no mask of that type.
    """
    if query.strip():
        return ResponseMask(query, descriptor, field="fields")
    given = headers.get(HEADER, "")
    return ResponseMask(given, descriptor, field="X-Goog-FieldMask") if given.strip() else None


def masked(
    response: Message | Iterable[Message], mask: ResponseMask | None
) -> Message | Iterable[Message]:
    """Return a handler's response, or each of those that it yields, with what the mask wants."""
    if mask is None:
        return response
    if isinstance(response, Message):
        mask.apply(response)
        return response
    return _each(response, mask)


def _each(responses: Iterable[Message], mask: ResponseMask) -> Iterator[Message]:
    try:
        for response in responses:
            mask.apply(response)
            yield response
    finally:
        close = getattr(responses, "close", None)
        if close is not None:
            close()


class _Parser:
    def __init__(self, text: str, field: str) -> None:
        self._field = field
        self._tokens: list[str] = []
        place, text = 0, text.rstrip()
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None:
                raise self._error(f"{text[place:].lstrip()[:1]!r} cannot stand in a mask")
            self._tokens.append(found[1])
            place = found.end()
        self._tokens.append("")

    def parse(self) -> Tree:
        tree: Tree = {}
        self._mask(tree, level=0)
        if self._tokens[0]:
            raise self._error(f'expected "," or the end, found "{self._tokens[0][:200]}"')
        return tree

    def _mask(self, tree: Tree, level: int) -> None:
        while True:
            self._path(tree, level)
            if self._tokens[0] != ",":
                return
            self._tokens.pop(0)

    def _path(self, tree: Tree, level: int) -> None:
        while True:
            name = self._tokens.pop(0)
            if name in ("", ",", ".", "/", "(", ")"):
                raise self._error(f'expected a field, found "{name or "the end"}"')
            level += 1
            if level > _MOST_LEVELS:
                raise self._error(f"goes deeper than {_MOST_LEVELS} levels")
            seen, below = name in tree, tree.setdefault(name, {})
            following = self._tokens[0]
            if following not in (".", "/", "("):
                below.clear()  # all of it, whatever was named below it before
                return
            self._tokens.pop(0)
            # Where all of it is wanted already, what is named below it takes nothing away.
            tree = {} if seen and not below else below
            if following == "(":
                self._mask(tree, level)
                if self._tokens.pop(0) != ")":
                    raise self._error('a "(" is not closed')
                return

    def _error(self, reason: str) -> InvalidArgument:
        return InvalidArgument.of_field(self._field, reason)


def _check(tree: Tree, descriptor: Descriptor, root: Descriptor, field: str) -> None:
    """Raise InvalidArgument where a name is no field; keys of open types are free."""
    if descriptor.full_name.startswith(_PREFIX):
        return
    for name, below in tree.items():
        found = list(descriptor.fields) if name == _ALL else _fields(descriptor, name)
        if not found:
            raise InvalidArgument.of_field(
                field, f'"{name[:200]}" is no field of {descriptor.name} in {root.name}'
            )
        inner = [item for item in found if item.message_type is not None]
        if below and not inner:
            raise InvalidArgument.of_field(
                field, f'"{name[:200]}" of {descriptor.name} has nothing below it'
            )
        if below and name != _ALL:
            _check_below(inner[0], below, root, field)


def _check_below(known: FieldDescriptor, below: Tree, root: Descriptor, field: str) -> None:
    inner = known.message_type
    if inner is None:
        return
    if not _is_map(known):
        _check(below, inner, root, field)
        return
    value = inner.fields_by_name["value"].message_type
    for deeper in below.values():
        if deeper and value is not None:
            _check(deeper, value, root, field)


def _fields(descriptor: Descriptor, name: str) -> list[FieldDescriptor]:
    return [field for field in descriptor.fields if name in (field.name, field.json_name)]


def _is_map(field: FieldDescriptor) -> bool:
    inner = field.message_type
    return inner is not None and bool(inner.GetOptions().map_entry)


def _below(tree: Tree, *names: str) -> Tree | None:
    """Return what is wanted below a name; None: it is not wanted; empty: all of it is."""
    found = [tree[name] for name in (*names, _ALL) if name in tree]
    if not found or not all(found):
        return {} if found else None
    merged: Tree = {}
    for branch in found:
        merged |= branch
    return merged


def _prune(message: Any, tree: Tree) -> None:
    if not tree:
        return
    kind = message.DESCRIPTOR.full_name.removeprefix(_PREFIX)
    if kind == "Any":
        _prune_any(message, tree)
        return
    if kind == "Struct":
        _prune_map(message.fields, tree)
        return
    if kind in ("Value", "ListValue"):
        _prune_value(message, tree)
        return
    for field, value in message.ListFields():
        below = _below(tree, field.name, field.json_name)
        if below is None:
            message.ClearField(field.name)
        elif not below or field.message_type is None:
            continue
        elif _is_map(field):
            _prune_map(value, below)
        else:
            _prune_each(value if field.is_repeated else [value], below)


def _prune_each(messages: Iterable[Any], tree: Tree) -> None:
    for message in messages:
        _prune(message, tree)


def _prune_map(items: Any, tree: Tree) -> None:
    for key in list(items):
        below = _below(tree, str(key))
        if below is None:
            del items[key]
        elif below and isinstance(items[key], Message):
            _prune(items[key], below)


def _prune_value(message: Any, tree: Tree) -> None:
    if message.DESCRIPTOR.full_name == f"{_PREFIX}ListValue":
        _prune_each(message.values, tree)
    elif message.HasField("struct_value"):
        _prune(message.struct_value, tree)
    elif message.HasField("list_value"):
        _prune_each(message.list_value.values, tree)


def _prune_any(message: Any, tree: Tree) -> None:
    if not message.type_url:
        return
    pool = message.DESCRIPTOR.file.pool
    inner: Any = class_of(pool.FindMessageTypeByName(message.type_url.rpartition("/")[2]))()
    inner.ParseFromString(message.value)
    _prune(inner, tree)
    message.value = inner.SerializeToString(deterministic=True)
