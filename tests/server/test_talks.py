"""BidiRunSession over WebSocket: limits, refusals, ends. Handlers are scripted, or all that is built."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import ExitStack, suppress

import pytest

from tests.patience import PATIENCE_S, wait_for
from tests.server.conftest import connect, read_all, read_reply, request
from tests.server.handlers import make_registry
from toulmin.server.websocket import library

needs_library = pytest.mark.skipif(library() is None, reason="the extra websocket is missing")
APP = "projects/p/locations/us/apps/a"
PATH = "/ws/google.cloud.ces.v1.SessionService/BidiRunSession/locations/us"
CONFIG = {"config": {"session": f"{APP}/sessions/s"}}
HELLO = {"realtimeInput": {"text": "hello"}}


class Bidi:
    """A scripted BidiRunSession: says what it was given, in turns."""

    def __init__(self):
        self.release = threading.Event()
        self.entered = threading.Event()
        self.cancelled = threading.Event()
        self.turns = []

    def __call__(self, requests, context):
        messages = list(requests)
        self.turns.append([type(message)() for message in messages])
        for message, kept in zip(messages, self.turns[-1], strict=True):
            kept.CopyFrom(message)
        for message in messages[1:]:
            text = message.realtime_input.text
            if text == "wait":
                self.entered.set()
                while not self.release.wait(0.01):
                    if context.is_cancelled():
                        self.cancelled.set()
                        return
            response = context.new_message()
            response.session_output.text = text * 1000 if text.startswith("big") else text
            yield response


@pytest.fixture
def bidi():
    made = Bidi()
    yield made
    made.release.set()


@pytest.fixture
def enter():
    """Return a function that opens a talk that is open until the test ends."""
    with ExitStack() as stack:
        yield lambda *given: stack.enter_context(open_talk(*given))


@pytest.fixture
def talking(serve, script, bidi):
    def start(**flags):
        registry = make_registry(script)
        registry.register("ces", "SessionService", "BidiRunSession", bidi)
        return serve(registry=registry, **flags)

    return start


def open_talk(server, path=PATH, **options):
    from websockets.sync.client import connect as open_socket

    return open_socket(
        f"ws://127.0.0.1:{server.port}{path}", open_timeout=PATIENCE_S, compression=None, **options
    )


def tell(talk, *values):
    for value in values:
        talk.send(json.dumps(value))


def send_what_is_refused(talk, message):
    """Send a message that the server may close the talk over before all of it is sent."""
    from websockets.exceptions import ConnectionClosed

    with suppress(ConnectionClosed):
        talk.send(message)


def hear(talk):
    return json.loads(talk.recv(timeout=PATIENCE_S))


def end_of(talk):
    """Return what the server said at last, its close code and its reason."""
    from websockets.exceptions import ConnectionClosed

    said = None
    while True:
        try:
            said = hear(talk)
        except ConnectionClosed as closed:
            return said, closed.rcvd.code, closed.rcvd.reason


def is_let_in(server):
    try:
        return request(server, "GET", "/healthz").status == 200
    except ConnectionError:
        return False


def refusal(server, path=PATH, **options):
    from websockets.exceptions import InvalidStatus

    with pytest.raises(InvalidStatus) as caught:
        open_talk(server, path, **options)
    response = caught.value.response
    return response.status_code, json.loads(response.body)["error"], response.headers


@needs_library
@pytest.mark.parametrize("version", ["v1", "v1beta"])
def test_each_input_is_a_turn_and_text_and_binary_frames_are_the_same(talking, bidi, version):
    with open_talk(talking(), PATH.replace("v1", version)) as talk:
        tell(talk, CONFIG, HELLO)
        assert hear(talk) == {"sessionOutput": {"text": "hello"}}
        talk.send(json.dumps({"realtime_input": {"text": "\u00fcber"}}).encode())
        assert hear(talk) == {"sessionOutput": {"text": "\u00fcber"}}
    assert [len(turn) for turn in bidi.turns] == [1, 2, 2]


@needs_library
def test_an_input_that_goes_on_waits_for_the_rest_and_history_is_for_the_first_turn(talking, bidi):
    with open_talk(talking()) as talk:
        config = {"config": CONFIG["config"] | {"historicalContexts": [{"role": "user"}]}}
        tell(talk, config, {"realtimeInput": {"text": "a", "willContinue": True}})
        tell(talk, {"realtimeInput": {"text": "b"}})
        assert [hear(talk)["sessionOutput"]["text"] for _ in "ab"] == ["a", "b"]
        tell(talk, HELLO)
        hear(talk)
    _, first, second = bidi.turns
    assert len(first) == 3
    assert [len(turn[0].config.historical_contexts) for turn in (first, second)] == [1, 0]


@needs_library
def test_a_message_may_come_in_frames(talking):
    with open_talk(talking()) as talk:
        tell(talk, CONFIG)
        talk.send(iter(['{"realtimeInput":', ' {"text": "hel', 'lo"}}']))
        assert hear(talk)["sessionOutput"]["text"] == "hello"


@needs_library
def test_an_open_talk_holds_no_thread(talking, enter):
    server = talking(worker_threads=1)
    talks = [enter(server) for _ in range(4)]
    for talk in talks:
        tell(talk, CONFIG, HELLO)
        assert hear(talk)["sessionOutput"]["text"] == "hello"
    # The answer is heard a moment before its call is counted as ended.
    wait_for(lambda: server.requests_in_flight == 0)
    assert server.open_connections == 4
    for talk in talks:
        talk.close()
    wait_for(lambda: server.open_connections == 0)


@needs_library
@pytest.mark.parametrize(
    ("messages", "code", "close", "words"),
    [
        (["{"], 400, 1007, "JSON"),
        ([json.dumps({"nothing": 1})], 400, 1007, "nothing"),
        ([json.dumps(CONFIG).replace("/us/", "/eu/")], 400, 1007, "config.session"),
    ],
)
def test_what_is_wrong_is_said_and_ends_the_talk(talking, log, messages, code, close, words):
    with open_talk(talking()) as talk:
        for message in messages:
            talk.send(message)
        said, close_code, reason = end_of(talk)
    assert (said["error"]["code"], close_code) == (code, close)
    assert words in said["error"]["message"]
    assert reason.startswith("generic::invalid_argument: ")
    (line,) = log.requests()
    assert (line["protocol"], line["code"]) == ("websocket", "INVALID_ARGUMENT")


@needs_library
def test_a_defect_is_told_without_its_text(talking, bidi, monkeypatch):
    monkeypatch.setattr(Bidi, "__call__", lambda *_: 1 / 0)
    with open_talk(talking()) as talk:
        tell(talk, CONFIG)
        said, code, reason = end_of(talk)
    assert (said["error"]["status"], code) == ("INTERNAL", 1011)
    assert reason.startswith("generic::internal")


@needs_library
def test_a_message_over_the_limit_is_refused_also_in_frames(talking):
    server = talking(max_body_bytes=2000)
    for message in ("x" * 2001, iter(["x" * 1500, "x" * 1500])):
        with open_talk(server) as talk:
            tell(talk, CONFIG)
            send_what_is_refused(talk, message)
            _, code, _ = end_of(talk)
            assert code == 1009
    with open_talk(server) as talk:
        tell(talk, CONFIG)
        send_what_is_refused(talk, iter(["x"] * 1100))
        _, code, reason = end_of(talk)
        assert (code, "1000 frames" in reason) == (1009, True)


@needs_library
def test_bytes_that_are_held_count_with_those_of_all_and_are_given_back(talking, bidi):
    server = talking(max_body_bytes=100_000, max_buffered_bytes=120_000)
    with open_talk(server) as first, open_talk(server) as second:
        tell(first, CONFIG)
        padding = " " * 80_000
        first.send(json.dumps({"realtimeInput": {"text": "wait"}}) + padding)
        assert bidi.entered.wait(PATIENCE_S)
        tell(second, CONFIG)
        send_what_is_refused(second, json.dumps(HELLO) + padding)
        _, code, _ = end_of(second)
        assert code == 1013
        bidi.release.set()
        assert hear(first)["sessionOutput"]["text"] == "wait"
        wait_for(lambda: server.requests_in_flight == 0)
        with open_talk(server) as third:
            tell(third, CONFIG)
            third.send(json.dumps(HELLO) + padding)
            assert hear(third)["sessionOutput"]["text"] == "hello"


@needs_library
def test_silence_ends_a_talk(talking):
    with open_talk(talking(header_timeout_s=0.3)) as talk:
        said, code, _ = end_of(talk)
    assert (said["error"]["status"], code) == ("DEADLINE_EXCEEDED", 1011)
    assert "header_timeout_s" in said["error"]["message"]
    with open_talk(talking(talk_idle_s=0.3)) as talk:
        tell(talk, CONFIG)
        said, _, _ = end_of(talk)
    assert "talk_idle_s" in said["error"]["message"]


@needs_library
def test_a_turn_has_the_time_of_a_request(talking, bidi):
    with open_talk(talking(request_timeout_s=0.5)) as talk:
        tell(talk, CONFIG, {"realtimeInput": {"text": "wait"}})
        said, _, _ = end_of(talk)
    assert said["error"]["status"] == "DEADLINE_EXCEEDED"
    assert bidi.cancelled.wait(PATIENCE_S)


@needs_library
def test_a_client_that_goes_stops_its_turn(talking, bidi, log, enter):
    server = talking()
    talk = enter(server)
    tell(talk, CONFIG, {"realtimeInput": {"text": "wait"}})
    assert bidi.entered.wait(PATIENCE_S)
    talk.socket.shutdown(socket.SHUT_RDWR)
    assert bidi.cancelled.wait(PATIENCE_S)
    (line,) = log.requests()
    assert line["code"] == "CANCELLED"


@needs_library
def test_a_client_that_does_not_read_is_cut_off(talking):
    server = talking(request_timeout_s=1.0)
    raw = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.sendall(handshake())
    assert b"101" in raw.recv(1000)
    raw.sendall(frame(json.dumps(CONFIG)))
    for _ in range(50):
        try:
            raw.sendall(frame(json.dumps({"realtimeInput": {"text": "big" * 3000}})))
        except OSError:
            break
    wait_for(lambda: server.open_connections == 0)
    raw.close()


def handshake(path=PATH, **headers):
    lines = [
        f"GET {path} HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]  # fmt: skip
    return "\r\n".join([*lines, "", ""]).encode()


def frame(text, *, opcode=1, fin=True):
    data = text.encode()
    head = bytes([opcode | (0x80 if fin else 0), 0x80 | 126]) + len(data).to_bytes(2, "big")
    return head + bytes(4) + data


@needs_library
def test_bytes_that_are_no_websocket_end_it_and_nothing_else(talking):
    server = talking()
    for junk in (b"\xff" * 100, frame("x", opcode=11), frame("x", opcode=0), b"\x81\x01x"):
        raw = connect(server)
        raw.sendall(handshake())
        assert b"101" in raw.recv(1000)
        raw.sendall(junk)
        assert raw.recv(1000)[0] == 0x88  # a close frame
        raw.close()
    with open_talk(server) as talk:
        tell(talk, CONFIG, HELLO)
        hear(talk)
    wait_for(lambda: server.open_connections == 0)


@needs_library
def test_a_handshake_behind_an_unanswered_request_does_not_cut_off_its_answer(talking):
    server = talking()
    first = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    for greeting in (handshake(), handshake(**{"Sec-WebSocket-Version": "8"})):
        with connect(server) as raw:
            raw.sendall(first + greeting + frame("x"))
            said = read_all(raw)
        assert said.startswith(b"HTTP/1.1 200 OK")
        assert said.count(b"HTTP/1.1") == 1
    wait_for(lambda: server.open_connections == 0)


@needs_library
@pytest.mark.parametrize(
    "wrong",
    [{"Sec-WebSocket-Version": "8"}, {"Sec-WebSocket-Key": "short"}, {"Connection": "close"}],
)
def test_a_handshake_that_is_none_is_answered_and_closed(talking, wrong):
    server = talking()
    lines = handshake().decode().split("\r\n")
    kept = [line for line in lines if line.partition(":")[0] not in wrong]
    kept[1:1] = [f"{name}: {value}" for name, value in wrong.items()]
    raw = connect(server)
    raw.sendall("\r\n".join(kept).encode())
    assert raw.recv(1000).split()[1] in (b"400", b"426")
    raw.close()
    wait_for(lambda: server.open_connections == 0)


@needs_library
def test_who_may_not_is_refused_before_it_is_a_websocket(talking):
    server = talking(api_keys="right-key-1")
    status, error, headers = refusal(server)
    assert (status, error["details"][0]["reason"]) == (401, "CREDENTIALS_MISSING")
    assert headers["WWW-Authenticate"] == "Bearer"
    assert headers["X-Request-Id"]
    assert refusal(server, f"{PATH}?key=wrong-key-1")[0] == 401
    for path, options in (
        (f"{PATH}?key=right-key-1", {}),
        (f"{PATH}?access_token=right-key-1", {}),
        (PATH, {"additional_headers": {"Authorization": "Bearer right-key-1"}}),
    ):
        with open_talk(server, path, **options) as talk:
            tell(talk, CONFIG, HELLO)
            assert hear(talk)["sessionOutput"]["text"] == "hello"


@needs_library
def test_pages_of_others_are_refused_and_listed_ones_are_not(talking):
    server = talking(cors_origins="https://shop.example")
    status, error, _ = refusal(server, origin="https://evil.example")
    assert (status, error["details"][0]["reason"]) == (403, "ORIGIN_NOT_ALLOWED")
    for origin in ("https://shop.example", f"http://127.0.0.1:{server.port}"):
        with open_talk(server, origin=origin) as talk:
            tell(talk, CONFIG, HELLO)
            hear(talk)


@needs_library
@pytest.mark.parametrize(
    "path",
    ["/", "/v1/x", PATH.rpartition("/")[0], PATH + "/x", PATH.replace("Bidi", "Stream"), "/ws/%FF"],
)
def test_there_is_no_websocket_elsewhere(talking, path):
    status, error, _ = refusal(talking(), path)
    assert (status, error["status"]) == (404, "NOT_FOUND")


def test_the_address_without_a_websocket_says_what_it_takes(server):
    reply = request(server, "GET", PATH)
    assert (reply.status, "WebSocket" in reply.error["message"]) == (400, True)


def test_without_the_extra_a_websocket_is_unimplemented_by_name(serve, monkeypatch):
    for module in ("lifecycle", "talks"):
        monkeypatch.setattr(f"toulmin.server.{module}.library", lambda: None)
    raw = connect(serve())
    raw.sendall(handshake())
    reply = read_reply(raw)
    assert (reply.status, reply.error["status"]) == (501, "UNIMPLEMENTED")
    assert "toulmin[websocket]" in reply.error["message"]
    raw.close()


@needs_library
def test_an_open_talk_gives_way_to_a_new_connection_and_a_busy_one_does_not(talking, bidi, enter):
    server = talking(max_connections=2)
    busy, idle = enter(server), enter(server)
    tell(busy, CONFIG, {"realtimeInput": {"text": "wait"}})
    tell(idle, CONFIG, HELLO)
    hear(idle)
    assert bidi.entered.wait(PATIENCE_S)
    # Until the idle talk's turn is over for the server, too, a new connection is refused.
    wait_for(lambda: is_let_in(server))
    bidi.release.set()
    assert hear(busy)["sessionOutput"]["text"] == "wait"
    from websockets.exceptions import ConnectionClosed

    with pytest.raises(ConnectionClosed):
        hear(idle)


@needs_library
def test_a_shutdown_lets_a_turn_finish_and_ends_silent_talks(talking, bidi, enter):
    server = talking()
    silent, busy = enter(server), enter(server)
    tell(silent, CONFIG, HELLO)
    hear(silent)
    tell(busy, CONFIG, {"realtimeInput": {"text": "wait"}})
    assert bidi.entered.wait(PATIENCE_S)
    stopping = threading.Thread(target=server.stop, kwargs={"timeout_s": PATIENCE_S})
    stopping.start()
    said, code, reason = end_of(silent)
    assert (said["error"]["details"][0]["reason"], code) == ("SHUTTING_DOWN", 1012)
    assert reason.startswith("generic::unavailable")
    bidi.release.set()
    assert hear(busy)["sessionOutput"]["text"] == "wait"
    assert end_of(busy)[1] == 1012
    stopping.join(PATIENCE_S)
    assert not stopping.is_alive()


@needs_library
def test_a_shutdown_ends_turns_that_take_too_long(talking, bidi, enter):
    server = talking()
    talk = enter(server)
    tell(talk, CONFIG, {"realtimeInput": {"text": "wait"}})
    assert bidi.entered.wait(PATIENCE_S)
    assert not server.stop(timeout_s=0.2) or bidi.cancelled.is_set()
    said, code, _ = end_of(talk)
    assert (said["error"]["status"], code) == ("UNAVAILABLE", 1012)


@needs_library
def test_neither_keys_nor_texts_get_into_the_log(talking, caplog):
    caplog.set_level("DEBUG")
    with open_talk(talking(api_keys="right-key-1"), f"{PATH}?key=right-key-1") as talk:
        tell(talk, CONFIG, {"realtimeInput": {"text": "my secret wish"}})
        hear(talk)
    ours = [record.getMessage() for record in caplog.records if "client" not in record.name]
    assert not [line for line in ours if "right-key-1" in line or "secret wish" in line]


@needs_library
def test_who_answers_no_ping_is_gone(talking, monkeypatch):
    monkeypatch.setattr("toulmin.server.websocket.PING_S", 0.2)
    server = talking()
    raw = connect(server)
    raw.sendall(handshake())
    with open_talk(server) as alive:
        wait_for(lambda: server.open_connections == 1)
        tell(alive, CONFIG, HELLO)
        assert hear(alive)["sessionOutput"]["text"] == "hello"
    raw.close()
