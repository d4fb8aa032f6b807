"""Rank through the official client, in every version, over REST and gRPC."""

from __future__ import annotations

import pytest
from google.api_core.exceptions import GoogleAPICallError

from tests.apis.discoveryengine.clients import APIS, Clients
from tests.apis.discoveryengine.search_backend import RELEVANCE, WordEmbedder
from toulmin.apis.aip.registry import Registry
from toulmin.apis.discoveryengine.rank import register_rank
from toulmin.apis.schema import load_schema
from toulmin.server.lifecycle import create_server
from toulmin.settings import load_settings

pytestmark = pytest.mark.client

CONFIG = "projects/p/locations/global/rankingConfigs/default_ranking_config"
RECORDS = [
    {"id": "moon", "title": "The moon", "content": "The moon is made of rock."},
    {"id": "sky", "content": "The sky is blue because air scatters blue light."},
    {"id": "empty", "title": "Nothing of the kind"},
    {"id": "sky", "title": "Why is the sky blue?"},
]
QUERY = "why is the sky blue"
WEIGHTS = {"now": RELEVANCE}


class BackwardsReranker:
    """Turns the order round, so that one sees whether it was asked."""

    def rerank(self, query, passages, prior, *, work):
        return 1.0 - prior


@pytest.fixture(scope="module")
def server():
    """One that ranks with the words; reranking turns everything round."""
    registry = Registry(load_schema())
    register_rank(
        registry,
        embedder=WordEmbedder,
        relevance=lambda: WEIGHTS["now"],
        reranker=BackwardsReranker,
    )
    made = create_server(registry, load_settings(flags={"port": 0}, environment={}), lambda: True)
    made.start()
    yield made
    made.stop(timeout_s=0.2)


@pytest.fixture(
    scope="module", params=[f"{version}-{way}" for version in APIS for way in ("rest", "grpc")]
)
def clients(request, server):
    made = Clients(*request.param.split("-"), server.port)
    yield made
    made.close()


def rank(clients, model="semantic-ranker-fast-004", **fields):
    request = {
        "ranking_config": CONFIG,
        "query": QUERY,
        "records": RECORDS,
        "model": model,
        **fields,
    }
    return list(clients.rank.rank(request).records)


def test_best_first_with_all_that_was_sent(clients):
    ranked = rank(clients)
    assert [record.title for record in ranked][:1] == ["Why is the sky blue?"]
    assert [record.id for record in ranked][:2] == ["sky", "sky"]
    assert {record.title for record in ranked} == {record.get("title", "") for record in RECORDS}
    scores = [record.score for record in ranked]
    assert scores == sorted(scores, reverse=True)
    assert 0.00001 <= scores[-1] < scores[0] <= 1
    assert all(score == pytest.approx(round(score, 4), abs=1e-7) for score in scores[:2])
    assert ranked == rank(clients)


def test_what_is_far_off_scores_a_hundred_thousandth(clients):
    records = [{"content": QUERY}, {"content": "unrelated words entirely"}]
    cold = type(RELEVANCE.calibration)(bias=-30.0, slope=0.0, lead=0.0)
    model = type(RELEVANCE)(dense=1.0, coverage=0.0, lexical=0.0, calibration=cold)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(WEIGHTS, "now", model)
        found = [record.score for record in rank(clients, records=records)]
    assert found == [pytest.approx(0.00001, rel=1e-5)] * 2


def test_top_n_and_records_without_their_details(clients):
    assert [record.id for record in rank(clients, top_n=1)] == ["sky"]
    for everything in (0, -3, 99):
        assert len(rank(clients, top_n=everything)) == len(RECORDS)
    bare = rank(clients, ignore_record_details_in_response=True)
    assert [record.id for record in bare] == [record.id for record in rank(clients)]
    assert {record.title + record.content for record in bare} == {""}
    assert all(record.score > 0 for record in bare)


def test_models_by_the_names_of_the_api(clients):
    first = rank(clients, model="")[0].id
    assert first != "sky"  # the reranker was asked
    for size, releases in (
        ("512", ("@latest", "-001", "-003")),
        ("default", ("@latest", "-002", "-003", "-004")),
        ("fast", ("@latest", "-004")),
    ):
        for release in releases:
            ranked = rank(clients, model=f"semantic-ranker-{size}{release}")
            assert (ranked[0].id == "sky") == (size == "fast")


def test_equal_records_keep_their_order(clients):
    records = [{"id": str(number), "content": "the sky"} for number in range(5)]
    assert [record.id for record in rank(clients, records=records)] == list("01234")


MANY = [{"id": str(number), "content": f"Room {number}"} for number in range(201)]
BAD = [
    ({"query": " "}, "query", "empty"),
    ({"query": "x" * 10_001}, "query", "10,001"),
    ({"records": []}, "records", "empty"),
    ({"records": MANY}, "records", "201"),
    ({"records": [*RECORDS, {"id": "x", "title": " "}]}, "records[4]", "title"),
    ({"model": "gpt"}, "model", "semantic-ranker-{default,fast,512}"),
    ({"model": "semantic-ranker-256-003"}, "model", "semantic-ranker-256-003"),
    ({"model": "semantic-ranker-default-4"}, "model", "semantic-ranker-default-4"),
    ({"user_labels": {"": "x"}}, "user_labels", "label"),
]


@pytest.mark.parametrize(("fields", "field", "words"), BAD)
def test_wrong_values_are_named(clients, fields, field, words):
    with pytest.raises(GoogleAPICallError) as caught:
        rank(clients, **fields)
    assert caught.value.code == 400
    assert f" {field}: " in f" {caught.value.message}"
    assert words in caught.value.message


def test_a_ranking_config_of_another_form_is_refused(server):
    # Over REST the client itself refuses it.
    clients = Clients("v1", "grpc", server.port)
    with pytest.raises(GoogleAPICallError, match=r"ranking_config: .*rankingConfigs/x"):
        rank(clients, ranking_config="rankingConfigs/x")
    clients.close()


def test_as_many_records_as_allowed(clients):
    assert len(rank(clients, records=MANY[:200])) == 200
