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

from tests.server.conftest import STREAM, check, connect, post
from toulmin.errors import FailedPrecondition

GRPC_CHECK = "/google.cloud.discoveryengine.v1.GroundedGenerationService/CheckGrounding"


def in_thread(function, *arguments):
    results = []
    thread = threading.Thread(target=lambda: results.append(function(*arguments)), daemon=True)
    thread.start()
    return thread, results


def test_starting_is_quick_and_takes_a_free_port(serve):
    serve()
    started = time.process_time()
    server = serve()
    assert time.process_time() - started < 0.5
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
    limit = time.monotonic() + 5
    while threading.active_count() > threads and time.monotonic() < limit:
        time.sleep(0.01)
    assert threading.active_count() <= threads


def test_stopping_twice_or_before_the_start_is_harmless(serve):
    server = serve()
    assert server.stop()
    assert server.stop()


def test_requests_in_flight_finish_and_new_ones_are_not_taken(server, script):
    rest, rest_replies = in_thread(check, server, "hold")
    assert script.entered.acquire(timeout=5)
    channel = grpc.insecure_channel(f"127.0.0.1:{server.port}")
    call = channel.unary_unary(GRPC_CHECK).future(b"\x12\x04hold", timeout=20)
    assert script.entered.acquire(timeout=5)
    stop, stopped = in_thread(server.stop)
    limit = time.monotonic() + 5
    while time.monotonic() < limit:
        try:
            connect(server).close()
            time.sleep(0.01)
        except OSError:
            break
    else:
        raise AssertionError("the server still accepts connections")
    assert stop.is_alive()
    script.release.set()
    rest.join(5)
    assert rest_replies[0].status == 200
    assert rest_replies[0].headers["connection"] == "close"
    assert call.result(timeout=5)
    stop.join(5)
    assert stopped == [True]
    channel.close()


def test_a_stream_in_flight_finishes(server, script):
    stream, replies = in_thread(post, server, STREAM, {"query": {"text": "5 slow"}})
    assert script.entered.acquire(timeout=5)
    assert server.stop()
    stream.join(5)
    assert len(replies[0].json) == 5


def test_an_idle_connection_is_closed_at_once(serve, script):
    server = serve()
    holder, _ = in_thread(check, server, "hold")
    assert script.entered.acquire(timeout=5)
    with connect(server) as idle:
        idle.sendall(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n")
        time.sleep(0.1)
        stop, _ = in_thread(server.stop)
        parts = b""
        while part := idle.recv(65536):
            parts += part
        assert parts.startswith(b"HTTP/1.1 200")
    script.release.set()
    stop.join(5)
    holder.join(5)


def test_requests_that_do_not_finish_in_time_are_ended(server, script):
    rest, replies = in_thread(check, server, "watch")
    assert script.entered.acquire(timeout=5)
    started = time.monotonic()
    server.stop(timeout_s=0.2)
    assert time.monotonic() - started < 3
    rest.join(5)
    assert (replies[0].status, replies[0].error["status"]) == (503, "UNAVAILABLE")
    assert script.stopped.wait(2)


def test_a_handler_that_does_not_stop_cannot_hold_the_server(server, script):
    rest, replies = in_thread(check, server, "stubborn 3")
    assert script.entered.acquire(timeout=5)
    started = time.monotonic()
    assert not server.stop(timeout_s=0.1)
    assert time.monotonic() - started < 2.5
    rest.join(5)
    assert replies[0].status == 503


SCRIPT = """
import sys
from tests.server.handlers import Script, make_registry
from toulmin.cli.serve import serve_until_stopped
from toulmin.server import create_server
from toulmin.server.request_log import configure_logging
from toulmin.settings import load_settings

settings = load_settings(flags={"port": 0, "shutdown_timeout_s": float(sys.argv[1])}, environment={})
configure_logging("json")
server = create_server(make_registry(Script()), settings, lambda: True)
sys.exit(serve_until_stopped(server, settings))
"""


class Process:
    """`toulmin serve` with scripted handlers in a process of its own."""

    def __init__(self, shutdown_timeout_s):
        root = Path(__file__).parents[2]
        self.popen = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(SCRIPT), str(shutdown_timeout_s)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"},
        )
        first = self.popen.stdout.readline()
        self.port = int(first.strip().rpartition(":")[2])

    def end(self):
        """Return exit code and log lines."""
        _, errors = self.popen.communicate(timeout=20)
        return self.popen.returncode, [json.loads(line) for line in errors.splitlines()]


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
    rest, replies = in_thread(check, server, "stubborn 1")
    time.sleep(0.5)
    server.popen.send_signal(number)
    rest.join(10)
    assert replies[0].status == 200
    code, log = server.end()
    assert code == 0
    assert [line["code"] for line in log if line["message"] == "request"] == ["OK"]


def test_a_signal_and_a_deadline_end_a_stubborn_request_and_exit_with_0(process):
    server = process(0.3)
    rest, replies = in_thread(check, server, "stubborn 15")
    time.sleep(0.5)
    started = time.monotonic()
    server.popen.send_signal(signal.SIGTERM)
    code, _ = server.end()
    assert code == 0
    assert time.monotonic() - started < 5
    rest.join(5)
    assert replies[0].status == 503


def test_a_second_interrupt_exits_at_once(process):
    server = process()
    in_thread(swallow, server)
    time.sleep(0.5)
    server.popen.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert server.popen.poll() is None
    started = time.monotonic()
    server.popen.send_signal(signal.SIGINT)
    code, _ = server.end()
    assert code == 130
    assert time.monotonic() - started < 2


def swallow(server):
    with contextlib.suppress(OSError, http.client.HTTPException):
        check(server, "stubborn 15")
