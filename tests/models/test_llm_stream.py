"""A language model's answer in pieces, from a server that speaks the protocol."""

import itertools
import json
import socket
import threading
import time

import pytest

from tests.models.chat_server import Reply, event, serve_chat
from tests.patience import PATIENCE_S
from toulmin.errors import Cancelled, DeadlineExceeded, FailedPrecondition, Unavailable
from toulmin.models import llm_repeats
from toulmin.models.llm import Message
from toulmin.models.llm_stream import Piece, StreamOptions, read_events
from toulmin.models.openai_client import OpenAiClient
from toulmin.work import UNLIMITED, Work

CHAT = [Message("system", "Be brief."), Message("user", "Say so.")]
STALL = threading.Event


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(llm_repeats, "_FIRST_STREAM_PAUSE_S", 0.01)


def stream(chat, *, work=UNLIMITED, **options):
    client = OpenAiClient(chat.url, "small", seed=7)
    return client.stream(CHAT, options=StreamOptions(**options), work=work)


def text_of(pieces):
    return "".join(piece.text for piece in pieces)


def test_pieces_come_as_they_are_sent_and_the_last_says_why_it_ends():
    held = threading.Event()
    with serve_chat(Reply(pieces=("It is", " so.", held, " Really."), finish="length")) as chat:
        pieces = stream(chat, temperature=0.25, max_tokens=9)
        assert [next(pieces), next(pieces)] == [Piece("It is"), Piece(" so.")]
        held.set()
        assert list(pieces) == [Piece(" Really."), Piece("", "length")]
        (request,) = chat.requests
    assert request == {
        "path": "/v1/chat/completions",
        "model": "small",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Say so."},
        ],
        "temperature": 0.25,
        "seed": 7,
        "stream": True,
        "max_tokens": 9,
    }


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_characters_may_be_cut_anywhere(size):
    said = "Größe: 3 m – 富士山 😀."
    body = event({"delta": {"content": said}}) + b": comment\r\n\r\ndata: [DONE]\r\n\r\n"
    cut = tuple(body[at : at + size] for at in range(0, len(body), size))
    with serve_chat(Reply(pieces=cut, finish="", done=False)) as chat:
        assert text_of(stream(chat)) == said


def test_half_a_character_waits_for_its_other_half_and_is_replaced_without_it():
    halves = [
        b'data: {"choices": [{"delta": {"content": "a\\ud83d"}}]}\n\n',
        b'data: {"choices": [{"delta": {"content": "\\ude00b\\udc00"}}]}\n\n',
    ]
    with serve_chat(Reply(pieces=tuple(halves))) as chat:
        said = text_of(stream(chat))
    assert said == "a😀b\ufffd"
    said.encode()


def test_thoughts_count_as_life_and_are_not_said():
    thought = event({"delta": {"reasoning_content": "Hm."}})
    slow = tuple(itertools.chain.from_iterable((STALL(), thought) for _ in range(4)))
    for at, moment in enumerate(slow[::2]):
        threading.Timer(0.25 * (at + 1), moment.set).start()
    with serve_chat(Reply(pieces=(*slow, "ja"))) as chat:
        assert text_of(stream(chat, first_token_s=0.8, stall_s=0.8)) == "ja"


@pytest.mark.parametrize("finish", ["refusal", "content_filter"])
def test_what_is_withheld_says_so(finish):
    refusal = event({"delta": {"refusal": "I will not."}})
    pieces = (refusal,) if finish == "refusal" else ()
    with serve_chat(Reply(pieces=pieces, finish=finish)) as chat:
        assert [piece.finish for piece in stream(chat)] == [finish]


def test_a_count_of_tokens_without_choices_is_passed_over():
    usage = b'data: {"choices": [], "usage": {"total_tokens": 3}}\n\n'
    with serve_chat(Reply(pieces=("ja", usage))) as chat:
        assert text_of(stream(chat)) == "ja"


def test_a_stream_may_end_with_done_alone_or_with_a_finish_alone():
    with serve_chat(Reply("ja", finish="")) as chat:
        assert list(stream(chat)) == [Piece("ja"), Piece("", "stop")]
    with serve_chat(Reply("ja", done=False)) as chat:
        assert list(stream(chat)) == [Piece("ja"), Piece("", "stop")]


def test_a_server_that_ignores_the_wish_for_a_stream_is_read_as_a_whole():
    with serve_chat(Reply("It is so.", streams=False)) as chat:
        assert list(stream(chat)) == [Piece("It is so.", "stop")]


def test_a_server_that_refuses_streams_is_asked_without_one_and_from_then_on():
    with serve_chat(Reply("ja", streams="streaming is not supported")) as chat:
        client = OpenAiClient(chat.url, "m")
        assert text_of(client.stream(CHAT)) == "ja"
        assert text_of(client.stream(CHAT)) == "ja"
        assert ["stream" in request for request in chat.requests] == [True, False, False]


@pytest.mark.parametrize(
    ("refusal", "left", "new"),
    [
        ("'max_tokens' is not supported; use 'max_completion_tokens'", "max_tokens", {"max_c": 9}),
        ("'temperature' does not support 0.0 with this model", "temperature", {}),
        ("unknown field: seed", "seed", {}),
    ],
)
def test_what_a_server_refuses_is_left_out(refusal, left, new):
    with serve_chat(Reply(refusal, status=400), Reply("ja")) as chat:
        assert text_of(stream(chat, max_tokens=9)) == "ja"
        first, second = chat.requests
    assert left in first
    assert left not in second
    assert second.get("max_completion_tokens") == new.get("max_c")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_failure_before_the_first_token_is_tried_again(status):
    with serve_chat(Reply("busy", status=status), Reply("ja")) as chat:
        assert text_of(stream(chat)) == "ja"
        assert len(chat.requests) == 2


def test_a_failure_that_lasts_is_unavailable_after_three_attempts():
    with serve_chat(Reply("overloaded", status=503)) as chat:
        with pytest.raises(Unavailable, match="after 3 attempts: HTTP 503 overloaded"):
            list(stream(chat))
        assert len(chat.requests) == 3


def test_a_pause_longer_than_the_wait_for_the_first_token_is_not_waited_for():
    reply = Reply("slow down", status=429, headers={"Retry-After": "60"})
    with serve_chat(reply) as chat, pytest.raises(Unavailable, match="after 1 attempt: HTTP 429"):
        list(stream(chat, first_token_s=5))


def test_nobody_listening_is_unavailable():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        client = OpenAiClient(f"http://127.0.0.1:{sock.getsockname()[1]}/v1", "m")
        with pytest.raises(Unavailable, match="refused"):
            list(client.stream(CHAT))


@pytest.fixture
def deaf_url():
    """Yield the address of a server whose queue is full, so that connecting hangs."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        waiting = []
        for _ in range(4):
            sock = socket.socket()
            sock.settimeout(0)
            sock.connect_ex(listener.getsockname())
            waiting.append(sock)
        time.sleep(0.05)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        for sock in waiting:
            sock.close()


def test_a_caller_who_is_gone_does_not_wait_for_a_connection(deaf_url):
    gone = threading.Event()
    threading.Timer(0.2, gone.set).start()
    with pytest.raises(Cancelled):  # not DeadlineExceeded
        list(OpenAiClient(deaf_url, "m").stream(CHAT, work=Work(is_gone=gone.is_set)))


def test_a_connection_that_hangs_ends_with_the_wait_for_the_first_token(deaf_url):
    options = StreamOptions(first_token_s=0.3)
    with pytest.raises(DeadlineExceeded, match=r"did not begin to answer in 0\.3 s"):
        list(OpenAiClient(deaf_url, "m").stream(CHAT, options=options))


@pytest.mark.parametrize(
    ("pieces", "options", "words"),
    [
        ((STALL(),), {"first_token_s": 1}, r"did not begin to answer in 1 s"),
        (("ja", STALL()), {"stall_s": 1}, r"in the middle of its answer for 1 s"),
        (("ja", STALL()), {"whole_s": 1}, r"not done with its answer in 1 s"),
    ],
)
def test_a_token_that_does_not_come_in_time_is_a_deadline_exceeded(pieces, options, words):
    with serve_chat(Reply(pieces=pieces)) as chat:
        with pytest.raises(DeadlineExceeded, match=words):
            list(stream(chat, **options))
        assert len(chat.requests) == 1
        assert chat.hung_up.wait(PATIENCE_S)


def test_signs_of_life_without_a_token_do_not_prolong_the_wait():
    alive = tuple(
        itertools.chain.from_iterable((STALL(), b": still there\n\n") for _ in range(900))
    )
    done = threading.Event()

    def signs():
        for moment in alive[::2]:
            done.wait(0.05)
            moment.set()

    giver = threading.Thread(target=signs)
    giver.start()
    try:
        with serve_chat(Reply(pieces=alive)) as chat, pytest.raises(DeadlineExceeded):
            list(stream(chat, first_token_s=0.3))
    finally:
        done.set()
        giver.join()


def test_time_that_the_reader_takes_is_not_a_stall():
    with serve_chat(Reply(pieces=("a", "b", "c"))) as chat:
        said = ""
        for piece in stream(chat, stall_s=1.5):
            time.sleep(1.7 if piece.text == "a" else 0)
            said += piece.text
    assert said == "abc"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(pieces=("It is so. And",), finish="", done=False, breaks_off=True),
        Reply(pieces=("It is so. And",), finish="", done=False),
        Reply(
            pieces=("It is", b'data: {"error": {"message": "out of memory", "code": 500}}\n\n'),
            finish="",
        ),
        Reply(pieces=("It is", b'error: {"message": "slot lost", "code": 500}\n\n'), finish=""),
    ],
    ids=["in a chunk", "between chunks", "with an error", "as llama.cpp says it"],
)
def test_a_stream_that_breaks_off_is_not_asked_for_again(reply):
    with serve_chat(reply) as chat:
        pieces = stream(chat)
        assert next(pieces).text.startswith("It is")
        with pytest.raises(Unavailable, match="broke off"):
            list(pieces)
        assert len(chat.requests) == 1


def test_a_stream_that_breaks_off_before_its_first_token_is_asked_for_again():
    broken = Reply(pieces=(), finish="", done=False, breaks_off=True)
    failed = Reply(pieces=(b'data: {"error": "no slot"}\n\n',), finish="", done=False)
    with serve_chat(broken, failed, Reply("ja")) as chat:
        assert text_of(stream(chat)) == "ja"
        assert len(chat.requests) == 3


@pytest.mark.parametrize(
    "reply",
    [
        Reply(pieces=(b"data: {not json\n\n",)),
        Reply(pieces=(b'data: ["a list"]\n\n',)),
        Reply(pieces=(b'data: {"choices": [{"delta": {"content": [1]}}]}\n\n',)),
        Reply(pieces=(b'data: {"choices": 3}\n\n',)),
        Reply(pieces=(b'data: {"an": "object"}\n\n',)),
        Reply(pieces=(b"data: \xff\xfe\n\n",)),
        Reply(pieces=(b"data: " + b"[" * 100_000 + b"\n\n",)),
        Reply(raw=b"<html>Welcome</html>"),
        Reply(raw=b'{"choices": []}', headers={"Content-Type": "application/json"}),
    ],
)
def test_what_is_no_stream_of_completions_is_refused_and_not_asked_for_again(reply):
    with serve_chat(reply) as chat:
        with pytest.raises(FailedPrecondition) as caught:
            list(stream(chat))
        assert len(chat.requests) == 1
    assert caught.value.reason == "LLM_NOT_OPENAI_COMPATIBLE"


def test_a_refusal_in_the_stream_is_not_repeated_and_hides_the_key():
    key = "sk-a-very-secret-key"
    failed = json.dumps({"error": {"message": f"too long for {key}", "code": 400}}).encode()
    with serve_chat(Reply(pieces=(b"data: " + failed + b"\n\n",))) as chat:
        client = OpenAiClient(chat.url, "m", api_key=key)
        with pytest.raises(FailedPrecondition, match=r"too long for \(hidden\)"):
            list(client.stream(CHAT))
        assert len(chat.requests) == 1


def test_a_wrong_key_says_what_to_mend():
    with serve_chat(Reply("no such key", status=401)) as chat:
        with pytest.raises(FailedPrecondition, match="check llm_api_key"):
            list(stream(chat))
        assert len(chat.requests) == 1


def test_a_caller_who_is_gone_ends_the_call_in_the_middle():
    gone = threading.Event()
    with serve_chat(Reply(pieces=("ja", STALL()))) as chat:
        pieces = stream(chat, work=Work(is_gone=gone.is_set))
        assert next(pieces).text == "ja"
        threading.Timer(0.1, gone.set).start()
        with pytest.raises(Cancelled):  # not DeadlineExceeded
            next(pieces)
        assert chat.hung_up.wait(PATIENCE_S)


def test_to_close_the_pieces_ends_the_call():
    with serve_chat(Reply(pieces=("ja", STALL()))) as chat:
        pieces = stream(chat)
        next(pieces)
        pieces.close()
        assert chat.hung_up.wait(PATIENCE_S)


def test_events_have_lines_of_data_and_an_end():
    body = b"event: x\ndata: a\ndata:b\n\n\nid: 3\n\ndata: c\r\n\r\ndata: not ended"
    assert list(read_events([body])) == [b"a\nb", b"c"]


def test_an_event_without_an_end_is_not_kept_for_ever():
    with pytest.raises(ValueError, match="over 1,048,576 bytes"):
        list(read_events(itertools.repeat(b"data: " + b"x" * 100_000)))
