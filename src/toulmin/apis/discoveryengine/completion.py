"""CompletionService: queries that go on as the one being typed.

They are titles and headings of the documents, or what users searched for.

https://cloud.google.com/generative-ai-app-builder/docs/configure-autocomplete
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.names import parse_completion_config, parse_data_store
from toulmin.apis.discoveryengine.serving_config import owner_of
from toulmin.apis.discoveryengine.suggestions import (
    Suggestions,
    document_suggestions,
    event_suggestions,
)
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import DataStore, Engine
from toulmin.errors import FailedPrecondition, InvalidArgument, Unimplemented
from toulmin.retrieval.completion import fold
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import RecordStore

LONGEST_QUERY: Final = 128
LONGEST_USER_ID: Final = 128
DEFAULT_SUGGESTIONS: Final = 10
MOST_SUGGESTIONS: Final = 100

DOCUMENT_MODELS: Final = ("", "document", "document-completable")
"""What is suggested is the same for all: fields marked as completable are not looked at alone."""
EVENT_MODEL: Final = "user-event"
_NOT_BUILT_MODEL: Final = "search-history"
_Type: Final = pb.AdvancedCompleteQueryRequest.SuggestionType
_QUERY_TYPES: Final = (_Type.SUGGESTION_TYPE_UNSPECIFIED, _Type.QUERY)
_NOT_BUILT: Final = ("boost_spec",)


def register_completion(
    registry: Registry,
    *,
    records: Callable[[], RecordStore],
    indexer: Callable[[], Indexer],
) -> None:
    """Bind CompleteQuery in every version and AdvancedCompleteQuery in v1beta, which alone has it.

    Args:
        registry: Takes the handlers.
        records: Returns the record store.
        indexer: Returns what says how far the documents of a data store are.
    """
    handlers = _Handlers(
        records, document_suggestions(records, indexer), event_suggestions(records)
    )
    service = "CompletionService"
    registry.register("discoveryengine", service, "CompleteQuery", handlers.complete)
    registry.register("discoveryengine", service, "AdvancedCompleteQuery", handlers.advanced)


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]
    of_documents: Suggestions
    of_events: Suggestions

    def complete(
        self, request: pb.CompleteQueryRequest, context: CallContext
    ) -> pb.CompleteQueryResponse:
        name = parse_data_store(request.data_store, field="data_store")
        _check(request)
        found, is_tail = self._found(request, [name], limit=DEFAULT_SUGGESTIONS)
        response: pb.CompleteQueryResponse = context.new_message()
        for suggestion in found:
            response.query_suggestions.add(suggestion=suggestion.text)
        response.tail_match_triggered = is_tail
        return response

    def advanced(
        self, request: pb.AdvancedCompleteQueryRequest, context: CallContext
    ) -> pb.AdvancedCompleteQueryResponse:
        owner = parse_completion_config(request.completion_config, field="completion_config")
        _check(request)
        limit = _check_types(request)
        with self.records().read() as transaction:
            stores = _data_stores(owner_of(transaction, owner))
        found, is_tail = self._found(request, stores, limit=limit)
        response: pb.AdvancedCompleteQueryResponse = context.new_message()
        for suggestion in found:
            response.query_suggestions.add(
                suggestion=suggestion.text, data_store=suggestion.data_stores
            )
        response.tail_match_triggered = is_tail
        return response

    def _found(
        self,
        request: pb.AdvancedCompleteQueryRequest | pb.CompleteQueryRequest,
        data_stores: Sequence[str],
        *,
        limit: int,
    ) -> tuple[list[_Suggestion], bool]:
        """Return the suggestions, and whether they go on with the end of the query only."""
        source = self.of_events if request.query_model == EVENT_MODEL else self.of_documents
        found = _matches(source, data_stores, request.query, limit)
        if found or not request.include_tail_suggestions:
            return found, False
        words = request.query.split(" ")
        for start in range(1, len(words)):
            # The words before the tail stay: what is suggested is a query to search for.
            head, tail = " ".join(words[:start]), " ".join(words[start:])
            if found := _matches(source, data_stores, tail, limit):
                longer = [_Suggestion(f"{head} {item.text}", item.data_stores) for item in found]
                return longer, True
        return [], False


@dataclass(frozen=True, slots=True)
class _Suggestion:
    text: str
    data_stores: tuple[str, ...]


def _matches(
    source: Suggestions, data_stores: Sequence[str], query: str, limit: int
) -> list[_Suggestion]:
    """Return the data stores' suggestions, taken from each in turn; equal ones are one."""
    spellings: dict[str, str] = {}
    stores: dict[str, list[str]] = {}
    places: dict[str, tuple[bool, int, int]] = {}
    begun = fold(query).lstrip()
    for number, store in enumerate(data_stores):
        phrases = source.suggest(store, query, limit=limit)
        for rank, phrase in enumerate(phrases):
            key = fold(phrase)
            place = (not key.startswith(begun), rank, number)
            if place < places.get(key, (True, limit, 0)):
                places[key], spellings[key] = place, phrase
            stores.setdefault(key, []).append(store)
    best = sorted(places, key=places.__getitem__)[:limit]
    return [_Suggestion(spellings[key], tuple(stores[key])) for key in best]


def _data_stores(owner: DataStore | Engine) -> list[str]:
    if isinstance(owner, DataStore):
        return [owner.name]
    if not owner.data_store_ids:
        raise FailedPrecondition(f"{owner.name} has no data stores; add one to it first.")
    return [DataStore(parent=owner.parent, id=id_).name for id_ in owner.data_store_ids]


def _check(request: pb.AdvancedCompleteQueryRequest | pb.CompleteQueryRequest) -> None:
    """Raise unless query, model and user are such that suggestions can be made."""
    if not request.query.strip():
        raise InvalidArgument.of_field("query", "is empty; it is required")
    if len(request.query) > LONGEST_QUERY:
        raise InvalidArgument.of_field(
            "query", f"has {len(request.query):,} characters; at most {LONGEST_QUERY} are allowed"
        )
    model = request.query_model
    if model == _NOT_BUILT_MODEL:
        raise Unimplemented(
            f'query_model "{model}" is not implemented in this version of Toulmin: searches are not'
            f' kept; write them as user events and use "{EVENT_MODEL}", or use "document"'
        )
    if model not in (*DOCUMENT_MODELS, EVENT_MODEL):
        raise InvalidArgument.of_field(
            "query_model",
            f'"{model[:200]}" must be "document", "document-completable", "{EVENT_MODEL}" or empty',
        )
    if len(request.user_pseudo_id) > LONGEST_USER_ID:
        raise InvalidArgument.of_field(
            "user_pseudo_id",
            f"has {len(request.user_pseudo_id):,} characters; at most {LONGEST_USER_ID} are"
            " allowed",
        )


def _check_types(request: pb.AdvancedCompleteQueryRequest) -> int:
    """Return how many suggestions are wanted; raise unless only queries are."""
    fields = {field.name for field, _ in request.ListFields()}
    if refused := next((name for name in _NOT_BUILT if name in fields), ""):
        raise Unimplemented(f"{refused} is not implemented in this version of Toulmin")
    specs = request.suggestion_type_specs
    if any(
        kind not in _QUERY_TYPES
        for kind in (*request.suggestion_types, *(spec.suggestion_type for spec in specs))
    ):
        raise Unimplemented(
            "suggestion_types other than QUERY are not implemented in this version of Toulmin"
        )
    wanted = max((spec.max_suggestions for spec in specs), default=0)
    if any(spec.max_suggestions < 0 for spec in specs):
        raise InvalidArgument.of_field(
            "suggestion_type_specs", "has a negative max_suggestions; give 0 or more"
        )
    return min(wanted or DEFAULT_SUGGESTIONS, MOST_SUGGESTIONS)
