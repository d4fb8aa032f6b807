"""A few words of a chunk that show why it was found.

In: the text of a chunk and the query. Out: the passage with most of the query's words, as HTML with
those words in bold. A chunk that was found by its vector alone is shown from its beginning.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from toulmin.retrieval.words import Place, asked_terms, places_of
from toulmin.text.sentences import split_sentences

LENGTH = 160
_ELLIPSIS = "..."
_SPACE = re.compile(r"\s+")
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^`\n]*(?:\n|\Z)", re.MULTILINE)
"""The lines around code, which say nothing in one line with it."""
_LONG_WORD = 30
"""White space farther away than this is not looked for: words are cut, as in URLs."""
_MOST_CONTEXT = 60
_JOINER, _VARIATIONS = "\u200d", ("\ufe0e", "\ufe0f")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage of a text.

    Attributes:
        text: HTML: escaped, in one line, matched words in `<b>`, `...` where it breaks off within a
            sentence.
        found: Whether a word of the query stands in the text.
    """

    text: str
    found: bool


def snippet(text: str, query: str, *, length: int = LENGTH) -> Snippet:
    """Return the passage of `text` that shows most of the query's words.

    Words that are rare in the text count for more, function words for nothing unless the query
    has no others. The passage begins and ends with a sentence if one fits, else with a word.

    Args:
        text: In any language.
        query: Words in any language.
        length: At most about so many characters, markup left aside; 20 or more.

    Raises:
        ValueError: `length` is below 20.
    """
    if length < 20:
        raise ValueError(f"a snippet has 20 characters or more, not {length}")
    text = _FENCE.sub("", text).rstrip()
    places = [place for place in places_of(asked_terms(query), text) if place.start < len(text)]
    shown = _best_window(places, length)
    start, opened = _start(text, shown, length) if shown else (len(text) - len(text.lstrip()), "")
    end, closed = _end(text, start, shown[-1].end if shown else start, length)
    inside = [place for place in places if place.start >= start and place.end <= end]
    return Snippet(f"{opened}{_marked(text, start, end, inside)}{closed}", bool(shown))


def _best_window(places: list[Place], length: int) -> list[Place]:
    """Return those of neighbouring places within `length` characters that say most."""
    weight = {term: times**-0.5 for term, times in Counter(p.term for p in places).items()}
    inside: Counter[str] = Counter()
    best, chosen, last, total = (0.0, 0), (0, 0), 0, 0.0
    for first, place in enumerate(places):
        while last < len(places) and (last == first or places[last].end - place.start <= length):
            term = places[last].term
            total += weight[term] if not inside[term] else 0.0
            inside[term] += 1
            last += 1
        value = (round(total, 6), last - first)
        if value > best:
            best, chosen = value, (first, last)
        inside[place.term] -= 1
        total -= weight[place.term] if not inside[place.term] else 0.0
    return places[chosen[0] : chosen[1]]


def _start(text: str, shown: list[Place], length: int) -> tuple[int, str]:
    """Return where the passage begins, and what says that something was left out there."""
    first = shown[0].start
    room = max(0, length - (shown[-1].end - first))
    low = max(0, first - length)
    sentences = split_sentences(text[low : first + 1])
    if low > 0:
        sentences = sentences[1:]  # the first one begins where the text was cut
    if sentences and first - (low + sentences[-1][0]) <= room:
        return low + sentences[-1][0], ""
    at = max(0, first - min(room // 2, _MOST_CONTEXT))
    space = _SPACE.search(text, at, first)
    at = space.end() if space else max(at, first - _LONG_WORD)
    return _whole(text, at, first), f"{_ELLIPSIS} "


def _end(text: str, start: int, last: int, length: int) -> tuple[int, str]:
    """Return where the passage ends, not before `last`, and what says that the text goes on."""
    limit = max(start + length, last)
    if limit >= len(text):
        return len(text), ""
    # A little more than the passage, to see whether a stop at its end is one.
    ends = [start + end for _, end in split_sentences(text[start : limit + _LONG_WORD])[:-1]]
    fitting = [end for end in ends if last <= end <= limit and end - start >= length // 2]
    if fitting:
        return fitting[-1], ""
    spaces = list(_SPACE.finditer(text, max(last, limit - _LONG_WORD), limit + 1))
    at = spaces[-1].start() if spaces else _whole(text, limit, last)
    return at, f" {_ELLIPSIS}"


def _whole(text: str, at: int, bound: int) -> int:
    """Return the place nearest to `at`, on the way to `bound`, that parts no letter from its marks.

    `bound` is such a place.
    """
    step = 1 if bound > at else -1
    while at != bound and (
        unicodedata.category(text[at])[0] == "M"
        or text[at] in (_JOINER, *_VARIATIONS)
        or text[at - 1 : at] == _JOINER
    ):
        at += step
    return at


def _marked(text: str, start: int, end: int, places: list[Place]) -> str:
    parts: list[str] = []
    at = start
    for first, last in _merged(places):
        parts += (_escaped(text[at:first]), "<b>", _escaped(text[first:last]), "</b>")
        at = last
    return "".join((*parts, _escaped(text[at:end]))).strip()


def _merged(places: list[Place]) -> list[tuple[int, int]]:
    """Return the ranges of the places, those that touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end, _ in places:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _escaped(part: str) -> str:
    return html.escape(_SPACE.sub(" ", part), quote=False)
