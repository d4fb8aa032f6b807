import threading
import time

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from tests.patience import PATIENCE_S
from toulmin.apis.schema import load_schema

SERVICE = "/google.cloud.discoveryengine.v1.GroundedGenerationService/"
CHECK = SERVICE + "CheckGrounding"
STREAM = "/google.cloud.discoveryengine.v1.ConversationalSearchService/StreamAnswerQuery"
CONVERSE = SERVICE + "StreamGenerateGroundedContent"


def message(path, *, output=False, **fields):
    rpc = load_schema().rpcs[path]
    return load_schema().message_class(rpc.output_type if output else rpc.input_type)(**fields)


@pytest.fixture
def channel_to():
    opened = []

    def open_channel(server, *options):
        channel = grpc.insecure_channel(f"127.0.0.1:{server.port}", options=options)
        opened.append(channel)
        return channel

    yield open_channel
    for channel in opened:
        channel.close()


@pytest.fixture
def channel(server, channel_to):
    return channel_to(server)


def check(channel, answer, timeout=PATIENCE_S, metadata=None):
    request = message(CHECK, answer_candidate=answer).SerializeToString()
    reply = channel.unary_unary(CHECK)(request, timeout=timeout, metadata=metadata)
    return message(CHECK, output=True).FromString(reply)


def stream(channel, text, timeout=PATIENCE_S):
    request = message(STREAM, query={"text": text}).SerializeToString()
    return channel.unary_stream(STREAM)(request, timeout=timeout)


def test_a_unary_call(channel):
    assert check(channel, "hello").support_score == 0.75


def test_a_server_stream(channel):
    parts = [message(STREAM, output=True).FromString(part) for part in stream(channel, "3")]
    assert [part.answer.answer_text for part in parts] == ["part 0 ", "part 1 ", "part 2 "]
    assert list(stream(channel, "0")) == []


def test_a_conversation_is_answered_message_by_message(channel):
    turn, sent = threading.Semaphore(1), []

    def requests():
        for count in range(3):
            assert turn.acquire(timeout=PATIENCE_S)
            sent.append(count)
            yield message(CONVERSE, contents=[{}] * count).SerializeToString()

    for index, part in enumerate(channel.stream_stream(CONVERSE)(requests(), timeout=PATIENCE_S)):
        reply = message(CONVERSE, output=True).FromString(part)
        assert reply.candidates[0].index == index
        assert sent == list(range(index + 1))
        turn.release()
    assert sent == [0, 1, 2]


def test_an_error_has_its_details(channel):
    with pytest.raises(grpc.RpcError) as caught:
        check(channel, "refuse")
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    trailers = dict(caught.value.trailing_metadata())
    status = status_pb2.Status.FromString(trailers["grpc-status-details-bin"])
    assert (status.code, status.message) == (3, caught.value.details())
    bad_request = error_details_pb2.BadRequest()
    assert any(detail.Unpack(bad_request) for detail in status.details)
    assert bad_request.field_violations[0].field == "facts[0].factText"


def test_a_stream_that_fails_halfway_gives_its_items_and_the_error(channel):
    items = []
    with pytest.raises(grpc.RpcError) as caught:
        items.extend(stream(channel, "2 fail"))
    assert len(items) == 2
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND
    assert "grpc-status-details-bin" in dict(caught.value.trailing_metadata())


def test_a_defect_is_internal_and_tells_nothing(channel, log):
    with pytest.raises(grpc.RpcError) as caught:
        check(channel, "break gold under the oak")
    assert caught.value.code() == grpc.StatusCode.INTERNAL
    assert "oak" not in caught.value.details() + log.text


@pytest.mark.parametrize(
    "wire_bytes",
    [b"\xff\xff\xff\xff", b"\x12\x05ab", b"\x12\x02\xff\xfe", b"\x0b"],
    ids=["noise", "cut off", "not UTF-8", "open group"],
)
def test_bytes_that_are_no_message_are_refused(channel, wire_bytes):
    with pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary(CHECK)(wire_bytes, timeout=PATIENCE_S)
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "CheckGroundingRequest" in caught.value.details()


def test_a_message_over_the_limit_is_refused_and_one_below_is_not(serve, channel_to):
    channel = channel_to(serve(max_body_bytes=100_000))
    check(channel, "x" * 99_000)
    with pytest.raises(grpc.RpcError) as caught:
        check(channel, "x" * 101_000)
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert check(channel, "hello").support_score == 0.75


def test_a_compressed_message_over_the_limit_is_refused(serve, channel_to):
    channel = channel_to(serve(max_body_bytes=100_000))
    request = message(CHECK, answer_candidate="x" * 5_000_000).SerializeToString()
    with pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary(CHECK)(request, timeout=PATIENCE_S, compression=grpc.Compression.Gzip)
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_an_unknown_method_is_unimplemented(channel):
    with pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary("/google.cloud.discoveryengine.v1.Nothing/Here")(
            b"", timeout=PATIENCE_S
        )
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_the_callers_deadline_stops_the_handler(channel, script):
    with pytest.raises(grpc.RpcError) as caught:
        check(channel, "watch", timeout=1)
    assert caught.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    assert script.stopped.wait(PATIENCE_S)


def test_the_servers_time_limit_stops_the_handler(serve, channel_to, script):
    channel = channel_to(serve(request_timeout_s=1))
    with pytest.raises(grpc.RpcError) as caught:
        check(channel, "watch")
    assert caught.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    assert "request_timeout_s" in caught.value.details()
    assert script.stopped.wait(PATIENCE_S)


def test_the_handler_knows_the_callers_deadline(channel, script):
    called_at = time.monotonic()
    check(channel, "hello", timeout=30)  # half of the server's own
    assert called_at < script.deadlines[-1] <= time.monotonic() + 30


def test_a_cancelled_call_stops_the_handler(channel, script, log):
    request = message(CHECK, answer_candidate="watch").SerializeToString()
    call = channel.unary_unary(CHECK).future(request, timeout=PATIENCE_S)
    assert script.entered.acquire(timeout=PATIENCE_S)
    call.cancel()
    assert script.stopped.wait(PATIENCE_S)
    assert log.requests()[-1]["code"] == "CANCELLED"


def test_a_cancelled_stream_stops_the_handler(channel, script):
    call = stream(channel, "100000 slow")
    next(call)
    call.cancel()
    assert script.stopped.wait(PATIENCE_S)


def test_a_conversation_left_by_the_client_frees_its_thread(serve, channel_to):
    server = serve(worker_threads=1)
    channel = channel_to(server)
    endless = threading.Event()

    def requests():
        yield message(CONVERSE).SerializeToString()
        endless.wait(PATIENCE_S)

    call = channel.stream_stream(CONVERSE)(requests(), timeout=PATIENCE_S)
    next(call)
    call.cancel()
    endless.set()
    assert check(channel, "hello").support_score == 0.75


def test_a_lost_connection_stops_the_handler(server, channel_to, script):
    channel = channel_to(server)
    request = message(CHECK, answer_candidate="watch").SerializeToString()
    call = channel.unary_unary(CHECK).future(request, timeout=PATIENCE_S)
    assert script.entered.acquire(timeout=PATIENCE_S)
    channel.close()
    assert script.stopped.wait(PATIENCE_S)
    assert call.done()


def test_more_calls_than_fit_are_refused(serve, channel_to, script):
    channel = channel_to(serve(worker_threads=1, max_queue=0))
    request = message(CHECK, answer_candidate="hold").SerializeToString()
    held = channel.unary_unary(CHECK).future(request, timeout=PATIENCE_S)
    assert script.entered.acquire(timeout=PATIENCE_S)
    with pytest.raises(grpc.RpcError) as caught:
        check(channel, "hello")
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    script.release.set()
    assert held.result(timeout=PATIENCE_S)


def test_the_request_id_comes_back_and_is_logged(channel, log):
    request = message(CHECK, answer_candidate="hello").SerializeToString()
    _, call = channel.unary_unary(CHECK).with_call(
        request, timeout=PATIENCE_S, metadata=(("x-request-id", "abc-1"),)
    )
    assert dict(call.trailing_metadata())["x-request-id"] == "abc-1"
    line = log.requests()[-1]
    assert (line["request_id"], line["protocol"], line["code"]) == ("abc-1", "grpc", "OK")
    assert line["bytes_in"] == len(request)
    assert line["infer_ms"] == 1.5


@pytest.mark.parametrize("size", [1000, 100_000, 5_000_000])
def test_large_messages_pass_both_ways(server, channel_to, size):
    channel = channel_to(server, ("grpc.max_receive_message_length", -1))
    request = message(CHECK, answer_candidate="a", facts=[{"fact_text": "y" * size}])
    reply = channel.unary_unary(CHECK)(request.SerializeToString(), timeout=PATIENCE_S)
    chunks = message(CHECK, output=True).FromString(reply).cited_chunks
    assert chunks[0].chunk_text == "y" * size


def test_the_health_service_tells_ready_from_not(serve, channel_to):
    ready = []
    channel = channel_to(serve(is_ready=lambda: bool(ready)))
    ask = channel.unary_unary("/grpc.health.v1.Health/Check")
    assert ask(b"", timeout=PATIENCE_S) == b"\x08\x02"
    ready.append(True)
    assert ask(b"", timeout=PATIENCE_S) == b"\x08\x01"
    known = b"google.cloud.discoveryengine.v1.GroundedGenerationService"
    assert ask(b"\x0a" + bytes([len(known)]) + known, timeout=PATIENCE_S) == b"\x08\x01"
    with pytest.raises(grpc.RpcError) as caught:
        ask(b"\x0a\x03abc", timeout=PATIENCE_S)
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND
