"""GroundedGenerationService: content generated from facts of the request or of data stores.

The answer pipeline takes the place of the language model that the request names: it answers the
last content from the sources, or says in the usual sentence that it has no answer; such a response
has no grounding. Of `generation_spec` language and temperature count. The rest of it is ignored, as
is `safe_search`: it tunes a model that is not there.
https://cloud.google.com/generative-ai-app-builder/docs/grounded-gen
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toulmin.answering.answer import Answer, AnswerState
from toulmin.answering.passages import Passage, SourceKind
from toulmin.answering.pipeline import Answerer
from toulmin.answering.question import Exchange, Question
from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.names import parse_name
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.convert.answers import delta_of
from toulmin.apis.discoveryengine.convert.user_labels import check_user_labels
from toulmin.apis.discoveryengine.names import parse_serving_config
from toulmin.apis.discoveryengine.search import target_of
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.errors import InvalidArgument, Unimplemented
from toulmin.retrieval.filters import parse_filter
from toulmin.retrieval.query import ResultMode, Scope, SearchQuery
from toulmin.stores.records import RecordStore

LOCATION: Final = "projects/{project}/locations/{location}"
MOST_FACTS: Final = 200
LONGEST_FACT: Final = 10_000
MOST_RESULTS: Final = 10
LONGEST_CONTENT: Final = 10_000
MOST_CONTENTS: Final = 100
LONGEST_INSTRUCTION: Final = 20_000
HIGHEST_TEMPERATURE: Final = 2.0
_USER, _MODEL = "user", "model"
_Source: Final = (
    pb.GenerateGroundedContentResponse.Candidate.GroundingMetadata.RetrievalMetadata.Source
)


def register_grounded_content(
    registry: Registry, *, records: Callable[[], RecordStore], answerer: Callable[[], Answerer]
) -> None:
    """Bind GenerateGroundedContent and its stream, in the versions that have them.

    Args:
        registry: Takes the handlers.
        records: Returns the record store.
        answerer: Returns what answers.
    """
    handlers = _Handlers(records, answerer)
    service = "GroundedGenerationService"
    registry.register("discoveryengine", service, "GenerateGroundedContent", handlers.generate)
    registry.register("discoveryengine", service, "StreamGenerateGroundedContent", handlers.stream)


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]
    answerer: Callable[[], Answerer]

    def generate(
        self, request: pb.GenerateGroundedContentRequest, context: CallContext
    ) -> pb.GenerateGroundedContentResponse:
        work = work_of(context, "the answer")
        answer = self.answerer().answer(self._question(request), work=work)
        return _response(context, answer, answer)

    def stream(
        self, requests: Iterable[pb.GenerateGroundedContentRequest], context: CallContext
    ) -> Iterator[pb.GenerateGroundedContentResponse]:
        """Answer each request of the stream in turn.

        Raises:
            Unimplemented: Sentences are to leave before they are corrected: no item of this stream
                can take the place of what was said.
        """
        coming = iter(requests)
        first = next(coming, None)
        if first is None:
            return iter(())
        self._question(first)  # whose names they are, before a word of the server's settings
        if self.answerer().takes_back:
            raise Unimplemented(
                "answer_llm_stream is `correct`, and no item of this stream can take the place of"
                " what was said; ask for the whole answer at once, use streamAnswer, or let the"
                " operator set `hold` or `mark`"
            )
        return self._streamed(itertools.chain([first], coming), context)

    def _streamed(
        self, requests: Iterable[pb.GenerateGroundedContentRequest], context: CallContext
    ) -> Iterator[pb.GenerateGroundedContentResponse]:
        for request in requests:
            before = Answer()
            work = work_of(context, "the answer")
            for answer in self.answerer().stream(self._question(request), work=work):
                last = answer.state is AnswerState.SUCCEEDED
                if last or answer.text != before.text:
                    yield _response(context, delta_of(answer, before), answer if last else None)
                before = answer

    def _question(self, request: pb.GenerateGroundedContentRequest) -> Question:
        parse_name(request.location, LOCATION, field="location")
        check_user_labels(request.user_labels)
        history, text = _conversation(request.contents)
        facts, search = self._sources(request.grounding_spec)
        return Question(
            text=text,
            history=history,
            given=() if search else tuple(facts),
            search=search,
            user_context=tuple(facts) if search else (),  # read beside what is found
            preamble=_instruction(request.system_instruction),
            language=request.generation_spec.language_code,
            temperature=_temperature(request.generation_spec),
            with_citations=True,
            with_supports=True,
        )

    def _sources(
        self, spec: pb.GenerateGroundedContentRequest.GroundingSpec
    ) -> tuple[list[Passage], SearchQuery | None]:
        """Return the facts of all inline sources, and what is searched."""
        field = "grounding_spec.grounding_sources"
        if not spec.grounding_sources:
            raise InvalidArgument.of_field(field, "is empty; send an inline or a search source")
        facts: list[Passage] = []
        search: SearchQuery | None = None
        for number, source in enumerate(spec.grounding_sources):
            path = f"{field}[{number}]"
            kind = source.WhichOneof("source")
            if kind == "inline_source":
                facts += _facts(source.inline_source, f"{path}.inline_source", first=len(facts))
            elif kind == "search_source" and search is None:
                search = self._search(source.search_source, f"{path}.search_source")
            elif kind == "search_source":
                raise Unimplemented(
                    f"{path} is a second search source; name an engine over all data stores"
                )
            elif kind is None:
                raise InvalidArgument.of_field(path, "is empty")
            else:
                raise Unimplemented(f"{path}.{kind} is not there: Toulmin does not search the web")
        return facts, search

    def _search(
        self, source: pb.GenerateGroundedContentRequest.GroundingSource.SearchSource, field: str
    ) -> SearchQuery:
        name = parse_serving_config(source.serving_config, field=f"{field}.serving_config")
        if not 0 <= source.max_result_count <= MOST_RESULTS:
            raise InvalidArgument.of_field(
                f"{field}.max_result_count",
                f"{source.max_result_count} must be 1 to {MOST_RESULTS}, or 0 for {MOST_RESULTS}",
            )
        with self.records().read() as transaction:
            target = target_of(transaction, name)
        return SearchQuery(
            scopes=[Scope(data_store=store) for store in target.data_stores],
            mode=ResultMode.CHUNKS,
            filter=parse_filter(source.filter, field=f"{field}.filter"),
            page_size=source.max_result_count or MOST_RESULTS,
        )


def _instruction(content: pb.GroundedGenerationContent) -> str:
    text = "\n".join(part.text for part in content.parts)
    if len(text) > LONGEST_INSTRUCTION:
        raise InvalidArgument.of_field(
            "system_instruction",
            f"has {len(text):,} characters; at most {LONGEST_INSTRUCTION:,} are allowed",
        )
    return text


def _temperature(spec: pb.GenerateGroundedContentRequest.GenerationSpec) -> float | None:
    if not spec.HasField("temperature"):
        return None
    if not 0 <= spec.temperature <= HIGHEST_TEMPERATURE:  # also NaN
        raise InvalidArgument.of_field(
            "generation_spec.temperature",
            f"{spec.temperature:g} is outside [0, {HIGHEST_TEMPERATURE:g}]",
        )
    return float(spec.temperature)


def _conversation(
    contents: Sequence[pb.GroundedGenerationContent],
) -> tuple[tuple[Exchange, ...], str]:
    """Return the earlier exchanges and the last content's words."""
    if not contents:
        raise InvalidArgument.of_field("contents", "is empty; its last entry is the question")
    if len(contents) > MOST_CONTENTS:
        raise InvalidArgument.of_field(
            "contents", f"has {len(contents)} entries; at most {MOST_CONTENTS} are allowed"
        )
    texts = [_text(item, f"contents[{number}]") for number, item in enumerate(contents)]
    last = len(texts) - 1
    if contents[last].role == _MODEL:
        raise InvalidArgument.of_field(
            f"contents[{last}].role", f'is "{_MODEL}"; the last entry is the user\'s question'
        )
    history: list[Exchange] = []
    for item, text in zip(contents[:last], texts[:last], strict=True):
        if item.role != _MODEL:
            history.append(Exchange(text))
        elif history:
            history[-1] = Exchange(history[-1].question, text)
    return tuple(history), texts[last]


def _text(content: pb.GroundedGenerationContent, field: str) -> str:
    if content.role not in ("", _USER, _MODEL):
        raise InvalidArgument.of_field(
            f"{field}.role", f'"{content.role[:200]}" must be "{_USER}" or "{_MODEL}"'
        )
    text = "\n".join(part.text for part in content.parts)
    if not text.strip():
        raise InvalidArgument.of_field(f"{field}.parts", "has no text")
    if len(text) > LONGEST_CONTENT:
        raise InvalidArgument.of_field(
            f"{field}.parts",
            f"has {len(text):,} characters; at most {LONGEST_CONTENT:,} are allowed",
        )
    return text


def _facts(
    source: pb.GenerateGroundedContentRequest.GroundingSource.InlineSource,
    field: str,
    *,
    first: int,
) -> list[Passage]:
    """Return the facts of an inline source; their ids count on from `first`.

    A fact has the attributes of its source, and its own.
    """
    facts = source.grounding_facts
    if not 1 <= len(facts) <= MOST_FACTS - first:
        raise InvalidArgument.of_field(
            f"{field}.grounding_facts",
            f"has {len(facts)} facts; 1 to {MOST_FACTS} are allowed, of all sources together",
        )
    found = []
    for number, fact in enumerate(facts):
        path = f"{field}.grounding_facts[{number}].fact_text"
        if not fact.fact_text.strip():
            raise InvalidArgument.of_field(path, "is empty")
        if len(fact.fact_text) > LONGEST_FACT:
            raise InvalidArgument.of_field(
                path, f"has {len(fact.fact_text):,} characters; at most {LONGEST_FACT:,} allowed"
            )
        attributes = {**source.attributes, **fact.attributes}
        found.append(
            Passage(
                text=fact.fact_text,
                kind=SourceKind.INLINE,
                id=str(first + number),
                title=attributes.get("title", ""),
                uri=attributes.get("uri", ""),
                struct_data=dict(sorted(attributes.items())),
            )
        )
    return found


def _response(
    context: CallContext, answer: Answer, whole: Answer | None
) -> pb.GenerateGroundedContentResponse:
    """Return what is new of an answer; with the whole, also what it rests on."""
    response: pb.GenerateGroundedContentResponse = context.new_message()
    candidate = response.candidates.add(index=0)
    candidate.content.role = _MODEL
    candidate.content.parts.add(text=answer.text)
    if whole is None or whole.skipped:
        return response
    if whole.grounding_score is not None:
        candidate.grounding_score = whole.grounding_score
    metadata = candidate.grounding_metadata
    kinds = {
        _Source.INLINE_CONTENT if item.kind is SourceKind.INLINE else _Source.VERTEX_AI_SEARCH
        for item in whole.references
    }
    for source in sorted(kinds):
        metadata.retrieval_metadata.add(source=source)
    for number, passage in enumerate(whole.references):
        chunk = metadata.support_chunks.add(
            chunk_text=passage.text,
            source=passage.id or passage.chunk,
            index=number,
            uri=passage.uri,
            title=passage.title,
        )
        chunk.source_metadata.update(_metadata(passage))
    for support in whole.supports:
        if support.needs_check:
            metadata.grounding_support.add(
                claim_text=whole.text[support.start : support.end].strip(),
                support_chunk_indices=support.sources,
                support_score=support.score,
            )
    return response


def _metadata(passage: Passage) -> Mapping[str, str]:
    """Return a fact's attributes, or which document and page a chunk is of."""
    if passage.kind is SourceKind.INLINE:
        return {key: str(value) for key, value in passage.struct_data.items()}
    found = {"document_name": passage.document, "page_identifier": passage.page}
    return {key: value for key, value in found.items() if value}
