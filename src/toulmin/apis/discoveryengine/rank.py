"""RankService: the records of a request in the order in which they answer its query.

https://cloud.google.com/generative-ai-app-builder/docs/ranking
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.names import parse_name
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.convert.search_requests import LONGEST_QUERY
from toulmin.apis.discoveryengine.convert.user_labels import check_user_labels
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.errors import InvalidArgument
from toulmin.models.embedder import Embedder
from toulmin.retrieval.rank import Record, rank_records, rounded
from toulmin.retrieval.relevance import RelevanceModel, load_record_relevance
from toulmin.retrieval.rerank import Reranker

RANKING_CONFIG: Final = "projects/{project}/locations/{location}/rankingConfigs/{ranking_config}"
FAST: Final = "fast"
"""The size for which no record is read together with the query, whatever the server has."""
SIZES: Final = ("default", FAST, "512")
_MODEL: Final = re.compile(rf"semantic-ranker-({'|'.join(SIZES)})(?:@latest|-\d{{3}})")
"""The API's names, of any of its releases; all of them mean the models of this server."""


def register_rank(
    registry: Registry,
    *,
    embedder: Callable[[], Embedder],
    relevance: Callable[[], RelevanceModel] = load_record_relevance,
    reranker: Callable[[], Reranker] | None = None,
) -> None:
    """Bind Rank, in every version.

    Args:
        registry: Takes the handler.
        embedder: Returns what embeds query and records.
        relevance: Returns the weights that were fitted on the embedder.
        reranker: Returns the model that reads the best records together with the query; None:
            they are not read.
    """
    registry.register(
        "discoveryengine", "RankService", "Rank", _Rank(embedder, relevance, reranker)
    )


@dataclass(frozen=True, slots=True)
class _Rank:
    embedder: Callable[[], Embedder]
    relevance: Callable[[], RelevanceModel]
    reranker: Callable[[], Reranker] | None

    def __call__(self, request: pb.RankRequest, context: CallContext) -> pb.RankResponse:
        _check(request)
        size = _size_of(request.model)
        is_read = self.reranker is not None and size != FAST
        ranked = rank_records(
            request.query,
            [
                Record(id=record.id, title=record.title, content=record.content)
                for record in request.records
            ],
            embedder=self.embedder(),
            relevance=self.relevance(),
            reranker=self.reranker() if self.reranker is not None and is_read else None,
            work=work_of(context, "the ranking"),
        )
        response: pb.RankResponse = context.new_message()
        for index, score in ranked[: request.top_n if request.top_n > 0 else None]:
            given = request.records[index]
            shown = response.records.add(id=given.id, score=rounded(score))
            if not request.ignore_record_details_in_response:
                shown.title, shown.content = given.title, given.content
        return response


def _size_of(model: str) -> str:
    """Return what a model's name says of its size.

    Raises:
        InvalidArgument: It is no ranking model's name.
    """
    found = _MODEL.fullmatch(model or "semantic-ranker-default@latest")
    if found is None:
        raise InvalidArgument.of_field(
            "model",
            f'"{model[:200]}" is no ranking model; leave it empty or give'
            f" semantic-ranker-{{{','.join(SIZES)}}} with @latest or a release such as -004",
        )
    return found[1]


def _check(request: pb.RankRequest) -> None:
    """Raise InvalidArgument unless the request can be ranked; the records are checked later."""
    parse_name(request.ranking_config, RANKING_CONFIG, field="ranking_config")
    if not request.query.strip():
        raise InvalidArgument.of_field("query", "is empty; it is required")
    if len(request.query) > LONGEST_QUERY:
        raise InvalidArgument.of_field(
            "query", f"has {len(request.query):,} characters; at most {LONGEST_QUERY:,} are allowed"
        )
    if not request.records:
        raise InvalidArgument.of_field("records", "is empty; give 1 to 200 records")
    check_user_labels(request.user_labels)
