"""Settings -> what conversations with agents stand on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toulmin.answering.pipeline import Answerer
from toulmin.answering.reading.reader import QuestionReader
from toulmin.conversation.arguments import ArgumentFiller
from toulmin.conversation.leader import Leader
from toulmin.conversation.mcp_client import McpClient
from toulmin.conversation.python_runner import PythonRunner
from toulmin.conversation.rooms import Rooms
from toulmin.conversation.routing import Router
from toulmin.conversation.similarity import Similarity
from toulmin.domain import DataStore, Engine
from toulmin.errors import FailedPrecondition
from toulmin.grounding.check import GroundingChecker
from toulmin.models.embedder import Embedder
from toulmin.safety.query_classes import QueryClass, QueryClassifier
from toulmin.services.support import LLM, llm_client
from toulmin.settings import Settings
from toulmin.settings.conversation import CHANGES
from toulmin.stores.records import RecordStore


def build_conversation_rooms(  # noqa: PLR0913 - one keyword for each room
    settings: Settings,
    *,
    records: Callable[[], RecordStore],
    embedder: Callable[[], Embedder],
    reader: Callable[[], QuestionReader],
    answerer: Callable[[], Answerer],
    checker: Callable[[], GroundingChecker],
    classifier: Callable[[], QueryClassifier],
    leader: Leader | None,
) -> Rooms:
    """Return what conversations stand on; models load when they are first asked."""

    def is_small_talk(said: str) -> bool:
        return QueryClass.CHIT_CHAT in classifier().classify(said).positive

    def data_stores_of(engine: str) -> tuple[str, ...]:
        if "/collections/" not in engine:
            engine = engine.replace("/engines/", "/collections/default_collection/engines/", 1)
        with records().read() as transaction:
            found = transaction.resources.get(Engine, engine)
        if not found.data_store_ids:
            raise FailedPrecondition(f"{engine} has no data stores; add one to it first.")
        return tuple(DataStore(parent=found.parent, id=id_).name for id_ in found.data_store_ids)

    def embed(texts: Sequence[str]) -> Any:
        return embedder().embed(list(texts))

    hosts = frozenset(settings.agent_hosts)
    return Rooms(
        router=Router(embed),
        filler=ArgumentFiller(reader),
        answerer=answerer,
        checker=checker,
        is_small_talk=is_small_talk,
        data_stores_of=data_stores_of,
        python=PythonRunner(allowed=settings.agent_python),
        leader=leader,
        judge=leader or build_guardrail_model(settings),
        mcp=McpClient(hosts),
        similarity=Similarity(embed),
        confirms=settings.agent_confirm == CHANGES,
        allowed_hosts=hosts,
    )


def build_guardrail_model(settings: Settings) -> Leader | None:
    """Return the language model that guardrails ask; None: the settings name none.

    Raises:
        InvalidArgument: Its address is wrong.
    """
    if not (settings.llm_base_url and settings.llm_model):
        return None
    return Leader(llm_client(settings), concurrency=settings.llm_concurrency)


def build_leader(settings: Settings) -> Leader | None:
    """Return the language model that leads agents; None: the settings ask for none.

    Raises:
        InvalidArgument: The settings name no model, or its address is wrong.
    """
    if settings.agent_model != LLM:
        return None
    return Leader(llm_client(settings), concurrency=settings.llm_concurrency)
