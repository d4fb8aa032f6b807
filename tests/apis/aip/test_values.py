import gzip

import pytest

from toulmin.apis.aip.json_text import read_json
from toulmin.apis.aip.values import MAX_VALUES, check_json_values, check_wire_values
from toulmin.apis.schema import load_schema
from toulmin.errors import InvalidArgument

CHECK = "google.cloud.discoveryengine.v1.CheckGroundingRequest"


def check_request():
    return load_schema().message_class(CHECK)


def test_a_bomb_of_small_values_is_refused_before_it_is_parsed():
    packed = gzip.compress(b'{"facts":[' + b"{}," * 10_000_000 + b"{}]}")
    assert len(packed) < 60_000
    body = gzip.decompress(packed)
    with pytest.raises(
        InvalidArgument, match=r"about 20,000,003 values; at most 500,000"
    ) as caught:
        read_json(body)
    assert caught.value.reason == "TOO_MANY_VALUES"


@pytest.mark.parametrize("one", [b"1", b"[]", b'{"a":1}', b'""'])
def test_values_of_every_kind_count(one):
    with pytest.raises(InvalidArgument, match="values"):
        check_json_values(b"[" + b",".join([one] * (MAX_VALUES + 1)) + b"]")


def test_commas_inside_strings_are_no_values():
    check_json_values(b'{"a": "' + b',[{\\"' * MAX_VALUES + b'"}')


def test_the_limit_itself_is_allowed():
    check_json_values(b"[" + b"1," * (MAX_VALUES - 2) + b"1]")


@pytest.mark.parametrize(
    "data",
    [
        b"\x1a\x00" * 15_000_000,  # facts
        b"\x1a\x06\x12\x04\x0a\x00\x12\x00" * 4_000_000,  # attributes of facts
    ],
)
def test_a_bomb_of_empty_messages_is_refused_before_it_is_parsed(data):
    with pytest.raises(InvalidArgument, match=r"more than 500,000 values"):
        check_wire_values(data, check_request().DESCRIPTOR)


def test_a_large_message_of_few_values_passes():
    request = check_request()(answer_candidate="a" * 3_000_000)
    for _ in range(1000):
        request.facts.add(fact_text="b" * 1000)
    check_wire_values(request.SerializeToString(), request.DESCRIPTOR)


@pytest.mark.parametrize("data", [b"\xff" * 2_000_000, b"\x1b" * 2_000_000, b"\x1a\xff" * 999_999])
def test_what_is_no_message_is_left_to_the_parser(data):
    check_wire_values(data, check_request().DESCRIPTOR)
