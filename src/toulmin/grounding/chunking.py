"""Facts -> sentences -> windows: the pieces of evidence that a claim can be checked against.

A fact is cut into *units* (its sentences; an overlong one is cut at a clause or a space), and the
units into *windows* of about 60 words that overlap by half, so that neighbouring sentences are read
together. Lengths are in *words* as the encoder feels them: a long word counts more, a character
of a script without spaces counts nearly one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from toulmin.domain import Fact, FactChunk
from toulmin.grounding.terms import word_list
from toulmin.text.sentences import split_sentences
from toulmin.text.words import WordStream, scan_words
from toulmin.work import UNLIMITED, Work

WINDOW_WORDS = 60
SLACK = 1.15  # a fact that is longer than a window by no more than this stays whole
_OVERLAP = 0.5
_LONG_WORD = 8
_UNSPACED_COST = 0.9
_MOST_CHARACTERS_A_WORD = 20.0  # so that a line of dashes has a length too
_CLAUSE_ENDS = ".;:,!?)\n。、」』\uff0c\uff1b\uff1a\uff01\uff1f"  # the last five: full width
_LEANING_WORDS = word_list("leaning")
_LEANING_STARTS = tuple(word_list("leaning_starts"))


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """The units and windows of all facts of one request.

    Attributes:
        facts: The facts.
        bases: Where each fact begins in the joined text, shape (facts,).
        stream: The words of the joined text.
        unit_facts: Fact of each unit, shape (units,).
        unit_starts: First character of each unit in its fact, shape (units,).
        unit_ends: One past its last character, shape (units,).
        unit_words: Index of each unit's first word in `stream`; last, one past the last unit's
            last word; shape (units + 1,).
        unit_costs: Length of each unit in words, shape (units,).
        window_units: First and one past the last unit of each window, shape (windows, 2).
        window_facts: Fact of each window, shape (windows,).
    """

    facts: Sequence[Fact]
    bases: NDArray[np.int64]
    stream: WordStream
    unit_facts: NDArray[np.int64]
    unit_starts: NDArray[np.int64]
    unit_ends: NDArray[np.int64]
    unit_words: NDArray[np.int64]
    unit_costs: NDArray[np.float64]
    window_units: NDArray[np.int64]
    window_facts: NDArray[np.int64]

    def chunk(self, first: int, last: int) -> FactChunk:
        """Return the units `first` up to `last` (not included), of one fact, as a chunk."""
        fact = int(self.unit_facts[first])
        start, end = int(self.unit_starts[first]), int(self.unit_ends[last - 1])
        return FactChunk(fact, start, end, self.facts[fact].text[start:end])

    def window(self, index: int) -> FactChunk:
        """Return a window as a chunk."""
        first, last = self.window_units[index].tolist()
        return self.chunk(first, last)

    def leans_back(self, unit: int) -> bool:
        """Return whether the unit begins with a pronoun that an earlier unit of its fact explains.

        Only the first word is looked at; the first unit of a fact never leans back.
        """
        if unit == 0 or self.unit_facts[unit] != self.unit_facts[unit - 1]:
            return False
        at = int(self.unit_words[unit])
        if at >= int(self.unit_words[unit + 1]):
            return False
        if not self.stream.unspaced[at]:
            return self.stream.word(at) in _LEANING_WORDS
        start = int(self.unit_starts[unit])
        text = self.facts[int(self.unit_facts[unit])].text
        return text[start : start + 4].lstrip().startswith(_LEANING_STARTS)


def plan_chunks(
    facts: Sequence[Fact],
    *,
    window_words: int = WINDOW_WORDS,
    whole_words: int = 0,
    work: Work = UNLIMITED,
) -> ChunkPlan:
    """Cut all facts into units and windows.

    Args:
        facts: Any number of facts; an empty or blank one has no unit and no window.
        window_words: Length of a window, in words.
        whole_words: A fact of no more words than this is one window, however long windows are.
        work: Asked before every fact.

    Raises:
        Cancelled: Nobody waits any more.
    """
    lengths = np.array([len(fact.text) + 1 for fact in facts], dtype=np.int64)
    bases = np.cumsum(lengths) - lengths
    stream = scan_words("\n".join(fact.text for fact in facts))
    costs = np.zeros(len(stream) + 1)
    np.cumsum(_word_costs(stream), out=costs[1:])
    spans: list[tuple[int, int, int]] = []
    for index, fact in enumerate(facts):
        work.check()
        spans.extend((index, start, end) for start, end in split_sentences(fact.text))
    table = np.array(spans, dtype=np.int64).reshape(-1, 3)
    table = _cut_long_units(table, facts, bases, stream, costs, window_words)
    first_words = np.searchsorted(stream.starts, bases[table[:, 0]] + table[:, 1])
    unit_words = np.append(first_words, len(stream))
    unit_costs = np.diff(costs[unit_words])
    unit_costs = np.maximum(unit_costs, (table[:, 2] - table[:, 1]) / _MOST_CHARACTERS_A_WORD)
    windows = _make_windows(table[:, 0], unit_costs, window_words, whole_words)
    plan = ChunkPlan(
        facts=facts,
        bases=bases,
        stream=stream,
        unit_facts=table[:, 0],
        unit_starts=table[:, 1],
        unit_ends=table[:, 2],
        unit_words=unit_words,
        unit_costs=unit_costs,
        window_units=windows,
        window_facts=table[windows[:, 0], 0],
    )
    return _lean_windows_back(plan)


def _word_costs(stream: WordStream) -> NDArray[np.float64]:
    """Return about how many model tokens, over 1.2, each word takes, shape (words,)."""
    lengths = stream.ends - stream.starts
    costs: NDArray[np.float64] = 1.0 + np.maximum(lengths - _LONG_WORD, 0) / 5.0
    costs[stream.unspaced] = _UNSPACED_COST
    return costs


def _cut_long_units(
    table: NDArray[np.int64],
    facts: Sequence[Fact],
    bases: NDArray[np.int64],
    stream: WordStream,
    costs: NDArray[np.float64],
    limit: float,
) -> NDArray[np.int64]:
    """Return `table` (fact, start, end) with every unit longer than `limit` words cut."""
    begins = bases[table[:, 0]] + table[:, 1]
    first, last = (
        np.searchsorted(stream.starts, edge)
        for edge in (begins, begins + table[:, 2] - table[:, 1])
    )
    too_long = costs[last] - costs[first] > limit * SLACK
    too_long |= table[:, 2] - table[:, 1] > 2 * limit * _LONG_WORD
    long_units = np.flatnonzero(too_long)
    if not len(long_units):
        return table
    pieces: list[NDArray[np.int64]] = []
    done = 0
    for unit in long_units.tolist():
        fact, start, end = table[unit].tolist()
        base = int(bases[fact])
        words = slice(int(first[unit]), int(last[unit]))
        steps = costs[words.start : words.stop + 1] - costs[words.start]
        cuts = _cuts(facts[fact].text, stream.starts[words] - base, steps, (start, end), limit)
        edges = [start, *cuts, end]
        pieces.append(table[done:unit])
        pieces.append(np.array([(fact, a, b) for a, b in pairwise(edges)], np.int64))
        done = unit + 1
    pieces.append(table[done:])
    return np.concatenate(pieces)


def _cuts(
    text: str,
    word_starts: NDArray[np.int64],
    steps: NDArray[np.float64],
    span: tuple[int, int],
    limit: float,
) -> list[int]:
    """Return character offsets to cut the unit `span` of `text` at, each piece within the limit.

    A piece ends at the last clause end of its second half if there is one, else before a word. A
    single word longer than the limit is cut anywhere.
    """
    cuts: list[int] = []
    at, (position, end) = 0, span
    most_characters = int(limit * _LONG_WORD)
    while True:
        stop = int(np.searchsorted(steps, steps[at] + limit, side="right")) - 1
        if stop >= len(word_starts) and end - position <= most_characters * 2:
            return cuts
        reach = int(word_starts[stop]) if stop < len(word_starts) else end
        if stop <= at or reach - position > most_characters * 2:
            reach = position + most_characters
            if reach >= end:
                return cuts
        half = position + (reach - position) // 2
        marks = [text.rfind(mark, half, reach) for mark in _CLAUSE_ENDS]
        cut = max(marks) + 1 if max(marks) >= half else reach
        while cut < reach and text[cut].isspace():
            cut += 1
        cuts.append(cut)
        position = cut
        at = int(np.searchsorted(word_starts, cut))


def _make_windows(
    unit_facts: NDArray[np.int64], unit_costs: NDArray[np.float64], limit: float, whole: float
) -> NDArray[np.int64]:
    """Return the (first, one past last) units of overlapping windows, shape (windows, 2)."""
    windows: list[tuple[int, int]] = []
    edges = np.flatnonzero(np.diff(unit_facts, prepend=-1, append=-1)).tolist()
    sums = [0.0, *np.cumsum(unit_costs).tolist()]
    for low, high in pairwise(edges):
        if sums[high] - sums[low] <= max(limit * SLACK, whole):
            windows.append((low, high))
            continue
        first = low
        while True:
            last = max(first + 1, bisect_right(sums, sums[first] + limit, first, high + 1) - 1)
            windows.append((first, last))
            if last >= high:
                break
            middle = bisect_right(sums, sums[first] + limit * _OVERLAP, first, high + 1) - 1
            first = min(max(first + 1, middle), last)
    return np.array(windows, dtype=np.int64).reshape(-1, 2)


def _lean_windows_back(plan: ChunkPlan) -> ChunkPlan:
    """Begin a window one unit earlier where its first unit leans on the unit before, if short."""
    for window, first in enumerate(plan.window_units[:, 0].tolist()):
        if plan.unit_costs[first - 1] <= WINDOW_WORDS / 3 and plan.leans_back(first):
            plan.window_units[window, 0] = first - 1
    return plan
