"""Everything that handlers stand on, made when it is first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from toulmin.answering.compose.certainty import CERTAINTY_FILE, FEATURE_NAMES, Certainty
from toulmin.answering.pipeline import Answerer
from toulmin.answering.reading.answerability import load_answerability
from toulmin.answering.reading.by_language import ReaderByLanguage
from toulmin.answering.reading.open_reader import ANSWERABILITY, OPEN_FEATURES, OpenReader
from toulmin.answering.reading.reader import QuestionReader, Reader
from toulmin.answering.understanding.user_class import UserClassifier
from toulmin.conversation.rooms import Rooms
from toulmin.grounding.check import GroundingChecker
from toulmin.grounding.recalibration import (
    RecalibratedScorer,
    Recalibration,
    load_recalibration,
)
from toulmin.grounding.support import SupportScorer
from toulmin.ingestion.ingest import Ingestor
from toulmin.models.embedder import Embedder
from toulmin.models.grounding_encoder import GroundingEncoder
from toulmin.models.pool import ModelPool
from toulmin.models.reader_model import ReaderModel
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.retrieval.recommend import Recommender
from toulmin.retrieval.relevance import RelevanceModel, load_record_relevance
from toulmin.retrieval.rerank import Reranker
from toulmin.retrieval.search import Searcher
from toulmin.safety.query_classes import QueryClassifier
from toulmin.safety.ratings import SafetyRater
from toulmin.services.answering import build_answerer, build_judge, build_language_model
from toulmin.services.chat_tokens import ChatTokens
from toulmin.services.conversations import build_conversation_rooms, build_leader
from toulmin.services.documents import DocumentServices
from toulmin.services.embedders import embedder_folder
from toulmin.services.readers import reader_folder
from toulmin.services.support import (
    build_checker,
    build_scorers,
    check_support_model,
    grounding_folder,
    model_versions,
    multilingual_folder,
)
from toulmin.settings import Settings
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import OperationHandler, OperationJob, OperationRunner, RecordStore

_LAST_RUNS_S: Final = 5.0
"""For runs of models whose callers have gone; one takes a second or two on a slow machine."""


class Services:
    """Everything that handlers stand on. Models are loaded once, by the first caller.

    Args:
        settings: The settings.
        run_operations: Whether imports that wait are taken up; False for a look at the folder.
    """

    def __init__(self, settings: Settings, *, run_operations: bool = True) -> None:
        self._run_operations = run_operations
        check_support_model(settings)
        self._language_model = build_language_model(settings)
        self._leader = build_leader(settings)
        self._settings = settings
        self._recalibration: Recalibration | None = None
        if settings.calibration:
            self._recalibration = load_recalibration(
                Path(settings.calibration), models=model_versions(settings)
            )
        # Re-entrant: the classifiers ask for the embedder while they are made.
        self._lock = threading.RLock()
        self._pool = ModelPool(settings.model_threads)
        self._embedders: dict[Path, Embedder] = {}
        self._query_classifier: QueryClassifier | None = None
        self._safety_rater: SafetyRater | None = None
        self._reader_model: ReaderModel | None = None
        self._grounding_encoders: dict[Path, GroundingEncoder] = {}
        self._reader: QuestionReader | None = None
        self._utterance_reader: QuestionReader | None = None
        self._quick_reader: QuestionReader | None = None
        self._documents: DocumentServices | None = None
        self._operation_handlers: dict[str, OperationHandler] = {}
        self._jobs: list[OperationJob] = []
        self._answerer: Answerer | None = None
        self._conversation_rooms: Rooms | None = None
        self._release: Callable[[], None] | None = None
        self._checker: GroundingChecker | None = None
        self._statement_checker: GroundingChecker | None = None
        self._plain_scorer: SupportScorer | None = None
        self._plain_checker: GroundingChecker | None = None

    @property
    def language_model_name(self) -> str:
        """Name of the language model that writes answers; empty: there is none."""
        return self._settings.llm_model if self._language_model is not None else ""

    def checker(self) -> GroundingChecker:
        """Return the grounding checker, after loading the models if need be."""
        with self._lock:
            if self._checker is None:
                made = build_scorers(
                    self._settings, pool=self._pool, grounding_encoder=self.grounding_encoder
                )
                self._release = made.close
                self._plain_scorer = made.checks
                self._checker = build_checker(self._recalibrated(made.checks), self._settings)
                statements = self._recalibrated(made.statements)
                self._statement_checker = self._checker.with_scorer(statements)
            return self._checker

    def statement_checker(self) -> GroundingChecker:
        """Return what checks what an answer would state, on the same models; it is never told."""
        with self._lock:
            checker = self.checker()
            return self._statement_checker or checker

    def _recalibrated(self, scorer: SupportScorer) -> SupportScorer:
        if self._recalibration is None:
            return scorer
        return RecalibratedScorer(scorer, self._recalibration)

    def uncalibrated_checker(self) -> GroundingChecker:
        """Return the checker as it is without the setting `calibration`, on the same models."""
        with self._lock:
            checker = self.checker()
            if self._recalibration is None or self._plain_scorer is None:
                return checker
            if self._plain_checker is None:
                self._plain_checker = checker.with_scorer(self._plain_scorer)
            return self._plain_checker

    def grounding_encoder(self, folder: Path) -> GroundingEncoder:
        """Return the model that judges claims in a folder, loaded on first use."""
        return self._encoder_in(folder, words_of=folder)

    def _encoder_in(self, folder: Path, *, words_of: Path) -> GroundingEncoder:
        with self._lock:
            if folder not in self._grounding_encoders:
                elsewhere = words_of == multilingual_folder(self._settings)
                name = "multilingual" if elsewhere else "grounding"
                self._grounding_encoders[folder] = GroundingEncoder(
                    folder,
                    words_of=words_of,
                    pool=self._pool,
                    name=name if folder == words_of else f"{name}_reader",
                )
            return self._grounding_encoders[folder]

    def embedder(self) -> Embedder:
        """Return the embedder of queries and passages; its weights load on first use.

        Raises:
            FailedPrecondition: The settings name one that is not installed.
        """
        return self._embedder_in(embedder_folder(self._settings))

    def english_embedder(self) -> Embedder:
        """Return the embedder that classifiers and thresholds were fitted on."""
        return self._embedder_in(EMBEDDED_WEIGHTS / "embedder")

    def _embedder_in(self, folder: Path) -> Embedder:
        with self._lock:
            if folder not in self._embedders:
                self._embedders[folder] = Embedder(folder, pool=self._pool)
            return self._embedders[folder]

    def query_classifier(self) -> QueryClassifier:
        """Return what says whether a query is chit-chat, adversarial and so on."""
        with self._lock:
            if self._query_classifier is None:
                self._query_classifier = QueryClassifier(self.english_embedder())
            return self._query_classifier

    def user_classifier(self) -> UserClassifier:
        """Return what says whether a question is of a class that a serving config describes."""
        embed = self.english_embedder().embed
        return UserClassifier(lambda texts: embed(list(texts)), build_judge(self._settings))

    def safety_rater(self) -> SafetyRater:
        """Return what rates a text by harm category."""
        with self._lock:
            if self._safety_rater is None:
                self._safety_rater = SafetyRater(self.english_embedder())
            return self._safety_rater

    def reader(self) -> QuestionReader:
        """Return what finds the answer to a question in passages."""
        with self._lock:
            if self._reader is None:
                english = self._open_reader(grounding_folder(self._settings))
                self._reader = self._reader_by_language(english)
            return self._reader

    def utterance_reader(self) -> QuestionReader:
        """Return what finds a value in what somebody says in a conversation.

        The models that judge claims do: the thresholds of conversations were chosen with them.
        """
        with self._lock:
            if self._utterance_reader is None:
                english = self._open_reader(grounding_folder(self._settings), apart=False)
                self._utterance_reader = self._reader_by_language(english, apart=False)
            return self._utterance_reader

    def _reader_by_language(
        self, english: QuestionReader | None, *, apart: bool = True
    ) -> QuestionReader:
        """Return `english` and the multilingual reader; None: the small one in its place."""
        if english is None:
            english = Reader(self._span_model(), load_answerability())
        other = self._open_reader(multilingual_folder(self._settings), apart=apart)
        return english if other is None else ReaderByLanguage(english, other)

    def _open_reader(self, folder: Path | None, *, apart: bool = True) -> QuestionReader | None:
        """Return the reader of a grounding model's folder; None: it has none.

        Args:
            folder: Its folder.
            apart: By the model beside it, where there is one; else by itself.
        """
        if folder is None:
            return None
        reads = reader_folder(folder) if apart else folder
        if not (reads / ANSWERABILITY).is_file():
            return None
        answerability = load_answerability(reads / ANSWERABILITY, OPEN_FEATURES)
        return OpenReader(self._encoder_in(reads, words_of=folder), answerability)

    def certainty(self) -> Certainty | None:
        """Return what says whether what would be said answers; None: the reader alone does.

        Raises:
            FailedPrecondition: The grounding model's file for it is of another version.
        """
        folder = grounding_folder(self._settings)
        if folder is None:
            return None
        file = reader_folder(folder) / CERTAINTY_FILE
        return Certainty(load_answerability(file, FEATURE_NAMES)) if file.is_file() else None

    def best_span(self, question: str, passage: str) -> tuple[int, int, float] | None:
        """Return where in a passage the answer to a question is, and how probably.

        Of English the small reader says so: a search asks of a passage for every extract.
        """
        with self._lock:
            if self._quick_reader is None:
                self._quick_reader = self._reader_by_language(None)
        answers = self._quick_reader.read(question, [passage], most_answers=1).answers
        return (answers[0].start, answers[0].end, answers[0].probability) if answers else None

    def record_relevance(self) -> RelevanceModel:
        """Return what says how relevant texts are that no index knows."""
        return load_record_relevance(self._settings.embedder)

    def reranker(self) -> Reranker:
        """Return the model that reads a query and a passage together."""
        return Reranker(self._span_model())

    def _span_model(self) -> ReaderModel:
        with self._lock:
            if self._reader_model is None:
                self._reader_model = ReaderModel(EMBEDDED_WEIGHTS / "reader", pool=self._pool)
            return self._reader_model

    def documents(self) -> DocumentServices:
        """Return what documents need; the data folder is opened by the first call.

        Raises:
            FailedPrecondition: Another process has the folder open, or it is of a newer version.
            Unavailable: The database cannot be reached, or the services are closed.
        """
        with self._lock:
            if self._documents is None:
                self._documents = DocumentServices(
                    self._settings,
                    embedder=self.embedder(),
                    reranker=self.reranker,
                    run_operations=self._run_operations,
                    operation_handlers=self._operation_handlers,
                    jobs=self._jobs,
                )
            return self._documents

    def records(self) -> RecordStore:
        """Return the record store."""
        return self.documents().records

    def indexer(self) -> Indexer:
        """Return what keeps the search indexes up with the records."""
        return self.documents().indexer

    def ingestor(self) -> Ingestor:
        """Return what makes stored documents of given ones."""
        return self.documents().ingestor

    def operations(self) -> OperationRunner:
        """Return what does long-running operations."""
        return self.documents().operations

    def add_operations(self, kind: str, handler: OperationHandler) -> None:
        """Do long-running operations of one more kind, those that wait already, too."""
        with self._lock:
            self._operation_handlers[kind] = handler
            if self._documents is not None:
                self._documents.operations.add(kind, handler)

    def add_job(self, job: OperationJob) -> None:
        """Ask a job what has its time, from when long-running operations are done on."""
        with self._lock:
            self._jobs.append(job)
            if self._documents is not None:
                self._documents.operations.add_job(job)

    def searcher(self) -> Searcher:
        """Return what searches data stores."""
        return self.documents().searcher

    def recommender(self) -> Recommender:
        """Return what finds documents like others."""
        return self.documents().recommender

    def answerer(self) -> Answerer:
        """Return what answers questions."""
        with self._lock:
            if self._answerer is None:
                self._answerer = build_answerer(
                    self._settings,
                    records=self.records,
                    searcher=self.searcher,
                    checker=self.checker,
                    statement_checker=self.statement_checker,
                    reader=self.reader,
                    certainty=self.certainty,
                    embedder=self.english_embedder,
                    classifier=self.query_classifier,
                    rater=self.safety_rater,
                    language_model=lambda: self._language_model,
                )
            return self._answerer

    def conversation_rooms(self) -> Rooms:
        """Return what conversations with agents stand on."""
        with self._lock:
            if self._conversation_rooms is None:
                self._conversation_rooms = build_conversation_rooms(
                    self._settings,
                    records=self.records,
                    embedder=self.english_embedder,
                    reader=self.utterance_reader,
                    answerer=self.answerer,
                    checker=self.checker,
                    classifier=self.query_classifier,
                    leader=self._leader,
                )
            return self._conversation_rooms

    def chat_tokens(self) -> ChatTokens:
        """Return what makes the tokens of single sessions."""
        return ChatTokens.from_settings(self._settings)

    def is_ready(self) -> bool:
        """Return whether the models are loaded."""
        return self._checker is not None

    def close(self) -> None:
        """Let go of the models and of the threads that run them."""
        with self._lock:
            if self._documents is not None:
                self._documents.close()
            if self._release is not None:
                self._release()
            for embedder in self._embedders.values():
                embedder.close()
            self._embedders.clear()
            if self._reader_model is not None:
                self._reader_model.close()
            for encoder in self._grounding_encoders.values():
                encoder.close()
            self._grounding_encoders.clear()
            self._pool.close(wait_s=_LAST_RUNS_S)
            self._pool = ModelPool(self._settings.model_threads)
            self._release = self._checker = self._statement_checker = None
            self._plain_scorer = self._plain_checker = None
            self._query_classifier = self._safety_rater = None
            self._reader_model = self._reader = self._documents = self._answerer = None
            self._conversation_rooms = None


def build_services(settings: Settings, *, run_operations: bool = True) -> Services:
    """Return the services that `settings` ask for; models are not loaded yet.

    Args:
        settings: The settings.
        run_operations: Whether imports that wait are taken up; False for a look at the folder.

    Raises:
        FailedPrecondition: The setting `calibration` names a file that cannot be used.
    """
    return Services(settings, run_operations=run_operations)
