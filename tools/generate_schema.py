"""Write the wire contract and its types, src/toulmin/apis/schema/{rules.json,schema.binpb,*.pyi}.

A development tool. It reads the official client packages that are installed (dependency group
`dev`) and writes what the server needs of them, so that serving needs none of them:

    python tools/generate_schema.py            write the files
    python tools/generate_schema.py --check    exit 1 when they differ from what would be written

Path, kind and types of an RPC come from a recording `grpc.Channel` that the clients' public gRPC
transports are given. HTTP bindings exist only in the private `rest_base` modules of the clients;
reading them here keeps private names out of the server. What the clients of Discovery Engine lack
of what Google publishes is added by `published.py`; `wire_types.py` writes the types, *_pb2.pyi.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import grpc
import proto
from google.api import httpbody_pb2
from google.cloud.location import locations_pb2
from google.iam.v1 import iam_policy_pb2
from google.longrunning import operations_pb2
from google.protobuf import (
    any_pb2,
    descriptor_pb2,
    duration_pb2,
    empty_pb2,
    field_mask_pb2,
    struct_pb2,
    timestamp_pb2,
    wrappers_pb2,
)
from google.protobuf.descriptor import FileDescriptor
from google.rpc import error_details_pb2, status_pb2

sys.path.insert(0, str(Path(__file__).resolve().parent))
import published
import wire_types

from toulmin.apis.schema import Schema

SCHEMA_FOLDER = Path(__file__).resolve().parent.parent / "src/toulmin/apis/schema"
COMMAND = "python tools/generate_schema.py"

DISTRIBUTIONS = (
    "google-ai-generativelanguage",
    "google-api-python-client",
    "google-cloud-ces",
    "google-cloud-discoveryengine",
)

# generativelanguage v1beta2 and v1beta3 (PaLM) are in the package too; Google has shut them down.
PACKAGES = (
    "google.ai.generativelanguage_v1",
    "google.ai.generativelanguage_v1alpha",
    "google.ai.generativelanguage_v1beta",
    "google.cloud.ces_v1",
    "google.cloud.ces_v1beta",
    "google.cloud.discoveryengine_v1",
    "google.cloud.discoveryengine_v1alpha",
    "google.cloud.discoveryengine_v1beta",
)

# Services that every API mixes in. They have descriptors, so their types come from those.
MIXINS = {
    "google.longrunning.Operations": operations_pb2.DESCRIPTOR.services_by_name["Operations"],
    "google.cloud.location.Locations": locations_pb2.DESCRIPTOR.services_by_name["Locations"],
}

# EngineService has two methods of its own that take the requests of this service.
IAM_POLICY = iam_policy_pb2.DESCRIPTOR.services_by_name["IAMPolicy"]

ROOT_FILES = (
    httpbody_pb2.DESCRIPTOR,
    any_pb2.DESCRIPTOR,
    duration_pb2.DESCRIPTOR,
    empty_pb2.DESCRIPTOR,
    field_mask_pb2.DESCRIPTOR,
    struct_pb2.DESCRIPTOR,
    timestamp_pb2.DESCRIPTOR,
    wrappers_pb2.DESCRIPTOR,
    status_pb2.DESCRIPTOR,
    error_details_pb2.DESCRIPTOR,
    iam_policy_pb2.DESCRIPTOR,
    operations_pb2.DESCRIPTOR,
    locations_pb2.DESCRIPTOR,
)

PREFIX = "google.cloud.discoveryengine"

# Python's REST client refuses this bidirectional method, so `rest_base` has no rule for it. Source:
# the google.api.http annotation in the descriptors of npm @google-cloud/discoveryengine 2.9.0.
ANNOTATED_ONLY = {
    f"/{PREFIX}.{name}.GroundedGenerationService/StreamGenerateGroundedContent": (
        "POST",
        f"/{name}/{{location=projects/*/locations/*}}:streamGenerateGroundedContent",
        "*",
    )
    for name in ("v1", "v1beta")
}

KINDS = {
    "unary_unary": "unary",
    "unary_stream": "server_stream",
    "stream_unary": "client_stream",
    "stream_stream": "bidi",
}

Rule = tuple[str, str, str]


@dataclass
class Row:
    """One RPC as rules.json has it."""

    path: str
    kind: str
    input_type: str
    output_type: str
    http: list[Rule]

    def as_json(self) -> str:
        """Return the row on one line."""
        service, method = self.path.strip("/").split("/")
        row = {
            "service": service,
            "method": method,
            "kind": self.kind,
            "input": self.input_type,
            "output": self.output_type,
            "http": self.http,
        }
        return json.dumps(row, separators=(",", ":"))


def _never_called(*_: Any, **__: Any) -> None:
    """Stand in for a stub; only its making is recorded."""


class RecordingChannel(grpc.Channel):
    """A channel that calls nobody and remembers every stub it is asked for."""

    def __init__(self) -> None:
        self.stubs: dict[str, tuple[str, Any, Any]] = {}

    def _record(self, kind: str) -> Callable[..., object]:
        def make_stub(
            path: str, request_serializer: Any, response_deserializer: Any, *_: Any, **__: Any
        ) -> object:
            self.stubs[path] = (kind, request_serializer, response_deserializer)
            return _never_called

        return make_stub

    def unary_unary(self, *args: Any, **kwargs: Any) -> Any:
        """Record a unary call."""
        return self._record("unary_unary")(*args, **kwargs)

    def unary_stream(self, *args: Any, **kwargs: Any) -> Any:
        """Record a server-streaming call."""
        return self._record("unary_stream")(*args, **kwargs)

    def stream_unary(self, *args: Any, **kwargs: Any) -> Any:
        """Record a client-streaming call."""
        return self._record("stream_unary")(*args, **kwargs)

    def stream_stream(self, *args: Any, **kwargs: Any) -> Any:
        """Record a bidirectional call."""
        return self._record("stream_stream")(*args, **kwargs)

    def subscribe(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing."""

    def unsubscribe(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def _service_modules(package: str) -> Iterator[str]:
    services = importlib.import_module(f"{package}.services")
    for module in sorted(pkgutil.iter_modules(services.__path__), key=lambda found: found.name):
        if module.ispkg:
            yield f"{package}.services.{module.name}"


def _only_class(module: ModuleType, suffix: str) -> type[Any]:
    """Return the one class defined in a module whose name ends so."""
    found = [
        member
        for name, member in inspect.getmembers(module, inspect.isclass)
        if name.endswith(suffix) and member.__module__ == module.__name__
    ]
    if len(found) != 1:
        raise SystemExit(f"{module.__name__}: expected one class *{suffix}, found {found}")
    return found[0]


def _type_name(function: Any) -> str:
    """Return the full proto name of the message that a (de)serializer belongs to."""
    owner = function.__self__
    return str((owner.pb() if hasattr(owner, "pb") else owner).DESCRIPTOR.full_name)


def _stubs(service_module: str) -> dict[str, tuple[str, Any, Any]]:
    module = importlib.import_module(f"{service_module}.transports.grpc")
    transport_class = _only_class(module, "GrpcTransport")
    channel = RecordingChannel()
    # The clients wrap the channel in a logging interceptor, which asks for a stub on first call.
    with patch.object(grpc, "intercept_channel", lambda wrapped, *_: wrapped):
        transport = transport_class(channel=channel)
    skip = {"grpc_channel", "host", "kind", "operations_client"}
    for name, _ in inspect.getmembers(transport_class, lambda member: isinstance(member, property)):
        if name not in skip:
            getattr(transport, name)
    return channel.stubs


def _rest_rules(service_module: str) -> dict[str, list[Rule]]:
    """Return the HTTP bindings of a service and its mixins by method name."""
    module = importlib.import_module(f"{service_module}.transports.rest_base")
    transport_class = _only_class(module, "RestTransport")
    rules = {}
    for name, member in inspect.getmembers(transport_class, inspect.isclass):
        options = getattr(member, "_get_http_options", None)
        if name.startswith("_Base") and options is not None:
            rules[name.removeprefix("_Base")] = [
                (rule["method"].upper(), rule["uri"], rule.get("body", "")) for rule in options()
            ]
    return rules


def _row(path: str, stub: tuple[str, Any, Any]) -> Row:
    service, method = path.strip("/").split("/")
    kind, serializer, deserializer = stub
    owner = MIXINS.get(service)
    if owner is None and not hasattr(serializer, "__self__"):
        owner = IAM_POLICY
    if owner is not None:
        descriptor = owner.methods_by_name[method]
        types = (descriptor.input_type.full_name, descriptor.output_type.full_name)
    else:
        types = (_type_name(serializer), _type_name(deserializer))
    http = [ANNOTATED_ONLY[path]] if path in ANNOTATED_ONLY else []
    return Row(path, KINDS[kind], *types, http=http)


def collect_rows() -> list[Row]:
    """Return every RPC of every package, sorted by gRPC path.

    A mixin appears once, with the bindings of all services that mix it in.
    """
    rows: dict[str, Row] = {}
    for package in PACKAGES:
        for service_module in _service_modules(package):
            rest_rules = _rest_rules(service_module)
            for path, stub in _stubs(service_module).items():
                row = rows.setdefault(path, _row(path, stub))
                new_rules = rest_rules.get(path.rpartition("/")[2], ())
                row.http.extend(rule for rule in new_rules if rule not in row.http)
    for path, row in rows.items():
        if path.strip("/").split("/")[0] in MIXINS:
            row.http.sort(key=lambda rule: (rule[1], rule[0]))
    return [rows[path] for path in sorted(rows)]


def _package_files(package: str) -> Iterator[FileDescriptor]:
    """Yield the file of every module of message types in a package."""
    types = importlib.import_module(f"{package}.types")
    for found in pkgutil.iter_modules(types.__path__):
        module = importlib.import_module(f"{package}.types.{found.name}")
        for _, member in inspect.getmembers(module, inspect.isclass):
            if member.__module__ != module.__name__:
                continue
            if issubclass(member, proto.Message):
                yield member.pb().DESCRIPTOR.file
                break


def _closure(files: Iterable[FileDescriptor]) -> list[FileDescriptor]:
    """Return the files and all they import, each after what it imports, else by name."""
    ordered: dict[str, FileDescriptor] = {}

    def visit(file: FileDescriptor) -> None:
        if file.name in ordered or _is_annotation_file(file.name):
            return
        for dependency in sorted(file.dependencies, key=lambda found: found.name):
            visit(dependency)
        ordered[file.name] = file

    for file in sorted(files, key=lambda found: found.name):
        visit(file)
    return list(ordered.values())


def _is_annotation_file(name: str) -> bool:
    """Return whether a file only defines options, which the server does not read."""
    if name == httpbody_pb2.DESCRIPTOR.name:
        return False
    return name.startswith("google/api/") or name == "google/protobuf/descriptor.proto"


def _plain_file(file: FileDescriptor) -> descriptor_pb2.FileDescriptorProto:
    """Return a file without services and options, and with the wire's own field names."""
    plain = descriptor_pb2.FileDescriptorProto()
    file.CopyToProto(plain)
    plain.ClearField("service")
    plain.ClearField("extension")
    plain.ClearField("options")
    plain.ClearField("source_code_info")
    kept = [name for name in plain.dependency if not _is_annotation_file(name)]
    for name in ("dependency", "public_dependency", "weak_dependency"):
        plain.ClearField(name)
    plain.dependency.extend(sorted(kept))
    for message in plain.message_type:
        _plain_message(message)
    for enum in plain.enum_type:
        _plain_enum(enum)
    return plain


def _plain_message(message: descriptor_pb2.DescriptorProto) -> None:
    is_map_entry = message.options.map_entry
    message.ClearField("options")
    if is_map_entry:
        message.options.map_entry = True
    for field in message.field:
        field.ClearField("options")
        _restore_name(field)
    names = [field.name for field in message.field]
    if len(names) != len(set(names)):
        raise SystemExit(f"{message.name}: two fields have one name without the trailing _")
    for nested in message.nested_type:
        _plain_message(nested)
    for enum in message.enum_type:
        _plain_enum(enum)


def _restore_name(field: descriptor_pb2.FieldDescriptorProto) -> None:
    """Undo the clients' renaming of Python's own words: `type_` is `type` on the wire."""
    if field.name.endswith("_"):
        field.name = field.name.rstrip("_")
    head, *rest = field.name.split("_")
    field.json_name = head + "".join(part[:1].upper() + part[1:] for part in rest)


def _plain_enum(enum: descriptor_pb2.EnumDescriptorProto) -> None:
    has_aliases = enum.options.allow_alias
    enum.ClearField("options")
    if has_aliases:
        enum.options.allow_alias = True
    for value in enum.value:
        value.ClearField("options")


def published_rows(rows: list[Row], versions: dict[str, published.Version]) -> list[Row]:
    """Return the RPCs with those that Google publishes and the client of the version lacks."""
    found = {row.path: row for row in rows}
    known = {published.shape_of(rule[0], rule[1]) for row in rows for rule in row.http}
    for name, described in versions.items():
        for method in described.methods:
            if method.shape in known:
                continue
            donor = _donor(rows, method, name)
            if donor is not None:
                _add_rule(found, *donor, described)
                continue
            made = published.only_published(method)
            if made is not None:
                service, rpc = made
                request, rule = described.request_of(method, rpc)
                path = f"/{described.package}.{service}/{rpc}"
                new = Row(path, "unary", request, described.response_of(method), [])
                found.setdefault(path, new).http.append(rule)
    return [found[path] for path in sorted(found)]


def _donor(rows: list[Row], method: published.Method, name: str) -> tuple[Row, Rule] | None:
    """Return an RPC of another version at a method's path, and the binding, as it is there."""
    for other in published.DONORS:
        for row in rows if other != name else ():
            if f".{other}." in row.path:
                for rule in row.http:
                    mine = rule[1].replace(f"/{other}/", f"/{name}/", 1)
                    if published.shape_of(rule[0], mine) == method.shape:
                        return row, rule
    return None


def _add_rule(found: dict[str, Row], donor: Row, rule: Rule, described: published.Version) -> None:
    """Give a version an RPC of another version, or a further path of it."""
    other = donor.path.split(".")[3]
    path = donor.path.replace(f".{other}.", f".{described.version}.")
    if path not in found:
        types = [_type_in(name, other, described) for name in (donor.input_type, donor.output_type)]
        found[path] = Row(path, donor.kind, *types, http=[])
    template = rule[1].replace(f"/{other}/", f"/{described.version}/", 1)
    found[path].http.append((rule[0], template, rule[2]))


def _type_in(name: str, other: str, described: published.Version) -> str:
    """Return the name of a message in another version, where it is made if need be."""
    prefix = f"{published.PACKAGE}.{other}."
    if not name.startswith(prefix):
        return name
    return described.ensure(name.removeprefix(prefix).replace(".", "")).lstrip(".")


def generate() -> dict[str, bytes]:
    """Return the content of the files by file name.

    schema.binpb is a FileDescriptorSet in which a file follows what it imports; rules.json has the
    packages it was read from, and one line per RPC.
    """
    given = [file for package in PACKAGES for file in _package_files(package)]
    files = [_plain_file(file) for file in _closure([*ROOT_FILES, *given])]
    versions = published.complete_versions(files)
    rows = published_rows(collect_rows(), versions)
    own = {described.package for described in versions.values()}
    files = [file for file in files if file.package not in own]
    files += [described.finish() for described in versions.values()]
    descriptors = descriptor_pb2.FileDescriptorSet(file=files)
    packages = json.dumps({name: version(name) for name in DISTRIBUTIONS})
    lines = ",\n".join(row.as_json() for row in rows)
    rules_json = f'{{"packages":{packages},\n"rpcs":[\n{lines}\n]}}\n'.encode()
    schema_binpb = descriptors.SerializeToString(deterministic=True)
    types = wire_types.stubs(Schema(rules_json, schema_binpb))
    return {"rules.json": rules_json, "schema.binpb": schema_binpb} | types


def main() -> int:
    """Write the files, or compare them with what would be written."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    stale = []
    for name, content in generate().items():
        path = SCHEMA_FOLDER / name
        if path.exists() and path.read_bytes() == content:
            continue
        stale.append(name)
        if not options.check:
            path.write_bytes(content)
            print(f"wrote {path.relative_to(Path.cwd())}: {len(content):,} bytes")
    if options.check and stale:
        print(f"differs from the installed clients: {', '.join(stale)}; run `{COMMAND}`")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
