"""The tools of `toulmin mcp`: what a model calls, and what it is told.

The one file that names the `mcp` package. Each tool asks the public API, so what it says is what a
client of the API would be told; failures become the protocol's tool errors, for the model to read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from toulmin import __version__
from toulmin.cli.access import Api, store_name
from toulmin.cli.answer_view import Told, why_not
from toulmin.cli.field_names import in_own_words
from toulmin.cli.terminal import Paint
from toulmin.errors import InvalidArgument, ToulminError

_PLAIN: Final = Paint(enabled=False)
_MOST_RESULTS: Final = 25
_INSTRUCTIONS: Final = (
    "Toulmin answers from the user's own documents and checks texts against facts. Use `ask` for a"
    " question, `search` for passages to read yourself, `check` before you rely on a text: it says"
    " for each sentence how well the facts support it. When `ask` has no answer, say so."
)

Store = Annotated[str, Field(description="Id of the data store of documents.")]


class Tools:
    """What the tools do.

    Args:
        api: The public API, here or on a server.
        collection: Name of the collection that the data stores are in.
    """

    def __init__(self, api: Api, collection: str) -> None:
        self._api = api
        self._collection = collection

    def check(
        self,
        text: Annotated[str, Field(description="The text to check, at most 4,096 tokens.")],
        facts: Annotated[
            list[str] | None,
            Field(description="What is known, 1 to 200 passages. Leave out to use `store`."),
        ] = None,
        store: Annotated[
            str | None, Field(description="Data store to find the facts in, instead of `facts`.")
        ] = None,
        corrections: Annotated[  # noqa: FBT002 - tools are called by names
            bool,
            Field(description="Also say what the facts say instead, where the check proves it."),
        ] = False,
    ) -> dict[str, Any]:
        """Say for every sentence of a text how well facts support or contradict it, with sources.

        `support` is from 0 to 1: from 0.6 on a sentence is borne out by the sources named with it.
        With `corrections`, `corrected` is the sentence with a few words of a fact in the place of
        its own; a sentence without it has none that is proven.
        """
        if bool(facts) == bool(store):
            raise ToolError("give either `facts` or `store`")
        spec = {
            "enableClaimLevelScore": True,
            "enableAntiCitations": True,
            "enableCorrections": corrections,
        }
        body: dict[str, Any] = {"answerCandidate": text, "groundingSpec": spec}
        if store:
            config = f"{self._store(store)}/servingConfigs/default_search"
            body["groundingSource"] = {"searchSource": config}
        else:
            body["facts"] = [{"factText": fact} for fact in facts or ()]
        config = self._collection.partition("/collections/")[0]
        path = f"{config}/groundingConfigs/default_grounding_config:check"
        return _report(self._call(path, body))

    def ask(
        self,
        question: Annotated[str, Field(description="The question, as a person would ask it.")],
        store: Store = "default",
    ) -> dict[str, Any]:
        """Answer a question from the user's documents, each sentence with its sources.

        In `text` the numbers in brackets are those of `sources`. `answered` is false when the
        documents do not say it; then `why_not` says why, and nothing should be made up.
        """
        body = {
            "query": {"text": question},
            "searchSpec": {"searchParams": {"searchResultMode": "CHUNKS"}},
            "answerGenerationSpec": {"includeCitations": True},
            "groundingSpec": {"includeGroundingSupports": True},
        }
        path = f"{self._store(store)}/servingConfigs/default_search:answer"
        response = self._call(path, body)
        told = Told()
        text = told.add(response, _PLAIN)
        if not told.is_answer:
            return {"answered": False, "why_not": why_not(told.skipped)}
        sources = [
            _source(number, reference.get("chunkInfo", {}))
            for number, reference in enumerate(told.references, 1)
        ]
        return {"answered": True, "text": text, "sources": sources}

    def search(
        self,
        query: Annotated[str, Field(description="Words or a question.")],
        store: Store = "default",
        limit: Annotated[int, Field(description="Most passages.", ge=1, le=_MOST_RESULTS)] = 5,
    ) -> dict[str, Any]:
        """Find the passages of the user's documents that matter for a query, best first."""
        body = {
            "query": query,
            "pageSize": limit,
            "contentSearchSpec": {"searchResultMode": "CHUNKS"},
        }
        path = f"{self._store(store)}/servingConfigs/default_search:search"
        results = self._call(path, body).get("results", [])
        return {
            "passages": [
                _source(number, result.get("chunk", {})) for number, result in enumerate(results, 1)
            ]
        }

    def _store(self, id_: str) -> str:
        try:
            return store_name(self._collection, id_, flag="store")
        except InvalidArgument as error:
            raise ToolError(error.message) from error

    def _call(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self._api.call("POST", path, body)
        except ToulminError as error:
            raise ToolError(in_own_words(error.message)) from error


def build_server(api: Api, collection: str) -> Any:
    """Return the MCP server with its tools.

    Args:
        api: The public API, here or on a server.
        collection: Name of the collection that the data stores are in.
    """
    server = MCPServer(
        "toulmin", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    tools = Tools(api, collection)
    harmless = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    for tool in (tools.check, tools.ask, tools.search):
        server.tool(annotations=harmless)(tool)
    return server


def _report(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return a check's response in the words of the tool."""
    chunks = response.get("citedChunks", [])
    claims = []
    for claim in response.get("claims", []):
        said: dict[str, Any] = {"text": claim.get("claimText", "")}
        if claim.get("groundingCheckRequired"):
            said["support"] = claim.get("score", 0.0)
            said["sources"] = [index + 1 for index in claim.get("citationIndices", [])]
            said["contradicted_by"] = [index + 1 for index in claim.get("antiCitationIndices", [])]
            if "correctedText" in claim:
                said["corrected"] = claim["correctedText"]
                said["corrected_support"] = claim.get("correctedScore", 0.0)
        claims.append(said)
    sources = [
        {"number": number, **_place(chunk.get("source", "")), "text": chunk.get("chunkText", "")}
        for number, chunk in enumerate(chunks, 1)
    ]
    return {
        "support": response.get("supportScore", 0.0),
        "sentences": claims,
        "sources": sources,
    }


def _place(source: str) -> dict[str, Any]:
    """Return which of the given facts a source is, from 1, or the name of its chunk."""
    return {"fact": int(source) + 1} if source.isdecimal() else {"name": source}


def _source(number: int, chunk: Mapping[str, Any]) -> dict[str, Any]:
    about = chunk.get("documentMetadata", {})
    page = chunk.get("pageSpan", {}).get("pageStart") or about.get("pageIdentifier")
    found = {
        "number": number,
        "title": about.get("title", ""),
        "uri": about.get("uri", ""),
        "page": page,
        "name": chunk.get("name") or chunk.get("chunk", ""),
        "text": chunk.get("content", ""),
    }
    return {key: value for key, value in found.items() if value}
