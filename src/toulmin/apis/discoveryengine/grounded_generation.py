"""GroundedGenerationService: check grounding.

https://cloud.google.com/generative-ai-app-builder/docs/check-grounding
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from toulmin import metrics
from toulmin.answering.facts import fact_of_chunk, find_facts
from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.names import parse_name
from toulmin.apis.aip.registry import CallContext, Handler
from toulmin.apis.discoveryengine.convert import check as convert
from toulmin.apis.discoveryengine.names import parse_serving_config
from toulmin.apis.discoveryengine.search import target_of
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.errors import InvalidArgument
from toulmin.grounding.check import GroundingChecker, validate
from toulmin.grounding.tokens import MAX_ANSWER_TOKENS, count_tokens
from toulmin.retrieval.query import Scope
from toulmin.retrieval.results import FoundChunk
from toulmin.retrieval.search import Searcher
from toulmin.stores.records import RecordStore
from toulmin.work import Work

GROUNDING_CONFIG = "projects/{project}/locations/{location}/groundingConfigs/{grounding_config}"
_SEARCH_SOURCE = "grounding_source.search_source"


def check_grounding_handler(
    checker: Callable[[], GroundingChecker],
    *,
    records: Callable[[], RecordStore],
    searcher: Callable[[], Searcher],
) -> Handler:
    """Return the handler of `CheckGrounding` in v1, v1beta and v1alpha.

    Args:
        checker: Returns the loaded checker.
        records: Returns the record store, for facts from a data store.
        searcher: Returns what searches, for the same.
    """
    return _CheckGrounding(checker, records, searcher)


@dataclass(frozen=True, slots=True)
class _CheckGrounding:
    checker: Callable[[], GroundingChecker]
    records: Callable[[], RecordStore]
    searcher: Callable[[], Searcher]

    def __call__(
        self, request: pb.CheckGroundingRequest, context: CallContext
    ) -> pb.CheckGroundingResponse:
        parse_name(request.grounding_config, GROUNDING_CONFIG, field="grounding_config")
        work = work_of(context, "the check")
        try:
            answer, facts, spec = convert.check_request(request)
            context.charge("tokens", min(count_tokens(answer), MAX_ANSWER_TOKENS))
            found: Sequence[FoundChunk] = ()
            if request.grounding_source.search_source:
                validate(answer, facts, spec, facts_required=False)
                found = self._found(request, answer, work)
                facts = [fact_of_chunk(chunk) for chunk in found]
            report = self.checker().check(
                answer,
                facts,
                spec,
                facts_required=not request.grounding_source.search_source,
                work=work,
            )
        except InvalidArgument as error:
            raise convert.in_wire_terms(error) from error
        metrics.note_support("check", report.support_score)
        response: pb.CheckGroundingResponse = context.new_message()
        convert.fill_check_response(
            response,
            report,
            answer=answer,
            facts=facts,
            with_claim_scores=request.grounding_spec.enable_claim_level_score,
        )
        if found:
            convert.name_sources(response, found)
        return response

    def _found(
        self, request: pb.CheckGroundingRequest, answer: str, work: Work
    ) -> list[FoundChunk]:
        """Return what the data stores of the search source have on the answer's claims."""
        if request.facts:
            raise InvalidArgument.of_field(
                _SEARCH_SOURCE, "and `facts` are both given; send one of them"
            )
        name = parse_serving_config(request.grounding_source.search_source, field=_SEARCH_SOURCE)
        with self.records().read() as transaction:
            target = target_of(transaction, name)
        return find_facts(
            answer,
            [Scope(data_store=store) for store in target.data_stores],
            self.searcher(),
            work=work,
        )
