"""The Operations service with the official clients of every version."""

from __future__ import annotations

import contextlib
from datetime import timedelta

import grpc
import pytest
from google.api_core import operation as api_operation
from google.longrunning import operations_pb2, operations_pb2_grpc
from google.rpc import error_details_pb2

from tests.apis.discoveryengine.clients import COLLECTION, new_id
from tests.apis.discoveryengine.test_resources import refused
from tests.patience import PATIENCE_S
from toulmin.apis.aip.operations import to_operation_message
from toulmin.errors import FailedPrecondition, NotFound
from toulmin.stores.records import OperationError, Progress

pytestmark = pytest.mark.client
LEASE = timedelta(minutes=1)
STORE = f"{COLLECTION}/dataStores/{{}}"


@pytest.fixture
def branch():
    return f"{STORE.format(new_id())}/branches/0"


@pytest.fixture
def start(resource_records, branch):
    """Return a function that stores an operation as the import handlers do."""
    names = []

    def make(version, kind="import-documents"):
        with resource_records.write() as transaction:
            made = transaction.operations.create(
                parent=branch, kind=kind, request={"api_version": version}
            )
        names.append(made.name)
        return made

    yield make
    with resource_records.write() as transaction:
        for name in names:
            with contextlib.suppress(NotFound):
                transaction.operations.delete(name)


def run(records, *, result=None, error=None, progress=()):
    """Do what a worker does to the oldest open operation."""
    with records.write() as transaction:
        operations = transaction.operations
        claimed = operations.claim(
            kinds=["import-documents", "purge-documents"], owner=new_id(), lease=LEASE
        )
        for step in progress:
            claimed = operations.advance(claimed, step, lease=LEASE)
        if error is not None:
            operations.fail(claimed, error)
        elif result is not None:
            operations.succeed(claimed, result)


def get(clients, name):
    request = operations_pb2.GetOperationRequest(name=name)
    return clients.document.get_operation(request)


def test_an_import_with_errors_has_the_types_of_its_version(clients, start, resource_records):
    made = start(clients.version)
    message = get(clients, made.name)
    assert (message.name, message.done) == (made.name, False)
    errors = [OperationError(3, "id: is empty", item="file:///a.jsonl:7")]
    progress = Progress(cursor={}, success=4, failure=1, total=5, errors=errors)
    run(resource_records, progress=[progress], result={"anything": 1})
    message = get(clients, made.name)
    assert message.done

    metadata = clients.api.ImportDocumentsMetadata()
    assert message.metadata.Unpack(type(metadata).pb(metadata))
    assert (metadata.success_count, metadata.failure_count, metadata.total_count) == (4, 1, 5)
    assert metadata.create_time <= metadata.update_time
    response = clients.api.ImportDocumentsResponse()
    assert message.response.Unpack(type(response).pb(response))
    (sample,) = response.error_samples
    assert (sample.code, sample.message) == (3, "id: is empty")
    info = error_details_pb2.ResourceInfo()
    assert sample.details[0].Unpack(info)
    assert info.resource_name == "file:///a.jsonl:7"


def test_a_purge_says_what_it_deleted(clients, start, resource_records):
    made = start(clients.version, "purge-documents")
    run(resource_records, result={"purge_count": 2, "purge_sample": ["n1", "n2"]})
    message = get(clients, made.name)
    response = clients.api.PurgeDocumentsResponse()
    assert message.response.Unpack(type(response).pb(response))
    assert (response.purge_count, list(response.purge_sample)) == (2, ["n1", "n2"])
    metadata = clients.api.PurgeDocumentsMetadata()
    assert message.metadata.Unpack(type(metadata).pb(metadata))


def test_the_client_waits_with_its_own_poller(clients, start, resource_records):
    made = start(clients.version, "purge-documents")
    service = clients.document.transport.operations_client
    future = api_operation.from_gapic(
        get(clients, made.name),
        service,
        clients.api.PurgeDocumentsResponse,
        metadata_type=clients.api.PurgeDocumentsMetadata,
    )
    assert not future.done()
    run(resource_records, result={"purge_count": 3})
    assert future.done()  # asks again
    assert future.result(timeout=PATIENCE_S).purge_count == 3


def test_a_failed_operation(clients, start, resource_records):
    made = start(clients.version)
    run(resource_records, error=FailedPrecondition("The disk is full."))
    message = get(clients, made.name)
    assert message.done
    assert (message.error.code, message.error.message) == (9, "The disk is full.")
    assert not message.HasField("response")


def test_cancelling(clients, start):
    made = start(clients.version)
    clients.document.cancel_operation(operations_pb2.CancelOperationRequest(name=made.name))
    message = get(clients, made.name)
    assert (message.done, message.error.code) == (True, 1)


def test_deleting(beta, start, resource_server):
    made = start("v1")
    with grpc.insecure_channel(f"127.0.0.1:{resource_server.port}") as channel:
        service = operations_pb2_grpc.OperationsStub(channel)
        service.DeleteOperation(operations_pb2.DeleteOperationRequest(name=made.name))
        with pytest.raises(grpc.RpcError) as caught:
            service.DeleteOperation(operations_pb2.DeleteOperationRequest(name=made.name))
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    assert refused(get, beta, made.name)[0] == 404


def test_names_without_the_collection(clients, start):
    made = start(clients.version)
    short = made.name.replace("/collections/default_collection", "")
    assert get(clients, short).name == made.name
    named = short.replace("/branches/0/", "/branches/default_branch/")
    assert get(clients, named).name == made.name


def test_lists_have_what_is_beneath(clients, start, branch):
    names = [start(clients.version).name for _ in range(3)][::-1]

    def listed(parent, **more):
        request = operations_pb2.ListOperationsRequest(name=parent, **more)
        return clients.document.list_operations(request)

    store = branch.removesuffix("/branches/0")
    for parent in (branch, store, store.replace("/collections/default_collection", "")):
        assert [item.name for item in listed(parent).operations] == names
    first = listed(branch, page_size=2)
    assert [item.name for item in first.operations] == names[:2]
    second = listed(branch, page_size=2, page_token=first.next_page_token)
    assert [item.name for item in second.operations] == names[2:]
    assert not second.next_page_token
    assert list(listed(f"{store}x").operations) == []
    assert refused(listed, branch, page_size=-1)[0] == 400


def test_lists_are_filtered(clients, start, branch, resource_records):
    done = start(clients.version)
    run(resource_records, error=FailedPrecondition("The disk is full."))
    open_ones = [start(clients.version).name for _ in range(3)][::-1]

    def listed(text, **more):
        request = operations_pb2.ListOperationsRequest(name=branch, filter=text, **more)
        return clients.document.list_operations(request)

    for text in ("done=true", "done: true", "error.code = 9", "NOT done=false"):
        assert [item.name for item in listed(text).operations] == [done.name], text
    for text in ("done = false", 'done=false AND metadata.create_time > "2020-01-01"'):
        assert [item.name for item in listed(text).operations] == open_ones, text
    pages = [listed("done=false", page_size=2)]
    pages.append(listed("done=false", page_size=2, page_token=pages[0].next_page_token))
    assert [item.name for page in pages for item in page.operations] == open_ones
    assert refused(listed, "colour=red")[0] == 400
    assert refused(listed, "done=")[0] == 400


@pytest.mark.parametrize("name", ["operations/x", f"{COLLECTION}/operations/none"])
def test_an_operation_that_is_not_there(beta, name):
    code, message = refused(get, beta, name)
    assert (code, name in message) == (404, True)


def test_operations_that_say_no_version_are_of_v1(resource_records, branch):
    with resource_records.write() as transaction:
        made, other = (
            transaction.operations.create_done(parent=branch, kind=kind, request={}, result={})
            for kind in ("import-documents", "something-else")
        )
    message = to_operation_message(made)
    assert message.metadata.type_url.endswith("discoveryengine.v1.ImportDocumentsMetadata")
    assert not to_operation_message(other).HasField("metadata")
