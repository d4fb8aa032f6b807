import contextlib
import json
import shutil
import subprocess
import time

import pytest

from tests.patience import PATIENCE_S, SOON_S, wait_for
from tests.server.conftest import CHECK, check, connect, read_all, read_reply, request

BODY = b'{"answerCandidate": "hello"}'
CALL = (
    f"POST {CHECK} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(BODY)}\r\n\r\n".encode()
    + BODY
)


def test_many_requests_share_a_connection(server):
    with connect(server) as connection:
        for _ in range(3):
            connection.sendall(CALL)
            assert read_reply(connection).status == 200


def test_pipelined_requests_are_answered_in_order(server):
    second = CALL.replace(b'"hello"', b'"world"')
    with connect(server) as connection:
        connection.sendall(
            CALL + second + b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
        )
        replies = read_all(connection)
    assert replies.count(b"HTTP/1.1 200 ") == 3
    assert replies.index(b"hello") < replies.index(b"world") < replies.index(b'{"status":"ok"}')


def test_a_request_may_come_byte_by_byte(server):
    with connect(server) as connection:
        for index in range(len(CALL)):
            connection.sendall(CALL[index : index + 1])
        assert read_reply(connection).status == 200


def test_headers_that_come_too_slowly_end_the_connection(serve):
    server = serve(header_timeout_s=1.5)
    with connect(server) as connection:
        started = time.monotonic()
        connection.sendall(b"GET /healthz HTTP/1.1\r\n")
        try:
            while time.monotonic() - started < SOON_S:
                connection.sendall(b"x: y\r\n")
                time.sleep(0.05)
        except OSError:
            pass
        assert time.monotonic() - started < SOON_S
    assert check(server, "hello").status == 200


def test_the_second_request_of_a_connection_has_the_same_limit(serve):
    server = serve(header_timeout_s=1.5)
    with connect(server) as connection:
        connection.sendall(CALL)
        assert read_reply(connection).status == 200
        connection.sendall(b"GET /healthz HTTP/1.1\r\nx: ")
        started = time.monotonic()
        assert read_all(connection) == b""
        assert time.monotonic() - started < SOON_S


def test_an_idle_connection_is_closed(serve):
    server = serve(idle_timeout_s=1)
    with connect(server) as connection:
        started = time.monotonic()
        connection.sendall(CALL)
        assert read_reply(connection).status == 200
        assert read_all(connection) == b""
        assert 0.9 < time.monotonic() - started < SOON_S


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nx: " + b"a" * 200_000 + b"\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nx: " + b"a" * 3_000_000,
        b"GET /healthz HTTP/1.1\r\n" + b"a: b\r\n" * 300 + b"\r\n",
        b"GET /healthz HTTP/1.1\r\n" + b"a: b\r\n" * 100_000,
    ],
    ids=["path", "header", "endless header", "many headers", "endless headers"],
)
def test_headers_over_the_limit_are_refused(server, request_bytes):
    with connect(server) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(request_bytes)
        reply = read_all(connection)
    assert reply.startswith(b"HTTP/1.1 431 ") or reply == b""
    if reply:
        error = json.loads(reply.partition(b"\r\n\r\n")[2])["error"]
        assert (error["code"], error["status"]) == (431, "INVALID_ARGUMENT")
        assert "65536 bytes" in error["message"]
    assert check(server, "hello").status == 200


def test_headers_a_little_over_the_limit_get_an_answer(serve):
    server = serve(max_header_bytes=2000)
    with connect(server) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nx: " + b"a" * 2000 + b"\r\n\r\n")
        assert read_all(connection).startswith(b"HTTP/1.1 431 ")


def test_endless_trailers_are_refused(server):
    with connect(server) as connection:
        head = CALL.partition(b"content-length")[0]
        connection.sendall(head + b"transfer-encoding: chunked\r\n\r\n0\r\n")
        try:
            for _ in range(100):
                connection.sendall(b"t: " + b"a" * 50_000 + b"\r\n")
        except OSError:
            pass
        assert b"200 OK" not in read_all(connection)
    assert check(server, "hello").status == 200


@pytest.mark.parametrize(
    "noise",
    [
        b"\x00\x01\x02\x03",
        b"hello\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01",
        b"PRX / HTTP/1.1\r\n\r\n",
    ],
)
def test_noise_gets_a_bad_request_in_googles_shape(server, noise):
    with connect(server) as connection:
        connection.sendall(noise)
        reply = read_all(connection)
    assert reply.startswith(b"HTTP/1.1 400 ")
    assert json.loads(reply.partition(b"\r\n\r\n")[2])["error"]["status"] == "INVALID_ARGUMENT"
    assert check(server, "hello").status == 200


def test_an_offer_to_upgrade_is_ignored(server):
    offer = CALL.replace(
        b"host: localhost", b"host: localhost\r\nconnection: upgrade, close\r\nupgrade: h2c"
    )
    with connect(server) as connection:
        connection.sendall(offer)
        assert read_all(connection).startswith(b"HTTP/1.1 200 ")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_works(server):
    done = subprocess.run(
        ["curl", "-sS", "--http2", f"{server.url}{CHECK}", "-d", BODY.decode()],
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert json.loads(done.stdout)["supportScore"] == 0.75


def test_http_1_0_closes_after_the_answer(server):
    with connect(server) as connection:
        connection.sendall(b"GET /healthz HTTP/1.0\r\nhost: localhost\r\n\r\n")
        assert read_all(connection).endswith(b'{"status":"ok"}')


def test_a_client_that_does_not_read_is_given_up(serve, script):
    server = serve(request_timeout_s=0.5)
    stream = "/v1/projects/p/locations/global/dataStores/d/servingConfigs/s:streamAnswer"
    body = b'{"query": {"text": "1000000"}}'
    with connect(server) as connection:
        head = f"POST {stream} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)
        assert script.stopped.wait(PATIENCE_S)
    assert request(server, "GET", "/healthz").status == 200


@pytest.mark.parametrize("ending", [b"", b"connection: close\r\n"], ids=["kept", "closed"])
def test_a_client_that_never_reads_its_answer_is_cut_off(serve, ending):
    """The answer is larger than the kernel's buffers, so some of it stays with the server."""
    server = serve(idle_timeout_s=1, request_timeout_s=3)
    answer = b'{"answerCandidate": "' + b"x" * 20_000_000 + b'"}'
    with connect(server) as connection:
        head = CALL.partition(b"content-length")[0] + ending
        with contextlib.suppress(OSError):
            connection.sendall(head + b"content-length: %d\r\n\r\n" % len(answer) + answer)
        wait_for(lambda: server.open_connections == 0)


@pytest.mark.parametrize(
    "line",
    [
        b"CONNECT evil:80 HTTP/1.1",
        b"OPTIONS * HTTP/1.1",
        b"GET /\xc3\xbc HTTP/1.1",
        b"GET ? HTTP/1.1",
    ],
)
def test_odd_request_targets_get_an_answer(server, line):
    with connect(server) as connection:
        connection.sendall(line + b"\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        assert read_all(connection)[:13] in (b"HTTP/1.1 400 ", b"HTTP/1.1 404 ")
    assert check(server, "hello").status == 200


def test_two_host_headers_are_refused(server):
    with connect(server) as connection:
        connection.sendall(CALL.replace(b"\r\n", b"\r\nHost: evil.example\r\n", 1))
        reply = read_reply(connection)
        assert (reply.status, reply.error["status"]) == (400, "INVALID_ARGUMENT")
