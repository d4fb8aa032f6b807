"""Answers RPCs over gRPC. Key and deadline hold from the headers on, before any message."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import aclosing
from typing import Any, Final, NoReturn

from google.protobuf.message import DecodeError, Message

from toulmin.apis.aip.registry import Registry
from toulmin.apis.aip.response_mask import masked, response_mask
from toulmin.apis.aip.status import INTERNAL_MESSAGE, grpc_status_name, to_status
from toulmin.apis.aip.values import check_wire_values
from toulmin.apis.schema import Rpc
from toulmin.errors import (
    Internal,
    InvalidArgument,
    NotFound,
    ShuttingDown,
    ToulminError,
    Unimplemented,
)
from toulmin.server.audit import AuditLog
from toulmin.server.calls import Call, pull, run_stream, run_unary, until
from toulmin.server.exchange import request_id_of
from toulmin.server.gate import Gate
from toulmin.server.grpc_call import END, Ended, GrpcCall, details_trailer
from toulmin.server.http2_stream import Stream
from toulmin.server.request_log import RequestRecord, log_defect, log_request
from toulmin.server.state import ServerState
from toulmin.server.workers import Workers
from toulmin.settings import Settings

_HEALTH_CHECK: Final = "/grpc.health.v1.Health/Check"
# HealthCheckResponse{status: SERVING} and {status: NOT_SERVING}.
_SERVING: Final = b"\x08\x01"
_NOT_SERVING: Final = b"\x08\x02"
_UNSUPPORTED: Final = 415


class GrpcApp:
    """Answers every method of the contract.

    Args:
        registry: The handlers.
        settings: The time limit.
        state: For the health service.
        workers: Where handlers run.
        gate: What every call passes.
    """

    def __init__(
        self,
        registry: Registry,
        settings: Settings,
        *,
        state: ServerState,
        workers: Workers,
        gate: Gate,
    ) -> None:
        self._registry = registry
        self._state = state
        self._workers = workers
        self._gate = gate
        self._timeout_s = settings.request_timeout_s
        self._max_bytes = settings.max_body_bytes
        self._silence_s = settings.header_timeout_s

    async def __call__(self, stream: Stream) -> None:
        """Answer one call; every failure becomes a status."""
        context = GrpcCall(
            stream, max_message_bytes=self._max_bytes, first_message_s=self._silence_s
        )
        try:
            if not context.is_grpc:
                await context.refuse(_UNSUPPORTED)
            elif context.method == _HEALTH_CHECK:
                await self._check_health(context)
            else:
                await self._answer(context)
        except Ended:
            pass
        finally:
            context.close()

    async def _answer(self, context: GrpcCall) -> None:
        if self._state.draining:
            record = RequestRecord(request_id_of(context.headers), "grpc")
            await _abort(context, ShuttingDown(), record)
        rpc = self._registry.schema.rpcs.get(context.method)
        if rpc is None:
            await context.abort(Unimplemented.code, f"Method not found: {context.method[:200]}")
        if rpc.kind in ("unary", "client_stream"):
            await context.send(await self._answer_one(rpc, context))
        else:
            async with aclosing(self._answer_many(rpc, context)) as parts:
                async for part in parts:
                    await context.send(part)
        await context.finish()

    async def _answer_one(self, rpc: Rpc, context: GrpcCall) -> bytes:
        record = RequestRecord("", "grpc", rpc=rpc.full_name)
        call: Call | None = None
        try:
            call = await self._begin(rpc, context, record)
            run = await self._runner(rpc, context, call, record)
            part = await run_unary(self._workers, call, lambda: _encode(run()))
        except ToulminError as error:
            await _abort(context, error, record)
        except asyncio.CancelledError:
            if self._state.ending:
                await _abort(context, ShuttingDown(), record)
            record.code = "CANCELLED"
            raise
        except Exception as defect:  # noqa: BLE001 - a defect must reach the caller as INTERNAL
            await _abort(context, _reported(defect, record), record)
        else:
            record.bytes_out = len(part)
            return part
        finally:
            _finish(call, record, self._gate.audit)

    async def _answer_many(self, rpc: Rpc, context: GrpcCall) -> AsyncGenerator[bytes]:
        record = RequestRecord("", "grpc", rpc=rpc.full_name)
        call: Call | None = None
        try:
            call = await self._begin(rpc, context, record)
            run = await self._runner(rpc, context, call, record)
            parts = run_stream(self._workers, call, lambda: _encode_each(run()))
            async with aclosing(parts):
                async for part in parts:
                    record.bytes_out += len(part)
                    yield part
        except ToulminError as error:
            await _abort(context, error, record)
        except asyncio.CancelledError:
            if self._state.ending:
                await _abort(context, ShuttingDown(), record)
            record.code = "CANCELLED"
            raise
        except GeneratorExit:
            record.code = "CANCELLED"
            raise
        except Exception as defect:  # noqa: BLE001 - a defect must reach the caller as INTERNAL
            await _abort(context, _reported(defect, record), record)
        finally:
            _finish(call, record, self._gate.audit)

    async def _begin(self, rpc: Rpc, context: GrpcCall, record: RequestRecord) -> Call:
        """Return the call once it is known who calls.

        Raises:
            Unauthenticated: No key that is right was presented.
            PermissionDenied: The caller names a project that it may not use.
            Unavailable: The stored keys cannot be read.
            DeadlineExceeded: Nor are they in the time that the caller waits.
        """
        headers = context.headers
        record.request_id = request_id_of(headers)
        context.set_trailing_metadata((("x-request-id", record.request_id),))
        if self._gate.telemetry is not None:
            self._gate.telemetry.begin(record, headers)
        remaining = context.time_remaining()
        timeout_s = self._timeout_s if remaining is None else min(remaining, self._timeout_s)
        deadline = time.monotonic() + timeout_s
        async with until(deadline, timeout_s):
            caller = await self._gate.authenticator.check(headers)
        record.caller = caller.id
        call = Call(
            rpc,
            caller,
            self._gate.quotas,
            self._registry.schema,
            request_id=record.request_id,
            deadline=deadline,
            timeout_s=timeout_s,
        )
        record.timings, record.names = call.timings, call.context.names
        return call

    async def _runner(
        self, rpc: Rpc, context: GrpcCall, call: Call, record: RequestRecord
    ) -> Callable[[], Any]:
        """Return the function that decodes the request and calls the handler, on a worker."""
        message_class = self._registry.schema.message_class(rpc.input_type)
        handler = self._registry.handler(rpc)
        descriptor = self._registry.schema.message_descriptor(rpc.output_type)
        headers = context.headers
        loop = asyncio.get_running_loop()
        request: bytes | None = None
        if rpc.kind in ("unary", "server_stream"):
            async with call.within_deadline():
                request = await context.read_one()

        def decoded(part: bytes) -> Message:
            record.bytes_in += len(part)
            return _decode(message_class, part)

        def run() -> Message | Iterable[Message]:
            mask = response_mask(query="", headers=headers, descriptor=descriptor)
            if request is not None:
                return masked(handler(decoded(request), call.context), mask)
            parts: Any = pull(context.read, end=END, loop=loop, call=call)
            return masked(handler(map(decoded, parts), call.context), mask)

        return run

    async def _check_health(self, context: GrpcCall) -> None:
        try:
            request = await context.read_one()
        except ToulminError as error:
            await context.abort(error.code, error.message)
        service = request[2:].decode("utf-8", "replace")
        if service and not any(
            rpc.service == service for rpc in self._registry.schema.rpcs.values()
        ):
            await context.abort(NotFound.code, f"Unknown service {service[:200]}")
        await context.send(_NOT_SERVING if self._state.why_not_ready() else _SERVING)
        await context.finish()


def _decode(message_class: Any, part: bytes) -> Message:
    """Return the message.

    Raises:
        InvalidArgument: The bytes are no such message, or one of too many values, or a string in
            them is not UTF-8.
    """
    check_wire_values(part, message_class.DESCRIPTOR)
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


def _finish(call: Call | None, record: RequestRecord, audit: AuditLog) -> None:
    if call is not None:
        call.end()
    log_request(record)
    audit.request(record)


def _reported(defect: Exception, record: RequestRecord) -> Internal:
    log_defect(defect, request_id=record.request_id, rpc=record.rpc)
    return Internal(INTERNAL_MESSAGE)


async def _abort(context: GrpcCall, error: ToulminError, record: RequestRecord) -> NoReturn:
    """End the RPC with the error as google.rpc.Status in its trailers.

    Raises:
        Ended: Always.
    """
    record.code, record.reason = grpc_status_name(error.code), error.reason
    status = to_status(error)
    trailers = (
        ("x-request-id", record.request_id),
        details_trailer(status),
    )
    await context.abort(status.code, status.message, trailers)
