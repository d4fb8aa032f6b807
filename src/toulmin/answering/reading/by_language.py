"""Each question goes to the reader that knows its language and that of the passages."""

from __future__ import annotations

from collections.abc import Sequence

from toulmin.answering.reading.reader import QuestionReader, Reading
from toulmin.text.languages import find_language
from toulmin.work import UNLIMITED, Work


class ReaderByLanguage:
    """Reads English with one reader, what is in another language with another.

    Args:
        english: For English questions about passages half of which at least are in English.
        multilingual: For all others.
    """

    def __init__(self, english: QuestionReader, multilingual: QuestionReader) -> None:
        self._english = english
        self._multilingual = multilingual

    def read(
        self,
        question: str,
        passages: Sequence[str],
        *,
        most_answers: int = 3,
        work: Work = UNLIMITED,
    ) -> Reading:
        """Return the best answers in the passages, and whether they hold one.

        Raises:
            Cancelled: Nobody waits any more.
        """
        reader = self._english if is_english(question, passages) else self._multilingual
        return reader.read(question, passages, most_answers=most_answers, work=work)


def is_english(question: str, passages: Sequence[str]) -> bool:
    """Return whether a question and half of the passages at least are in English.

    A question without a function word is in the language of the passages. A passage that is not to
    be read is given without its text, and has no language.
    """
    languages = [find_language(passage) for passage in passages if passage.strip()]
    if 2 * languages.count("en") < len(languages):
        return False
    return find_language(question) == "en"
