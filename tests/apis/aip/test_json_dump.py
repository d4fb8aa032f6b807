"""Responses as Google's servers write them: tests/apis/data/json_responses.json."""

from __future__ import annotations

import json

import orjson
import pytest
from google.protobuf import json_format, text_format

from tests.apis.conftest import cases
from toulmin.apis.aip.json_dump import dump_json, write_double, write_float

RESPONSES = cases("json_responses.json")


def message_of(case, schema, message_class):
    message = message_class(case["type"])()
    text_format.Parse(case["text"], message, descriptor_pool=schema.pool)
    return message


@pytest.mark.parametrize("case", RESPONSES)
def test_written(case, schema, message_class):
    message = message_of(case, schema, message_class)
    assert dump_json(message, enums_as_ints=False).decode() == case["json"]
    wanted = case.get("json_with_ints", case["json"])
    assert dump_json(message, enums_as_ints=True).decode() == wanted


@pytest.mark.parametrize("case", RESPONSES)
def test_an_ordinary_parser_reads_the_same_message(case, schema, message_class):
    message = message_of(case, schema, message_class)
    read = message_class(case["type"])()
    json_format.Parse(dump_json(message, enums_as_ints=True), read, descriptor_pool=schema.pool)
    assert str(read) == str(message)  # not ==: NaN is no NaN


def test_an_any_of_an_unknown_type_is_our_mistake(message_class):
    status = message_class("rpc.Status")()
    status.details.add(type_url="type.googleapis.com/nobody.Knows")
    with pytest.raises(ValueError, match=r"nobody\.Knows"):
        dump_json(status, enums_as_ints=False)


def test_every_32_bit_score_reads_back(message_class):
    response_class = message_class("discoveryengine.v1.CheckGroundingResponse")
    for step in range(1_000):
        message = response_class(support_score=step / 999)
        written = dump_json(message, enums_as_ints=False)
        value = orjson.loads(written)["supportScore"]
        assert response_class(support_score=value) == message
        assert len(json.dumps(value)) <= 12


@pytest.mark.parametrize("write", [write_double, write_float])
def test_a_zero_keeps_its_sign(write):
    assert [orjson.dumps(write(value)) for value in (0.0, -0.0, -1.0)] == [b"0", b"-0.0", b"-1"]
