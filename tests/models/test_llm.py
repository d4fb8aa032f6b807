import datetime as dt
import email.utils
import socket
import ssl
import threading
import time

import pytest

from tests.models.chat_server import Reply, serve_chat
from tests.patience import PATIENCE_S
from toulmin.errors import (
    Cancelled,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    Unavailable,
)
from toulmin.models import llm_repeats
from toulmin.models.llm import JsonSchema, Message
from toulmin.models.openai_client import OpenAiClient
from toulmin.server.development_authority import make_certificates
from toulmin.work import Work

CHAT = [Message("system", "Be brief."), Message("user", 'Say "ja" – 是的.')]
SCHEMA = JsonSchema("answer", {"type": "object"})
KEY = "sk-a-very-secret-key"


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(llm_repeats, "_FIRST_PAUSE_S", 0.01)


def client_of(chat, **options):
    return OpenAiClient(chat.url, "small-model", **{"timeout_s": PATIENCE_S, "seed": 7} | options)


def test_a_request_has_model_messages_temperature_0_seed_and_key():
    with serve_chat(Reply("ja")) as chat:
        assert client_of(chat, api_key=KEY).complete(CHAT) == "ja"
        (request,) = chat.requests
        (headers,) = chat.headers
    assert request == {
        "path": "/v1/chat/completions",
        "model": "small-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": 'Say "ja" – 是的.'},
        ],
        "temperature": 0,
        "seed": 7,
    }
    assert headers["Authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent():
    with serve_chat(Reply("ja")) as chat:
        client_of(chat).complete(CHAT)
        assert "Authorization" not in chat.headers[0]


def test_a_schema_is_sent_in_strict_form():
    with serve_chat(Reply("{}")) as chat:
        assert client_of(chat).complete(CHAT, schema=SCHEMA) == "{}"
        (request,) = chat.requests
    assert request["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": {"type": "object"}},
    }


@pytest.mark.parametrize(
    ("accepts", "forms"),
    [
        (("json_object", "text"), ["json_schema", "json_object"]),
        (("text",), ["json_schema", "json_object", None]),
    ],
)
def test_a_server_without_schemas_is_asked_in_the_strictest_form_it_knows(accepts, forms):
    with serve_chat(Reply("{}", accepts=accepts)) as chat:
        client = client_of(chat)
        assert client.complete(CHAT, schema=SCHEMA) == "{}"
        sent = [request.get("response_format", {}).get("type") for request in chat.requests]
        assert sent == forms
        client.complete(CHAT, schema=SCHEMA)
        assert len(chat.requests) == len(forms) + 1, "what was learnt is kept"


def test_a_request_that_is_wrong_in_every_form_gets_the_first_refusal():
    first = Reply("the context is too long", status=400)
    with serve_chat(first, Reply("something else", status=400)) as chat:
        with pytest.raises(FailedPrecondition, match="the context is too long"):
            client_of(chat).complete(CHAT, schema=SCHEMA)
        assert len(chat.requests) == 3


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_a_failure_that_may_pass_is_tried_again(status):
    with serve_chat(Reply("busy", status=status), Reply("x", status=status), Reply("ja")) as chat:
        assert client_of(chat).complete(CHAT) == "ja"
        assert len(chat.requests) == 3


def test_a_failure_that_lasts_is_unavailable_after_a_few_attempts():
    with serve_chat(Reply("overloaded", status=503)) as chat:
        with pytest.raises(Unavailable, match="after 5 attempts: HTTP 503 overloaded"):
            client_of(chat).complete(CHAT)
        assert len(chat.requests) == 5


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_kept(form, monkeypatch):
    pauses = []
    monkeypatch.setattr(llm_repeats, "sleep", lambda seconds, _: pauses.append(seconds))
    moment = email.utils.formatdate(time.time() + 1000, usegmt=True)
    value = "1000" if form == "seconds" else moment
    with serve_chat(
        Reply("slow down", status=429, headers={"Retry-After": value}), Reply("ja")
    ) as chat:
        assert client_of(chat, timeout_s=2000).complete(CHAT) == "ja"
    (pause,) = pauses
    assert pause == 1000 if form == "seconds" else 1000 - PATIENCE_S < pause <= 1000


def test_a_pause_that_the_time_left_does_not_allow_is_not_waited_for():
    reply = Reply("slow down", status=429, headers={"Retry-After": "3600"})
    with serve_chat(reply) as chat, pytest.raises(Unavailable, match="slow down"):
        client_of(chat).complete(CHAT)


def test_a_broken_connection_is_tried_again():
    with serve_chat(Reply("ja", breaks_off=True), Reply("ja")) as chat:
        assert client_of(chat).complete(CHAT) == "ja"
        assert len(chat.requests) == 2


def test_nobody_listening_is_unavailable():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{sock.getsockname()[1]}/v1"
        with pytest.raises(Unavailable, match="refused"):
            OpenAiClient(url, "m", timeout_s=PATIENCE_S).complete(CHAT)


def test_an_answer_that_does_not_come_in_time_is_a_deadline_exceeded():
    reply, words = Reply("ja", wait=threading.Event()), r"no answer in 0\.3 s"
    with serve_chat(reply) as chat, pytest.raises(DeadlineExceeded, match=words):
        client_of(chat, timeout_s=0.3).complete(CHAT)


def test_an_answer_that_drips_does_not_outlive_the_time():
    listener = socket.create_server(("127.0.0.1", 0))
    done = threading.Event()

    def drip():
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            while not done.wait(0.02):
                try:
                    connection.sendall(b" ")
                except OSError:
                    return

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        with pytest.raises(DeadlineExceeded):
            OpenAiClient(url, "m", timeout_s=0.5).complete(CHAT)
    finally:
        done.set()
        thread.join()
        listener.close()


@pytest.mark.parametrize("reply", [Reply("ja", wait=threading.Event()), Reply("x", status=503)])
def test_a_caller_who_is_gone_ends_the_wait(reply, monkeypatch):
    monkeypatch.setattr(llm_repeats, "_FIRST_PAUSE_S", 1000.0)
    with serve_chat(reply) as chat:
        with pytest.raises(Cancelled):
            client_of(chat, timeout_s=5000).complete(
                CHAT, work=Work(is_gone=lambda: bool(chat.requests))
            )
        assert len(chat.requests) == 1


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply("no such key", status=401), "HTTP 401 no such key; check llm_api_key"),
        (Reply("no such model", status=404), "check llm_base_url and llm_model"),
        (Reply("pay first", status=402), "HTTP 402 pay first"),
        (Reply(status=307, headers={"Location": "http://other/v1"}), "points to http://other/v1"),
        (Reply(raw=b"<html>Welcome</html>"), "did not answer with a chat completion"),
        (Reply(raw=b'{"choices": []}'), "did not answer with a chat completion"),
        (Reply(raw=b'{"choices": [{"message": "ja"}]}'), "did not answer with a chat completion"),
        (Reply(raw=b"[" * 100_000), "did not answer with a chat completion"),
        (Reply(None), "gave no answer: stop"),
        (Reply(""), "gave no answer"),
        (
            Reply(raw=b'{"choices": [{"message": {"content": null, "refusal": "I will not."}}]}'),
            "gave no answer: I will not.",
        ),
        (Reply(status=403, raw=b'{"detail": [{"msg": "nope"}]}'), "nope"),
        (Reply(status=418, raw=b"\xff\x00 teapot"), "teapot"),
    ],
)
def test_a_refusal_says_what_to_mend_and_is_not_repeated(reply, words):
    with serve_chat(reply) as chat:
        with pytest.raises(FailedPrecondition) as caught:
            client_of(chat).complete(CHAT)
        assert len(chat.requests) == 1
    assert words in caught.value.message
    assert caught.value.reason.startswith("LLM_")


def test_a_key_that_the_server_repeats_is_hidden():
    reply = Reply(f"wrong key {KEY}", status=401)
    with serve_chat(reply) as chat, pytest.raises(FailedPrecondition) as caught:
        client_of(chat, api_key=KEY).complete(CHAT)
    assert KEY not in caught.value.message
    assert "(hidden)" in caught.value.message


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("{}", "/v1/chat/completions"),
        ("{}/", "/v1/chat/completions"),
        ("{}/chat/completions", "/v1/chat/completions"),
        ("{}?api-version=1", "/v1/chat/completions?api-version=1"),
    ],
)
def test_the_base_url_may_be_written_in_several_ways(base, path):
    with serve_chat(Reply("ja")) as chat:
        OpenAiClient(base.format(chat.url), "m").complete(CHAT)
        assert chat.requests[0]["path"] == path


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000",
        "ftp://host/v1",
        "http://",
        "http://h:99999",
        "http://[",
        "http://u:p@h/v1",
    ],
)
def test_a_base_url_that_is_none_is_refused(url):
    with pytest.raises(InvalidArgument, match="llm_base_url"):
        OpenAiClient(url, "m")


def test_a_missing_model_and_a_key_with_a_line_break_are_refused():
    with pytest.raises(InvalidArgument, match="llm_model"):
        OpenAiClient("http://h/v1", "")
    with pytest.raises(InvalidArgument) as caught:
        OpenAiClient("http://h/v1", "m", api_key=f"{KEY}\nX-Other: 1")
    assert KEY not in caught.value.message


def test_an_answer_without_an_end_is_not_read_for_ever(monkeypatch):
    monkeypatch.setattr("toulmin.models.http_post._LARGEST_ANSWER", 1000)
    too_long = pytest.raises(Unavailable, match="over 1,000 bytes")
    with serve_chat(Reply("ja" * 1000)) as chat, too_long:
        client_of(chat).complete(CHAT)


def test_a_proxy_of_the_environment_is_used(monkeypatch):
    with serve_chat(Reply("ja")) as chat:
        monkeypatch.setenv("http_proxy", chat.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "")
        assert OpenAiClient("http://llm.invalid/v1", "m").complete(CHAT) == "ja"
        assert chat.requests[0]["path"] == "http://llm.invalid/v1/chat/completions"
        assert chat.headers[0]["Host"] == "llm.invalid"


def test_a_proxy_that_refuses_a_tunnel_is_said_so(monkeypatch):
    class Refusing(threading.Thread):
        def run(self):
            for _ in range(5):
                connection, _ = listener.accept()
                with connection:
                    request = b""
                    # Closed with bytes unread, the connection would be reset before the answer.
                    while not request.endswith(b"\r\n\r\n"):
                        request += connection.recv(65536)
                    asked.append(request)
                    connection.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")

    asked = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        proxy = f"http://user:p%40ss@127.0.0.1:{listener.getsockname()[1]}"
        monkeypatch.setenv("https_proxy", proxy)
        monkeypatch.setenv("no_proxy", "")
        thread = Refusing()
        thread.start()
        with pytest.raises(Unavailable, match="407"):
            OpenAiClient("https://llm.invalid/v1", "m").complete(CHAT)
        thread.join()
    assert asked[0].startswith(b"CONNECT llm.invalid:443")
    assert b"Proxy-Authorization: Basic dXNlcjpwQHNz" in asked[0]


def test_tls_certificates_are_verified(tmp_path, monkeypatch):
    files = make_certificates(["localhost"], [], lifetime=dt.timedelta(days=1))
    for name in ("authority", "certificate", "key"):
        (tmp_path / name).write_bytes(getattr(files, name))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "certificate", tmp_path / "key")
    with serve_chat(Reply("ja"), tls=context) as chat:
        client = client_of(chat)
        with pytest.raises(Unavailable, match=r"after 1 attempt: .*CERTIFICATE_VERIFY_FAILED"):
            client.complete(CHAT)
        assert chat.requests == []
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority"))
        assert client.complete(CHAT) == "ja"
