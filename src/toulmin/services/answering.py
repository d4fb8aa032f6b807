"""Settings -> what answers questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from toulmin.answering.compose import ExtractiveComposer
from toulmin.answering.compose.certainty import Certainty
from toulmin.answering.compose.instructions import Nearness
from toulmin.answering.compose.llm import LlmComposer
from toulmin.answering.composing import Composer
from toulmin.answering.passages import Passage
from toulmin.answering.pipeline import Answerer
from toulmin.answering.reading.reader import QuestionReader, Reading
from toulmin.answering.rooms import Release, Rooms
from toulmin.answering.searching import MOST_CHUNKS
from toulmin.domain import BlobAttachment, Branch, Chunk
from toulmin.errors import NotFound
from toulmin.grounding.check import GroundingChecker
from toulmin.grounding.helpfulness import helpfulness
from toulmin.models.embedder import Embedder
from toulmin.models.llm_stream import StreamOptions
from toulmin.models.openai_client import OpenAiClient
from toulmin.retrieval.search import Searcher
from toulmin.safety.query_classes import QueryClassifier
from toulmin.safety.ratings import SafetyRater
from toulmin.services.support import LLM, llm_client
from toulmin.settings import Settings
from toulmin.stores.records import RecordStore
from toulmin.work import Work


def nearness_by(embedder: Embedder) -> Nearness:
    """Return what says how near texts are to a question, as cosines of an embedder's vectors."""

    def nearness(query: str, texts: Sequence[str], work: Work) -> npt.NDArray[np.float32]:
        asked = embedder.embed_queries([query], work=work)[0]
        return np.asarray(embedder.embed(texts, work=work) @ asked, dtype=np.float32)

    return nearness


def build_answerer(  # noqa: PLR0913 - one keyword for each room
    settings: Settings,
    *,
    records: Callable[[], RecordStore],
    searcher: Callable[[], Searcher],
    checker: Callable[[], GroundingChecker],
    statement_checker: Callable[[], GroundingChecker],
    reader: Callable[[], QuestionReader],
    certainty: Callable[[], Certainty | None],
    embedder: Callable[[], Embedder],
    classifier: Callable[[], QueryClassifier],
    rater: Callable[[], SafetyRater],
    language_model: Callable[[], Composer | None],
) -> Answerer:
    """Return what answers questions; the models are loaded now."""
    composer = ExtractiveComposer(
        reader(),
        statement_checker(),
        certainty=certainty(),
        nearness=nearness_by(embedder()),
    )
    evidence_embedder = checker().embedder

    def read(query: str, passages: Sequence[Passage], work: Work) -> Reading:
        return composer.read(query, passages, work=work)

    def skim(query: str, passages: Sequence[Passage], work: Work) -> Reading:
        return composer.skim(query, passages, work=work)

    def blobs(passage: Passage) -> Sequence[BlobAttachment]:
        return _blobs_of(records(), passage)

    def chunks(passage: Passage) -> Sequence[Chunk]:
        return _chunks_of(records(), passage)

    return Answerer(
        Rooms(
            searcher=searcher,
            read=read,
            composer=lambda: composer,
            language_model=language_model,
            checker=checker,
            statement_checker=statement_checker,
            classifier=classifier,
            rater=rater,
            helpfulness=lambda prompt, answer: helpfulness(
                prompt, answer, embedder=evidence_embedder
            ),
            blobs=blobs,
            skim=skim,
            chunks=chunks,
            blocked_phrases=settings.blocked_phrases,
            fallback=settings.fallback_answer,
            release=Release(settings.answer_llm_stream),
        )
    )


def build_language_model(settings: Settings) -> Composer | None:
    """Return what composes answers with a language model; None: the settings ask for none.

    Raises:
        InvalidArgument: The settings name no model, or its address is wrong.
    """
    if settings.answer_model != LLM:
        return None
    return LlmComposer(
        llm_client(settings),
        options=StreamOptions(
            temperature=settings.answer_llm_temperature,
            max_tokens=settings.answer_llm_max_tokens,
            first_token_s=settings.answer_llm_first_token_s,
            stall_s=settings.answer_llm_stall_s,
            whole_s=settings.answer_llm_timeout_s,
        ),
        source_tokens=settings.answer_llm_source_tokens,
        concurrency=settings.llm_concurrency,
    )


def build_judge(settings: Settings) -> OpenAiClient | None:
    """Return the language model that is asked of what class a question is; None: none is.

    Raises:
        InvalidArgument: The settings name no model, or its address is wrong.
    """
    return llm_client(settings) if settings.answer_model == LLM else None


def _blobs_of(records: RecordStore, passage: Passage) -> Sequence[BlobAttachment]:
    """Return the images of a passage's chunk; none for one that is in no data store."""
    branch, document = _place_of(passage)
    if not passage.blob_ids or not document:
        return ()
    try:
        with records.read() as transaction:
            found = transaction.documents.blobs(branch, document)
    except NotFound:  # deleted since it was found
        return ()
    return [blob for blob in found if blob.id in passage.blob_ids]


def _chunks_of(records: RecordStore, passage: Passage) -> Sequence[Chunk]:
    """Return the chunks of a passage's document; none for one that is in no data store."""
    branch, document = _place_of(passage)
    if not document:
        return ()
    try:
        with records.read() as transaction:
            return transaction.documents.chunks(branch, document, page_size=MOST_CHUNKS).items
    except NotFound:  # deleted since it was found
        return ()


def _place_of(passage: Passage) -> tuple[Branch, str]:
    """Return the branch and the id of a passage's document; an empty id: it is in no data store."""
    data_store, _, rest = passage.document.partition("/branches/")
    branch, _, document = rest.partition("/documents/")
    return Branch(data_store, branch), document
