"""Descriptions in OpenAPI that are no more than bytes: read, or refused by field, and in time."""

from __future__ import annotations

import json

import pytest

from toulmin.conversation.json_schemas import Parts, api_schema
from toulmin.conversation.openapi import MOST_PARTS, operations_of
from toulmin.errors import InvalidArgument

HEAD = {"openapi": "3.0.0", "servers": [{"url": "https://a.example"}]}


def read(value):
    text = value if isinstance(value, str) else json.dumps({**HEAD, **value})
    return operations_of(text, field_name="schema")


def endless(names):
    """Return a schema that holds itself under each of some names."""
    return {"properties": {name: {"$ref": "#/X"} for name in names}}


def posted(schema):
    return {"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}}}}


@pytest.mark.parametrize(
    "item",
    [
        {"get": {"parameters": 5}},
        {"get": {"parameters": None}},
        {"get": {"parameters": [3, {"in": "query", "name": {"a": 1}}]}, "parameters": "x"},
        {"post": {"requestBody": [1]}},
        {"post": {"requestBody": {"content": "x"}}},
        {"post": {"requestBody": {"content": {"application/json": None}}}},
        posted({"properties": {"a": 1}, "required": True})["/a"],
    ],
)
def test_what_is_of_another_type_is_left_out(item):
    (operation,) = read({"paths": {"/a": item}})
    assert operation.url == "https://a.example/a"


@pytest.mark.parametrize("servers", [5, {}, [], ["x"], [{"url": 3}], [{"url": "http://["}]])
def test_a_server_must_have_an_address(servers):
    with pytest.raises(InvalidArgument, match="must be an http or https URL"):
        read({"paths": {}, "servers": servers})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, "nested too deeply"),
        ("{a: " * 5_000, "nested too deeply"),
        ("a: !!python/none x", "neither JSON nor YAML"),
        ("a: !!binary YQ==", "neither JSON nor YAML"),
        ("x: 1\n" * 200_001, "YAML may have 1,000,000"),
    ],
)
def test_what_is_no_description_is_refused(text, words):
    with pytest.raises(InvalidArgument, match=words):
        read(text)


def test_mappings_merged_again_and_again_are_counted():
    lines = ["a0: &a0 {k: 1}"]
    lines += [f"a{n}: &a{n}\n  <<: [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    with pytest.raises(InvalidArgument, match="keys are merged"):
        read("\n".join(lines))


def test_yaml_says_what_json_can():
    text = """
openapi: 3.0.0
servers: [{url: "http://a"}]
paths:
  7:
    get:
      parameters: [{name: day, in: query, schema: {type: string, enum: [2024-01-01]}}]
"""
    (operation,) = read(text)
    assert operation.url == "http://a7"
    assert operation.parameters["properties"]["day"]["enum"] == ["2024-01-01"]


def test_a_schema_that_holds_itself_stops_at_its_depth():
    (operation,) = read({"X": endless("a"), "paths": posted({"$ref": "#/X"})})
    assert operation.parameters["properties"]["a"]["properties"]["a"]["properties"]


def test_a_schema_that_holds_itself_in_many_places_is_refused():
    with pytest.raises(InvalidArgument, match=f"over {MOST_PARTS:,} parameters"):
        read({"X": endless("abcdefgh"), "paths": posted({"$ref": "#/X"})})


def test_of_a_schema_no_more_is_read_than_there_are_parts():
    whole = {"X": endless("abcdefgh")}
    found = api_schema(whole, {"$ref": "#/X"}, Parts(100))
    assert json.dumps(found).count('"properties"') <= 100
    assert set(found["properties"]) == set("abcdefgh")
