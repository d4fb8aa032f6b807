"""Words that a stored document has are not embedded again."""

import pytest

from tests.ingestion.importing import Files, Importing, text_document
from tests.stores.records.nouns import BRANCH, make_branch
from toulmin.domain import Document, DocumentContent
from toulmin.stores.records import RecordStore


@pytest.fixture
def store(tmp_path):
    opened = RecordStore(tmp_path / "data", busy_timeout_s=5.0)
    make_branch(opened)
    yield opened
    opened.close()


def vectors(store, id_):
    """What is kept of the chunks of a document, in order."""
    with store.read() as transaction:
        found = transaction.documents.chunks(BRANCH, id_, page_size=100).items
    return [(chunk.content, chunk.embedding, chunk.part_embeddings) for chunk in found]


def test_words_that_a_stored_document_has_are_not_embedded_again(store):
    # The same bytes at a URI and inline: another document to the fingerprint, the same words.
    files = Files(a="# Pump\n\nIt runs at 3 bar.")
    there = DocumentContent(mime_type="text/markdown", uri="file:///a.txt")
    importing = Importing(store, [Document(id="a", content=there)], files=files)
    importing.run()
    before = vectors(store, "a")
    importing.embedder.texts.clear()
    here = DocumentContent(mime_type="text/markdown", raw_bytes=files.files[there.uri][0])
    importing.things = [Document(id="a", content=here)]
    assert importing.run().result["unchanged_count"] == 0
    assert importing.embedder.texts == []
    assert vectors(store, "a") == before != []
    importing.run(force_refresh=True)
    assert len(importing.embedder.texts) == 1
    assert vectors(store, "a") == before


def test_changed_words_and_those_of_another_embedder_are_embedded(store):
    importing = Importing(store, [text_document("a", "One."), text_document("b", "Two.")])
    importing.run()
    importing.embedder.texts.clear()
    importing.things = [text_document("a", "Three."), text_document("b", "Two.", schema_id="x")]
    importing.run()
    assert [text[-6:] for text in importing.embedder.texts] == ["Three."]
    importing.embedder.version = "hash-2"
    importing.embedder.texts.clear()
    importing.run()
    assert len(importing.embedder.texts) == 2
