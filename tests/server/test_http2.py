"""What clients do that want no answer."""

import gzip
import time

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from h2.settings import SettingCodes
from hyperframe.frame import GoAwayFrame, PingFrame

from tests.patience import PATIENCE_S, SOON_S, wait_for
from tests.server.conftest import check, connect, read_all
from tests.server.http2_client import CHECK, Http2Client, framed
from tests.server.test_grpc import message
from toulmin.server.http2 import Http2Connection

RESOURCE_EXHAUSTED, UNAUTHENTICATED, DEADLINE_EXCEEDED = 8, 16, 4
INVALID_ARGUMENT, UNIMPLEMENTED = 3, 12


def held_bytes(server):
    (connection,) = [one for one in server._listener.open if isinstance(one, Http2Connection)]
    return connection._limits.budget.held


def wait_until_held(server, most):
    wait_for(lambda: held_bytes(server) <= most)


def wait_until_nothing_is_held(server):
    wait_until_held(server, 0)


def test_a_wrong_key_is_refused_before_there_is_any_message(serve):
    server = serve(api_keys="right-key-1")
    with Http2Client(server.port) as client:
        stream = client.open(x_goog_api_key="wrong-key-1")
        assert client.status(stream, timeout=PATIENCE_S) == UNAUTHENTICATED
        assert client.status(client.open(), timeout=PATIENCE_S) == UNAUTHENTICATED


def test_the_deadline_runs_from_the_headers_on(serve):
    with Http2Client(serve().port) as client:
        stream = client.open(grpc_timeout="200m")
        assert client.status(stream, timeout=PATIENCE_S) == DEADLINE_EXCEEDED
        assert client.status(client.open(grpc_timeout="soon")) == INVALID_ARGUMENT


def test_a_stream_without_a_message_is_ended_and_the_connection_goes_on(serve):
    with Http2Client(serve(header_timeout_s=1.5).port) as client:
        silent = client.open()
        halfway = client.open()
        client.send(halfway, framed(b"x" * 100)[:50])
        for stream in (silent, halfway):
            assert client.status(stream, timeout=PATIENCE_S) == DEADLINE_EXCEEDED
            assert "header_timeout_s" in client.headers[stream]["grpc-message"]
        request = message(CHECK, answer_candidate="hello").SerializeToString()
        stream = client.open()
        client.send(stream, framed(request), end=True)
        assert client.status(stream) == 0


def test_unfinished_messages_count_against_the_budget_and_are_given_back(serve):
    server = serve(max_body_bytes=1_000_000, max_buffered_bytes=1_500_000)
    with Http2Client(server.port) as client:
        first, second = client.open(), client.open()
        client.send(first, framed(b"x" * 900_000)[:-1])
        client.send(second, framed(b"x" * 900_000)[:-1])
        assert client.status(second) == RESOURCE_EXHAUSTED
        wait_until_held(server, 1_000_000)
        client.h2.reset_stream(first)
        client.flush()
        wait_until_nothing_is_held(server)
    assert check(server, "hello").status == 200


def test_a_message_is_refused_by_its_length_alone(serve):
    with Http2Client(serve(max_body_bytes=1000).port) as client:
        stream = client.open()
        client.send(stream, framed(b"x" * 1001)[:5])
        assert client.status(stream, timeout=PATIENCE_S) == RESOURCE_EXHAUSTED


def test_gzip_is_counted_as_it_unfolds(serve):
    server = serve(max_body_bytes=40_000_000, max_buffered_bytes=10_000_000)
    with Http2Client(server.port) as client:
        stream = client.open(grpc_encoding="gzip")
        client.send(stream, framed(gzip.compress(bytes(31_000_000)), compressed=True))
        assert client.status(stream) == RESOURCE_EXHAUSTED
        wait_until_nothing_is_held(server)


@pytest.mark.parametrize(
    ("encoding", "status"), [("gzip", INVALID_ARGUMENT), ("deflate", UNIMPLEMENTED)]
)
def test_what_cannot_be_unfolded_is_refused(server, encoding, status):
    with Http2Client(server.port) as client:
        stream = client.open(grpc_encoding=encoding)
        client.send(stream, framed(b"not gzip", compressed=True), end=True)
        assert client.status(stream) == status


@pytest.mark.parametrize("data", [b"", b"\0\0", framed(b"abc")[:-1]])
def test_a_request_that_ends_early_is_refused(server, data):
    with Http2Client(server.port) as client:
        stream = client.open()
        client.send(stream, data, end=True)
        assert client.status(stream) == INVALID_ARGUMENT


def test_a_connection_has_100_streams(server):
    with Http2Client(server.port) as client:
        client.read()
        assert client.h2.remote_settings[SettingCodes.MAX_CONCURRENT_STREAMS] == 100


def test_a_connection_without_streams_is_closed(serve):
    server = serve(idle_timeout_s=1.0)
    began = time.monotonic()
    with Http2Client(server.port) as client:
        while not client.is_closed:
            client.read()
        assert 0.9 < time.monotonic() - began < SOON_S
        assert client.goodbye == 0


def goodbye(client, code=0):
    """Say that the client takes no streams of the server's; more frames come with it."""
    frames = (
        GoAwayFrame(0, last_stream_id=0, error_code=code),
        PingFrame(0, opaque_data=b"8 bytes."),
    )
    client.socket.sendall(b"".join(frame.serialize() for frame in frames))


def wait_until_closed(client):
    while not client.is_closed:
        client.read()


def test_a_client_that_says_goodbye_gets_the_answer_that_it_waits_for(server, script):
    with Http2Client(server.port) as client:
        stream = client.open()
        client.send(
            stream, framed(message(CHECK, answer_candidate="hold").SerializeToString()), end=True
        )
        assert script.entered.acquire(timeout=PATIENCE_S)
        goodbye(client)
        script.release.set()
        assert client.status(stream) == 0
        wait_until_closed(client)


@pytest.mark.parametrize("code", [0, 1])
def test_a_client_that_says_goodbye_and_waits_for_nothing_is_let_go(serve, code):
    server = serve(idle_timeout_s=3600.0)
    with Http2Client(server.port) as client:
        if code:
            client.open()  # an error ends it, whatever is open
        goodbye(client, code)
        wait_until_closed(client)
    wait_for(lambda: not server.open_connections)


def test_a_client_that_only_resets_is_sent_away(server):
    with Http2Client(server.port) as client:
        try:
            for _ in range(1500):
                client.h2.reset_stream(client.open())
                client.flush()
        except OSError:
            pass
        while not client.is_closed:
            client.read()
    assert check(server, "hello").status == 200


def test_what_is_no_grpc_is_refused(server):
    with Http2Client(server.port) as client:
        stream = client.open(content_type="text/html", end=True)
        while stream not in client.ended:
            client.read()
        assert client.headers[stream][":status"] == "415"


def test_half_open_streams_keep_nobody_out(serve):
    server = serve(max_connections=20)
    clients = [Http2Client(server.port) for _ in range(40)]
    try:
        for client in clients:
            client.open()
            assert check(server, "hello").status == 200
    except OSError:
        pass  # those that made room are closed
    finally:
        assert check(server, "hello").status == 200
        for client in clients:
            client.socket.close()


def test_a_call_in_hand_at_shutdown_is_told_to_come_again(serve, script):
    server = serve()
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        request = message(CHECK, answer_candidate="hold").SerializeToString()
        call = channel.unary_unary(CHECK).future(request, timeout=PATIENCE_S)
        assert script.entered.acquire(timeout=PATIENCE_S)
        server.stop(timeout_s=0.2)
        assert call.code() == grpc.StatusCode.UNAVAILABLE
        assert "shutting down" in call.details()
        _, retry = rpc_status.from_call(call).details
        assert error_details_pb2.RetryInfo.FromString(retry.value).retry_delay.seconds == 1


def test_a_stream_at_shutdown_ends_with_an_item_that_says_so(serve, script):
    server = serve()
    path = "/v1/projects/p/locations/global/dataStores/d/servingConfigs/s:streamAnswer"
    with connect(server) as connection:
        body = b'{"query": {"text": "100000 slow"}}'
        head = f"POST {path}?alt=sse HTTP/1.1\r\nhost: localhost\r\n"
        connection.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        assert connection.recv(65536)
        server.stop(timeout_s=0.2)
        rest = read_all(connection)
        assert b'"UNAVAILABLE"' in rest
        assert rest.endswith(b"0\r\n\r\n")
