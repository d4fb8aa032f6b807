"""SearchService: a query over a data store or over the data stores of an engine.

https://cloud.google.com/generative-ai-app-builder/docs/reference/rpc
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from toulmin.answering.pipeline import Answerer
from toulmin.answering.understanding.rephrase import rephrase
from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.control import controls_of
from toulmin.apis.discoveryengine.convert import search_requests as convert_request
from toulmin.apis.discoveryengine.convert.search_responses import Shown, fill_search_response
from toulmin.apis.discoveryengine.convert.summaries import fill_summary, summary_question
from toulmin.apis.discoveryengine.names import ServingConfigName, parse_serving_config
from toulmin.apis.discoveryengine.search_controls import with_controls
from toulmin.apis.discoveryengine.serving_config import owner_of
from toulmin.apis.discoveryengine.session_turns import (
    Place,
    at_question,
    history_of,
    keep_question,
    place_of,
    results_of,
)
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import Chunk, Control, DataStore, Engine, TurnResults
from toulmin.errors import FailedPrecondition, InvalidArgument, NotFound
from toulmin.retrieval.extracts import BestSpan, ExtractiveAnswer, extractive_answers
from toulmin.retrieval.results import FoundChunk
from toulmin.retrieval.search import Searcher
from toulmin.stores.records import RecordStore, Transaction
from toulmin.stores.records.paging import make_token
from toulmin.work import Work

_COMPARED: Final = 3
"""Results whose sentences are read and compared with the query by meaning, to find answers."""


class StoppableEmbed(Protocol):
    """What returns one unit row for each text, and asks before each whether to stop."""

    def __call__(self, texts: Sequence[str], *, work: Work) -> NDArray[np.float32]:
        """Return shape (texts, dim)."""


def register_search(
    registry: Registry,
    *,
    records: Callable[[], RecordStore],
    searcher: Callable[[], Searcher],
    embed: StoppableEmbed,
    answerer: Callable[[], Answerer],
    best_span: BestSpan | None = None,
) -> None:
    """Bind Search and SearchLite, in every version.

    Args:
        registry: Takes the handlers.
        records: Returns the record store.
        searcher: Returns what searches.
        embed: Texts -> unit vectors, for extractive answers; it is asked whether to stop.
        answerer: Returns what answers, for summaries.
        best_span: Question and passage -> where the answer is, for the same; None: nobody reads.
    """
    handlers = _Handlers(records, searcher, embed, best_span, answerer)
    registry.register("discoveryengine", "SearchService", "Search", handlers.search)
    registry.register("discoveryengine", "SearchService", "SearchLite", handlers.search)


@dataclass(frozen=True, slots=True)
class Target:
    """What a serving config searches.

    Attributes:
        owner: Canonical name of its data store or engine.
        data_stores: Canonical names of the data stores.
        controls: The controls attached to it.
        now: The time, in UTC.
    """

    owner: str
    data_stores: tuple[str, ...]
    controls: tuple[Control, ...]
    now: datetime


def target_of(transaction: Transaction, name: ServingConfigName) -> Target:
    """Return what a serving config searches.

    Raises:
        NotFound: The serving config, its engine or its data store is not there.
        FailedPrecondition: It is an engine without data stores.
    """
    owner = owner_of(transaction, name.parent)
    stores: tuple[str, ...] = (owner.name,)
    if isinstance(owner, Engine):
        stores = tuple(DataStore(parent=owner.parent, id=id_).name for id_ in owner.data_store_ids)
        if not stores:
            raise FailedPrecondition(f"{owner.name} has no data stores; add one to it first.")
    return Target(owner.name, stores, controls_of(transaction, name), transaction.now)


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]
    searcher: Callable[[], Searcher]
    embed: StoppableEmbed
    best_span: BestSpan | None
    answerer: Callable[[], Answerer]

    def search(self, request: pb.SearchRequest, context: CallContext) -> pb.SearchResponse:
        name = parse_serving_config(request.serving_config, field="serving_config")
        with self.records().read() as transaction:
            target = target_of(transaction, name)
            place = _place_of(transaction, request, owner=name.parent)
            history = history_of(transaction, place) if place else ()
        kept = convert_request.kept_results(request)
        scopes = convert_request.scopes_of(request, target.data_stores, owner=target.owner)
        query = convert_request.search_query(request, scopes)
        content = convert_request.content_spec(request)
        query = replace(query, text=rephrase(query.text, history))
        controlled = with_controls(query, target.controls, now=target.now)
        response: pb.SearchResponse = context.new_message()
        response.applied_controls.extend(controlled.applied)
        if controlled.redirect_uri:
            response.redirect_uri = controlled.redirect_uri
            return response
        work = work_of(context, "the search")
        results = self.searcher().search(controlled.query, work=work, now=target.now)
        text = results.corrected_text if query.correct_spelling else ""
        shown = Shown(
            query=text or query.text,
            content=content,
            around=self._around,
            answers=partial(self._answers, work),
            with_scores=request.relevance_score_spec.return_relevance_score,
            with_expansion=convert_request.says_expansion(request),
        )
        fill_search_response(response, results, query, shown)
        spec = request.content_search_spec.summary_spec
        if spec.summary_result_count and query.text.strip() and not query.offset:
            answer = self.answerer().answer(summary_question(spec, shown.query, results), work=work)
            fill_summary(response.summary, spec, answer, results)
        if place is not None:
            if not query.offset:
                self._keep(place, request.query, results_of(results, query.mode, kept))
            response.session_info.name = place.session.name
            response.session_info.query_id = place.query_id
        last = query.offset + len(results.documents) + len(results.chunks)
        # A token that the next request would be refused for is worse than none.
        if query.offset < last < results.total and last <= convert_request.LAST_RESULT:
            response.next_page_token = make_token([last], scope=convert_request.page_scope(request))
        return response

    def _keep(self, place: Place, query: str, results: TurnResults) -> None:
        """Store the question in its session, with what was found."""
        session = place.session
        with self.records().write() as transaction:
            index = keep_question(transaction, place, query)
            transaction.sessions.put_results(session.parent, session.id, index, results)

    def _around(
        self, found: FoundChunk, before: int, after: int
    ) -> tuple[Sequence[Chunk], Sequence[Chunk]]:
        with self.records().read() as transaction, suppress(NotFound):  # gone in the meantime
            return transaction.documents.neighbours(
                found.document_key, found.chunk.id, before=before, after=after
            )
        return (), ()

    def _answers(
        self,
        work: Work,
        query: str,
        chunks: Sequence[FoundChunk],
        count: int,
        place: int,
    ) -> Sequence[ExtractiveAnswer]:
        """Compare meanings and read for the first results only: it takes about 50 ms for each."""
        work.check()
        if place >= _COMPARED:
            return extractive_answers(query, chunks, count=count)
        embed = partial(self.embed, work=work)
        return extractive_answers(query, chunks, count=count, embed=embed, best_span=self.best_span)


def _place_of(transaction: Transaction, request: pb.SearchRequest, *, owner: str) -> Place | None:
    """Return the place of a search in its session; None: it has none.

    A further page belongs to the question of the first; in a new session there is none yet.

    Raises:
        InvalidArgument: The session has no question of the id that is given, or is another's.
        NotFound: There is no such session.
    """
    query_id = request.session_spec.query_id
    place = place_of(
        transaction,
        request.session,
        owner=owner,
        query_id=query_id,
        user_pseudo_id=request.user_pseudo_id,
    )
    if place is not None and query_id and place.turn is None:
        raise InvalidArgument.of_field(
            "session_spec.query_id", f'"{query_id[:200]}" is no question of the session'
        )
    if place is None or not (request.offset or request.page_token):
        return place
    if place.is_new:
        return None
    return place if query_id else at_question(place, request.query)
