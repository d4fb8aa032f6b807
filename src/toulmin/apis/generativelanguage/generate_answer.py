"""GenerativeService.GenerateAnswer: a question answered from passages given, or from a corpus.

https://ai.google.dev/api/question-answering
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from toulmin.answering.answer import Answer, BlockedRating, SkippedReason
from toulmin.answering.passages import Passage, SourceKind
from toulmin.answering.pipeline import Answerer
from toulmin.answering.question import AnswerStyle, BlockThreshold, Exchange, Question
from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.generativelanguage.model import check_model
from toulmin.apis.generativelanguage.names import parse_source
from toulmin.apis.generativelanguage.query import found_chunk_name, scope_of
from toulmin.apis.schema import generativelanguage_pb2 as pb
from toulmin.errors import InvalidArgument
from toulmin.retrieval.query import ResultMode, SearchQuery
from toulmin.retrieval.search import Searcher
from toulmin.safety.ratings import HarmCategory
from toulmin.stores.records import RecordStore

LONGEST_QUESTION: Final = 10_000
MOST_PASSAGES: Final = 200
LONGEST_PASSAGE: Final = 10_000
MOST_TURNS: Final = 100
DEFAULT_CHUNKS, MOST_CHUNKS = 5, 20
NO_ANSWER: Final = "The passages do not answer the question."
"""What is said when no passage has a word to say."""

_STYLES: Final = {
    pb.GenerateAnswerRequest.AnswerStyle.ABSTRACTIVE: AnswerStyle.ABSTRACTIVE,
    pb.GenerateAnswerRequest.AnswerStyle.EXTRACTIVE: AnswerStyle.EXTRACTIVE,
    pb.GenerateAnswerRequest.AnswerStyle.VERBOSE: AnswerStyle.VERBOSE,
}
_CATEGORIES: Final = {
    pb.HarmCategory.HARM_CATEGORY_HARASSMENT: HarmCategory.HARASSMENT,
    pb.HarmCategory.HARM_CATEGORY_HATE_SPEECH: HarmCategory.HATE_SPEECH,
    pb.HarmCategory.HARM_CATEGORY_SEXUALLY_EXPLICIT: HarmCategory.SEXUALLY_EXPLICIT,
    pb.HarmCategory.HARM_CATEGORY_DANGEROUS_CONTENT: HarmCategory.DANGEROUS_CONTENT,
}
_NUMBERS: Final = {name: number for number, name in _CATEGORIES.items()}
_Threshold: Final = pb.SafetySetting.HarmBlockThreshold
_THRESHOLDS: Final = {
    _Threshold.HARM_BLOCK_THRESHOLD_UNSPECIFIED: BlockThreshold.MEDIUM_AND_ABOVE,
    _Threshold.BLOCK_LOW_AND_ABOVE: BlockThreshold.LOW_AND_ABOVE,
    _Threshold.BLOCK_MEDIUM_AND_ABOVE: BlockThreshold.MEDIUM_AND_ABOVE,
    _Threshold.BLOCK_ONLY_HIGH: BlockThreshold.ONLY_HIGH,
    _Threshold.BLOCK_NONE: BlockThreshold.NONE,
    _Threshold.OFF: BlockThreshold.OFF,
}
_USER, _MODEL = "user", "model"
_Finish: Final = pb.Candidate.FinishReason
_Block: Final = pb.GenerateAnswerResponse.InputFeedback.BlockReason
_Probability: Final = pb.SafetyRating.HarmProbability


def register_generate_answer(
    registry: Registry,
    *,
    records: Callable[[], RecordStore],
    searcher: Callable[[], Searcher],
    answerer: Callable[[], Answerer],
    language_model: str = "",
) -> None:
    """Bind GenerateAnswer, in v1beta and v1alpha.

    Args:
        registry: Takes the handler.
        records: Returns the record store.
        searcher: Returns what searches corpora.
        answerer: Returns what answers.
        language_model: Name of the language model that it writes with; empty: there is none.
    """
    handler = _GenerateAnswer(records, searcher, answerer, language_model)
    registry.register("generativelanguage", "GenerativeService", "GenerateAnswer", handler)


@dataclass(frozen=True, slots=True)
class _GenerateAnswer:
    records: Callable[[], RecordStore]
    searcher: Callable[[], Searcher]
    answerer: Callable[[], Answerer]
    language_model: str

    def __call__(
        self, request: pb.GenerateAnswerRequest, context: CallContext
    ) -> pb.GenerateAnswerResponse:
        check_model(request.model, "generateAnswer", language_model=self.language_model)
        history, text = _conversation(request.contents)
        question = Question(
            text=text,
            history=history,
            style=_style(request.answer_style),
            temperature=_temperature(request),
            given=self._passages(request, context),
            with_citations=True,
            safety=_safety(request.safety_settings),
            always=True,
        )
        answer = self.answerer().answer(question, work=work_of(context, "the answer"))
        response: pb.GenerateAnswerResponse = context.new_message()
        _fill(response, answer)
        return response

    def _passages(
        self, request: pb.GenerateAnswerRequest, context: CallContext
    ) -> tuple[Passage, ...]:
        kind = request.WhichOneof("grounding_source")
        if kind == "inline_passages":
            return _inline(request.inline_passages)
        if kind == "semantic_retriever":
            return self._retrieved(request.semantic_retriever, context)
        raise InvalidArgument.of_field(
            "grounding_source", "is missing; send inline_passages or semantic_retriever"
        )

    def _retrieved(
        self, config: pb.SemanticRetrieverConfig, context: CallContext
    ) -> tuple[Passage, ...]:
        """Return the chunks of a corpus, or of one document, that fit the config's query."""
        corpus_id, document_id = parse_source(
            config.source, context.caller, field="semantic_retriever.source"
        )
        text = _text_of(config.query, "semantic_retriever.query")
        _check_length(text, "semantic_retriever.query")
        count = config.max_chunks_count
        if not 0 <= count <= MOST_CHUNKS:
            raise InvalidArgument.of_field(
                "semantic_retriever.max_chunks_count",
                f"{count} must be 1 to {MOST_CHUNKS}, or 0 for the default of {DEFAULT_CHUNKS}",
            )
        least = config.minimum_relevance_score
        if not 0 <= least <= 1:  # also NaN
            raise InvalidArgument.of_field(
                "semantic_retriever.minimum_relevance_score", f"{least:g} is outside [0, 1]"
            )
        with self.records().read() as transaction:
            scope = scope_of(
                transaction,
                corpus_id,
                document_id,
                config.metadata_filters,
                field="semantic_retriever.metadata_filters",
            )
        results = self.searcher().search(
            SearchQuery(
                scopes=[scope],
                text=text,
                mode=ResultMode.CHUNKS,
                page_size=count or DEFAULT_CHUNKS,
                min_relevance=least,
            ),
            work=work_of(context, "the search"),
        )
        return tuple(
            Passage(
                text=found.chunk.content,
                kind=SourceKind.CHUNK,
                id=config.source,
                chunk=found_chunk_name(found),
                title=str(found.document.derived.get("title") or ""),
                relevance=found.relevance,
            )
            for found in results.chunks
        )


def _conversation(contents: Sequence[pb.Content]) -> tuple[tuple[Exchange, ...], str]:
    """Return the earlier exchanges and the question, which is the last content."""
    if not contents:
        raise InvalidArgument.of_field("contents", "is empty; its last entry is the question")
    if len(contents) > MOST_TURNS:
        raise InvalidArgument.of_field(
            "contents", f"has {len(contents)} entries; at most {MOST_TURNS} are allowed"
        )
    texts = [_text_of(item, f"contents[{number}]") for number, item in enumerate(contents)]
    for number, item in enumerate(contents):
        _check_role(item.role, f"contents[{number}].role", is_last=number == len(contents) - 1)
    history: list[Exchange] = []
    for item, text in zip(contents[:-1], texts[:-1], strict=True):
        if item.role != _MODEL:
            history.append(Exchange(text))
            continue
        before = history.pop() if history else Exchange("")
        answer = f"{before.answer}\n{text}" if before.answer else text
        history.append(Exchange(before.question, answer))
    _check_length(texts[-1], f"contents[{len(texts) - 1}]")
    return tuple(history), texts[-1]


def _check_length(text: str, field: str) -> None:
    if len(text) > LONGEST_QUESTION:
        raise InvalidArgument.of_field(
            field, f"has {len(text):,} characters; at most {LONGEST_QUESTION:,} are allowed"
        )


def _check_role(role: str, field: str, *, is_last: bool) -> None:
    if role not in ("", _USER, _MODEL):
        raise InvalidArgument.of_field(field, f'"{role[:200]}" must be {_USER} or {_MODEL}')
    if is_last and role == _MODEL:
        raise InvalidArgument.of_field(
            field, f"is {_MODEL}; the last entry is the question, which a {_USER} asks"
        )


def _text_of(content: pb.Content, field: str) -> str:
    """Return the words of a `Content`.

    Raises:
        InvalidArgument: It has none, or a part that is no text.
    """
    for number, part in enumerate(content.parts):
        kind = part.WhichOneof("data")
        if kind not in (None, "text"):
            raise InvalidArgument.of_field(
                f"{field}.parts[{number}]", f"is {kind}; only text is read"
            )
    text = "\n".join(part.text for part in content.parts if part.text)
    if not text.strip():
        raise InvalidArgument.of_field(f"{field}.parts", "has no text")
    return text


def _inline(source: pb.GroundingPassages) -> tuple[Passage, ...]:
    if not source.passages:
        raise InvalidArgument.of_field("inline_passages.passages", "is empty; send one or more")
    if len(source.passages) > MOST_PASSAGES:
        raise InvalidArgument.of_field(
            "inline_passages.passages",
            f"has {len(source.passages)} passages; at most {MOST_PASSAGES} are allowed",
        )
    found = []
    for number, passage in enumerate(source.passages):
        field = f"inline_passages.passages[{number}].content"
        _text_of(passage.content, field)
        for part, item in enumerate(passage.content.parts):
            if len(item.text) > LONGEST_PASSAGE:
                raise InvalidArgument.of_field(
                    f"{field}.parts[{part}]",
                    f"has {len(item.text):,} characters; at most {LONGEST_PASSAGE:,} are allowed",
                )
            if item.text.strip():
                found.append(
                    Passage(text=item.text, kind=SourceKind.INLINE, id=passage.id, part=part)
                )
    return tuple(found)


def _style(number: pb.GenerateAnswerRequest.AnswerStyle.ValueType) -> AnswerStyle:
    if number not in _STYLES:
        raise InvalidArgument.of_field(
            "answer_style", "is required: ABSTRACTIVE, EXTRACTIVE or VERBOSE"
        )
    return _STYLES[number]


def _temperature(request: pb.GenerateAnswerRequest) -> float | None:
    if not request.HasField("temperature"):
        return None
    if not 0 <= request.temperature <= 1:  # also NaN
        raise InvalidArgument.of_field("temperature", f"{request.temperature:g} is outside [0, 1]")
    return float(request.temperature)


def _safety(settings: Sequence[pb.SafetySetting]) -> dict[HarmCategory, BlockThreshold]:
    found: dict[HarmCategory, BlockThreshold] = {}
    for number, setting in enumerate(settings):
        field = f"safety_settings[{number}]"
        category = _CATEGORIES.get(setting.category)
        if category is None:
            raise InvalidArgument.of_field(
                f"{field}.category",
                "must be HARM_CATEGORY_HATE_SPEECH, _SEXUALLY_EXPLICIT, _DANGEROUS_CONTENT or"
                " _HARASSMENT",
            )
        if category in found:
            raise InvalidArgument.of_field(f"{field}.category", "is there twice")
        if setting.threshold not in _THRESHOLDS:
            raise InvalidArgument.of_field(f"{field}.threshold", f"{setting.threshold} is none")
        found[category] = _THRESHOLDS[setting.threshold]
    return found


def _fill(response: pb.GenerateAnswerResponse, answer: Answer) -> None:
    """Write an answer into an empty `GenerateAnswerResponse`."""
    feedback = response.input_feedback
    for item in answer.question_ratings:
        _fill_rating(feedback.safety_ratings.add(), item)
    if any(item.blocked for item in answer.question_ratings):
        feedback.block_reason = _Block.SAFETY
        return
    if SkippedReason.CUSTOMER_POLICY_VIOLATION in answer.skipped:
        feedback.block_reason = _Block.OTHER
        return
    candidate = response.answer
    candidate.index = 0
    for item in answer.safety_ratings:
        _fill_rating(candidate.safety_ratings.add(), item)
    response.answerable_probability = answer.answerable or 0.0
    if SkippedReason.POTENTIAL_POLICY_VIOLATION in answer.skipped:
        candidate.finish_reason = _Finish.SAFETY
        return
    candidate.finish_reason = _Finish.STOP
    candidate.content.role = _MODEL
    candidate.content.parts.add(text=NO_ANSWER if answer.skipped else answer.text)
    if not answer.skipped:
        for passage in answer.references:
            _fill_attribution(candidate.grounding_attributions.add(), passage)


def _fill_attribution(message: pb.GroundingAttribution, passage: Passage) -> None:
    if passage.kind is SourceKind.INLINE:
        source = message.source_id.grounding_passage
        source.passage_id, source.part_index = passage.id, passage.part
    else:
        chunk = message.source_id.semantic_retriever_chunk
        chunk.source, chunk.chunk = passage.id, passage.chunk
    message.content.parts.add(text=passage.text)


def _fill_rating(message: pb.SafetyRating, item: BlockedRating) -> None:
    message.category = _NUMBERS[item.rating.category]
    message.probability = _Probability.Value(item.rating.probability.name)
    message.blocked = item.blocked
