"""Path, query and body to one request: tests/apis/data/transcoding.json."""

from __future__ import annotations

import re

import pytest

from tests.apis.conftest import cases, violations
from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.aip.routing import RouteMatch, Router
from toulmin.apis.aip.transcoding import ResponseOptions, parse_request, response_options
from toulmin.errors import InvalidArgument

CASES = cases("transcoding.json")
ACCEPTED = [case for case in CASES if "message" in case.values[0]]
REFUSED = [case for case in CASES if "violations" in case.values[0]]


@pytest.fixture(scope="module")
def router(schema):
    return Router(schema)


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(case, schema, router):
    match = router.match(case["method"], case["path"])
    assert match is not None
    assert match.rpc.full_name.endswith(case["rpc"])
    message = parse_request(match, case["query"], case["body"].encode(), schema)
    assert message.DESCRIPTOR.full_name == match.rpc.input_type
    assert to_json_value(message, enums_as_ints=False) == case["message"]


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case, schema, router):
    match = router.match(case["method"], case["path"])
    with pytest.raises(InvalidArgument) as caught:
        parse_request(match, case["query"], case["body"].encode(), schema)
    assert violations(caught.value) == case["violations"]


def test_every_rule_binds_its_path_and_its_body(schema):
    """Any name in a path template or a body selector is a field that can be bound."""
    for rpc in schema.rpcs.values():
        for rule in rpc.rules:
            names = re.findall(r"\{([^}=]+)", rule.template)
            match = RouteMatch(rpc, rule, dict.fromkeys(names, "1"))
            message = parse_request(match, "", b"{}" if rule.body else b"", schema)
            for name in names:
                value = message
                for part in name.split("."):
                    value = getattr(value, part)
                assert str(value) == "1", (rpc.full_name, name)


def test_a_call_without_body_refuses_one(schema, router):
    match = router.match("GET", "/v1/projects/p/locations/l/dataStores/d/sessions")
    assert parse_request(match, "", b"{}", schema).parent
    with pytest.raises(InvalidArgument, match="takes no body"):
        parse_request(match, "", b'{"pageSize":1}', schema)


def test_a_query_cannot_nest_deeper_than_a_body(schema, router):
    match = router.match("POST", "/v1beta/projects/p/locations/l/apps/a/tools")
    assert match is not None
    name = ".".join(["tool", "clientFunction", "parameters"] + ["items"] * 5_000) + ".title"
    with pytest.raises(InvalidArgument, match="At most 100 levels"):
        parse_request(match, f"{name}=x", b"{}", schema)


def test_a_query_with_too_many_parameters_is_refused(schema, router):
    match = router.match("GET", "/v1/projects/p/locations/l/dataStores/d/sessions")
    with pytest.raises(InvalidArgument, match="1,000"):
        parse_request(match, "&".join(f"$x{n}=1" for n in range(2_000)), b"", schema)


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", ResponseOptions()),
        ("%24alt=json%3Benum-encoding%3Dint", ResponseOptions(enums_as_ints=True)),
        ("$alt=json;enum-encoding=int&alt=sse", ResponseOptions(enums_as_ints=True, sse=True)),
        ("alt=sse", ResponseOptions(sse=True)),
        ("prettyPrint=true", ResponseOptions(pretty=True)),
        ("$prettyPrint=1", ResponseOptions(pretty=True)),
        ("prettyPrint=false", ResponseOptions()),
        ("alt=media&%ff=%ff&&=", ResponseOptions()),
    ],
)
def test_response_options(query, options):
    assert response_options(query) == options
