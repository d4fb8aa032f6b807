"""A server with documents: real records, index, parsers and operations; vectors by hash."""

from __future__ import annotations

import dataclasses
from contextlib import ExitStack
from itertools import count

import grpc
from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import discoveryengine_v1, discoveryengine_v1alpha, discoveryengine_v1beta

from tests.ingestion.importing import HashEmbedder
from tests.patience import PATIENCE_S
from toulmin.apis.aip.registry import Registry
from toulmin.apis.discoveryengine.chunk import register_chunks
from toulmin.apis.discoveryengine.document import register_documents
from toulmin.apis.longrunning.operations import register_operations
from toulmin.apis.schema import load_schema
from toulmin.domain import Branch, DataStore
from toulmin.ingestion.imports.importing import import_documents_handler
from toulmin.ingestion.imports.purges import purge_documents_handler
from toulmin.ingestion.ingest import Ingestor
from toulmin.ingestion.parsing.sandbox import ParserPool
from toulmin.ingestion.sources import SourceContext, open_source
from toulmin.retrieval.filters import parse_filter
from toulmin.server.lifecycle import create_server
from toulmin.settings import load_settings
from toulmin.stores.filter_fields import filter_fields
from toulmin.stores.index.predicate import matches
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import OperationRunner, RecordStore

APIS = {
    "v1": discoveryengine_v1,
    "v1beta": discoveryengine_v1beta,
    "v1alpha": discoveryengine_v1alpha,
}
PARENT = "projects/p/locations/global/collections/default_collection"


class Backend:
    """Everything behind the handlers, and a server in front of them."""

    def __init__(self, folder, import_root, embedder=None):
        self._closing = ExitStack()
        self._numbers = count(1)
        self.embedder = embedder or HashEmbedder()
        self.records = RecordStore(folder / "data")
        self._closing.callback(self.records.close)
        pool = self._closing.enter_context(ParserPool())
        context = SourceContext(import_roots=(str(import_root),))
        self.ingestor = Ingestor(pool, self.embedder, context.fetch, version_of=context.version)
        self.indexer = Indexer(
            self.records,
            folder / "index",
            embedding_model=f"embedder {self.embedder.version}",
            embed=lambda document, chunks: [chunk.embedding for chunk in chunks],
        )
        self.indexer.start()
        self._closing.callback(self.indexer.close)
        self.operations = OperationRunner(self.records, self._handlers(context))
        self.operations.start()
        self._closing.callback(self.operations.close)
        self.registry = self._registry()
        settings = load_settings(flags={"port": 0}, environment={})
        self.server = create_server(self.registry, settings, lambda: True)
        self.server.start()
        self._closing.callback(lambda: self.server.stop(timeout_s=0.2))

    def close(self):
        self._closing.close()

    def make_store(self, content_config="NO_CONTENT", **more):
        """Create a data store; return its branch."""
        store = DataStore(
            parent=PARENT,
            id=f"store{next(self._numbers)}",
            content_config=content_config,
            **more,
        )
        with self.records.write() as transaction:
            transaction.resources.create(store)
        return Branch(store.name)

    def make_client(self, client_class, transport):
        """Return an official client over "rest" or "grpc"."""
        port = self.server.port
        if transport == "rest":
            options = ClientOptions(api_endpoint=f"http://127.0.0.1:{port}")
            client = client_class(
                transport="rest", credentials=AnonymousCredentials(), client_options=options
            )
        else:
            channel = grpc.insecure_channel(f"127.0.0.1:{port}")
            client = client_class(
                transport=client_class.get_transport_class("grpc")(channel=channel)
            )
        self._closing.callback(client.transport.close)
        return client

    def _handlers(self, context):
        def wait_searchable(sequence):
            assert self.indexer.wait_for(sequence, timeout_s=PATIENCE_S)

        def open_asked(request, cursor):
            asked = dataclasses.replace(
                context,
                auto_generate_ids=request["auto_generate_ids"],
                id_field=request["id_field"],
            )
            return open_source(request["source"], cursor=cursor, context=asked)

        def chooser(expression):
            predicate = parse_filter(expression)
            return lambda document: matches(predicate, filter_fields(document))

        return {
            "import-documents": import_documents_handler(
                records=lambda: self.records,
                ingestor=lambda: self.ingestor,
                open_source=open_asked,
                wait_searchable=wait_searchable,
            ),
            "purge-documents": purge_documents_handler(
                records=lambda: self.records, matches=chooser, wait_searchable=wait_searchable
            ),
        }

    def _registry(self):
        registry = Registry(load_schema())
        register_documents(
            registry,
            records=lambda: self.records,
            ingestor=lambda: self.ingestor,
            indexer=lambda: self.indexer,
            operations=lambda: self.operations,
        )
        register_chunks(registry, records=lambda: self.records)
        register_operations(registry, records=lambda: self.records, runner=lambda: self.operations)
        return registry
