"""What Google publishes of Discovery Engine's REST and its Python clients lack, for the contract.

A client package is written once and trails the service: that of v1alpha has no `streamAnswer` and
no grounding scores, which the public discovery document of v1alpha lists. Here each version gets
what its own document lists and its client does not have:

    fields, enum values, messages   from another version's client where that has them, with its
                                    number if it is free; else made from the document, numbered from
                                    60,001, as nobody sends them over gRPC
    methods                         those that another version's client has at the same path, and
                                    those of `PUBLISHED_ONLY`

The documents are part of the package google-api-python-client.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, NamedTuple

from google.protobuf import descriptor_pb2

PACKAGE: Final = "google.cloud.discoveryengine"
VERSIONS: Final = ("v1", "v1beta", "v1alpha")
DONORS: Final = ("v1beta", "v1", "v1alpha")
FIRST_NUMBER: Final = 60_001

PUBLISHED_ONLY: Final = {
    "branches.get": ("BranchService", "GetBranch"),
    "branches.list": ("BranchService", "ListBranches"),
    "getCompletionConfig": ("CompletionService", "GetCompletionConfig"),
    "updateCompletionConfig": ("CompletionService", "UpdateCompletionConfig"),
    "completionConfig.removeSuggestion": ("CompletionService", "RemoveSuggestion"),
}
"""Methods that no client has, by the end of their ids: their service and name, which REST does not
tell. Further ones of the documents belong to other products, such as notebooks."""

_VARIABLE: Final = re.compile(r"\{([^}=]+)(?:=([^}]+))?\}")
_Field: Final = descriptor_pb2.FieldDescriptorProto
_STRUCT: Final = ".google.protobuf.Struct"
_FORMATS: Final = {
    "google-datetime": ".google.protobuf.Timestamp",
    "google-duration": ".google.protobuf.Duration",
    "google-fieldmask": ".google.protobuf.FieldMask",
    "byte": "bytes",
    "int64": "int64",
    "uint64": "uint64",
    "int32": "int32",
    "uint32": "uint32",
    "float": "float",
    "double": "double",
}
_KINDS: Final = {"string": "string", "boolean": "bool", "integer": "int32", "number": "double"}


class Method(NamedTuple):
    """A method of a document; `shape` is its verb and path, with `*` for what varies."""

    id: str
    shape: str
    body: dict[str, Any]


def snake_case(name: str) -> str:
    """Return a field's name as protobuf writes it."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def shape_of(verb: str, template: str) -> str:
    """Return verb and path of a template with `*` for each variable's segments."""
    return f"{verb} {_VARIABLE.sub(lambda found: found[2] or '*', template)}"


@dataclass
class Known:
    """A message of a version, and the full name it has there."""

    proto: Any
    full_name: str


class Version:
    """The messages of one version's client, completed by its document.

    Args:
        version: "v1", "v1beta" or "v1alpha".
        protos: The files of its package.
    """

    def __init__(self, version: str, protos: Iterable[Any]) -> None:
        self.version = version
        self.package = f"{PACKAGE}.{version}"
        self.file = _merged(self.package, protos)
        self.known: dict[str, Known] = {}
        self.enums: dict[str, Any] = {}
        self.donors: list[Version] = []
        for enum in self.file.enum_type:
            self.enums[f".{self.package}.{enum.name}"] = enum
        for message in self.file.message_type:
            self._index(message, self.package, "")
        name = f"discovery_cache/documents/discoveryengine.{version}.json"
        document = json.loads(files("googleapiclient").joinpath(name).read_text("utf-8"))
        self._prefix = f"GoogleCloudDiscoveryengine{version[0].upper()}{version[1:]}"
        self._schemas = document["schemas"]
        self.methods = list(_methods(document))
        self._done: set[str] = set()

    def complete(self) -> None:
        """Add to every message of the client what the document lists."""
        for flat in list(self.known):
            self._complete(flat)

    def finish(self) -> Any:
        """Return the file, to which nothing is added any more."""
        for message in self.file.message_type:
            _order_oneofs(message)
        return self.file

    def ensure(self, flat: str) -> str:
        """Return the full name of a message by its flat name, after making it if it is not there.

        "SearchRequestBoostSpec" is the flat name of `SearchRequest.BoostSpec`.
        """
        if flat not in self.known:
            donor = next((known for other in self.donors if (known := other.known.get(flat))), None)
            parts = donor.full_name.removeprefix(f"{PACKAGE}.").split(".")[1:] if donor else [flat]
            *parents, name = parts
            parent = self.ensure("".join(parents)) if parents else ""
            owner = self.known["".join(parents)].proto if parents else None
            made = (owner.nested_type if owner else self.file.message_type).add(name=name)
            self.known[flat] = Known(made, f"{parent or self.package}.{name}".lstrip("."))
            if donor is not None:
                self._done.add(flat)  # not before it has the fields of the donor
                self._take_all(self.known[flat], donor)
                self._done.discard(flat)
        self._complete(flat)
        return f".{self.known[flat].full_name}"

    def _index(self, message: Any, prefix: str, flat: str) -> None:
        full_name, flat = f"{prefix}.{message.name}", flat + message.name
        if not message.options.map_entry:
            self.known[flat] = Known(message, full_name)
        for enum in message.enum_type:
            self.enums[f".{full_name}.{enum.name}"] = enum
        for nested in message.nested_type:
            self._index(nested, full_name, flat)

    def _complete(self, flat: str) -> None:
        schema = self._schemas.get(self._prefix + flat)
        if schema is None or flat in self._done:
            return
        self._done.add(flat)
        message = self.known[flat].proto
        for name, described in sorted(schema.get("properties", {}).items()):
            field = next((f for f in message.field if f.json_name == name), None)
            if field is None:
                field = self._from_donor(flat, name) or self._made(flat, name, described)
            values = described.get("enum") or described.get("items", {}).get("enum") or ()
            if field.type == _Field.TYPE_ENUM:
                self._add_values(field.type_name, values)

    def _from_donor(self, flat: str, name: str) -> Any:
        """Return a field after copying it from another version's message; None: none has it."""
        for donor in self.donors:
            theirs = donor.known.get(flat)
            if theirs is None:
                continue
            field = next((f for f in theirs.proto.field if f.json_name == name), None)
            if field is not None and field.number < FIRST_NUMBER:
                return self._copied(self.known[flat], field, theirs, donor)
        return None

    def _take_all(self, mine: Known, donor: Known) -> None:
        """Give a new message all fields of another version's message."""
        other = next(v for v in self.donors if donor.full_name.startswith(f"{v.package}."))
        for field in donor.proto.field:
            if field.number < FIRST_NUMBER:
                self._copied(mine, field, donor, other)

    def _copied(self, mine: Known, field: Any, theirs: Known, donor: Version) -> Any:
        message = mine.proto
        copied = message.field.add()
        copied.CopyFrom(field)
        taken = {known.number for known in message.field[:-1]}
        if copied.number in taken:
            copied.number = _free(message)
        if field.HasField("oneof_index"):
            oneof = theirs.proto.oneof_decl[field.oneof_index].name
            copied.oneof_index = _oneof(message, oneof)
        entry = _entry_of(field, theirs)
        if entry is not None:
            own = message.nested_type.add()
            own.CopyFrom(entry)
            copied.type_name = f".{mine.full_name}.{entry.name}"
            for part in own.field:
                self._translate(part, donor)
            return copied
        self._translate(copied, donor)
        return copied

    def _translate(self, field: Any, donor: Version) -> None:
        """Make a field's type one of this version."""
        prefix = f".{donor.package}."
        if not field.type_name.startswith(prefix):
            return
        flat = field.type_name.removeprefix(prefix).replace(".", "")
        if field.type == _Field.TYPE_MESSAGE:
            field.type_name = self.ensure(flat)
        else:
            field.type_name = self._enum(field.type_name, donor)

    def _enum(self, theirs: str, donor: Version) -> str:
        """Return the name of an enum that another version has, after making it here."""
        *parents, name = theirs.removeprefix(f".{donor.package}.").split(".")
        scope = self.ensure("".join(parents)) if parents else f".{self.package}"
        full_name = f"{scope}.{name}"
        if full_name not in self.enums:
            owner = self.known["".join(parents)].proto if parents else self.file
            made = owner.enum_type.add()
            made.CopyFrom(donor.enums[theirs])
            self.enums[full_name] = made
        return full_name

    def _add_values(self, type_name: str, values: Iterable[str]) -> None:
        enum = self.enums.get(type_name)
        if enum is None:
            return
        for value in values:
            if value in {known.name for known in enum.value}:
                continue
            number = next(
                (n for donor in self.donors if (n := donor.value_of(type_name, self, value))), None
            )
            taken = {known.number for known in enum.value}
            if number is None or number in taken:
                number = max(FIRST_NUMBER, *(item + 1 for item in taken))
            enum.value.add(name=value, number=number)

    def value_of(self, type_name: str, other: Version, value: str) -> int | None:
        """Return the number that an enum of another version's name has here for a value."""
        enum = self.enums.get(type_name.replace(f".{other.package}.", f".{self.package}."))
        return (
            next((item.number for item in enum.value if item.name == value), None) if enum else None
        )

    def _made(self, flat: str, name: str, described: dict[str, Any]) -> Any:
        """Return a new field, made of what the document says of it."""
        known = self.known[flat]
        field = known.proto.field.add(
            name=snake_case(name), json_name=name, number=_free(known.proto)
        )
        field.label = _Field.LABEL_OPTIONAL
        if described.get("type") == "array":
            field.label, described = _Field.LABEL_REPEATED, described["items"]
        extra = described.get("additionalProperties")
        if extra is not None and extra.get("type") != "any":
            field.label = _Field.LABEL_REPEATED
            entry = known.proto.nested_type.add(name=_camel(field.name) + "Entry")
            entry.options.map_entry = True
            entry.field.add(name="key", json_name="key", number=1, label=1, type=9)
            value = entry.field.add(name="value", json_name="value", number=2, label=1)
            self._set_type(value, extra, known, f"{name}Value")
            field.type, field.type_name = _Field.TYPE_MESSAGE, f".{known.full_name}.{entry.name}"
            return field
        self._set_type(field, described, known, name)
        return field

    def _set_type(self, field: Any, described: dict[str, Any], known: Known, name: str) -> None:
        if "enum" in described:
            # In a scope of its own, for the names of an enum's values are its siblings' too.
            scope = known.proto.nested_type.add(name=_camel(snake_case(name)) + "Values")
            enum = scope.enum_type.add(name="Value")
            for number, value in enumerate(described["enum"]):
                enum.value.add(name=value, number=number)
            field.type = _Field.TYPE_ENUM
            field.type_name = f".{known.full_name}.{scope.name}.{enum.name}"
            self.enums[field.type_name] = enum
            return
        kind = described.get("type", "")
        type_name = _FORMATS.get(described.get("format", "")) or _KINDS.get(kind, _STRUCT)
        reference = described.get("$ref", "").removeprefix(self._prefix)
        if reference and self._prefix + reference in self._schemas:
            type_name = self.ensure(reference)
        if type_name.startswith("."):
            field.type, field.type_name = _Field.TYPE_MESSAGE, type_name
        else:
            field.type = _Field.Type.Value(f"TYPE_{type_name.upper()}")

    def request_of(self, method: Method, name: str) -> tuple[str, tuple[str, str, str]]:
        """Return the request type of a method that no client has, made, and its HTTP rule."""
        path = method.body["path"]
        reference = method.body.get("request", {}).get("$ref", "").removeprefix(self._prefix)
        inner = snake_case(reference) if reference and not reference.endswith("Request") else ""
        if f"{name}Request" not in self.known:
            made = self.file.message_type.add(name=f"{name}Request")
            self.known[made.name] = Known(made, f"{self.package}.{made.name}")
            self._complete(made.name)
            if inner:
                self._made(made.name, inner, {"$ref": self._prefix + reference})
        in_path = [p for p, said in method.body["parameters"].items() if said["location"] == "path"]
        for parameter, said in method.body["parameters"].items():
            if not (inner and parameter in in_path):
                field = snake_case(parameter)
                known = {item.name for item in self.known[f"{name}Request"].proto.field}
                if field not in known:
                    self._made(f"{name}Request", parameter, said)
        for parameter in in_path:
            pattern = method.body["parameters"][parameter]["pattern"].strip("^$")
            field = f"{inner}.{parameter}" if inner else snake_case(parameter)
            path = path.replace(f"{{+{parameter}}}", f"{{{field}={pattern.replace('[^/]+', '*')}}}")
        body = inner or ("*" if reference else "")
        return f"{self.package}.{name}Request", (method.body["httpMethod"], f"/{path}", body)

    def response_of(self, method: Method) -> str:
        """Return the response type of a method, made if need be."""
        reference = method.body["response"]["$ref"].removeprefix(self._prefix)
        if self._prefix + reference not in self._schemas:
            return {"GoogleProtobufEmpty": "google.protobuf.Empty"}[reference]
        return self.ensure(reference).lstrip(".")


def complete_versions(protos: Iterable[Any]) -> dict[str, Version]:
    """Return the versions of Discovery Engine, each completed by its document.

    Args:
        protos: FileDescriptorProtos of the clients, of this and other APIs.
    """
    given = list(protos)
    versions = {
        name: Version(name, [file for file in given if file.package == f"{PACKAGE}.{name}"])
        for name in VERSIONS
    }
    for version in versions.values():
        version.donors = [versions[name] for name in DONORS if name != version.version]
    for name in VERSIONS:
        versions[name].complete()
    return versions


def only_published(method: Method) -> tuple[str, str] | None:
    """Return service and name of a method that no client has; None: it is of another product."""
    for end, names in PUBLISHED_ONLY.items():
        if method.id.endswith(f".{end}"):
            return names
    return None


def _merged(package: str, protos: Iterable[Any]) -> Any:
    """Return one file with all that a package's files have; so nothing imports in circles."""
    merged = descriptor_pb2.FileDescriptorProto(
        name=f"{package.replace('.', '/')}.proto", package=package, syntax="proto3"
    )
    given = list(protos)
    for file in given:
        merged.message_type.extend(file.message_type)
        merged.enum_type.extend(file.enum_type)
    own = {file.name for file in given}
    outside = {name for file in given for name in file.dependency if name not in own}
    outside |= {f"google/protobuf/{name}.proto" for name in ("struct", "timestamp", "duration")}
    merged.dependency.extend(sorted(outside | {"google/protobuf/field_mask.proto"}))
    return merged


def _methods(resource: dict[str, Any]) -> Iterator[Method]:
    for body in resource.get("methods", {}).values():
        path = re.sub(r"\{[^}]+\}", "*", body["flatPath"])
        yield Method(body["id"], f"{body['httpMethod']} /{path}", body)
    for inner in resource.get("resources", {}).values():
        yield from _methods(inner)


def _entry_of(field: Any, known: Known) -> Any:
    """Return the entry type of a map field; None: it is no map."""
    for nested in known.proto.nested_type:
        if nested.options.map_entry and field.type_name == f".{known.full_name}.{nested.name}":
            return nested
    return None


def _free(message: Any) -> int:
    return max([FIRST_NUMBER - 1, *(field.number for field in message.field)]) + 1


def _oneof(message: Any, name: str) -> int:
    names = [oneof.name for oneof in message.oneof_decl]
    if name not in names:
        message.oneof_decl.add(name=name)
        names.append(name)
    return names.index(name)


def _order_oneofs(message: Any) -> None:
    """Put the oneofs of single optional fields last, as protobuf wants them."""
    single = {field.oneof_index for field in message.field if field.proto3_optional}
    order = sorted(range(len(message.oneof_decl)), key=lambda index: index in single)
    names = [message.oneof_decl[index].name for index in order]
    for field in message.field:
        if field.HasField("oneof_index"):
            field.oneof_index = order.index(field.oneof_index)
    for oneof, name in zip(message.oneof_decl, names, strict=True):
        oneof.name = name
    for nested in message.nested_type:
        _order_oneofs(nested)


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
