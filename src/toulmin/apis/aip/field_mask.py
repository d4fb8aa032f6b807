"""Field masks of update requests (AIP-134): which fields of the new message count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from toulmin.errors import InvalidArgument

if TYPE_CHECKING:
    from google.protobuf.field_mask_pb2 import FieldMask

MessageT = TypeVar("MessageT", bound=Message)
_CAPITAL: Final = re.compile(r"[A-Z]")
# What lies in these is the caller's own; a path may go into them at any depth, under any name.
_VALUE: Final = "google.protobuf.Value"
_OPEN_TYPES: Final = frozenset({"google.protobuf.Struct", _VALUE})


def masked_paths(
    mask: FieldMask, descriptor: Descriptor, *, field: str = "update_mask"
) -> tuple[str, ...] | None:
    """Return the paths of a mask in snake_case, sorted and once each.

    Args:
        mask: A `FieldMask`; its paths may be in camelCase or snake_case.
        descriptor: Type of the message that the paths are of.
        field: Path of the mask in the request, for the error.

    Returns:
        The paths; ("*",) for all fields; None for no mask, which means the fields that are set.

    Raises:
        InvalidArgument: A path names no field of the message; says which.
    """
    if not mask.paths:
        return None
    paths = {_checked(path, descriptor, field) for path in mask.paths}
    return ("*",) if "*" in paths else tuple(sorted(paths))


def merge(old_message: MessageT, new_message: MessageT, paths: tuple[str, ...] | None) -> MessageT:
    """Return a copy of the old message with fields of the new one.

    Fields named by a path are replaced as a whole, also by nothing. Where nothing is named
    (`paths` is None) fields that the new message sets replace those of the old one.

    Args:
        old_message: What is stored.
        new_message: What came with the request; of the same type.
        paths: From `masked_paths`.
    """
    result = type(old_message)()
    if paths == ("*",):
        result.CopyFrom(new_message)
        return result
    result.CopyFrom(old_message)
    if paths is None:
        paths = tuple(field.name for field, _ in new_message.ListFields())
    for path in paths:
        _replace(result, new_message, path.split("."))
    return result


def _checked(path: str, descriptor: Descriptor, field: str) -> str:
    """Return a path in snake_case."""
    if path == "*":
        return path
    names: list[str] = []
    inside: Any = descriptor
    for part in path.split("."):
        if inside is not None and inside.full_name in _OPEN_TYPES:
            names.append(part)
            continue
        found = _field_of(inside, part)
        if found is None:
            raise InvalidArgument.of_field(
                field, f'"{path[:200]}" names no field of {descriptor.name}; no "{part[:200]}"'
            )
        names.append(found.name)
        inside = None if found.is_repeated else found.message_type
    return ".".join(names)


def _field_of(descriptor: Any, name: str) -> FieldDescriptor | None:
    if descriptor is None:
        return None
    fields = descriptor.fields_by_name
    found: FieldDescriptor | None = fields.get(name) or descriptor.fields_by_camelcase_name.get(
        name
    )
    if found is None:
        snake_case = _CAPITAL.sub(lambda letter: "_" + letter[0].lower(), name)
        found = fields.get(snake_case)
    return found


def _replace(target: Any, source: Any, parts: list[str]) -> None:
    """Put the field at a path of `source` into `target`, or clear it there."""
    name, rest = parts[0], parts[1:]
    field = target.DESCRIPTOR.fields_by_name[name]
    if rest and field.message_type.full_name in _OPEN_TYPES:
        _replace_open(getattr(target, name), getattr(source, name), rest)
        return
    if rest:
        if source.HasField(name) or target.HasField(name):
            _replace(getattr(target, name), getattr(source, name), rest)
        return
    target.ClearField(name)
    if field.is_repeated:
        getattr(target, name).MergeFrom(getattr(source, name))
    elif field.message_type is not None:
        if source.HasField(name):
            getattr(target, name).CopyFrom(getattr(source, name))
    elif not field.has_presence or source.HasField(name):
        setattr(target, name, getattr(source, name))


def _replace_open(target: Any, source: Any, parts: list[str]) -> None:
    """The same within a `Struct` or a `Value`; one that holds no `Struct` has no field to clear."""
    is_object = target.DESCRIPTOR.full_name != _VALUE or target.HasField("struct_value")
    target, source = _struct_of(target), _struct_of(source)
    name, rest = parts[0], parts[1:]
    if rest and name in target.fields and name in source.fields:
        _replace_open(target.fields[name], source.fields[name], rest)
    elif name in source.fields:
        target.fields[name].CopyFrom(source.fields[name])
    elif not rest and is_object:
        target.fields.pop(name, None)


def _struct_of(message: Any) -> Any:
    return message.struct_value if message.DESCRIPTOR.full_name == _VALUE else message
