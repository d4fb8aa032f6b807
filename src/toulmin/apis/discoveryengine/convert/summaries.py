"""Summaries of search results: the answer to the query from the first of them.

In `SearchResponse.summary`, and in the replies of conversations. The same pipeline answers as for
`:answer`. In `summary_text` citations stand as [1], [2] at the end of what they bear out, before
its full stop; the numbers are those of the search results, or of the references where
`use_semantic_chunks` asks for these only (comments of `SummarySpec`). `model_spec` is ignored:
which language model composes is the server's setting.
https://cloud.google.com/generative-ai-app-builder/docs/get-search-summaries
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from toulmin.answering.answer import Answer, Attachment, SkippedReason
from toulmin.answering.passages import Passage, SourceKind
from toulmin.answering.question import Exchange, ImageSource, Question, UnderstoodClass
from toulmin.answering.searching import CHUNKS_OF_DOCUMENT, passage_of
from toulmin.apis.discoveryengine.convert.documents import title_of, uri_of
from toulmin.apis.discoveryengine.convert.fields import has_field
from toulmin.apis.discoveryengine.convert.offsets import ByteOffsets
from toulmin.apis.discoveryengine.names import chunk_name, document_name
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import Branch
from toulmin.errors import InvalidArgument
from toulmin.retrieval.query import ResultMode
from toulmin.retrieval.results import FoundChunk, FoundDocument, SearchResults

MOST_RESULTS, MOST_CHUNKS = 10, 50
LONGEST_PREAMBLE: Final = 20_000
_FULL_STOPS: Final = ".!?。！？"  # noqa: RUF001 - Japanese ones, too
_Images: Final = pb.SearchRequest.ContentSearchSpec.SummarySpec.MultiModalSpec.ImageSource
_IMAGES: Final = {
    _Images.ALL_AVAILABLE_SOURCES: ImageSource.ALL,
    _Images.CORPUS_IMAGE_ONLY: ImageSource.CORPUS,
    _Images.FIGURE_GENERATION_ONLY: ImageSource.GENERATED,
}
_Attribution: Final = pb.SearchResponse.Summary.BlobAttachment.AttributionType
_Skipped: Final = pb.SearchResponse.Summary.SummarySkippedReason
_NOTHING_RELEVANT: Final = "NO_RELEVANT_CONTENT"
_SKIPPED: Final = {
    SkippedReason.ADVERSARIAL_QUERY_IGNORED: "ADVERSARIAL_QUERY_IGNORED",
    SkippedReason.NON_ANSWER_SEEKING_QUERY_IGNORED: "NON_SUMMARY_SEEKING_QUERY_IGNORED",
    SkippedReason.NON_ANSWER_SEEKING_QUERY_IGNORED_V2: "NON_SUMMARY_SEEKING_QUERY_IGNORED_V2",
    SkippedReason.OUT_OF_DOMAIN_QUERY_IGNORED: "OUT_OF_DOMAIN_QUERY_IGNORED",
    SkippedReason.POTENTIAL_POLICY_VIOLATION: "POTENTIAL_POLICY_VIOLATION",
    SkippedReason.JAIL_BREAKING_QUERY_IGNORED: "JAIL_BREAKING_QUERY_IGNORED",
    SkippedReason.CUSTOMER_POLICY_VIOLATION: "CUSTOMER_POLICY_VIOLATION",
}


def summary_question(
    spec: pb.SearchRequest.ContentSearchSpec.SummarySpec,
    query: str,
    results: SearchResults,
    *,
    history: Sequence[Exchange] = (),
) -> Question:
    """Return the question whose answer is the summary of results.

    Args:
        spec: The `SummarySpec`.
        query: What was searched, as it was understood.
        results: What was found.
        history: Earlier questions of a conversation.
    """
    return Question(
        text=query,
        history=tuple(history),
        max_rephrase_steps=0,
        given=_passages(results, spec.summary_result_count),
        preamble=spec.model_prompt_spec.preamble,
        language=spec.language_code,
        ignore=_ignored(spec),
        ignore_low_relevance=spec.ignore_low_relevant_content,
        with_citations=True,
        images=_images(spec),
    )


def fill_summary(
    message: pb.SearchResponse.Summary,
    spec: pb.SearchRequest.ContentSearchSpec.SummarySpec,
    answer: Answer,
    results: SearchResults,
) -> None:
    """Write an answer into an empty `Summary`.

    Args:
        message: The message to fill.
        spec: The `SummarySpec`.
        answer: The answer to `summary_question`.
        results: What was found.
    """
    sources = _sources(spec, answer, results)
    message.summary_text = _marked(answer, sources) if spec.include_citations else answer.text
    known = message.DESCRIPTOR.enum_types_by_name["SummarySkippedReason"].values_by_name
    names = dict.fromkeys(_SKIPPED.get(reason, _NOTHING_RELEVANT) for reason in answer.skipped)
    message.summary_skipped_reasons.extend(_Skipped.Value(name) for name in names if name in known)
    if not answer.skipped:
        _fill_with_metadata(message.summary_with_metadata, answer, sources)


def check_summary_spec(
    spec: pb.SearchRequest.ContentSearchSpec.SummarySpec, *, is_chunks: bool, field: str
) -> None:
    """Raise when a number or a text of a `SummarySpec` is out of its range.

    Raises:
        InvalidArgument: It is; names the field, the limit and the value.
    """
    most = MOST_CHUNKS if is_chunks else MOST_RESULTS
    if not 0 <= spec.summary_result_count <= most:
        raise InvalidArgument.of_field(
            f"{field}.summary_result_count",
            f"{spec.summary_result_count} must be 0 to {most}",
        )
    if len(spec.model_prompt_spec.preamble) > LONGEST_PREAMBLE:
        raise InvalidArgument.of_field(
            f"{field}.model_prompt_spec.preamble",
            f"has {len(spec.model_prompt_spec.preamble):,} characters; at most"
            f" {LONGEST_PREAMBLE:,} are allowed",
        )


def plain_text(summary: Any) -> str:
    """Return a summary's text without citation marks; empty: it is none, but says why.

    Args:
        summary: A `Summary` as proto JSON.
    """
    if summary.get("summarySkippedReasons"):
        return ""
    with_metadata = summary.get("summaryWithMetadata", {})
    return str(with_metadata.get("summary") or summary.get("summaryText", ""))


@dataclass(frozen=True, slots=True)
class _Source:
    """A search result that a summary may refer to.

    Attributes:
        document: Name of its document.
        chunk: Name of its chunk, in a search for chunks; else empty.
        title: Title of the document.
        uri: Where people find it.
    """

    document: str
    chunk: str
    title: str
    uri: str

    @property
    def key(self) -> str:
        """What tells it from others."""
        return self.chunk or self.document


@dataclass(frozen=True, slots=True)
class _Sources:
    """What the numbers of citations mean.

    Attributes:
        listed: The references, in their order.
        of_references: For each of the answer's references its place in `listed`.
    """

    listed: tuple[_Source, ...]
    of_references: tuple[int, ...]

    def places(self, references: Sequence[int]) -> list[int]:
        """Return the places in `listed` of some of the answer's references, sorted, once each."""
        return sorted({self.of_references[number] for number in references})


def _sources(
    spec: pb.SearchRequest.ContentSearchSpec.SummarySpec, answer: Answer, results: SearchResults
) -> _Sources:
    found: Sequence[FoundDocument | FoundChunk] = results.chunks or results.documents
    listed = {source.key: source for source in map(_source, found[: spec.summary_result_count])}
    keys = [_key(passage) for passage in answer.references]
    if spec.use_semantic_chunks:
        listed = {key: listed[key] for key in keys}
    numbers = {key: number for number, key in enumerate(listed)}
    return _Sources(tuple(listed.values()), tuple(numbers[key] for key in keys))


def _source(found: FoundDocument | FoundChunk) -> _Source:
    branch, document = Branch(found.data_store, found.branch), found.document
    return _Source(
        document=document_name(branch, document.id),
        chunk=chunk_name(branch, document.id, found.chunk.id)
        if isinstance(found, FoundChunk)
        else "",
        title=title_of(document),
        uri=uri_of(document),
    )


def _key(passage: Passage) -> str:
    return passage.chunk if passage.kind is SourceKind.CHUNK else passage.document


def _marked(answer: Answer, sources: _Sources) -> str:
    """Return an answer's text with [1], [2] at the end of each cited stretch."""
    parts, at = [], 0
    for citation in answer.citations:
        marks = ", ".join(str(place + 1) for place in sources.places(citation.sources))
        end = citation.end - (answer.text[citation.end - 1] in _FULL_STOPS)
        parts += [answer.text[at:end], f" [{marks}]"]
        at = end
    return "".join([*parts, answer.text[at:]])


def _passages(results: SearchResults, count: int) -> tuple[Passage, ...]:
    if results.chunks:
        return tuple(passage_of(item, mode=ResultMode.CHUNKS) for item in results.chunks[:count])
    chunks = [
        chunk
        for document in results.documents[:count]
        for chunk in document.chunks[:CHUNKS_OF_DOCUMENT]
    ]
    chunks.sort(key=lambda chunk: -chunk.score)
    return tuple(passage_of(chunk, mode=ResultMode.DOCUMENTS) for chunk in chunks)


def _ignored(spec: pb.SearchRequest.ContentSearchSpec.SummarySpec) -> frozenset[UnderstoodClass]:
    found = set()
    if spec.ignore_adversarial_query:
        found.add(UnderstoodClass.ADVERSARIAL)
    if spec.ignore_non_summary_seeking_query:
        found |= {UnderstoodClass.CHIT_CHAT, UnderstoodClass.NO_CLEAR_INTENT}
    if spec.ignore_jail_breaking_query:
        found.add(UnderstoodClass.JAILBREAK)
    return frozenset(found)


def _images(spec: pb.SearchRequest.ContentSearchSpec.SummarySpec) -> ImageSource:
    if not has_field(spec, "multimodal_spec"):  # v1
        return ImageSource.NONE
    return _IMAGES.get(spec.multimodal_spec.image_source, ImageSource.NONE)


def _fill_with_metadata(
    message: pb.SearchResponse.Summary.SummaryWithMetadata, answer: Answer, sources: _Sources
) -> None:
    message.summary = answer.text
    offsets = ByteOffsets(answer.text)
    for citation in answer.citations:
        item = message.citation_metadata.citations.add(
            start_index=offsets.at(citation.start), end_index=offsets.at(citation.end)
        )
        for place in sources.places(citation.sources):
            item.sources.add(reference_index=place)
    for source in sources.listed:
        message.references.add(title=source.title, document=source.document, uri=source.uri)
    for number, passage in enumerate(answer.references):
        contents = message.references[sources.of_references[number]].chunk_contents
        content = contents.add(content=passage.text, page_identifier=passage.page)
        if answer.reference_blobs and has_field(content, "blob_attachment_indexes"):
            content.blob_attachment_indexes.extend(answer.reference_blobs[number])
    if has_field(message, "blob_attachments"):
        for attachment in answer.attachments:
            _fill_attachment(message.blob_attachments.add(), attachment)


def _fill_attachment(
    message: pb.SearchResponse.Summary.BlobAttachment, attachment: Attachment
) -> None:
    message.data.mime_type, message.data.data = attachment.mime_type, attachment.data
    message.attribution_type = (
        _Attribution.GENERATED if attachment.generated else _Attribution.CORPUS
    )
