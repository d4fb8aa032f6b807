import pytest

from toulmin.domain import Schema
from toulmin.errors import InvalidArgument
from toulmin.ingestion.struct_schema import MAX_DEPTH, check_schema, check_struct

BOOK = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "keyPropertyMapping": "title", "retrievable": True},
        "pages": {"type": "integer", "indexable": True},
        "price": {"type": "number"},
        "sold": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "author": {"type": "object", "properties": {"born": {"type": "datetime"}}},
        "place": {"type": "geolocation"},
        "either": {"type": ["string", "integer"]},
        "anything": {},
    },
}


def schema_of(json_schema):
    return Schema(parent="p", id="s", json_schema=json_schema)


def test_a_schema_with_every_type_is_right():
    check_schema(BOOK, field="schema")


def nested(levels):
    node = {"type": "string"}
    for _ in range(levels):
        node = {"type": "object", "properties": {"x": node}}
    return node


@pytest.mark.parametrize(
    ("json_schema", "place"),
    [
        ({}, "schema"),
        ({"type": "array"}, "schema"),
        ({"type": "object", "properties": []}, "schema.properties"),
        ({"type": "object", "properties": {"a": "string"}}, "schema.properties.a"),
        ({"type": "object", "properties": {"a": {"type": "text"}}}, "schema.properties.a.type"),
        (
            {"type": "object", "properties": {"a": {"type": "array", "items": {"type": 3}}}},
            "schema.properties.a.items.type",
        ),
        (
            {"type": "object", "properties": {"a": {"type": "string", "indexable": "yes"}}},
            "schema.properties.a.indexable",
        ),
        (
            {"type": "object", "properties": {"a": {"keyPropertyMapping": 1}}},
            "schema.properties.a.keyPropertyMapping",
        ),
    ],
)
def test_a_wrong_schema_is_refused_with_its_place(json_schema, place):
    with pytest.raises(InvalidArgument) as caught:
        check_schema(json_schema, field="schema")
    assert caught.value.violations[0].field == place


def test_depth_has_a_limit():
    check_schema(nested(MAX_DEPTH), field="schema")
    with pytest.raises(InvalidArgument, match="levels deep"):
        check_schema(nested(MAX_DEPTH + 1), field="schema")


@pytest.mark.parametrize(
    "struct",
    [
        None,
        {},
        {"unknown": 1},
        {"title": "x", "pages": 3, "price": 2.5, "sold": False, "tags": ["a"], "either": 1},
        {"pages": 3.0, "price": 3, "title": None, "either": "x", "anything": [1, {}]},
        {"author": {"born": "1879-03-14", "name": 3}},
        {"author": {"born": "2020-01-01T00:00:00Z"}, "place": "47.4, 8.5"},
        {"place": {"latitude": 47.4, "longitude": 8.5}},
    ],
)
def test_right_data(struct):
    check_struct(schema_of(BOOK), struct)


@pytest.mark.parametrize(
    ("struct", "place"),
    [
        ({"title": 3}, "struct_data.title"),
        ({"pages": "3"}, "struct_data.pages"),
        ({"pages": 3.5}, "struct_data.pages"),
        ({"pages": True}, "struct_data.pages"),
        ({"price": "dear"}, "struct_data.price"),
        ({"sold": 1}, "struct_data.sold"),
        ({"tags": "a"}, "struct_data.tags"),
        ({"tags": ["a", 2]}, "struct_data.tags[1]"),
        ({"author": {"born": "yesterday"}}, "struct_data.author.born"),
        ({"author": "x"}, "struct_data.author"),
        ({"place": "Zürich"}, "struct_data.place"),
        ({"place": {"latitude": 1}}, "struct_data.place"),
        ({"either": 1.5}, "struct_data.either"),
    ],
)
def test_wrong_data_are_refused_with_their_place(struct, place):
    with pytest.raises(InvalidArgument) as caught:
        check_struct(schema_of(BOOK), struct)
    assert caught.value.violations[0].field == place


def test_an_empty_schema_takes_anything():
    check_struct(schema_of({}), {"a": [1, "x", None]})


def test_the_field_is_the_callers():
    with pytest.raises(InvalidArgument, match=r"document\.json_data\.title: must be string"):
        check_struct(schema_of(BOOK), {"title": 3}, field="document.json_data")
