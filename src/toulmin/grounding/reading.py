"""A text as its words and sentences, and what an answer says that its prompt does not.

In: a prompt, an answer. Out: `ReadText` (words with their terms, sentences as ranges of words, size
in words) and `News` (names, numbers, dates and telling words of the answer that the prompt lacks).
A text without spaces counts half a word for each pair of characters.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.grounding.terms import to_term
from toulmin.text.languages import all_cues, language_cues
from toulmin.text.scripts import HAN, HANGUL, HIRAGANA, KATAKANA_LETTERS
from toulmin.text.sentences import split_sentences
from toulmin.text.words import scan_words

_HIRAGANA = re.compile(f"[{HIRAGANA}]")
_UNSPACED_RUN = re.compile(f"[{HAN}々{KATAKANA_LETTERS}{HANGUL}]+|[0-9]+")
_NAME_GAPS = frozenset({" ", "-", ". ", "\u2019", "'", "\u30fb"})
_UNSPACED_SIZE = 0.5
_PARTING_MARKS = frozenset(",;:.\u3001\uff0c\u3002\uff1b\u30fb\n")
_MAYBE_A_NAME = 0.5
_SHORT_SENTENCE = 6
_YEAR = re.compile(r"(?<!\d)(?:1\d|20)\d\d(?!\d)")
_PLAIN_NUMBER = re.compile(r"\d[\d.,]*\d|\d")


@dataclass(frozen=True, slots=True)
class ReadWord:
    """One word: folded, as a term, where it is, and whether it tells anything by itself."""

    folded: str
    term: str
    start: int
    end: int
    unspaced: bool
    capital: bool
    content: bool


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text with its words; sentence i has `words[bounds[i]:bounds[i + 1]]`.

    Attributes:
        text: The text itself.
        words: Its words in order.
        sentences: Those of its sentences that have a word.
        bounds: First word of each sentence and, last, the number of words.
        sizes: Size of each sentence in words.
    """

    text: str
    words: list[ReadWord]
    sentences: list[str]
    bounds: list[int]
    sizes: list[float]

    @property
    def size(self) -> float:
        """Size in words."""
        return sum(self.sizes)


@dataclass(frozen=True, slots=True)
class News:
    """What an answer says that its prompt does not.

    Attributes:
        names: Names, a doubtful one (a capital that also begins a sentence) counted as a half.
        numbers: Numbers in digits.
        items: Telling words or, in a script without spaces, runs of characters.
        segments: Parts between commas, joining words and stops that hold something new.
    """

    names: float
    numbers: int
    items: int
    segments: int

    @property
    def units(self) -> float:
        """How many separate things are told."""
        return max(self.names + self.numbers, float(self.segments))


def read_text(text: str, language: str) -> ReadText:
    """Return `text` as words and sentences; `language` is a code of `language_cues`."""
    stream = scan_words(text)
    function_words = language_cues()[language].function_words
    words = [
        _read_dense(word, start, end)
        if dense
        else _read_spaced(text, word, (start, end), function_words)
        for word, start, end, dense in zip(
            stream.words(),
            stream.starts.tolist(),
            stream.ends.tolist(),
            stream.unspaced.tolist(),
            strict=True,
        )
    ]
    sentences: list[str] = []
    bounds = [0]
    sizes: list[float] = []
    for start, end in split_sentences(text):
        first = last = bounds[-1]
        while last < len(words) and words[last].start < end:
            last += 1
        if last > first:
            sentences.append(text[start:end])
            bounds.append(last)
            sizes.append(sum(_UNSPACED_SIZE if w.unspaced else 1.0 for w in words[first:last]))
    return ReadText(text, words[: bounds[-1]], sentences, bounds, sizes)


def find_news(asked: ReadText, given: ReadText, language: str) -> News:
    """Return what `given` tells that `asked` does not; `language` is that of `given`."""
    known = {w.term for w in asked.words}
    new = [w for w in given.words if w.content and w.term not in known]
    runs = [
        run for run in dict.fromkeys(_UNSPACED_RUN.findall(given.text)) if run not in asked.text
    ]
    dense = any(w.unspaced for w in given.words)
    joins = language_cues()[language].joins
    return News(
        names=_count_names(given, known) + sum(not run.isdigit() for run in runs) * dense,
        numbers=len(
            set(_PLAIN_NUMBER.findall(given.text)) - set(_PLAIN_NUMBER.findall(asked.text))
        ),
        items=len({w.term for w in new if not w.unspaced}) + len(runs) * dense,
        segments=_count_segments(given, new, joins),
    )


def gives_time(given: ReadText, asked: ReadText) -> float:
    """Return 1 where a date or a length of time is told, a half where only a number is."""
    if set(_YEAR.findall(given.text)) - set(_YEAR.findall(asked.text)):
        return 1.0
    told = {w.folded for w in given.words} - {w.folded for w in asked.words}
    if told & _cue_words("time_words") or _cue_pattern("time_marks").search(given.text):
        return 1.0
    return 0.5 if any(c.isdigit() for w in told for c in w) else 0.0


def gives_number(given: ReadText, asked: ReadText) -> float:
    """Return 1 where a number in digits or words is told that is not in the prompt."""
    told = {w.folded for w in given.words} - {w.folded for w in asked.words}
    return float(
        any(c.isdigit() for w in told for c in w) or bool(told & _cue_words("number_words"))
    )


def gives_reason(given: ReadText) -> bool:
    """Return whether a word of cause or purpose is there."""
    told = {w.folded for w in given.words}
    return bool(
        told & _cue_words("reason_words") or _cue_pattern("reason_marks").search(given.text)
    )


def says_yes_or_no(given: ReadText) -> bool:
    """Return whether a word that settles a yes-or-no question is there."""
    told = {w.folded for w in given.words[:40]}
    return bool(
        told & _cue_words("answer_words") or _cue_pattern("answer_marks").search(given.text)
    )


def _read_dense(word: str, start: int, end: int) -> ReadWord:
    """A pair of characters; pairs with hiragana are mostly endings and particles."""
    content = not _HIRAGANA.search(word)
    return ReadWord(word, word, start, end, unspaced=True, capital=False, content=content)


def _read_spaced(
    text: str, word: str, span: tuple[int, int], function_words: frozenset[str]
) -> ReadWord:
    content = word not in function_words and (len(word) > 1 or word.isdigit())
    capital = text[span[0]].isupper()
    return ReadWord(word, to_term(word), *span, unspaced=False, capital=capital, content=content)


def _count_names(given: ReadText, known: set[str]) -> float:
    """Distinct runs of capitalised words with a word that the prompt has not."""
    firsts = dict(zip(given.bounds, given.sizes, strict=False))
    found: dict[str, float] = {}
    at = 0
    while at < len(given.words):
        last = _end_of_name(given, at)
        run = given.words[at:last]
        new = [w.term for w in run if w.content and w.term not in known]
        if new:
            doubtful = len(run) == 1 and firsts.get(at, 0.0) > _SHORT_SENTENCE
            weight = _MAYBE_A_NAME if doubtful else 1.0
            found[new[-1]] = max(found.get(new[-1], 0.0), weight)
        at = max(last, at + 1)
    return sum(found.values())


def _end_of_name(given: ReadText, at: int) -> int:
    words = given.words
    last = at
    while (
        last < len(words)
        and words[last].capital
        and (last == at or given.text[words[last - 1].end : words[last].start] in _NAME_GAPS)
    ):
        last += 1
    return last


def _count_segments(given: ReadText, new: Sequence[ReadWord], joins: re.Pattern[str]) -> int:
    """How many parts between commas, stops and joining words hold a new telling word."""
    fresh = {w.start for w in new}
    count, open_segment = 0, False
    end = 0
    for word in given.words:
        if any(c in _PARTING_MARKS for c in given.text[end : word.start]) or joins.fullmatch(
            word.folded
        ):
            open_segment = False
        if word.start in fresh and not open_segment:
            count, open_segment = count + 1, True
        end = max(end, word.end)
    return count


@functools.cache
def _cue_words(name: str) -> frozenset[str]:
    return frozenset(all_cues()[name])


@functools.cache
def _cue_pattern(name: str) -> re.Pattern[str]:
    return re.compile(str(all_cues()[name]))
