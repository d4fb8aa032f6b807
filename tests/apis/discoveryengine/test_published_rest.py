"""What Google publishes of its REST and no Python client of that version has, sent as curl does."""

from __future__ import annotations

import http.client
import json

import pytest

from tests.patience import PATIENCE_S

pytestmark = pytest.mark.client

OPENED = "When was the Varn Tower opened?"


@pytest.fixture
def call(library):
    """Return a function that sends a request and returns status and body."""

    def send(method, path, body=None):
        connection = http.client.HTTPConnection(
            "127.0.0.1", library.server.port, timeout=PATIENCE_S
        )
        headers = {"Content-Type": "application/json"}
        content = None if body is None else json.dumps(body)
        connection.request(method, f"/{path}", content, headers)
        response = connection.getresponse()
        found = response.status, json.loads(response.read())
        connection.close()
        return found

    return send


def config(library, version="v1alpha", owner=""):
    return f"{version}/{owner or library.guides}/servingConfigs/default_search"


EVERYTHING = {
    "query": {"text": OPENED},
    "answerGenerationSpec": {
        "includeCitations": True,
        "ignoreJailBreakingQuery": True,
        "multimodalSpec": {},
    },
    "groundingSpec": {"includeGroundingSupports": True, "filteringLevel": "FILTERING_LEVEL_LOW"},
    "safetySpec": {
        "enable": True,
        "safetySettings": [
            {"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_ONLY_HIGH"}
        ],
    },
    "endUserSpec": {"endUserMetadata": [{"chunkInfo": {"content": "Bo is an architect."}}]},
    "queryUnderstandingSpec": {
        "disableSpellCorrection": True,
        "queryClassificationSpec": {
            "types": ["NON_ANSWER_SEEKING_QUERY_V2", "USER_DEFINED_CLASSIFICATION_QUERY"]
        },
        "queryRephraserSpec": {"modelSpec": {"modelType": "SMALL"}},
    },
}


def test_an_answer_of_v1alpha_has_all_that_is_published(call, library):
    status, found = call("POST", f"{config(library)}:answer", EVERYTHING)
    assert status == 200, found
    answer = found["answer"]
    assert "1932" in answer["answerText"]
    assert answer["groundingScore"] > 0.5
    (support, *_) = answer["groundingSupports"]
    assert support["groundingCheckRequired"]
    assert support["sources"]
    rating = next(r for r in answer["safetyRatings"] if r["category"].endswith("HARASSMENT"))
    assert "probability" in rating
    kinds = answer["queryUnderstandingInfo"]["queryClassificationInfo"]
    assert {kind["type"] for kind in kinds} == {
        "NON_ANSWER_SEEKING_QUERY_V2",
        "USER_DEFINED_CLASSIFICATION_QUERY",
    }


def test_a_stream_of_v1alpha(call, library):
    status, items = call("POST", f"{config(library)}:streamAnswer", {"query": {"text": OPENED}})
    assert status == 200, items
    assert [item["answer"]["state"] for item in items] == [
        "IN_PROGRESS",
        *["STREAMING"] * (len(items) - 2),
        "SUCCEEDED",
    ]
    assert "1932" in items[-1]["answer"]["answerText"]


def test_a_search_of_v1alpha(call, library):
    body = {
        "query": OPENED,
        "userInfo": {"timeZone": "Europe/Berlin"},
        "relevanceScoreSpec": {"returnRelevanceScore": True},
        "dataStoreSpecs": [{"dataStore": library.guides, "filter": 'kind: ANY("kitchen")'}],
    }
    for verb in ("search", "searchLite"):
        status, found = call("POST", f"{config(library, owner=library.engine)}:{verb}", body)
        assert status == 200, found
        (result,) = found["results"]
        assert result["id"] == "kettle"
        assert result["modelScores"]["relevance_score"]["values"]
    for name, value in (("oneBoxPageSize", 3), ("entity", "us"), ("pageCategories", ["a"])):
        status, found = call("POST", f"{config(library)}:search", {"query": "x", name: value})
        assert (status, found["error"]["status"]) == (501, "UNIMPLEMENTED"), name


def test_the_parts_of_a_query(call, library):
    parts = [{"text": "When was the Varn Tower"}, {"text": "opened?", "mimeType": "text/plain"}]
    status, found = call("POST", f"{config(library)}:answer", {"query": {"parts": parts}})
    assert status == 200, found
    assert "1932" in found["answer"]["answerText"]
    parts = [{"personReference": {}}]
    status, found = call("POST", f"{config(library)}:answer", {"query": {"parts": parts}})
    assert status == 501
    assert "query.parts[0].person_reference" in found["error"]["message"]
    turns = [{"query": {"parts": [{"text": "Who built it?"}]}}]
    status, made = call("POST", f"v1alpha/{library.guides}/sessions", {"turns": turns})
    assert (status, made["turns"][0]["query"]["text"]) == (200, "Who built it?")


def test_branches(call, library):
    branch = f"{library.guides}/branches/0"
    status, found = call("GET", f"v1alpha/{branch}?view=BRANCH_VIEW_FULL")
    assert status == 200, found
    assert (found["name"], found["isDefault"]) == (branch, True)
    assert found["branchStats"]["documentCounts"] == {"all": "5"}
    assert found["lastDocumentImportTime"]
    plain = f"v1alpha/{library.guides.replace('/collections/default_collection', '')}/branches"
    status, listed = call("GET", plain)
    assert [item["name"] for item in listed["branches"]] == [branch]
    assert "branchStats" not in listed["branches"][0]
    assert call("GET", f"v1alpha/{library.guides}/branches/none")[0] == 404
    assert call("GET", f"v1alpha/{library.guides}x/branches")[0] == 404
    assert call("GET", f"v1/{branch}")[0] == 404  # v1 publishes none


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_serving_configs_and_completions(call, library, version):
    status, found = call("GET", config(library, version))
    assert (status, found["name"]) == (200, config(library).removeprefix("v1alpha/"))
    status, found = call("GET", f"{version}/{library.guides}/servingConfigs?pageSize=1")
    assert (status, len(found["servingConfigs"])) == (200, 1)
    path = f"{version}/{library.guides}/servingConfigs?servingConfigId=own-{version}"
    body = {"displayName": "Own", "solutionType": "SOLUTION_TYPE_SEARCH"}
    assert call("POST", path, body)[0] == 200
    assert call("DELETE", f"{version}/{library.guides}/servingConfigs/own-{version}")[0] == 200
    path = f"{version}/{library.guides}/completionConfig:completeQuery"
    status, found = call("POST", path, {"query": "kett"})
    assert status == 200, found
    assert "querySuggestions" in found


def test_a_completion_config_of_its_own_is_not_built(call, library):
    status, found = call("GET", f"v1alpha/{library.guides}/completionConfig")
    assert (status, found["error"]["status"]) == (501, "UNIMPLEMENTED")


@pytest.mark.parametrize("version", ["v1", "v1beta"])
def test_locations(call, library, version):
    status, found = call("GET", f"{version}/projects/p/locations")
    assert (status, [item["locationId"] for item in found["locations"]]) == (200, ["global"])
    library.clients.make_data_store("far", f"projects/{version}/locations/eu/collections/c")
    status, found = call("GET", f"{version}/projects/{version}/locations?pageSize=1")
    assert [item["name"] for item in found["locations"]] == [f"projects/{version}/locations/eu"]
    token = found["nextPageToken"]
    status, found = call("GET", f"{version}/projects/{version}/locations?pageToken={token}")
    assert [item["locationId"] for item in found["locations"]] == ["global"]
    path = f"{version}/projects/{version}/locations?filter=location_id%3Deu"
    assert [item["locationId"] for item in call("GET", path)[1]["locations"]] == ["eu"]
    status, found = call("GET", f"{version}/projects/p/locations/us")
    assert found == {"name": "projects/p/locations/us", "locationId": "us"}
    assert call("GET", f"{version}/projects/p/locations/us:nothing")[0] == 404
