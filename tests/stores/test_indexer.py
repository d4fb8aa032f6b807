"""The indexes follow the records, whatever happens to the process or the folder."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import numpy as np
import pytest

from tests.patience import PATIENCE_S, wait_for
from toulmin import metrics
from toulmin.domain import Branch, Chunk, DataStore, Document, DocumentContent, IngestedDocument
from toulmin.errors import NotFound
from toulmin.stores.filter_fields import filter_fields
from toulmin.stores.index.protocol import Query
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import RecordStore
from toulmin.stores.vector_forms import StoredVectors

COLLECTION = "projects/p/locations/global/collections/default_collection"
MODEL = "test 1"


def vector_of(text):
    generator = np.random.default_rng(sum(text.encode()))
    vector = generator.normal(size=384).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype("<f2").tobytes()


def embed(_document, chunks):
    return [StoredVectors(vector_of(chunk.content)) for chunk in chunks]


def ingested(id_, *texts, model=MODEL, struct=None):
    chunks, start = [], 0
    for number, text in enumerate(texts, start=1):
        chunks.append(
            Chunk(
                id=f"c{number}",
                document_id=id_,
                content=text,
                start=start,
                end=start + len(text),
                embedding=vector_of(text),
                embedding_model=model,
            )
        )
        start += len(text) + 1
    document = Document(id=id_, struct_data=struct or {}, derived={"title": id_})
    return IngestedDocument(document=document, text="\n".join(texts), chunks=tuple(chunks))


class Place:
    """A data folder; opened as often as a test likes."""

    def __init__(self, folder):
        self.folder = folder
        self.branch = Branch(f"{COLLECTION}/dataStores/s")
        self.model = MODEL

    @contextmanager
    def opened(self, *, start=True):
        records = RecordStore(self.folder)
        indexer = Indexer(records, self.folder / "index", embedding_model=self.model, embed=embed)
        if start:
            indexer.start()
        try:
            yield records, indexer
        finally:
            indexer.close()
            records.close()

    def create(self, records, id_="s"):
        with records.write() as transaction:
            transaction.resources.create(DataStore(parent=COLLECTION, id=id_))

    def put(self, records, *documents):
        with records.write() as transaction:
            transaction.documents.upsert(self.branch, documents)
        return transaction.sequence

    def key(self, records):
        with records.read() as transaction:
            return transaction.resources.data_store_key(self.branch.data_store)


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def words(indexer, key, text):
    found = indexer.index_of(key).search(Query(text=text))
    return [hit.document for hit in found.lexical]


def test_a_written_document_is_found_and_a_deleted_one_is_not(place):
    with place.opened() as (records, indexer):
        place.create(records)
        sequence = place.put(records, ingested("a", "red apples"), ingested("b", "green pears"))
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
        key = place.key(records)
        assert len(words(indexer, key, "apples")) == 1
        with records.write() as transaction:
            transaction.documents.delete(place.branch, ["a"])
        assert indexer.wait_for(transaction.sequence, timeout_s=PATIENCE_S)
        assert words(indexer, key, "apples") == []
        assert len(words(indexer, key, "pears")) == 1


def test_a_replaced_document_is_found_by_its_new_words_only(place):
    with place.opened() as (records, indexer):
        place.create(records)
        place.put(records, ingested("a", "red apples", "more apples"))
        sequence = place.put(records, ingested("a", "green pears"))
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
        key = place.key(records)
        assert words(indexer, key, "apples") == []
        assert indexer.index_of(key).count().chunks == 1


def test_it_goes_on_after_a_restart(place):
    with place.opened(start=False) as (records, _):
        place.create(records)
        place.put(records, ingested("a", "red apples"))
    with place.opened() as (records, indexer):
        sequence = place.put(records, ingested("b", "green pears"))
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
        key = place.key(records)
        assert len(words(indexer, key, "apples")) == 1
    with place.opened() as (records, indexer):
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
        assert indexer.index_of(place.key(records)).count().documents == 2


def test_a_lost_folder_is_built_anew_from_the_records(place):
    with place.opened() as (records, indexer):
        place.create(records)
        sequence = place.put(records, ingested("a", "red apples"), ingested("b", "green pears"))
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
    shutil.rmtree(place.folder / "index")
    with place.opened() as (records, indexer):
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
        assert len(words(indexer, place.key(records), "pears")) == 1


def test_a_lost_store_folder_is_built_anew_though_the_changes_were_acknowledged(place):
    with place.opened() as (records, indexer):
        place.create(records)
        sequence = place.put(records, ingested("a", "red apples"))
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
    for folder in (place.folder / "index").glob("store-*"):
        shutil.rmtree(folder)
    with place.opened() as (records, indexer):
        assert len(words(indexer, place.key(records), "apples")) == 1


def test_a_damaged_folder_says_so_and_is_built_anew(place, caplog):
    with place.opened() as (records, indexer):
        place.create(records)
        sequence = place.put(records, ingested("a", "red apples"))
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
    damaged = next((place.folder / "index").glob("store-*/build-*/rows-*"))
    content = damaged.read_bytes()
    damaged.write_bytes(content[:300] + b"garbage" + content[307:])
    with place.opened() as (records, indexer):
        assert len(words(indexer, place.key(records), "apples")) == 1
    assert "built anew" in caplog.text


def test_another_embedder_makes_new_vectors(place):
    with place.opened() as (records, indexer):
        place.create(records)
        sequence = place.put(records, ingested("a", "red apples"))
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
    place.model = "test 2"
    asked = np.frombuffer(vector_of("red apples"), dtype="<f2").astype(np.float32)
    with place.opened() as (records, indexer):
        found = indexer.index_of(place.key(records)).search(Query(vector=asked))
        assert found.dense[0].score == pytest.approx(1, abs=0.01)


def test_a_deleted_data_store_takes_its_index_with_it(place):
    with place.opened() as (records, indexer):
        place.create(records)
        sequence = place.put(records, ingested("a", "red apples"))
        assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
        key = place.key(records)
        with records.write() as transaction:
            transaction.resources.delete(DataStore, place.branch.data_store)
        assert indexer.wait_for(transaction.sequence, timeout_s=PATIENCE_S)
        with pytest.raises(NotFound):
            place.key(records)
        with pytest.raises(NotFound):  # a search that read the key before
            indexer.index_of(key)
        assert not list((place.folder / "index").glob("store-*"))


def test_many_deletions_make_the_index_compact(place, monkeypatch):
    monkeypatch.setattr("toulmin.stores.indexer._DEAD", 5)
    with place.opened() as (records, indexer):
        place.create(records)
        for number in range(20):
            sequence = place.put(records, ingested("a", f"version{number} of the text"))
            assert indexer.wait_for(sequence, timeout_s=PATIENCE_S)
        index = indexer.index_of(place.key(records))
        wait_for(lambda: index.wasted < 0.9)  # 19 of 20 would be dead
        assert len(words(indexer, place.key(records), "version19")) == 1


def test_a_document_is_filtered_by_its_data_and_by_what_is_known_of_it():
    document = Document(
        id="d1",
        struct_data={"color": "red", "uri": "mine"},
        content=DocumentContent(mime_type="text/html", uri="https://example.org/a"),
        derived={"title": "Apples"},
    )
    fields = filter_fields(document)
    assert fields["id"] == ("d1",)
    assert fields["color"] == ("red",)
    assert fields["uri"] == ("mine",)
    assert fields["mime_type"] == ("text/html",)
    assert fields["title"] == ("Apples",)
    assert filter_fields(Document(id="d2", json_data='{"n": 3}'))["n"] == (3,)


def test_the_lag_is_what_is_committed_and_not_searchable_yet(tmp_path):
    place = Place(tmp_path)
    with place.opened(start=False) as (records, indexer):
        place.create(records)
        before = indexer._lag()
        place.put(records, ingested("a", "one"))
        assert indexer._lag() == before + 1
        indexer.start()
        assert indexer._lag in metrics.INDEX_LAG._sources
        with records.read() as transaction:
            head = transaction.outbox.head().sequence
        assert indexer.wait_for(head, timeout_s=PATIENCE_S)
        assert indexer._lag() == 0
    assert indexer._lag not in metrics.INDEX_LAG._sources
