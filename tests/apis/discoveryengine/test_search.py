"""Searches through the official client: what comes back, in every version, over REST and gRPC."""

from __future__ import annotations

import http.client
import json

import pytest

from tests.apis.discoveryengine.clients import APIS, Clients
from tests.apis.discoveryengine.search_backend import SearchBackend, ids, page, text
from toulmin.domain import Branch
from toulmin.retrieval.search import Searcher

pytestmark = pytest.mark.client

WAYS = [f"{version}-{transport}" for version in APIS for transport in ("rest", "grpc")]


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    made = SearchBackend(tmp_path_factory.mktemp("search"))
    yield made
    made.close()


@pytest.fixture(scope="module", params=WAYS)
def clients(request, backend):
    made = Clients(*request.param.split("-"), backend.server.port)
    yield made
    made.close()


@pytest.fixture(scope="module")
def beta(backend):
    made = Clients("v1beta", "grpc", backend.server.port)
    yield made
    made.close()


def derived(found, number=0):
    return found["results"][number]["document"]["derivedStructData"]


SNIPPETS = {"snippet_spec": {"return_snippet": True}}
CHUNKS = {"search_result_mode": "CHUNKS"}


def extracts(**spec):
    return {"content_search_spec": {"extractive_content_spec": spec}}


def test_documents_with_all_that_can_be_shown_of_them(clients, backend):
    spec = SNIPPETS | {
        "extractive_content_spec": {
            "max_extractive_answer_count": 1,
            "max_extractive_segment_count": 2,
            "return_extractive_segment_score": True,
            "num_next_segments": 1,
        }
    }
    found = page(clients, backend.goods, "vinegar", content_search_spec=spec, page_size=1)
    assert ids(found) == ["kettle"]
    document = found["results"][0]["document"]
    assert document["name"] == f"{backend.goods}/branches/0/documents/kettle"
    assert document["structData"]["price"] == 30
    shown = document["derivedStructData"]
    assert shown["title"] == "Kettle manual"
    assert "Descale the kettle with <b>vinegar</b>" in shown["snippets"][0]["snippet"]
    assert shown["snippets"][0]["snippet_status"] == "SUCCESS"
    assert "vinegar" in shown["extractive_answers"][0]["content"]
    first, second = shown["extractive_segments"]
    assert "vinegar" in first["content"]
    assert 0 < second["relevanceScore"] < first["relevanceScore"] <= 1
    assert [chunk["id"] for chunk in first["next_segments"]] == ["c2"]
    assert "next_segments" not in second
    assert found["totalSize"] == 5
    assert found["nextPageToken"]
    assert len(found["attributionToken"]) == 32


def test_pages_of_a_pdf_are_strings(clients, backend):
    spec = extracts(max_extractive_answer_count=1, max_extractive_segment_count=1)
    found = page(clients, backend.goods, "mould on canvas", page_size=1, **spec)
    assert ids(found) == ["tent"]
    shown = derived(found)
    assert shown["extractive_answers"][0]["pageNumber"] == "3"
    assert shown["extractive_segments"][0]["pageNumber"] == "3"
    assert "mould destroys it" in shown["extractive_answers"][0]["content"]


def test_chunks_with_their_neighbours(clients, backend):
    spec = CHUNKS | {"chunk_spec": {"num_previous_chunks": 1, "num_next_chunks": 1}}
    found = page(clients, backend.goods, "guy lines angle", content_search_spec=spec, page_size=1)
    result = found["results"][0]
    chunk = result["chunk"]
    assert result["id"] == "tent"
    assert chunk["name"] == f"{backend.goods}/branches/0/documents/tent/chunks/{chunk['id']}"
    assert "Peg the guy lines" in chunk["content"]
    assert chunk["pageSpan"]["pageStart"] == 2
    assert 0 < chunk["relevanceScore"] <= 1
    assert chunk["documentMetadata"]["title"] == "A title"
    assert chunk["documentMetadata"]["structData"]["kind"] == "outdoor"
    around = chunk["chunkMetadata"]
    assert "sleeps four" in around["previousChunks"][0]["content"]
    assert "splinted" in around["nextChunks"][0]["content"]


def test_a_chunk_whose_document_goes_meanwhile_has_no_neighbours(beta, backend, monkeypatch):
    store = backend.make_store("going", content_config="CONTENT_REQUIRED")
    backend.add(store, [text("zeppelin", "The zeppelin flies.")])
    search = Searcher.search

    def search_and_delete(self, *arguments, **named):
        found = search(self, *arguments, **named)
        with backend.records.write() as transaction:
            transaction.documents.delete(Branch(store, "0"), ["zeppelin"])
        return found

    monkeypatch.setattr(Searcher, "search", search_and_delete)
    spec = CHUNKS | {"chunk_spec": {"num_previous_chunks": 1, "num_next_chunks": 1}}
    found = page(beta, store, "zeppelin", content_search_spec=spec)
    chunk = found["results"][0]["chunk"]
    assert chunk["content"] == "The zeppelin flies."
    assert not chunk.get("chunkMetadata")


def test_meaning_finds_what_words_do_not_and_auto_says_so(clients, backend):
    plain = page(clients, backend.goods, "bike", page_size=1)
    assert ids(plain) == ["bicycle"]
    # LangChain's retriever sends DISABLED, which is what the API has as its default.
    for condition in ("CONDITION_UNSPECIFIED", "DISABLED", "AUTO"):
        spec = {"query_expansion_spec": {"condition": condition}, "page_size": 1}
        found = page(clients, backend.goods, "bike", **spec)
        assert ids(found) == ["bicycle"]
        expanded = found.get("queryExpansionInfo", {}).get("expandedQuery", False)
        assert expanded == (condition == "AUTO")
        found = page(clients, backend.goods, "bicycle", **spec)
        assert "expandedQuery" not in found.get("queryExpansionInfo", {})


def test_spelling_is_corrected_or_only_said(clients, backend):
    found = page(clients, backend.goods, "vinegr", page_size=1)
    assert found["correctedQuery"] == "vinegar"
    assert ids(found) == ["kettle"]
    only = {
        "spell_correction_spec": {"mode": "SUGGESTION_ONLY"},
        "content_search_spec": SNIPPETS,
    }
    found = page(clients, backend.goods, "vinegr", **only)
    assert found["correctedQuery"] == "vinegar"
    assert not any(
        "<b>" in snippet["snippet"]
        for result in found["results"]
        for snippet in result["document"]["derivedStructData"]["snippets"]
    )


@pytest.mark.parametrize("query", ["", "manual of canvas and chain"])
@pytest.mark.parametrize("mode", ["DOCUMENTS", "CHUNKS"])
def test_pages_are_the_whole_list_each_result_once(clients, backend, query, mode):
    fields = {"content_search_spec": {"search_result_mode": mode}}
    whole = page(clients, backend.goods, query, **fields)
    config = f"{backend.goods}/servingConfigs/default_search"
    pager = clients.search.search(
        {"serving_config": config, "query": query, "page_size": 2, **fields}
    )
    seen = [result.chunk.name or result.document.name for result in pager]
    assert seen == [
        result.get("chunk", result.get("document"))["name"] for result in whole["results"]
    ]
    assert len(set(seen)) == len(seen) == whole["totalSize"]


def test_a_token_is_of_its_search_only(beta, backend):
    first = page(beta, backend.goods, "manual", page_size=2)
    token = first["nextPageToken"]
    second = page(beta, backend.goods, "manual", page_size=1, page_token=token, offset=99)
    offset = page(beta, backend.goods, "manual", page_size=1, offset=2)
    assert ids(second) == ids(offset)
    for other in ({"query": "tent"}, {"query": "manual", "filter": "price > 1"}):
        with pytest.raises(Exception, match="page_token"):
            page(beta, backend.goods, page_token=token, **other)


def test_pages_end_where_offsets_do(beta, backend, monkeypatch):
    monkeypatch.setattr("toulmin.apis.discoveryengine.convert.search_requests.LAST_RESULT", 2)
    config = f"{backend.goods}/servingConfigs/default_search"
    pager = beta.search.search({"serving_config": config, "page_size": 1})
    assert [result.id for result in pager] == ["kettle", "toaster", "lamp"]


def test_offset_past_the_end_is_an_empty_page(clients, backend):
    for query in ("", "manual"):
        found = page(clients, backend.goods, query, offset=500)
        assert ids(found) == []
        assert "nextPageToken" not in found
        assert found["totalSize"] == 5


def test_an_empty_query_browses_in_the_order_of_writing(clients, backend):
    found = page(clients, backend.goods)
    assert ids(found) == ["kettle", "toaster", "lamp", "bicycle", "tent"]
    assert "correctedQuery" not in found


def test_relevance_scores(backend):
    for version in ("v1", "v1beta"):
        clients = Clients(version, "grpc", backend.server.port)
        spec = {"relevance_score_spec": {"return_relevance_score": True}}
        for mode in ("DOCUMENTS", "CHUNKS"):
            found = page(
                clients,
                backend.goods,
                "descale the kettle with vinegar",
                content_search_spec={"search_result_mode": mode},
                **spec,
            )
            scores = [
                result["modelScores"]["relevance_score"]["values"][0] for result in found["results"]
            ]
            assert all(0 <= score <= 1 for score in scores)
            assert scores[0] > 0.5 > scores[-1]
            signals = found["results"][0]["rankSignals"]
            assert signals["relevanceScore"] == pytest.approx(scores[0])
            assert signals["keywordSimilarityScore"] > 0
            assert 0 < signals["semanticSimilarityScore"] <= 1
        assert "modelScores" not in page(clients, backend.goods, "kettle")["results"][0]
        clients.close()


def test_thresholds_leave_out_what_is_not_relevant(clients, backend):
    query = "descale the kettle with vinegar"
    everything = page(clients, backend.goods, query)
    best = page(clients, backend.goods, query, relevance_threshold="HIGH")
    assert ids(best) == ["kettle"]
    assert (everything["totalSize"], best["totalSize"]) == (5, 1)
    assert "nextPageToken" not in best
    if clients.version != "v1alpha":
        spec = {"semantic_search_threshold": {"semantic_relevance_threshold": 0.5}}
        found = page(clients, backend.goods, query, relevance_filter_spec=spec)
        assert ids(found) == ["kettle"]
        # The granular thresholds hold instead of the other one.
        spec = {"semantic_search_threshold": {"relevance_threshold": "LOWEST"}}
        found = page(
            clients,
            backend.goods,
            query,
            relevance_filter_spec=spec,
            relevance_threshold="HIGH",
        )
        assert len(ids(found)) == 5


def test_names_with_and_without_collection_and_every_implicit_serving_config(clients, backend):
    wanted = ids(page(clients, backend.goods, "canvas"))
    short = backend.goods.replace("/collections/default_collection", "")
    for config in ("default_config", "default_search", "default_serving_config"):
        for name in (backend.goods, short):
            found = page(clients, f"{name}/servingConfigs/{config}", "canvas")
            assert ids(found) == wanted
    for branch in ("0", "default_branch"):
        found = page(clients, backend.goods, "canvas", branch=f"{short}/branches/{branch}")
        assert ids(found) == wanted


def test_search_lite_is_the_same_search(clients, backend):
    if clients.version == "v1alpha":
        pytest.skip("v1alpha has no SearchLite")
    request = {
        "serving_config": f"{backend.goods}/servingConfigs/default_search",
        "query": "canvas",
    }
    lite = [result.id for result in clients.search.search_lite(request)]
    assert lite == [result.id for result in clients.search.search(request)] != []


def test_a_document_without_text_has_no_snippet(beta, backend):
    backend.add(backend.questions, [{"id": "bare", "struct_data": {"n": 1}}])
    found = page(
        beta, backend.questions, filter='id: ANY("bare", "returns")', content_search_spec=SNIPPETS
    )
    shown = {row["id"]: row["document"]["derivedStructData"] for row in found["results"]}
    for row in shown.values():
        assert row["snippets"][0]["snippet_status"] in ("SUCCESS", "NO_SNIPPET_AVAILABLE")
    assert shown["returns"]["link"] == "https://shop.example/returns"


def test_a_write_is_found_and_a_delete_is_gone(beta, backend):
    name = f"{backend.goods}/branches/0"
    document = text("drill", "The drill has a hammer function.", kind="tools")
    beta.document.create_document(parent=name, document=document, document_id="drill")
    assert ids(page(beta, backend.goods, "hammer drill", page_size=1)) == ["drill"]
    beta.document.delete_document(name=f"{name}/documents/drill")
    assert "drill" not in ids(page(beta, backend.goods, "hammer drill"))
    assert "drill" not in ids(page(beta, backend.goods))


EVERYTHING = {
    "query": "manual of canvas and chain",
    "contentSearchSpec": {
        "snippetSpec": {"returnSnippet": True},
        "extractiveContentSpec": {
            "maxExtractiveAnswerCount": 2,
            "maxExtractiveSegmentCount": 2,
            "numPreviousSegments": 1,
        },
    },
    "facetSpecs": [{"facetKey": {"key": "colours"}}, {"facetKey": {"key": "kind"}}],
    "boostSpec": {"conditionBoostSpecs": [{"condition": "price > 50", "boost": 0.3}]},
}


def test_the_same_request_gives_the_same_bytes(backend):
    from google.cloud.discoveryengine_v1.types import SearchRequest

    path = f"{backend.engine}/servingConfigs/default_search"

    def over_rest():
        connection = http.client.HTTPConnection("127.0.0.1", backend.server.port)
        connection.request("POST", f"/v1/{path}:search", json.dumps(EVERYTHING))
        reply = connection.getresponse()
        data = reply.read()
        connection.close()
        assert reply.status == 200, data
        return data

    assert len({over_rest() for _ in range(3)}) == 1

    import grpc

    request = SearchRequest.from_json(json.dumps(EVERYTHING | {"servingConfig": path}))
    with grpc.insecure_channel(f"127.0.0.1:{backend.server.port}") as channel:
        call = channel.unary_unary(
            "/google.cloud.discoveryengine.v1.SearchService/Search",
            request_serializer=SearchRequest.serialize,
            response_deserializer=lambda data: data,
        )
        assert len({call(request) for _ in range(3)}) == 1
