"""`AnswerQueryRequest` messages to questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toulmin.answering.passages import Passage, SourceKind
from toulmin.answering.question import (
    AnswerStyle,
    BlockThreshold,
    Exchange,
    FilteringLevel,
    ImageSource,
    Question,
    UnderstoodClass,
)
from toulmin.apis.discoveryengine.convert.boosts import boosts_of
from toulmin.apis.discoveryengine.convert.fields import has_field
from toulmin.apis.discoveryengine.convert.search_requests import LONGEST_QUERY, scopes_of
from toulmin.apis.discoveryengine.convert.user_labels import check_user_labels
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.errors import InvalidArgument, Unimplemented
from toulmin.retrieval.filters import parse_filter
from toulmin.retrieval.ordering import parse_order_by
from toulmin.retrieval.query import ResultMode, SearchQuery
from toulmin.safety.ratings import HarmCategory

DEFAULT_RESULTS, MOST_RESULTS = 10, 25
MOST_REPHRASE_STEPS: Final = 5
LONGEST_PREAMBLE: Final = 20_000
LONGEST_CONTEXT: Final = 8_000
LONGEST_USER_ID: Final = 128
MOST_GIVEN: Final = 100

_Class: Final = pb.AnswerQueryRequest.QueryUnderstandingSpec.QueryClassificationSpec.Type
_CLASSES: Final = {
    _Class.ADVERSARIAL_QUERY: UnderstoodClass.ADVERSARIAL,
    _Class.NON_ANSWER_SEEKING_QUERY: UnderstoodClass.CHIT_CHAT,
    _Class.JAIL_BREAKING_QUERY: UnderstoodClass.JAILBREAK,
    _Class.NON_ANSWER_SEEKING_QUERY_V2: UnderstoodClass.NO_CLEAR_INTENT,
    _Class.USER_DEFINED_CLASSIFICATION_QUERY: UnderstoodClass.USER_DEFINED,
}
_Found: Final = pb.Answer.QueryUnderstandingInfo.QueryClassificationInfo.Type
CLASS_NUMBERS: Final = {
    UnderstoodClass.ADVERSARIAL: _Found.ADVERSARIAL_QUERY,
    UnderstoodClass.CHIT_CHAT: _Found.NON_ANSWER_SEEKING_QUERY,
    UnderstoodClass.JAILBREAK: _Found.JAIL_BREAKING_QUERY,
    UnderstoodClass.NO_CLEAR_INTENT: _Found.NON_ANSWER_SEEKING_QUERY_V2,
    UnderstoodClass.USER_DEFINED: _Found.USER_DEFINED_CLASSIFICATION_QUERY,
}

_Filtering: Final = pb.AnswerQueryRequest.GroundingSpec.FilteringLevel
_FILTERING: Final = {
    _Filtering.FILTERING_LEVEL_LOW: FilteringLevel.LOW,
    _Filtering.FILTERING_LEVEL_HIGH: FilteringLevel.HIGH,
}
_Images: Final = pb.AnswerQueryRequest.AnswerGenerationSpec.MultimodalSpec.ImageSource
_IMAGES: Final = {
    _Images.ALL_AVAILABLE_SOURCES: ImageSource.ALL,
    _Images.CORPUS_IMAGE_ONLY: ImageSource.CORPUS,
    _Images.FIGURE_GENERATION_ONLY: ImageSource.GENERATED,
}
_Threshold: Final = pb.AnswerQueryRequest.SafetySpec.SafetySetting.HarmBlockThreshold
_THRESHOLDS: Final = {
    _Threshold.HARM_BLOCK_THRESHOLD_UNSPECIFIED: BlockThreshold.MEDIUM_AND_ABOVE,
    _Threshold.BLOCK_LOW_AND_ABOVE: BlockThreshold.LOW_AND_ABOVE,
    _Threshold.BLOCK_MEDIUM_AND_ABOVE: BlockThreshold.MEDIUM_AND_ABOVE,
    _Threshold.BLOCK_ONLY_HIGH: BlockThreshold.ONLY_HIGH,
    _Threshold.BLOCK_NONE: BlockThreshold.NONE,
    _Threshold.OFF: BlockThreshold.OFF,
}
_CATEGORIES: Final = {
    pb.HarmCategory.HARM_CATEGORY_HATE_SPEECH: HarmCategory.HATE_SPEECH,
    pb.HarmCategory.HARM_CATEGORY_DANGEROUS_CONTENT: HarmCategory.DANGEROUS_CONTENT,
    pb.HarmCategory.HARM_CATEGORY_HARASSMENT: HarmCategory.HARASSMENT,
    pb.HarmCategory.HARM_CATEGORY_SEXUALLY_EXPLICIT: HarmCategory.SEXUALLY_EXPLICIT,
}
CATEGORY_NUMBERS: Final = {name: number for number, name in _CATEGORIES.items()}
_CHUNKS: Final = pb.SearchRequest.ContentSearchSpec.SearchResultMode.CHUNKS
_Extraction: Final = (
    pb.SearchRequest.NaturalLanguageQueryUnderstandingSpec.FilterExtractionCondition
)
LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}\Z")


def question_of(
    request: pb.AnswerQueryRequest,
    text: str,
    data_stores: Sequence[str],
    *,
    owner: str,
    history: Sequence[Exchange],
) -> Question:
    """Return the question of an `AnswerQueryRequest` of any version.

    Args:
        request: The request.
        text: The words of the question.
        data_stores: Canonical names of what the serving config searches.
        owner: Its data store or engine, for errors.
        history: The session's earlier questions.

    Raises:
        InvalidArgument: A value is wrong; names field, limit and value.
        Unimplemented: A field asks for what this version does not do.
    """
    _check(request, text)
    spec = request.answer_generation_spec
    understanding = request.query_understanding_spec
    rephraser = understanding.query_rephraser_spec
    given = _given(request.search_spec.search_result_list)
    grounding = request.grounding_spec
    return Question(
        text=text,
        history=tuple(history),
        search=None if given else _search(request, data_stores, owner),
        given=given,
        user_context=_user_context(request),
        style=AnswerStyle.ABSTRACTIVE,
        preamble=spec.prompt_spec.preamble,
        language=spec.answer_language_code,
        max_rephrase_steps=0 if rephraser.disable else max(1, rephraser.max_rephrase_steps),
        classify=_classes(understanding.query_classification_spec),
        ignore=_ignored(spec, request),
        ignore_low_relevance=spec.ignore_low_relevant_content
        if spec.HasField("ignore_low_relevant_content")
        else True,
        filtering=_FILTERING.get(grounding.filtering_level, FilteringLevel.NONE),
        with_citations=spec.include_citations,
        with_supports=grounding.include_grounding_supports,
        with_related=request.related_questions_spec.enable,
        images=_images(spec),
        safety=_safety(request.safety_spec),
        correct_spelling=not understanding.disable_spell_correction,
    )


def query_text(query: pb.Query, *, field: str) -> str:
    """Return the words of a `Query`: its text, and that of its parts in v1alpha.

    Raises:
        Unimplemented: A part is something else than text.
    """
    texts = [query.text] if query.text else []
    for number, part in enumerate(query.parts if has_field(query, "parts") else ()):
        other = next((item.name for item, _ in part.ListFields() if item.name != "text"), "")
        if other and (other, part.mime_type) != ("mime_type", "text/plain"):
            raise Unimplemented(
                f"{field}.parts[{number}].{other} is not implemented in this version of Toulmin;"
                " send text"
            )
        texts.append(part.text)
    return "\n".join(texts)


def _search(request: pb.AnswerQueryRequest, data_stores: Sequence[str], owner: str) -> SearchQuery:
    params = request.search_spec.search_params
    field = "search_spec.search_params"
    _refuse_unimplemented(params, field)
    if params.max_return_results < 0:
        raise InvalidArgument.of_field(
            f"{field}.max_return_results", f"{params.max_return_results} is negative"
        )
    is_chunks = params.search_result_mode == _CHUNKS
    return SearchQuery(
        scopes=scopes_of(params, data_stores, owner=owner, prefix=f"{field}."),
        mode=ResultMode.CHUNKS if is_chunks else ResultMode.DOCUMENTS,
        filter=parse_filter(params.filter, field=f"{field}.filter"),
        order_by=parse_order_by(params.order_by, field=f"{field}.order_by"),
        boosts=boosts_of(params.boost_spec, field=f"{field}.boost_spec"),
        page_size=min(params.max_return_results or DEFAULT_RESULTS, MOST_RESULTS),
    )


def _refuse_unimplemented(
    params: pb.AnswerQueryRequest.SearchSpec.SearchParams, field: str
) -> None:
    """Refuse what would change the passages that are found, and does not here."""
    understanding = "natural_language_query_understanding_spec"
    refused = ""
    if has_field(params, understanding):  # v1 has none
        spec = params.natural_language_query_understanding_spec
        if spec.filter_extraction_condition == _Extraction.ENABLED:
            refused = understanding
    if has_field(params, "custom_fine_tuning_spec") and params.HasField("custom_fine_tuning_spec"):
        refused = "custom_fine_tuning_spec"  # v1alpha only
    if refused:
        raise Unimplemented(f"{field}.{refused} is not implemented in this version of Toulmin")


def _given(results: pb.AnswerQueryRequest.SearchSpec.SearchResultList) -> tuple[Passage, ...]:
    """Return the passages that the caller brings."""
    field = "search_spec.search_result_list.search_results"
    if len(results.search_results) > MOST_GIVEN:
        raise InvalidArgument.of_field(
            field, f"has {len(results.search_results)} results; at most {MOST_GIVEN} are allowed"
        )
    found: list[Passage] = []
    for number, result in enumerate(results.search_results):
        kind = result.WhichOneof("content")
        if kind == "unstructured_document_info":
            found += _of_document(result.unstructured_document_info)
        elif kind == "chunk_info":
            found.append(_of_chunk(result.chunk_info))
        else:
            raise InvalidArgument.of_field(f"{field}[{number}]", "has no content")
    if results.search_results and not any(passage.text.strip() for passage in found):
        raise InvalidArgument.of_field(field, "have no text")
    return tuple(found)


def _of_document(
    info: pb.AnswerQueryRequest.SearchSpec.SearchResultList.SearchResult.UnstructuredDocumentInfo,
) -> list[Passage]:
    """Return its segments and contexts, or its answers where it has nothing longer."""
    parts = [
        *((part.content, part.page_identifier) for part in info.extractive_segments),
        *((part.content, part.page_identifier) for part in info.document_contexts),
    ]
    answers = [(part.content, part.page_identifier) for part in info.extractive_answers]
    return [
        Passage(text=text, document=info.document, uri=info.uri, title=info.title, page=page)
        for text, page in parts or answers
    ]


def _of_chunk(
    info: pb.AnswerQueryRequest.SearchSpec.SearchResultList.SearchResult.ChunkInfo,
) -> Passage:
    return Passage(
        text=info.content,
        kind=SourceKind.CHUNK,
        chunk=info.chunk,
        document=info.chunk.partition("/chunks/")[0],
        uri=info.document_metadata.uri,
        title=info.document_metadata.title,
    )


def _user_context(request: pb.AnswerQueryRequest) -> tuple[Passage, ...]:
    found = []
    for number, item in enumerate(request.end_user_spec.end_user_metadata):
        field = f"end_user_spec.end_user_metadata[{number}].chunk_info.content"
        content = item.chunk_info.content
        if not content.strip():
            raise InvalidArgument.of_field(field, "is empty")
        if len(content) > LONGEST_CONTEXT:
            raise InvalidArgument.of_field(
                field, f"has {len(content):,} characters; at most {LONGEST_CONTEXT:,} are allowed"
            )
        title = item.chunk_info.document_metadata.title
        found.append(Passage(text=content, kind=SourceKind.USER, title=title))
    return tuple(found)


def _classes(
    spec: pb.AnswerQueryRequest.QueryUnderstandingSpec.QueryClassificationSpec,
) -> frozenset[UnderstoodClass]:
    field = "query_understanding_spec.query_classification_spec.types"
    found = set()
    for number, value in enumerate(spec.types):
        if value not in _CLASSES:
            raise InvalidArgument.of_field(f"{field}[{number}]", f"{value} is not a class")
        found.add(_CLASSES[value])
    return frozenset(found)


def _ignored(
    spec: pb.AnswerQueryRequest.AnswerGenerationSpec, request: pb.AnswerQueryRequest
) -> frozenset[UnderstoodClass]:
    """Return the classes whose questions are not answered.

    `ignore_non_answer_seeking_query` is for chit-chat; for queries without clear intent, too, where
    the request asks to look for them. The class that a serving config describes is ignored wherever
    that is enabled, so it is not looked at here.
    """
    asked = _classes(request.query_understanding_spec.query_classification_spec)
    found = set()
    if spec.ignore_adversarial_query:
        found.add(UnderstoodClass.ADVERSARIAL)
    if spec.ignore_non_answer_seeking_query:
        found.add(UnderstoodClass.CHIT_CHAT)
        found |= asked & {UnderstoodClass.NO_CLEAR_INTENT}
    if spec.ignore_jail_breaking_query:
        found.add(UnderstoodClass.JAILBREAK)
    return frozenset(found)


def _images(spec: pb.AnswerQueryRequest.AnswerGenerationSpec) -> ImageSource:
    if not has_field(spec, "multimodal_spec"):  # v1
        return ImageSource.NONE
    return _IMAGES.get(spec.multimodal_spec.image_source, ImageSource.NONE)


def _safety(spec: pb.AnswerQueryRequest.SafetySpec) -> dict[HarmCategory, BlockThreshold] | None:
    if not spec.enable:
        return None
    found: dict[HarmCategory, BlockThreshold] = {}
    for number, setting in enumerate(spec.safety_settings):
        field = f"safety_spec.safety_settings[{number}]"
        if setting.category == pb.HarmCategory.HARM_CATEGORY_CIVIC_INTEGRITY:
            continue  # not rated: nothing to measure it on
        if setting.category not in _CATEGORIES:
            raise InvalidArgument.of_field(f"{field}.category", f"{setting.category} is none")
        category = _CATEGORIES[setting.category]
        if category in found:
            raise InvalidArgument.of_field(f"{field}.category", "is there twice")
        if setting.threshold not in _THRESHOLDS:
            raise InvalidArgument.of_field(f"{field}.threshold", f"{setting.threshold} is none")
        found[category] = _THRESHOLDS[setting.threshold]
    return found


def _check(request: pb.AnswerQueryRequest, text: str) -> None:
    if not text.strip():
        raise InvalidArgument.of_field("query.text", "is empty; send the question")
    if len(text) > LONGEST_QUERY:
        raise InvalidArgument.of_field(
            "query.text", f"has {len(text):,} characters; at most {LONGEST_QUERY:,} are allowed"
        )
    preamble = request.answer_generation_spec.prompt_spec.preamble
    if len(preamble) > LONGEST_PREAMBLE:
        raise InvalidArgument.of_field(
            "answer_generation_spec.prompt_spec.preamble",
            f"has {len(preamble):,} characters; at most {LONGEST_PREAMBLE:,} are allowed",
        )
    language = request.answer_generation_spec.answer_language_code
    if language and not LANGUAGE.match(language):
        raise InvalidArgument.of_field(
            "answer_generation_spec.answer_language_code",
            f'"{language[:100]}" is no BCP 47 language code, such as en or pt-BR',
        )
    steps = request.query_understanding_spec.query_rephraser_spec.max_rephrase_steps
    if steps > MOST_REPHRASE_STEPS:  # below 1 it means 1, says the API
        raise InvalidArgument.of_field(
            "query_understanding_spec.query_rephraser_spec.max_rephrase_steps",
            f"{steps} must be at most {MOST_REPHRASE_STEPS}",
        )
    if len(request.user_pseudo_id) > LONGEST_USER_ID:
        raise InvalidArgument.of_field(
            "user_pseudo_id",
            f"has {len(request.user_pseudo_id):,} characters; at most {LONGEST_USER_ID} allowed",
        )
    check_user_labels(request.user_labels)
