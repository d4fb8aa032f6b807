"""Imports and purges through the official clients, in every version, over both transports."""

import json

import pytest
from google.api_core.exceptions import GoogleAPICallError

from tests.apis.discoveryengine.clients import OFTEN
from tests.apis.discoveryengine.document_backend import APIS, Backend
from toulmin.apis.discoveryengine import document_batches
from toulmin.domain import Schema

pytestmark = pytest.mark.client

WAIT_S = 60


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "a.txt").write_text("Alpha is the first letter.")
    (folder / "b.txt").write_text("Beta is the second letter.")
    lines = [{"id": f"r{number}", "structData": {"n": number}} for number in range(3)]
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (folder / "table.csv").write_text("key,title\nk1,One\nk2,Two\n")
    return folder


@pytest.fixture(scope="module")
def backend(tmp_path_factory, files):
    made = Backend(tmp_path_factory.mktemp("backend"), files)
    yield made
    made.close()


@pytest.fixture(params=[f"{v}-{t}" for v in APIS for t in ("rest", "grpc")])
def client(request, backend):
    version, transport = request.param.split("-")
    return backend.make_client(APIS[version].DocumentServiceClient, transport)


@pytest.fixture
def one_client(backend):
    return backend.make_client(APIS["v1beta"].DocumentServiceClient, "grpc")


@pytest.fixture
def branch(backend):
    return backend.make_store().name


@pytest.fixture
def content_branch(backend):
    return backend.make_store("CONTENT_REQUIRED").name


def inline(*documents, **more):
    return {"inline_source": {"documents": list(documents)}, **more}


def row(id_, **data):
    return {"id": id_, "struct_data": data}


def run_import(client, branch, **request):
    operation = client.import_documents(request={"parent": branch, **request})
    return operation, operation.result(timeout=WAIT_S, polling=OFTEN)


def purge(client, branch, **request):
    operation = client.purge_documents(request={"parent": branch, **request})
    return operation, operation.result(timeout=WAIT_S, polling=OFTEN)


def ids(client, branch):
    return [document.id for document in client.list_documents(parent=branch)]


def refused(call, code):
    with pytest.raises(GoogleAPICallError) as caught:
        call()
    assert caught.value.code == code, caught.value
    return str(caught.value)


def chunks_found(backend, branch):
    with backend.records.read() as transaction:
        key = transaction.resources.data_store_key(branch.rpartition("/branches/")[0])
    return backend.indexer.index_of(key).count().chunks


def test_inline_documents_are_imported_and_searchable(client, backend, branch):
    documents = [row(f"d{number}", title=f"Title {number}") for number in range(3)]
    operation, response = run_import(client, branch, **inline(*documents))
    assert list(response.error_samples) == []
    metadata = operation.metadata
    assert (metadata.success_count, metadata.failure_count, metadata.total_count) == (3, 0, 3)
    assert metadata.create_time <= metadata.update_time
    assert operation.operation.name.startswith(f"{branch}/operations/import-documents-")
    assert ids(client, branch) == ["d0", "d1", "d2"]
    assert chunks_found(backend, branch) == 3
    got = client.get_document(name=f"{branch}/documents/d1")
    assert got.derived_struct_data["title"] == "Title 1"


def test_a_small_import_is_done_in_its_first_answer(one_client, branch, monkeypatch):
    monkeypatch.setattr(document_batches, "_AT_ONCE_S", 30.0)  # this machine may be busy
    run_import(one_client, branch, **inline(row("warm", a=1)))
    operation = one_client.import_documents(request={"parent": branch, **inline(row("d", a=1))})
    assert operation.operation.done


def test_what_fails_is_told_and_hurts_no_other(client, content_branch):
    def text(id_, content, mime_type="text/plain"):
        return {"id": id_, "content": {"raw_bytes": content, "mime_type": mime_type}}

    operation, response = run_import(
        client,
        content_branch,
        **inline(text("good", b"Words."), text("bad", b"%PDF-1.4 no", "application/pdf")),
    )
    assert (operation.metadata.success_count, operation.metadata.failure_count) == (1, 1)
    (error,) = response.error_samples
    assert error.code == 3
    assert "bad" in error.message
    assert ids(client, content_branch) == ["good"]
    got = client.get_document(name=f"{content_branch}/documents/good")
    assert got.content.raw_bytes == b"Words."


def test_documents_that_the_data_store_does_not_take_fail_alone(client, backend):
    branch = backend.make_store()
    schema = {"type": "object", "properties": {"year": {"type": "integer"}}}
    with backend.records.write() as transaction:
        transaction.resources.create(
            Schema(parent=branch.data_store, id="default_schema", json_schema=schema)
        )
    content = {"mime_type": "text/plain", "raw_bytes": b"x"}
    operation, response = run_import(
        client,
        branch.name,
        **inline(row("good", year=1), row("old", year="x"), {"id": "file", "content": content}),
    )
    assert (operation.metadata.success_count, operation.metadata.failure_count) == (1, 2)
    said = [error.message for error in response.error_samples]
    assert "struct_data.year" in said[0]
    assert "content_config: CONTENT_REQUIRED" in said[1]
    assert ids(client, branch.name) == ["good"]


def test_files_of_every_schema(one_client, files, content_branch, branch):
    def gcs(name, schema=""):
        return {"gcs_source": {"input_uris": [f"file://{files}/{name}"], "data_schema": schema}}

    run_import(one_client, content_branch, **gcs("*.txt", "content"))
    found = list(one_client.list_documents(parent=content_branch))
    assert sorted(item.content.uri for item in found) == [
        f"file://{files}/a.txt",
        f"file://{files}/b.txt",
    ]
    run_import(one_client, branch, **gcs("rows.jsonl"))
    assert ids(one_client, branch) == ["r0", "r1", "r2"]
    run_import(one_client, branch, **gcs("table.csv", "csv"), id_field="key")
    assert ids(one_client, branch) == ["k1", "k2", "r0", "r1", "r2"]
    operation, _ = run_import(one_client, branch, **gcs("table.csv", "csv"), auto_generate_ids=True)
    assert operation.metadata.success_count == 2
    assert len(ids(one_client, branch)) == 7


def test_full_reconciliation_removes_what_is_not_there(client, branch):
    run_import(client, branch, **inline(row("a", n=1), row("b", n=2)))
    run_import(client, branch, **inline(row("b", n=3), row("c", n=4)), reconciliation_mode="FULL")
    assert ids(client, branch) == ["b", "c"]
    run_import(client, branch, **inline(row("d", n=5)))
    assert ids(client, branch) == ["b", "c", "d"]


def test_an_import_with_a_mask_changes_what_it_names(client, branch):
    run_import(client, branch, **inline({**row("a", n=1), "parent_document_id": "top"}))
    mask = {"paths": ["struct_data"]}
    run_import(client, branch, **inline(row("a", n=2)), update_mask=mask)
    got = client.get_document(name=f"{branch}/documents/a")
    assert (got.struct_data["n"], got.parent_document_id) == (2, "top")


def test_a_file_that_may_not_be_read_fails_the_operation(one_client, branch):
    with pytest.raises(GoogleAPICallError, match="/etc/hostname"):
        run_import(one_client, branch, gcs_source={"input_uris": ["file:///etc/hostname"]})


def test_purge_by_filter(client, backend, branch):
    run_import(client, branch, **inline(*(row(f"d{n}", n=n, kind="ab"[n % 2]) for n in range(5))))
    operation, response = purge(client, branch, filter='kind: ANY("a")')
    assert response.purge_count == 3
    assert list(response.purge_sample) == [f"{branch}/documents/d{n}" for n in (0, 2, 4)]
    assert len(ids(client, branch)) == 5
    operation, response = purge(client, branch, filter='kind: ANY("a")', force=True)
    assert response.purge_count == 3
    assert operation.metadata.success_count == 3
    assert ids(client, branch) == ["d1", "d3"]
    assert chunks_found(backend, branch) == 2
    assert purge(client, branch, filter="*", force=True)[1].purge_count == 2
    assert ids(client, branch) == []


def test_purge_by_name(client, branch):
    run_import(client, branch, **inline(*(row(f"d{n}", n=n) for n in range(3))))
    short = branch.replace("/collections/default_collection", "")
    names = [f"{branch}/documents/d0", f"{short}/documents/d2", f"{branch}/documents/gone"]
    _, response = purge(client, branch, inline_source={"documents": names}, force=True)
    assert response.purge_count == 2
    assert ids(client, branch) == ["d1"]


GCS = {"gcs_source": {"input_uris": ["gs://b/a.jsonl"]}}
DOCUMENTS = "inline_source.documents"
BAD_IMPORTS = [
    ({}, "source", "is missing"),
    (inline(), DOCUMENTS, "is empty"),
    (inline(row("", a=1)), f"{DOCUMENTS}[0].id", "''"),
    (inline(row("a", a=1), row("b c", a=1)), f"{DOCUMENTS}[1].id", "'b c'"),
    (inline(row("a", a=1), row("b", a=1), row("a", a=2)), f"{DOCUMENTS}[2].id", f"{DOCUMENTS}[0]"),
    (inline(*(row(f"d{n}") for n in range(1001))), DOCUMENTS, "1,001"),
    (inline({"id": "a", "json_data": "no"}), f"{DOCUMENTS}[0].json_data", "not JSON"),
    (inline({"id": "a", "content": {}}), f"{DOCUMENTS}[0].content", "neither"),
    (inline({"id": "a", "name": "x/y"}), f"{DOCUMENTS}[0].name", "x/y"),
    (inline(row("a", a=1), auto_generate_ids=True), "auto_generate_ids", "csv or custom"),
    (inline(row("a", a=1), id_field="key"), "id_field", "csv or custom"),
    (inline(row("a", a=1), update_mask={"paths": ["colour"]}), "update_mask", "colour"),
    (inline(row("a", a=1), reconciliation_mode=7), "reconciliation_mode", "7 is none"),
    ({"gcs_source": {}}, "gcs_source.input_uris", "is empty"),
    ({"gcs_source": {"input_uris": ["gs://b/a"] * 101}}, "gcs_source.input_uris", "101"),
    ({"gcs_source": {"input_uris": ["ftp://a/b"]}}, "gcs_source.input_uris[0]", "ftp://a/b"),
    ({"gcs_source": {"input_uris": ["/etc/passwd"]}}, "gcs_source.input_uris[0]", "/etc/passwd"),
    ({"gcs_source": {"input_uris": ["words"]}}, "gcs_source.input_uris[0]", "words"),
    (
        {"gcs_source": {"input_uris": ["gs://b/a"], "data_schema": "user_event"}},
        "gcs_source.data_schema",
        "user_event",
    ),
    (GCS | {"auto_generate_ids": True}, "auto_generate_ids", "csv or custom"),
    (
        {
            "gcs_source": {"input_uris": ["gs://b/a"], "data_schema": "csv"},
            "auto_generate_ids": True,
            "id_field": "key",
        },
        "id_field",
        "auto_generate_ids",
    ),
]


@pytest.mark.parametrize(("request_", "field", "words"), BAD_IMPORTS)
def test_a_bad_import_is_refused_at_once(one_client, branch, request_, field, words):
    said = refused(lambda: one_client.import_documents(request={"parent": branch, **request_}), 400)
    assert f"{field}: " in said
    assert words in said
    assert ids(one_client, branch) == []


@pytest.mark.parametrize(
    ("request_", "word"),
    [
        ({"bigquery_source": {"table_id": "t"}}, "bigquery_source"),
        ({"spanner_source": {"table_id": "t"}}, "spanner_source"),
        (GCS | {"error_config": {"gcs_prefix": "gs://b/e"}}, "error_config"),
    ],
)
def test_what_imports_do_not_have_is_named(one_client, branch, request_, word):
    said = refused(lambda: one_client.import_documents(request={"parent": branch, **request_}), 501)
    assert word in said


def test_a_document_named_only_by_its_name_has_its_id(one_client, branch):
    document = {"name": f"{branch}/documents/named", "struct_data": {"a": 1}}
    run_import(one_client, branch, **inline(document))
    assert ids(one_client, branch) == ["named"]


@pytest.mark.parametrize(
    ("request_", "code", "words"),
    [
        ({}, 400, "filter: is empty"),
        ({"filter": " "}, 400, "filter: is empty"),
        ({"filter": "kind ANY"}, 400, "filter: column"),
        ({"inline_source": {}}, 400, "inline_source.documents: is empty"),
        ({"inline_source": {"documents": ["x"]}}, 400, "inline_source.documents[0]: "),
        ({"inline_source": {"documents": ["x"]}, "filter": "*"}, 400, "filter: is given with"),
        ({"gcs_source": {"input_uris": ["gs://b/a"]}, "filter": "*"}, 501, "gcs_source"),
        ({"filter": "*", "error_config": {"gcs_prefix": "gs://b/e"}}, 501, "error_config"),
    ],
)
def test_a_bad_purge_is_refused_at_once(one_client, branch, request_, code, words):
    run_import(one_client, branch, **inline(row("d", a=1)))
    request = {"parent": branch, "force": True, **request_}
    assert words in refused(lambda: one_client.purge_documents(request=request), code)
    assert ids(one_client, branch) == ["d"]


def test_names_of_another_data_store_are_not_purged(one_client, backend, branch):
    other = f"{backend.make_store().name}/documents/d"
    source = {"documents": [other]}
    request = {"parent": branch, "inline_source": source, "force": True}
    said = refused(lambda: one_client.purge_documents(request=request), 400)
    assert f"is not a document of {branch}" in said
