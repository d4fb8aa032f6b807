"""Server streaming over REST, to the byte, because Google's clients read it to the byte."""

import json
import time

import pytest

from tests.patience import PATIENCE_S, SOON_S
from tests.server.conftest import STREAM, connect, post, request


def query(text):
    return {"query": {"text": text}}


def parts(count):
    return b",\n".join(
        b'{"answer":{"state":"SUCCEEDED","answerText":"part %d "}}' % index
        for index in range(count)
    )


@pytest.mark.parametrize("count", [1, 2, 20])
def test_a_stream_is_one_json_array(server, count):
    reply = post(server, STREAM, query(str(count)))
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/json; charset=UTF-8"
    assert reply.body == b"[" + parts(count) + b"]"


def test_an_empty_stream_is_an_empty_array(server):
    assert post(server, STREAM, query("0")).body == b"[]"


def test_enums_are_numbers_when_the_client_asks(server):
    reply = post(server, STREAM + "?%24alt=json%3Benum-encoding%3Dint", query("1"))
    assert reply.json[0]["answer"]["state"] == 3


def test_a_failure_before_the_first_item_is_a_plain_error(server):
    reply = post(server, STREAM, query("0 fail"))
    assert (reply.status, reply.error["status"]) == (404, "NOT_FOUND")


def test_a_failure_in_the_middle_leaves_the_array_open(server, log):
    body = post(server, STREAM, query("2 fail")).body
    assert body.startswith(b"[" + parts(2) + b',\n{"error":{"code":404,')
    assert not body.endswith(b"]")
    assert json.loads(body + b"]")[2]["error"]["message"] == "the rest of the answer"
    assert log.requests()[-1]["code"] == "NOT_FOUND"


def test_server_sent_events_when_asked_for(server):
    reply = post(server, STREAM + "?alt=sse", query("2"))
    assert reply.headers["content-type"] == "text/event-stream; charset=UTF-8"
    events = reply.body.split(b"\r\n\r\n")
    assert events.pop() == b""
    assert [
        json.loads(event.removeprefix(b"data: "))["answer"]["answerText"] for event in events
    ] == [
        "part 0 ",
        "part 1 ",
    ]
    assert post(server, STREAM + "?alt=sse", query("0")).body == b""


def test_a_failing_event_stream_says_so_in_its_last_event(server):
    events = post(server, STREAM + "?alt=sse", query("1 fail")).body.split(b"\r\n\r\n")
    assert json.loads(events[-2].removeprefix(b"data: "))["error"]["status"] == "NOT_FOUND"


def test_items_are_sent_as_they_are_made(server, script):
    body = json.dumps(query("1000 slow")).encode()
    head = f"POST {STREAM} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
    with connect(server) as connection:
        connection.sendall(head.encode() + body)
        seen = b""
        while b"part 1 " not in seen:
            seen += connection.recv(65536)
        assert b"part 900 " not in seen
        assert not script.stopped.is_set()
    assert script.stopped.wait(PATIENCE_S), "the handler went on after the client had left"


def test_a_stream_longer_than_the_time_limit_ends_with_an_error(serve, script):
    server = serve(request_timeout_s=1)
    started = time.monotonic()
    body = post(server, STREAM, query("1000 slow")).body
    assert time.monotonic() - started < SOON_S
    assert json.loads(body + b"]")[-1]["error"]["status"] == "DEADLINE_EXCEEDED"
    assert script.stopped.wait(PATIENCE_S)


def test_a_bidirectional_rpc_takes_one_request_and_answers_an_array(server):
    path = "/v1/projects/p/locations/global:streamGenerateGroundedContent"
    body = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
    assert post(server, path, body).json == [{"candidates": [{"index": 1}]}]


def test_a_page_that_is_not_json_keeps_its_type(server):
    reply = request(
        server, "GET", "/v1/projects/p/locations/global/dataStores/d/userEvents:collect"
    )
    assert (reply.headers["content-type"], reply.body) == ("image/gif", b"GIF89a")
