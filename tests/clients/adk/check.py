"""Google ADK's DiscoveryEngineSearchTool, unmodified: only the three exported variables.

ADK asks for a discoveryengine client of long ago (0.13), which puts the documents there, too.
"""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import Any

import documents
from checks import expect, expect_equal, expect_words, run_checks
from google.adk.tools.discovery_engine_search_tool import (
    DiscoveryEngineSearchTool,
    SearchResultMode,
)
from google.cloud import discoveryengine_v1beta

TEXTS = f"{documents.COLLECTION}/dataStores/adk-texts"
ROWS = f"{documents.COLLECTION}/dataStores/adk-rows"
ENGINE = f"{documents.COLLECTION}/engines/adk"


def make_app() -> None:
    """Make a data store of texts, one of data, and an engine over both."""

    def make_client(service: str) -> Any:
        return getattr(discoveryengine_v1beta, f"{service}Client")()

    for name, rows in ((TEXTS, documents.texts()), (ROWS, documents.rows())):
        id_ = name.rsplit("/", 1)[1]
        made = documents.make_data_store(discoveryengine_v1beta, make_client, id_, rows)
        expect_equal(made, name, "data store")
    engine = discoveryengine_v1beta.Engine(
        display_name="ADK",
        solution_type="SOLUTION_TYPE_SEARCH",
        data_store_ids=["adk-texts", "adk-rows"],
    )
    operation = make_client("EngineService").create_engine(
        parent=documents.COLLECTION, engine=engine, engine_id="adk"
    )
    expect_equal(operation.result(timeout=60).name, ENGINE, "engine")


def search(query: str, **options: Any) -> list[dict[str, str]]:
    """Return the results of the tool."""
    found = DiscoveryEngineSearchTool(**options).discovery_engine_search(query)
    expect_equal(found["status"], "success", f"status of {found}")
    return found["results"]


def chunks(mode: SearchResultMode | None) -> None:
    """Chunks, which the tool tries first: title, address and words."""
    first = search(
        "When is the last ascent of the lighthouse?",
        data_store_id=TEXTS,
        max_results=1,
        search_result_mode=mode,
    )
    expect_equal(len(first), 1, "results")
    expect_equal(first[0]["title"], "Towers of the harbour", "title")
    expect_equal(first[0]["url"], "https://example.org/towers", "address")
    expect("five in the evening" in first[0]["content"], first)


def rows_as_documents() -> None:
    """Documents of data: title and the rest as JSON."""
    first = search(
        "How long does the ferry take?",
        data_store_id=ROWS,
        search_result_mode=SearchResultMode.DOCUMENTS,
    )[0]
    expect_equal(first["title"], "Ferry", "title")
    expect_equal(json.loads(first["content"]), {"body": "It crosses in ten minutes."}, "content")


def rows_as_chunks() -> None:
    """Documents of data have chunks as well, so the tool need not fall back."""
    first = search("How long does the ferry take?", data_store_id=ROWS)[0]
    expect("ten minutes" in first["content"], first)


def an_engine() -> None:
    """An engine, all of it and one data store of it, with a filter."""
    titles = {
        result["title"] for result in search("ferry to the lighthouse", search_engine_id=ENGINE)
    }
    expect({"Ferry", "Towers of the harbour"} <= titles, titles)
    # The tool's own VertexAISearchDataStoreSpec does not fit the client's request; a dict does.
    specs: Any = [{"data_store": ROWS, "filter": 'id: ANY("tram")'}]
    found = search("ferry", search_engine_id=ENGINE, data_store_specs=specs)
    expect_equal({result["title"] for result in found}, {"Tram"}, "titles")


def a_filter() -> None:
    """The tool's filter reaches the server, and what is wrong with it the tool's caller."""
    found = search("built", data_store_id=TEXTS, filter='kind: ANY("house")')
    expect_equal({result["url"] for result in found}, {"https://example.org/house.pdf#page="}, "")
    tool = DiscoveryEngineSearchTool(data_store_id=TEXTS, filter="kind ANY")
    refused = tool.discovery_engine_search("built")
    expect_equal(refused["status"], "error", "status")
    expect_words(refused["error_message"], "filter", "column")


def as_a_tool() -> None:
    """An agent runs it by its arguments."""
    tool = DiscoveryEngineSearchTool(data_store_id=TEXTS, max_results=1)
    found = asyncio.run(tool.run_async(args={"query": "granite lighthouse"}, tool_context=None))
    expect("granite" in found["results"][0]["content"], found)


def main() -> None:
    """Run all checks."""
    run_checks(
        "environment",
        {
            "make the app": make_app,
            "chunks, found out": partial(chunks, None),
            "chunks, asked for": partial(chunks, SearchResultMode.CHUNKS),
            "data as documents": rows_as_documents,
            "data as chunks": rows_as_chunks,
            "an engine": an_engine,
            "a filter": a_filter,
            "as a tool": as_a_tool,
        },
    )


if __name__ == "__main__":
    main()
