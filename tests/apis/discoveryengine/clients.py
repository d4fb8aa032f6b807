"""The official clients against a server with the resource services, and what the tests create."""

from __future__ import annotations

import itertools

import grpc
from google.api_core.client_options import ClientOptions
from google.api_core.future.polling import DEFAULT_POLLING
from google.auth.credentials import AnonymousCredentials
from google.cloud import discoveryengine_v1, discoveryengine_v1alpha, discoveryengine_v1beta

from tests.patience import PATIENCE_S

APIS = {
    "v1": discoveryengine_v1,
    "v1beta": discoveryengine_v1beta,
    "v1alpha": discoveryengine_v1alpha,
}
LOCATION = "projects/p/locations/global"
COLLECTION = f"{LOCATION}/collections/default_collection"
SEARCH = "SOLUTION_TYPE_SEARCH"

OFTEN = DEFAULT_POLLING.with_delay(initial=0.01, maximum=0.1)
"""How to ask whether an operation is done: by default the second time is up to a second later."""

_numbers = itertools.count()


def new_id(kind="d"):
    return f"{kind}-{next(_numbers)}"


class Clients:
    """The clients of one version over one transport.

    Attributes:
        api: The module of the version.
        version: "v1", "v1beta" or "v1alpha".
    """

    def __init__(self, version, transport, port):
        self.version = version
        self.api = APIS[version]
        self._transport = transport
        self._port = port
        self._open = {}

    def __getattr__(self, service):
        """Return the client of a service: `clients.data_store` is that of DataStoreService."""
        if service not in self._open:
            words = "".join(word.capitalize() for word in service.split("_"))
            self._open[service] = self._make(getattr(self.api, f"{words}ServiceClient"))
        return self._open[service]

    def _make(self, client_class):
        if self._transport == "rest":
            return client_class(
                transport="rest",
                credentials=AnonymousCredentials(),
                client_options=ClientOptions(api_endpoint=f"http://127.0.0.1:{self._port}"),
            )
        transport = client_class.get_transport_class("grpc")
        channel = grpc.insecure_channel(f"127.0.0.1:{self._port}")
        return client_class(transport=transport(channel=channel))

    def close(self):
        for client in self._open.values():
            client.transport.close()

    def make_data_store(self, id_="", parent=COLLECTION, **fields):
        """Create a data store and return it."""
        store = {"display_name": "Books", **fields}
        operation = self.data_store.create_data_store(
            parent=parent, data_store=store, data_store_id=id_ or new_id()
        )
        return operation.result(timeout=PATIENCE_S)

    def make_engine(self, *data_store_ids, **fields):
        """Create an engine and return it."""
        engine = {
            "display_name": "App",
            "solution_type": SEARCH,
            "data_store_ids": list(data_store_ids),
            **fields,
        }
        operation = self.engine.create_engine(
            parent=COLLECTION, engine=engine, engine_id=new_id("e")
        )
        return operation.result(timeout=PATIENCE_S)

    def make_control(self, parent, **action):
        """Create a control and return it."""
        control = {"display_name": "Rule", "solution_type": SEARCH, **action}
        return self.control.create_control(parent=parent, control=control, control_id=new_id("c"))
