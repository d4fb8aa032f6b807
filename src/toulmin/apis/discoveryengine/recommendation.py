"""RecommendationService: documents like those that a user looks at.

What a user looks at comes with the request, else it is what the user looked at last, by the user
events that are stored. Nobody trains a model here: likeness of texts is all there is.
https://cloud.google.com/generative-ai-app-builder/docs/preview-recommendations
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.convert.documents import fill_document
from toulmin.apis.discoveryengine.convert.user_events import VIEWS, check_user_event
from toulmin.apis.discoveryengine.convert.user_labels import check_user_labels
from toulmin.apis.discoveryengine.names import parse_document, parse_serving_config
from toulmin.apis.discoveryengine.recommendation_params import Params, params_of
from toulmin.apis.discoveryengine.search import target_of
from toulmin.apis.discoveryengine.serving_config import serving_config_of
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import Branch, Document
from toulmin.errors import InvalidArgument
from toulmin.retrieval.filters import parse_filter
from toulmin.retrieval.query import Scope
from toulmin.retrieval.recommend import MOST_SEEN, Recommender
from toulmin.stores.index.predicate import Predicate, field_names
from toulmin.stores.records import RecordStore, Transaction

DEFAULT_PAGE: Final = 10
LARGEST_PAGE: Final = 100
LONGEST_FILTER: Final = 5_000
TAGS: Final = "filter_tags"

Place = tuple[str, str]
"""Data store and id of a document."""


def register_recommendation(
    registry: Registry,
    *,
    records: Callable[[], RecordStore],
    recommender: Callable[[], Recommender],
) -> None:
    """Bind Recommend, in every version.

    Args:
        registry: Takes the handler.
        records: Returns the record store.
        recommender: Returns what finds documents like others.
    """
    handlers = _Handlers(records, recommender)
    registry.register("discoveryengine", "RecommendationService", "Recommend", handlers.recommend)


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]
    recommender: Callable[[], Recommender]

    def recommend(self, request: pb.RecommendRequest, context: CallContext) -> pb.RecommendResponse:
        name = parse_serving_config(request.serving_config, field="serving_config")
        if not request.HasField("user_event"):
            raise InvalidArgument.of_field("user_event", "is missing; it is required")
        event = request.user_event
        check_user_event(event, field="user_event")
        check_user_labels(request.user_labels)
        limit, params = _page_size(request.page_size), params_of(request.params)
        predicate = _filter_of(request.filter, params)
        with self.records().read() as transaction:
            serving_config_of(transaction, name)
            stores = target_of(transaction, name).data_stores
            seen, missing = _seen(transaction, event, stores)
            if not event.documents:
                seen = _seen_before(transaction, event.user_pseudo_id, stores)
        response: pb.RecommendResponse = context.new_message()
        response.missing_ids.extend(missing)
        response.attribution_token = _token(name.name, seen, request.filter)
        response.validate_only = request.validate_only
        if request.validate_only:
            found = self._any(stores, limit)
        else:
            found = [
                (item.data_store, item.document)
                for item in self.recommender().like(
                    seen,
                    [Scope(data_store=store, filter=predicate) for store in stores],
                    limit=limit,
                    work=work_of(context, "the recommendation"),
                )
            ]
        for store, document in found:
            result = response.results.add(id=document.id)
            if params.returns_documents:
                fill_document(result.document, document, Branch(store), with_bytes=False)
        return response

    def _any(self, stores: Sequence[str], limit: int) -> list[tuple[str, Document]]:
        """Return some documents: the first by id."""
        with self.records().read() as transaction:
            found = [
                (store, document)
                for store in stores
                for document in transaction.documents.list(Branch(store), page_size=limit).items
            ]
        return found[:limit]


def _seen(
    transaction: Transaction, event: pb.UserEvent, stores: Sequence[str]
) -> tuple[list[Place], list[str]]:
    """Return the documents of an event that are there, and the ids of those that are not."""
    seen: list[Place] = []
    missing: list[str] = []
    for index, info in enumerate(event.documents):
        place = f"user_event.documents[{index}]"
        kind = info.WhichOneof("document_descriptor")
        if kind == "uri":
            raise InvalidArgument.of_field(
                f"{place}.uri", "names documents of websites; give the id or the name"
            )
        id_, among = info.id, stores
        if kind == "name":
            branch, id_ = parse_document(info.name, field=f"{place}.name")
            among = [store for store in stores if store == branch.data_store]
        if not id_:
            raise InvalidArgument.of_field(f"{place}.id", "is missing; give id or name")
        found = [
            (store, id_) for store in among if transaction.documents.get_many(Branch(store), [id_])
        ]
        seen += found
        missing += [] if found else [id_]
    return seen, list(dict.fromkeys(missing))


def _seen_before(transaction: Transaction, user: str, stores: Sequence[str]) -> list[Place]:
    """Return what the user looked at last, by the stored events, the latest first."""
    events = [
        (event.event_time, store, event.body)
        for store in stores
        for event in transaction.user_events.of_user(store, user, VIEWS, limit=MOST_SEEN)
    ]
    events.sort(key=lambda item: (-item[0].timestamp(), item[1]))
    seen = [
        (store, info.get("id") or info.get("name", "").rpartition("/")[2])
        for _, store, body in events
        for info in body.get("documents", ())
    ]
    return list(dict.fromkeys(seen))


def _filter_of(text: str, params: Params) -> Predicate:
    if len(text) > LONGEST_FILTER:
        raise InvalidArgument.of_field(
            "filter", f"has {len(text):,} characters; at most {LONGEST_FILTER:,} are allowed"
        )
    predicate = parse_filter(text)
    others = sorted(field_names(predicate) - {TAGS})
    if others and not params.filters_by_attributes:
        raise InvalidArgument.of_field(
            "filter",
            f'"{others[0][:200]}" must be {TAGS}; with params.attributeFilteringSyntax it may be'
            " any field of the documents",
        )
    return predicate


def _page_size(size: int) -> int:
    if size < 0:
        raise InvalidArgument.of_field("page_size", f"{size} must be 0 or more")
    return min(size or DEFAULT_PAGE, LARGEST_PAGE)


def _token(config: str, seen: Sequence[Place], filter_: str) -> str:
    """Return a name of the recommendation: the same for the same documents seen."""
    return hashlib.sha256(orjson.dumps([config, list(seen), filter_])).hexdigest()[:32]
