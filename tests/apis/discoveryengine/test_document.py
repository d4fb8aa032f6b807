"""DocumentService, one document at a time, through the official clients in every version."""

import json
import threading
from datetime import UTC, datetime

import pytest
from google.api_core.exceptions import AlreadyExists, Conflict, GoogleAPICallError, NotFound

from tests.apis.discoveryengine.document_backend import APIS, PARENT, Backend
from toulmin.domain import DataStore, Document, DocumentContent, IngestedDocument, Schema

pytestmark = pytest.mark.client

TEXT = "Bridges carry roads over rivers.\n\nThe longest one here has 312 metres."


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    made = Backend(tmp_path_factory.mktemp("backend"), tmp_path_factory.mktemp("files"))
    yield made
    made.close()


@pytest.fixture(params=[f"{v}-{t}" for v in APIS for t in ("rest", "grpc")])
def any_client(request, backend):
    """The module of a version, and its client, for each version and transport."""
    version, transport = request.param.split("-")
    api = APIS[version]
    return api, backend.make_client(api.DocumentServiceClient, transport)


@pytest.fixture(params=["rest", "grpc"])
def client(request, backend):
    return backend.make_client(APIS["v1beta"].DocumentServiceClient, request.param)


@pytest.fixture
def branch(backend):
    return backend.make_store().name


@pytest.fixture
def content_branch(backend):
    return backend.make_store("CONTENT_REQUIRED").name


def create(client, branch, id_, **document):
    return client.create_document(parent=branch, document=document, document_id=id_)


def data_of(document):
    """The data of a document as the client shows them."""
    return json.loads(type(document).to_json(document))["structData"]


def refused(call, code):
    """Return what an error says, after checking its code."""
    with pytest.raises(GoogleAPICallError) as caught:
        call()
    assert caught.value.code == code, caught.value
    return str(caught.value) + str(caught.value.details)


def chunks_found(backend, branch):
    """How many chunks the index of a data store has."""
    with backend.records.read() as transaction:
        key = transaction.resources.data_store_key(branch.rpartition("/branches/")[0])
    return backend.indexer.index_of(key).count().chunks


def test_create_get_list_update_delete(any_client, backend, branch):
    api, client = any_client
    data = {"title": "Bridges", "year": 1998, "price": 4.5, "tags": ["a", "b"], "none": None}
    made = create(client, branch, "b-1", struct_data=data)
    assert made.name == f"{branch}/documents/b-1"
    assert (made.id, made.schema_id) == ("b-1", "default_schema")
    assert made.derived_struct_data["title"] == "Bridges"
    assert made.index_time == made.index_status.index_time
    assert chunks_found(backend, branch) == 1  # searchable at once
    got = client.get_document(name=made.name)
    assert got == made
    assert data_of(got) == data
    changed = api.Document(name=made.name, json_data='{"title": "Roads"}')
    assert client.update_document(document=changed).json_data == '{"title": "Roads"}'
    got = client.get_document(name=made.name)
    assert "struct_data" not in got
    assert got.derived_struct_data["title"] == "Roads"
    create(client, branch, "b-0", struct_data={"x": 1})
    assert [item.id for item in client.list_documents(parent=branch)] == ["b-0", "b-1"]
    client.delete_document(name=made.name)
    assert [item.id for item in client.list_documents(parent=branch)] == ["b-0"]
    assert chunks_found(backend, branch) == 1
    with pytest.raises(NotFound, match="b-1 does not exist"):
        client.get_document(name=made.name)
    with pytest.raises(NotFound):
        client.delete_document(name=made.name)


def test_numbers_stay_whole_in_the_record(client, backend):
    branch = backend.make_store()
    create(client, branch.name, "n", struct_data={"whole": 3, "half": 0.5, "deep": [{"n": 7}]})
    with backend.records.read() as transaction:
        kept = transaction.documents.get(branch, "n").struct_data
    assert kept == {"whole": 3, "half": 0.5, "deep": [{"n": 7}]}
    assert isinstance(kept["whole"], int)
    assert isinstance(kept["deep"][0]["n"], int)


def test_content_comes_back_with_get_and_not_with_list(any_client, content_branch):
    _, client = any_client
    content = {"mime_type": "text/plain", "raw_bytes": TEXT.encode()}
    create(client, content_branch, "t", content=content, struct_data={"title": "T"})
    got = client.get_document(name=f"{content_branch}/documents/t")
    assert got.content.raw_bytes == TEXT.encode()
    assert got.content.mime_type == "text/plain"
    assert got.derived_struct_data["mime_type"] == "text/plain"
    (listed,) = client.list_documents(parent=content_branch)
    assert listed.content.mime_type == "text/plain"
    assert not listed.content.raw_bytes


def test_names_without_a_collection_and_the_default_branch_mean_the_same(client, backend, branch):
    short = branch.replace("/collections/default_collection", "")
    short = short.removesuffix("/0") + "/default_branch"
    assert create(client, short, "d", struct_data={"x": 1}).name == f"{branch}/documents/d"
    assert client.get_document(name=f"{short}/documents/d").id == "d"


def test_pages_go_on_where_the_last_one_ended(client, branch):
    for number in range(5):
        create(client, branch, f"d{number}", struct_data={"n": number})
    first = client.list_documents(request={"parent": branch, "page_size": 2})
    page = next(first.pages)
    create(client, branch, "a", struct_data={"n": 9})  # before the page: shifts nothing
    rest = client.list_documents(
        request={"parent": branch, "page_size": 2, "page_token": page.next_page_token}
    )
    assert [item.id for item in page.documents] == ["d0", "d1"]
    assert [item.id for item in rest] == ["d2", "d3", "d4"]


def test_a_mask_changes_what_it_names_and_nothing_else(any_client, backend, content_branch):
    api, client = any_client
    name = f"{content_branch}/documents/m"
    content = {"mime_type": "text/plain", "raw_bytes": TEXT.encode()}
    create(client, content_branch, "m", content=content, struct_data={"a": 1, "b": {"c": 2}})
    sent = api.Document(name=name, struct_data={"a": 5, "b": {"c": 6}, "z": 7}, schema_id="s")
    got = client.update_document(document=sent, update_mask={"paths": ["struct_data.b.c"]})
    assert data_of(got) == {"a": 1, "b": {"c": 6}}
    assert got.content.raw_bytes == TEXT.encode()
    assert got.schema_id == "default_schema"
    got = client.update_document(document=sent, update_mask={"paths": ["struct_data"]})
    assert data_of(got) == {"a": 5, "b": {"c": 6}, "z": 7}
    got = client.update_document(document={"name": name}, update_mask={"paths": ["struct_data"]})
    assert "struct_data" not in got
    assert client.get_document(name=name).content.raw_bytes == TEXT.encode()
    said = refused(
        lambda: client.update_document(document=sent, update_mask={"paths": ["colour"]}), 400
    )
    assert "update_mask" in said
    assert "colour" in said


def test_what_a_mask_leaves_out_loses_no_digits(client, backend):
    branch = backend.make_store()
    big = 2**60 + 1  # no double has it
    item = backend.ingestor.ingest(
        Document(id="d", struct_data={"n": big}), store=DataStore(parent=PARENT, id="x")
    )
    with backend.records.write() as transaction:
        transaction.documents.upsert(branch, [item])
    name = f"{branch.name}/documents/d"
    client.update_document(
        document={"name": name, "parent_document_id": "top"},
        update_mask={"paths": ["parent_document_id"]},
    )
    with backend.records.read() as transaction:
        kept = transaction.documents.get(branch, "d")
    assert kept.struct_data == {"n": big}
    assert kept.parent_document_id == "top"


def test_allow_missing_creates_whatever_the_mask_says(client, branch):
    name = f"{branch}/documents/new"
    request = {"document": {"name": name, "struct_data": {"a": 1}}}
    with pytest.raises(NotFound, match="allow_missing"):
        client.update_document(request=request)
    mask = {"paths": ["schema_id"]}
    got = client.update_document(request=request | {"allow_missing": True, "update_mask": mask})
    assert data_of(got) == {"a": 1}


def test_an_id_is_taken_once(client, branch):
    create(client, branch, "d", struct_data={"a": 1})
    with pytest.raises((AlreadyExists, Conflict), match="exists already"):
        create(client, branch, "d", struct_data={"a": 2})


def test_concurrent_updates_of_several_fields_are_all_kept(backend):
    branch = backend.make_store().name
    clients = [backend.make_client(APIS["v1"].DocumentServiceClient, "grpc") for _ in range(3)]
    name = create(clients[0], branch, "d", struct_data={"z": 0}).name
    errors = []

    def change(client, key):
        try:
            client.update_document(
                document={"name": name, "struct_data": {key: 1}},
                update_mask={"paths": [f"struct_data.{key}"]},
            )
        except GoogleAPICallError as error:
            errors.append(error)

    threads = [threading.Thread(target=change, args=pair) for pair in zip(clients, "abc", strict=1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert data_of(clients[0].get_document(name=name)) == {"a": 1, "b": 1, "c": 1, "z": 0}


def test_data_must_follow_the_schema(client, backend):
    branch = backend.make_store()
    schema = {"type": "object", "properties": {"year": {"type": "integer"}}}
    with backend.records.write() as transaction:
        transaction.resources.create(
            Schema(parent=branch.data_store, id="default_schema", json_schema=schema)
        )
    create(client, branch.name, "good", struct_data={"year": 1998})
    said = refused(lambda: create(client, branch.name, "a", struct_data={"year": "old"}), 400)
    assert "document.struct_data.year" in said
    said = refused(lambda: create(client, branch.name, "a", json_data='{"year": "old"}'), 400)
    assert "document.json_data.year" in said
    said = refused(lambda: create(client, branch.name, "a", schema_id="none"), 400)
    assert "document.schema_id" in said


def test_content_is_where_the_data_store_wants_it(client, branch, content_branch):
    content = {"mime_type": "text/plain", "raw_bytes": b"x"}
    said = refused(lambda: create(client, branch, "d", content=content), 400)
    assert "document.content" in said
    assert "content_config: CONTENT_REQUIRED" in said
    said = refused(lambda: create(client, content_branch, "d", struct_data={"a": 1}), 400)
    assert "document.content" in said
    assert "is missing" in said


def test_a_file_that_cannot_be_parsed_is_refused_and_not_kept(client, content_branch):
    content = {"mime_type": "application/pdf", "raw_bytes": b"%PDF-1.4 nothing"}
    assert "PDF" in refused(lambda: create(client, content_branch, "d", content=content), 400)
    assert list(client.list_documents(parent=content_branch)) == []


def test_a_uri_that_may_not_be_read_is_refused(client, content_branch):
    content = {"mime_type": "text/plain", "uri": "file:///etc/hostname"}
    said = refused(lambda: create(client, content_branch, "d", content=content), 403)
    assert "file:///etc/hostname" in said


def test_a_data_store_that_is_not_there_is_named(any_client):
    _, client = any_client
    gone = f"{PARENT}/dataStores/gone"
    branch = f"{gone}/branches/0"
    name = f"{branch}/documents/d"
    for call in (
        lambda: create(client, branch, "d", struct_data={"a": 1}),
        lambda: client.get_document(name=name),
        lambda: client.list_documents(parent=branch),
        lambda: client.delete_document(name=name),
        lambda: client.update_document(request={"document": {"name": name}, "allow_missing": True}),
        lambda: client.import_documents(
            request={"parent": branch, "inline_source": {"documents": [{"id": "a"}]}}
        ),
        lambda: client.purge_documents(request={"parent": branch, "filter": "*"}),
        lambda: client.batch_get_documents_metadata(
            request={"parent": branch, "matcher": {"uris_matcher": {"uris": ["gs://a/b"]}}}
        ),
    ):
        assert f"{gone} does not exist" in refused(call, 404)
    other = f"{gone}/branches/5"
    assert "branches/5 does not exist" in refused(lambda: client.list_documents(parent=other), 404)


ACL = {"readers": [{"principals": [{"user_id": "u"}]}]}
BAD_DOCUMENTS = [
    ({"document_id": ""}, "document_id", "is ''"),
    ({"document_id": "a b"}, "document_id", "'a b'"),
    ({"document_id": "a/b"}, "document_id", "a/b"),
    ({"document_id": "x" * 129}, "document_id", "1 to 128"),
    ({"document": {"id": "other"}}, "document.id", "other"),
    ({"document": {"name": "nonsense"}}, "document.name", "nonsense"),
    ({"document": {"json_data": "{"}}, "document.json_data", "not JSON"),
    ({"document": {"json_data": "[1]"}}, "document.json_data", "array"),
    ({"document": {"json_data": "NaN"}}, "document.json_data", "not JSON"),
    ({"document": {"parent_document_id": "a b"}}, "document.parent_document_id", "a b"),
    ({"document": {"parent_document_id": "d"}}, "document.parent_document_id", "itself"),
    ({"document": {"content": {"mime_type": "text/plain"}}}, "document.content", "neither"),
    ({"document": {"content": {"uri": "gs://" + "x" * 2000}}}, "document.content.uri", "2,005"),
    ({"document": {"acl_info": ACL}}, "document.acl_info", "readers"),
    ({"parent": "branches/0"}, "parent", "branches/0"),
    ({"parent": f"{PARENT}/dataStores/d"}, "parent", "must have the form"),
]


@pytest.mark.parametrize(("change", "field", "words"), BAD_DOCUMENTS)
def test_a_bad_document_is_refused_with_field_and_value(backend, branch, change, field, words):
    client = backend.make_client(APIS["v1"].DocumentServiceClient, "grpc")
    good = {"parent": branch, "document_id": "d", "document": {"struct_data": {"a": 1}}}
    said = refused(lambda: client.create_document(request=good | change), 400)
    assert f"{field}: " in said
    assert words in said


def test_a_number_that_json_lacks_is_refused(backend, branch):
    client = backend.make_client(APIS["v1"].DocumentServiceClient, "grpc")
    data = {"list": [1, {"x": float("nan")}]}
    said = refused(lambda: create(client, branch, "d", struct_data=data), 400)
    assert "document.struct_data.list[1].x: is nan" in said


def test_data_that_no_client_could_read_back_are_refused(backend, branch):
    client = backend.make_client(APIS["v1"].DocumentServiceClient, "grpc")
    said = refused(
        lambda: create(client, branch, "d", json_data='{"a":' * 31 + "1" + "}" * 31), 400
    )
    assert "document.json_data: is nested deeper than 30" in said
    deep = json.loads('{"a":' * 30 + "1" + "}" * 30)
    name = create(client, branch, "d", struct_data=deep).name
    assert data_of(client.get_document(name=name)) == deep


def test_readers_are_not_implemented_where_access_is_controlled(client, backend):
    branch = backend.make_store(fields={"aclEnabled": True}).name
    said = refused(lambda: create(client, branch, "d", acl_info=ACL), 501)
    assert "acl_info" in said


def test_a_bad_list_is_refused(client, branch):
    def listed(**request):
        return refused(lambda: client.list_documents(request={"parent": branch, **request}), 400)

    assert "page_size: -1" in listed(page_size=-1)
    assert "page_token" in listed(page_token="nonsense")


def test_metadata_by_uri(any_client, backend):
    _, client = any_client
    branch = backend.make_store("CONTENT_REQUIRED")

    def at(id_, uri, index_time=None):
        content = DocumentContent(mime_type="text/plain", uri=uri)
        return IngestedDocument(document=Document(id=id_, content=content, index_time=index_time))

    when = datetime(2026, 1, 2, tzinfo=UTC)
    with backend.records.write() as transaction:
        transaction.documents.upsert(
            branch, [at("a", "gs://b/a", when), at("b", "gs://b/b"), at("c", "gs://b/a", when)]
        )
    uris = ["gs://b/none", "gs://b/b", "gs://b/a", "gs://b/b"]
    got = client.batch_get_documents_metadata(
        request={"parent": branch.name, "matcher": {"uris_matcher": {"uris": uris}}}
    ).documents_metadata
    assert [(item.matcher_value.uri, item.state.name) for item in got] == [
        ("gs://b/none", "NOT_IN_INDEX"),
        ("gs://b/b", "NOT_IN_INDEX"),
        ("gs://b/a", "INDEXED"),
        ("gs://b/a", "INDEXED"),
    ]
    assert got[2].last_refreshed_time == when


def test_bad_metadata_requests(client, branch):
    def ask(**matcher):
        return client.batch_get_documents_metadata(request={"parent": branch, "matcher": matcher})

    assert "matcher.uris_matcher.uris: is empty" in refused(lambda: ask(uris_matcher={}), 400)
    resources = {"fhir_resources": ["a"]}
    assert "fhir_matcher" in refused(lambda: ask(fhir_matcher=resources), 501)


def test_too_many_uris(backend, branch):
    client = backend.make_client(APIS["v1"].DocumentServiceClient, "grpc")
    matcher = {"uris_matcher": {"uris": [f"gs://b/{number}" for number in range(1001)]}}
    request = {"parent": branch, "matcher": matcher}
    assert "1,001" in refused(lambda: client.batch_get_documents_metadata(request=request), 400)
