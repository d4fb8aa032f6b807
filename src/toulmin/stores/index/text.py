"""Words of chunks, by tantivy: documents are only ever added.

A row that is removed or replaced stays in the text; whoever searches leaves it out by its serial.
So scores depend on nothing but what was added and in which order: tantivy itself would forget
deleted documents whenever its background merges come round to them, and shift every score.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import tantivy
from numpy.typing import NDArray

from toulmin.stores.index.analysis import gram_analyzer, parted, query_terms, word_analyzer
from toulmin.stores.index.protocol import IndexedChunk, IndexUnusable

TITLE_WEIGHT = 1.0
_TINY = 64  # bytes; so little may be the same in files of two kinds
_SYSTEM_ERROR = re.compile(r"(?:\(os error |\bOs \{ code: )(\d+)")  # as Rust shows them
_SUFFIXES = ("fast", "fieldnorm", "idx", "pos", "store", "term")  # of a segment of tantivy's
_HEAP_BYTES = 64_000_000
MOST_NARROWED = 4096  # above, asking for more hits is cheaper than asking for these rows only
_Occur, _Query = tantivy.Occur, tantivy.Query


class TextIndex:
    """A folder of tantivy's.

    Args:
        folder: Made if it is not there.

    Raises:
        IndexUnusable: tantivy cannot open it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._schema = _schema()
        self._words = word_analyzer()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _check_files(folder)
            self._index = tantivy.Index(self._schema, path=str(folder))
            self._index.config_reader("manual")
            self._index.reload()
        except (ValueError, OSError, KeyError, TypeError) as error:
            raise IndexUnusable(f"The text index in {folder} cannot be opened: {error}") from error
        self._index.register_tokenizer("words", self._words)
        self._index.register_tokenizer("grams", gram_analyzer())
        self._writer: tantivy.IndexWriter | None = None

    def stamp(self) -> int:
        """Return the stamp of the last commit on disk; it grows with every commit.

        Raises:
            IndexUnusable: tantivy's own list of files cannot be read.
        """
        try:
            stamp: int = json.loads((self._folder / "meta.json").read_bytes())["opstamp"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise IndexUnusable(f"The text index in {self._folder} is damaged: {error}") from error
        return stamp

    def add(self, rows: Iterable[tuple[int, IndexedChunk]]) -> None:
        """Take chunks under their serials; a thread of tantivy's begins with them.

        Raises:
            OSError: The disk takes no more.
        """
        with _system_errors():
            writer = self._writing()
            for serial, chunk in rows:
                writer.add_document(_document(serial, chunk))

    def commit(self) -> None:
        """Keep what was added, all at once; a new stamp even if nothing was.

        Raises:
            OSError: The disk takes no more; nothing was kept.
        """
        with _system_errors():
            self._writing().commit()

    def reader(self) -> TextReader:
        """Return a view of the last commit.

        Raises:
            IndexUnusable: tantivy cannot read it.
        """
        try:
            self._index.reload()
        except ValueError as error:
            raise IndexUnusable(f"The text in {self._folder} cannot be read: {error}") from error
        return TextReader(self._index.searcher(), self._schema, self._words)

    def close(self) -> None:
        """Wait for merges under way and let go of the folder."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.wait_merging_threads()

    def drop_writer(self) -> None:
        """Forget what was added since the last commit, after a failure."""
        self._writer = None

    def _writing(self) -> tantivy.IndexWriter:
        if self._writer is None:
            writer = self._index.writer(_HEAP_BYTES, num_threads=1)
            # A writer's first stamp is the last commit's: without this, a first commit that adds
            # nothing (removals right after the start) would leave the stamp as it was.
            writer.commit()
            self._writer = writer
        return self._writer


@contextmanager
def _system_errors() -> Iterator[None]:
    """Raise what the system refused as the OSError that it is; tantivy says it as a ValueError."""
    try:
        yield
    except ValueError as error:
        if found := _SYSTEM_ERROR.search(str(error)):
            number = int(found[1])
            raise OSError(number, os.strerror(number)) from error
        raise


class TextReader:
    """The text at one commit."""

    def __init__(
        self, searcher: tantivy.Searcher, schema: tantivy.Schema, words: tantivy.TextAnalyzer
    ) -> None:
        self._searcher = searcher
        self._schema = schema
        self._words = words

    @property
    def documents(self) -> int:
        """Number of documents, dead ones among them."""
        return self._searcher.num_docs

    def frequency(self, word: str) -> int:
        """Return in how many documents a word is, dead ones among them; 0: a search finds none."""
        terms, _ = query_terms(word, self._words)
        return max(
            (self._searcher.doc_freq(f, term) for term in terms for f in ("text", "title")),
            default=0,
        )

    def query(self, text: str, serials: Sequence[int] | None = None) -> tantivy.Query | None:
        """Return the query for any of the words of `text`, None if it has none.

        Args:
            text: Words in any language.
            serials: Only these rows; at most `MOST_NARROWED`.
        """
        words, grams = query_terms(text, self._words)
        parts = [(_Occur.Should, self._term("text", word)) for word in words]
        parts += [
            (_Occur.Should, _Query.boost_query(self._term("title", word), TITLE_WEIGHT))
            for word in words
        ]
        parts += [(_Occur.Should, self._term("grams", gram)) for gram in grams]
        if not parts:
            return None
        query = _Query.boolean_query(parts)
        if serials is None:
            return query
        rows = _Query.const_score_query(_Query.term_set_query(self._schema, "serial", serials), 0.0)
        return _Query.boolean_query([(_Occur.Must, query), (_Occur.Must, rows)])

    def best(
        self, query: tantivy.Query, limit: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return serials and scores of the best `limit` documents, best first."""
        hits = self._searcher.search(query, limit=limit, count=False).hits
        serials = self._searcher.fast_field_values("serial", [address for _, address in hits])
        return (
            np.array(serials, dtype=np.int64),
            np.array([score for score, _ in hits], dtype=np.float64),
        )

    def _term(self, field: str, term: str) -> tantivy.Query:
        return _Query.term_query(self._schema, field, term, "freq")


def _check_files(folder: Path) -> None:
    """Check every byte of the files in use; tantivy trusts them, and panics on some.

    Each of tantivy's files ends with JSON that holds the CRC-32 of what is before it, the length
    of that JSON, and a fixed number. None says whose file it is: one in the place of another of
    its kind is not noticed, one of another kind is, as two of different kinds are never the same.

    Raises:
        ValueError: A file is damaged.
        OSError: A file cannot be read.
    """
    if not (folder / "meta.json").exists():
        return
    kinds: dict[tuple[int, int], str] = {}
    for segment in json.loads((folder / "meta.json").read_bytes())["segments"]:
        for suffix in _SUFFIXES:
            path = folder / f"{segment['segment_id'].replace('-', '')}.{suffix}"
            with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as m:
                end = len(m) - 8 - int.from_bytes(m[-8:-4], "little")
                if not 0 < end < len(m):
                    raise ValueError(f"{path.name} is cut short")
                with memoryview(m) as content:
                    found = zlib.crc32(content[:end])
                if found != json.loads(m[end:-8])["crc"]:
                    raise ValueError(f"the checksum of {path.name} does not fit")
                if end > _TINY and kinds.setdefault((found, end), suffix) != suffix:
                    raise ValueError(f"{path.name} is a file of another kind")


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("serial", indexed=True, fast=True)
    builder.add_text_field("text", tokenizer_name="words", index_option="freq")
    builder.add_text_field("title", tokenizer_name="words", index_option="freq")
    builder.add_text_field("grams", tokenizer_name="grams", index_option="freq")
    return builder.build()


def _document(serial: int, chunk: IndexedChunk) -> tantivy.Document:
    document = tantivy.Document()
    document.add_unsigned("serial", serial)
    text, runs = parted(chunk.text)
    title, title_runs = parted(chunk.title)
    document.add_text("text", text)
    document.add_text("title", title)
    for run in (*title_runs, *runs):
        document.add_text("grams", run)
    return document
