"""A chat completion that comes in pieces: how it is asked for, read and timed.

Server-sent events, each with one `chat.completion.chunk` of JSON, then `data: [DONE]`. A stream
that ends without a `finish_reason` or `[DONE]` broke off. A model that thinks before it speaks
(`reasoning_content`) is alive while it does; its thoughts are not yielded.

Sources: https://platform.openai.com/docs/api-reference/chat-streaming,
https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import dataclasses
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toulmin.errors import DeadlineExceeded
from toulmin.models.http_post import Watch

_LONGEST_EVENT = 1024 * 1024
_DONE = b"[DONE]"
_NAMED_STREAM = re.compile(r"\bstream(?:ing)?\b", re.IGNORECASE)
_BROKEN_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamOptions:
    """How an answer is written, and how long it may take.

    Attributes:
        temperature: 0 for the most probable words.
        max_tokens: Most tokens of the answer; 0: as many as the server allows.
        first_token_s: Longest time to the first token, repeats after failures included.
        stall_s: Longest time between two tokens.
        whole_s: Longest time to the end.
    """

    temperature: float = 0.0
    max_tokens: int = 0
    first_token_s: float = 10.0
    stall_s: float = 10.0
    whole_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Piece:
    """Some of a message.

    Attributes:
        text: The characters; may be empty in the last piece.
        finish: Why the message ends: "stop", "length", "content_filter", "refusal" or another
            word of the server; empty: it goes on.
    """

    text: str
    finish: str = ""


class StreamFailed(Exception):
    """The server says in the middle of a stream that it failed.

    Args:
        body: Its words, JSON in UTF-8.
        may_pass: Whether it may go well another time.
    """

    def __init__(self, body: bytes, *, may_pass: bool) -> None:
        super().__init__("the stream failed")
        self.body = body
        self.may_pass = may_pass


class Clock:
    """When a stream is late; starts when it is made.

    Attributes:
        deadline: For the next token, on `time.monotonic()`.
        has_begun: Whether a token has come.
    """

    def __init__(self, options: StreamOptions) -> None:
        self._options = options
        started = time.monotonic()
        self._whole_deadline = started + options.whole_s
        self.deadline = min(started + options.first_token_s, self._whole_deadline)
        self.has_begun = False

    @property
    def is_over(self) -> bool:
        """Whether the time for the next token is up."""
        return time.monotonic() >= self.deadline

    def tick(self) -> float:
        """A token has come: return the deadline of the next."""
        self.has_begun = True
        self.deadline = min(time.monotonic() + self._options.stall_s, self._whole_deadline)
        return self.deadline

    def wait_for_the_whole(self) -> float:
        """It comes in one piece: return the deadline of that."""
        self.deadline = self._whole_deadline
        return self.deadline

    def failure(self) -> DeadlineExceeded:
        """Return the error that says which time is up."""
        options = self._options
        if time.monotonic() >= self._whole_deadline:
            what = f"was not done with its answer in {options.whole_s:g} s"
        elif self.has_begun:
            what = f"stopped in the middle of its answer for {options.stall_s:g} s"
        else:
            what = f"did not begin to answer in {options.first_token_s:g} s"
        return DeadlineExceeded(f"the language model {what}", reason="LLM_TIMEOUT")


@dataclass(frozen=True, slots=True)
class Dialect:
    """Which fields of a request a server understands.

    Attributes:
        streams: `stream`.
        temperature: A `temperature` of one's own.
        seed: `seed`.
        limit: Its name for the most tokens; empty: none.
    """

    streams: bool = True
    temperature: bool = True
    seed: bool = True
    limit: str = "max_tokens"

    def fields(self, options: StreamOptions, seed: int) -> dict[str, Any]:
        """Return the fields of a request beside model and messages."""
        fields: dict[str, Any] = {}
        if self.temperature:
            fields["temperature"] = options.temperature
        if self.seed:
            fields["seed"] = seed
        if self.streams:
            fields["stream"] = True
        if self.limit and options.max_tokens:
            fields[self.limit] = options.max_tokens
        return fields

    def without(self, refusal: str) -> Dialect | None:
        """Return what to speak after a refusal; None: it is not about these fields.

        Args:
            refusal: The server's words.
        """
        if self.limit == "max_tokens" and "max_completion_tokens" in refusal:
            return dataclasses.replace(self, limit="max_completion_tokens")
        if self.temperature and "temperature" in refusal:
            return dataclasses.replace(self, temperature=False)
        if self.seed and re.search(r"\bseed\b", refusal):
            return dataclasses.replace(self, seed=False)
        if self.streams and _NAMED_STREAM.search(refusal):
            return dataclasses.replace(self, streams=False)
        return None


def pieces_of_stream(chunks: Iterable[bytes], clock: Clock, watch: Watch) -> Iterator[Piece]:
    """Yield the pieces in a stream of events, as they come.

    Args:
        chunks: The body, cut anywhere.
        clock: Told of each token.
        watch: Its deadline is moved with each token.

    Raises:
        ConnectionError: The stream ended before the message did.
        StreamFailed: The server says so.
        ValueError, LookupError, TypeError, AttributeError: It is no stream of completions.
    """
    half = ""
    for data in read_events(chunks):
        watch.check()
        if data == _DONE:
            yield Piece(_whole(half), "stop")
            return
        piece, alive = _read_chunk(data)
        if alive:
            watch.deadline = clock.tick()
        text = _BROKEN_PAIR.sub(_joined, half + piece.text)
        half = ""
        if not piece.finish and text and "\ud800" <= text[-1] <= "\udbff":
            text, half = text[:-1], text[-1]
        if text or piece.finish:
            yield Piece(_whole(text), piece.finish)
            # Time that the reader of the pieces took is not the server's.
            watch.deadline = clock.tick()
        if piece.finish:
            return
    raise ConnectionError("the stream ended before the answer did")


def pieces_of_answer(body: bytes) -> Iterator[Piece]:
    """Yield the message of a completion that came as a whole.

    Raises:
        StreamFailed: The server says that it failed.
        ValueError, LookupError, TypeError, AttributeError: It is no completion.
    """
    piece, holds_token = _read_chunk(body)
    if not holds_token:
        raise LookupError("there is no message")
    yield Piece(_whole(_BROKEN_PAIR.sub(_joined, piece.text)), piece.finish or "stop")


def read_events(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the data of each server-sent event; comments and other fields are passed over.

    llama.cpp sends failures in a field `error` of its own: taken for data. An event that is not
    ended by an empty line is dropped, as the standard says.

    Raises:
        ValueError: An event is over 1 MiB.
    """
    rest = b""
    data: list[bytes] = []
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for ended in lines:
            line = ended.removesuffix(b"\r")
            if not line and data:
                yield b"\n".join(data)
                data = []
            name, _, value = line.partition(b":")
            if name in {b"data", b"error"}:
                data.append(value.removeprefix(b" "))
        if len(rest) + sum(map(len, data)) > _LONGEST_EVENT:
            raise ValueError(f"an event is over {_LONGEST_EVENT:,} bytes")


def _read_chunk(data: bytes) -> tuple[Piece, bool]:
    """Return the piece in a chunk or a whole completion, and whether it holds a token."""
    raw = json.loads(data)
    if raw.get("error") or raw.get("object") == "error" or ("message" in raw and "code" in raw):
        error = raw.get("error") or raw
        raise StreamFailed(data, may_pass=not isinstance(error, Mapping) or _may_pass(error))
    choices = raw["choices"]
    if not choices:
        return Piece(""), False  # the count of tokens, after the last piece
    choice = choices[0]
    delta = choice.get("delta") or choice.get("message") or {}
    text = delta.get("content") or ""
    if not isinstance(text, str):
        raise TypeError("the content is no text")
    thought = delta.get("reasoning_content") or delta.get("reasoning")
    refusal = delta.get("refusal")
    finish = choice.get("finish_reason") or ""
    return Piece(text, "refusal" if refusal else str(finish)), bool(text or thought or finish)


def _may_pass(error: Mapping[str, Any]) -> bool:
    """Return whether a failure is the server's and not the request's."""
    code = error.get("code")
    return not (isinstance(code, int) and 400 <= code < 500 and code not in {408, 409, 425, 429})


def _joined(pair: re.Match[str]) -> str:
    """Return the character of two surrogates that came in different pieces."""
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _whole(text: str) -> str:
    """Return the text with lone surrogates, which no UTF-8 has, replaced."""
    return _LONE_HALF.sub("\ufffd", text)
