"""Every stored vector by the embedder of the settings: the work of `toulmin reembed`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Final

from toulmin.ingestion.chunk_vectors import ChunkText
from toulmin.ingestion.part_vectors import embed_for_store
from toulmin.models.embedder import Embedder
from toulmin.services.embedders import embedder_folder, model_of
from toulmin.settings import Settings
from toulmin.stores.indexer import INDEX_FOLDER
from toulmin.stores.records import RecordStore

_AT_ONCE: Final = 64
"""Chunks of one transaction: about two seconds of a core, and what a kill costs."""


def reembed(
    settings: Settings, *, on_progress: Callable[[int, int], object] = lambda _done, _total: None
) -> int:
    """Replace the vectors that are not of the settings' embedder, or lack those of parts.

    Return how many chunks there were.

    What is done is kept when it is interrupted; called again, it goes on.

    Args:
        settings: Name the records and the embedder.
        on_progress: Told after each part how many chunks of how many are done.

    Raises:
        FailedPrecondition: A process has the records open, or the embedder is not installed.
        Unavailable: The database cannot be reached.
    """
    embedder = Embedder(embedder_folder(settings), workers=settings.model_threads)
    try:
        records = RecordStore.from_settings(settings)
        try:
            done = _replace_vectors(records, embedder, on_progress)
            if done:  # what searches read is derived from the vectors, and built anew at the start
                shutil.rmtree(settings.data_dir / INDEX_FOLDER, ignore_errors=True)
            return done
        finally:
            records.close()
    finally:
        embedder.close()


def _replace_vectors(
    records: RecordStore, embedder: Embedder, on_progress: Callable[[int, int], object]
) -> int:
    model = model_of(embedder)
    with records.read() as transaction:
        total = transaction.vectors.count_of_others(model)
    done, last = 0, 0
    on_progress(done, total)
    while True:
        with records.read() as transaction:
            found = transaction.vectors.of_others(model, after=last, limit=_AT_ONCE)
        if not found:
            return done
        made = embed_for_store(
            embedder, [ChunkText(item.title, item.headings, item.content) for item in found]
        )
        vectors = {item.key: kept for item, kept in zip(found, made, strict=True)}
        with records.write() as transaction:
            transaction.vectors.put(model, vectors)
        done, last = done + len(found), found[-1].key
        on_progress(done, total)
