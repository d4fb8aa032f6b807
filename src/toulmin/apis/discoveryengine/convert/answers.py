"""Answers to `Answer` messages. Offsets become UTF-8 bytes here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from toulmin.answering.answer import Answer, AnswerState, Attachment, BlockedRating, Step
from toulmin.answering.passages import Passage, SourceKind
from toulmin.apis.aip.operations import set_time
from toulmin.apis.discoveryengine.convert.documents import fill_struct
from toulmin.apis.discoveryengine.convert.fields import has_field
from toulmin.apis.discoveryengine.convert.offsets import ByteOffsets
from toulmin.apis.discoveryengine.convert.questions import CATEGORY_NUMBERS, CLASS_NUMBERS

_STATES: Final = {
    AnswerState.IN_PROGRESS: 1,
    AnswerState.FAILED: 2,
    AnswerState.SUCCEEDED: 3,
    AnswerState.STREAMING: 4,
}
_SKIPPED: Final = "AnswerSkippedReason"
_CORPUS, _GENERATED = 1, 2
_SNIPPET_CHARS: Final = 300
_SHOWN_RESULTS: Final = 10


def fill_answer(
    message: Any,
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
    reasons = message.DESCRIPTOR.enum_types_by_name[_SKIPPED].values_by_name
    message.answer_skipped_reasons.extend(reasons[reason.value].number for reason in answer.skipped)
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


def _fill_citations(message: Any, answer: Answer, whole: Answer) -> None:
    offsets = ByteOffsets(whole.text)
    for citation in answer.citations:
        item = message.citations.add(
            start_index=offsets.at(citation.start), end_index=offsets.at(citation.end)
        )
        _fill_sources(item, citation.sources)
    if answer.grounding_score is not None:
        message.grounding_score = answer.grounding_score
    for support in answer.supports:
        item = message.grounding_supports.add(
            start_index=offsets.at(support.start),
            end_index=offsets.at(support.end),
            grounding_check_required=support.needs_check,
        )
        if support.score is not None:
            item.grounding_score = support.score
        _fill_sources(item, support.sources)


def _fill_sources(message: Any, sources: Sequence[int]) -> None:
    for source in sources:
        message.sources.add(reference_id=str(source))


def _fill_reference(message: Any, passage: Passage, blobs: Sequence[int]) -> None:
    if passage.kind is SourceKind.STRUCTURED:
        info = message.structured_document_info
        info.document = passage.document
        fill_struct(info.struct_data, passage.struct_data)
        info.uri, info.title = passage.uri, passage.title
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


def _fill_chunk(info: Any, passage: Passage, blobs: Sequence[int]) -> None:
    info.chunk, info.content = passage.chunk, passage.text
    _fill_relevance(info, passage)
    _fill_blobs(info, blobs)
    metadata = info.document_metadata
    metadata.document, metadata.uri, metadata.title = passage.document, passage.uri, passage.title
    metadata.page_identifier = passage.page
    if passage.struct_data:
        fill_struct(metadata.struct_data, passage.struct_data)


def _fill_relevance(message: Any, passage: Passage) -> None:
    if passage.relevance is not None:
        message.relevance_score = round(passage.relevance, 6)


def _fill_blobs(message: Any, blobs: Sequence[int]) -> None:
    if has_field(message, "blob_attachment_indexes"):  # not in v1
        message.blob_attachment_indexes.extend(blobs)


def _fill_attachment(message: Any, attachment: Attachment) -> None:
    message.data.mime_type, message.data.data = attachment.mime_type, attachment.data
    message.attribution_type = _GENERATED if attachment.generated else _CORPUS


def _fill_step(message: Any, step: Step) -> None:
    message.state = _STATES[step.state]
    message.description, message.thought = step.description, step.thought
    for action in step.actions:
        item = message.actions.add()
        item.search_action.query = action.query
        for passage in action.found[:_SHOWN_RESULTS]:
            _fill_observation(item.observation.search_results.add(), passage)


def _fill_observation(message: Any, passage: Passage) -> None:
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


def _fill_rating(message: Any, item: BlockedRating) -> None:
    message.category = CATEGORY_NUMBERS[item.rating.category]
    message.probability = int(item.rating.probability)
    if item.rating.score is not None:
        message.probability_score = item.rating.score
    message.blocked = item.blocked
