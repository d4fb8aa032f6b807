"""Many connections at a time: half a handshake each, all at work, not reading, or simply many."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path

from benchmarks.reliability.attacked import CHECK, SMALL, attacked, measure, memory, others
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import HOST, ServerProcess

_STORE = "projects/p/locations/global/collections/default_collection/dataStores/s"
_CLIENT_HELLO = b"\x16\x03\x01\x02\x00\x01\x00"
_MB = 1024 * 1024
_ALLOWED = 1010  # max_connections, and a few of its own
_SETTLED = 0.2
_GROWTH_MB = 30
_READERS = 32


def half_handshakes(place: Path, *, connections: int) -> Outcome:
    """TLS handshakes of which the first bytes are sent."""
    outcome = Outcome(f"{connections:,} TLS handshakes, begun and not ended")
    with attacked(place, outcome, "--tls") as server, _open(server, connections) as sockets:
        for one in sockets:
            with contextlib.suppress(OSError):
                one.sendall(_CLIENT_HELLO)
        outcome.figures["opened"] = len(sockets)
        time.sleep(1.0)
        outcome.figures["held_by_the_server"] = _sockets_of(server)
        measure(server, outcome)
        held = outcome.figures["held_by_the_server"]
        outcome.check(held <= _ALLOWED, f"{held} connections held, {_ALLOWED} allowed")
    return outcome


def all_at_work(place: Path, *, connections: int) -> Outcome:
    """Connections of one address, each with a long request: one too many is told so.

    Another address (127.0.0.2, which is this machine's, too) is served meanwhile.
    """
    outcome = Outcome(f"{connections} connections of one address, each with a long request")
    sentences = " ".join(f"Pump number {n} has a warranty of {n} months." for n in range(100))
    facts = [{"factText": f"Pump {n} has a warranty of {n} months."} for n in range(200)]
    body = json.dumps({"answerCandidate": sentences, "facts": facts}).encode()
    head = f"POST /v1/{CHECK} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
    with attacked(place, outcome) as server, _open(server, 0) as sockets:
        answers: Counter[str] = Counter()
        for _ in range(connections):
            one = socket.create_connection((HOST, server.port), timeout=30)
            sockets.append(one)
            with contextlib.suppress(OSError):
                one.sendall(head.encode() + body)
        elsewhere = socket.create_connection(
            (HOST, server.port), timeout=30, source_address=("127.0.0.2", 0)
        )
        sockets.append(elsewhere)
        elsewhere.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
        outcome.figures["another_address"] = _status(elsewhere)
        outcome.check(outcome.figures["another_address"] == "200", "another address is kept out")
        for one in sockets[-100:-1]:
            answers[_status(one)] += 1
        outcome.figures["the_last_of_them"] = dict(answers)
        outcome.check(set(answers) <= {"429", "200"}, f"answered {dict(answers)}")
        outcome.check(answers["429"], "nobody was told")
    return outcome


def _status(connection: socket.socket) -> str:
    connection.settimeout(60)
    try:
        said = connection.recv(64)
    except OSError as error:
        return type(error).__name__
    return said[9:12].decode("latin-1") or "closed"


def slow_readers(place: Path, *, clients: int, response_mb: int) -> Outcome:
    """Clients that ask for a large document and read nothing."""
    outcome = Outcome(f"{clients} clients that ask for {response_mb} MB and do not read")
    with attacked(place, outcome) as server:
        server.create_store()
        data = {"structData": {"text": "x" * (response_mb * _MB)}}
        name = f"{_STORE}/branches/0/documents"
        status, answer = server.call("POST", f"{name}?documentId=large", data)
        outcome.check(status == 200, f"{status} {str(answer)[:200]}")
        _read_by_many(server, f"{name}/large")
        outcome.figures["memory_before_mb"] = memory(server)  # as those who read leave it
        request = f"GET /v1/{name}/large HTTP/1.1\r\nhost: localhost\r\n\r\n".encode()
        with _open(server, clients, receive_bytes=4096) as sockets:
            for one in sockets:
                one.sendall(request)
            time.sleep(5.0)
            measure(server, outcome)
        time.sleep(2.0)
        outcome.figures["memory_after_mb"] = memory(server)
    return outcome


def _read_by_many(server: ServerProcess, name: str) -> None:
    threads = [threading.Thread(target=server.call, args=("GET", name)) for _ in range(_READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def many_clients(place: Path, *, clients: int, seconds: float) -> Outcome:
    """Clients that check small answers one after the other: none fails, memory stays flat."""
    outcome = Outcome(f"{clients} clients at once for {seconds:.0f} s")
    with attacked(place, outcome) as server:
        end = time.monotonic() + seconds
        said: Counter[str] = Counter()
        lock = threading.Lock()
        threads = [
            threading.Thread(target=_ask, args=(server, end, said, lock)) for _ in range(clients)
        ]
        for thread in threads:
            thread.start()
        time.sleep(seconds * _SETTLED)
        early = memory(server)
        series = [early]
        while time.monotonic() < end:
            time.sleep(min(5.0, max(0.1, end - time.monotonic())))
            series.append(memory(server))
        for thread in threads:
            thread.join()
        outcome.figures |= {
            "answers": dict(said),
            "memory_after_a_fifth_mb": early,
            "memory_at_the_end_mb": series[-1],
            "memory_most_mb": max(series),
            "others_after_ms": others(server),
        }
        outcome.check(set(said) == {"200"}, f"answered {dict(said)}")
        outcome.check(series[-1] - early < _GROWTH_MB, f"{series[-1] - early} MB more at the end")
    return outcome


def _ask(server: ServerProcess, end: float, said: Counter[str], lock: threading.Lock) -> None:
    connection = server.connection()
    body = json.dumps(SMALL)
    while time.monotonic() < end:
        try:
            connection.request("POST", f"/v1/{CHECK}", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            response.read()
            answer = str(response.status)
        except (OSError, HTTPException) as error:
            answer = type(error).__name__
            connection.close()
        with lock:
            said[answer] += 1
    connection.close()


def _sockets_of(server: ServerProcess) -> int:
    """Return how many sockets the server holds; a few are its own."""
    found = 0
    for path in Path(f"/proc/{server.process.pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            found += str(path.readlink()).startswith("socket:")
    return found


@contextmanager
def _open(
    server: ServerProcess, count: int, *, receive_bytes: int = 0
) -> Iterator[list[socket.socket]]:
    """Open connections; close them, and those that were added, in the end."""
    sockets: list[socket.socket] = []
    try:
        for _ in range(count):
            one = socket.socket()
            if receive_bytes:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
            one.settimeout(10)
            with contextlib.suppress(OSError):
                one.connect((HOST, server.port))
                sockets.append(one)
        yield sockets
    finally:
        for one in sockets:
            one.close()
