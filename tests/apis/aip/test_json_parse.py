"""Every JSON quirk that Google's servers honour, as data: tests/apis/data/json_requests.json."""

from __future__ import annotations

import json
import threading

import pytest
from google.protobuf import json_format

from tests.apis.conftest import DATA, cases, violations
from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.aip.json_parse import JsonParser, json_parser
from toulmin.apis.schema import Schema
from toulmin.errors import InvalidArgument

REQUESTS = cases("json_requests.json")
ACCEPTED = [case for case in REQUESTS if "message" in case.values[0]]
REFUSED = [case for case in REQUESTS if "violations" in case.values[0]]
SEED_BODIES = json.loads((DATA / "check_grounding_bodies.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(case, schema, message_class):
    message = json_parser(schema).parse(case["text"].encode(), message_class(case["type"]))
    assert to_json_value(message, enums_as_ints=False) == case["message"]


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_the_words_and_the_fields_of_google(case, schema, message_class):
    with pytest.raises(InvalidArgument) as caught:
        json_parser(schema).parse(case["text"].encode(), message_class(case["type"]))
    found = violations(caught.value)
    assert len(found) == len(case["violations"])
    for (field, description), (wanted_field, wanted) in zip(found, case["violations"], strict=True):
        assert field == wanted_field
        assert description.startswith(wanted)
    assert caught.value.message == "\n".join(description for _, description in found)


def test_what_an_ordinary_parser_takes_is_read_the_same(schema, message_class):
    """Compare with protobuf's own parser wherever that accepts the text."""
    compared = 0
    for case in (case.values[0] for case in ACCEPTED):
        if case["name"] == "null is unset, beside the other spelling":
            continue  # there null wipes out the other value
        message = message_class(case["type"])()
        try:
            json_format.Parse(case["text"], message, descriptor_pool=schema.pool)
        except (json_format.ParseError, TypeError):
            continue  # a leniency of Google's servers that it lacks
        compared += 1
        ours = json_parser(schema).parse(case["text"].encode(), message_class(case["type"]))
        ours_bytes = ours.SerializeToString(deterministic=True)
        assert ours_bytes == message.SerializeToString(deterministic=True), case["name"]
    assert compared >= 25


@pytest.mark.parametrize("version", ["v1", "v1beta", "v1alpha"])
@pytest.mark.parametrize("body", SEED_BODIES, ids=range(len(SEED_BODIES)))
def test_every_body_of_the_guide_is_read_in_every_version(body, version, schema, message_class):
    found = json_parser(schema).parse(
        body.encode(), message_class(f"discoveryengine.{version}.CheckGroundingRequest")
    )
    assert found.answer_candidate == "CANDIDATE"
    assert found.facts or found.grounding_source.search_source


def test_a_body_that_is_not_utf8_names_the_byte(schema, message_class):
    with pytest.raises(InvalidArgument, match="byte 0xff at offset 20 is not"):
        json_parser(schema).parse(
            b'{"answerCandidate":"\xff"}', message_class("discoveryengine.v1.CheckGroundingRequest")
        )


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{"structData":' + '{"a":' * 200 + "1" + "}" * 201, "struct_data"),
        ('{"structData":{"a":' + "[" * 200 + "1" + "]" * 200 + "}}", "struct_data"),
    ],
)
def test_deep_nesting_is_refused(text, field, schema, message_class):
    with pytest.raises(InvalidArgument, match="at most 100 levels of messages") as caught:
        json_parser(schema).parse(text.encode(), message_class("discoveryengine.v1.Document"))
    assert violations(caught.value)[0][0] == field


def test_deep_nesting_of_messages_and_of_any_is_refused(schema, message_class):
    step = '{"@type":"type.googleapis.com/google.protobuf.Any","value":'
    text = '{"details":[' + step * 200 + "{}" + "}" * 200 + "]}"
    with pytest.raises(InvalidArgument, match="at most 100 levels of messages"):
        json_parser(schema).parse(text.encode(), message_class("rpc.Status"))
    text = '{"items":' * 200 + "{}" + "}" * 200
    with pytest.raises(InvalidArgument, match="at most 100 levels of messages"):
        json_parser(schema).parse(
            text.encode(), message_class("ai.generativelanguage.v1beta.Schema")
        )


def test_nesting_that_no_parser_can_follow_is_refused(schema, message_class):
    with pytest.raises(InvalidArgument, match="Invalid JSON payload received"):
        json_parser(schema).parse(
            b"[" * 400_000, message_class("discoveryengine.v1.CheckGroundingRequest")
        )


@pytest.mark.parametrize(("opening", "closing"), [('{"a":', "}"), ("[", "]"), ('[{"a":', "}]")])
def test_what_is_not_too_deep_can_be_sent_on(opening, closing, schema, message_class):
    """The deepest document that is read is one that every protobuf decoder reads."""
    document_class = message_class("discoveryengine.v1.Document")
    read = 0
    for levels in range(1, 60):
        text = '{"structData":{"a":' + opening * levels + "1" + closing * levels + "}}"
        try:
            document = json_parser(schema).parse(text.encode(), document_class)
        except InvalidArgument:
            break
        read = levels
        assert document_class.FromString(document.SerializeToString()) == document
        assert to_json_value(document, enums_as_ints=False) == json.loads(text)
    assert 15 <= read < 59


def test_at_most_sixteen_faults_are_named(schema, message_class):
    text = json.dumps({f"x{number}": 1 for number in range(1_000)})
    with pytest.raises(InvalidArgument) as caught:
        json_parser(schema).parse(
            text.encode(), message_class("discoveryengine.v1.CheckGroundingRequest")
        )
    assert len(caught.value.violations) == 16


def test_an_unclosed_string_full_of_quotes_takes_linear_time(schema, message_class):
    """A body that makes a careless pattern quadratic: 1 MB would take minutes."""
    body = b'{"a":"' + b'\\"' * 500_000
    with pytest.raises(InvalidArgument):
        json_parser(schema).parse(body, message_class("discoveryengine.v1.CheckGroundingRequest"))
    body = b"[" + b", " * 500_000
    with pytest.raises(InvalidArgument):
        json_parser(schema).parse(body, message_class("discoveryengine.v1.CheckGroundingRequest"))


def test_the_first_requests_may_come_at_once(schema: Schema, message_class):
    """What is compiled on first use is never seen half compiled."""
    body = SEED_BODIES[1].encode()
    request_class = message_class("discoveryengine.v1.CheckGroundingRequest")
    for _ in range(5):
        parser = JsonParser(schema)
        start = threading.Barrier(4)
        failures: list[BaseException] = []

        def parse(parser=parser, start=start, failures=failures):
            start.wait()
            try:
                parser.parse(body, request_class)
            except InvalidArgument as error:
                failures.append(error)

        threads = [threading.Thread(target=parse) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
