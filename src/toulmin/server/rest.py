"""Answers one RPC over HTTP: a JSON object, a JSON array in parts, or server-sent events.

A JSON array is what Google's own clients read: it begins with exactly `[`, its items are separated
by a comma, and it ends with exactly `]`. When a stream fails halfway the last element is the error
and the final `]` is missing; only that makes those clients raise.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing
from typing import Any, Final

import orjson
from google.protobuf.message import Message

from toulmin.apis.aip.registry import Registry
from toulmin.apis.aip.response_mask import masked, response_mask
from toulmin.apis.aip.status import error_body, grpc_status_name, to_status
from toulmin.apis.aip.transcoding import (
    ResponseOptions,
    RouteMatch,
    dump_json,
    parse_request,
    response_options,
)
from toulmin.errors import ShuttingDown, ToulminError
from toulmin.server.calls import Call, run_stream, run_unary
from toulmin.server.exchange import Exchange
from toulmin.server.quotas import Quotas
from toulmin.server.responses import EVENT_STREAM, JSON
from toulmin.server.workers import Workers

_HTTP_BODY: Final = "google.api.HttpBody"

# What stands before the first item, between items, and after the last.
_ARRAY: Final = (b"[", b",\n", b"]")
_EVENTS: Final = (b"data: ", b"\r\n\r\ndata: ", b"\r\n\r\n")


async def answer(
    exchange: Exchange,
    match: RouteMatch,
    body: bytes,
    *,
    registry: Registry,
    workers: Workers,
    quotas: Quotas,
) -> None:
    """Run the RPC and send its response.

    Raises:
        ToulminError: It failed before anything was sent.
    """
    call = Call(
        match.rpc,
        exchange.caller,
        quotas,
        registry.schema,
        request_id=exchange.request_id,
        timeout_s=exchange.timeout_s,
        deadline=exchange.deadline,
    )
    exchange.record.timings, exchange.record.names = call.timings, call.context.names
    options = response_options(exchange.query)
    run = _runner(exchange, match, body, registry, call)
    try:
        if match.rpc.kind == "unary" or match.rpc.kind == "client_stream":
            content, content_type = await run_unary(
                workers, call, lambda: _encode(run(), match, options)
            )
            await exchange.response.whole(200, content, content_type)
        else:
            parts = run_stream(workers, call, lambda: _encode_each(run(), options))
            async with aclosing(parts):
                await _send_stream(exchange, parts, sse=options.sse)
    finally:
        call.end()


def _runner(
    exchange: Exchange, match: RouteMatch, body: bytes, registry: Registry, call: Call
) -> Callable[[], Message | Iterable[Message]]:
    """Return the function that parses the request and calls the handler, on a worker thread."""
    descriptor = registry.schema.message_descriptor(match.rpc.output_type)
    fields = response_options(exchange.query).fields

    def run() -> Message | Iterable[Message]:
        request: Any = parse_request(match, exchange.query, body, registry.schema)
        mask = response_mask(query=fields, headers=exchange.headers, descriptor=descriptor)
        if match.rpc.kind in ("client_stream", "bidi"):
            request = iter([request])
        return masked(registry.handler(match.rpc)(request, call.context), mask)

    return run


def _encode(
    response: Message | Iterable[Message], match: RouteMatch, options: ResponseOptions
) -> tuple[bytes, bytes]:
    """Return body and content type of a response that is one message."""
    message: Any = response
    # Who wants enums as numbers is a generated client, and these read a body as a message, too.
    if match.rpc.output_type == _HTTP_BODY and not options.enums_as_ints:
        return message.data, message.content_type.encode("latin-1") or JSON
    return _dump(message, options), JSON


def _encode_each(
    responses: Message | Iterable[Message], options: ResponseOptions
) -> Iterator[bytes]:
    messages: Any = responses
    for message in messages:
        yield _dump(message, options)


def _dump(message: Message, options: ResponseOptions) -> bytes:
    content = dump_json(message, enums_as_ints=options.enums_as_ints)
    if options.pretty:
        return orjson.dumps(orjson.loads(content), option=orjson.OPT_INDENT_2)
    return content


async def send_events(exchange: Exchange, parts: AsyncIterator[bytes]) -> None:
    """Send each part as a server-sent event; an error after the first is one more event."""
    await _send_stream(exchange, parts, sse=True)


async def _send_stream(exchange: Exchange, parts: AsyncIterator[bytes], *, sse: bool) -> None:
    """Send the parts as they come; the response starts with the first, so it may still fail."""
    response = exchange.response
    opening, between, closing = _EVENTS if sse else _ARRAY
    first = await anext(parts, None)
    await response.start(200, EVENT_STREAM if sse else JSON)
    if first is None:
        await response.write(b"" if sse else b"[]", more=False)
        return
    await response.write(opening + first, more=True)
    while True:
        try:
            part = await anext(parts, None)
        except (ToulminError, asyncio.CancelledError) as failure:
            # Cancelled: the server shuts down, or nobody is there to read this.
            error = failure if isinstance(failure, ToulminError) else ShuttingDown()
            exchange.record.code = grpc_status_name(error.code)
            exchange.record.reason = error.reason
            body = error_body(to_status(error))
            await response.write(between + body + (closing if sse else b""), more=False)
            if error is not failure:
                raise
            return
        if part is None:
            await response.write(closing, more=False)
            return
        await response.write(between + part, more=True)
