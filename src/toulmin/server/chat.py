"""`/v1/chat/completions`: a chat in OpenAI's form, run as the RPC that answers it.

The RPC is `GenerateGroundedContent`, or its stream: so roles, projects, quotas, deadlines, the log
and the metrics are those of any other call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import aclosing
from typing import Any, Final

import orjson

from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.aip.registry import Registry
from toulmin.apis.aip.transcoding import Router, parse_request
from toulmin.apis.openai.chat import Chat, read_chat
from toulmin.apis.openai.completion import chunks, completion
from toulmin.errors import Internal
from toulmin.server.calls import Call, run_stream, run_unary
from toulmin.server.exchange import Exchange
from toulmin.server.quotas import Quotas
from toulmin.server.rest import send_events
from toulmin.server.workers import Workers

PATHS: Final = ("/v1/chat/completions", "/openai/v1/chat/completions")
_DEFAULT_PROJECT: Final = "default"
_DONE: Final = b"[DONE]"


async def answer(
    exchange: Exchange,
    body: bytes,
    *,
    router: Router,
    registry: Registry,
    workers: Workers,
    quotas: Quotas,
) -> None:
    """Run a chat and send its completion.

    Raises:
        ToulminError: It failed before anything was sent.
    """
    chat = read_chat(body, project=exchange.caller.project or _DEFAULT_PROJECT)
    method = "streamGenerateGroundedContent" if chat.stream else "generateGroundedContent"
    match = router.match("POST", f"/v1/{chat.path}:{method}")
    if match is None:
        raise Internal(f"{method} is not in the contract")
    exchange.record.rpc, exchange.record.path = match.rpc.full_name, ""
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
    content = orjson.dumps(chat.request)

    def run() -> Any:
        request: Any = parse_request(match, "", content, registry.schema)
        asked = iter([request]) if chat.stream else request
        return registry.handler(match.rpc)(asked, call.context)

    try:
        if chat.stream:
            parts = run_stream(workers, call, lambda: _chunks(run(), chat, exchange.request_id))
            async with aclosing(parts):
                await send_events(exchange, parts)
        else:
            whole = await run_unary(workers, call, lambda: _whole(run, chat, exchange.request_id))
            await exchange.response.whole(200, whole)
    finally:
        call.end()


def _whole(run: Callable[[], Any], chat: Chat, id_: str) -> bytes:
    response = to_json_value(run(), enums_as_ints=False)
    return orjson.dumps(completion(response, id_=id_, model=chat.model))


def _chunks(responses: Iterable[Any], chat: Chat, id_: str) -> Iterator[bytes]:
    values = (to_json_value(response, enums_as_ints=False) for response in responses)
    for chunk in chunks(values, id_=id_, model=chat.model):
        yield orjson.dumps(chunk)
    yield _DONE
