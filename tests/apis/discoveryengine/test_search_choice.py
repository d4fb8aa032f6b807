"""Which results a search chooses and in which order: filters, order, boosts, facets, data stores."""

from __future__ import annotations

import pytest

from tests.apis.discoveryengine.clients import APIS, Clients
from tests.apis.discoveryengine.search_backend import QUESTIONS, SearchBackend, ids, page

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


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ('kind: ANY("kitchen")', {"kettle", "toaster"}),
        ("price > 80", {"bicycle", "tent"}),
        ('price: IN(*, 45.5i) AND NOT colours: ANY("steel")', {"toaster"}),
        ('sold >= "2026-03"', {"kettle", "bicycle"}),
        ('id: ANY("lamp")', {"lamp"}),
    ],
)
@pytest.mark.parametrize("query", ["", "canvas and chain and bread"])
def test_filters_hold_with_and_without_words(beta, backend, expression, wanted, query):
    found = page(beta, backend.goods, query, filter=expression)
    assert set(ids(found)) == wanted
    assert found["totalSize"] == len(wanted)


def test_the_canonical_filter_holds_when_there_is_no_other(clients, backend):
    canonical = {"canonical_filter": 'kind: ANY("light")'}
    assert ids(page(clients, backend.goods, **canonical)) == ["lamp"]
    other = {"filter": 'kind: ANY("kitchen")', **canonical}
    assert ids(page(clients, backend.goods, **other)) == ["kettle", "toaster"]


@pytest.mark.parametrize("query", ["", "manual of canvas and chain"])
def test_order_by_fields(beta, backend, query):
    found = page(beta, backend.goods, query, order_by="price desc")
    assert ids(found) == ["bicycle", "tent", "lamp", "toaster", "kettle"]
    found = page(beta, backend.goods, query, order_by="kind, price desc")
    assert ids(found) == ["toaster", "kettle", "lamp", "bicycle", "tent"]
    # The tent, which has no date, is last either way.
    assert ids(page(beta, backend.goods, query, order_by="sold"))[-1] == "tent"
    assert ids(page(beta, backend.goods, query, order_by="sold desc"))[-1] == "tent"


def boost(*specs):
    return {"boost_spec": {"condition_boost_specs": list(specs)}}


def test_boosts_lift_and_press(clients, backend):
    query = "clean and charge"
    plain = ids(page(clients, backend.goods, query))
    spec = boost({"condition": f'id: ANY("{plain[1]}")', "boost": 1.0})
    assert ids(page(clients, backend.goods, query, **spec))[0] == plain[1]
    spec = boost({"condition": f'id: ANY("{plain[0]}")', "boost": -1.0})
    pressed = ids(page(clients, backend.goods, query, **spec))
    assert pressed[0] != plain[0]
    assert set(pressed) == set(plain)


def test_boosts_by_a_number_and_by_age(beta, backend):
    def follows(field, kind, *points):
        control = {
            "field_name": field,
            "attribute_type": kind,
            "interpolation_type": "LINEAR",
            "control_points": [
                {"attribute_value": value, "boost_amount": amount} for value, amount in points
            ],
        }
        return boost({"boost_control_spec": control})

    cheap = follows("price", "NUMERICAL", ("30", 1.0), ("900", -1.0))
    assert ids(page(beta, backend.goods, **cheap))[0] == "kettle"
    assert ids(page(beta, backend.goods, **cheap))[-1] == "bicycle"
    old = follows("sold", "FRESHNESS", ("P1D", -0.5), ("7300D", 0.9))
    assert ids(page(beta, backend.goods, **old))[0] == "lamp"


def facet(found, key):
    facets = {facet["key"]: facet.get("values", []) for facet in found["facets"]}
    return [(row.get("value") or row["interval"], int(row["count"])) for row in facets[key]]


@pytest.mark.parametrize("query", ["", "manual of canvas and chain"])
def test_facets_count_documents(beta, backend, query):
    specs = [
        {"facet_key": {"key": "kind"}},
        {"facet_key": {"key": "colours", "order_by": "count desc"}, "limit": 1},
        {
            "facet_key": {
                "key": "price",
                "intervals": [{"maximum": 50}, {"minimum": 50, "exclusive_maximum": 900}],
            }
        },
    ]
    found = page(beta, backend.goods, query, facet_specs=specs, page_size=1)
    assert facet(found, "kind") == [("kitchen", 2), ("light", 1), ("outdoor", 2)]
    assert facet(found, "colours") in ([("red", 2)], [("black", 2)])
    assert facet(found, "price") == [
        ({"maximum": 50.0}, 2),
        ({"minimum": 50.0, "exclusiveMaximum": 900.0}, 2),
    ]


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        ({"order_by": "value desc"}, ["steel", "Red", "red", "black"]),
        ({"order_by": "value asc"}, ["black", "Red", "red", "steel"]),
        ({"restricted_values": ["steel", "blue"]}, ["steel"]),
        ({"prefixes": ["r"]}, ["red"]),
        ({"prefixes": ["r"], "case_insensitive": True}, ["Red", "red"]),
        ({"contains": ["ee", "ac"]}, ["black", "steel"]),
    ],
)
def test_facets_choose_and_order_values(clients, backend, key, wanted):
    specs = [{"facet_key": {"key": "colours", **key}}]
    found = page(clients, backend.goods, facet_specs=specs)
    shown = [value for value, _ in facet(found, "colours")]
    assert sorted(shown) == sorted(wanted)
    if "order_by" in key:
        assert [value.lower() for value in shown] == [value.lower() for value in wanted]


def test_facets_count_what_is_relevant_enough(beta, backend):
    found = page(
        beta,
        backend.goods,
        "descale the kettle with vinegar",
        facet_specs=[{"facet_key": {"key": "kind"}}],
        relevance_threshold="HIGH",
    )
    assert ids(found) == ["kettle"]
    assert facet(found, "kind") == [("kitchen", 1)]


def test_a_facet_sees_what_its_own_filter_leaves_out(beta, backend):
    key = {"facet_key": {"key": "kind"}}
    chosen = {"filter": 'kind: ANY("light") AND price < 100'}
    for query in ("", "manual of canvas and chain"):
        found = page(beta, backend.goods, query, facet_specs=[key], **chosen)
        assert facet(found, "kind") == [("light", 1)]
        spec = key | {"excluded_filter_keys": ["kind"]}
        found = page(beta, backend.goods, query, facet_specs=[spec], **chosen)
        assert facet(found, "kind") == [("kitchen", 2), ("light", 1)]
        assert ids(found) == ["lamp"]


def test_an_engine_searches_all_its_data_stores(clients, backend):
    found = page(clients, backend.engine, "kettle red")
    assert {"kettle", "kettle-colours"} == set(ids(found)[:2])
    names = {result["document"]["name"].split("/branches")[0] for result in found["results"]}
    assert names == {backend.goods, backend.questions}
    assert page(clients, backend.engine)["totalSize"] == 5 + len(QUESTIONS)


def test_data_store_specs_choose_filter_and_boost(clients, backend):
    chosen = [{"data_store": backend.questions}]
    for query in ("", "kettle"):
        found = page(clients, backend.engine, query, data_store_specs=chosen)
        assert set(ids(found)) == {"returns", "kettle-colours"}
    if clients.version == "v1alpha":
        return
    specs = [
        {"data_store": backend.goods, "filter": 'kind: ANY("light")'},
        {
            "data_store": backend.questions.replace("/collections/default_collection", ""),
            **boost({"condition": 'id: ANY("returns")', "boost": 1}),
        },
    ]
    found = page(clients, backend.engine, data_store_specs=specs)
    assert ids(found) == ["returns", "lamp", "kettle-colours"]


def test_results_of_each_data_store_can_be_limited(beta, backend):
    for query in ("", "kettle manual"):
        found = page(beta, backend.engine, query, num_results_per_data_store=1)
        assert len(ids(found)) == found["totalSize"] == 2
        # What a data store's spec says holds before what is said for all.
        specs = [{"data_store": backend.goods, "num_results": 3}, {"data_store": backend.questions}]
        found = page(
            beta, backend.engine, query, num_results_per_data_store=1, data_store_specs=specs
        )
        assert len(ids(found)) == 4
