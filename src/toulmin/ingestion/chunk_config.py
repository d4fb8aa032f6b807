"""How a data store wants its documents cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toulmin.domain import DataStore
from toulmin.errors import InvalidArgument
from toulmin.ingestion.parsing.chunking import MAX_TOKENS, MIN_TOKENS

_PATH = ("documentProcessingConfig", "chunkingConfig", "layoutBasedChunkingConfig")
_FIELD = "document_processing_config.chunking_config.layout_based_chunking_config"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkConfig:
    """The API's `LayoutBasedChunkingConfig`.

    Attributes:
        tokens: Longest chunk, in tokens.
        ancestor_headings: Whether the headings above a chunk are put in front of its words.
    """

    tokens: int = MAX_TOKENS
    ancestor_headings: bool = False


def chunk_config(store: DataStore) -> ChunkConfig:
    """Return what a data store says about chunks; what it leaves open has its default.

    Raises:
        InvalidArgument: The chunk size is not a whole number in [100, 500].
    """
    found: Any = store.fields
    for key in _PATH:
        found = found.get(key) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping):
        return ChunkConfig()
    size = found.get("chunkSize") or MAX_TOKENS  # protobuf's 0 is "not set"
    if not isinstance(size, int) or not MIN_TOKENS <= size <= MAX_TOKENS:
        raise InvalidArgument.of_field(
            f"{_FIELD}.chunk_size",
            f"is {size!r}; it must be a whole number from {MIN_TOKENS} to {MAX_TOKENS}.",
        )
    return ChunkConfig(tokens=size, ancestor_headings=bool(found.get("includeAncestorHeadings")))
