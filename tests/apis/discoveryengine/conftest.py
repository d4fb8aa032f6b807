"""A server with the resource services over an empty record store, one for each file of tests."""

from __future__ import annotations

import pytest

from tests.apis.discoveryengine.answer_backend import AnswerBackend
from tests.apis.discoveryengine.clients import APIS, Clients
from toulmin.apis.aip.registry import Registry
from toulmin.apis.discoveryengine.control import register_controls
from toulmin.apis.discoveryengine.data_store import register_data_stores
from toulmin.apis.discoveryengine.engine import register_engines
from toulmin.apis.discoveryengine.schema import register_schemas
from toulmin.apis.discoveryengine.serving_config import register_serving_configs
from toulmin.apis.longrunning.operations import register_operations
from toulmin.apis.schema import load_schema
from toulmin.server.lifecycle import create_server
from toulmin.settings import load_settings
from toulmin.stores.records import OperationRunner, RecordStore


@pytest.fixture(scope="module")
def resource_records(tmp_path_factory):
    store = RecordStore(tmp_path_factory.mktemp("records"), busy_timeout_s=5.0)
    yield store
    store.close()


@pytest.fixture(scope="module")
def resource_server(resource_records):
    registry = Registry(load_schema())
    runner = OperationRunner(resource_records, {})  # not started: operations stay as they are made

    def records():
        return resource_records

    for register in (
        register_data_stores,
        register_engines,
        register_serving_configs,
        register_schemas,
        register_controls,
    ):
        register(registry, records=records)
    register_operations(registry, records=records, runner=lambda: runner)
    server = create_server(registry, load_settings(flags={"port": 0}, environment={}), lambda: True)
    server.start()
    yield server
    server.stop(timeout_s=0.2)


@pytest.fixture(scope="module", params=["rest", "grpc"])
def resource_transport(request):
    return request.param


@pytest.fixture(scope="module", params=["v1", "v1beta", "v1alpha"])
def clients(request, resource_transport, resource_server):
    made = Clients(request.param, resource_transport, resource_server.port)
    yield made
    made.close()


@pytest.fixture(scope="module")
def beta(resource_server):
    """One version over one transport, for what does not depend on either."""
    made = Clients("v1beta", "grpc", resource_server.port)
    yield made
    made.close()


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """A whole server with a small library, which tests only read."""
    made = AnswerBackend(tmp_path_factory.mktemp("library"))
    yield made
    made.close()


@pytest.fixture(
    scope="session",
    params=[f"{version}-{transport}" for version in APIS for transport in ("rest", "grpc")],
)
def readers(request, library):
    """The clients of each version over each transport, for the library."""
    return library.connect(*request.param.split("-"))


@pytest.fixture(scope="session")
def reader(library):
    """One version over one transport, for what does not depend on either."""
    return library.connect("v1beta", "grpc")
