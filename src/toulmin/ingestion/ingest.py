"""A document as its owner gave it -> everything that is stored and searched of it.

Bytes are parsed in child processes, several files at the same time; data of a document without
content are rendered as text. The text is cut as the data store wants it, in the same process, and
each chunk embedded together with its document's title and the headings above it.
"""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from toulmin.domain import DataStore, Document, IngestedDocument
from toulmin.errors import Cancelled, Internal, InvalidArgument, ToulminError, Unavailable
from toulmin.ingestion.assembly import Made, ingested
from toulmin.ingestion.chunk_config import ChunkConfig, chunk_config
from toulmin.ingestion.chunk_vectors import ChunkText
from toulmin.ingestion.derived import derived_fields, file_name
from toulmin.ingestion.fingerprints import content_hash, content_version, fingerprint
from toulmin.ingestion.parsing.builder import one_line
from toulmin.ingestion.parsing.chunking import chunk_document
from toulmin.ingestion.parsing.document import ParsedChunk, ParsedDocument
from toulmin.ingestion.parsing.sandbox import ParserPool, Reading
from toulmin.ingestion.parsing.struct_text import document_data, render_data
from toulmin.ingestion.part_vectors import ChunkEmbedder, embed_for_store
from toulmin.ingestion.sources.storage import Fetched
from toulmin.stores.records import EmbeddedWords
from toulmin.stores.records.texts import check_texts
from toulmin.stores.vector_forms import StoredVectors
from toulmin.work import UNLIMITED, Work

logger = logging.getLogger(__name__)

PIPELINE_VERSION = "2"
"""Raised whenever the same parsed file may give other chunks or vectors than before.

Vectors of the same words are taken over from the stored document, so where vectors change, what the
embedder calls its version must change, too.
"""

_NOTHING_KNOWN: Mapping[str, str] = {}

VectorsOf = Callable[[Sequence[str], str], Mapping[EmbeddedWords, StoredVectors]]
"""Ids of stored documents, a model -> the vectors that their chunks have of it."""


def _none_kept(_ids: Sequence[str], _model: str) -> Mapping[EmbeddedWords, StoredVectors]:
    return {}


_FEW_BYTES = 20_000
"""Data up to this length, as JSON, are rendered and cut here, within milliseconds."""


class _PoolClosed(Exception):
    """The parsers are shut down: no file's fault."""


@dataclass(frozen=True, slots=True)
class _Task:
    """One document to be made.

    Attributes:
        document: As it was given.
        config: How it is to be cut.
        known: Fingerprint of the stored one, "" without one.
        where: What people call it in errors, "" to find out.
        work: Asked now and then.
    """

    document: Document
    config: ChunkConfig
    known: str
    where: str
    work: Work


class Ingestor:
    """Makes stored documents of given ones; safe to use from many threads.

    Args:
        parsers: What reads files.
        embedder: What turns chunks into vectors.
        fetch: Returns the file of a URI, or raises a ToulminError.
        version_of: Returns what `fetch` would give as `version` without reading the file; "":
            not known.
    """

    def __init__(
        self,
        parsers: ParserPool,
        embedder: ChunkEmbedder,
        fetch: Callable[[str], Fetched],
        *,
        version_of: Callable[[str], str] = lambda _: "",
    ) -> None:
        self._parsers = parsers
        self._embedder = embedder
        self._fetch = fetch
        self._version_of = version_of

    @property
    def at_once(self) -> int:
        """How many documents are read at the same time."""
        return self._parsers.children

    def ingest(
        self,
        document: Document,
        *,
        store: DataStore,
        where: str = "",
        work: Work = UNLIMITED,
    ) -> IngestedDocument:
        """Return a document with text, chunks, vectors, images, `derived` and `fingerprint`.

        Args:
            document: The document as given.
            store: The data store that it goes to.
            where: What people call it in errors; empty: its file's name or its id.
            work: Asked now and then.

        Raises:
            Cancelled: Nobody waits any more.
            ToulminError: The file cannot be fetched or parsed, or the data are not acceptable.
        """
        config = chunk_config(store)
        (found,) = self._ingest([document], config, where=where, work=work)
        if isinstance(found, ToulminError):
            raise found
        assert found is not None  # noqa: S101 - nothing was known of it
        return found

    def ingest_many(
        self, documents: Sequence[Document], *, store: DataStore
    ) -> list[IngestedDocument | ToulminError]:
        """Return for each document what `ingest` returns or raises.

        Raises:
            InvalidArgument: The data store's chunking config is wrong.
            Unavailable: The parsers or the embedder are shut down.
        """
        found = self._ingest(documents, chunk_config(store))
        return [item for item in found if item is not None]

    def ingest_changed(
        self,
        documents: Sequence[Document],
        *,
        store: DataStore,
        known: Mapping[str, str] = _NOTHING_KNOWN,
        kept: VectorsOf = _none_kept,
        work: Work = UNLIMITED,
        on_progress: Callable[[int, int], object] = lambda _done, _total: None,
    ) -> list[IngestedDocument | ToulminError | None]:
        """Do as `ingest_many`, but leave out what is the same as before; None stands for it.

        A file whose source knows that it is unchanged is not even read.

        Args:
            documents: The documents as given.
            store: The data store that they go to.
            known: Fingerprints of stored documents by id.
            kept: Returns the vectors of stored documents; words that have one are not embedded.
            work: Asked now and then.
            on_progress: Told how many texts of how many of these documents are embedded.

        Raises:
            Cancelled: Nobody waits any more.
            InvalidArgument: The data store's chunking config is wrong.
            Unavailable: The parsers or the embedder are shut down.
        """
        return self._ingest(
            documents,
            chunk_config(store),
            known=known,
            kept=kept,
            work=work,
            on_progress=on_progress,
        )

    def fingerprint(self, document: Document, *, store: DataStore, version: str = "") -> str:
        """Return what `ingest` of a document gives as its fingerprint, without parsing.

        Args:
            document: The document as given.
            store: The data store that it goes to.
            version: For content at a URI: what its source calls its state.

        Raises:
            InvalidArgument: The data or the chunking config are not acceptable.
        """
        return self._fingerprint(document, chunk_config(store), _state(document, version))

    def _ingest(  # noqa: PLR0913 - what may be said of an import, by name
        self,
        documents: Sequence[Document],
        config: ChunkConfig,
        *,
        known: Mapping[str, str] = _NOTHING_KNOWN,
        kept: VectorsOf = _none_kept,
        where: str = "",
        work: Work = UNLIMITED,
        on_progress: Callable[[int, int], object] = lambda _done, _total: None,
    ) -> list[IngestedDocument | ToulminError | None]:
        def make(document: Document) -> Made | ToulminError | None:
            work.check()
            task = _Task(document, config, known.get(document.id, ""), where, work)
            try:
                return self._make(task)
            except Cancelled:
                raise
            except ToulminError as error:
                return error
            except _PoolClosed:
                raise
            except Exception:  # a defect of ours must not end the import of all others
                logger.exception("The document %r could not be processed", document.id)
                return Internal("The document could not be processed; the log says why.")

        try:
            found = self._in_parallel(make, documents)
        except _PoolClosed as closed:
            raise Unavailable("the parsers are shut down", reason="SHUTTING_DOWN") from closed
        made = [item for item in found if isinstance(item, Made)]
        model = f"embedder {self._embedder.version}"
        old = kept([item.document.id for item in made if item.document.id in known], model)
        texts = [[_words(item, chunk) for chunk in item.chunks] for item in made]
        fresh = [words for own in texts for words in own if words not in old]
        vectors = iter(
            embed_for_store(
                self._embedder,
                [ChunkText(*words) for words in fresh],
                work=work,
                on_progress=on_progress,
            )
        )
        rows = iter([[old.get(words) or next(vectors) for words in own] for own in texts])
        return [
            ingested(item, next(rows), model) if isinstance(item, Made) else item for item in found
        ]

    def _in_parallel(
        self,
        make: Callable[[Document], Made | ToulminError | None],
        documents: Sequence[Document],
    ) -> list[Made | ToulminError | None]:
        threads = min(self._parsers.children, len(documents))
        if threads < 2:
            return [make(document) for document in documents]
        with ThreadPoolExecutor(threads, "ingest") as pool:
            return list(pool.map(make, documents))

    def _make(self, task: _Task) -> Made | None:
        """Return a document with its chunks; None: its fingerprint is the known one."""
        document, config = task.document, task.config
        _check(document)
        data = document_data(document)
        content = document.content
        fetched: Fetched | None = None
        if content and content.uri:
            if task.known and (version := self._version_of(content.uri)):
                state = content_version(version)
                if self._fingerprint(document, config, state) == task.known:
                    return None
            fetched = self._fetch(content.uri)
            state = content_version(fetched.version) if fetched.version else ""
            state = state or content_hash(fetched.data)
        else:
            state = _state(document)
        mark = self._fingerprint(document, config, state)
        if mark == task.known:
            return None
        parsed, chunks = (
            self._read_data(task, data) if content is None else self._read_file(task, fetched)
        )
        made = dataclasses.replace(
            document,
            derived=derived_fields(document, parsed, data),
            fingerprint=mark,
            index_time=datetime.now(UTC),
        )
        return Made(made, parsed, chunks)

    def _read_data(self, task: _Task, data: Any) -> tuple[ParsedDocument, list[ParsedChunk]]:
        try:
            content = json.dumps(data).encode()
        except RecursionError as error:
            raise InvalidArgument.of_field("struct_data", "is nested too deeply.") from error
        if len(content) > _FEW_BYTES:
            return self._read(task, Reading(content=content, is_data=True))
        parsed = render_data(data, limits=self._parsers.limits)
        config = task.config
        return parsed, chunk_document(
            parsed, max_tokens=config.tokens, include_ancestor_headings=config.ancestor_headings
        )

    def _read_file(
        self, task: _Task, fetched: Fetched | None
    ) -> tuple[ParsedDocument, list[ParsedChunk]]:
        document, content = task.document, task.document.content
        assert content is not None  # noqa: S101 - the caller has looked
        raw = fetched.data if fetched else content.raw_bytes or b""
        name = file_name(content.uri) if content.uri else task.where or document.id
        mime_type = content.mime_type or (fetched.mime_type if fetched else "")
        reading = Reading(
            content=raw, mime_type=one_line(mime_type) or None, name=one_line(name) or None
        )
        return self._read(task, reading)

    def _read(self, task: _Task, reading: Reading) -> tuple[ParsedDocument, list[ParsedChunk]]:
        """Read and cut in a child process."""
        asked = dataclasses.replace(
            reading,
            max_tokens=task.config.tokens,
            include_ancestor_headings=task.config.ancestor_headings,
        )
        try:
            found = self._parsers.read(asked, work=task.work)
        except Unavailable as error:
            raise _PoolClosed from error
        return found.document, found.chunks

    def _fingerprint(self, document: Document, config: ChunkConfig, state: str) -> str:
        made_by = {
            "pipeline": PIPELINE_VERSION,
            "parser": self._parsers.version,
            "embedder": self._embedder.version,
            "chunk_tokens": config.tokens,
            "ancestor_headings": config.ancestor_headings,
        }
        return fingerprint(document, content=state, made_by=made_by)


def _state(document: Document, version: str = "") -> str:
    content = document.content
    if content is None:
        return ""
    if content.uri:
        return content_version(version)
    return content_hash(content.raw_bytes or b"")


def _check(document: Document) -> None:
    """Raise when a document could not be stored: better now than after the work."""
    content = document.content
    check_texts(
        schema_id=document.schema_id,
        json_data=document.json_data,
        parent_document_id=document.parent_document_id,
        uri=content.uri if content else None,
        mime_type=content.mime_type if content else None,
    )
    if content and not content.uri and content.raw_bytes is None:
        raise InvalidArgument.of_field("content", "has neither raw_bytes nor a uri.")


def _words(made: Made, chunk: ParsedChunk) -> EmbeddedWords:
    return str(made.document.derived.get("title", "")), tuple(chunk.headings), chunk.content
