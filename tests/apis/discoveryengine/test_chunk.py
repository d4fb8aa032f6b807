"""ChunkService through the official v1alpha client, and chunks as messages of every version."""

import pytest
from google.api_core.exceptions import GoogleAPICallError, NotFound
from google.cloud import discoveryengine_v1alpha

from tests.apis.discoveryengine.document_backend import APIS, PARENT, Backend
from toulmin.apis.discoveryengine.convert.documents import (
    fill_chunk,
    fill_document,
    to_document,
)
from toulmin.apis.schema import load_schema
from toulmin.domain import Branch, Chunk, Document, DocumentContent

pytestmark = pytest.mark.client

MARKDOWN = "# Bridges\n\n" + "\n\n".join(
    f"## Part {number}\n\n" + f"Sentence {number} about rivers and roads. " * 40
    for number in range(12)
)
BRANCH = Branch(f"{PARENT}/dataStores/d")


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    made = Backend(tmp_path_factory.mktemp("backend"), tmp_path_factory.mktemp("files"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def document(backend):
    """A document of some chunks, made over the API."""
    branch = backend.make_store("CONTENT_REQUIRED").name
    client = backend.make_client(discoveryengine_v1alpha.DocumentServiceClient, "grpc")
    return client.create_document(
        parent=branch,
        document_id="bridges",
        document={
            "content": {"mime_type": "text/markdown", "raw_bytes": MARKDOWN.encode()},
            "struct_data": {"author": "Ada", "url": "https://example.org/b"},
        },
    )


@pytest.fixture(params=["rest", "grpc"])
def client(request, backend):
    return backend.make_client(discoveryengine_v1alpha.ChunkServiceClient, request.param)


def listed(client, document, **more):
    return client.list_chunks(request={"parent": document.name, **more})


def test_chunks_come_in_order_with_what_is_known_of_their_document(client, document):
    chunks = list(listed(client, document))
    assert len(chunks) > 3
    assert [chunk.id for chunk in chunks] == [f"c{n}" for n in range(1, len(chunks) + 1)]
    first, last = chunks[0], chunks[-1]
    assert first.name == f"{document.name}/chunks/c1"
    assert "Sentence 0" in first.content
    assert "Sentence 11" in last.content
    assert next(iter(last.derived_struct_data["headings"])) == "Bridges"
    metadata = first.document_metadata
    assert (metadata.title, metadata.uri) == ("Bridges", "https://example.org/b")
    assert metadata.struct_data["author"] == "Ada"
    assert client.get_chunk(name=last.name) == last


def test_pages_of_chunks(client, document):
    sizes = [len(page.chunks) for page in listed(client, document, page_size=2).pages]
    assert set(sizes[:-1]) == {2}
    assert sum(sizes) == len(list(listed(client, document)))


def test_a_token_is_of_no_use_once_the_document_is_another(client, backend):
    branch = backend.make_store("CONTENT_REQUIRED").name
    documents = backend.make_client(discoveryengine_v1alpha.DocumentServiceClient, "grpc")
    content = {"mime_type": "text/markdown", "raw_bytes": MARKDOWN.encode()}
    made = documents.create_document(parent=branch, document_id="d", document={"content": content})
    token = next(listed(client, made, page_size=1).pages).next_page_token
    documents.update_document(document={"name": made.name, "content": content})
    with pytest.raises(GoogleAPICallError, match="page_token") as caught:
        list(listed(client, made, page_size=1, page_token=token))
    assert caught.value.code == 400


def test_what_is_not_there_is_named(client, document):
    for name in (f"{document.name}/chunks/c999", f"{document.name}x/chunks/c1"):
        with pytest.raises(NotFound, match="does not exist"):
            client.get_chunk(name=name)
    with pytest.raises(NotFound, match="bridgesx does not exist"):
        client.list_chunks(parent=f"{document.name}x")


def test_a_bad_page_size_is_refused(client, document):
    with pytest.raises(GoogleAPICallError, match="page_size") as caught:
        listed(client, document, page_size=-1)
    assert caught.value.code == 400


def message(version, name):
    return load_schema().message_class(f"google.cloud.discoveryengine.{version}.{name}")()


def chunk(number, **more):
    return Chunk(
        id=f"c{number}", document_id="d", content=f"Text {number}.", start=0, end=7, **more
    )


@pytest.mark.parametrize("version", APIS)
def test_a_chunk_with_pages_neighbours_and_images(version):
    document = Document(
        id="d",
        json_data='{"a": 1}',
        content=DocumentContent(mime_type="application/pdf", uri="gs://b/d.pdf"),
        derived={"title": "T"},
    )
    found = message(version, "Chunk")
    fill_chunk(
        found,
        chunk(2, page_start=3, page_end=4, headings=("A", "B")),
        document,
        BRANCH,
        previous=[chunk(1)],
        next_=[chunk(3, page_start=4)],
    )
    assert found.name == f"{BRANCH.name}/documents/d/chunks/c2"
    assert (found.page_span.page_start, found.page_span.page_end) == (3, 4)
    assert (found.document_metadata.uri, found.document_metadata.title) == ("gs://b/d.pdf", "T")
    assert dict(found.document_metadata.struct_data) == {"a": 1}
    assert list(found.derived_struct_data["headings"]) == ["A", "B"]
    (before,) = found.chunk_metadata.previous_chunks
    (after,) = found.chunk_metadata.next_chunks
    assert (before.id, before.HasField("page_span")) == ("c1", False)
    assert (after.id, after.page_span.page_end) == ("c3", 4)
    assert not found.HasField("relevance_score")
    assert getattr(found.document_metadata, "mime_type", "application/pdf") == "application/pdf"


@pytest.mark.parametrize("version", APIS)
def test_a_document_never_indexed_says_so_and_keeps_internals_to_itself(version):
    found = message(version, "Document")
    derived = {"title": "T", "notes": [], "secret": "x"}
    fill_document(found, Document(id="d", derived=derived), BRANCH, with_bytes=True)
    assert dict(found.derived_struct_data) == {"title": "T"}
    assert not found.HasField("index_time")
    if version != "v1alpha":
        assert "not been indexed" in found.index_status.pending_message


def test_every_kind_of_json_goes_through_a_struct():
    data = {"s": "x", "n": None, "t": True, "i": 3, "f": 0.25, "l": [1, [2], {"k": "v"}], "o": {}}
    found = message("v1", "Document")
    fill_document(found, Document(id="d", struct_data=data), BRANCH, with_bytes=False)
    back = to_document(found, "d", default_schema_id="default_schema", field="document")
    assert back.struct_data == data
    assert isinstance(back.struct_data["i"], int)
    assert isinstance(back.struct_data["t"], bool)


@pytest.mark.parametrize(
    ("mime_type", "content", "title", "found"),
    [
        ("text/org", b"#+TITLE: Rates\n* Oil\n- /one/\n", "Rates", "Oil\n\n- one"),
        ("text/asciidoc", b"= Rates\n\n== Oil\n\n* _one_\n", "Rates", "Rates\n\nOil\n\n- one"),
        ("application/rtf", rb"{\rtf1{\info{\title Rates}}\outlinelevel0 Oil\par}", "Rates", "Oil"),
        ("text/plain; charset=utf-16", "Größe".encode("utf-16"), "", "Größe"),
        ("message/rfc822", "Subject: Rates\n\nOil".encode("utf-16"), "Rates", "Rates\n\nOil"),
    ],
)
def test_the_stated_type_tells_how_imported_content_is_read(
    backend, mime_type, content, title, found
):
    branch = backend.make_store("CONTENT_REQUIRED").name
    documents = backend.make_client(discoveryengine_v1alpha.DocumentServiceClient, "rest")
    given = {"id": "d", "content": {"raw_bytes": content, "mime_type": mime_type}}
    request = {"parent": branch, "inline_source": {"documents": [given]}}
    assert not documents.import_documents(request=request).result(timeout=60).error_samples
    got = documents.get_document(name=f"{branch}/documents/d")
    assert got.derived_struct_data["mime_type"] == mime_type.partition(";")[0]
    assert got.derived_struct_data.get("title", "") == title
    chunks = backend.make_client(discoveryengine_v1alpha.ChunkServiceClient, "rest")
    assert [chunk.content for chunk in chunks.list_chunks(parent=got.name)] == [found]
