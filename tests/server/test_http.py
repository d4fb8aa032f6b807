import json
import time

import pytest

from tests.patience import PATIENCE_S, SOON_S, wait_for
from tests.server.conftest import CHECK, check, post, request


def test_a_unary_call_answers_json(server):
    reply = post(server, CHECK, {"answerCandidate": "hello", "facts": [{"factText": "x"}]})
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/json; charset=UTF-8"
    assert reply.json["supportScore"] == 0.75
    assert reply.json["claims"][0]["citationIndices"] == [0]


def test_the_same_request_gives_the_same_bytes(server):
    assert check(server, "hello").body == check(server, "hello").body


def test_json_is_compact_unless_pretty_is_asked_for(server):
    body = json.dumps({"answerCandidate": "hello"})
    compact = request(server, "POST", CHECK, body)
    pretty = request(server, "POST", CHECK + "?prettyPrint=true", body)
    assert b"\n" not in compact.body
    assert pretty.body.startswith(b'{\n  "supportScore": 0.75')
    assert compact.json == pretty.json


@pytest.mark.parametrize("query", ["alt=proto", "$alt=media", "callback=show", "%24callback=show"])
def test_representations_that_are_not_written_are_unimplemented(server, query):
    reply = post(server, f"{CHECK}?{query}", {"answerCandidate": "hello"})
    assert (reply.status, reply.error["status"]) == (501, "UNIMPLEMENTED")
    assert query.replace("%24", "$").partition("=")[0] in reply.error["message"]


def test_an_error_has_googles_shape(server):
    reply = check(server, "refuse")
    assert reply.status == 400
    assert reply.error["status"] == "INVALID_ARGUMENT"
    kinds = {detail["@type"]: detail for detail in reply.error["details"]}
    violations = kinds["type.googleapis.com/google.rpc.BadRequest"]["fieldViolations"]
    assert violations[0]["field"] == "facts[0].factText"
    assert kinds["type.googleapis.com/google.rpc.ErrorInfo"]["reason"] == "TOO_LONG"


def test_a_defect_answers_internal_and_tells_nobody_the_users_text(server, log):
    reply = check(server, "break gold under the oak")
    assert reply.status == 500
    assert reply.error["status"] == "INTERNAL"
    assert b"oak" not in reply.body
    assert "oak" not in log.text
    assert "KeyError" in log.text
    assert check(server, "hello").status == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/nowhere"),
        ("GET", "/v1/nothing/here"),
        ("POST", "/v1/../../etc/passwd"),
        ("GET", "/%2e%2e/%2e%2e/etc/passwd"),
        ("GET", CHECK),
        ("DELETE", "/healthz"),
        ("PUT", CHECK),
    ],
)
def test_an_unknown_path_or_method_is_not_found(server, method, path):
    reply = request(server, method, path)
    assert reply.status == 404
    assert reply.error["code"] == 404
    assert reply.error["status"] == "NOT_FOUND"


def test_a_known_path_with_another_method_says_which_it_takes(server):
    reply = request(server, "GET", CHECK)
    assert reply.headers["allow"] == "POST"
    assert "POST" in reply.error["message"]


def test_options_lists_the_methods(server):
    reply = request(server, "OPTIONS", CHECK)
    assert reply.status == 204
    assert reply.headers["allow"] == "POST, OPTIONS"
    assert "access-control-allow-origin" not in reply.headers
    assert request(server, "OPTIONS", "/nowhere").status == 404


def test_head_answers_like_get_without_a_body(server):
    path = "/v1/projects/p/locations/global/dataStores/d/userEvents:collect"
    get, head = request(server, "GET", path), request(server, "HEAD", path)
    assert (get.status, get.body, get.headers["content-type"]) == (200, b"GIF89a", "image/gif")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == "6"


def test_health_pages(serve):
    ready = []
    server = serve(is_ready=lambda: bool(ready))
    assert request(server, "GET", "/healthz").status == 200
    before = request(server, "GET", "/readyz")
    assert (before.status, before.json) == (503, {"status": "loading models"})
    ready.append(True)
    assert request(server, "GET", "/readyz").json == {"status": "ok"}
    assert request(server, "HEAD", "/readyz").status == 200


def test_every_response_has_a_request_id(server):
    ids = {
        request(server, method, path).headers["x-request-id"]
        for method, path in [("GET", "/healthz"), ("GET", "/nope"), ("POST", CHECK)]
    }
    assert len(ids) == 3


def test_a_harmless_request_id_of_the_caller_is_kept_and_another_is_not(server):
    kept = check(server, "hello", headers={"x-request-id": "trace-1.a:b"})
    assert kept.headers["x-request-id"] == "trace-1.a:b"
    for bad in ("a b", "x" * 129, '"quoted"', ""):
        assert check(server, "hello", headers={"x-request-id": bad}).headers["x-request-id"] != bad


def test_the_log_has_one_line_per_request_without_query_or_text(server, log):
    request(
        server,
        "POST",
        CHECK + "?key=sesame-sesame&prettyPrint=true",
        json.dumps({"answerCandidate": "The cat sat."}),
        {"authorization": "Bearer token-token", "x-request-id": "abc"},
    )
    request(server, "GET", "/v1/projects/sesame-sesame/key=sesame?key=sesame-sesame")
    first, second = log.requests(2)
    assert first["rpc"].endswith("v1.GroundedGenerationService.CheckGrounding")
    assert (first["request_id"], first["protocol"], first["code"]) == ("abc", "rest", "OK")
    assert first["http_status"] == 200
    assert first["bytes_in"] == 35
    assert first["bytes_out"] > 0
    assert first["queue_ms"] >= 0
    assert first["infer_ms"] == 1.5
    assert first["duration_ms"] > 0
    assert (second["code"], second["path"]) == ("NOT_FOUND", "GET /v1/projects/*/*")
    for secret in ("sesame", "token-token", "cat"):
        assert secret not in log.text


def test_the_time_limit_of_the_server_ends_a_call(serve, script):
    server = serve(request_timeout_s=1)
    started = time.monotonic()
    reply = check(server, "watch")
    assert (reply.status, reply.error["status"]) == (504, "DEADLINE_EXCEEDED")
    assert time.monotonic() - started < SOON_S
    assert script.stopped.wait(PATIENCE_S)


def test_the_caller_may_ask_for_less_time(server, script):
    reply = check(server, "watch", headers={"x-server-timeout": "1"})
    assert reply.status == 504
    assert script.stopped.wait(PATIENCE_S)
    check(server, "hello", headers={"x-server-timeout": "100000"})
    assert script.deadlines[-1] - time.monotonic() <= 60


@pytest.mark.parametrize("value", ["soon", "-1", "0", "nan"])
def test_a_senseless_time_limit_is_refused(server, value):
    reply = check(server, "hello", headers={"x-server-timeout": value})
    assert reply.status == 400
    assert "X-Server-Timeout" in reply.error["message"]


def test_a_client_that_hangs_up_stops_the_handler(server, script, log):
    import socket

    connection = socket.create_connection(("127.0.0.1", server.port))
    body = b'{"answerCandidate": "watch"}'
    connection.sendall(
        f"POST {CHECK} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n".encode()
        + body
    )
    assert script.entered.acquire(timeout=PATIENCE_S)
    connection.close()
    assert script.stopped.wait(PATIENCE_S)
    assert log.requests()[-1]["code"] == "CANCELLED"
    assert check(server, "hello").status == 200


def test_more_requests_than_threads_and_queue_hold_are_refused(serve, script):
    import threading

    server = serve(worker_threads=1, max_queue=1)
    replies = []
    threads = [
        threading.Thread(target=lambda: replies.append(check(server, "hold"))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    assert script.entered.acquire(timeout=PATIENCE_S)
    wait_for(lambda: server.requests_in_flight == 2)
    refused = check(server, "hello")
    assert (refused.status, refused.error["status"]) == (429, "RESOURCE_EXHAUSTED")
    assert "max_queue" in refused.error["message"]
    script.release.set()
    for thread in threads:
        thread.join()
    assert [reply.status for reply in replies] == [200, 200]
    assert check(server, "hello").status == 200


def test_a_call_whose_caller_left_the_queue_never_runs(serve, script, log):
    import socket
    import threading

    server = serve(worker_threads=1)
    holder = threading.Thread(target=lambda: check(server, "hold"))
    holder.start()
    assert script.entered.acquire(timeout=PATIENCE_S)
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        body = b'{"answerCandidate": "watch"}'
        head = f"POST {CHECK} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)
        wait_for(lambda: server.requests_in_flight == 2)
    assert log.requests()[-1]["code"] == "CANCELLED"
    script.release.set()
    holder.join()
    assert check(server, "hello").status == 200
    assert not script.entered.acquire(blocking=False)  # the one thread has gone past it
