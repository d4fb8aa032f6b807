"""GenerativeService's embedContent, batchEmbedContents and countTokens, by the embedded encoder.

A text of the task type RETRIEVAL_DOCUMENT, or of none, gets the vector that it would have as a
chunk of a corpus; of another one, that of a query. To the English encoder they are the same.

https://github.com/googleapis/googleapis/blob/master/google/ai/generativelanguage/v1beta/generative_service.proto
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.generativelanguage.model import MOST_EMBEDDED_TOKENS, check_model
from toulmin.apis.schema import generativelanguage_pb2 as pb
from toulmin.errors import InvalidArgument, Unimplemented
from toulmin.ingestion.chunk_vectors import ChunkText, embed_chunks
from toulmin.ingestion.part_vectors import ChunkEmbedder

MOST_IN_BATCH: Final = 100
_OF_PASSAGES: Final = frozenset({pb.TaskType.TASK_TYPE_UNSPECIFIED, pb.TaskType.RETRIEVAL_DOCUMENT})
_LONGEST_TOKEN: Final = 100  # characters
_MOST_COUNTED: Final = 4_000_000  # characters
_COUNTED_AT_ONCE: Final = 50_000  # characters


class TokenEmbedder(ChunkEmbedder, Protocol):
    """An embedder that also reads queries, and says how many tokens a text has."""

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row for each query, shape (texts, dim)."""

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens, however many are read."""


def register_embedding(registry: Registry, *, embedder: Callable[[], TokenEmbedder]) -> None:
    """Bind EmbedContent, BatchEmbedContents and CountTokens, in v1, v1beta and v1alpha.

    Args:
        registry: Where the handlers go.
        embedder: Returns the embedding model.
    """

    def embed_content(
        request: pb.EmbedContentRequest, context: CallContext
    ) -> pb.EmbedContentResponse:
        check_model(request.model, "embedContent")
        response: pb.EmbedContentResponse = context.new_message()
        (values,) = _vectors(embedder(), [(request, "")], context)
        response.embedding.values.extend(values)
        return response

    def batch_embed_contents(
        request: pb.BatchEmbedContentsRequest, context: CallContext
    ) -> pb.BatchEmbedContentsResponse:
        check_model(request.model, "batchEmbedContents")
        _check_batch(request)
        response: pb.BatchEmbedContentsResponse = context.new_message()
        items = [(item, f"requests[{number}].") for number, item in enumerate(request.requests)]
        for values in _vectors(embedder(), items, context):
            response.embeddings.add().values.extend(values)
        return response

    def count_tokens(
        request: pb.CountTokensRequest, context: CallContext
    ) -> pb.CountTokensResponse:
        check_model(request.model, "countTokens")
        model = embedder()
        work = work_of(context, "counting")
        total = 0
        for text in _counted_texts(request):
            for portion in _portions(text):
                work.check()
                total += model.count_tokens(portion)
        response: pb.CountTokensResponse = context.new_message()
        response.total_tokens = total
        if "prompt_tokens_details" in response.DESCRIPTOR.fields_by_name:
            response.prompt_tokens_details.add(modality=pb.Modality.TEXT, token_count=total)
        return response

    for method, handler in (
        ("EmbedContent", embed_content),
        ("BatchEmbedContents", batch_embed_contents),
        ("CountTokens", count_tokens),
    ):
        registry.register("generativelanguage", "GenerativeService", method, handler)


def _check_batch(request: pb.BatchEmbedContentsRequest) -> None:
    if not request.requests:
        raise InvalidArgument.of_field("requests", "is required; give at least one")
    if len(request.requests) > MOST_IN_BATCH:
        raise InvalidArgument.of_field(
            "requests", f"holds {len(request.requests):,} requests, the limit is {MOST_IN_BATCH}"
        )
    for number, item in enumerate(request.requests):
        if item.model not in ("", request.model):
            raise InvalidArgument.of_field(
                f"requests[{number}].model",
                f'"{item.model[:200]}" is not {request.model}, the model of the batch',
            )


def _vectors(
    embedder: TokenEmbedder,
    items: Sequence[tuple[pb.EmbedContentRequest, str]],
    context: CallContext,
) -> Iterable[list[float]]:
    """Yield the vector of each request, given with the prefix of its fields' paths."""
    texts = [_to_text(item, embedder, prefix) for item, prefix in items]
    is_passage = [item.task_type in _OF_PASSAGES for item, _ in items]
    rows: dict[int, NDArray[np.float32]] = {}
    for reads, kind in ((embedder, True), (_AsQueries(embedder), False)):
        places = [place for place, found in enumerate(is_passage) if found == kind]
        own = [texts[place] for place in places]
        made = embed_chunks(reads, own, work=work_of(context, "embedding"))
        rows.update(zip(places, made, strict=True))
    sizes = [_size(item, len(rows[0]), prefix) for item, prefix in items]
    for place, size in enumerate(sizes):
        yield rows[place][:size].tolist()


@dataclass(frozen=True, slots=True)
class _AsQueries:
    """Embeds texts as queries where passages are asked for."""

    embedder: TokenEmbedder

    @property
    def version(self) -> str:
        return self.embedder.version

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embedder.embed_queries(texts)


def _to_text(request: pb.EmbedContentRequest, embedder: TokenEmbedder, prefix: str) -> ChunkText:
    text = "\n".join(part.text for part in request.content.parts if part.text)
    if not text.strip():
        raise InvalidArgument.of_field(
            f"{prefix}content", "has no text; only the text of its parts is embedded"
        )
    if request.title and request.task_type != pb.TaskType.RETRIEVAL_DOCUMENT:
        raise InvalidArgument.of_field(
            f"{prefix}title", "goes with the task type RETRIEVAL_DOCUMENT only"
        )
    limit = MOST_EMBEDDED_TOKENS
    is_long = len(text) > limit * _LONGEST_TOKEN
    if is_long or (len(text) > limit and embedder.count_tokens(text) > limit):
        raise InvalidArgument.of_field(
            f"{prefix}content", f"has over {limit:,} tokens, the limit; split it"
        )
    return ChunkText(request.title, (), text)


def _size(request: pb.EmbedContentRequest, dimensions: int, prefix: str) -> int:
    if not request.HasField("output_dimensionality"):
        return dimensions
    size = int(request.output_dimensionality)
    if not 1 <= size <= dimensions:
        raise InvalidArgument.of_field(
            f"{prefix}output_dimensionality", f"{size} must be 1 to {dimensions}"
        )
    return size


def _counted_texts(request: pb.CountTokensRequest) -> list[str]:
    contents: Sequence[pb.Content] = request.contents
    field = "contents"
    if "generate_content_request" in request.DESCRIPTOR.fields_by_name and request.HasField(
        "generate_content_request"
    ):
        whole = request.generate_content_request
        if request.contents:
            raise InvalidArgument.of_field(
                "contents", "and generate_content_request exclude each other"
            )
        if whole.tools:
            raise Unimplemented("the tokens of generate_content_request.tools are not counted")
        contents, field = [whole.system_instruction, *whole.contents], "generate_content_request"
    texts = [_part_text(part, field) for content in contents for part in content.parts]
    if not texts:
        raise InvalidArgument.of_field(field, "has no parts; give a text")
    characters = sum(map(len, texts))
    if characters > _MOST_COUNTED:
        raise InvalidArgument.of_field(
            field, f"has {characters:,} characters, the limit is {_MOST_COUNTED:,}"
        )
    return texts


def _portions(text: str) -> Iterator[str]:
    """Yield a text in portions that are counted within milliseconds, cut before white space."""
    start = 0
    while start < len(text):
        end = start + _COUNTED_AT_ONCE
        while start + 1 < end < len(text) and not text[end].isspace():
            end -= 1
        if end == start + 1:
            end = start + _COUNTED_AT_ONCE
        yield text[start:end]
        start = end


def _part_text(part: pb.Part, field: str) -> str:
    kind = part.WhichOneof("data")
    if kind not in (None, "text"):
        raise Unimplemented(f"{field}: only parts of text are counted, not {kind}")
    return str(part.text)
