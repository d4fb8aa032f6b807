"""The indexes follow chunks that are written one by one, and read no others for it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.patience import PATIENCE_S
from tests.stores.test_indexer import MODEL, Place, ingested, vector_of, words
from toulmin.domain import Chunk
from toulmin.stores.index.predicate import AnyOf
from toulmin.stores.index.protocol import Query


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def chunk(id_, text, **metadata):
    return Chunk(
        id=id_,
        document_id="a",
        content=text,
        start=0,
        end=len(text),
        embedding=vector_of(text),
        embedding_model=MODEL,
        metadata=metadata,
    )


def add(records, place, *chunks):
    with records.write() as transaction:
        transaction.documents.create_chunks(place.branch, "a", chunks)
    return transaction.sequence


def test_single_chunks_are_found_replaced_and_removed(place):
    with place.opened() as (records, indexer):
        place.create(records)
        place.put(records, ingested("a"))
        sequence = add(records, place, chunk("1", "red apples"), chunk("2", "green pears"))
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
        key = place.key(records)
        assert indexer.index_of(key).count().chunks == 2
        with records.write() as transaction:
            transaction.documents.replace_chunks(place.branch, "a", [chunk("1", "blue plums")])
            transaction.documents.delete_chunks(place.branch, "a", ["2"])
        assert indexer.wait_for(transaction.sequence, timeout_s=PATIENCE_S)
        assert words(indexer, key, "apples") == words(indexer, key, "pears") == []
        assert len(words(indexer, key, "plums")) == 1
        asked = np.frombuffer(vector_of("blue plums"), dtype="<f2").astype(np.float32)
        found = indexer.index_of(key).search(Query(vector=asked))
        assert found.dense[0].score == pytest.approx(1, abs=0.01)


def test_only_the_chunks_that_were_written_are_read(place, monkeypatch):
    with place.opened() as (records, indexer):
        place.create(records)
        sequence = place.put(records, ingested("a"))
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
        read = []
        chunks = indexer._chunks
        monkeypatch.setattr(
            indexer, "_chunks", lambda stored: read.append(len(stored.chunks)) or chunks(stored)
        )
        for number in range(4):
            sequence = add(records, place, *(chunk(f"{number}-{n}", f"text {n}") for n in range(5)))
            assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
        assert read == [5, 5, 5, 5]
        assert indexer.index_of(place.key(records)).count().chunks == 20


def test_a_chunk_is_filtered_by_its_own_data_and_its_documents(place):
    with place.opened() as (records, indexer):
        place.create(records)
        place.put(records, ingested("a", struct={"lang": "en"}))
        sequence = add(
            records, place, chunk("1", "apples", mine={"n": "x"}), chunk("2", "pears", mine={})
        )
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
        index = indexer.index_of(place.key(records))
        assert index.count(AnyOf("lang", ("en",))).chunks == 2
        assert index.count(AnyOf("mine.n", ("x",))).chunks == 1


def test_an_index_built_anew_has_them_all(place):
    with place.opened(start=False) as (records, _):
        place.create(records)
        place.put(records, ingested("a"))
        add(records, place, chunk("1", "red apples", mine={"n": "x"}))
        sequence = add(records, place, chunk("2", "green pears"))
    with place.opened() as (records, indexer):
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
        index = indexer.index_of(place.key(records))
        assert index.count().chunks == 2
        assert index.count(AnyOf("mine.n", ("x",))).chunks == 1
