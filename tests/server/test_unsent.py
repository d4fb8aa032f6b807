import json
import socket
from types import SimpleNamespace

import pytest
from google.cloud.discoveryengine_v1 import CheckGroundingRequest, GroundingFact

from tests.patience import PATIENCE_S
from tests.server.conftest import CHECK, post, read_all
from tests.server.http2_client import Http2Client, framed
from toulmin.server import unsent
from toulmin.server.unsent import PIECE, UnsentBytes


class Cut:
    def __init__(self):
        self.times = 0

    def __call__(self):
        self.times += 1


@pytest.fixture
def later(monkeypatch):
    """Return a function that lets time pass."""
    now = [1000.0]
    monkeypatch.setattr(unsent, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def pass_by(seconds):
        now[0] += seconds

    return pass_by


def test_the_one_that_takes_longest_is_cut_off(later):
    counted, first, second = UnsentBytes(5 * PIECE), Cut(), Cut()
    with counted.hold(2 * PIECE, first):
        later(0.5)
        with counted.hold(2 * PIECE, second):
            later(0.6)
            with counted.hold(2 * PIECE, Cut()):
                assert (first.times, second.times) == (1, 0)
                assert counted.total == 4 * PIECE
            assert counted.total == 2 * PIECE
    assert counted.total == 0
    assert first.times == 1


def test_nobody_is_cut_off_in_the_first_second(later):
    counted, first = UnsentBytes(PIECE), Cut()
    with counted.hold(2 * PIECE, first):
        later(0.9)
        with counted.hold(2 * PIECE, Cut()):
            assert not first.times
    assert counted.total == 0


def test_small_responses_are_not_counted():
    counted = UnsentBytes(1)
    with counted.hold(PIECE, Cut()):
        assert counted.total == 0


def test_a_client_that_does_not_read_makes_room_for_one_that_does(serve, monkeypatch):
    monkeypatch.setattr(unsent, "_AT_LEAST_S", 0.0)
    server = serve(max_unsent_bytes=12_000_000)
    body = json.dumps(said("x" * 10_000_000)).encode()
    head = b"POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n"
    with socket.socket() as idler:
        idler.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        idler.settimeout(PATIENCE_S)
        idler.connect(("127.0.0.1", server.port))
        idler.sendall(head % (CHECK.encode(), len(body)) + body)
        assert idler.recv(100)  # the response has begun
        reply = post(server, CHECK, said("y" * 10_000_000))
        assert reply.status == 200
        assert len(reply.body) > 10_000_000
        assert len(read_all(idler)) < len(reply.body)


def test_a_large_response_is_whole(serve):
    server = serve()
    for length in (PIECE - 100, PIECE, 5 * PIECE + 1):
        reply = post(server, CHECK, said("x" * length))
        assert reply.json["citedChunks"][0]["chunkText"] == "x" * length


def test_a_large_message_is_whole_over_grpc_and_a_client_that_does_not_read_is_cut_off(
    serve, monkeypatch
):
    monkeypatch.setattr(unsent, "_AT_LEAST_S", 0.0)
    server = serve(max_unsent_bytes=12_000_000)
    request = CheckGroundingRequest(
        answer_candidate="a", facts=[GroundingFact(fact_text="x" * 10_000_000)]
    )
    message = framed(CheckGroundingRequest.serialize(request))
    with Http2Client(server.port) as idler, Http2Client(server.port) as reader:
        stream = idler.open()
        idler.send(stream, message, end=True)
        idler.read()
        stream = reader.open()
        reader.send(stream, message, end=True)
        assert reader.status(stream) == 0
        assert len(reader.body[stream]) > 10_000_000
        while not idler.is_closed:
            idler.read()


def said(text):
    """Return a request whose response has the same text."""
    return {"answerCandidate": "a", "facts": [{"factText": text}]}
