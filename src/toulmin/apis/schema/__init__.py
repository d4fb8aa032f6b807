"""The wire contract as data: every RPC of the three Google APIs, and every message they carry.

`rules.json` and `schema.binpb` are generated from the official client packages by
`tools/generate_schema.py` and never edited. They are loaded into a descriptor pool of their own, so
that a user's Google clients in the same process never meet them. `extensions.py` adds the fields
that no published client has.

    rules.json      one row per RPC: gRPC path, kind, HTTP bindings, request and response type
    schema.binpb    google.protobuf.FileDescriptorSet of every request, response, operation and
                    error-detail type
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import orjson
from google.protobuf import descriptor_pb2, message_factory
from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message

from toulmin.apis.schema.extensions import extend_file


@dataclass(frozen=True, slots=True)
class HttpRule:
    """One HTTP binding of an RPC, as in google.api.http.

    Attributes:
        verb: "GET", "POST", "PUT", "PATCH" or "DELETE".
        template: Path template, for example "/v1/{name=projects/*/locations/*}:check".
        body: "*" when the body is the whole request, the name of the request field that it is, or
            "" when there is none.
    """

    verb: str
    template: str
    body: str


@dataclass(frozen=True, slots=True)
class Rpc:
    """One remote procedure.

    Attributes:
        service: Full name, "google.cloud.discoveryengine.v1.GroundedGenerationService".
        method: "CheckGrounding".
        kind: "unary", "server_stream", "client_stream" or "bidi".
        rules: HTTP bindings, in the order of the annotation; empty when there is gRPC only.
        input_type: Full proto name of the request message.
        output_type: Full proto name of the response message.
    """

    service: str
    method: str
    kind: str
    rules: tuple[HttpRule, ...]
    input_type: str
    output_type: str

    @property
    def full_name(self) -> str:
        """Return "service.method"."""
        return f"{self.service}.{self.method}"

    @property
    def grpc_path(self) -> str:
        """Return "/service/method", the HTTP/2 path of a gRPC call."""
        return f"/{self.service}/{self.method}"

    @property
    def api(self) -> str:
        """Return the API's short name: "discoveryengine", "generativelanguage", "ces", ...

        The services that every API shares have "longrunning" and "location".
        """
        parts = self.service.split(".")[:-1]
        return parts[-2] if _is_version(parts[-1]) else parts[-1]

    @property
    def version(self) -> str:
        """Return "v1", "v1beta" or "v1alpha"; "" for a service that every API shares."""
        last = self.service.split(".")[-2]
        return last if _is_version(last) else ""

    @property
    def service_name(self) -> str:
        """Return the last part of the service's name: "GroundedGenerationService"."""
        return self.service.rpartition(".")[2]


def _is_version(part: str) -> bool:
    return part[:1] == "v" and part[1:2].isdigit()


class Schema:
    """Every RPC and every message type of the contract.

    Args:
        rules: Content of rules.json.
        descriptors: Content of schema.binpb.
    """

    def __init__(self, rules: bytes, descriptors: bytes) -> None:
        rows = [_rpc_from_row(row) for row in orjson.loads(rules)["rpcs"]]
        self.rpcs: Mapping[str, Rpc] = MappingProxyType({rpc.grpc_path: rpc for rpc in rows})
        self.pool: Any = _load_pool(descriptors)
        self._classes: dict[str, type[Message]] = {}

    def message_descriptor(self, full_name: str) -> Descriptor:
        """Return the descriptor of a message type.

        Raises:
            KeyError: the contract has no such type.
        """
        found: Descriptor = self.pool.FindMessageTypeByName(full_name)
        return found

    def message_class(self, full_name: str) -> type[Message]:
        """Return the class of a message type, always the same object for the same name.

        Raises:
            KeyError: the contract has no such type.
        """
        found = self._classes.get(full_name)
        if found is None:
            found = class_of(self.message_descriptor(full_name))
            self._classes[full_name] = found
        return found

    @cached_property
    def versions(self) -> Mapping[str, tuple[str, ...]]:
        """Return the versions of each API, sorted, by the API's short name."""
        found: dict[str, set[str]] = {}
        for rpc in self.rpcs.values():
            found.setdefault(rpc.api, set()).add(rpc.version)
        return MappingProxyType({api: tuple(sorted(names)) for api, names in found.items()})


def _rpc_from_row(row: dict[str, object]) -> Rpc:
    http = row["http"]
    if not isinstance(http, list):
        raise TypeError(f"rules.json: http of {row['method']} must be a list")
    return Rpc(
        service=str(row["service"]),
        method=str(row["method"]),
        kind=str(row["kind"]),
        rules=tuple(HttpRule(verb, template, body) for verb, template, body in http),
        input_type=str(row["input"]),
        output_type=str(row["output"]),
    )


def class_of(descriptor: Descriptor) -> type[Message]:
    """Return the message class of a descriptor; always the same object for the same descriptor."""
    make: Callable[[Descriptor], type[Message]] = message_factory.GetMessageClass
    return make(descriptor)


def _load_pool(descriptors: bytes) -> Any:
    """Return a new DescriptorPool with every file of the set, which is sorted by dependency."""
    new_pool: Callable[[], Any] = DescriptorPool
    file_set: Any = descriptor_pb2
    pool = new_pool()
    for file in file_set.FileDescriptorSet.FromString(descriptors).file:
        extend_file(file)
        pool.AddSerializedFile(file.SerializeToString())
    return pool


@cache
def load_schema() -> Schema:
    """Return the contract that this package ships; loaded once per process."""
    folder = files("toulmin.apis.schema")
    return Schema(
        folder.joinpath("rules.json").read_bytes(), folder.joinpath("schema.binpb").read_bytes()
    )
