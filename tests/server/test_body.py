import gzip
import json
import resource
import time
import zlib

import pytest

from tests.patience import SOON_S, wait_for
from tests.server.conftest import CHECK, Reply, check, connect, read_all, read_reply, request

MIB = 1024 * 1024
TOO_LARGE = "Request payload size exceeds the limit"


def head(*lines):
    return "\r\n".join([f"POST {CHECK} HTTP/1.1", "host: localhost", *lines, "", ""]).encode()


def test_a_body_of_100_megabytes_is_refused_with_googles_words(server):
    reply = request(server, "POST", CHECK, b" " * (100 * MIB))
    assert (reply.status, reply.error["status"]) == (400, "INVALID_ARGUMENT")
    assert reply.error["message"] == f"{TOO_LARGE}: {32 * MIB} bytes."
    assert reply.headers["connection"] == "close"
    assert check(server, "hello").status == 200


def test_a_chunked_body_of_100_megabytes_is_refused_and_never_held(server):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    part = b" " * MIB
    reply = request(server, "POST", CHECK, (part for _ in range(100)))
    assert reply.status == 400
    assert TOO_LARGE in reply.error["message"]
    grown_mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown_mib < 70
    assert check(server, "hello").status == 200


def test_a_body_of_exactly_the_limit_passes_and_one_byte_more_does_not(serve):
    body = b'{"answerCandidate": "hello"}'
    server = serve(max_body_bytes=len(body))
    assert request(server, "POST", CHECK, body).status == 200
    assert request(server, "POST", CHECK, body + b" ").status == 400
    assert request(server, "POST", CHECK, iter([body])).status == 200
    assert request(server, "POST", CHECK, iter([body, b" "])).status == 400


def test_a_claimed_length_over_the_limit_is_refused_before_the_body_is_sent(server):
    with connect(server) as connection:
        connection.sendall(head("content-length: 99999999999", "expect: 100-continue"))
        assert read_reply(connection).status == 400


@pytest.mark.parametrize("length", ["-5", "12x", "1, 2", "", "18446744073709551616"])
def test_a_nonsense_length_is_a_bad_request(server, length):
    with connect(server) as connection:
        connection.sendall(head(f"content-length: {length}") + b"{}")
        connection.settimeout(5)
        reply = connection.recv(65536)
    assert reply.startswith(b"HTTP/1.1 400 ")
    assert b'"INVALID_ARGUMENT"' in reply


def test_length_and_chunked_together_are_refused(server):
    with connect(server) as connection:
        connection.sendall(head("content-length: 5", "transfer-encoding: chunked") + b"0\r\n\r\n")
        assert read_reply(connection).status == 400


def test_a_body_that_never_comes_ends_with_the_time_limit(serve):
    server = serve(request_timeout_s=0.3)
    with connect(server) as connection:
        started = time.monotonic()
        connection.sendall(head("content-length: 10") + b"{")
        assert read_reply(connection).status == 504
        assert time.monotonic() - started < SOON_S


def test_a_client_that_leaves_in_its_body_harms_nobody(server, log):
    with connect(server) as connection:
        connection.sendall(head("content-length: 10") + b"{")
    assert log.requests()[-1]["code"] == "CANCELLED"
    assert check(server, "hello").status == 200


def test_a_client_that_waits_for_100_continue_gets_it(server):
    body = b'{"answerCandidate": "hello"}'
    with connect(server) as connection:
        connection.sendall(head(f"content-length: {len(body)}", "expect: 100-continue"))
        assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert read_reply(connection).status == 200


@pytest.mark.parametrize("members", [1, 3])
def test_a_gzip_body_is_read(server, members):
    text = json.dumps({"answerCandidate": "hello " * 100_000})
    size = -(-len(text) // members)
    body = b"".join(
        gzip.compress(text[start : start + size].encode()) for start in range(0, len(text), size)
    )
    reply = request(server, "POST", CHECK, body, {"content-encoding": "gzip"})
    assert reply.status == 200
    assert reply.json["claims"][0]["claimText"] == "hello " * 100_000


def test_a_gzip_bomb_is_refused_and_never_held(server):
    packer = zlib.compressobj(1, wbits=31)
    bomb = b"".join(packer.compress(b" " * MIB) for _ in range(200)) + packer.flush()
    assert len(bomb) < 2 * MIB
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reply = request(server, "POST", CHECK, bomb, {"content-encoding": "gzip"})
    assert reply.status == 400
    assert TOO_LARGE in reply.error["message"]
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 70


@pytest.mark.parametrize(
    "body", [b"{}", b"", gzip.compress(b'{"answerCandidate": "hello"}', mtime=0)[:-4], b"\x1f\x8b"]
)
def test_what_is_not_gzip_is_refused(server, body):
    reply = request(server, "POST", CHECK, body, {"content-encoding": "gzip"})
    assert reply.status == (200 if body == b"" else 400)
    if body:
        assert "gzip" in reply.error["message"]


def test_an_unknown_content_encoding_is_refused(server):
    reply = request(server, "POST", CHECK, b"{}", {"content-encoding": "br"})
    assert reply.status == 400
    assert "gzip" in reply.error["message"]


def test_bodies_of_all_requests_together_have_a_limit(serve):
    server = serve(max_buffered_bytes=1000)
    with connect(server) as first:
        first.sendall(head("content-length: 2000") + b" " * 900)
        busy = wait_for(lambda: not_400(request(server, "POST", CHECK, b" " * 200)))
        assert (busy.status, busy.error["status"]) == (429, "RESOURCE_EXHAUSTED")
    body = json.dumps({"answerCandidate": "x" * 900}).encode()
    wait_for(lambda: request(server, "POST", CHECK, body).status == 200)
    for _ in range(3):
        assert request(server, "POST", CHECK, body).status == 200


def not_400(reply):
    return None if reply.status == 400 else reply


def test_an_error_while_the_client_sends_reaches_it(serve):
    """Closing at once would reset the connection and lose the answer."""
    server = serve(max_body_bytes=1000)
    for _ in range(5):
        reply = request(server, "POST", CHECK, b" " * (20 * MIB))
        assert isinstance(reply, Reply)
        assert reply.status == 400


def test_a_refused_client_that_sends_for_ever_is_cut_off(serve):
    server = serve(max_body_bytes=1000, header_timeout_s=1.5)
    with connect(server) as connection:
        connection.sendall(head("content-length: 100000000") + b" " * 2000)
        started = time.monotonic()
        assert read_all(connection).startswith(b"HTTP/1.1 400 ")
        assert time.monotonic() - started < SOON_S
