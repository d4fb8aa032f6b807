"""Settings -> the embedder of passages and queries, and whether stored vectors are its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from toulmin.domain import Chunk, Document
from toulmin.errors import FailedPrecondition
from toulmin.ingestion.chunk_vectors import ChunkText
from toulmin.ingestion.part_vectors import ChunkEmbedder, embed_for_store
from toulmin.models.spec import EMBEDDED_WEIGHTS, packaged_weights
from toulmin.settings import Settings
from toulmin.stores.records import RecordStore
from toulmin.stores.vector_forms import StoredVectors

ENGLISH: Final = "english"
MULTILINGUAL: Final = "multilingual"
_MODEL: Final = "embedder "
"""Stands in front of the version in the name that chunks keep."""


def embedder_folder(settings: Settings) -> Path:
    """Return the folder of the embedder that the settings name.

    Raises:
        FailedPrecondition: It is not installed.
    """
    if settings.embedder == ENGLISH:
        return EMBEDDED_WEIGHTS / "embedder"
    folder = packaged_weights("multilingual") / "embedder"
    if not folder.is_dir():
        raise FailedPrecondition(
            "The setting embedder is multilingual, but its weights are not installed: install the"
            " package toulmin-multilingual-model of this version.",
            reason="EMBEDDER_MISSING",
        )
    return folder


def model_of(embedder: ChunkEmbedder) -> str:
    """Return the name under which chunks keep what made their vectors."""
    return f"{_MODEL}{embedder.version}"


def setting_of(model: str) -> str:
    """Return the setting under which the vectors of a model, as chunks name it, are compared."""
    return MULTILINGUAL if model.startswith(f"{_MODEL}{MULTILINGUAL}") else ENGLISH


def refuse_other_vectors(records: RecordStore, settings: Settings) -> None:
    """Refuse records whose vectors are of the other embedder, or not all of one.

    Vectors of another version of the same embedder are made anew with the indexes.

    Raises:
        FailedPrecondition: They are; the message says what to do.
    """
    with records.read() as transaction:
        models = transaction.vectors.models_at_the_ends()
    others = {setting_of(model) for model in models} - {settings.embedder}
    if not others:
        return
    other = min(others)
    place = "the database" if settings.database_url else str(settings.data_dir)
    both = "partly " if len(models) > 1 else ""
    raise FailedPrecondition(
        f"What is stored in {place} was {both}embedded with the setting embedder = {other}, and"
        f" the setting is {settings.embedder}: their vectors cannot be compared. Set it to {other},"
        f" or embed everything anew with `toulmin reembed --embedder {settings.embedder}`.",
        reason="OTHER_EMBEDDER",
    )


def embed_with(
    embedder: ChunkEmbedder,
) -> Callable[[Document, Sequence[Chunk]], list[StoredVectors]]:
    """Return what embeds stored chunks again, as the ingestor embedded them."""

    def embed(document: Document, chunks: Sequence[Chunk]) -> list[StoredVectors]:
        title = str(document.derived.get("title", ""))
        texts = [ChunkText(title, chunk.headings, chunk.content) for chunk in chunks]
        return embed_for_store(embedder, texts)

    return embed
