import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import grpc
import pytest

from tests.patience import PATIENCE_S, SOON_S, wait_for
from tests.server.conftest import STREAM, check, connect, post, read_reply
from toulmin.errors import FailedPrecondition

GRPC_CHECK = "/google.cloud.discoveryengine.v1.GroundedGenerationService/CheckGrounding"


def in_thread(function, *arguments):
    results = []

    def run():
        with contextlib.suppress(OSError, http.client.HTTPException):
            results.append(function(*arguments))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, results


def test_a_free_port_is_taken(serve):
    server = serve()
    assert server.port > 0
    assert server.url == f"http://127.0.0.1:{server.port}"


def test_an_address_in_use_is_said_so(serve, server):
    with pytest.raises(FailedPrecondition, match=str(server.port)):
        serve(port=server.port)


def test_ipv6_loopback(serve):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 here")
    server = serve(host="::1")
    assert server.url == f"http://[::1]:{server.port}"


def test_nothing_is_left_behind(serve):
    threads = threading.active_count()
    server = serve()
    check(server, "hello")
    server.stop()
    wait_for(lambda: threading.active_count() <= threads)


def test_stopping_twice_or_before_the_start_is_harmless(serve):
    server = serve()
    assert server.stop()
    assert server.stop()


def accepts(server):
    try:
        connect(server).close()
    except OSError:
        return False
    return True


def test_requests_in_flight_finish_and_new_ones_are_not_taken(server, script):
    rest, rest_replies = in_thread(check, server, "hold")
    assert script.entered.acquire(timeout=PATIENCE_S)
    channel = grpc.insecure_channel(f"127.0.0.1:{server.port}")
    call = channel.unary_unary(GRPC_CHECK).future(b"\x12\x04hold", timeout=PATIENCE_S)
    assert script.entered.acquire(timeout=PATIENCE_S)
    stop, stopped = in_thread(server.stop)
    wait_for(lambda: not accepts(server))
    assert stop.is_alive()
    script.release.set()
    rest.join(PATIENCE_S)
    assert rest_replies[0].status == 200
    assert rest_replies[0].headers["connection"] == "close"
    assert call.result(timeout=PATIENCE_S)
    stop.join(PATIENCE_S)
    assert stopped == [True]
    channel.close()


def test_a_stream_in_flight_finishes(server, script):
    stream, replies = in_thread(post, server, STREAM, {"query": {"text": "5 slow"}})
    assert script.entered.acquire(timeout=PATIENCE_S)
    assert server.stop()
    stream.join(PATIENCE_S)
    assert len(replies[0].json) == 5


def test_an_idle_connection_is_closed_at_once(serve, script):
    server = serve()
    holder, _ = in_thread(check, server, "hold")
    assert script.entered.acquire(timeout=PATIENCE_S)
    with connect(server) as idle:
        idle.sendall(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert read_reply(idle).status == 200
        stop, _ = in_thread(server.stop)
        assert idle.recv(65536) == b""
        assert stop.is_alive()
    script.release.set()
    stop.join(PATIENCE_S)
    holder.join(PATIENCE_S)


def test_requests_that_do_not_finish_in_time_are_ended(server, script):
    rest, replies = in_thread(check, server, "watch")
    assert script.entered.acquire(timeout=PATIENCE_S)
    started = time.monotonic()
    server.stop(timeout_s=0.2)
    assert time.monotonic() - started < SOON_S
    rest.join(PATIENCE_S)
    assert (replies[0].status, replies[0].error["status"]) == (503, "UNAVAILABLE")
    assert replies[0].headers["retry-after"] == "1"
    assert [
        detail.get("reason", detail.get("retryDelay")) for detail in replies[0].error["details"]
    ] == [
        "SHUTTING_DOWN",
        "1s",
    ]
    assert script.stopped.wait(PATIENCE_S)


def test_a_handler_that_does_not_stop_cannot_hold_the_server(server, script):
    rest, replies = in_thread(check, server, "hold")
    assert script.entered.acquire(timeout=PATIENCE_S)
    assert not server.stop(timeout_s=0.1)  # it returns, though the handler has not
    rest.join(PATIENCE_S)
    assert replies[0].status == 503


SCRIPT = """
import sys
from tests.server.handlers import Script, make_registry
from toulmin.cli.serve import serve_until_stopped
from toulmin.server.lifecycle import create_server
from toulmin.server.request_log import configure_logging
from toulmin.settings import load_settings


class Held(Script):
    def _do_hold(self, rest, context):
        print("entered", flush=True)
        sys.stdin.readline()


settings = load_settings(flags={"port": 0, "shutdown_timeout_s": float(sys.argv[1])}, environment={})
configure_logging("json")
server = create_server(make_registry(Held()), settings, lambda: True)
sys.exit(serve_until_stopped(server, settings))
"""


class Process:
    """`toulmin serve` with scripted handlers in a process of its own."""

    def __init__(self, shutdown_timeout_s):
        root = Path(__file__).parents[2]
        self.popen = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(SCRIPT), str(shutdown_timeout_s)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"},
        )
        first = self.popen.stdout.readline()
        self.port = int(first.strip().rpartition(":")[2])

    def hold(self):
        """Send a request that is held until `let_go`; return the thread and its replies."""
        started = in_thread(check, self, "hold")
        while self.popen.stdout.readline() != "entered\n":
            assert self.popen.poll() is None
        return started

    def let_go(self):
        self.popen.stdin.write("\n")
        self.popen.stdin.flush()

    def end(self):
        """Return exit code and log lines; what is held stays so."""
        self.popen.wait(PATIENCE_S)
        return self.popen.returncode, [json.loads(line) for line in self.popen.stderr]


@pytest.fixture
def process():
    started = []

    def start(shutdown_timeout_s=20.0):
        started.append(Process(shutdown_timeout_s))
        return started[-1]

    yield start
    for each in started:
        if each.popen.poll() is None:
            each.popen.kill()
        each.popen.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_the_request_finish_and_exits_with_0(process, number):
    server = process()
    rest, replies = server.hold()
    server.popen.send_signal(number)
    wait_for(lambda: not accepts(server))
    assert not replies
    server.let_go()
    rest.join(PATIENCE_S)
    assert replies[0].status == 200
    code, log = server.end()
    assert code == 0
    assert [line["code"] for line in log if line["message"] == "request"] == ["OK"]


def test_a_signal_and_a_deadline_end_a_stubborn_request_and_exit_with_0(process):
    server = process(0.3)
    rest, replies = server.hold()
    server.popen.send_signal(signal.SIGTERM)
    code, _ = server.end()
    assert code == 0
    rest.join(PATIENCE_S)
    assert replies[0].status == 503


def test_a_second_interrupt_exits_at_once(process):
    server = process()
    server.hold()
    server.popen.send_signal(signal.SIGINT)
    wait_for(lambda: not accepts(server))
    assert server.popen.poll() is None
    server.popen.send_signal(signal.SIGINT)
    code, _ = server.end()
    assert code == 130
