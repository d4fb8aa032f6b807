"""Which RPCs this version answers. Everything else in the contract answers UNIMPLEMENTED."""

from __future__ import annotations

from toulmin.apis.aip.registry import Registry
from toulmin.apis.ces.register import register_ces
from toulmin.apis.discoveryengine.assistant import register_assistants
from toulmin.apis.discoveryengine.branch import register_branches
from toulmin.apis.discoveryengine.chunk import register_chunks
from toulmin.apis.discoveryengine.completion import register_completion
from toulmin.apis.discoveryengine.control import register_controls
from toulmin.apis.discoveryengine.conversation import register_conversations
from toulmin.apis.discoveryengine.conversational_search import (
    register_conversational_search,
)
from toulmin.apis.discoveryengine.data_store import register_data_stores
from toulmin.apis.discoveryengine.document import register_documents
from toulmin.apis.discoveryengine.engine import register_engines
from toulmin.apis.discoveryengine.grounded_content import register_grounded_content
from toulmin.apis.discoveryengine.grounded_generation import check_grounding_handler
from toulmin.apis.discoveryengine.rank import register_rank
from toulmin.apis.discoveryengine.recommendation import register_recommendation
from toulmin.apis.discoveryengine.schema import register_schemas
from toulmin.apis.discoveryengine.search import register_search
from toulmin.apis.discoveryengine.serving_config import register_serving_configs
from toulmin.apis.discoveryengine.session import register_sessions
from toulmin.apis.discoveryengine.user_event import register_user_events
from toulmin.apis.generativelanguage.generate_answer import register_generate_answer
from toulmin.apis.generativelanguage.register import register_generativelanguage
from toulmin.apis.longrunning.locations import register_locations
from toulmin.apis.longrunning.operations import register_operations
from toulmin.apis.schema import load_schema
from toulmin.services import Services


def build_registry(services: Services) -> Registry:
    """Return every handler, bound to `services`."""
    registry = Registry(load_schema())
    registry.register(
        "discoveryengine",
        "GroundedGenerationService",
        "CheckGrounding",
        check_grounding_handler(
            services.checker, records=services.records, searcher=services.searcher
        ),
    )
    for register in (
        register_data_stores,
        register_engines,
        register_serving_configs,
        register_schemas,
        register_controls,
        register_chunks,
        register_branches,
        register_user_events,
        register_locations,
    ):
        register(registry, records=services.records)
    register_documents(
        registry,
        records=services.records,
        ingestor=services.ingestor,
        indexer=services.indexer,
        operations=services.operations,
        check_import=lambda request: services.documents().check_import(request),
    )
    register_operations(registry, records=services.records, runner=services.operations)
    register_search(
        registry,
        records=services.records,
        searcher=services.searcher,
        embed=lambda texts, *, work: services.embedder().embed_queries(texts, work=work),
        answerer=services.answerer,
        best_span=services.best_span,
    )
    register_sessions(registry, records=services.records)
    register_conversational_search(
        registry,
        records=services.records,
        answerer=services.answerer,
        user_classifier=services.user_classifier,
    )
    register_generativelanguage(
        registry,
        records=services.records,
        indexer=services.indexer,
        searcher=services.searcher,
        embedder=services.embedder,
        language_model=services.language_model_name,
    )
    register_generate_answer(
        registry,
        records=services.records,
        searcher=services.searcher,
        answerer=services.answerer,
        language_model=services.language_model_name,
    )
    register_conversations(
        registry,
        records=services.records,
        searcher=services.searcher,
        answerer=services.answerer,
    )
    register_assistants(registry, records=services.records, answerer=services.answerer)
    register_grounded_content(registry, records=services.records, answerer=services.answerer)
    register_rank(
        registry,
        embedder=services.embedder,
        relevance=services.record_relevance,
        reranker=services.reranker,
    )
    register_recommendation(registry, records=services.records, recommender=services.recommender)
    register_completion(registry, records=services.records, indexer=services.indexer)
    register_ces(
        registry,
        records=services.records,
        rooms=services.conversation_rooms,
        operations=services.operations,
        add_operations=services.add_operations,
        add_job=services.add_job,
        chat_tokens=services.chat_tokens,
    )
    return registry
