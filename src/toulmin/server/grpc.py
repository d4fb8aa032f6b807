"""Answers RPCs over gRPC: one generic handler for every method of the contract, on raw bytes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import aclosing
from typing import Any, Final, NoReturn

import grpc
import grpc.aio
from google.protobuf.message import DecodeError, Message

from toulmin.apis.aip.registry import Registry
from toulmin.apis.aip.status import INTERNAL_MESSAGE, grpc_status_name, to_status
from toulmin.apis.schema import Rpc
from toulmin.errors import Internal, InvalidArgument, ToulminError
from toulmin.server.auth import Authenticator
from toulmin.server.calls import Call, pull, run_stream, run_unary
from toulmin.server.exchange import request_id_of
from toulmin.server.request_log import RequestRecord, log_defect, log_request
from toulmin.server.state import ServerState
from toulmin.server.workers import Workers
from toulmin.settings import Settings

_HEALTH_CHECK: Final = "/grpc.health.v1.Health/Check"
# HealthCheckResponse{status: SERVING} and {status: NOT_SERVING}.
_SERVING: Final = b"\x08\x01"
_NOT_SERVING: Final = b"\x08\x02"
_STATUS_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


class GrpcApp(grpc.GenericRpcHandler):
    """Answers every method of the contract.

    Args:
        registry: The handlers.
        settings: Keys and the time limit.
        state: For the health service.
        workers: Where handlers run.
    """

    def __init__(
        self, registry: Registry, settings: Settings, *, state: ServerState, workers: Workers
    ) -> None:
        self._registry = registry
        self._state = state
        self._workers = workers
        self._authenticator = Authenticator(settings.api_keys)
        self._timeout_s = settings.request_timeout_s
        self._methods = {_HEALTH_CHECK: _method_handler("unary", self._check_health)}

    def service(self, handler_call_details: Any) -> grpc.RpcMethodHandler | None:
        """Return what answers a method; None makes gRPC answer UNIMPLEMENTED."""
        path: str = handler_call_details.method
        found = self._methods.get(path)
        if found is None:
            rpc = self._registry.schema.rpcs.get(path)
            if rpc is None:
                return None
            found = self._methods[path] = self._method(rpc)
        return found

    def _method(self, rpc: Rpc) -> grpc.RpcMethodHandler:
        async def one(request: Any, context: Any) -> bytes:
            return await self._answer_one(rpc, request, context)

        async def many(request: Any, context: Any) -> AsyncGenerator[bytes]:
            async with aclosing(self._answer_many(rpc, request, context)) as parts:
                async for part in parts:
                    yield part

        return _method_handler(rpc.kind, one if rpc.kind in ("unary", "client_stream") else many)

    async def _answer_one(self, rpc: Rpc, request: Any, context: Any) -> bytes:
        record = RequestRecord("", "grpc", rpc=rpc.full_name)
        call: Call | None = None
        try:
            call = self._begin(rpc, context, record)
            run = self._runner(rpc, request, context, call, record)
            part = await run_unary(self._workers, call, lambda: _encode(run()))
        except ToulminError as error:
            await _abort(context, error, record)
        except asyncio.CancelledError:
            record.code = "CANCELLED"
            raise
        except Exception as defect:  # noqa: BLE001 - a defect must reach the caller as INTERNAL
            await _abort(context, _reported(defect, record), record)
        else:
            record.bytes_out = len(part)
            return part
        finally:
            _finish(call, record)

    async def _answer_many(self, rpc: Rpc, request: Any, context: Any) -> AsyncGenerator[bytes]:
        record = RequestRecord("", "grpc", rpc=rpc.full_name)
        call: Call | None = None
        try:
            call = self._begin(rpc, context, record)
            run = self._runner(rpc, request, context, call, record)
            parts = run_stream(self._workers, call, lambda: _encode_each(run()))
            async with aclosing(parts):
                async for part in parts:
                    record.bytes_out += len(part)
                    yield part
        except ToulminError as error:
            await _abort(context, error, record)
        except (asyncio.CancelledError, GeneratorExit):
            record.code = "CANCELLED"
            raise
        except Exception as defect:  # noqa: BLE001 - a defect must reach the caller as INTERNAL
            await _abort(context, _reported(defect, record), record)
        finally:
            _finish(call, record)

    def _begin(self, rpc: Rpc, context: Any, record: RequestRecord) -> Call:
        """Return the call after its key was checked.

        Raises:
            Unauthenticated: No configured key was presented.
        """
        headers = {
            name: value
            for name, value in context.invocation_metadata() or ()
            if isinstance(value, str)
        }
        record.request_id = request_id_of(headers)
        context.set_trailing_metadata((("x-request-id", record.request_id),))
        self._authenticator.check(headers)
        remaining = context.time_remaining()
        timeout_s = self._timeout_s if remaining is None else min(remaining, self._timeout_s)
        call = Call(
            rpc,
            self._registry.schema,
            request_id=record.request_id,
            deadline=time.monotonic() + timeout_s,
            timeout_s=timeout_s,
        )
        record.timings = call.timings
        return call

    def _runner(
        self, rpc: Rpc, request: Any, context: Any, call: Call, record: RequestRecord
    ) -> Callable[[], Any]:
        """Return the function that decodes the request and calls the handler, on a worker."""
        message_class = self._registry.schema.message_class(rpc.input_type)
        handler = self._registry.handler(rpc)
        loop = asyncio.get_running_loop()

        def decoded(part: bytes) -> Message:
            record.bytes_in += len(part)
            return _decode(message_class, part)

        def run() -> Message | Iterable[Message]:
            if isinstance(request, bytes):
                return handler(decoded(request), call.context)
            parts = pull(context.read, end=grpc.aio.EOF, loop=loop, call=call)
            return handler(map(decoded, parts), call.context)

        return run

    async def _check_health(self, request: bytes, context: Any) -> bytes:
        service = request[2:].decode("utf-8", "replace")
        if service and not any(
            rpc.service == service for rpc in self._registry.schema.rpcs.values()
        ):
            await context.abort(grpc.StatusCode.NOT_FOUND, f"Unknown service {service[:200]}")
        return _NOT_SERVING if self._state.why_not_ready() else _SERVING


def _method_handler(kind: str, function: Callable[..., Any]) -> grpc.RpcMethodHandler:
    """Return the function as gRPC wants it, taking and returning raw bytes."""
    wrap = {
        "unary": grpc.unary_unary_rpc_method_handler,
        "client_stream": grpc.stream_unary_rpc_method_handler,
        "server_stream": grpc.unary_stream_rpc_method_handler,
        "bidi": grpc.stream_stream_rpc_method_handler,
    }
    handler: grpc.RpcMethodHandler = wrap[kind](function)  # type: ignore[no-untyped-call]
    return handler


def _decode(message_class: Any, part: bytes) -> Message:
    """Return the message.

    Raises:
        InvalidArgument: The bytes are no such message, or a string in them is not UTF-8.
    """
    try:
        message: Message = message_class.FromString(part)
    except DecodeError:
        raise InvalidArgument(
            f"The request is not a valid {message_class.DESCRIPTOR.full_name}: wrong protobuf"
            " encoding, or a string that is not UTF-8",
            reason="INVALID_PROTOBUF",
        ) from None
    return message


def _encode(response: Any) -> bytes:
    encoded: bytes = response.SerializeToString(deterministic=True)
    return encoded


def _encode_each(responses: Any) -> Iterator[bytes]:
    for response in responses:
        yield _encode(response)


def _finish(call: Call | None, record: RequestRecord) -> None:
    if call is not None:
        call.end()
    log_request(record)


def _reported(defect: Exception, record: RequestRecord) -> Internal:
    log_defect(defect, request_id=record.request_id, rpc=record.rpc)
    return Internal(INTERNAL_MESSAGE)


async def _abort(context: Any, error: ToulminError, record: RequestRecord) -> NoReturn:
    """End the RPC with the error as google.rpc.Status in its trailers.

    Raises:
        Exception: Always, gRPC's own.
    """
    record.code = grpc_status_name(error.code)
    status: Any = to_status(error)
    trailers = (
        ("x-request-id", record.request_id),
        ("grpc-status-details-bin", status.SerializeToString()),
    )
    await context.abort(_STATUS_CODES[status.code], status.message, trailers)
    raise AssertionError("gRPC's abort returned")


async def start_grpc(app: GrpcApp, settings: Settings, address: str) -> grpc.aio.Server:
    """Return a gRPC server that listens on a private address.

    Args:
        app: What answers.
        settings: Limits.
        address: "unix:<path>", or "127.0.0.1:0" where there are no such sockets.
    """
    milliseconds = 1000
    server: grpc.aio.Server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", settings.max_body_bytes),
            ("grpc.max_send_message_length", -1),
            ("grpc.max_metadata_size", settings.max_header_bytes),
            ("grpc.absolute_max_metadata_size", settings.max_header_bytes),
            ("grpc.max_concurrent_streams", 256),
            ("grpc.server_handshake_timeout_ms", int(settings.header_timeout_s * milliseconds)),
            ("grpc.max_connection_idle_ms", int(settings.idle_timeout_s * milliseconds)),
            ("grpc.keepalive_time_ms", 60 * milliseconds),
            ("grpc.so_reuseport", 0),
        ]
    )
    server.add_generic_rpc_handlers((app,))
    server.add_insecure_port(address)
    await server.start()
    return server
