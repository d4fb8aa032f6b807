"""Serving configs and the controls in them, with the official clients of every version."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.apis.discoveryengine.clients import COLLECTION, SEARCH, new_id
from tests.apis.discoveryengine.test_resources import refused
from toulmin.apis.discoveryengine.control import controls_of, is_triggered
from toulmin.domain import Control
from toulmin.errors import NotFound

pytestmark = pytest.mark.client

IMPLICIT = ["default_config", "default_search", "default_serving_config"]
FILTER = 'lang: ANY("en")'


@pytest.fixture(params=["dataStores", "engines"])
def owner(request, clients):
    """Name of something that has serving configs."""
    store = clients.make_data_store()
    if request.param == "dataStores":
        return store.name
    return clients.make_engine(store.name.rpartition("/")[2]).name


@pytest.fixture
def store(beta):
    return beta.make_data_store().name


def test_implicit_configs_are_there(clients, owner):
    service = clients.serving_config
    if clients.version == "v1":
        assert not hasattr(service, "list_serving_configs")
        return
    found = list(service.list_serving_configs(parent=owner))
    assert [config.name for config in found] == [
        f"{owner}/servingConfigs/{id_}" for id_ in IMPLICIT
    ]
    short = owner  # over REST, engines have no names without the collection
    if "/dataStores/" in owner:
        short = owner.replace("/collections/default_collection", "")
    config = service.get_serving_config(name=f"{short}/servingConfigs/default_search")
    assert config == found[1]
    assert (config.solution_type.name, config.display_name) == (SEARCH, "default_search")
    assert refused(service.get_serving_config, name=f"{owner}/servingConfigs/other")[0] == 404
    assert (
        refused(service.get_serving_config, name=f"{owner}x/servingConfigs/default_search")[0]
        == 404
    )
    assert refused(service.list_serving_configs, parent=f"{owner}x")[0] == 404


def test_an_implicit_config_keeps_an_update(clients, owner):
    name = f"{owner}/servingConfigs/default_search"
    service = clients.serving_config
    control = clients.make_control(
        owner, synonyms_action={"synonyms": ["car", "automobile"]}
    ).name.rpartition("/")[2]
    for title in ("First", "Second"):
        updated = service.update_serving_config(
            serving_config={
                "name": name,
                "display_name": title,
                "synonyms_control_ids": [control],
            },
            update_mask={"paths": ["display_name", "synonyms_control_ids"]},
        )
        assert (updated.name, updated.display_name) == (name, title)
        assert list(updated.synonyms_control_ids) == [control]
    unchanged = service.update_serving_config(
        serving_config={"name": name}, update_mask={"paths": ["ranking_expression"]}
    )
    assert unchanged.display_name == "Second"
    if clients.version != "v1":
        listed = service.list_serving_configs(parent=owner)
        assert [config.display_name for config in listed] == [
            "default_config",
            "Second",
            "default_serving_config",
        ]


def test_configs_of_v1beta_from_creation_to_deletion(beta, store):
    service = beta.serving_config
    request = {
        "parent": store,
        "serving_config": {"display_name": "Mine", "solution_type": SEARCH},
        "serving_config_id": "Mine_1",
    }
    created = service.create_serving_config(request)
    assert created.name == f"{store}/servingConfigs/Mine_1"
    assert service.get_serving_config(name=created.name) == created
    assert refused(service.create_serving_config, request)[0] == 409
    pager = service.list_serving_configs({"parent": store, "page_size": 3})
    pages = [
        [item.name.rpartition("/")[2] for item in page.serving_configs] for page in pager.pages
    ]
    assert pages == [["Mine_1", *IMPLICIT[:2]], IMPLICIT[2:]]
    service.delete_serving_config(name=created.name)
    assert refused(service.get_serving_config, name=created.name)[0] == 404
    assert refused(service.delete_serving_config, name=created.name)[0] == 404


@pytest.mark.parametrize("id_", IMPLICIT)
def test_implicit_configs_are_neither_created_nor_deleted(beta, store, id_):
    service = beta.serving_config
    name = f"{store}/servingConfigs/{id_}"
    service.update_serving_config(serving_config={"name": name, "display_name": "x"})
    code, message = refused(service.delete_serving_config, name=name)
    assert (code, "cannot be deleted" in message) == (400, True)
    config = {"display_name": "x", "solution_type": SEARCH}
    request = {"parent": store, "serving_config": config, "serving_config_id": id_}
    assert refused(service.create_serving_config, request)[0] == 409


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"serving_config_id": "abc"}, 400, "4 to 63 characters"),
        ({"serving_config": {"solution_type": SEARCH}}, 400, "display_name: is empty"),
        ({"serving_config": {"display_name": "x"}}, 400, "solution_type: is required"),
        ({"boost_control_ids": ["none"]}, 400, '"none" is no control of'),
        ({"filter_control_ids": ["x"] * 21}, 400, "has 21 controls; at most 20"),
        ({"redirect_control_ids": ["x"] * 101}, 400, "at most 100"),
        ({"ignore_control_ids": ["x"]}, 501, "ignore_control_ids"),
        ({"promote_control_ids": ["x"]}, 501, "promote_control_ids"),
    ],
)
def test_a_wrong_config(beta, store, change, code, words):
    request = {
        "parent": store,
        "serving_config": {"display_name": "x", "solution_type": SEARCH},
        "serving_config_id": "mine",
    }
    if next(iter(change)).endswith("control_ids"):
        change = {"serving_config": request["serving_config"] | change}
    found, message = refused(beta.serving_config.create_serving_config, request | change)
    assert (found, words in message) == (code, True), message


def test_a_control_must_do_what_the_list_is_for(beta, store):
    control = beta.make_control(store, filter_action={"filter": FILTER}).name.rpartition("/")[2]
    config = {"name": f"{store}/servingConfigs/default_search", "boost_control_ids": [control]}
    code, message = refused(beta.serving_config.update_serving_config, serving_config=config)
    assert (code, "has no boostAction" in message) == (400, True)
    twice = {"name": config["name"], "filter_control_ids": [control, control]}
    code, message = refused(beta.serving_config.update_serving_config, serving_config=twice)
    assert (code, "is there twice" in message) == (400, True)


def test_the_solution_type_of_a_config_stays(beta, store):
    name = f"{store}/servingConfigs/default_search"
    change = {"name": name, "solution_type": "SOLUTION_TYPE_CHAT"}
    assert refused(beta.serving_config.update_serving_config, serving_config=change)[0] == 400


def test_a_control_from_creation_to_deletion(clients, owner):
    service = clients.control
    request = {
        "parent": owner,
        "control_id": "rule",
        "control": {
            "display_name": "Rule",
            "solution_type": SEARCH,
            "use_cases": ["SEARCH_USE_CASE_SEARCH"],
            "redirect_action": {"redirect_uri": "https://example.com/"},
            "conditions": [{"query_terms": [{"value": "help", "full_match": True}]}],
        },
    }
    created = service.create_control(request)
    assert created.name == f"{owner}/controls/rule"
    assert refused(service.create_control, request)[0] == 409
    assert service.get_control(name=created.name) == created
    assert list(service.list_controls(parent=owner)) == [created]
    updated = service.update_control(
        control={"name": created.name, "redirect_action": {"redirect_uri": "https://example.org/"}},
        update_mask={"paths": ["redirect_action.redirect_uri"]},
    )
    assert updated.redirect_action.redirect_uri == "https://example.org/"
    assert updated.conditions == created.conditions

    config = f"{owner}/servingConfigs/default_search"
    clients.serving_config.update_serving_config(
        serving_config={"name": config, "redirect_control_ids": ["rule"]}
    )
    assert list(service.get_control(name=created.name).associated_serving_config_ids) == [
        "default_search"
    ]
    listed = next(iter(service.list_controls(parent=owner)))
    assert list(listed.associated_serving_config_ids) == ["default_search"]
    code, message = refused(service.delete_control, name=created.name)
    assert (code, "default_search" in message) == (400, True)
    other = {"name": created.name, "synonyms_action": {"synonyms": ["a", "b"]}}
    assert refused(service.update_control, control=other)[0] == 400
    clients.serving_config.update_serving_config(
        serving_config={"name": config}, update_mask={"paths": ["redirect_control_ids"]}
    )
    service.delete_control(name=created.name)
    assert refused(service.get_control, name=created.name)[0] == 404
    assert refused(service.list_controls, parent=f"{owner}x")[0] == 404


def test_data_stores_of_actions(beta, store):
    id_ = store.rpartition("/")[2]
    engine = beta.make_engine(id_).name
    short = store.replace("/collections/default_collection", "")
    control = beta.make_control(engine, filter_action={"filter": FILTER, "data_store": short})
    assert control.filter_action.data_store == store
    assert (
        beta.make_control(store, boost_action={"filter": FILTER}).boost_action.data_store == store
    )
    other = beta.make_data_store().name
    action = {"filter": FILTER, "data_store": other}
    code, message = refused(beta.make_control, engine, filter_action=action)
    assert (code, "does not belong to" in message) == (400, True)
    code, message = refused(beta.make_control, engine, filter_action={"filter": FILTER})
    assert (code, "filter_action.data_store" in message) == (400, True)


CURVE = {
    "field_name": "price",
    "attribute_type": "NUMERICAL",
    "control_points": [{"attribute_value": "1", "boost_amount": 0.5}],
}


def test_a_boost_that_follows_a_field(beta, store):
    action = {"filter": FILTER, "interpolation_boost_spec": CURVE}
    control = beta.make_control(store, boost_action=action)
    points = control.boost_action.interpolation_boost_spec.control_points
    assert points[0].boost_amount == 0.5


@pytest.mark.parametrize(
    ("control", "code", "words"),
    [
        ({}, 400, "control.boost_action: is not set"),
        ({"display_name": ""}, 400, "control.display_name"),
        ({"solution_type": 0}, 400, "control.solution_type"),
        ({"boost_action": {"filter": FILTER, "fixed_boost": 1.5}}, 400, "1.5 must be from -1 to 1"),
        ({"boost_action": {"filter": FILTER, "boost": -2}}, 400, "boost_action.boost: -2"),
        ({"boost_action": {"boost": 1}}, 400, "boost_action.filter: is empty"),
        ({"filter_action": {"filter": "lang ANY"}}, 400, "filter_action.filter"),
        ({"filter_action": {"filter": "x" * 5001}}, 400, "has 5,001 characters"),
        ({"redirect_action": {}}, 400, "redirect_uri: has 0 characters"),
        ({"redirect_action": {"redirect_uri": "x" * 2001}}, 400, "has 2,001 characters"),
        ({"synonyms_action": {"synonyms": ["a"]}}, 400, "has 1 terms; it must have 2 to 100"),
        ({"synonyms_action": {"synonyms": ["a", ""]}}, 400, "synonyms[1]: has 0 characters"),
        ({"synonyms_action": {"synonyms": ["a", "A "]}}, 400, '"a" is there twice'),
        ({"synonyms_action": {"synonyms": [str(n) for n in range(101)]}}, 400, "has 101 terms"),
        ({"promote_action": {"data_store": "x"}}, 501, "promote_action"),
        (
            {
                "boost_action": {
                    "filter": FILTER,
                    "interpolation_boost_spec": {**CURVE, "field_name": ""},
                }
            },
            400,
            "field_name: is empty",
        ),
        (
            {
                "boost_action": {
                    "filter": FILTER,
                    "interpolation_boost_spec": {**CURVE, "attribute_type": 0},
                }
            },
            400,
            "must be NUMERICAL or FRESHNESS",
        ),
        (
            {
                "boost_action": {
                    "filter": FILTER,
                    "interpolation_boost_spec": {
                        **CURVE,
                        "attribute_type": "FRESHNESS",
                        "control_points": [{"attribute_value": "P"}],
                    },
                }
            },
            400,
            '"P" must be a duration',
        ),
    ],
)
def test_a_wrong_control(beta, store, control, code, words):
    found, message = refused(beta.make_control, store, **control)
    assert (found, words in message) == (code, True), message


@pytest.mark.parametrize(
    ("condition", "code", "words"),
    [
        ({"query_terms": [{"value": "Help"}]}, 400, "must be in lower case"),
        ({"query_terms": [{"value": " "}]}, 400, "must have 1 to 5,000"),
        ({"query_terms": [{"value": "a b c d", "full_match": True}]}, 400, "has 4 words"),
        ({"query_terms": [{"value": "a"}] * 11}, 400, "has 11 items; at most 10"),
        ({"query_regex": "a+"}, 501, "query_regex"),
        (
            {
                "active_time_range": [
                    {
                        "start_time": datetime(2027, 1, 1, tzinfo=UTC),
                        "end_time": datetime(2026, 1, 1, tzinfo=UTC),
                    }
                ]
            },
            400,
            "is before start_time",
        ),
    ],
)
def test_a_wrong_condition(beta, store, condition, code, words):
    action = {"synonyms_action": {"synonyms": ["a", "b"]}}
    found, message = refused(beta.make_control, store, **action, conditions=[condition])
    assert (found, words in message) == (code, True), message
    found, _ = refused(beta.make_control, store, **action, conditions=[{}, {}])
    assert found == 400


def test_controls_are_paged_and_not_filtered(beta, store):
    for id_ in ("b", "a", "c"):
        beta.control.create_control(
            parent=store,
            control={
                "display_name": "x",
                "solution_type": SEARCH,
                "synonyms_action": {"synonyms": ["a", "b"]},
            },
            control_id=id_,
        )
    pager = beta.control.list_controls({"parent": store, "page_size": 2})
    pages = [[item.name[-1] for item in page.controls] for page in pager.pages]
    assert pages == [["a", "b"], ["c"]]
    assert refused(beta.control.list_controls, {"parent": store, "filter": "x"})[0] == 400


def test_controls_of_a_serving_config(beta, store, resource_records):
    ids = {
        "boost": beta.make_control(store, boost_action={"filter": FILTER, "fixed_boost": 0.5}),
        "filter": beta.make_control(store, filter_action={"filter": FILTER}),
        "filter_2": beta.make_control(store, filter_action={"filter": FILTER}),
    }
    ids = {key: control.name.rpartition("/")[2] for key, control in ids.items()}
    name = f"{store}/servingConfigs/default_config"
    with resource_records.read() as transaction:
        assert controls_of(transaction, name) == ()
        with pytest.raises(NotFound):
            controls_of(transaction, f"{store}/servingConfigs/none")
    beta.serving_config.update_serving_config(
        serving_config={
            "name": name,
            "boost_control_ids": [ids["boost"]],
            "filter_control_ids": [ids["filter_2"], ids["filter"]],
        }
    )
    with resource_records.read() as transaction:
        found = controls_of(transaction, name)
    assert [control.id for control in found] == [ids["filter_2"], ids["filter"], ids["boost"]]
    assert found[-1].fields["boostAction"] == {
        "filter": FILTER,
        "dataStore": store,
        "fixedBoost": 0.5,
    }


NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("conditions", "query", "expected"),
    [
        ([], "anything", True),
        ([{}], "anything", True),
        ([{"queryTerms": [{"value": "red  car"}]}], "a Red or blue car", False),
        ([{"queryTerms": [{"value": "red car"}]}], "(a Red car?)", True),
        ([{"queryTerms": [{"value": "c++"}]}], "is it C++?", True),
        ([{"queryTerms": [{"value": "c++"}]}], "is it C?", False),
        ([{"queryTerms": [{"value": "red  car"}]}], "a Red  car now", True),
        ([{"queryTerms": [{"value": "car"}]}], "a carpet", False),
        ([{"queryTerms": [{"value": "red car", "fullMatch": True}]}], " RED car ", True),
        ([{"queryTerms": [{"value": "red car", "fullMatch": True}]}], "red car now", False),
        ([{"queryTerms": [{"value": "x"}, {"value": "y"}]}], "y", True),
        ([{"activeTimeRange": [{"startTime": "2026-06-01T12:00:00Z"}]}], "x", True),
        ([{"activeTimeRange": [{"endTime": "2026-06-01T12:00:00Z"}]}], "x", True),
        ([{"activeTimeRange": [{"endTime": "2026-06-01T11:59:59.123456789Z"}]}], "x", False),
        ([{"activeTimeRange": [{"startTime": "2027-01-01T00:00:00Z"}]}], "x", False),
        (
            [
                {
                    "queryTerms": [{"value": "x"}],
                    "activeTimeRange": [{"endTime": "2020-01-01T00:00:00Z"}],
                }
            ],
            "x",
            False,
        ),
    ],
)
def test_when_a_control_is_triggered(conditions, query, expected):
    control = Control(parent=COLLECTION, id=new_id("c"), fields={"conditions": conditions})
    assert is_triggered(control, query=query, now=NOON) is expected
