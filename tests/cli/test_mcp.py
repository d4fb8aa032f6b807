"""The tools of `toulmin mcp`, called by the real package's client in memory."""

from __future__ import annotations

import asyncio
import sys

import pytest

from toulmin.cli import main
from toulmin.errors import NotFound

COLLECTION = "projects/default/locations/global/collections/default_collection"
CHUNK = {
    "content": "The bridge opened in 1998.",
    "documentMetadata": {"title": "Bridges", "uri": "file:///bridges.md"},
    "pageSpan": {"pageStart": 3, "pageEnd": 3},
}
ANSWER = {
    "state": "SUCCEEDED",
    "answerText": "It opened in 1998.",
    "groundingSupports": [
        {"endIndex": "18", "groundingCheckRequired": True, "sources": [{"referenceId": "0"}]}
    ],
    "references": [{"chunkInfo": {**CHUNK, "chunk": "c1"}}],
}
REPORT = {
    "supportScore": 0.5,
    "claims": [
        {
            "claimText": "It opened in 1998.",
            "groundingCheckRequired": True,
            "score": 0.9,
            "citationIndices": [0],
        },
        {"claimText": "Hello!"},
    ],
    "citedChunks": [{"chunkText": "It opened in 1998.", "source": "1"}],
}


class ScriptedApi:
    """Answers by the last word of the path, and keeps what it was asked."""

    def __init__(self, **replies):
        self.replies = {"check": REPORT, "answer": {"answer": ANSWER}, "search": {}} | replies
        self.asked = []

    def call(self, _method, path, body=None, query=None, *, version="v1"):
        self.asked.append((path, body))
        reply = self.replies[path.rpartition(":")[2]]
        if isinstance(reply, Exception):
            raise reply
        return reply


def call(tool, arguments, api=None):
    """Return what a client of the real package gets."""
    pytest.importorskip("mcp")
    from mcp import Client

    from toulmin.cli.mcp_server import build_server

    async def main():
        async with Client(build_server(api or ScriptedApi(), COLLECTION)) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(main())


def test_check_says_what_the_facts_say_instead_only_when_asked():
    claim = {
        "claimText": "It opened in 1973.",
        "groundingCheckRequired": True,
        "score": 0.1,
        "correctedText": "It opened in 1998.",
        "correctedScore": 0.9,
    }
    api = ScriptedApi(check={"supportScore": 0.1, "claims": [claim]})
    asked = {"text": "It opened in 1973.", "facts": ["It opened in 1998."]}
    found = call("check", asked | {"corrections": True}, api)
    (said,) = found.structured_content["sentences"]
    assert (said["corrected"], said["corrected_support"]) == ("It opened in 1998.", 0.9)
    call("check", asked, api)
    specs = [body["groundingSpec"] for _, body in api.asked]
    assert [spec["enableCorrections"] for spec in specs] == [True, False]


def test_check_names_the_facts_that_bear_a_sentence_out():
    api = ScriptedApi()
    found = call("check", {"text": "It opened in 1998. Hello!", "facts": ["a", "b"]}, api)
    assert found.structured_content == {
        "support": 0.5,
        "sentences": [
            {"text": "It opened in 1998.", "support": 0.9, "sources": [1], "contradicted_by": []},
            {"text": "Hello!"},
        ],
        "sources": [{"number": 1, "fact": 2, "text": "It opened in 1998."}],
    }
    assert api.asked[0][1]["facts"] == [{"factText": "a"}, {"factText": "b"}]


def test_check_takes_a_store_in_place_of_facts():
    api = ScriptedApi()
    call("check", {"text": "It opened in 1998.", "store": "bridges"}, api)
    path, body = api.asked[0]
    assert (
        path == "projects/default/locations/global/groundingConfigs/default_grounding_config:check"
    )
    source = f"{COLLECTION}/dataStores/bridges/servingConfigs/default_search"
    assert body["groundingSource"] == {"searchSource": source}
    both = call("check", {"text": "x", "store": "bridges", "facts": ["a"]})
    assert both.is_error
    assert "either `facts` or `store`" in both.content[0].text


def test_ask_numbers_the_sources_in_the_text():
    found = call("ask", {"question": "When?", "store": "bridges"})
    assert found.structured_content == {
        "answered": True,
        "text": "It opened in 1998. [1]",
        "sources": [
            {
                "number": 1,
                "title": "Bridges",
                "uri": "file:///bridges.md",
                "page": 3,
                "name": "c1",
                "text": "The bridge opened in 1998.",
            }
        ],
    }


def test_ask_says_why_there_is_no_answer():
    skipped = {"state": "SUCCEEDED", "answerSkippedReasons": ["NO_RELEVANT_CONTENT"]}
    found = call("ask", {"question": "When?"}, ScriptedApi(answer={"answer": skipped}))
    assert found.structured_content == {
        "answered": False,
        "why_not": "No answer: the documents do not say it.",
    }


def test_search_returns_passages_with_their_places():
    api = ScriptedApi(search={"results": [{"chunk": {**CHUNK, "name": "c1"}}]})
    found = call("search", {"query": "bridge", "limit": 1}, api)
    (passage,) = found.structured_content["passages"]
    assert passage["title"] == "Bridges"
    assert api.asked[0][1]["pageSize"] == 1
    assert call("search", {"query": "bridge", "limit": 99}).is_error


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("ask", {"question": "When?", "store": "gone"}, "it does not exist"),
        ("ask", {"question": "When?", "store": "no/id"}, "store"),
    ],
)
def test_what_fails_is_said_to_the_model(tool, arguments, said):
    found = call(tool, arguments, ScriptedApi(answer=NotFound("it does not exist")))
    assert found.is_error
    assert said in found.content[0].text


def test_without_the_extra_the_verb_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    monkeypatch.delitem(sys.modules, "toulmin.cli.mcp_server", raising=False)
    assert main(["mcp"]) == 2
    assert "pip install 'toulmin[mcp]'" in capsys.readouterr().err


def test_a_port_that_is_none_is_refused(capsys):
    assert main(["mcp", "--http", "70000"]) == 2
    assert "70000" in capsys.readouterr().err
