import time
from contextlib import contextmanager

import pytest
from h2.errors import ErrorCodes

from tests.patience import PATIENCE_S, SOON_S, wait_for
from tests.server.conftest import CHECK, check, connect, read_all, read_reply, request
from tests.server.http2_client import CHECK as GRPC_CHECK
from tests.server.http2_client import Http2Client
from toulmin import metrics
from toulmin.server.http_protocol import HttpConnection


def test_a_client_that_says_nothing_is_closed(serve):
    server = serve(header_timeout_s=0.3)
    started = time.monotonic()
    with connect(server) as connection:
        assert read_all(connection) == b""
        assert 0.2 < time.monotonic() - started < SOON_S


def test_half_the_http2_greeting_and_silence_is_closed(serve):
    server = serve(header_timeout_s=0.3)
    for start in (b"P", b"PR", b"PRI", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
        with connect(server) as connection:
            connection.sendall(start)
            started = time.monotonic()
            read_all(connection)
            assert time.monotonic() - started < SOON_S, start


def test_methods_that_begin_like_http2_are_http1(server):
    with connect(server) as connection:
        connection.sendall(b"P")
        time.sleep(0.05)
        connection.sendall(b"R")
        time.sleep(0.05)
        connection.sendall(b"OPFIND / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        assert read_all(connection).startswith(b"HTTP/1.1 404 ")


def test_connections_over_the_limit_are_closed_and_those_at_work_go_on(serve, script):
    server = serve(max_connections=3, worker_threads=4)
    held = [connect(server) for _ in range(3)]
    body = b'{"answerCandidate": "hold"}'
    head = b"POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n"
    try:
        for connection in held:
            connection.sendall(head % (CHECK.encode(), len(body)) + body)
            assert script.entered.acquire(timeout=PATIENCE_S)
        with connect(server) as fourth:
            assert read_all(fourth) == b""
        script.release.set()
        for connection in held:
            assert read_reply(connection).status == 200
    finally:
        for connection in held:
            connection.close()

    def is_served():
        try:
            return check(server, "hello").status == 200
        except OSError:
            return False

    wait_for(is_served)


def known_to_be_http(server):
    return sum(isinstance(one, HttpConnection) for one in server._listener.open)


@pytest.mark.parametrize("said", [b"", b"P", b"POST / HTTP/1.1\r\n", b"GET", None])
def test_the_connection_that_is_idle_for_longest_makes_room(serve, said):
    server = serve(max_connections=3)
    held = [connect(server) for _ in range(3)]
    try:
        for number, connection in enumerate(held, 1):
            whole = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"
            connection.sendall(whole if said is None else said)
            if said is None:
                assert read_reply(connection).status == 200
            elif len(said) > 1:  # one after the other: what the server heard last counts
                wait_for(lambda number=number: known_to_be_http(server) == number)
        assert request(server, "GET", "/healthz").status == 200
        assert read_all(held[0]) == b""
    finally:
        for connection in held:
            connection.close()


def test_hundreds_of_connections_come_and_go(server):
    for _ in range(3):
        held = [connect(server) for _ in range(200)]
        for connection in held:
            connection.close()
    # A closed one holds its place until the server has seen that it is closed.
    wait_for(lambda: request(server, "GET", "/healthz").status == 200)


@contextmanager
def at_work(server, script, count):
    """Keep so many connections of this address at work, over HTTP/1.1."""
    body = b'{"answerCandidate": "hold"}'
    head = b"POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n"
    held = [connect(server) for _ in range(count)]
    try:
        for connection in held:
            connection.sendall(head % (CHECK.encode(), len(body)) + body)
            assert script.entered.acquire(timeout=PATIENCE_S)
        yield
        script.release.set()
        for connection in held:
            assert read_reply(connection).status == 200
    finally:
        for connection in held:
            connection.close()


def test_an_address_with_too_many_at_work_is_told_so_over_rest(serve, script):
    server = serve(max_connections_per_address=2, worker_threads=4)
    before = refused_by_address()
    with at_work(server, script, 2):
        reply = check(server, "hello")
        assert reply.status == 429
        assert reply.headers["retry-after"] == "1"
        assert reply.headers["connection"] == "close"
        assert reply.error["status"] == "RESOURCE_EXHAUSTED"
        assert "max_connections_per_address" in reply.error["message"]
        info, retry = reply.error["details"]
        assert info["reason"] == "TOO_MANY_CONNECTIONS"
        assert retry["retryDelay"] == "1s"
        assert refused_by_address() == before + 1
    assert check(server, "hello").status == 200


def refused_by_address():
    return sum(
        sample.value
        for sample in metrics.CONNECTIONS_REFUSED.samples()
        if ("limit", "address") in sample.labels
    )


def test_a_large_request_is_told_so_too(serve, script):
    server = serve(max_connections_per_address=1, worker_threads=4)
    with at_work(server, script, 1):
        assert check(server, "hello " * 200_000).status == 429


def test_an_address_with_too_many_at_work_is_told_so_over_grpc(serve, script):
    server = serve(max_connections_per_address=2, worker_threads=4)
    with at_work(server, script, 2), Http2Client(server.port) as client:
        stream = client.open()
        assert client.status(stream) == 8
        assert "max_connections_per_address" in client.headers[stream]["grpc-message"]
        assert client.headers[stream]["grpc-status-details-bin"]
        while not client.is_closed:
            client.read()
        assert client.goodbye == ErrorCodes.ENHANCE_YOUR_CALM
    with Http2Client(server.port) as client:
        assert client.status(client.open(end=True)) != 8


def test_the_official_client_gets_the_error(serve, script):
    grpc = pytest.importorskip("grpc")
    server = serve(max_connections_per_address=1, worker_threads=4)
    address = f"127.0.0.1:{server.port}"
    with (
        at_work(server, script, 1),
        grpc.insecure_channel(address) as channel,
        pytest.raises(grpc.RpcError) as caught,
    ):
        channel.unary_unary(GRPC_CHECK)(b"", timeout=PATIENCE_S)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_an_idle_connection_of_the_same_address_makes_room(serve):
    server = serve(max_connections_per_address=2)
    held = [connect(server) for _ in range(2)]
    try:
        for number, connection in enumerate(held, 1):
            connection.sendall(b"GET / HTTP/1.1\r\n")
            wait_for(lambda number=number: known_to_be_http(server) == number)
        assert request(server, "GET", "/healthz").status == 200
        assert read_all(held[0]) == b""
    finally:
        for connection in held:
            connection.close()


def test_rubbish_on_a_refused_connection_over_http2_is_closed(serve, script):
    server = serve(max_connections_per_address=1, worker_threads=4)
    with at_work(server, script, 1), connect(server) as connection:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 64)
        read_all(connection)
