"""Check grounding against the documents of data stores, with the real weights, over REST."""

from __future__ import annotations

import http.client
import json

import pytest

from tests.apis.discoveryengine.clients import COLLECTION, Clients
from tests.ingestion.files import pdf, text_at
from tests.patience import PATIENCE_S
from toulmin.apis.handlers import build_registry
from toulmin.server.lifecycle import create_server
from toulmin.services import build_services
from toulmin.settings import load_settings

pytestmark = [pytest.mark.model, pytest.mark.client]

VERSIONS = ["v1", "v1beta", "v1alpha"]
PATH = "projects/p/locations/global/groundingConfigs/default_grounding_config:check"
TITANIC = (
    "# Titanic (1997 film)\n\nTitanic is a 1997 American epic romantic disaster movie. It was"
    " directed, written, and co-produced by James Cameron. It stars Kate Winslet and Leonardo"
    " DiCaprio. The movie was released on December 19, 1997."
)
BRIDGE = ["The bridge over the Elbe was opened in 1998.", "Die Brücke ist 312 Meter lang."]
GOOD = "Titanic was directed by James Cameron. It was released in 1997."
BAD = "Titanic was directed by Steven Spielberg."


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    settings = load_settings(
        flags={"port": 0, "data_dir": tmp_path_factory.mktemp("data")}, environment={}
    )
    services = build_services(settings)
    made = create_server(build_registry(services), settings, lambda: True)
    made.start()
    yield made
    made.stop(timeout_s=0.2)
    services.close()


@pytest.fixture(scope="module")
def sources(server):
    """Make an engine over two data stores of documents, and one over an empty data store."""
    clients = Clients("v1", "grpc", server.port)
    for id_ in ("films", "bridges", "nothing"):
        clients.make_data_store(id_, content_config="CONTENT_REQUIRED")
    lines = "".join(text_at(60, 700, BRIDGE[0]))
    for store, document in (
        ("films", {"id": "titanic", "content": content("text/markdown", TITANIC.encode())}),
        ("bridges", {"id": "elbe", "content": content("application/pdf", pdf(["", lines]))}),
    ):
        clients.document.import_documents(
            {
                "parent": f"{COLLECTION}/dataStores/{store}/branches/0",
                "inline_source": {
                    "documents": [
                        document
                        | {"struct_data": {"link": f"https://example.org/{document['id']}"}}
                    ]
                },
            }
        ).result(timeout=PATIENCE_S)
    names = {
        "both": clients.make_engine("films", "bridges").name,
        "films": f"{COLLECTION}/dataStores/films",
        "nothing": f"{COLLECTION}/dataStores/nothing",
    }
    clients.close()
    return {key: f"{name}/servingConfigs/default_search" for key, name in names.items()}


def content(mime_type, data):
    return {"mime_type": mime_type, "raw_bytes": data}


def post(server, body, version="v1"):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("POST", f"/{version}/{PATH}", json.dumps(body))
    reply = connection.getresponse()
    data = reply.read()
    connection.close()
    return reply.status, data


def check(server, answer, source, version="v1", **body):
    body = {"answerCandidate": answer, "groundingSource": {"searchSource": source}, **body}
    status, data = post(server, body, version)
    assert status == 200, data
    return json.loads(data)


@pytest.mark.parametrize("version", VERSIONS)
def test_claims_are_borne_out_by_documents_of_an_engine(server, sources, version):
    reply = check(server, GOOD, sources["both"], version)
    assert reply["supportScore"] > 0.8
    chunks = reply["citedChunks"]
    for claim in reply["claims"]:
        cited = {chunks[index]["source"] for index in claim["citationIndices"]}
        assert f"{COLLECTION}/dataStores/films/branches/0/documents/titanic/chunks/c1" in cited
    first = chunks[reply["claims"][0]["citationIndices"][0]]
    assert first["chunkText"] in TITANIC
    if version != "v1alpha":
        assert first["uri"] == "https://example.org/titanic"
        assert first["title"] == "Titanic (1997 film)"


@pytest.mark.parametrize("version", VERSIONS)
def test_what_documents_do_not_say_is_not_borne_out(server, sources, version):
    spec = {"enableAntiCitations": True, "enableClaimLevelScore": True, "enableExplanations": True}
    reply = check(server, BAD, sources["both"], version, groundingSpec=spec)
    assert reply["supportScore"] < 0.3
    assert reply["contradictionScore"] > 0.5
    claim = reply["claims"][0]
    assert claim.get("citationIndices", []) == []
    against = reply["citedChunks"][claim["antiCitationIndices"][0]]
    assert against["source"].endswith("/documents/titanic/chunks/c1")
    named = [span["source"] for span in claim["spans"] if span.get("source")]
    assert all(name.startswith(COLLECTION) for name in named)


def test_a_cited_chunk_of_a_pdf_has_its_page(server, sources):
    reply = check(server, "The Elbe bridge was opened in 1998.", sources["both"])
    assert reply["supportScore"] > 0.5
    chunk = reply["citedChunks"][0]
    assert chunk["source"] == f"{COLLECTION}/dataStores/bridges/branches/0/documents/elbe/chunks/c1"
    assert chunk["sourceMetadata"]["page_identifier"] == "2"


def test_a_serving_config_of_a_data_store_is_enough(server, sources):
    assert check(server, GOOD, sources["films"])["supportScore"] > 0.8
    short = sources["films"].replace("/collections/default_collection", "")
    assert check(server, GOOD, short) == check(server, GOOD, sources["films"])


@pytest.mark.parametrize("version", VERSIONS)
def test_where_nothing_is_found_nothing_is_borne_out(server, sources, version):
    reply = check(server, GOOD, sources["nothing"], version)
    assert reply["supportScore"] == 0
    assert [claim["claimText"] for claim in reply["claims"]] == GOOD.replace(". ", ".\n").split(
        "\n"
    )
    assert "citedChunks" not in reply


def test_the_same_request_gives_the_same_bytes(server, sources):
    body = {"answerCandidate": GOOD, "groundingSource": {"searchSource": sources["both"]}}
    assert len({post(server, body) for _ in range(3)}) == 1


def test_an_answer_that_claims_nothing_needs_no_facts(server, sources):
    reply = check(server, "Thank you!", sources["both"])
    assert reply["claims"][0]["groundingCheckRequired"] is False


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"facts": [{"factText": "A fact."}]}, 400, "grounding_source.search_source"),
        ({"groundingSource": {"searchSource": "engines/x"}}, 400, "search_source"),
        (
            {
                "groundingSource": {
                    "searchSource": f"{COLLECTION}/engines/none/servingConfigs/default_search"
                }
            },
            404,
            "engines/none",
        ),
        ({"groundingSource": {}}, 400, "facts"),
        ({"answerCandidate": ""}, 400, "answer_candidate"),
        ({"answerCandidate": "word " * 4097}, 400, "4,097"),
    ],
)
def test_what_cannot_be_checked_is_refused(server, sources, body, status, words):
    good = {"answerCandidate": GOOD, "groundingSource": {"searchSource": sources["both"]}}
    found, data = post(server, good | body)
    assert found == status
    assert words in json.loads(data)["error"]["message"]
