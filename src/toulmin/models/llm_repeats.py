"""When a request to a language model is sent again, and after how long."""

from __future__ import annotations

import email.utils
import ssl
import time

from toulmin.errors import Unavailable
from toulmin.models.http_post import Answer
from toulmin.models.llm_stream import Clock
from toulmin.work import Work

ATTEMPTS = 5
TRY_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses that may pass."""
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 8.0
_TICK_S = 0.05
# Somebody waits for the first word, and there is another way to answer: fewer and sooner.
_STREAM_ATTEMPTS = 3
_FIRST_STREAM_PAUSE_S = 0.25


class Passing(Exception):
    """A failure that may pass.

    Args:
        message: What the server said.
        pause_s: How long it asked to wait, in seconds.
    """

    def __init__(self, message: str, pause_s: float = 0.0) -> None:
        super().__init__(message)
        self.pause_s = pause_s


class Relearnt(Exception):
    """The server is to be asked again, in another dialect."""


def pause_after(attempt: int) -> float:
    """Return the seconds to wait after failure number `attempt`, from 1."""
    return min(_FIRST_PAUSE_S * 2.0 ** (attempt - 1), _LONGEST_PAUSE_S)


def pause_before_repeat(error: Exception, clock: Clock, attempt: int) -> float:
    """Return how long to wait before a stream is asked for again, or raise why it is not."""
    if isinstance(error, TimeoutError) and clock.is_over:
        raise clock.failure() from error
    failure = str(error) or type(error).__name__
    if clock.has_begun:
        raise Unavailable(
            f"the language model's answer broke off: {failure}", reason="LLM_BROKE_OFF"
        ) from error
    asked = error.pause_s if isinstance(error, Passing) else 0.0
    pause = max(_FIRST_STREAM_PAUSE_S * 2.0 ** (attempt - 1), asked)
    is_final = attempt >= _STREAM_ATTEMPTS or isinstance(error, ssl.SSLCertVerificationError)
    if is_final or time.monotonic() + pause >= clock.deadline:
        raise Unavailable(
            f"the language model is not available after {attempt} "
            f"attempt{'s' if attempt > 1 else ''}: {failure}",
            reason="LLM_UNAVAILABLE",
        ) from error
    return pause


def asked_pause(answer: Answer) -> float:
    """Return the seconds that Retry-After asks for; 0 when it does not."""
    value = answer.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return 0.0
    return max(moment.timestamp() - time.time(), 0.0)


def sleep(seconds: float, work: Work) -> None:
    """Wait so many seconds.

    Raises:
        Cancelled: Nobody waits any more.
    """
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        work.check()
        time.sleep(min(left, _TICK_S))
