"""A server with the Gemini API over real records and indexes; vectors that know a few words."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import count

import grpc
from google.ai import (
    generativelanguage_v1,
    generativelanguage_v1alpha,
    generativelanguage_v1beta,
)
from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials

from tests.apis.discoveryengine.search_backend import RELEVANCE, WordEmbedder
from toulmin.apis.aip.registry import Registry
from toulmin.apis.generativelanguage.register import register_generativelanguage
from toulmin.apis.schema import load_schema
from toulmin.retrieval.search import Searcher
from toulmin.server.lifecycle import create_server
from toulmin.settings import load_settings
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import RecordStore
from toulmin.work import UNLIMITED

APIS = {
    "v1": generativelanguage_v1,
    "v1beta": generativelanguage_v1beta,
    "v1alpha": generativelanguage_v1alpha,
}
_numbers = count(1)


def new_id(kind="c"):
    return f"{kind}-{next(_numbers)}"


class CountingEmbedder(WordEmbedder):
    """Counts words as tokens, and the texts that it embedded."""

    def __init__(self):
        self.embedded = 0

    def embed(self, texts, *, work=UNLIMITED):
        self.embedded += len(texts)
        return super().embed(texts, work=work)

    def count_tokens(self, text):
        return len(text.split())


class Backend:
    """Everything behind the handlers, and a server in front of them."""

    def __init__(self, folder):
        self._closing = ExitStack()
        self.embedder = CountingEmbedder()
        self.records = RecordStore(folder / "data", busy_timeout_s=10.0)
        self._closing.callback(self.records.close)
        self.indexer = Indexer(
            self.records,
            folder / "index",
            embedding_model=f"embedder {self.embedder.version}",
            embed=lambda document, chunks: [chunk.embedding for chunk in chunks],
        )
        self._closing.callback(self.indexer.close)
        self.searcher = Searcher(
            records=self.records,
            indexer=self.indexer,
            embed=self.embedder.embed,
            relevance=RELEVANCE,
            reranker=lambda: None,
        )
        self.indexer.start()
        registry = Registry(load_schema())
        register_generativelanguage(
            registry,
            records=lambda: self.records,
            indexer=lambda: self.indexer,
            searcher=lambda: self.searcher,
            embedder=lambda: self.embedder,
        )
        settings = load_settings(flags={"port": 0}, environment={})
        self.server = create_server(registry, settings, lambda: True)
        self.server.start()
        self._closing.callback(lambda: self.server.stop(timeout_s=0.2))

    def close(self):
        self._closing.close()


class Clients:
    """The official clients of one version over one transport."""

    def __init__(self, version, transport, port):
        self.version = version
        self.api = APIS[version]
        self._transport = transport
        self._port = port
        self._open = {}

    def __getattr__(self, service):
        """Return the client of a service: `clients.retriever` is that of RetrieverService."""
        if service not in self._open:
            client_class = getattr(self.api, f"{service.capitalize()}ServiceClient")
            self._open[service] = self._make(client_class)
        return self._open[service]

    def _make(self, client_class):
        if self._transport == "rest":
            return client_class(
                transport="rest",
                credentials=AnonymousCredentials(),
                client_options=ClientOptions(api_endpoint=f"http://127.0.0.1:{self._port}"),
            )
        channel = grpc.insecure_channel(f"127.0.0.1:{self._port}")
        return client_class(transport=client_class.get_transport_class("grpc")(channel=channel))

    def close(self):
        for client in self._open.values():
            client.transport.close()

    def make_corpus(self, **fields):
        """Create a corpus and return its name."""
        corpus = {"name": f"corpora/{new_id()}", **fields}
        return self.retriever.create_corpus(request={"corpus": corpus}).name

    def make_document(self, parent=None, **fields):
        """Create a document and return its name."""
        parent = parent or self.make_corpus()
        return self.retriever.create_document(
            request={"parent": parent, "document": {"display_name": "Notes", **fields}}
        ).name

    def make_chunks(self, parent, *texts):
        """Create chunks, given as texts or as dicts, and return them."""
        chunks = [
            text if isinstance(text, dict) else {"data": {"string_value": text}} for text in texts
        ]
        requests = [{"parent": parent, "chunk": chunk} for chunk in chunks]
        response = self.retriever.batch_create_chunks(
            request={"parent": parent, "requests": requests}
        )
        return list(response.chunks)


def chunk(text, id_="", **metadata):
    """Return a chunk as a dict; its name must be completed by the caller if `id_` is used."""
    made = {"data": {"string_value": text}, "custom_metadata": metadata_of(metadata)}
    return made | ({"name": id_} if id_ else {})


def metadata_of(values):
    """Return custom metadata of a dict of strings, numbers and lists."""
    made = []
    for key, value in values.items():
        if isinstance(value, str):
            made.append({"key": key, "string_value": value})
        elif isinstance(value, list):
            made.append({"key": key, "string_list_value": {"values": value}})
        else:
            made.append({"key": key, "numeric_value": value})
    return made
