"""One error shape on both transports."""

from __future__ import annotations

import base64
import inspect
import json
import urllib.parse

import pytest
from google.protobuf import json_format
from google.rpc import code_pb2, error_details_pb2, status_pb2

from toulmin import errors
from toulmin.apis.aip.status import error_body, grpc_status_name, http_status, to_status
from toulmin.errors import (
    FieldViolation,
    InvalidArgument,
    NotFound,
    Quota,
    QuotaExceeded,
    ShuttingDown,
    TooManyConnections,
    ToulminError,
)

CLASSES = [
    found
    for _, found in inspect.getmembers(errors, inspect.isclass)
    if issubclass(found, ToulminError)
    # made of a quota; these say the same each time
    and found not in (QuotaExceeded, ShuttingDown, TooManyConnections)
]


@pytest.mark.parametrize("error_class", CLASSES)
def test_every_error_has_an_http_status_a_name_and_a_reason(error_class):
    body = json.loads(error_body(to_status(error_class("what happened"))))["error"]
    assert body["code"] == http_status(error_class.code) >= 400
    assert body["status"] == grpc_status_name(error_class.code)
    assert body["message"] == "what happened"
    assert body["details"] == [
        {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": grpc_status_name(error_class.code),
            "domain": "toulmin",
        }
    ]


def test_the_codes_are_those_of_google_rpc():
    for name, code in code_pb2.Code.items():
        assert grpc_status_name(code) == name
    assert http_status(3) == 400
    assert http_status(8) == 429
    assert http_status(9) == 400
    assert http_status(12) == 501
    assert http_status(4711) == 500
    assert grpc_status_name(4711) == "UNKNOWN"


def test_fields_at_fault_are_a_bad_request():
    error = InvalidArgument(
        "no", violations=[FieldViolation("a.b", "wrong"), FieldViolation("", "at the root")]
    )
    details = json.loads(error_body(to_status(error)))["error"]["details"]
    assert details[1] == {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        "fieldViolations": [
            {"field": "a.b", "description": "wrong"},
            {"description": "at the root"},
        ],
    }


def test_an_error_of_ours_keeps_its_reason():
    details = json.loads(error_body(to_status(NotFound("no", reason="NO_SUCH_STORE"))))["error"]
    assert details["details"][0]["reason"] == "NO_SUCH_STORE"


def test_what_went_wrong_inside_stays_inside():
    body = error_body(to_status(KeyError("the answer of a patient")))
    assert b"patient" not in body
    assert json.loads(body)["error"] == {
        "code": 500,
        "message": "Internal error. The server's log has the details under the request id.",
        "status": "INTERNAL",
    }


@pytest.mark.parametrize("letter", ["x", "ü", "日", "😀"])
def test_a_status_fits_in_the_headers_of_grpc(letter):
    violations = [FieldViolation(letter * 1_000, letter * 5_000)] * 100
    status = to_status(InvalidArgument(letter * 10_000, violations=violations))
    message_header = len(urllib.parse.quote(status.message))
    details_header = len(base64.b64encode(status.SerializeToString()))
    assert message_header + details_header < 8_000
    assert status.message.startswith(letter * 250)
    assert status.message.endswith("...")
    bad_request = error_details_pb2.BadRequest.FromString(status.details[1].value)
    assert len(bad_request.field_violations) == 3


def test_text_that_utf8_cannot_carry_is_replaced():
    error = InvalidArgument.of_field("a\udcff", "b\ud800")
    body = json.loads(error_body(to_status(error)))
    assert body["error"]["message"] == "a?: b?"


def test_the_status_is_the_one_that_clients_know(schema):
    ours = to_status(InvalidArgument.of_field("facts", "too many"), schema)
    theirs = status_pb2.Status.FromString(ours.SerializeToString())
    bad_request = error_details_pb2.BadRequest()
    assert theirs.code == 3
    assert theirs.details[1].Unpack(bad_request)
    assert json_format.MessageToDict(bad_request) == {
        "fieldViolations": [{"field": "facts", "description": "too many"}]
    }


def test_a_shutdown_says_when_to_come_again():
    body = json.loads(error_body(to_status(ShuttingDown())))["error"]
    assert (body["code"], body["status"]) == (503, "UNAVAILABLE")
    info, retry = body["details"]
    assert info["reason"] == "SHUTTING_DOWN"
    assert retry == {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1s"}


def test_a_quota_fits_into_the_headers_of_grpc_too():
    quota = Quota("DocumentsPerProject", "documents", "project:" + "é" * 400, 10)
    status = to_status(QuotaExceeded(quota, retry_s=None))
    assert (status.code, len(status.details)) == (8, 2)  # no RetryInfo: waiting does not help
    assert len(status.SerializeToString()) < 5_000


def test_too_many_connections_say_when_to_try_again():
    error = json.loads(error_body(to_status(TooManyConnections(256))))["error"]
    assert (error["code"], error["status"]) == (429, "RESOURCE_EXHAUSTED")
    assert "256" in error["message"]
    assert error["details"][0]["reason"] == "TOO_MANY_CONNECTIONS"
    assert error["details"][1]["retryDelay"] == "1s"
