import dataclasses

import pytest
from sqlalchemy import event

from tests.stores.records.nouns import BRANCH, PARENT, make_branch, make_document, upsert
from toulmin.domain import Branch, Chunk, DataStore, Document, IngestedDocument
from toulmin.errors import NotFound
from toulmin.stores.records import Headline, Statistics

OTHER = Branch(f"{PARENT}/dataStores/films")


@pytest.fixture(autouse=True)
def branch(store):
    return make_branch(store)


def keys_of(store, document_id, branch=BRANCH):
    with store.read() as transaction:
        page = transaction.documents.chunks(branch, document_id, page_size=100)
    return [chunk.key for chunk in page.items]


@pytest.fixture
def statements(store):
    """SQL texts that were sent to the engine."""
    seen = []

    def note(_connection, _cursor, statement, *_rest):
        seen.append(statement)

    with store.read() as transaction:
        engine = transaction.documents._connection.engine
    event.listen(engine, "before_cursor_execute", note)
    yield seen
    event.remove(engine, "before_cursor_execute", note)


def test_chunks_by_keys_come_with_their_documents(store):
    with store.write() as transaction:
        transaction.resources.create(DataStore(parent=PARENT, id="films"))
        transaction.documents.upsert(OTHER, [make_document("d1", "film")])
    upsert(store, make_document("d1", "one", "two", "three", derived={"title": "T"}))
    upsert(store, make_document("d2", "four"))
    first, film, fourth = (
        keys_of(store, "d1")[1],
        keys_of(store, "d1", OTHER)[0],
        keys_of(store, "d2")[0],
    )
    with store.read() as transaction:
        found = transaction.documents.chunks_by_keys([fourth, 10**9, film, first])
        chunk = transaction.documents.chunk(BRANCH, "d1", "c1")
        document = transaction.documents.get_many(BRANCH, ["d1"])["d1"]
        key = transaction.documents.scan(limit=2)[1].key
        assert transaction.documents.chunks_by_keys([]) == {}
    assert list(found) == [fourth, film, first]  # in the order asked for
    assert found[first].chunk == dataclasses.replace(chunk, embedding=b"", embedding_model="")
    assert found[first].document == document
    assert found[first].document_key == key
    assert (found[first].data_store, found[first].branch) == (BRANCH.data_store, "0")
    assert (found[film].data_store, found[film].chunk.content) == (OTHER.data_store, "film")
    assert found[film].chunk.document_id == "d1"


def test_chunks_by_keys_take_two_statements_and_no_vectors(store, statements):
    for n in range(30):
        upsert(store, make_document(f"d{n}", "x", "y", "z"))
    wanted = [key for n in range(30) for key in keys_of(store, f"d{n}")[:1]]
    with store.read() as transaction:
        statements.clear()
        assert len(transaction.documents.chunks_by_keys(wanted)) == 30
    reading = [statement for statement in statements if statement.startswith("SELECT")]
    assert len(reading) == 2
    assert not any("embedding" in statement for statement in reading)


def test_chunks_of_a_replaced_document_are_not_found(store):
    upsert(store, make_document("d1", "one"))
    old = keys_of(store, "d1")
    upsert(store, make_document("d1", "two"))
    with store.read() as transaction:
        assert transaction.documents.chunks_by_keys(old) == {}


def test_neighbours(store):
    upsert(store, make_document("d0", "other"), make_document("d1", *"abcdef"))
    with store.read() as transaction:
        documents = transaction.documents
        key = documents.chunks_by_keys(keys_of(store, "d1")[:1]).popitem()[1].document_key
        before, after = documents.neighbours(key, "c3", before=2, after=5)
        assert "".join(chunk.content for chunk in before) == "bc"
        assert "".join(chunk.content for chunk in after) == "ef"
        assert {chunk.document_id for chunk in (*before, *after)} == {"d1"}
        assert {chunk.embedding for chunk in (*before, *after)} == {b""}
        assert documents.neighbours(key, "c0", before=3, after=0) == ((), ())
        with pytest.raises(NotFound, match="no chunk 'c9'"):
            documents.neighbours(key, "c9", before=1, after=1)
        with pytest.raises(NotFound):
            documents.neighbours(10**9, "c0", before=1, after=1)


def test_headlines_page_by_id(store):
    def chunk(number, *headings):
        return Chunk(
            id=f"c{number}", document_id="b", content="x", start=0, end=1, headings=headings
        )

    upsert(
        store,
        IngestedDocument(
            document=Document(id="b", derived={"title": "Title"}),
            chunks=(chunk(1, "Z"), chunk(2, "Z", "A"), chunk(3, "Z", "A"), chunk(4, "B")),
        ),
        IngestedDocument(document=Document(id="a")),
        IngestedDocument(document=Document(id="c", derived={"title": None})),
    )
    with store.read() as transaction:
        first = transaction.documents.headlines(BRANCH, limit=2)
        rest = transaction.documents.headlines(BRANCH, after_id=first[-1].id, limit=2)
    assert first == (Headline("a", "", ()), Headline("b", "Title", ("Z", "A", "B")))
    assert rest == (Headline("c", "", ()),)


def test_fingerprints(store):
    upsert(store, make_document("d1", fingerprint="f1"), make_document("d2"))
    with store.read() as transaction:
        found = transaction.documents.fingerprints(BRANCH, ["d2", "d1", "d9"])
        assert found == {"d1": "f1", "d2": ""}
        assert transaction.documents.get(BRANCH, "d1").fingerprint == "f1"


def test_statistics_follow_writes(store):
    def statistics():
        with store.read() as transaction:
            return transaction.documents.statistics(BRANCH)

    assert statistics() == Statistics(0, 0, 0)
    upsert(store, make_document("d1", "日本", "x"), make_document("d2", "abc"))
    assert statistics() == Statistics(documents=2, chunks=3, text_characters=7)
    upsert(store, make_document("d1", "y"))
    assert statistics() == Statistics(documents=2, chunks=2, text_characters=4)
    with store.write() as transaction:
        transaction.documents.delete(BRANCH, ["d2"])
    assert statistics() == Statistics(documents=1, chunks=1, text_characters=1)
