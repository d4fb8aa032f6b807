"""Every rule of the contract is routable, and nothing else is."""

from __future__ import annotations

import re

import pytest

from toulmin.apis.aip.routing import PathTemplate, Router
from toulmin.apis.schema import load_schema

VARIABLE = re.compile(r"\{[^}=]+(?:=([^}]+))?\}")

# These exist in two services under the same templates; the first in the contract answers REST.
TWINS = {
    f"google.cloud.discoveryengine.{version}.SessionService.{method}": (
        f"google.cloud.discoveryengine.{version}.ConversationalSearchService.{method}"
    )
    for version in ("v1", "v1beta", "v1alpha")
    for method in ("CreateSession", "DeleteSession", "GetSession", "ListSessions", "UpdateSession")
}


@pytest.fixture(scope="module")
def router(schema):
    return Router(schema)


def filled(template, segment):
    """Return a path of a template, each `*` a `segment` and each `**` two of them."""
    shape = VARIABLE.sub(lambda found: found[1] or "*", template)
    return shape.replace("**", f"{segment}/{segment}").replace("*", segment)


@pytest.mark.parametrize("segment", ["x", "x%3Acheck", "a%2Fb", "1.5-é_~"])
def test_every_rule_leads_to_its_own_rpc(segment, schema, router):
    count = 0
    for rpc in schema.rpcs.values():
        for rule in rpc.rules:
            count += 1
            found = router.match(rule.verb, filled(rule.template, segment))
            assert found is not None, rule
            assert found.rpc.full_name == TWINS.get(rpc.full_name, rpc.full_name), rule
            assert found.rule.template == rule.template
    assert count > 1_000


def test_every_rpc_but_the_bidirectional_ones_and_the_twins_is_reachable(schema, router):
    reached = {
        router.match(rule.verb, filled(rule.template, "x")).rpc.full_name
        for rpc in schema.rpcs.values()
        for rule in rpc.rules
    }
    missing = {rpc.full_name: rpc for rpc in schema.rpcs.values() if rpc.full_name not in reached}
    assert {name for name, rpc in missing.items() if rpc.kind != "bidi"} == set(TWINS)
    assert all(not rpc.rules for rpc in missing.values() if rpc.kind == "bidi")


def test_path_fields_are_set_under_their_own_names(schema, router):
    for rpc in schema.rpcs.values():
        for rule in rpc.rules:
            names = re.findall(r"\{([^}=]+)", rule.template)
            found = router.match(rule.verb, filled(rule.template, "x"))
            assert list(found.path_fields) == names


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", ""),
        ("GET", "v1/projects/p/locations/l"),
        ("POST", "/v1/projects/p/locations/l/groundingConfigs/c:chekc"),
        ("POST", "/v1/projects/p/locations/l/groundingConfigs/c"),
        ("POST", "/v1/projects/p/locations/l/groundingConfigs/:check"),
        ("POST", "/v1/projects//locations/l/groundingConfigs/c:check"),
        ("POST", "/v1/projects/p/locations/l/groundingConfigs/c:check/"),
        ("POST", "/v2/projects/p/locations/l/groundingConfigs/c:check"),
        ("GET", "/v1/projects/p/locations/l/groundingConfigs/c:check"),
        ("BREW", "/v1/projects/p/locations/l/groundingConfigs/c:check"),
        ("POST", "/v1/projects/p/locations/l/groundingConfigs/c%3Acheck"),
        ("GET", "/v1/operations/"),
        ("GET", "/v1/operations/" + "a/" * 100_000),
    ],
)
def test_nothing_else_matches(method, path, router):
    assert router.match(method, path) is None


def test_the_methods_of_a_path(router):
    session = "/v1/projects/p/locations/l/dataStores/d/sessions/s"
    assert router.allowed_methods(session) == ["DELETE", "GET", "PATCH"]
    assert router.allowed_methods("/v1/nothing") == []


def test_a_name_of_several_segments_keeps_encoded_slashes(router):
    found = router.match("GET", "/v1/projects/a%2fb/locations/%2525/dataStores/d/sessions/s")
    assert found.path_fields == {"name": "projects/a%2fb/locations/%25/dataStores/d/sessions/s"}


def test_a_template_with_a_partial_wildcard_is_refused():
    with pytest.raises(ValueError, match="unsupported path template"):
        PathTemplate.parse("/v1/{name=projects/a*}")


def test_one_variable_is_one_decoded_segment():
    template = PathTemplate.parse("/v1/{name}/things/{other=**}:go")
    assert template.verb == "go"
    parts = ["v1", "a%2Fb", "things", "c", "d"]
    assert template.widened(len(parts)).fields(parts) == {"name": "a/b", "other": "c/d"}


def test_what_is_no_word_of_a_path_is_not_shown():
    router = Router(load_schema())
    path = "/v1/projects/p/locations/global/dataStores/key=AIza123:check"
    assert router.known_words(path) == "/v1/projects/*/locations/*/dataStores/*:check"
    assert router.known_words("/AIza123") == "/*"
    assert router.known_words("/healthz") == "/healthz"
