# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""A text that grows, cut into sentences as soon as each is complete.

What a language model adds to an answer is taken off here: thoughts before it, marks of citation,
words that say that there is no answer.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from toulmin.text.languages import find_language, language_cues
from toulmin.text.scripts import is_cjk, is_hangul
from toulmin.text.sentences import split_sentences
from toulmin.text.words import fold_text

_THOUGHT_OPENS, _THOUGHT_ENDS = "<think>", "</think>"
_NUMBERS = r"\^?\d{1,2}(?:\s*[,;–-]\s*\^?\d{1,2})*"
_MARK = re.compile(
    rf"[ \t\u00a0]*(?:\[(?:source|sources|quelle|fuente|fonte|出典|来源)?:?[ ]?({_NUMBERS})\]"
    rf"|【({_NUMBERS})(?:†[^】]*)?】|\((?:source|sources)[ ]({_NUMBERS})\))",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_SPAN = re.compile(r"(\d+)\s*[–-]\s*\^?(\d+)")
_LIST_MARK = re.compile(r"(?:[-*+•‣◦・]|\(?\d{1,3}[.)]|#{1,6})[ \t\u3000]+(?=\S)")
_SPACE_BEFORE_BREAK = re.compile(r"[ \t]*\r?\n[ \t]*\n\s*|[ \t]*\r?\n")
_NO_ANSWER = re.compile(r"\bNO[_ ]?ANSWER\b")
_STOPPED = re.compile(r"[.!?…。！？।؟][\"'”’»)\]」』*]*$")
_WORD = re.compile(r"\w+")
_BEGUN = re.compile(r"\w\W+\w")
_BEGUN_CHARACTERS = 24
_JUDGED_WORDS = 3
_LONGEST_REFUSAL = 400


@dataclass(frozen=True, slots=True)
class Cut:
    """A sentence of the model.

    Attributes:
        lead: White space and list mark before it.
        text: Its words, without marks of citation.
        numbers: The sources that its marks name, from 1, as the model wrote them.
    """

    lead: str
    text: str
    numbers: tuple[int, ...]

    @property
    def says_no_answer(self) -> bool:
        """Whether it is the sign that the sources do not answer."""
        return _NO_ANSWER.search(self.text) is not None

    @property
    def is_refusal(self) -> bool:
        """Whether it only says that there is no answer, in one of the known languages."""
        return len(self.text) <= _LONGEST_REFUSAL and _refusals().match(self.text) is not None

    @property
    def is_stopped(self) -> bool:
        """Whether it ends as a sentence does."""
        return _STOPPED.search(self.text) is not None


class SentenceCutter:
    """Takes a text in pieces, gives its sentences."""

    def __init__(self) -> None:
        self._rest = ""
        self._is_first = True
        self._thinks: bool | None = None

    def feed(self, text: str) -> Iterator[Cut]:
        """Yield the sentences that are complete now: the next one has begun."""
        self._rest += text
        if self._hold_back():
            return
        while (ranges := split_sentences(self._rest))[1:]:
            start, end = ranges[0]
            if not _has_begun(self._rest[ranges[1][0] :]):
                return
            yield from self._take(start, end)

    def finish(self) -> Iterator[Cut]:
        """Yield what is left: the text has ended."""
        if self._hold_back():
            return
        while ranges := split_sentences(self._rest):
            yield from self._take(*ranges[0])

    def _hold_back(self) -> bool:
        """Return whether the text so far is a thought, or may become one; drop a whole one."""
        if self._thinks is None:
            head = self._rest.lstrip()
            if head.startswith(_THOUGHT_OPENS):
                self._thinks = True
            elif _THOUGHT_OPENS.startswith(head):
                return True
            else:
                self._thinks = False
        if self._thinks:
            _, ends, after = self._rest.partition(_THOUGHT_ENDS)
            if not ends:
                return True
            self._rest, self._thinks = after, False
        return False

    def _take(self, start: int, end: int) -> Iterator[Cut]:
        """Yield the sentence that stands first in the rest, unless only marks are left of it."""
        lead, raw, self._rest = self._rest[:start], self._rest[start:end], self._rest[end:]
        lead = _SPACE_BEFORE_BREAK.sub(lambda space: "\n" * min(space[0].count("\n"), 2), lead)
        if mark := _LIST_MARK.match(raw):
            lead, raw = lead + mark[0], raw[mark.end() :]
        numbers = tuple(
            dict.fromkeys(number for match in _MARK.finditer(raw) for number in _numbers(match))
        )
        text = _MARK.sub("", raw).strip()
        if not _WORD.search(text):
            return
        if self._is_first:
            lead = lead.lstrip()
            self._is_first = False
        yield Cut(lead, text, numbers)


def is_other_language(text: str, code: str) -> bool:
    """Return whether a text is certainly in another language than it should be.

    Told by script and function words; languages without a list of those are never told.

    Args:
        text: A sentence or more.
        code: BCP 47; empty: any language will do.
    """
    wanted = code.replace("_", "-").partition("-")[0].lower()
    cues = language_cues()
    if wanted not in cues:
        return False
    found = find_language(text, fallback=wanted)
    if found == wanted:
        return False
    if not (cues[found].spaced and cues[wanted].spaced):
        # A Chinese name does not make a German sentence Chinese.
        dense = sum(is_cjk(char) or is_hangul(char) for char in text)
        words = sum(char.isalpha() for char in text)
        return dense * 2 > words if cues[wanted].spaced else _differs(text, wanted, found, dense)
    words_found = _WORD.findall(fold_text(text))
    ours = sum(word in cues[wanted].function_words for word in words_found)
    theirs = sum(word in cues[found].function_words for word in words_found)
    return theirs >= _JUDGED_WORDS and theirs >= 2 * ours


def _differs(text: str, wanted: str, found: str, dense: int) -> bool:
    """Return whether a text that should be Chinese, Japanese or Korean is not."""
    if {wanted, found} == {"zh", "ja"} and found == "zh":
        return len(text) >= _BEGUN_CHARACTERS  # short Japanese may have no kana
    return dense > 0 or len(_WORD.findall(text)) >= _JUDGED_WORDS


def _has_begun(text: str) -> bool:
    """Return whether enough of a sentence is there for the end before it to stay where it is."""
    return (
        len(text) >= _BEGUN_CHARACTERS
        or _BEGUN.search(text) is not None
        or sum(is_cjk(char) for char in text[:3]) > 1
    )


def _numbers(mark: re.Match[str]) -> Iterator[int]:
    listed = next(group for group in mark.groups() if group)
    for first, last in _SPAN.findall(listed):
        yield from range(int(first), int(last) + 1)
    yield from map(int, _NUMBER.findall(listed))


@functools.cache
def _refusals() -> re.Pattern[str]:
    text = files("toulmin.answering.compose").joinpath("data/refusals.toml").read_text("utf-8")
    patterns = [pattern for listed in tomllib.loads(text).values() for pattern in listed]
    return re.compile(rf"\W*(?:{'|'.join(patterns)})", re.IGNORECASE)
