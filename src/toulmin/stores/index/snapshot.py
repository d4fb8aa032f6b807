"""What a reader sees: text, vectors and fields of one moment, whatever is written meanwhile."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toulmin.stores.index.columns import KINDS, kind_asked
from toulmin.stores.index.predicate import EVERYTHING, And, FieldValue, Not, Or, Predicate
from toulmin.stores.index.protocol import (
    Counts,
    FacetValue,
    Hit,
    Hits,
    Query,
    Selected,
    Selection,
)
from toulmin.stores.index.segment import Segment
from toulmin.stores.index.selection import select
from toulmin.stores.index.spelling import correct
from toulmin.stores.index.text import MOST_NARROWED, TextReader
from toulmin.stores.index.vectors import products, quantized

_BLOCK = 65_536  # rows multiplied at a time
_AHEAD = 5
"""How many times as many chunks as are wanted are found by their own vectors, for the nearest parts
to be looked for among them."""
_GATHERED_SHARE = 0.1  # of a segment's rows: below, they are picked out before multiplying
_DIGITS = 4  # of a BM25 score; the order in which tantivy adds terms shows in the seventh
_ROUNDING = 10.0**-_DIGITS


@dataclass(frozen=True, slots=True)
class Found:
    """Rows found: segment, row and score of each, in no order."""

    segments: NDArray[np.int64]
    rows: NDArray[np.int64]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.scores)


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """A query's vector in 8 bits, and its scale."""

    small: NDArray[np.int8]
    scale: float

    def cosines(self, segment: Segment, rows: slice | NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cosine of each row's own vector, shape (rows,)."""
        held = segment.rows
        return products(held.vectors[rows], self.small) * held.scales[rows] * self.scale


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment.

    Attributes:
        segments: In the order of their serials.
        text: The text, with all their rows and maybe dead ones.
        position: The last change that is in it.
    """

    segments: tuple[Segment, ...]
    text: TextReader
    position: int

    def search(self, query: Query) -> Hits:
        """Return what fits best."""
        allowed = self.allowed(query.filter)
        wanted = query.offset + query.limit
        lexical = dense = _together([])
        if query.text and wanted:
            lexical = self._lexical(query, allowed, wanted)
        if query.vector is not None and wanted:
            small, scale = quantized(np.asarray(query.vector, dtype=np.float32)[np.newaxis, :])
            asked = _Asked(small[0], float(scale[0]))
            dense = self._dense(asked, allowed, wanted * _AHEAD if query.by_parts else wanted)
            if query.by_parts:
                dense = self._by_parts(asked, _together([dense, lexical]))
        return Hits(
            lexical=self._best(lexical, wanted)[query.offset :],
            dense=self._best(dense, wanted)[query.offset :],
            position=self.position,
        )

    def select(self, selection: Selection) -> Selected:
        """Return documents in an order that no query has a say in."""
        return select(self.segments, self.allowed(selection.filter), selection, self.position)

    def values(self, keys: Sequence[int], field: str) -> dict[int, tuple[FieldValue, ...]]:
        """Return the values of `field` of the chunks with `keys`."""
        found: dict[int, tuple[FieldValue, ...]] = {}
        for segment in self.segments:
            rows = segment.find(np.unique(np.asarray(keys, dtype=np.int64)))
            columns = [segment.rows.columns.get((field, kind)) for kind in KINDS]
            for row, key in zip(rows.tolist(), segment.rows.keys[rows].tolist(), strict=True):
                values = tuple(v for column in columns if column for v in column.values_of(row))
                if values:
                    found[key] = values
        return found

    def correct(self, text: str) -> str:
        """Return `text` with misspelt words put right, "" if there are none."""
        alive = [segment.alive for segment in self.segments]
        untouched = sum(int(mask.sum()) for mask in alive) == self.text.documents

        def occurs(word: str) -> bool:
            if not self.text.frequency(word):
                return False
            return untouched or self._is_alive(word, alive)

        return correct(text, [segment.rows.words for segment in self.segments], occurs)

    def _is_alive(self, word: str, alive: list[NDArray[np.bool_]]) -> bool:
        """Return whether a chunk with `word` is there still."""
        asked = self.text.query(word)
        ahead = 16
        while asked is not None:
            serials, scores = self.text.best(asked, ahead)
            if len(self._living(serials, scores, alive)):
                return True
            if len(serials) < ahead:
                break
            ahead *= 8
        return False

    def allowed(self, predicate: Predicate) -> list[NDArray[np.bool_]]:
        """Return for each segment which of its rows are alive and fulfil `predicate`."""
        if predicate == EVERYTHING:
            return [segment.alive for segment in self.segments]
        return [segment.alive & _mask(segment, predicate) for segment in self.segments]

    def count(self, predicate: Predicate) -> Counts:
        """Return how many chunks and documents fulfil `predicate`."""
        allowed = self.allowed(predicate)
        documents = [s.rows.documents[m] for s, m in zip(self.segments, allowed, strict=True)]
        return Counts(
            chunks=sum(len(part) for part in documents),
            documents=len(np.unique(np.concatenate(documents))) if documents else 0,
        )

    def facet(self, field: str, predicate: Predicate) -> tuple[FacetValue, ...]:
        """Return the strings of `field` and how many documents have each."""
        numbers: dict[str, int] = {}
        pairs = [np.zeros((2, 0), dtype=np.int64)]
        for segment, mask in zip(self.segments, self.allowed(predicate), strict=True):
            column = segment.rows.columns.get((field, "string"))
            if column is None or column.strings is None:
                continue
            rows = np.arange(len(column.values)) if column.rows is None else column.rows
            used, values = np.unique(column.values[mask[rows]], return_inverse=True)
            texts = [column.strings[int(number)] for number in used]
            renumbered = np.array([numbers.setdefault(t, len(numbers)) for t in texts], np.int64)
            pairs.append(np.stack([renumbered[values], segment.rows.documents[rows[mask[rows]]]]))
        counted = _values_of_distinct(np.concatenate(pairs, axis=1))
        return tuple(FacetValue(text, int(counted[numbers[text]])) for text in sorted(numbers))

    def _lexical(self, query: Query, allowed: list[NDArray[np.bool_]], wanted: int) -> Found:
        possible = sum(int(mask.sum()) for mask in allowed)
        if not possible:
            return _together([])
        narrowed = possible <= min(MOST_NARROWED, self.text.documents // 2)
        asked = self.text.query(query.text, self._serials(allowed) if narrowed else None)
        if asked is None:
            return _together([])
        most = possible if narrowed else self.text.documents
        # So many that, were chunks allowed at random, enough of them would be.
        ahead = min(int(wanted * most / possible * 1.25) + 16, most)
        while True:
            serials, scores = self.text.best(asked, ahead)
            found = self._living(serials, scores, allowed)
            if len(serials) < ahead or ahead == most or _complete(found.scores, scores, wanted):
                return self._first(found, wanted)
            ahead = min(ahead * 8, most)

    def _living(
        self,
        serials: NDArray[np.int64],
        scores: NDArray[np.float64],
        allowed: list[NDArray[np.bool_]],
    ) -> Found:
        """Return those rows of the text that are there and allowed."""
        parts: list[Found] = []
        # A segment may be empty: all of its rows were dead when it was merged.
        holders = np.array(
            [at for at, s in enumerate(self.segments) if len(s.rows)], dtype=np.int64
        )
        starts = np.array([self.segments[at].rows.serials[0] for at in holders], dtype=np.int64)
        if not len(holders):
            return _together(parts)
        owners = holders[np.maximum(np.searchsorted(starts, serials, side="right") - 1, 0)]
        for number, (segment, mask) in enumerate(zip(self.segments, allowed, strict=True)):
            here = np.flatnonzero(owners == number)
            if not len(here):
                continue
            rows = np.searchsorted(segment.rows.serials, serials[here])
            rows = np.minimum(rows, len(segment.rows) - 1)
            kept = (segment.rows.serials[rows] == serials[here]) & mask[rows]
            parts.append(_found(number, rows[kept], np.round(scores[here[kept]], _DIGITS)))
        return _together(parts)

    def _dense(self, asked: _Asked, allowed: list[NDArray[np.bool_]], wanted: int) -> Found:
        best = _Best(wanted)
        for number, (segment, mask) in enumerate(zip(self.segments, allowed, strict=True)):
            chosen = np.flatnonzero(mask)
            gathered = len(chosen) < len(mask) * _GATHERED_SHARE
            blocks = (
                np.array_split(chosen, range(_BLOCK, len(chosen), _BLOCK))
                if gathered
                else [slice(at, at + _BLOCK) for at in range(0, len(mask), _BLOCK)]
            )
            for block in blocks:
                scores = asked.cosines(segment, block)
                usable = (segment.rows.scales[block] > 0) & mask[block]
                at = np.flatnonzero(usable & (scores >= best.threshold))
                rows = block[at] if isinstance(block, np.ndarray) else at + block.start
                best.add(_found(number, rows, np.clip(scores[at], -1.0, 1.0)))
        return self._first(best.found(), wanted)

    def _by_parts(self, asked: _Asked, found: Found) -> Found:
        """Return the rows found, each once, with the cosine of its nearest part counted in."""
        parts: list[Found] = []
        for number, segment in enumerate(self.segments):
            rows = np.unique(found.rows[found.segments == number])
            rows = rows[segment.rows.scales[rows] > 0]
            wholes = asked.cosines(segment, rows)
            scores = segment.rows.parts.nearest(rows, asked.small, asked.scale, wholes)
            parts.append(_found(number, rows, np.clip(scores, -1.0, 1.0)))
        return _together(parts)

    def _first(self, found: Found, wanted: int) -> Found:
        """Return the best of what was found, best first; equal scores by key."""
        order = np.lexsort((self._keys(found), -found.scores))[:wanted]
        return Found(found.segments[order], found.rows[order], found.scores[order])

    def _keys(self, found: Found) -> NDArray[np.int64]:
        keys = np.zeros(len(found), dtype=np.int64)
        for number, segment in enumerate(self.segments):
            here = found.segments == number
            keys[here] = segment.rows.keys[found.rows[here]]
        return keys

    def _best(self, found: Found, wanted: int) -> tuple[Hit, ...]:
        """Return the best of what was found; equal scores by key."""
        found = self._first(found, wanted)
        documents = np.zeros(len(found), dtype=np.int64)
        for number, segment in enumerate(self.segments):
            here = found.segments == number
            documents[here] = segment.rows.documents[found.rows[here]]
        return tuple(
            map(Hit, self._keys(found).tolist(), documents.tolist(), found.scores.tolist())
        )

    def _serials(self, allowed: list[NDArray[np.bool_]]) -> list[int]:
        serials: list[int] = []
        for segment, mask in zip(self.segments, allowed, strict=True):
            serials += segment.rows.serials[mask].tolist()
        return serials


class _Best:
    """Keeps the best rows and all that are as good as the last of them."""

    def __init__(self, wanted: int) -> None:
        self.threshold = -np.inf
        self._wanted = wanted
        self._parts: list[Found] = []
        self._count = 0

    def add(self, found: Found) -> None:
        """Take more rows; `threshold` rises to what the next ones must reach."""
        self._parts.append(found)
        self._count += len(found)
        if self._count >= 4 * self._wanted:
            self.found()

    def found(self) -> Found:
        """Return what was kept."""
        all_of_them = _together(self._parts)
        if len(all_of_them) > self._wanted:
            place = len(all_of_them) - self._wanted
            self.threshold = float(np.partition(all_of_them.scores, place)[place])
            kept = all_of_them.scores >= self.threshold
            all_of_them = Found(
                all_of_them.segments[kept], all_of_them.rows[kept], all_of_them.scores[kept]
            )
        self._parts = [all_of_them]
        self._count = len(all_of_them)
        return all_of_them


def _values_of_distinct(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each value, numbered from 0, how many distinct pairs have it first."""
    ordered = pairs[:, np.lexsort(pairs)]
    first = np.ones(ordered.shape[1], dtype=np.bool_)
    first[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    counted: NDArray[np.int64] = np.bincount(ordered[0, first])
    return counted


def _complete(found: NDArray[np.float64], seen: NDArray[np.float64], wanted: int) -> bool:
    """Return whether no row that was not seen can be among the best, or as good as the last."""
    if len(found) < wanted:
        return False
    last = np.partition(found, len(found) - wanted)[len(found) - wanted]
    return bool(seen[-1] < last - _ROUNDING)


def _mask(segment: Segment, predicate: Predicate) -> NDArray[np.bool_]:
    """Return for each row of a segment whether it fulfils `predicate`."""
    rows = len(segment.rows)
    match predicate:
        case And(operands):
            masks = (_mask(segment, operand) for operand in operands)
            return functools.reduce(np.logical_and, masks, np.ones(rows, dtype=np.bool_))
        case Or(operands):
            masks = (_mask(segment, operand) for operand in operands)
            return functools.reduce(np.logical_or, masks, np.zeros(rows, dtype=np.bool_))
        case Not(operand):
            return ~_mask(segment, operand)
        case condition:
            column = segment.rows.columns.get((condition.field, kind_asked(condition)))
            if column is None:
                return np.zeros(rows, dtype=np.bool_)
            return column.mask(condition, rows)


def _found(segment: int, rows: NDArray[np.int64], scores: NDArray[np.float64]) -> Found:
    return Found(np.full(len(rows), segment, dtype=np.int64), rows.astype(np.int64), scores)


def _together(parts: list[Found]) -> Found:
    return Found(
        np.concatenate([np.zeros(0, dtype=np.int64), *(part.segments for part in parts)]),
        np.concatenate([np.zeros(0, dtype=np.int64), *(part.rows for part in parts)]),
        np.concatenate([np.zeros(0), *(part.scores for part in parts)]),
    )
