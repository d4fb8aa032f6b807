"""Prompt and answer -> the numbers that the helpfulness score is a weighted sum of.

Each feature is a defect in [0, 1], and one that a person can check by reading: the answer leaves
out what the prompt is about, no name is there though "who" is asked, it is longer than it need be.
Whether the answer is *true* is not asked here: that is the support score's part.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toulmin.grounding.check_worthiness import needs_check
from toulmin.grounding.prompt_intent import Intent, read_intent
from toulmin.grounding.reading import (
    News,
    ReadText,
    ReadWord,
    find_news,
    gives_number,
    gives_reason,
    gives_time,
    read_text,
    says_yes_or_no,
)
from toulmin.grounding.terms import prior_weight
from toulmin.models.static_embedder import StaticEmbedder
from toulmin.text.languages import all_cues, find_language
from toulmin.text.scripts import FIRST_EAST_ASIAN
from toulmin.text.words import fold_text

FloatArray = NDArray[np.float64]

FEATURES = (
    "far_from_prompt",
    "bare",
    "bare_and_far",
    "kind_missing",
    "parts_missing",
    "nothing_new",
    "too_long",
    "far_too_long",
    "too_short",
    "beside_the_point",
    "empty_talk",
    "refusal",
    "asks_back",
    "repetition",
    "hard_words",
    "long_sentences",
)
"""Names of the columns of `describe`, in order. Each is a defect: 0 is what one wishes for."""

_PROMPT_CHARACTERS = 2_000
_ANSWER_CHARACTERS = 40_000
_PROMPT_WORDS = 40
_ANSWER_WORDS = 1_000
_STEM, _STEM_SHARE, _STEM_MATCH = 4, 0.6, 0.85
_LIKE_FROM, _LIKE_TO, _LIKE_MATCH = 0.35, 0.75, 0.9
_COSINE_FROM, _COSINE_TO = 0.1, 0.6
_TAKEN_FROM, _TAKEN_TO = 0.05, 0.6
_BY_WORDS, _BY_MEANING = 0.65, 0.5
_EMBEDDED_LANGUAGE = "en"
_BESIDE_FROM = 0.35
_UNNAMED = 0.5
_PART_TAKEN = (0.4, 0.8)
_BRIEF_FROM, _BRIEF_TO = 4.0, 8.0
_REFUSAL_SENTENCES = 2
_FILLER_SIZE = 16.0
_SHINGLE = 4
_LONG_WORD = 8
_MIN_OPEN_SIZE = 25.0
_QUESTION_MARKS = frozenset("?\uff1f\u061f")


def describe(prompt: str, answer: str, *, embedder: StaticEmbedder) -> FloatArray:
    """Return the features named in `FEATURES`, shape (16,), each in [0, 1].

    Args:
        prompt: The question or task; read up to 2,000 characters.
        answer: The text to judge; read up to 40,000 characters.
        embedder: For likeness of meaning.
    """
    prompt, answer = prompt[:_PROMPT_CHARACTERS], answer[:_ANSWER_CHARACTERS]
    intent = read_intent(prompt)
    asked = read_text(prompt, intent.language)
    language = find_language(answer, fallback=intent.language)
    given = read_text(answer, language)
    if not given.words:
        return np.ones(len(FEATURES))  # without a word, nothing that one wishes for is there
    news = find_news(asked, given, language)
    brief = 1.0 - _ramp(_size_told(given) / len(intent.kinds), _BRIEF_FROM, _BRIEF_TO)
    near = _Nearness(asked, given, intent, embedder)
    values = _answering(asked, given, intent, news, near, brief) | _form(given, intent, near, brief)
    return np.array([values[name] for name in FEATURES])


class _Nearness:
    """How near an answer is to its prompt.

    Attributes:
        whole: Share of what the prompt is about that the answer takes up, in [0, 1].
        sentences: How much each sentence bears on the prompt, in [0, 1], shape (sentences,).
        by_word: Best match in the answer of each telling prompt word, in [0, 1].
    """

    def __init__(
        self, asked: ReadText, given: ReadText, intent: Intent, embedder: StaticEmbedder
    ) -> None:
        wanted = _telling(asked, intent)
        said = given.words[:_ANSWER_WORDS]
        names = list(dict.fromkeys(w.folded for w in said if w.content))
        texts = [" ".join(w.folded for w in wanted), *_content_by_sentence(given)]
        rows = embedder.embed([*texts, *(w.folded for w in wanted), *names]).astype(np.float64)
        n = len(texts)
        alike = _between(rows[1:n] @ rows[0], _COSINE_FROM, _COSINE_TO)
        if intent.language != _EMBEDDED_LANGUAGE:
            alike[:] = 0.0  # the table was distilled from an English encoder: all else looks alike
        like = rows[n : n + len(wanted)] @ rows[n + len(wanted) :].T
        match = _LIKE_MATCH * _between(like, _LIKE_FROM, _LIKE_TO)
        terms = {w.folded: w.term for w in said}
        for row, word in enumerate(wanted):
            for column, name in enumerate(names):
                match[row, column] = max(match[row, column], _same(word, name, terms[name]))
        weights = np.array([prior_weight(w.term, unspaced=w.unspaced) for w in wanted])
        taken = _by_sentence(match, given, {name: i for i, name in enumerate(names)})
        best = match.max(axis=1, initial=0.0)
        self.by_word = {w.folded: float(b) for w, b in zip(wanted, best, strict=True)}
        self.whole = _about(float(_mean(best, weights)), float(alike.max(initial=0.0)))
        self.sentences = np.array(
            [
                _about(float(_mean(column, weights)), float(cosine))
                for column, cosine in zip(taken.T, alike, strict=True)
            ]
        )


def _about(taken_up: float, alike: float) -> float:
    """One figure from words taken up and likeness of meaning; neither need be whole."""
    share = _ramp(taken_up, _TAKEN_FROM, _TAKEN_TO)
    return max(share, min(1.0, _BY_WORDS * share + _BY_MEANING * alike))


def _telling(asked: ReadText, intent: Intent) -> list[ReadWord]:
    """The distinct words that say what the prompt is about."""
    words = {w.folded: w for w in asked.words if w.content and w.folded not in intent.asking_words}
    return list(words.values())[:_PROMPT_WORDS]


def _content_by_sentence(given: ReadText) -> list[str]:
    """The telling words of each sentence: function words alone would make strangers alike."""
    return [
        " ".join(w.folded for w in given.words[first:last] if w.content)
        for first, last in zip(given.bounds, given.bounds[1:], strict=False)
    ]


def _same(word: ReadWord, folded: str, term: str) -> float:
    """1 for the same term, nearly 1 for the same stem, else 0."""
    if word.term == term:
        return 1.0
    if word.unspaced or word.folded[:_STEM] != folded[:_STEM] or len(folded) < _STEM:
        return 0.0
    pairs = zip(word.folded, folded, strict=False)
    shared = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    return _STEM_MATCH if shared >= _STEM_SHARE * max(len(word.folded), len(folded)) else 0.0


def _by_sentence(match: FloatArray, given: ReadText, column_of: dict[str, int]) -> FloatArray:
    """Best match of each prompt word in each sentence, shape (prompt words, sentences)."""
    taken = np.zeros((len(match), len(given.sentences)))
    for i, (first, last) in enumerate(zip(given.bounds, given.bounds[1:], strict=False)):
        columns = {column_of[w.folded] for w in given.words[first:last] if w.folded in column_of}
        if columns:
            taken[:, i] = match[:, sorted(columns)].max(axis=1)
    return taken


def _answering(
    asked: ReadText, given: ReadText, intent: Intent, news: News, near: _Nearness, brief: float
) -> dict[str, float]:
    """The features that say whether the question is met."""
    kinds = [_kind_given(kind, asked, given, news) for kind in intent.kinds]
    kind = 1.0 if intent.choice else sum(kinds) / len(kinds)
    parts = _parts_given(intent, near, news, brief)
    named = intent.choice or "yes_no" in intent.kinds
    return {
        "far_from_prompt": (1.0 - brief) * (1.0 - near.whole),
        "bare": brief,
        "bare_and_far": brief * (1.0 - near.whole),
        "kind_missing": 1.0 - kind,
        "parts_missing": 1.0 - parts,
        "nothing_new": float(not news.items and not named),
    }


def _kind_given(kind: str, asked: ReadText, given: ReadText, news: News) -> float:
    """Whether the kind of thing asked for is there and not only repeated from the prompt."""
    match kind:
        case "person" | "place":
            return max(min(1.0, news.names), _UNNAMED * min(1, news.items))
        case "time":
            return gives_time(given, asked)
        case "number":
            return gives_number(given, asked)
        case "reason":
            return max(0.8 * min(1.0, news.items / 8.0), float(gives_reason(given)))
        case "yes_no":
            return 1.0 if says_yes_or_no(given) else 0.5
        case "open":
            return min(1.0, news.items / 10.0)
        case _:
            return 1.0 if news.items else 0.0


def _parts_given(intent: Intent, near: _Nearness, news: News, brief: float) -> float:
    """Share of the parts of the prompt that are met; 1 for a prompt of one part."""
    if intent.pair:
        taken_up = [near.by_word.get(word, 0.0) >= _STEM_MATCH for word in intent.pair]
        return 0.5 if sum(taken_up) == 1 else 1.0
    if len(intent.parts) < 2:
        return 1.0
    told = min(1.0, news.units / len(intent.parts))
    taken = [max((near.by_word.get(w, 0.0) for w in part), default=0.0) for part in intent.parts]
    share = sum(_ramp(t, *_PART_TAKEN) for t in taken) / len(taken)
    return brief * told + (1.0 - brief) * min(told, 0.3 * told + 0.7 * share)


def _form(given: ReadText, intent: Intent, near: _Nearness, brief: float) -> dict[str, float]:
    """The features that say how the answer is put."""
    excess = float(np.log2(max(1.0, given.size / intent.room)))
    empty, refusal = _empty_talk(given)
    short = 0.0
    if intent.kinds[0] == "open":
        short = _ramp(_MIN_OPEN_SIZE - given.size, 0.0, _MIN_OPEN_SIZE)
    off = _ramp(_share(given, 1.0 - near.sentences), _BESIDE_FROM, 1.0) * (1.0 - brief)
    return {
        "too_long": _ramp(excess, 0.0, 2.0),
        "far_too_long": _ramp(excess, 1.5, 5.0),
        "too_short": short,
        "beside_the_point": off,
        "empty_talk": empty * empty,
        "refusal": refusal,
        "asks_back": _share(given, [s.rstrip()[-1:] in _QUESTION_MARKS for s in given.sentences]),
        "repetition": _repetition(given),
        "hard_words": _hard_words(given),
        "long_sentences": _ramp(given.size / len(given.sentences), 20.0, 45.0),
    }


def _empty_talk(given: ReadText) -> tuple[float, float]:
    """(share of the text that says nothing, whether it begins by declining to answer)."""
    folded = [fold_text(s).replace("\u2019", "'") for s in given.sentences]
    refuses = [bool(_cues("refusal").search(s)) for s in folded]
    filler = [
        size <= _FILLER_SIZE and (not needs_check(sentence) or bool(_cues("filler").match(plain)))
        for sentence, plain, size in zip(given.sentences, folded, given.sizes, strict=True)
    ]
    empty = [a or b for a, b in zip(refuses, filler, strict=True)]
    return _share(given, empty), float(any(refuses[:_REFUSAL_SENTENCES]))


def _size_told(given: ReadText) -> float:
    """Size in words of the distinct sentences: saying it again does not say more."""
    return sum(dict(zip(given.sentences, given.sizes, strict=True)).values())


def _repetition(given: ReadText) -> float:
    """Share of the runs of four words that were there before."""
    words = [w.folded for w in given.words]
    runs = [tuple(words[i : i + _SHINGLE]) for i in range(len(words) - _SHINGLE + 1)]
    return 1.0 - len(set(runs)) / len(runs) if runs else 0.0


def _hard_words(given: ReadText) -> float:
    """Share of long words among all, beyond what plain prose has; names do not count."""
    words = [w for w in given.words if not w.unspaced]
    long = sum(len(w.folded) >= _LONG_WORD and not w.capital for w in words)
    return _ramp(long / max(8.0, len(words)), 0.2, 0.6)


@functools.cache
def _cues(name: str) -> re.Pattern[str]:
    """A pattern of the phrases under `name`, whole words only in scripts with spaces."""
    folded = sorted({fold_text(cue) for cue in all_cues()[name]}, key=lambda c: (-len(c), c))
    spaced = "|".join(re.escape(c) for c in folded if c < FIRST_EAST_ASIAN)
    unspaced = "|".join(re.escape(c) for c in folded if c >= FIRST_EAST_ASIAN)
    return re.compile(rf"(?<!\w)(?:{spaced})(?!\w)|(?:{unspaced})")


def _share(given: ReadText, flags: Sequence[float] | FloatArray) -> float:
    """Mean of `flags` over the sentences, weighted by their sizes."""
    return float(_mean(np.asarray(flags, dtype=np.float64), np.asarray(given.sizes)))


def _mean(values: FloatArray, weights: FloatArray) -> float:
    total = float(weights.sum())
    return float(values @ weights) / total if total > 0 else 0.0


def _between(values: FloatArray, low: float, high: float) -> FloatArray:
    clipped: FloatArray = np.clip((values - low) / (high - low), 0.0, 1.0)
    return clipped


def _ramp(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))
