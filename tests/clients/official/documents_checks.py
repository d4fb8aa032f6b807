"""Data stores to searches, as one user of Google's client goes through them, step by step.

The checks of one version over one transport build on each other: run them in their order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import documents
from checks import expect, expect_equal, expect_words
from google.api_core import exceptions
from google.protobuf import field_mask_pb2

TRANSPORTS = ("rest", "grpc", "environment")
SEARCH = "SOLUTION_TYPE_SEARCH"


class Journey:
    """What one version over one transport does; the names are its own."""

    def __init__(self, module: Any, version: str, transport: str, make_client: Any) -> None:
        self.module = module
        self.version = version
        self.id = f"journey-{version}-{transport}"
        self._make_client = lambda service: make_client(module, service, transport)
        self._clients: dict[str, Any] = {}
        self.store = f"{documents.COLLECTION}/dataStores/{self.id}"
        self.branch = f"{self.store}/branches/default_branch"
        self.engine = f"{documents.COLLECTION}/engines/{self.id}"

    def client(self, service: str) -> Any:
        """Return the client of a service, always the same one."""
        if service not in self._clients:
            self._clients[service] = self._make_client(service)
        return self._clients[service]

    def close(self) -> None:
        """Close all clients."""
        for client in self._clients.values():
            client.transport.close()

    def import_documents(self) -> None:
        """Create a data store, import inline, wait for the operation's result."""
        name = documents.make_data_store(self.module, self.client, self.id, documents.texts())
        expect_equal(name, self.store, "name of the data store")

    def data_stores(self) -> None:
        """Get, list and update a data store; one that is there already is refused."""
        client = self.client("DataStoreService")
        short = self.store.replace("/collections/default_collection", "")
        expect_equal(client.get_data_store(name=short).name, self.store, "name")
        names = [store.name for store in client.list_data_stores(parent=documents.COLLECTION)]
        expect(self.store in names, names)
        changed = self.module.DataStore(name=self.store, display_name="Harbour")
        mask = field_mask_pb2.FieldMask(paths=["display_name"])
        updated = client.update_data_store(data_store=changed, update_mask=mask)
        expect_equal(updated.display_name, "Harbour", "display name")
        try:
            documents.make_data_store(self.module, self.client, self.id, [])
        except (exceptions.Conflict, exceptions.AlreadyExists) as error:
            expect_words(error.message, self.id)
        else:
            raise AssertionError("a data store was created twice")

    def operations(self) -> None:
        """The import is listed where it was done, can be fetched, and is done."""
        client = self.client("DocumentService")
        listed = client.list_operations({"name": self.branch}).operations
        expect(len(listed) >= 1, "no operation is listed")
        got = client.get_operation({"name": listed[0].name})
        expect(got.done, got)
        expect_equal(got.name, listed[0].name, "name")

    def documents(self) -> None:
        """Create, get, list, update and delete a document; it is findable at once."""
        client = self.client("DocumentService")
        document = self.module.Document(
            struct_data={"kind": "bridge"},
            content={"mime_type": "text/plain", "raw_bytes": b"The swing bridge opens at noon."},
        )
        created = client.create_document(
            parent=self.branch, document=document, document_id="bridge"
        )
        expect_equal(created.name, f"{self.store}/branches/0/documents/bridge", "name")
        got = client.get_document(name=f"{self.branch}/documents/bridge")
        expect_equal(dict(got.struct_data), {"kind": "bridge"}, "data")
        expect_equal(self.found("swing bridge")[0], "bridge", "first result")
        changed = self.module.Document(name=created.name, struct_data={"kind": "crossing"})
        mask = field_mask_pb2.FieldMask(paths=["struct_data"])
        client.update_document(
            request=self.module.UpdateDocumentRequest(document=changed, update_mask=mask)
        )
        expect_equal(self.found("", filter='kind: ANY("crossing")'), ["bridge"], "filtered")
        listed = [document.id for document in client.list_documents(parent=self.branch)]
        expect_equal(listed, ["bridge", "house", "towers"], "documents")
        client.delete_document(name=created.name)
        expect("bridge" not in self.found("swing bridge"), "a deleted document is found")

    def found(self, query: str, *, owner: str = "", **fields: Any) -> list[str]:
        """Return the ids of the documents found."""
        return [result.id for result in self.search(query, owner=owner, **fields)]

    def search(self, query: str, *, owner: str = "", **fields: Any) -> Any:
        """Return the pager of a search."""
        config = f"{owner or self.store}/servingConfigs/default_search"
        request = self.module.SearchRequest(serving_config=config, query=query, **fields)
        return self.client("SearchService").search(request=request)

    def search_documents(self) -> None:
        """Snippets, answers and segments with their pages; a filter; an order; a facet."""
        spec = {
            "snippet_spec": {"return_snippet": True},
            "extractive_content_spec": {
                "max_extractive_answer_count": 1,
                "max_extractive_segment_count": 1,
            },
        }
        pager = self.search(
            "Which firm added the lift?", content_search_spec=spec, filter='kind: ANY("house")'
        )
        (result,) = list(pager)
        shown = result.document.derived_struct_data
        expect("<b>lift</b>" in shown["snippets"][0]["snippet"], shown)
        expect("Swedish firm" in shown["extractive_answers"][0]["content"], shown)
        expect(isinstance(shown["extractive_segments"][0]["pageNumber"], str), shown)
        expect_equal(self.found("", order_by="kind desc"), ["towers", "house"], "order")
        facets = [{"facet_key": {"key": "kind"}}]
        first = next(iter(self.search("", facet_specs=facets).pages))
        counts = {value.value: value.count for value in first.facets[0].values}
        expect_equal(counts, {"house": 1, "tower": 1}, "facets")

    def search_pages(self) -> None:
        """The pager of the client goes through all pages."""
        pages = list(self.search("lighthouse", page_size=1).pages)
        expect_equal([len(page.results) for page in pages], [1, 1], "results of the pages")
        expect_equal(pages[0].results[0].id, "towers", "first result")

    def search_chunks(self) -> None:
        """Chunks with their document."""
        spec = {"search_result_mode": "CHUNKS"}
        first = next(iter(self.search("last ascent of the lighthouse", content_search_spec=spec)))
        expect("five in the evening" in first.chunk.content, first)
        expect_equal(first.chunk.document_metadata.title, "Towers of the harbour", "title")
        expect_equal(first.chunk.document_metadata.uri, "https://example.org/towers", "URI")
        if self.version == "v1alpha":
            client = self.client("ChunkService")
            expect_equal(client.get_chunk(name=first.chunk.name).id, first.chunk.id, "chunk")
            listed = client.list_chunks(parent=first.chunk.name.rsplit("/chunks/", 1)[0])
            expect(first.chunk.id in [chunk.id for chunk in listed], "the chunk is not listed")

    def schemas(self) -> None:
        """The default schema is there."""
        client = self.client("SchemaService")
        names = [schema.name for schema in client.list_schemas(parent=self.store)]
        expect_equal(names, [f"{self.store}/schemas/default_schema"], "schemas")
        expect_equal(client.get_schema(name=names[0]).name, names[0], "schema")

    def engines(self) -> None:
        """An engine over two data stores, which are searched together."""
        other = f"{self.id}-rows"
        documents.make_data_store(self.module, self.client, other, documents.rows())
        client = self.client("EngineService")
        engine = self.module.Engine(
            display_name="Port", solution_type=SEARCH, data_store_ids=[self.id, other]
        )
        operation = client.create_engine(
            parent=documents.COLLECTION, engine=engine, engine_id=self.id
        )
        expect_equal(operation.result(timeout=60).name, self.engine, "name of the engine")
        expect_equal(client.get_engine(name=self.engine).display_name, "Port", "display name")
        names = [engine.name for engine in client.list_engines(parent=documents.COLLECTION)]
        expect(self.engine in names, names)
        expect_equal(self.found("the ferry crosses", owner=self.engine)[0], "ferry", "first")
        expect_equal(
            set(self.found("", owner=self.engine)), {"house", "towers", "ferry", "tram"}, "all"
        )

    def controls(self) -> None:
        """A control, attached to the serving config that is there by itself."""
        control = self.module.Control(
            display_name="Bells",
            solution_type=SEARCH,
            use_cases=["SEARCH_USE_CASE_SEARCH"],
            synonyms_action={"synonyms": ["beacon", "lighthouse"]},
        )
        created = self.client("ControlService").create_control(
            parent=self.store, control=control, control_id="bells"
        )
        config = self.module.ServingConfig(
            name=f"{self.store}/servingConfigs/default_search", synonyms_control_ids=["bells"]
        )
        mask = field_mask_pb2.FieldMask(paths=["synonyms_control_ids"])
        updated = self.client("ServingConfigService").update_serving_config(
            serving_config=config, update_mask=mask
        )
        expect_equal(list(updated.synonyms_control_ids), ["bells"], "synonyms of the config")
        first = next(iter(self.search("beacon").pages))
        expect_equal(first.results[0].id, "towers", "first result")
        expect_equal(list(first.applied_controls), [created.name], "applied controls")

    def rank(self) -> None:
        """Records in the order in which they answer."""
        request = self.module.RankRequest(
            ranking_config="projects/demo/locations/global/rankingConfigs/default_ranking_config",
            model="semantic-ranker-512@latest",
            query="When was the lighthouse built?",
            records=[
                {"id": "1", "title": "Ferry", "content": "The ferry crosses in ten minutes."},
                {"id": "2", "title": "Lighthouse", "content": "It was built in 1872."},
            ],
        )
        ranked = self.client("RankService").rank(request=request).records
        expect_equal([record.id for record in ranked], ["2", "1"], "order")
        expect(1 >= ranked[0].score > ranked[1].score > 0, [record.score for record in ranked])

    def complete(self) -> None:
        """Titles and headings complete a query."""
        request = self.module.CompleteQueryRequest(data_store=self.store, query="tow")
        found = self.client("CompletionService").complete_query(request=request)
        texts = [suggestion.suggestion for suggestion in found.query_suggestions]
        expect_equal(texts, ["Towers of the harbour"], "suggestions")

    def refusals(self) -> None:
        """What is wrong or not there is said in the client's own exceptions."""
        try:
            self.found("x", filter="kind ANY")
        except (exceptions.BadRequest, exceptions.InvalidArgument) as error:
            expect_words(error.message, "filter", "column")
        else:
            raise AssertionError("a wrong filter was taken")
        try:
            self.found("x", owner=f"{documents.COLLECTION}/dataStores/none")
        except exceptions.NotFound as error:
            expect_words(error.message, "dataStores/none")
        else:
            raise AssertionError("a data store that is not there was searched")

    def purge(self) -> None:
        """A purge empties the data store."""
        request = self.module.PurgeDocumentsRequest(parent=self.branch, filter="*", force=True)
        operation = self.client("DocumentService").purge_documents(request=request)
        expect_equal(operation.result(timeout=60).purge_count, 2, "purged documents")
        expect_equal(self.found("lighthouse"), [], "results")

    def delete(self) -> None:
        """Engine and data stores go."""
        self.client("EngineService").delete_engine(name=self.engine).result(timeout=60)
        client = self.client("DataStoreService")
        for id_ in (self.id, f"{self.id}-rows"):
            name = f"{documents.COLLECTION}/dataStores/{id_}"
            client.delete_data_store(name=name).result(timeout=60)
            try:
                client.get_data_store(name=name)
            except exceptions.NotFound:
                continue
            raise AssertionError(f"{name} is still there")

    def checks(self) -> dict[str, Callable[[], None]]:
        """Return the steps by name, in order."""
        return {
            "import documents": self.import_documents,
            "data stores": self.data_stores,
            "operations": self.operations,
            "documents": self.documents,
            "search: documents": self.search_documents,
            "search: pages": self.search_pages,
            "search: chunks": self.search_chunks,
            "schemas": self.schemas,
            "engines": self.engines,
            "controls and serving configs": self.controls,
            "rank": self.rank,
            "complete": self.complete,
            "refusals": self.refusals,
            "purge documents": self.purge,
            "delete": self.delete,
        }
