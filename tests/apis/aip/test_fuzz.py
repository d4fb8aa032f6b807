"""Whatever comes in, only `InvalidArgument` comes out."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toulmin.apis.aip.json_dump import dump_json
from toulmin.apis.aip.json_parse import json_parser
from toulmin.apis.aip.names import ResourcePattern, parse_name
from toulmin.apis.aip.routing import Router
from toulmin.apis.aip.status import error_body, to_status
from toulmin.apis.aip.transcoding import parse_request, response_options
from toulmin.apis.schema import load_schema
from toulmin.errors import InvalidArgument

SCHEMA = load_schema()
ROUTER = Router(SCHEMA)
PREFIX = "google.cloud.discoveryengine.v1."
TYPES = [
    SCHEMA.message_class(name)
    for name in (
        PREFIX + "CheckGroundingRequest",
        PREFIX + "Document",
        PREFIX + "UserEvent",
        PREFIX + "RecommendRequest",
        PREFIX + "ImportDocumentsRequest",
        "google.cloud.ces.v1.RunSessionRequest",
        "google.ai.generativelanguage.v1beta.GenerateContentRequest",
        "google.rpc.Status",
    )
]


def field_names(descriptor, depth=3):
    """Return the names of a type and of the types below it."""
    found = set()
    for field in descriptor.fields:
        found.update((field.name, field.json_name))
        if field.message_type is not None and depth:
            found |= field_names(field.message_type, depth - 1)
    return found


NAMES = sorted({"@type", "value"}.union(*(field_names(found.DESCRIPTOR) for found in TYPES)))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(
        [
            "true",
            "NaN",
            "1e5",
            "-0",
            "2024-01-01T00:00:00Z",
            "9999-12-31T23:59:59-23:59",
            "1.000000001s",
            "a_b,cD",
            "AAAA",
            "IN_PROGRESS",
            "type.googleapis.com/google.protobuf.Struct",
            "type.googleapis.com/google.protobuf.Any",
            "type.googleapis.com/google.rpc.ErrorInfo",
        ]
    ),
)
KEYS = st.one_of(st.sampled_from(NAMES), st.text(max_size=5))
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=6)),
    max_leaves=20,
)


def read(body, message_class):
    """Return the message, or None after a proper refusal that can be sent."""
    try:
        return json_parser(SCHEMA).parse(body, message_class)
    except InvalidArgument as error:
        refusal = error
    assert refusal.violations
    error_body(to_status(refusal))
    return None


def shaped(descriptor, depth=3):
    """Return a strategy of objects whose names all exist, with values that mostly fit."""
    fields = {}
    for field in descriptor.fields:
        message = field.message_type
        value = SCALARS
        if message is not None and depth and not message.full_name.startswith("google.protobuf"):
            value = shaped(message, depth - 1) if not message.GetOptions().map_entry else JSON
        elif message is not None:
            value = JSON
        fields[field.json_name] = st.lists(value, max_size=2) if field.is_repeated else value
    keys = sorted(fields)
    return (
        st.lists(st.sampled_from(keys), max_size=3, unique=True).flatmap(
            lambda names: st.fixed_dictionaries({name: fields[name] for name in names})
        )
        if keys
        else st.just({})
    )


@given(st.binary(max_size=60), st.sampled_from(TYPES))
@settings(max_examples=300, deadline=None)
def test_any_bytes(body, message_class):
    read(body, message_class)


@given(st.text(alphabet='{}[],:"\\ \nau0198.e-', max_size=40), st.sampled_from(TYPES))
@settings(max_examples=300, deadline=None)
def test_text_that_is_almost_json(text, message_class):
    read(text.encode(), message_class)


@given(JSON, st.sampled_from(TYPES))
@settings(max_examples=150, deadline=None)
def test_any_json(value, message_class):
    read(json.dumps(value).encode(), message_class)


@pytest.mark.parametrize("message_class", TYPES, ids=lambda found: found.DESCRIPTOR.name)
def test_objects_of_the_right_shape_survive_a_round_trip(message_class):
    @given(shaped(message_class.DESCRIPTOR))
    @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
    def check(value):
        message = read(json.dumps(value).encode(), message_class)
        if message is not None:
            again = read(dump_json(message, enums_as_ints=True), message_class)
            assert str(again) == str(message)

    check()


@given(st.lists(st.sampled_from("abc"), max_size=5), st.text(alphabet=" \n,", max_size=3))
@settings(max_examples=100, deadline=None)
def test_a_trailing_comma_changes_nothing(items, space):
    text = json.dumps({"structData": {"items": items}})[:-3]
    plain = read(text.encode() + b"]}}", TYPES[1])
    comma = "," if items else ""
    lenient = read(f"{text}{comma} ]{space.replace(',', '')},}},}}".encode(), TYPES[1])
    assert lenient == plain


@given(st.text(max_size=80), st.text(max_size=40), st.binary(max_size=20))
@settings(max_examples=300, deadline=None)
def test_any_path_and_query(path, query, body):
    for candidate in (path, "/" + path, f"/v1/projects/p/locations/{path}/dataStores/d/sessions"):
        for method in ("GET", "POST"):
            match = ROUTER.match(method, candidate)
            ROUTER.allowed_methods(candidate)
            response_options(query)
            if match is not None:
                try:
                    parse_request(match, query, body, SCHEMA)
                except InvalidArgument as error:
                    error_body(to_status(error))


RULES = [(rpc, rule) for rpc in SCHEMA.rpcs.values() for rule in rpc.rules]
QUERIES = st.lists(
    st.tuples(
        st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(".".join),
        st.one_of(st.text(max_size=8), st.sampled_from(["1", "true", "a,b", "%ff"])),
    ),
    max_size=4,
).map(lambda pairs: "&".join(f"{name}={value}" for name, value in pairs))


@given(st.sampled_from(RULES), QUERIES, JSON)
@settings(max_examples=150, deadline=None)
def test_any_request_to_any_rpc(row, query, value):
    _, rule = row
    shape = re.sub(r"\{[^}=]+(?:=([^}]+))?\}", lambda found: found[1] or "*", rule.template)
    match = ROUTER.match(rule.verb, shape.replace("**", "a/b").replace("*", "7"))
    try:
        parse_request(match, query, json.dumps(value).encode(), SCHEMA)
    except InvalidArgument as error:
        error_body(to_status(error))


PATTERN = "projects/{project}/dataStores/{data_store}"
IDS = st.text(
    st.characters(exclude_categories=("C", "Z"), exclude_characters="/"), min_size=1, max_size=20
)


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_as_a_name(text):
    try:
        found = parse_name(text, PATTERN, field="name")
    except InvalidArgument as error:
        refusal = error
    else:
        assert str(found) == text
        return
    assert refusal.violations[0].field == "name"


@given(IDS, IDS)
@settings(max_examples=150, deadline=None)
def test_any_ids_make_a_name_that_comes_apart_again(project, data_store):
    name = ResourcePattern.of(PATTERN).format(project=project, data_store=data_store)
    found = parse_name(name, PATTERN, field="name")
    assert found.ids == {"project": project, "data_store": data_store}
