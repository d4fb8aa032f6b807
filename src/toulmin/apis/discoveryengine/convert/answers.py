"""Answers to `Answer` messages. Offsets become UTF-8 bytes here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from toulmin.answering.answer import Answer, AnswerState, Attachment, BlockedRating, Step
from toulmin.answering.passages import Passage, SourceKind
from toulmin.apis.aip.operations import set_time
from toulmin.apis.discoveryengine.convert.documents import fill_struct
from toulmin.apis.discoveryengine.convert.fields import has_field
from toulmin.apis.discoveryengine.convert.offsets import ByteOffsets
from toulmin.apis.discoveryengine.convert.questions import CATEGORY_NUMBERS, CLASS_NUMBERS
from toulmin.apis.schema import discoveryengine_pb2 as pb

_STATES: Final = {
    AnswerState.IN_PROGRESS: pb.Answer.State.IN_PROGRESS,
    AnswerState.FAILED: pb.Answer.State.FAILED,
    AnswerState.SUCCEEDED: pb.Answer.State.SUCCEEDED,
    AnswerState.STREAMING: pb.Answer.State.STREAMING,
}
_STEP_STATES: Final = {
    AnswerState.IN_PROGRESS: pb.Answer.Step.State.IN_PROGRESS,
    AnswerState.FAILED: pb.Answer.Step.State.FAILED,
    AnswerState.SUCCEEDED: pb.Answer.Step.State.SUCCEEDED,
}
_Skipped: Final = pb.Answer.AnswerSkippedReason
_Attribution: Final = pb.Answer.BlobAttachment.AttributionType
_Probability: Final = pb.SafetyRating.HarmProbability
_SNIPPET_CHARS: Final = 300
_SHOWN_RESULTS: Final = 10


def fill_answer(
    message: pb.Answer,
    answer: Answer,
    *,
    whole: Answer | None = None,
    name: str = "",
    created: datetime | None = None,
    completed: datetime | None = None,
) -> None:
    """Write an answer into an empty `Answer` message of any version; what it lacks is left out.

    Args:
        message: The message to fill.
        answer: The answer, or what is new of it.
        whole: The answer as a whole, which offsets are of; None: the same.
        name: Its resource name; empty: it is not kept.
        created: When it was asked for.
        completed: When it was whole; None: not yet.
    """
    message.name = name
    message.state = _STATES[answer.state]
    message.answer_text = answer.text
    _fill_citations(message, answer, whole or answer)
    for index, passage in enumerate(answer.references):
        blobs = answer.reference_blobs[index] if answer.reference_blobs else ()
        _fill_reference(message.references.add(), passage, blobs)
    if has_field(message, "blob_attachments"):
        for attachment in answer.attachments:
            _fill_attachment(message.blob_attachments.add(), attachment)
    message.related_questions.extend(answer.related_questions)
    for step in answer.steps:
        _fill_step(message.steps.add(), step)
    for kind, positive in answer.classes:
        info = message.query_understanding_info.query_classification_info.add()
        info.type, info.positive = CLASS_NUMBERS[kind], positive
    message.answer_skipped_reasons.extend(_Skipped.Value(reason.value) for reason in answer.skipped)
    for rating in answer.safety_ratings:
        _fill_rating(message.safety_ratings.add(), rating)
    set_time(message.create_time, created)
    set_time(message.complete_time, completed)


def delta_of(answer: Answer, before: Answer) -> Answer:
    """Return what an answer has more than an earlier state of it, in the places of the whole."""
    return replace(
        answer,
        text=answer.text[len(before.text) :],
        citations=answer.citations[len(before.citations) :],
        supports=answer.supports[len(before.supports) :],
        references=answer.references[len(before.references) :],
        steps=answer.steps[len(before.steps) :],
        classes=() if before.classes == answer.classes else answer.classes,
    )


def _fill_citations(message: pb.Answer, answer: Answer, whole: Answer) -> None:
    offsets = ByteOffsets(whole.text)
    for citation in answer.citations:
        item = message.citations.add(
            start_index=offsets.at(citation.start), end_index=offsets.at(citation.end)
        )
        _fill_sources(item, citation.sources)
    if answer.grounding_score is not None:
        message.grounding_score = answer.grounding_score
    for support in answer.supports:
        supported = message.grounding_supports.add(
            start_index=offsets.at(support.start),
            end_index=offsets.at(support.end),
            grounding_check_required=support.needs_check,
        )
        if support.score is not None:
            supported.grounding_score = support.score
        _fill_sources(supported, support.sources)


def _fill_sources(
    message: pb.Answer.Citation | pb.Answer.GroundingSupport, sources: Sequence[int]
) -> None:
    for source in sources:
        message.sources.add(reference_id=str(source))


def _fill_reference(message: pb.Answer.Reference, passage: Passage, blobs: Sequence[int]) -> None:
    if passage.kind is SourceKind.STRUCTURED:
        structured = message.structured_document_info
        structured.document = passage.document
        fill_struct(structured.struct_data, passage.struct_data)
        structured.uri, structured.title = passage.uri, passage.title
    elif passage.kind is SourceKind.CHUNK:
        _fill_chunk(message.chunk_info, passage, blobs)
    else:
        info = message.unstructured_document_info
        info.document, info.uri, info.title = passage.document, passage.uri, passage.title
        if passage.struct_data:
            fill_struct(info.struct_data, passage.struct_data)
        content = info.chunk_contents.add(content=passage.text, page_identifier=passage.page)
        _fill_relevance(content, passage)
        _fill_blobs(content, blobs)


def _fill_chunk(
    info: pb.Answer.Reference.ChunkInfo, passage: Passage, blobs: Sequence[int]
) -> None:
    info.chunk, info.content = passage.chunk, passage.text
    _fill_relevance(info, passage)
    _fill_blobs(info, blobs)
    metadata = info.document_metadata
    metadata.document, metadata.uri, metadata.title = passage.document, passage.uri, passage.title
    metadata.page_identifier = passage.page
    if passage.struct_data:
        fill_struct(metadata.struct_data, passage.struct_data)


def _fill_relevance(
    message: pb.Answer.Reference.ChunkInfo
    | pb.Answer.Reference.UnstructuredDocumentInfo.ChunkContent
    | pb.Answer.Step.Action.Observation.SearchResult.ChunkInfo,
    passage: Passage,
) -> None:
    if passage.relevance is not None:
        message.relevance_score = round(passage.relevance, 6)


def _fill_blobs(
    message: pb.Answer.Reference.ChunkInfo
    | pb.Answer.Reference.UnstructuredDocumentInfo.ChunkContent,
    blobs: Sequence[int],
) -> None:
    if has_field(message, "blob_attachment_indexes"):  # not in v1
        message.blob_attachment_indexes.extend(blobs)


def _fill_attachment(message: pb.Answer.BlobAttachment, attachment: Attachment) -> None:
    message.data.mime_type, message.data.data = attachment.mime_type, attachment.data
    message.attribution_type = (
        _Attribution.GENERATED if attachment.generated else _Attribution.CORPUS
    )


def _fill_step(message: pb.Answer.Step, step: Step) -> None:
    message.state = _STEP_STATES[step.state]
    message.description, message.thought = step.description, step.thought
    for action in step.actions:
        item = message.actions.add()
        item.search_action.query = action.query
        for passage in action.found[:_SHOWN_RESULTS]:
            _fill_observation(item.observation.search_results.add(), passage)


def _fill_observation(
    message: pb.Answer.Step.Action.Observation.SearchResult, passage: Passage
) -> None:
    """Write what a search found: a chunk as a whole, of a document a snippet."""
    message.document, message.uri, message.title = passage.document, passage.uri, passage.title
    if passage.kind is SourceKind.CHUNK:
        chunk = message.chunk_info.add(chunk=passage.chunk, content=passage.text)
        _fill_relevance(chunk, passage)
        return
    snippet = passage.text[:_SNIPPET_CHARS]
    message.snippet_info.add(snippet=snippet, snippet_status="SUCCESS")
    if passage.kind is SourceKind.STRUCTURED and passage.struct_data:
        fill_struct(message.struct_data, passage.struct_data)


def _fill_rating(message: pb.SafetyRating, item: BlockedRating) -> None:
    message.category = CATEGORY_NUMBERS[item.rating.category]
    message.probability = _Probability.Value(item.rating.probability.name)
    if item.rating.score is not None:
        message.probability_score = item.rating.score
    message.blocked = item.blocked
