"""What is said to a language model and what can continue it, whoever serves the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from toulmin.models.llm_stream import Piece, StreamOptions
from toulmin.work import UNLIMITED, Work

DEFAULT_OPTIONS = StreamOptions()


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat: who speaks ("system", "user", "assistant"), and what."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """What an answer must look like.

    Attributes:
        name: Letters, digits and underscores.
        schema: A JSON schema in the subset of OpenAI's strict mode: every property required, no
            additional ones.
    """

    name: str
    schema: Mapping[str, Any]


class LlmClient(Protocol):
    """Whatever can continue a chat; serves all threads."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        work: Work = UNLIMITED,
    ) -> str:
        """Return the model's next message.

        Args:
            messages: The chat so far.
            schema: Asks for JSON of this form; the answer may still be any text.
            work: Asked about every 50 ms.

        Raises:
            Cancelled: Nobody waits any more.
            DeadlineExceeded: There was no answer in time.
            Unavailable: The server cannot be reached, is over its limits or out of order.
            FailedPrecondition: The server refused the request, or gave no text.
        """


class StreamingLlm(Protocol):
    """Whatever can continue a chat word by word; serves all threads."""

    def stream(
        self,
        messages: Sequence[Message],
        *,
        options: StreamOptions = DEFAULT_OPTIONS,
        work: Work = UNLIMITED,
    ) -> Iterator[Piece]:
        """Yield the model's next message in pieces, as they come; the last one says why it ends.

        To close the iterator ends the call.

        Args:
            messages: The chat so far.
            options: How it is written, and how long it may take.
            work: Asked about every 50 ms.

        Raises:
            Cancelled: Nobody waits any more.
            DeadlineExceeded: The first word, the next one or the end did not come in time.
            Unavailable: The server cannot be reached, is over its limits or out of order, or
                broke off.
            FailedPrecondition: The server refused the request, or sent what is no stream.
        """
