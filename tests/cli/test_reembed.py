"""Going over to another embedder: refused as long as vectors of both would meet."""

import json
import sqlite3

import numpy as np
import pytest

from tests.cli.conftest import FakeEmbedder
from tests.ingestion.importing import HashEmbedder
from toulmin.cli import main
from toulmin.domain import DataStore
from toulmin.errors import FailedPrecondition
from toulmin.retrieval.query import Scope, SearchQuery
from toulmin.services import build_services
from toulmin.settings import load_settings
from toulmin.stores.indexer import INDEX_FOLDER
from toulmin.stores.records import RecordStore
from toulmin.stores.records.database import RECORDS_FILE

STORE = DataStore(
    parent="projects/default/locations/global/collections/default_collection", id="default"
).name


@pytest.fixture(autouse=True)
def _embedders(fake_embedder, monkeypatch):
    monkeypatch.setattr("toulmin.services.reembedding.Embedder", FakeEmbedder)


@pytest.fixture
def stored(files, data):
    """A data folder with three documents, embedded in English."""
    assert main(["ingest", str(files), *data, "--quiet"]) == 0
    return data


def vectors(folder):
    """Return model and vector of each chunk, by its content."""
    store = RecordStore(folder)
    try:
        with store.read() as transaction:
            found = transaction.documents.scan(after_key=0, limit=100)
    finally:
        store.close()
    return {
        chunk.content: (chunk.embedding_model, chunk.embedding)
        for item in found
        for chunk in item.chunks
    }


def open_documents(folder, embedder):
    values = {"data_dir": folder, "embedder": embedder, "parser_processes": 1}
    services = build_services(load_settings(flags=values, environment={}))
    try:
        services.documents()
    finally:
        services.close()


def test_a_folder_of_the_other_embedder_is_refused_and_named(stored, tmp_path, capsys):
    with pytest.raises(FailedPrecondition) as refused:
        open_documents(tmp_path / "data", "multilingual")
    assert refused.value.reason == "OTHER_EMBEDDER"
    assert "toulmin reembed --embedder multilingual" in refused.value.message
    assert "embedder = english" in refused.value.message
    capsys.readouterr()
    assert main(["search", "fish", *stored, "--embedder", "multilingual"]) == 2
    assert "toulmin reembed --embedder multilingual" in capsys.readouterr().err


def test_reembed_replaces_every_vector_and_nothing_else(stored, tmp_path, capsys):
    before = vectors(tmp_path / "data")
    assert {model for model, _ in before.values()} == {"embedder hash-1"}
    capsys.readouterr()
    assert main(["reembed", *stored, "--embedder", "multilingual", "--json"]) == 0
    streams = capsys.readouterr()
    assert json.loads(streams.out) == {"embedder": "multilingual", "chunks": len(before)}
    assert f"{len(before)} of {len(before)} chunks (100 %)" in streams.err
    after = vectors(tmp_path / "data")
    assert after.keys() == before.keys()
    assert {model for model, _ in after.values()} == {"embedder multilingual-hash-1"}
    open_documents(tmp_path / "data", "multilingual")
    with pytest.raises(FailedPrecondition, match="embedder = multilingual"):
        open_documents(tmp_path / "data", "english")


def test_what_was_interrupted_is_refused_by_both_and_goes_on(stored, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("toulmin.services.reembedding._AT_ONCE", 1)
    asked = []

    def embed(self, texts, **_):
        asked.append(texts)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return HashEmbedder.embed(self, list(texts))

    monkeypatch.setattr(FakeEmbedder, "embed", embed)
    assert main(["reembed", *stored, "--embedder", "multilingual"]) == 130
    count = len(vectors(tmp_path / "data"))
    for embedder in ("english", "multilingual"):
        with pytest.raises(FailedPrecondition, match="partly embedded"):
            open_documents(tmp_path / "data", embedder)
    capsys.readouterr()
    assert main(["reembed", *stored, "--embedder", "multilingual", "--json", "--quiet"]) == 0
    streams = capsys.readouterr()
    assert json.loads(streams.out)["chunks"] == count - 1
    assert streams.err == ""
    open_documents(tmp_path / "data", "multilingual")


def test_the_index_is_made_of_the_new_vectors(stored, tmp_path):
    assert main(["reembed", *stored, "--embedder", "multilingual", "--quiet"]) == 0
    values = {"data_dir": tmp_path / "data", "embedder": "multilingual", "parser_processes": 1}
    services = build_services(load_settings(flags=values, environment={}))
    try:
        query = SearchQuery(scopes=(Scope(data_store=STORE),), text="fish")
        found = services.searcher().search(query)
    finally:
        services.close()
    assert {result.document.id.partition("-")[0] for result in found.documents} >= {"otters"}


def test_a_later_import_is_embedded_with_the_rest(stored, files, tmp_path):
    assert main(["reembed", *stored, "--embedder", "multilingual", "--quiet"]) == 0
    assert main(["ingest", str(files), *stored, "--embedder", "multilingual", "--quiet"]) == 0
    models = {model for model, _ in vectors(tmp_path / "data").values()}
    assert models == {"embedder multilingual-hash-1"}


def test_nothing_to_do_and_nothing_there(stored, tmp_path, capsys):
    capsys.readouterr()
    assert main(["reembed", *stored, "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["chunks"] == 0
    assert main(["reembed", "--data-dir", str(tmp_path / "nowhere")]) == 2
    assert "holds no records" in capsys.readouterr().err
    assert not (tmp_path / "nowhere").exists()


def test_a_missing_embedder_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "toulmin.services.embedders.packaged_weights", lambda _name: tmp_path / "multilingual"
    )
    with pytest.raises(FailedPrecondition, match="toulmin-multilingual-model"):
        open_documents(tmp_path / "data", "multilingual")


def test_vectors_are_kept_as_they_are_stored_by_an_import(stored, files, tmp_path):
    assert main(["reembed", *stored, "--embedder", "multilingual", "--quiet"]) == 0
    reembedded = vectors(tmp_path / "data")
    other = ["--data-dir", str(tmp_path / "anew"), "--embedder", "multilingual"]
    assert main(["ingest", str(files), *other, "--quiet"]) == 0
    for content, (model, vector) in vectors(tmp_path / "anew").items():
        assert reembedded[content][0] == model
        assert np.array_equal(
            np.frombuffer(reembedded[content][1], "<f2"), np.frombuffer(vector, "<f2")
        )


def test_what_an_older_version_stored_gets_vectors_of_its_parts(
    stored, tmp_path, monkeypatch, capsys
):
    folder = tmp_path / "data"
    before = vectors(folder)
    with sqlite3.connect(folder / RECORDS_FILE) as records:
        records.execute("UPDATE chunks SET part_embeddings = NULL")
    monkeypatch.setattr(FakeEmbedder, "has_parts", True)
    monkeypatch.setattr(
        "toulmin.ingestion.part_vectors.part_texts", lambda chunk: chunk.content.split()[:2]
    )
    assert main(["reembed", *stored, "--quiet"]) == 0
    assert vectors(folder) == before  # of whole chunks
    assert not (folder / INDEX_FOLDER).exists()
    store = RecordStore(folder)
    try:
        with store.read() as transaction:
            found = transaction.documents.scan(after_key=0, limit=100)
    finally:
        store.close()
    assert {len(chunk.part_embeddings) for item in found for chunk in item.chunks} == {2 * 384}
    capsys.readouterr()
    assert main(["reembed", *stored, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["chunks"] == 0
    assert main(["search", "fish", *stored]) == 0
