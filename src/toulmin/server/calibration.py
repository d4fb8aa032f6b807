"""`/v1/toulmin/calibrations:score` and `:fit`: what the console's Quality page calibrates with.

    :score  one labelled example -> the scores of its claims without any calibration
    :fit    such scores of 50 examples or more -> a calibration file, and what it is worth

For callers with the role admin. Nothing of the running server changes: the file is for whoever
starts it next. Threads, quotas and deadlines are those of `CheckGrounding`.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from toulmin.apis.schema import Schema
from toulmin.callers import Caller, Role
from toulmin.errors import InvalidArgument, PermissionDenied
from toulmin.evaluation.calibrating import Calibrator, example_in
from toulmin.grounding.tokens import MAX_ANSWER_TOKENS, count_tokens
from toulmin.server.calls import Call, run_unary
from toulmin.server.exchange import Exchange
from toulmin.server.quotas import Quotas
from toulmin.server.workers import Workers
from toulmin.work import Work

_SCORE: Final = "/v1/toulmin/calibrations:score"
PATHS: Final = (_SCORE, "/v1/toulmin/calibrations:fit")
_CHECK: Final = "/google.cloud.discoveryengine.v1.GroundedGenerationService/CheckGrounding"


async def answer(
    exchange: Exchange,
    body: bytes,
    calibrator: Calibrator,
    *,
    schema: Schema,
    workers: Workers,
    quotas: Quotas,
) -> None:
    """Score an example or fit a calibration, and send the result.

    Raises:
        PermissionDenied: The caller is not an admin.
        ToulminError: The request is wrong, or a limit is reached.
    """
    path = exchange.raw_path
    exchange.record.path = f"POST {path}"
    _require_admin(exchange.caller, path)
    call = Call(
        schema.rpcs[_CHECK],
        exchange.caller,
        quotas,
        schema,
        request_id=exchange.request_id,
        timeout_s=exchange.timeout_s,
        deadline=exchange.deadline,
    )
    exchange.record.timings = call.timings
    work = _score if path == _SCORE else _fit
    try:
        content = await run_unary(workers, call, lambda: work(_json(body), calibrator, call))
        await exchange.response.whole(200, content)
    finally:
        call.end()


def _require_admin(caller: Caller, path: str) -> None:
    if not caller.role.includes(Role.ADMIN):
        raise PermissionDenied(
            f"{path} is for role admin; this caller is {caller.role}", reason="ROLE_INSUFFICIENT"
        )


def _score(request: Any, calibrator: Calibrator, call: Call) -> bytes:
    example = example_in(request)
    call.context.charge("requests", 1)
    call.context.charge("tokens", min(count_tokens(example.claim), MAX_ANSWER_TOKENS))
    wanted = Work("the check", deadline=call.deadline, is_gone=call.is_cancelled)
    scored = calibrator.score(example, work=wanted)
    return orjson.dumps(scored)


def _fit(request: Any, calibrator: Calibrator, call: Call) -> bytes:
    if not isinstance(request, dict):
        raise InvalidArgument.of_field("request", "must be a JSON object")
    call.context.charge("requests", 1)
    return orjson.dumps(calibrator.fit(request))


def _json(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidArgument(f"The request body is not JSON: {error}") from None
