"""Which handler answers which RPC. One handler serves REST and gRPC and all API versions.

No handler sees a request before `access.py` has said that its caller may make it.

A handler takes a protobuf request and a `CallContext` and returns a protobuf response, or an
iterable of them for a streaming RPC. Fields are matched by name, so the same function works on
the message classes of v1, v1beta and v1alpha.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

from google.protobuf.message import Message

from toulmin.apis.aip.access import check_access, check_role, names_in
from toulmin.apis.schema import Rpc, Schema
from toulmin.callers import Caller
from toulmin.errors import Unimplemented


def _free(_metric: str, _amount: int) -> None:
    """Take nothing: for work that has no quota."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a handler knows about the call besides its request.

    Attributes:
        rpc: The RPC that was called.
        deadline: `time.monotonic()` second by which the caller wants the answer, or None.
        is_cancelled: True once the caller has gone.
        request_id: The id in the request log and in the response headers.
        timings: Milliseconds by step ("tokenise_ms", ...); handlers add, the request log prints.
        new_message: Returns an empty response of the RPC's output type, in its API version.
        caller: Who calls.
        names: The names of resources in the request, in order.
        charge: Takes an amount of "requests" or "tokens" from the quotas of the caller and of the
            projects in `names`; raises `QuotaExceeded` where that is too much.
    """

    rpc: Rpc
    deadline: float | None
    is_cancelled: Callable[[], bool]
    request_id: str
    timings: dict[str, float]
    new_message: Callable[[], Any]
    caller: Caller
    names: list[str] = field(default_factory=list)
    charge: Callable[[str, int], None] = _free

    def empty_message(self) -> Message:
        """Return the response of an RPC that has nothing to say."""
        message: Message = self.new_message()
        return message


# First argument: the request, or an iterator of requests for "client_stream" and "bidi".
Handler: TypeAlias = Callable[[Any, CallContext], Message | Iterable[Message]]


class Registry:
    """Handlers by RPC; an RPC without one answers UNIMPLEMENTED with its name."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._handlers: dict[str, Handler] = {}

    def register(
        self,
        api: str,
        service: str,
        method: str,
        handler: Handler,
        *,
        versions: Sequence[str] = (),
    ) -> None:
        """Bind a handler to an RPC in the given versions, or in every version that has it.

        Args:
            api: "discoveryengine", "generativelanguage", "ces", "longrunning" or "location".
            service: Last part of the service's name, "GroundedGenerationService".
            method: "CheckGrounding".
            handler: Called from a worker thread, possibly many at once.
            versions: For example ["v1", "v1beta"]; empty means all.

        Raises:
            ValueError: the contract has no such RPC (in one of the versions), or it is taken.
        """
        found = {
            rpc.version: rpc
            for rpc in self.schema.rpcs.values()
            if (rpc.api, rpc.service_name, rpc.method) == (api, service, method)
        }
        wanted = tuple(versions) or tuple(found)
        missing = [version for version in wanted if version not in found]
        if missing or not wanted:
            where = f" in {', '.join(missing)}" if missing else ""
            raise ValueError(f"the contract has no RPC {api} {service}.{method}{where}")
        for version in wanted:
            path = found[version].grpc_path
            if path in self._handlers:
                raise ValueError(f"{path} has a handler already")
            self._handlers[path] = _guarded(handler)

    def handler(self, rpc: Rpc) -> Handler:
        """Return the RPC's handler, or one that raises `Unimplemented` naming the RPC.

        It raises `PermissionDenied` for what its caller may not do.
        """
        return self._handlers.get(rpc.grpc_path, _refuse)

    def is_implemented(self, rpc: Rpc) -> bool:
        """Return whether a handler is registered for the RPC."""
        return rpc.grpc_path in self._handlers


def _guarded(handler: Handler) -> Handler:
    def answer(request: Any, context: CallContext) -> Message | Iterable[Message]:
        if context.rpc.kind in ("client_stream", "bidi"):
            check_role(context.caller, context.rpc)
            return handler(_each_checked(request, context), context)
        _admit(request, context)
        return handler(request, context)

    return answer


def _each_checked(requests: Iterable[Message], context: CallContext) -> Iterator[Message]:
    for request in requests:
        _admit(request, context)
        yield request


def _admit(request: Message, context: CallContext) -> None:
    names = list(names_in(request))
    context.names.extend(names)
    check_access(context.caller, context.rpc, names)
    context.charge("requests", 1)


def _refuse(_request: object, context: CallContext) -> NoReturn:
    raise Unimplemented(f"{context.rpc.full_name} is not implemented in this version of Toulmin")
