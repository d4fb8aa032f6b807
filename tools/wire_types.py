"""Write the types of the wire's messages for mypy, src/toulmin/apis/schema/*_pb2.pyi.

A part of `generate_schema.py`. A handler serves all versions of its API, so the versions of a
message are written as one, with every field that any of them has: `has_field` says at run time
which a message has. mypy-protobuf makes stubs of what is merged here; it is never loaded, so its
field numbers mean nothing.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from unittest.mock import MagicMock

from google.protobuf import descriptor_pb2
from google.protobuf.compiler import plugin_pb2
from google.protobuf.descriptor import Descriptor, EnumDescriptor

from toulmin.apis.schema import Schema
from toulmin.apis.schema.enum_names import PACKAGES, VERSIONS

FOLDER = "toulmin/apis/schema"
SHARED = "shared"
"""The family of what belongs to no API: google.longrunning, google.rpc, ..."""
WELL_KNOWN = "google.protobuf"
# The types of these are those of types-protobuf, whichever pool a message is of.
WELL_KNOWN_FILES = ("any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers")

AnyDescriptor = Descriptor | EnumDescriptor


class Place(NamedTuple):
    """Where a type stands in the stubs: "discoveryengine", "Session.Turn"."""

    family: str
    name: str


@dataclass
class Merged:
    """A message or an enum with all its versions, and what lies in it."""

    versions: list[AnyDescriptor] = field(default_factory=list)
    inner: dict[str, Merged] = field(default_factory=dict)


def place_of(descriptor: AnyDescriptor) -> Place:
    """Return where a type stands in the stubs."""
    package = descriptor.file.package
    name = descriptor.full_name.removeprefix(f"{package}.")
    if package == WELL_KNOWN:
        return Place(WELL_KNOWN, name)
    for family, prefix in PACKAGES.items():
        if package in {f"{prefix}.{version}" for version in VERSIONS}:
            return Place(family, name)
    return Place(SHARED, name)


def stubs(schema: Schema) -> dict[str, bytes]:
    """Return the content of the stubs by file name, for what the built RPCs reach."""
    families: dict[str, Merged] = {}
    for descriptor in _reached(_roots(schema)):
        family, name = place_of(descriptor)
        if family != WELL_KNOWN:
            at = families.setdefault(family, Merged())
            for part in name.split("."):
                at = at.inner.setdefault(part, Merged())
            at.versions.append(descriptor)
    files = [_file(family, families[family]) for family in sorted(families, key=_shared_first)]
    return dict(_written(_well_known(schema), files))


def _shared_first(family: str) -> tuple[bool, str]:
    return family != SHARED, family


def _roots(schema: Schema) -> Iterator[Descriptor]:
    """Yield the requests and responses that have a handler, and the shared types, v1 first."""
    from toulmin.apis.handlers import build_registry

    registry = build_registry(MagicMock())
    built = [rpc for rpc in schema.rpcs.values() if registry.is_implemented(rpc)]
    for rpc in sorted(built, key=lambda rpc: (_order(rpc.version), rpc.grpc_path)):
        yield schema.message_descriptor(rpc.input_type)
        yield schema.message_descriptor(rpc.output_type)
    for name in ("error_details", "status"):
        file = schema.pool.FindFileByName(f"google/rpc/{name}.proto")
        yield from (message for _, message in sorted(file.message_types_by_name.items()))


def _order(version: str) -> int:
    return VERSIONS.index(version) if version else -1


def _reached(roots: Iterable[Descriptor]) -> Iterator[AnyDescriptor]:
    """Yield all that is in the messages, each once, with its outer messages."""
    seen: set[str] = set()
    waiting: list[AnyDescriptor] = list(roots)[::-1]
    while waiting:
        descriptor = waiting.pop()
        if descriptor.full_name in seen:
            continue
        seen.add(descriptor.full_name)
        yield descriptor
        if descriptor.containing_type is not None:
            waiting.append(descriptor.containing_type)
        if isinstance(descriptor, Descriptor):
            for item in descriptor.fields:
                waiting += [kind for kind in (item.message_type, item.enum_type) if kind]


def _file(family: str, merged: Merged) -> descriptor_pb2.FileDescriptorProto:
    """Return the file of a family, with its types by name."""
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{FOLDER}/{family}.proto", package=family, syntax="proto3"
    )
    needed: set[str] = set()
    for name, item in sorted(merged.inner.items()):
        if isinstance(item.versions[0], EnumDescriptor):
            file.enum_type.append(_enum(name, item))
        else:
            file.message_type.append(_message(name, item, needed))
    file.dependency.extend(sorted(needed - {file.name}))
    return file


def _enum(name: str, merged: Merged) -> descriptor_pb2.EnumDescriptorProto:
    numbers = {
        value.name: value.number
        for version in merged.versions
        if isinstance(version, EnumDescriptor)
        for value in version.values
    }
    made = descriptor_pb2.EnumDescriptorProto(name=name)
    for value, number in sorted(numbers.items(), key=lambda item: item[1]):
        made.value.add(name=value, number=number)
    return made


def _message(name: str, merged: Merged, needed: set[str]) -> descriptor_pb2.DescriptorProto:
    """Return a message with the fields of all its versions; adds the files that it `needed`."""
    made = descriptor_pb2.DescriptorProto(name=name)
    _add_fields(made, merged, needed)
    for inner_name, inner in sorted(merged.inner.items()):
        if isinstance(inner.versions[0], EnumDescriptor):
            made.enum_type.append(_enum(inner_name, inner))
        else:
            made.nested_type.append(_message(inner_name, inner, needed))
    return made


def _add_fields(made: descriptor_pb2.DescriptorProto, merged: Merged, needed: set[str]) -> None:
    """Add the fields of all versions of a message, and the `oneof`s that they are in."""
    fields: dict[str, descriptor_pb2.FieldDescriptorProto] = {}
    groups: dict[str, str] = {}
    for version in merged.versions:
        if not isinstance(version, Descriptor):
            raise SystemExit(f"{version.full_name} is an enum, and a message in another version")
        plain = descriptor_pb2.DescriptorProto()
        version.CopyToProto(plain)
        made.options.map_entry = plain.options.map_entry
        for item in plain.field:
            known = version.fields_by_name[item.name]
            if target := known.message_type or known.enum_type:
                item.type_name = f".{'.'.join(place_of(target))}"
                needed.add(_file_of(target))
            _same_kind(version, item, fields.setdefault(item.name, item))
            if item.HasField("oneof_index"):  # of any version: what may be absent in one
                fields[item.name] = item
                groups[item.name] = plain.oneof_decl[item.oneof_index].name
    order = sorted(set(groups.values()), key=lambda group: (group.startswith("_"), group))
    for number, (_, item) in enumerate(sorted(fields.items()), 1):
        item.number = number
        if item.name in groups:
            item.oneof_index = order.index(groups[item.name])
        made.field.append(item)
    for group in order:
        made.oneof_decl.add(name=group)


def _same_kind(
    version: Descriptor,
    item: descriptor_pb2.FieldDescriptorProto,
    known: descriptor_pb2.FieldDescriptorProto,
) -> None:
    """Raise where a field is something else than in an earlier version: no one type fits both."""
    if (item.type, item.type_name, item.label) != (known.type, known.type_name, known.label):
        raise SystemExit(f"{version.full_name}.{item.name}: versions differ in what it is")


def _file_of(descriptor: AnyDescriptor) -> str:
    family = place_of(descriptor).family
    return descriptor.file.name if family == WELL_KNOWN else f"{FOLDER}/{family}.proto"


def _well_known(schema: Schema) -> Iterator[descriptor_pb2.FileDescriptorProto]:
    for name in WELL_KNOWN_FILES:
        plain = descriptor_pb2.FileDescriptorProto()
        schema.pool.FindFileByName(f"google/protobuf/{name}.proto").CopyToProto(plain)
        yield plain


def _written(
    known: Iterable[descriptor_pb2.FileDescriptorProto],
    files: list[descriptor_pb2.FileDescriptorProto],
) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the stubs of some files, by mypy-protobuf, a plugin of protoc."""
    request = plugin_pb2.CodeGeneratorRequest(
        parameter="quiet",
        file_to_generate=[file.name for file in files],
        proto_file=[*known, *files],
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy_protobuf.main"],
        input=request.SerializeToString(),
        capture_output=True,
        check=True,
    )
    response = plugin_pb2.CodeGeneratorResponse.FromString(done.stdout)
    if response.error:
        raise SystemExit(f"mypy-protobuf: {response.error}")
    for file in response.file:
        yield file.name.removeprefix(f"{FOLDER}/"), file.content.encode()
