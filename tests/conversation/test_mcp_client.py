"""The client of MCP servers, against servers that behave and servers that do not."""

from __future__ import annotations

import pytest

from tests.apis.ces.mcp_servers import (
    events,
    result,
    serve_official,
    serve_scripted,
    tool,
    words,
)
from toulmin.conversation.mcp_client import FAILED_KEPT_S, KEPT_S, McpClient
from toulmin.conversation.mcp_transport import McpServer
from toulmin.errors import Cancelled, FailedPrecondition, Unavailable
from toulmin.work import Work


@pytest.fixture
def scripted():
    with serve_scripted() as server:
        yield server


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def client(clock):
    return McpClient(frozenset({"127.0.0.1"}), clock=clock)


def at(server, timeout_s=20.0, **headers):
    port = server if isinstance(server, int) else server.server_port
    return McpServer(address=f"http://127.0.0.1:{port}/mcp", headers=headers, timeout_s=timeout_s)


@pytest.mark.parametrize(
    "options",
    [{}, {"json_response": True}, {"stateless_http": True}],
    ids=["stream", "json", "none"],
)
def test_a_server_of_the_official_package_lists_and_runs_its_tools(client, options):
    with serve_official(**options) as port:
        listed = {item.name: item for item in client.tools(at(port))}
        assert list(listed) == ["find_parcel", "opening_hours"]
        schema = listed["find_parcel"].parameters
        assert schema["required"] == ["parcel_id"]
        assert schema["properties"]["pieces"]["type"] == "INTEGER"
        assert schema["properties"]["pieces"]["nullable"]
        found = client.call(at(port), "find_parcel", {"parcel_id": "4711", "pieces": 2.0})
        assert found == {"result": {"place": "Kiel", "pieces": "2"}}
        hours = client.call(at(port), "opening_hours", {})
        assert hours == {"result": "The post office is open from 9 to 17."}
        assert (
            "no such parcel" in client.call(at(port), "find_parcel", {"parcel_id": "none"})["error"]
        )
        assert "error" in client.call(at(port), "nothing", {})


def test_a_session_is_begun_once_and_named_in_every_request(client, scripted):
    scripted.answers["initialize"] = lambda message: result(
        message, {"protocolVersion": "2025-03-26"}, **{"Mcp-Session-Id": "s1"}
    )
    for _ in range(2):
        assert client.call(at(scripted), "look_up", {}) == {"result": "done"}
    assert scripted.methods == [
        "initialize",
        "notifications/initialized",
        "tools/call",
        "tools/call",
    ]
    for _, headers, _ in scripted.seen[1:]:
        assert headers["Mcp-Session-Id"] == "s1"
        assert headers["MCP-Protocol-Version"] == "2025-03-26"


def test_a_session_that_the_server_forgot_is_begun_anew(client, scripted):
    ids = iter(["s1", "s2"])
    scripted.answers["initialize"] = lambda message: result(
        message, {"protocolVersion": "2025-06-18"}, **{"Mcp-Session-Id": next(ids)}
    )
    client.call(at(scripted), "look_up", {})
    answers = iter([(404, {}, b"")])
    scripted.answers["tools/call"] = lambda message: next(
        answers, result(message, {"content": words("again")})
    )
    assert client.call(at(scripted), "look_up", {}) == {"result": "again"}
    assert scripted.seen[-1][1]["Mcp-Session-Id"] == "s2"


def test_the_list_of_tools_is_read_page_by_page_and_kept_for_a_while(client, clock, scripted):
    pages = {
        None: {"tools": [tool("a"), {"description": "no name"}], "nextCursor": "2"},
        "2": {"tools": [tool("b", type="object", properties={"x": {"$ref": "#/$defs/X"}})]},
    }
    scripted.answers["tools/list"] = lambda message: result(
        message, pages[message["params"].get("cursor")]
    )
    assert [item.name for item in client.tools(at(scripted))] == ["a", "b"]
    client.tools(at(scripted))
    assert scripted.methods.count("tools/list") == 2
    clock.now = KEPT_S
    client.tools(at(scripted))
    assert scripted.methods.count("tools/list") == 4
    client.tools(at(scripted, Other="x"))
    assert scripted.methods.count("tools/list") == 6


@pytest.mark.parametrize("listed", [5, "abc", {"a": 1}])
def test_a_list_that_is_none_is_said_and_not_asked_for_every_turn(client, scripted, clock, listed):
    scripted.answers["tools/list"] = lambda message: result(message, {"tools": listed})
    for _ in range(2):
        with pytest.raises(Unavailable, match="is no list"):
            client.tools(at(scripted))
    assert scripted.methods.count("tools/list") == 1
    clock.now = FAILED_KEPT_S
    scripted.answers["tools/list"] = lambda message: result(message, {"tools": [tool("a")]})
    assert [item.name for item in client.tools(at(scripted))] == ["a"]


def test_of_a_stream_only_the_answer_is_read(client, scripted):
    def answer(message):
        good = {"jsonrpc": "2.0", "id": message["id"], "result": {"content": words("found")}}
        note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}
        asked = {"jsonrpc": "2.0", "id": message["id"], "method": "ping"}
        status, headers, pieces = events(note, asked, {**good, "id": 99_999}, good)

        def slowly():
            for piece in b"".join([b": hello\n\n", *pieces]).splitlines(keepends=True):
                yield piece[:7]
                yield piece[7:]
            scripted.released.wait(30)  # the stream stays open; nobody waits for its end

        return status, headers, slowly()

    scripted.answers["tools/call"] = answer
    assert client.call(at(scripted), "look_up", {}) == {"result": "found"}


@pytest.mark.parametrize(
    ("value", "response"),
    [
        ({"content": words('{"a": 1}')}, {"result": {"a": 1}}),
        ({"content": words("17")}, {"result": "17"}),
        ({"content": words("x"), "structuredContent": {"a": 1}}, {"result": {"a": 1}}),
        ({"content": words("x"), "structuredContent": {"result": [1]}}, {"result": [1]}),
        ({"content": words("bad id"), "isError": True}, {"error": "bad id"}),
        ({"isError": True}, {"error": "the tool failed and does not say why"}),
        ({"content": [{"type": "image", "data": "AA=="}]}, "(image: not read"),
        ({"content": [{"type": "resource", "resource": {"text": "t"}}]}, {"result": "t"}),
        ({}, {"result": ""}),
    ],
)
def test_what_a_tool_returns(client, scripted, value, response):
    scripted.answers["tools/call"] = lambda message: result(message, value)
    found = client.call(at(scripted), "look_up", {})
    assert found == response or found["result"].startswith(response)


@pytest.mark.parametrize(
    ("answer", "words_"),
    [
        ((500, {}, b"broken"), "HTTP 500: broken"),
        ((401, {}, b""), "HTTP 401"),
        ((307, {"Location": "http://169.254.169.254/"}, b""), "redirects are not followed"),
        ((200, {"Content-Type": "application/json"}, b"<html>"), "no JSON"),
        ((200, {"Content-Type": "application/json"}, b'{"id": 12345, "result": {}}'), "no answer"),
        ((200, {"Content-Type": "text/event-stream"}, b"data: {}\n\n"), "no answer"),
        ((200, {"Content-Type": "application/json"}, b"x" * 1_048_577), "1,048,576 bytes"),
        (
            lambda m: (200, {}, b'{"id": %d, "error": {"code": -1, "message": "no"}}' % m["id"]),
            "no",
        ),
        (lambda m: (200, {}, b'{"id": %d}' % m["id"]), "has no result"),
    ],
)
def test_what_goes_wrong_there_is_the_tools_error(client, scripted, answer, words_):
    scripted.answers["tools/call"] = answer
    assert words_ in client.call(at(scripted), "look_up", {})["error"]
    scripted.answers["tools/list"] = answer
    with pytest.raises(Unavailable) as failure:
        client.tools(at(scripted))
    assert words_ in failure.value.message


def test_a_server_that_hangs_or_drips_is_left(client, scripted):
    def drips(message):
        def pieces():
            while not scripted.released.wait(0.05):
                yield b": still there\n\n"

        return 200, {"Content-Type": "text/event-stream"}, pieces()

    scripted.answers["tools/call"] = drips
    found = client.call(at(scripted, timeout_s=0.5), "look_up", {})
    assert found == {"error": "there was no answer within 0.5 s"}
    asked = []
    work = Work(is_gone=lambda: asked.append(1) or len(asked) > 20)
    with pytest.raises(Cancelled):
        client.call(at(scripted), "look_up", {}, work=work)


def test_a_version_that_is_not_spoken_is_said(client, scripted):
    scripted.answers["initialize"] = lambda message: result(message, {"protocolVersion": "1999"})
    assert '"1999"' in client.call(at(scripted), "look_up", {})["error"]


def test_a_server_without_end_of_its_list_is_left(client, scripted, clock):
    scripted.answers["tools/list"] = lambda message: result(
        message, {"tools": [], "nextCursor": "again"}
    )
    with pytest.raises(Unavailable, match="more than 50 pages"):
        client.tools(at(scripted))
    clock.now = FAILED_KEPT_S
    many = {"tools": [tool(str(number)) for number in range(501)]}
    scripted.answers["tools/list"] = lambda message: result(message, many)
    with pytest.raises(Unavailable, match="more than 500 tools"):
        client.tools(at(scripted))


def test_no_host_is_called_that_the_operator_does_not_name(scripted):
    client = McpClient(frozenset({"api.example.com"}))
    for asked in (client.tools, lambda server: client.call(server, "look_up", {})):
        with pytest.raises(FailedPrecondition) as failure:
            asked(at(scripted))
        assert failure.value.reason == "HOST_NOT_ALLOWED"
    assert scripted.seen == []
