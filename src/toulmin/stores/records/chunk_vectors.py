"""Which model the stored vectors are of, and putting those of another one in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, bindparam, func, or_, select, update

from toulmin.stores.records.tables import CHUNKS, DOCUMENTS
from toulmin.stores.vector_forms import StoredVectors


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    """What of a stored chunk was embedded.

    Attributes:
        key: The store's number of the chunk.
        title: Title of its document.
        headings: Headings above it, outermost first.
        content: Its words.
    """

    key: int
    title: str
    headings: Sequence[str]
    content: str


class ChunkVectors:
    """The vectors of all data stores, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def models_at_the_ends(self) -> frozenset[str]:
        """Return the models of the first and of the last vector there is; none without vectors.

        Whoever replaces vectors goes from the first to the last, so records with vectors of two
        models have one of them at either end, and nothing between need be read.
        """
        query = select(CHUNKS.c.embedding_model).where(CHUNKS.c.embedding_model != "").limit(1)
        ends = (query.order_by(CHUNKS.c.key), query.order_by(CHUNKS.c.key.desc()))
        found = [self._connection.execute(end).scalar_one_or_none() for end in ends]
        return frozenset(model for model in found if model is not None)

    def count_of_others(self, model: str) -> int:
        """Return how many chunks have a vector of another model or none, or nothing of parts."""
        query = select(func.count()).where(_lacks(model))
        return int(self._connection.execute(query).scalar_one())

    def of_others(self, model: str, *, after: int, limit: int) -> tuple[EmbeddedText, ...]:
        """Return the next chunks, by key, that `count_of_others` counts.

        Args:
            model: The model whose vectors are wanted.
            after: Key behind which they are; 0: from the first.
            limit: At most so many.
        """
        query = (
            select(CHUNKS.c.key, CHUNKS.c.headings, CHUNKS.c.content, DOCUMENTS.c.derived)
            .join(DOCUMENTS, DOCUMENTS.c.key == CHUNKS.c.document)
            .where(CHUNKS.c.key > after, _lacks(model))
            .order_by(CHUNKS.c.key)
            .limit(limit)
        )
        return tuple(
            EmbeddedText(
                row.key, str(row.derived.get("title", "")), tuple(row.headings), row.content
            )
            for row in self._connection.execute(query)
        )

    def put(self, model: str, vectors: Mapping[int, StoredVectors]) -> None:
        """Replace the vectors of chunks, by key; those that are gone are left out.

        No change is noted in the outbox: an index of another model is built anew as a whole.
        """
        statement = (
            update(CHUNKS)
            .where(CHUNKS.c.key == bindparam("of"))
            .values(
                embedding=bindparam("vector"),
                part_embeddings=bindparam("parts"),
                embedding_model=model,
            )
        )
        values = [
            {"of": key, "vector": kept.chunk, "parts": kept.parts} for key, kept in vectors.items()
        ]
        if values:
            self._connection.execute(statement, values)


def _lacks(model: str) -> ColumnElement[bool]:
    """Return the condition on a chunk to lack what `model` makes."""
    return or_(CHUNKS.c.embedding_model != model, CHUNKS.c.part_embeddings.is_(None))
