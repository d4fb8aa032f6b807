"""Settings -> what documents need: records, indexes, parsers, operations, search."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType

from toulmin.domain import Document, JsonObject
from toulmin.errors import Unavailable
from toulmin.ingestion.imports.importing import import_documents_handler
from toulmin.ingestion.imports.purges import purge_documents_handler
from toulmin.ingestion.ingest import Ingestor
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.ocr import OcrOptions
from toulmin.ingestion.parsing.sandbox import ParserPool
from toulmin.ingestion.sources import Source, check_source, open_source
from toulmin.ingestion.sources.context import SourceContext
from toulmin.models.embedder import Embedder
from toulmin.retrieval.filters import parse_filter
from toulmin.retrieval.recommend import Recommender
from toulmin.retrieval.relevance import load_relevance
from toulmin.retrieval.rerank import Reranker
from toulmin.retrieval.search import Searcher
from toulmin.services.embedders import embed_with, model_of, refuse_other_vectors
from toulmin.settings import Settings
from toulmin.stores.filter_fields import filter_fields
from toulmin.stores.index.predicate import matches
from toulmin.stores.indexer import INDEX_FOLDER, Indexer
from toulmin.stores.records import (
    CLOCK_FILE,
    OperationHandler,
    OperationJob,
    OperationRunner,
    RecordStore,
    Transaction,
)

_MIB = 1024 * 1024
_SEARCHABLE_WITHIN_S = 600.0
_OPERATION_THREADS = 2


class DocumentServices:
    """The rooms that share one data folder: opened together, closed together.

    Args:
        settings: Name the folder or the database, and limit imports.
        embedder: Embeds chunks and queries.
        reranker: Returns the model that reads query and chunk together.
        run_operations: Whether imports that wait are taken up; False for a look at the folder.
        operation_handlers: What does operations of further kinds.

    Raises:
        FailedPrecondition: Another process has the folder open, it is of a newer version, or its
            vectors are of another embedder.
        Unavailable: The database cannot be reached.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        embedder: Embedder,
        reranker: Callable[[], Reranker],
        run_operations: bool = True,
        operation_handlers: Mapping[str, OperationHandler] = MappingProxyType({}),
        jobs: Sequence[OperationJob] = (),
    ) -> None:
        with contextlib.ExitStack() as opened:
            self.records = RecordStore.from_settings(settings)
            opened.callback(self.records.close)
            refuse_other_vectors(self.records, settings)
            self.parsers = _parser_pool(settings)
            opened.callback(self.parsers.close)
            self._context = SourceContext.from_settings(settings, limits=self.parsers.limits)
            self._settings = settings
            self.ingestor = Ingestor(
                self.parsers, embedder, self._context.fetch, version_of=self._context.version
            )
            self.indexer = Indexer(
                self.records,
                settings.data_dir / INDEX_FOLDER,
                embedding_model=model_of(embedder),
                embed=embed_with(embedder),
            )
            opened.callback(self.indexer.close)
            self.searcher = Searcher(
                records=self.records,
                indexer=self.indexer,
                embed=embedder.embed_queries,
                relevance=load_relevance(settings.embedder),
                reranker=reranker,
            )
            self.recommender = Recommender(
                records=self.records, indexer=self.indexer, embed=embed_with(embedder)
            )
            self.operations = self._operation_runner(operation_handlers)
            for job in jobs:
                self.operations.add_job(job)
            opened.callback(self.operations.close)
            # Before it, in this order: a parser that hangs must not keep the process from ending.
            opened.callback(self.parsers.close)
            opened.callback(self.operations.stop)
            self.indexer.start()
            if run_operations:
                self.operations.start()
            self._opened = opened.pop_all()

    def close(self) -> None:
        """Stop after what is in hand and let go of the folder."""
        self._opened.close()

    def check_import(self, request: JsonObject) -> None:
        """Raise a ToulminError when the settings do not allow what an import's request names."""
        check_source(request["source"], context=self._context_of(request))

    def wait_searchable(self, sequence: int) -> None:
        """Wait until change number `sequence` is searchable.

        Raises:
            Unavailable: The index is shut down, or far behind.
        """
        if not self.indexer.wait_for(sequence, timeout_s=_SEARCHABLE_WITHIN_S):
            raise Unavailable("the search index is far behind the records; try again later")

    def _operation_runner(self, others: Mapping[str, OperationHandler]) -> OperationRunner:
        handlers = {
            "import-documents": import_documents_handler(
                records=lambda: self.records,
                ingestor=lambda: self.ingestor,
                open_source=self._open_source,
                wait_searchable=self.wait_searchable,
            ),
            "purge-documents": purge_documents_handler(
                records=lambda: self.records,
                matches=_predicate,
                wait_searchable=self.wait_searchable,
            ),
        }
        return OperationRunner(
            self.records,
            {**handlers, **others},
            threads=_OPERATION_THREADS,
            tidy=(
                lambda transaction: transaction.dialogues.prune(as_of=transaction.now),
                self._prune_events,
            ),
            clock_file=self._settings.data_dir / CLOCK_FILE,
        )

    def _prune_events(self, transaction: Transaction) -> int:
        kept = timedelta(days=self._settings.user_event_days)
        return transaction.user_events.prune(stored_before=transaction.now - kept)

    def _open_source(self, request: JsonObject, cursor: JsonObject) -> Source:
        return open_source(request["source"], cursor=cursor, context=self._context_of(request))

    def _context_of(self, request: JsonObject) -> SourceContext:
        return SourceContext.from_settings(
            self._settings,
            limits=self.parsers.limits,
            auto_generate_ids=bool(request.get("auto_generate_ids")),
            id_field=str(request.get("id_field") or ""),
        )


def _parser_pool(settings: Settings) -> ParserPool:
    limits = ParseLimits(
        seconds=settings.parse_timeout_s, memory_bytes=settings.parse_memory_mib * _MIB
    )
    ocr = OcrOptions(languages=settings.ocr) if settings.ocr else None
    children = settings.parser_processes or os.cpu_count() or 1
    return ParserPool(children=children, limits=limits, ocr=ocr)


def _predicate(expression: str) -> Callable[[Document], bool]:
    predicate = parse_filter(expression)
    return lambda document: matches(predicate, filter_fields(document))
