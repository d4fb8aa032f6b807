"""Documents in the order of their fields: what is listed when nothing is asked.

Only as much is ordered as is wanted. Numbers, times and booleans can be compared across segments
as they are; strings have numbers that hold within one segment, so that the best of each segment
are read as text and ordered, and no others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toulmin.stores.index.columns import KINDS, Column, ColumnKind
from toulmin.stores.index.protocol import Hit, Order, Selected, Selection
from toulmin.stores.index.segment import Segment

_LAST = np.iinfo(np.int64).max

Ordinals = NDArray[np.int64]


def select(
    segments: Sequence[Segment],
    allowed: Sequence[NDArray[np.bool_]],
    selection: Selection,
    position: int,
) -> Selected:
    """Return the documents selected (see `SearchIndex.select`).

    Args:
        segments: Where to look.
        allowed: For each segment which of its rows are alive and fulfil the filter.
        selection: What is wanted.
        position: The last change that is in the segments.
    """
    found = _Documents(segments, allowed)
    wanted = selection.offset + selection.limit
    everyone = np.arange(len(found.numbers), dtype=np.int64)
    page = found.first(everyone, selection.order_by, wanted)[selection.offset :]
    hits = tuple(map(Hit, found.keys[page].tolist(), found.numbers[page].tolist(), _zeros(page)))
    return Selected(hits, len(found.numbers), position)


class _Documents:
    """The documents of some rows, by ordinals: 0 for the lowest number.

    Attributes:
        numbers: Number of each document.
        keys: Lowest key among its rows.
    """

    def __init__(self, segments: Sequence[Segment], allowed: Sequence[NDArray[np.bool_]]) -> None:
        self._segments = segments
        rows = [np.flatnonzero(mask) for mask in allowed]
        pairs = list(zip(segments, rows, strict=True))
        documents = _joined([segment.rows.documents[at] for segment, at in pairs])
        keys = _joined([segment.rows.keys[at] for segment, at in pairs])
        # Chunks of one document mostly stand together: runs of rows are sorted, not rows.
        begins = np.ones(len(documents), dtype=np.bool_)
        begins[1:] = documents[1:] != documents[:-1]
        starts = np.flatnonzero(begins)
        self.numbers, runs = np.unique(documents[starts], return_inverse=True)
        self.keys = np.full(len(self.numbers), _LAST, dtype=np.int64)
        if len(starts):
            np.minimum.at(self.keys, runs, np.minimum.reduceat(keys, starts))
        owners = np.repeat(runs, np.diff(np.append(starts, len(documents))))
        self._owners: list[Ordinals] = []  # for each segment the ordinal of each row; -1: none
        first = 0
        for mask, at in zip(allowed, rows, strict=True):
            owner = np.full(len(mask), -1, dtype=np.int64)
            owner[at] = owners[first : first + len(at)]
            first += len(at)
            self._owners.append(owner)

    def first(self, among: Ordinals, orders: Sequence[Order], wanted: int) -> Ordinals:
        """Return the first `wanted` of some documents, in order; `among` must be growing."""
        if not orders or wanted <= 0:
            return among[: max(0, wanted)]
        before, level = among, among[:0]
        if len(among) > wanted:
            ranks = self._ranks(among, orders[0], wanted)
            last = np.partition(ranks, wanted - 1)[wanted - 1]
            before, level = among[ranks < last], among[ranks == last]
        by_each = [self._ranks(before, order, len(before)) for order in reversed(orders)]
        ordered = before[np.lexsort(by_each)]
        rest = self.first(level, orders[1:], wanted - len(before))
        return np.concatenate([ordered, rest])

    def _ranks(self, among: Ordinals, order: Order, wanted: int) -> NDArray[np.int64]:
        """Return a number for each of `among`: the first `wanted` are in the order of theirs.

        Equal documents have equal numbers. Those that come later have any higher ones.
        """
        places = np.full(len(self.numbers) + 1, -1, dtype=np.int64)  # the last: of no document
        places[among] = np.arange(len(among))
        entries = {kind: list(self._entries(order.field, kind, places)) for kind in KINDS}
        has = {kind: _marked([at for _, at, _ in entries[kind]], len(among)) for kind in KINDS}
        has["string"] &= ~has["time"]
        ranks = np.full(len(among), _LAST, dtype=np.int64)
        beneath = 0
        for kind in reversed(KINDS) if order.descending else KINDS:
            mine = has[kind] & (ranks == _LAST)
            if not mine.any():
                continue
            of_mine = [
                (column, at[mine[at]], -values[mine[at]] if order.descending else values[mine[at]])
                for column, at, values in entries[kind]
            ]
            if kind == "string":
                found = _texts_ranked(of_mine, mine, wanted, descending=order.descending)
            else:
                found = _values_ranked(of_mine, mine, wanted)
            ranks[mine] = beneath + found
            beneath += int(found.max()) + 1
        return ranks

    def _entries(
        self, field: str, kind: ColumnKind, places: Ordinals
    ) -> Iterator[tuple[Column, Ordinals, NDArray[Any]]]:
        """Yield for each segment the places and values of one kind; whole numbers as int64."""
        for segment, owners in zip(self._segments, self._owners, strict=True):
            column = segment.rows.columns.get((field, kind))
            if column is None:
                continue
            at = places[owners if column.rows is None else owners[column.rows]]
            values = column.values[at >= 0]
            yield column, at[at >= 0], values if kind == "number" else values.astype(np.int64)


def _values_ranked(
    entries: Sequence[tuple[Column, Ordinals, NDArray[Any]]], mine: NDArray[np.bool_], wanted: int
) -> NDArray[np.int64]:
    """Return ranks of the documents of `mine` by the least of their values."""
    kind = entries[0][2].dtype
    most = np.inf if kind.kind == "f" else _LAST
    least = np.full(len(mine), most, dtype=kind)
    for _, at, values in entries:
        np.minimum.at(least, at, values)
    return _numbered(least[mine], wanted)


def _texts_ranked(
    entries: Sequence[tuple[Column, Ordinals, NDArray[Any]]],
    mine: NDArray[np.bool_],
    wanted: int,
    *,
    descending: bool,
) -> NDArray[np.int64]:
    """Return ranks of the documents of `mine` by the first of their strings.

    Whoever is not among the first `wanted` of its segment is not among the first `wanted` of all.
    """
    kept: list[tuple[Ordinals, list[str], NDArray[np.int64]]] = []
    for column, at, values in entries:
        if not len(at):
            continue
        low = int(at.min())
        least = np.full(int(at.max()) - low + 1, _LAST, dtype=np.int64)
        np.minimum.at(least, at - low, values)
        here = np.flatnonzero(least != _LAST)
        numbers = least[here]
        if len(here) > wanted:
            chosen = numbers <= np.partition(numbers, wanted - 1)[wanted - 1]
            here, numbers = here[chosen], numbers[chosen]
        used, which = np.unique(numbers, return_inverse=True)
        assert column.strings is not None  # noqa: S101 - a column of strings
        kept.append((here + low, [column.strings[abs(int(n))] for n in used], which))
    texts = sorted({text for _, some, _ in kept for text in some}, reverse=descending)
    rank = {text: number for number, text in enumerate(texts)}
    ranks = np.full(len(mine), len(texts), dtype=np.int64)
    for at, some, which in kept:
        np.minimum.at(ranks, at, np.array([rank[text] for text in some], dtype=np.int64)[which])
    return ranks[mine]


def _numbered(values: NDArray[Any], wanted: int) -> NDArray[np.int64]:
    """Return for each of the least `wanted` values its place among them; others get higher ones."""
    low = np.ones(len(values), dtype=np.bool_)
    if 0 < wanted < len(values):
        low = values <= np.partition(values, wanted - 1)[wanted - 1]
    distinct, which = np.unique(values[low], return_inverse=True)
    ranks = np.full(len(values), len(distinct), dtype=np.int64)
    ranks[low] = which
    return ranks


def _marked(places: Sequence[Ordinals], count: int) -> NDArray[np.bool_]:
    marked = np.zeros(count, dtype=np.bool_)
    for at in places:
        marked[at] = True
    return marked


def _joined(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def _zeros(page: Ordinals) -> list[float]:
    return [0.0] * len(page)
