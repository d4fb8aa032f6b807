"""`SearchRequest` messages to search queries: every field is used, refused or named as ignored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from google.protobuf.message import Message

from toulmin.apis.aip.paging import page_size
from toulmin.apis.discoveryengine.convert.boosts import boosts_of
from toulmin.apis.discoveryengine.convert.facets import facets_of
from toulmin.apis.discoveryengine.convert.summaries import check_summary_spec
from toulmin.apis.discoveryengine.convert.user_labels import check_user_labels
from toulmin.apis.discoveryengine.names import parse_branch, parse_data_store
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.errors import InvalidArgument, Unimplemented
from toulmin.retrieval.filters import parse_filter
from toulmin.retrieval.ordering import OrderKey, parse_order_by
from toulmin.retrieval.query import ResultMode, Scope, SearchQuery
from toulmin.stores.records.paging import read_token

LONGEST_QUERY: Final = 10_000
DEFAULT_PAGE, LARGEST_PAGE = 50, 100
LAST_RESULT: Final = 10_000
MOST_ORDER_KEYS: Final = 10
MOST_ANSWERS, MOST_SEGMENTS = 5, 10
MOST_AROUND_SEGMENT, MOST_AROUND_CHUNK = 3, 3
MOST_KEPT_DOCUMENTS, MOST_KEPT_CHUNKS = 10, 50
LONGEST_USER_ID: Final = 128

_UNIMPLEMENTED: Final = (
    "image_query",
    "embedding_spec",
    "ranking_expression",
    "crowding_specs",
    "custom_ranking_params",
    "custom_fine_tuning_spec",
    "entity",
    "one_box_page_size",
    "page_categories",
)
"""Fields that would change which results come, and do not here: passing them over would be a lie.

Ignored, since nothing here depends on them: `user_info`, `language_code`, `region_code`,
`user_pseudo_id`, `user_labels`, `personalization_spec`, `search_addon_spec`, `safe_search`,
`display_spec`, `params`, `use_latest_data`."""

_Level: Final = pb.SearchRequest.RelevanceThreshold
_RELEVANCE: Final = {
    _Level.RELEVANCE_THRESHOLD_UNSPECIFIED: 0.0,
    _Level.LOWEST: 0.0,
    _Level.LOW: 0.2,
    _Level.MEDIUM: 0.5,
    _Level.HIGH: 0.8,
}
"""Least relevance by threshold. The API gives no numbers; these cut the probability that a chunk
is relevant."""

_CHUNKS: Final = pb.SearchRequest.ContentSearchSpec.SearchResultMode.CHUNKS
_Extraction: Final = (
    pb.SearchRequest.NaturalLanguageQueryUnderstandingSpec.FilterExtractionCondition
)
_CHUNKS_READ: Final = 5
"""Chunks of a document among which answers are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentSpec:
    """What is shown of the text of a result.

    Attributes:
        snippets: Whether a snippet comes with each document.
        answers: At most so many extractive answers with each document.
        segments: At most so many extractive segments with each document.
        segment_scores: Whether segments say how relevant they are.
        previous: Segments before each segment, or chunks before each chunk.
        next_: Those after it.
    """

    snippets: bool = False
    answers: int = 0
    segments: int = 0
    segment_scores: bool = False
    previous: int = 0
    next_: int = 0


def search_query(request: pb.SearchRequest, scopes: Sequence[Scope]) -> SearchQuery:
    """Return what a `SearchRequest` asks for.

    Args:
        request: The request, of any version.
        scopes: The data stores to search, as `scopes_of` returned them.

    Raises:
        InvalidArgument: A value is wrong; names field, limit and value.
        Unimplemented: A field asks for what this version does not do.
    """
    _refuse_unimplemented(request)
    _check_user(request)
    size = page_size(request, default=DEFAULT_PAGE, maximum=LARGEST_PAGE)
    content = request.content_search_spec
    is_chunks = content.search_result_mode == _CHUNKS
    return SearchQuery(
        scopes=scopes,
        text=_text(request.query),
        mode=ResultMode.CHUNKS if is_chunks else ResultMode.DOCUMENTS,
        filter=parse_filter(request.filter)
        if request.filter.strip()
        else parse_filter(request.canonical_filter, field="canonical_filter"),
        order_by=_order_by(request),
        boosts=boosts_of(request.boost_spec, field="boost_spec"),
        facets=facets_of(request),
        page_size=size,
        offset=_offset(request, size),
        correct_spelling=request.spell_correction_spec.mode
        != pb.SearchRequest.SpellCorrectionSpec.Mode.SUGGESTION_ONLY,
        min_relevance=_min_relevance(request),
        chunks_per_document=max(_CHUNKS_READ, content_spec(request).segments),
    )


def kept_results(request: pb.SearchRequest) -> int:
    """Return how many results are kept for the answer to the session's question.

    Raises:
        InvalidArgument: There are more than the API allows, or `session_spec` is without session.
    """
    spec = request.session_spec
    if request.HasField("session_spec") and not request.session:
        raise InvalidArgument.of_field("session_spec", "goes with a session only; send session")
    is_chunks = request.content_search_spec.search_result_mode == _CHUNKS
    most = MOST_KEPT_CHUNKS if is_chunks else MOST_KEPT_DOCUMENTS
    _within(spec, "search_result_persistence_count", most, "session_spec")
    return int(spec.search_result_persistence_count) or MOST_KEPT_DOCUMENTS


def says_expansion(request: pb.SearchRequest) -> bool:
    """Return whether the response says that results share no word with the query.

    The API's default is DISABLED, and LangChain's retriever sends it: so it cannot mean that words
    alone are searched. Nearness in meaning always counts and is no expansion; AUTO asks to be told.
    """
    return (
        request.query_expansion_spec.condition == pb.SearchRequest.QueryExpansionSpec.Condition.AUTO
    )


def content_spec(request: pb.SearchRequest) -> ContentSpec:
    """Return what a `SearchRequest` wants shown of the texts.

    Raises:
        InvalidArgument: A number is out of its range.
    """
    spec = request.content_search_spec
    is_chunks = spec.search_result_mode == _CHUNKS
    check_summary_spec(
        spec.summary_spec, is_chunks=is_chunks, field="content_search_spec.summary_spec"
    )
    path = "content_search_spec"
    if spec.search_result_mode == _CHUNKS:
        chunks = spec.chunk_spec
        _within(chunks, "num_previous_chunks", MOST_AROUND_CHUNK, f"{path}.chunk_spec")
        _within(chunks, "num_next_chunks", MOST_AROUND_CHUNK, f"{path}.chunk_spec")
        return ContentSpec(previous=chunks.num_previous_chunks, next_=chunks.num_next_chunks)
    extracts = spec.extractive_content_spec
    path = f"{path}.extractive_content_spec"
    for name in ("max_extractive_answer_count", "max_extractive_segment_count"):
        _within(extracts, name, math.inf, path)
    _within(extracts, "num_previous_segments", MOST_AROUND_SEGMENT, path)
    _within(extracts, "num_next_segments", MOST_AROUND_SEGMENT, path)
    return ContentSpec(
        snippets=spec.HasField("snippet_spec")
        and (spec.snippet_spec.return_snippet or spec.snippet_spec.max_snippet_count > 0),
        answers=min(extracts.max_extractive_answer_count, MOST_ANSWERS),
        segments=min(extracts.max_extractive_segment_count, MOST_SEGMENTS),
        segment_scores=extracts.return_extractive_segment_score,
        previous=extracts.num_previous_segments,
        next_=extracts.num_next_segments,
    )


def scopes_of(
    request: pb.AnswerQueryRequest.SearchSpec.SearchParams
    | pb.SearchRequest
    | pb.StreamAssistRequest.ToolsSpec.VertexAiSearchSpec,
    data_stores: Sequence[str],
    *,
    owner: str,
    prefix: str = "",
) -> list[Scope]:
    """Return the data stores to search: those of the serving config, or what is asked of them.

    Args:
        request: The `SearchRequest`.
        data_stores: Canonical names of what the serving config's data store or engine has.
        owner: That data store or engine, for errors.
        prefix: What stands before the names of fields in errors, such as "search_params.".

    Raises:
        InvalidArgument: A data store is named that is not among them, or twice; a filter or boost
            is wrong; the branch is one of another data store.
        NotFound: The branch is none.
    """
    _check_branch(request, data_stores)
    asked = getattr(request, "num_results_per_data_store", 0)  # of answers there is none
    limit = _limit(asked, "num_results_per_data_store")
    if not request.data_store_specs:
        return [Scope(data_store=name, limit=limit) for name in data_stores]
    scopes: dict[str, Scope] = {}
    for number, spec in enumerate(request.data_store_specs):
        path = f"{prefix}data_store_specs[{number}]"
        name = parse_data_store(spec.data_store, field=f"{path}.data_store")
        if name not in data_stores:
            raise InvalidArgument.of_field(f"{path}.data_store", f"{name} is not one of {owner}.")
        if name in scopes:
            raise InvalidArgument.of_field(f"{path}.data_store", f"{name} is named twice.")
        scopes[name] = _scope(spec, name, path, limit)
    return list(scopes.values())


def _scope(spec: pb.SearchRequest.DataStoreSpec, name: str, path: str, limit: int | None) -> Scope:
    if spec.custom_search_operators:
        raise Unimplemented(
            f"{path}.custom_search_operators is not implemented in this version of Toulmin"
        )
    own_limit = _limit(spec.num_results, f"{path}.num_results")
    return Scope(
        data_store=name,
        filter=parse_filter(spec.filter, field=f"{path}.filter"),
        boosts=boosts_of(spec.boost_spec, field=f"{path}.boost_spec"),
        limit=own_limit or limit,
    )


def _min_relevance(request: pb.SearchRequest) -> float:
    """Return the least relevance of a result; `relevance_filter_spec` overrides the threshold.

    Words and vectors are one search here, so the higher of its two thresholds holds for both.
    """
    if not request.HasField("relevance_filter_spec"):
        return _level(request.relevance_threshold, "relevance_threshold")
    least = 0.0
    for name in ("keyword_search_threshold", "semantic_search_threshold"):
        spec = getattr(request.relevance_filter_spec, name)
        path = f"relevance_filter_spec.{name}"
        if spec.WhichOneof("relevance_threshold_spec") == "semantic_relevance_threshold":
            value = spec.semantic_relevance_threshold
            if not 0 <= value <= 1:  # also NaN
                raise InvalidArgument.of_field(
                    f"{path}.semantic_relevance_threshold", f"{value:g} is outside [0, 1]"
                )
            least = max(least, value)
        else:
            least = max(least, _level(spec.relevance_threshold, f"{path}.relevance_threshold"))
    return least


def _level(value: pb.SearchRequest.RelevanceThreshold.ValueType, field: str) -> float:
    if value not in _RELEVANCE:
        raise InvalidArgument.of_field(field, f"{value} is no RelevanceThreshold")
    return _RELEVANCE[value]


def _order_by(request: pb.SearchRequest) -> tuple[OrderKey, ...]:
    keys = parse_order_by(request.order_by)
    if len(keys) > MOST_ORDER_KEYS:
        raise InvalidArgument.of_field(
            "order_by", f"names {len(keys):,} fields; at most {MOST_ORDER_KEYS} are allowed"
        )
    return keys


def _text(query: str) -> str:
    if len(query) > LONGEST_QUERY:
        raise InvalidArgument.of_field(
            "query", f"has {len(query):,} characters; at most {LONGEST_QUERY:,} are allowed"
        )
    return query


def page_scope(request: pb.SearchRequest) -> tuple[str, ...]:
    """Return what must be the same in the request for the next page."""
    same = type(request)()
    same.CopyFrom(request)
    for name in ("page_token", "page_size", "offset"):
        same.ClearField(name)
    return ("search", same.SerializeToString(deterministic=True).hex())


def _offset(request: pb.SearchRequest, size: int) -> int:
    """Return how many results to leave out; a page token says it in place of `offset`."""
    if request.offset < 0:
        raise InvalidArgument.of_field("offset", f"{request.offset} is negative")
    offset = int(request.offset)
    if request.page_token:
        offset = int(read_token(request.page_token, scope=page_scope(request), types=(int,))[0])
    if offset + size > LAST_RESULT + LARGEST_PAGE:
        raise InvalidArgument.of_field(
            "offset", f"{offset:,} is too far; results end at {LAST_RESULT:,}"
        )
    return offset


def _limit(value: int, field: str) -> int | None:
    if value < 0:
        raise InvalidArgument.of_field(field, f"{value} is negative")
    return int(value) or None


def _check_branch(request: Message, data_stores: Sequence[str]) -> None:
    name = str(getattr(request, "branch", ""))
    if not name:
        return
    branch = parse_branch(name, field="branch")
    if branch.data_store not in data_stores:
        raise InvalidArgument.of_field(
            "branch", f"{name} is not a branch of what the serving config searches"
        )


def _check_user(request: pb.SearchRequest) -> None:
    if len(request.user_pseudo_id) > LONGEST_USER_ID:
        raise InvalidArgument.of_field(
            "user_pseudo_id",
            f"has {len(request.user_pseudo_id):,} characters; at most {LONGEST_USER_ID} are"
            " allowed",
        )
    check_user_labels(request.user_labels)


def _refuse_unimplemented(request: pb.SearchRequest) -> None:
    names = {field.name for field, _ in request.ListFields()}
    refused = next((name for name in _UNIMPLEMENTED if name in names), "")
    as_you_type = request.search_as_you_type_spec.condition
    if as_you_type == pb.SearchRequest.SearchAsYouTypeSpec.Condition.ENABLED:
        refused = "search_as_you_type_spec"
    understanding = request.natural_language_query_understanding_spec
    if understanding.filter_extraction_condition == _Extraction.ENABLED:
        refused = "natural_language_query_understanding_spec"
    if request.query_expansion_spec.pin_unexpanded_results:
        refused = "query_expansion_spec.pin_unexpanded_results"
    if refused:
        raise Unimplemented(f"{refused} is not implemented in this version of Toulmin")


def _within(
    message: Message,
    name: str,
    most: float,
    path: str,
) -> None:
    value = getattr(message, name)
    if not 0 <= value <= most:
        limit = "0 or more" if math.isinf(most) else f"0 to {most:g}"
        raise InvalidArgument.of_field(f"{path}.{name}", f"{value} must be {limit}")
