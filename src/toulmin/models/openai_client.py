"""A language model behind an OpenAI-compatible endpoint: `POST {base_url}/chat/completions`.

Spoken by OpenAI, vLLM, llama.cpp, Ollama, TGI, LM Studio and many gateways. Asked with temperature
0 and a seed. Where an answer must fit a JSON schema, the server is told so (`response_format`); one
that does not know schemas is asked for JSON, and one that does not know that either just gets the
prompt. So an answer must be checked by whoever asked, in each case. `stream` gives a text while it
is written; a server that cannot stream gives it as one piece.

Source: https://platform.openai.com/docs/api-reference/chat
"""

from __future__ import annotations

import http.client
import json
import logging
import ssl
import time
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from toulmin import metrics
from toulmin.errors import (
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    ToulminError,
    Unavailable,
)
from toulmin.models import llm_repeats
from toulmin.models.http_post import Answer, Watch, open_post, post_json
from toulmin.models.llm import DEFAULT_OPTIONS, JsonSchema, Message
from toulmin.models.llm_stream import (
    Clock,
    Dialect,
    Piece,
    StreamFailed,
    StreamOptions,
    pieces_of_answer,
    pieces_of_stream,
)
from toulmin.work import UNLIMITED, Work

_NOT_UNDERSTOOD = frozenset({400, 422})
_LONGEST_DETAIL = 300

logger = logging.getLogger(__name__)


class OpenAiClient:
    """An `LlmClient` and a `StreamingLlm` over HTTP.

    Args:
        base_url: Up to and without "/chat/completions", such as http://127.0.0.1:8000/v1.
        model: The server's name for the model.
        api_key: Sent as a bearer token; empty to send none.
        timeout_s: Longest time for one answer, repeats after failures included.
        seed: Makes the server's sampling repeatable, where it can.

    Raises:
        InvalidArgument: `base_url` is no http or https URL, or `model` is empty, or a value
            cannot stand in an HTTP header.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str = "",
        timeout_s: float = 30.0,
        seed: int = 1,
    ) -> None:
        self._url = _completions_url(base_url)
        if not model:
            raise InvalidArgument.of_field("llm_model", "is empty; name the server's model")
        if not (api_key.isascii() and api_key.isprintable()):
            raise InvalidArgument.of_field("llm_api_key", "has characters that no key has")
        self._model = model
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._seed = seed
        # The strictest form that the server is known to understand: an index into _FORMS.
        self._form = 0
        # What the server has refused in a request for a stream is not sent again.
        self._dialect = Dialect()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        work: Work = UNLIMITED,
    ) -> str:
        """Return the model's next message; see `LlmClient`."""
        deadline = time.monotonic() + self._timeout_s
        answers: list[Answer] = []
        for form in range(self._form if schema else _PLAIN, len(_FORMS)):
            body = self._body(messages, _FORMS[form](schema))
            answers.append(self._ask(body, deadline, work))
            if answers[-1].status not in _NOT_UNDERSTOOD:
                if schema and answers[-1].status == http.HTTPStatus.OK and form != self._form:
                    logger.warning("The language model's server knows no %s", _FORM_NAMES[form - 1])
                    self._form = form
                return self._text(answers[-1])
        # Refused in every form, so for another reason; the first refusal tells most.
        return self._text(answers[0])

    def message(self, request: Mapping[str, Any], *, work: Work = UNLIMITED) -> Mapping[str, Any]:
        """Return the model's next message as the server's JSON, tool calls included.

        Args:
            request: Fields of the request beside model, temperature and seed: "messages", "tools".
            work: Asked about every 50 ms.

        Raises:
            Cancelled, DeadlineExceeded, Unavailable, FailedPrecondition: As `LlmClient.complete`.
        """
        whole = {"model": self._model, "temperature": 0, "seed": self._seed, **request}
        body = json.dumps(whole, ensure_ascii=False).encode()
        answer = self._ask(body, time.monotonic() + self._timeout_s, work)
        if answer.status != http.HTTPStatus.OK:
            raise self._refused(answer)
        try:
            found = json.loads(answer.body)["choices"][0]["message"]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise _not_compatible() from error
        if not isinstance(found, dict):
            raise _not_compatible()
        return found

    def stream(
        self,
        messages: Sequence[Message],
        *,
        options: StreamOptions = DEFAULT_OPTIONS,
        work: Work = UNLIMITED,
    ) -> Iterator[Piece]:
        """Yield the model's next message in pieces; see `StreamingLlm`.

        What may pass (429, 5xx, no connection) is tried up to three times, before the first word
        only: what has been said is not said again.
        """
        clock = Clock(options)
        watch = Watch(clock.deadline, work)
        attempt = 1
        while True:
            try:
                yield from self._streamed(messages, options, clock, watch)
            except llm_repeats.Relearnt:
                continue
            except (OSError, http.client.HTTPException, llm_repeats.Passing) as error:
                pause = llm_repeats.pause_before_repeat(error, clock, attempt)
            else:
                return
            llm_repeats.sleep(pause, work)
            attempt += 1

    def _streamed(
        self, messages: Sequence[Message], options: StreamOptions, clock: Clock, watch: Watch
    ) -> Iterator[Piece]:
        """Yield the pieces of one request."""
        dialect = self._dialect
        if not dialect.streams:
            watch.deadline = clock.wait_for_the_whole()
        body = {**self._chat(messages), **dialect.fields(options, self._seed)}
        with (
            metrics.model_run("llm"),
            open_post(
                self._url,
                json.dumps(body, ensure_ascii=False).encode(),
                headers=self._headers,
                watch=watch,
            ) as response,
        ):
            if response.status != http.HTTPStatus.OK:
                self._take_refusal(response.whole(), dialect)
            try:
                if "text/event-stream" in response.headers.get("content-type", ""):
                    yield from pieces_of_stream(response.chunks(), clock, watch)
                else:
                    watch.deadline = clock.wait_for_the_whole()
                    yield from pieces_of_answer(response.whole().body)
            except StreamFailed as failed:
                detail = self._detail(Answer(response.status, {}, failed.body))
                if failed.may_pass:
                    raise llm_repeats.Passing(detail) from failed
                raise FailedPrecondition(
                    f"the language model's server failed: {detail}", reason="LLM_REFUSED"
                ) from failed
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                raise _not_compatible() from error

    def _take_refusal(self, answer: Answer, dialect: Dialect) -> NoReturn:
        """Raise what is to be done about an answer other than 200."""
        detail = self._detail(answer)
        if answer.status in llm_repeats.TRY_AGAIN:
            raise llm_repeats.Passing(
                f"HTTP {answer.status} {detail}".strip(), llm_repeats.asked_pause(answer)
            )
        if answer.status in _NOT_UNDERSTOOD and (simpler := dialect.without(detail)):
            logger.warning("The language model's server refused: %s; asked more simply", detail)
            self._dialect = simpler
            raise llm_repeats.Relearnt
        raise self._refused(answer)

    def _chat(self, messages: Sequence[Message]) -> dict[str, Any]:
        chat = [{"role": message.role, "content": message.content} for message in messages]
        return {"model": self._model, "messages": chat}

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}

    def _body(self, messages: Sequence[Message], form: Mapping[str, Any]) -> bytes:
        request = {**self._chat(messages), "temperature": 0, "seed": self._seed}
        return json.dumps({**request, **form}, ensure_ascii=False).encode()

    def _ask(self, body: bytes, deadline: float, work: Work) -> Answer:
        """Return the answer to a request, sent again after failures that may pass."""
        headers = self._headers
        attempt, failure = 0, ""
        for attempt in range(1, llm_repeats.ATTEMPTS + 1):
            pause = llm_repeats.pause_after(attempt)
            try:
                with metrics.model_run("llm"):
                    answer = post_json(
                        self._url,
                        body,
                        headers=headers,
                        deadline=deadline,
                        work=work,
                    )
            except (OSError, http.client.HTTPException) as error:
                if time.monotonic() >= deadline:
                    raise DeadlineExceeded(
                        f"the language model gave no answer in {self._timeout_s:g} s "
                        "(llm_timeout_s)",
                        reason="LLM_TIMEOUT",
                    ) from error
                failure = str(error) or type(error).__name__
                if isinstance(error, ssl.SSLCertVerificationError):
                    break
            else:
                if answer.status not in llm_repeats.TRY_AGAIN:
                    return answer
                failure = f"HTTP {answer.status} {self._detail(answer)}".strip()
                pause = max(pause, llm_repeats.asked_pause(answer))
            if attempt == llm_repeats.ATTEMPTS or time.monotonic() + pause >= deadline:
                break
            llm_repeats.sleep(pause, work)
        raise Unavailable(
            f"the language model is not available after {attempt} "
            f"attempt{'s' if attempt > 1 else ''}: {failure}",
            reason="LLM_UNAVAILABLE",
        )

    def _text(self, answer: Answer) -> str:
        """Return the message in a final answer."""
        if answer.status != http.HTTPStatus.OK:
            raise self._refused(answer)
        try:
            choice = json.loads(answer.body)["choices"][0]
            message = choice["message"]
            content = message.get("content")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise _not_compatible() from error
        if not isinstance(content, str) or not content:
            why = message.get("refusal") or choice.get("finish_reason") or "no reason given"
            raise FailedPrecondition(
                f"the language model gave no answer: {str(why)[:_LONGEST_DETAIL]}",
                reason="LLM_NO_ANSWER",
            )
        return content

    def _refused(self, answer: Answer) -> ToulminError:
        hints = {
            401: "check llm_api_key",
            403: "check llm_api_key and what it may use",
            404: "check llm_base_url and llm_model",
        }
        hint = hints.get(answer.status, "check llm_base_url, llm_model and the server's log")
        if 300 <= answer.status < 400:
            where = answer.headers.get("location", "elsewhere")
            hint = f"it points to {where}; redirects are not followed, set llm_base_url to it"
        return FailedPrecondition(
            "the language model's server refused the request: "
            f"HTTP {answer.status} {self._detail(answer)}; {hint}",
            reason="LLM_REFUSED",
        )

    def _detail(self, answer: Answer) -> str:
        """Return what an error answer says, short, and never the key."""
        text = answer.body.decode("utf-8", "replace")
        try:
            error = json.loads(text)
            error = error.get("error", error.get("detail", error))
            text = str(error.get("message", error) if isinstance(error, dict) else error)
        except (ValueError, AttributeError, RecursionError):
            pass
        if self._api_key:
            text = text.replace(self._api_key, "(hidden)")
        return " ".join(text.split())[:_LONGEST_DETAIL]


def _not_compatible() -> FailedPrecondition:
    return FailedPrecondition(
        "the language model's server did not answer with a chat completion: check llm_base_url",
        reason="LLM_NOT_OPENAI_COMPATIBLE",
    )


def _schema_form(schema: JsonSchema | None) -> dict[str, Any]:
    if schema is None:
        return {}
    described = {"name": schema.name, "strict": True, "schema": schema.schema}
    return {"response_format": {"type": "json_schema", "json_schema": described}}


def _object_form(_schema: JsonSchema | None) -> dict[str, Any]:
    return {"response_format": {"type": "json_object"}}


def _plain_form(_schema: JsonSchema | None) -> dict[str, Any]:
    return {}


_FORMS = (_schema_form, _object_form, _plain_form)
_FORM_NAMES = ("JSON schemas", "JSON mode", "")
_PLAIN = len(_FORMS) - 1


def _completions_url(base_url: str) -> str:
    wrong = InvalidArgument.of_field(
        "llm_base_url", "must be an http or https URL such as http://127.0.0.1:8000/v1"
    )
    try:
        parts = urllib.parse.urlsplit(base_url.strip())
        has_port = parts.port != 0
    except ValueError:
        raise wrong from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or not has_port:
        raise wrong
    if parts.username is not None or parts.fragment:
        raise wrong
    path = parts.path.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
    return urllib.parse.urlunsplit(parts._replace(path=path))
