"""What any search index does, whatever it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from toulmin.errors import FailedPrecondition
from toulmin.stores.index.predicate import EVERYTHING, Fields, FieldValue, Predicate

_NO_FIELDS: Fields = MappingProxyType({})


class IndexUnusable(FailedPrecondition):
    """The index on disk is damaged or made for something else: it must be built anew."""

    def __init__(self, message: str) -> None:
        super().__init__(message, reason="SEARCH_INDEX_UNUSABLE")


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk as it is searched.

    Attributes:
        key: The record store's number of the chunk, 0 or more.
        document: The record store's number of its document.
        text: What is searched by words.
        title: Title of the document, which counts for more than the text; may be empty.
        vector: Unit vector, shape (dimensions,); None: found by words only.
        parts: Directions of its parts in 8 bits, shape (parts, dimensions); None: it is one part.
        fields: What it is filtered by (see `fields.py`).
    """

    key: int
    document: int
    text: str
    title: str = ""
    vector: NDArray[np.float32] | None = None
    parts: NDArray[np.int8] | None = None
    fields: Fields = field(default_factory=lambda: _NO_FIELDS)


@dataclass(frozen=True, slots=True)
class Put:
    """Add the chunk, or put it in the place of the one with its key."""

    chunk: IndexedChunk


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove the chunk with this key, if it is there."""

    key: int


Change = Put | Remove


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for.

    Attributes:
        text: Words, in any language; no query syntax. Empty: no search by words.
        vector: Unit vector, shape (dimensions,); None: no search by vector.
        filter: Only chunks that fulfil it.
        limit: At most so many hits of each search.
        offset: Leave out so many of the best of each search.
        by_parts: Whether the nearest part of a chunk counts for its score by vector.
    """

    text: str = ""
    vector: NDArray[np.float32] | None = None
    filter: Predicate = EVERYTHING
    limit: int = 100
    offset: int = 0
    by_parts: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found, the number of its document, and its score: higher is better."""

    key: int
    document: int
    score: float


@dataclass(frozen=True, slots=True)
class Hits:
    """What was found, both rankings from one moment; best first, equal scores by key.

    Attributes:
        lexical: Chunks that share a term with the query, by BM25, over 0 without a bound, rounded
            to four decimals.
        dense: Chunks that have a vector, by its cosine with the query's, in [-1, 1].
        position: The last change that is in it.
    """

    lexical: tuple[Hit, ...]
    dense: tuple[Hit, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Order:
    """Order by a field: smallest first, or largest first if `descending`.

    Of several values the one that comes first counts. Numbers come before times, times before
    booleans (false, true), booleans before strings (by code points); strings do not count where
    the document has a time, since a date is kept as both. Descending is the contrary of all that.
    Documents without the field come last either way.
    """

    field: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """Which documents to list.

    Attributes:
        filter: Documents with a chunk that fulfils it; only such chunks count for the order.
        order_by: The first one foremost. Documents that are equal in all are in the order of
            their numbers.
        limit: At most so many.
        offset: Leave out so many of the first.
    """

    filter: Predicate = EVERYTHING
    order_by: tuple[Order, ...] = ()
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Selected:
    """Documents listed.

    Attributes:
        hits: One for each document: of its chunks that fulfil the filter the one with the lowest
            key. Scores are 0.
        documents: How many documents there are in all, before `limit` and `offset`.
        position: The last change that is in it.
    """

    hits: tuple[Hit, ...]
    documents: int
    position: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How many fulfil a filter."""

    chunks: int
    documents: int


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A string of a field, and how many documents have a chunk with it."""

    value: str
    documents: int


class IndexWriter(Protocol):
    """Takes changes."""

    @property
    def position(self) -> int:
        """Number of the last change applied; 0: none yet."""
        ...

    def apply(self, changes: Sequence[Change], *, up_to: int) -> None:
        """Make `changes` searchable, all at once, and note that all up to number `up_to` are in.

        Of several changes to one key the last holds. Applying again what was applied leaves the
        same answers. After a crash either all of the changes are there or none, and `position`
        says which.
        """
        ...


class Rebuild(IndexWriter, Protocol):
    """A new index beside the one in use, which goes on serving and changing."""

    def swap(self) -> None:
        """Put it in the other's place, for every search from now on.

        Raises:
            FailedPrecondition: It is behind the index in use: apply what is missing first.
        """
        ...

    def abandon(self) -> None:
        """Throw it away."""
        ...


class SearchIndex(IndexWriter, Protocol):
    """Finds chunks. Safe to share between threads; a search never waits for a change."""

    def search(self, query: Query) -> Hits:
        """Return what fits best."""
        ...

    def select(self, selection: Selection) -> Selected:
        """Return documents in an order that no query has a say in."""
        ...

    def values(self, keys: Sequence[int], field: str) -> dict[int, tuple[FieldValue, ...]]:
        """Return the values of `field` of the chunks with `keys`; of those that have any.

        A chunk's numbers (as floats) come first, then its times (UTC), booleans and strings, each
        kind in the order in which it went in.
        """
        ...

    def correct(self, text: str) -> str:
        """Return `text` with misspelt words put right, or "" if there is nothing to put right.

        A word is misspelt if no chunk has it in text or title, in any form that a search for it
        finds. In its place comes, in lower case, the nearest word of a chunk: one letter added,
        left out, put for another, or two neighbours exchanged; in words of over 7 letters up to
        two of those. Of several the nearest, then the one in the most chunks (those replaced or
        removed since the last rebuild count too), then the first by its letters. The rest stays
        as it is, but for Unicode's canonical composition.

        Left alone: words of fewer than 4 or more than 32 letters, with digits, or in scripts other
        than Latin, Greek, Cyrillic, Armenian and Georgian; texts of over 32 such words, and those
        with over 8 to put right, which are passages or in another language.
        """
        ...

    def count(self, predicate: Predicate = EVERYTHING) -> Counts:
        """Return how many chunks and documents fulfil `predicate`."""
        ...

    def facet(self, field: str, predicate: Predicate = EVERYTHING) -> tuple[FacetValue, ...]:
        """Return every string of `field` among what fulfils `predicate`, in order of the strings.

        Numbers, times and booleans are counted by `count` over their intervals.
        """
        ...

    def rebuild(self) -> Rebuild:
        """Begin a new index beside this one; one at a time."""
        ...

    def close(self) -> None:
        """Keep what was applied and take no more."""
        ...
