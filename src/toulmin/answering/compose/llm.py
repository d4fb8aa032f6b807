"""Answers written by a language model, sentence by sentence while it writes.

What it says of its sources is a hint at most: the pipeline checks each sentence against the
passages and finds the citations itself. Where the model fails before its first sentence, another
composer can still answer; after it, what was said stands and the error says that it is not all.
"""

from __future__ import annotations

import dataclasses
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from toulmin.answering.compose.llm_prompt import Prompt, language_rule, write_prompt
from toulmin.answering.compose.llm_sentences import Cut, SentenceCutter, is_other_language
from toulmin.answering.composing import ComposedSentence
from toulmin.answering.passages import Passage
from toulmin.answering.question import AnswerStyle, Question
from toulmin.answering.reading.reader import Reading
from toulmin.errors import FailedPrecondition, Unavailable
from toulmin.models.llm import Message, StreamingLlm
from toulmin.models.llm_stream import StreamOptions
from toulmin.work import UNLIMITED, Work

SOURCE_TOKENS: Final = 3000
DEFAULT_OPTIONS: Final = StreamOptions(max_tokens=1024)
_TICK_S = 0.05
_WITHHELD = frozenset({"refusal", "content_filter"})
_ATTEMPTS_AT_LANGUAGE = 2

logger = logging.getLogger(__name__)


class LlmComposer:
    """Composes answers with a language model; safe to share between threads.

    Args:
        client: The language model.
        options: Its temperature, where the question names none, and how long it may take.
        source_tokens: About so many tokens of passages are sent at most.
        concurrency: Answers written at the same time; further ones wait as long as for a first
            token.
    """

    def __init__(
        self,
        client: StreamingLlm,
        *,
        options: StreamOptions = DEFAULT_OPTIONS,
        source_tokens: int = SOURCE_TOKENS,
        concurrency: int = 4,
    ) -> None:
        self._client = client
        self._options = options
        self._source_tokens = source_tokens
        self._places = threading.BoundedSemaphore(concurrency)

    def compose(
        self,
        question: Question,
        query: str,
        passages: Sequence[Passage],
        *,
        reading: Reading,
        work: Work = UNLIMITED,
    ) -> Iterator[ComposedSentence]:
        """Yield the sentences of an answer, each once the model has begun the next one.

        Nothing is yielded where the model says that the passages do not answer, or refuses.

        Args:
            question: Style, language, preamble and temperature are followed.
            query: The question as it was understood in its conversation.
            passages: Best first; those that do not fit are left out.
            reading: Says which parts of long passages to send.
            work: Asked about every 50 ms.

        Raises:
            Cancelled: Nobody waits any more.
            DeadlineExceeded: A token did not come in time.
            Unavailable: The server is not there, broke off, or has no room.
            FailedPrecondition: It refused, wrote nothing, was at its limit before the first
                sentence was whole, or twice began in another language than `question.language`
                (style EXTRACTIVE aside).
        """
        prompt = write_prompt(
            question, query, passages, reading=reading, source_tokens=self._source_tokens
        )
        if not prompt.places:
            return
        options = self._options
        if question.temperature is not None:
            options = dataclasses.replace(options, temperature=question.temperature)
        # Words of the sources stay in the sources' language.
        language = "" if question.style is AnswerStyle.EXTRACTIVE else question.language
        with self._place(work):
            for attempt in range(1, _ATTEMPTS_AT_LANGUAGE + 1):
                try:
                    yield from self._written(prompt, language, options, work)
                except _OtherLanguageError as error:
                    if attempt == _ATTEMPTS_AT_LANGUAGE:
                        raise FailedPrecondition(
                            f"the language model does not write in {language}",
                            reason="LLM_WRONG_LANGUAGE",
                        ) from error
                    prompt = _reminded(prompt, error.text, language)
                else:
                    return

    def _written(
        self,
        prompt: Prompt,
        language: str,
        options: StreamOptions,
        work: Work,
    ) -> Iterator[ComposedSentence]:
        """Yield the sentences of one call."""
        writing = _Writing()
        for cut in writing.cuts(self._client, prompt.messages, options, work):
            if cut.says_no_answer or (cut.is_refusal and not writing.said):
                logger.info("The language model says that the passages do not answer")
                return
            if not writing.said and is_other_language(cut.text, language):
                raise _OtherLanguageError(cut.text)
            writing.said = True
            known = [number for number in cut.numbers if 1 <= number <= len(prompt.places)]
            sources = tuple(prompt.places[number - 1] for number in known)
            yield ComposedSentence(cut.text, cut.lead, sources)
        if not writing.said:
            writing.explain_silence()

    @contextmanager
    def _place(self, work: Work) -> Iterator[None]:
        """Hold one of the places for answers that are being written."""
        until = time.monotonic() + self._options.first_token_s
        while not self._places.acquire(timeout=_TICK_S):
            work.check()
            if time.monotonic() >= until:
                raise Unavailable(
                    "the language model is busy with other answers (llm_concurrency)",
                    reason="LLM_BUSY",
                )
        try:
            yield
        finally:
            self._places.release()


class _OtherLanguageError(Exception):
    """The answer began in another language than was asked for.

    Args:
        text: Its first sentence.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class _Writing:
    """One call while it runs.

    Attributes:
        said: Whether a sentence has been yielded.
    """

    def __init__(self) -> None:
        self.said = False
        self._finish = ""

    def cuts(
        self,
        client: StreamingLlm,
        messages: Sequence[Message],
        options: StreamOptions,
        work: Work,
    ) -> Iterator[Cut]:
        """Yield the model's sentences; one that it was not let finish is left out."""
        cutter = SentenceCutter()
        for piece in client.stream(messages, options=options, work=work):
            self._finish = piece.finish
            if piece.finish not in _WITHHELD:
                yield from cutter.feed(piece.text)
        if self._finish in _WITHHELD:
            return
        for cut in cutter.finish():
            if self._finish != "length" or cut.is_stopped:
                yield cut
            else:
                logger.info("The language model's last sentence was cut off and is left out")

    def explain_silence(self) -> None:
        """Say why there is no sentence, unless the model would not answer."""
        if self._finish in _WITHHELD:
            logger.info("The language model gave no answer: %s", self._finish)
            return
        if self._finish == "length":
            raise FailedPrecondition(
                "the language model wrote no whole sentence within its most tokens: raise"
                " answer_llm_max_tokens",
                reason="LLM_NO_ANSWER",
            )
        raise FailedPrecondition(
            "the language model gave no answer: its message is empty", reason="LLM_NO_ANSWER"
        )


def _reminded(prompt: Prompt, said: str, language: str) -> Prompt:
    """Return the prompt for a second attempt, with what was wrong with the first."""
    correction = (
        Message("assistant", said),
        Message("user", f"That is the wrong language. {language_rule(language)} Answer again."),
    )
    return dataclasses.replace(prompt, messages=(*prompt.messages, *correction))
