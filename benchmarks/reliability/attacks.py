"""Clients that want no answer: they are to cost little, and keep nobody else out.

    python -m benchmarks.reliability.attacks [--only NAMES] [--state NAME]

Writes `benchmarks/results/attacks.json`; what is there of other states stays. Each starts `toulmin serve`, measures what another client gets, attacks, and measures again. Bytes
are made by hand, without a client's library, so that the same attack meets any server.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import gzip
import json
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.measurement import RESULTS, commit, machine
from benchmarks.reliability import crowds
from benchmarks.reliability.attacked import attacked, cost, cpu, hang_up, measure, post
from benchmarks.reliability.long_crowd import long_crowd
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import HOST

_GRPC_CHECK = "/google.cloud.discoveryengine.v1.GroundedGenerationService/CheckGrounding"
_DATA, _HEADERS, _SETTINGS, _WINDOW = 0, 1, 4, 8
_END_HEADERS = 4
CROWD_S = 300
LONG_CROWD_S = 600
_MB = 1024 * 1024


def half_open(place: Path, *, connections: int) -> Outcome:
    """Connections over HTTP/2 with a stream each and no message."""
    outcome = Outcome(f"{connections} HTTP/2 connections, each with an open stream and no message")
    with attacked(place, outcome) as server:
        sockets = []
        for _ in range(connections):
            with contextlib.suppress(OSError):
                sockets.append(_greeted(server.port))
        outcome.figures["opened"] = len(sockets)
        for connection in sockets:
            with contextlib.suppress(OSError):
                connection.sendall(_frame(_HEADERS, _END_HEADERS, 1, _headers()))
        measure(server, outcome)
        for connection in sockets:
            connection.close()
    return outcome


def unfinished(place: Path, *, streams: int, message_mb: int) -> Outcome:
    """Messages of which all but the last byte is sent, on one connection."""
    outcome = Outcome(f"{streams} unfinished messages of {message_mb} MB on one connection")
    with attacked(place, outcome) as server:
        sender = _Sender(server.port)
        size = message_mb * _MB
        sender.run(streams, struct.pack(">BI", 0, size), size - 1)
        outcome.figures["sent_mb"] = round(sender.sent / _MB)
        measure(server, outcome)
        sender.close()
    return outcome


def packed(place: Path, *, streams: int, message_mb: int) -> Outcome:
    """Messages that are small on the wire and large when unpacked."""
    outcome = Outcome(f"{streams} messages of {message_mb} MB as gzip, never ended")
    body = gzip.compress(bytes(message_mb * _MB))
    with attacked(place, outcome) as server:
        sender = _Sender(server.port, (b"grpc-encoding", b"gzip"))
        sender.run(streams, struct.pack(">BI", 1, len(body)) + body, 0)
        outcome.figures["sent_mb"] = round(sender.sent / _MB, 2)
        measure(server, outcome)
        sender.close()
    return outcome


def one_line(place: Path, *, characters: int) -> Outcome:
    """A document of one line without spaces, whose caller hangs up after a second."""
    outcome = Outcome(f"a document of {characters:,} characters in one line; its caller hangs up")
    with attacked(place, outcome) as server:
        server.create_store(content=True)
        body = {
            "content": {"mimeType": "text/plain", "rawBytes": _base64("a." * (characters // 2))}
        }
        path = "projects/p/locations/global/collections/default_collection/dataStores/s"
        hang_up(server, f"{path}/branches/0/documents?documentId=d", body, outcome)
    return outcome


def many_values(place: Path, *, values: int) -> Outcome:
    """JSON of empty objects, packed."""
    outcome = Outcome(f"{values:,} empty facts in JSON, as gzip")
    body = gzip.compress(b'{"facts":[' + b"{}," * (values - 1) + b"{}]}")
    with attacked(place, outcome) as server:
        outcome.figures["sent_kb"] = round(len(body) / 1024)
        before = cpu(server)
        began = time.monotonic()
        outcome.figures["status"] = post(server, body, packed=True)
        outcome.figures["answered_after_s"] = round(time.monotonic() - began, 2)
        cost(outcome, cpu(server) - before, 2.0)
        measure(server, outcome)
    return outcome


def many_claims(place: Path, *, claims: int) -> Outcome:
    """An answer of sentences of one character."""
    outcome = Outcome(f"an answer of {claims:,} sentences of a character")
    fact = "漢字は中国の文字である。" * 800
    body = json.dumps({"answerCandidate": "漢。" * claims, "facts": [{"factText": fact}]})
    with attacked(place, outcome) as server:
        before = cpu(server)
        began = time.monotonic()
        outcome.figures["status"] = post(server, body.encode())
        outcome.figures["answered_after_s"] = round(time.monotonic() - began, 2)
        cost(outcome, cpu(server) - before, 2.0)
    return outcome


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _greeted(port: int) -> socket.socket:
    """Return a connection that speaks HTTP/2."""
    connection = socket.create_connection((HOST, port), timeout=5)
    connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(_SETTINGS, 0, 0, b""))
    return connection


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return (
        struct.pack(">I", len(payload))[1:]
        + bytes((kind, flags))
        + struct.pack(">I", stream)
        + payload
    )


def _headers(*more: tuple[bytes, bytes]) -> bytes:
    """Return the headers of a call as literals, which need no table."""
    pairs = (
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", _GRPC_CHECK.encode()),
        (b":authority", b"localhost"),
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
        *more,
    )
    return b"".join(
        b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in pairs
    )


class _Sender:
    """Sends to many streams of one connection, as far as the server's windows allow."""

    def __init__(self, port: int, *more: tuple[bytes, bytes]) -> None:
        self._socket = _greeted(port)
        self._headers = _headers(*more)
        self._windows: dict[int, int] = {}
        self._window = 65_535
        self._first_window = 65_535
        self._lock = threading.Condition()
        self._open = True
        self.sent = 0
        threading.Thread(target=self._read, daemon=True).start()
        time.sleep(0.5)  # until the server has said how much it takes

    def run(self, streams: int, start: bytes, zeros: int) -> None:
        """Send to each stream `start` and so many zeros; never end one."""
        left: dict[int, bytes | int] = {}
        with contextlib.suppress(OSError):
            for stream in range(1, 2 * streams, 2):
                with self._lock:
                    self._windows[stream] = self._first_window
                self._socket.sendall(_frame(_HEADERS, _END_HEADERS, stream, self._headers))
                left[stream] = len(start) + zeros
            self._pump(start, {stream: len(start) + zeros for stream in left})

    def _pump(self, start: bytes, left: dict[int, int]) -> None:
        total = dict(left)
        deadline = time.monotonic() + 60
        while left and self._open and time.monotonic() < deadline:
            progressed = False
            for stream in list(left):
                with self._lock:
                    size = min(left[stream], self._windows.get(stream, 0), self._window, 16_384)
                    if size <= 0:
                        if self._windows.get(stream, 0) < -(2**40):
                            del left[stream]
                        continue
                    self._windows[stream] -= size
                    self._window -= size
                at = total[stream] - left[stream]
                part = start[at : at + size]
                self._socket.sendall(_frame(_DATA, 0, stream, part + bytes(size - len(part))))
                left[stream] -= size
                self.sent += size
                progressed = True
                if not left[stream]:
                    del left[stream]
            if not progressed:
                with self._lock:
                    if not self._lock.wait(3.0):
                        return  # the server takes no more

    def close(self) -> None:
        """Go."""
        self._open = False
        self._socket.close()

    def _read(self) -> None:
        data = b""
        while self._open:
            try:
                more = self._socket.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                more = b""
            if not more:
                self._open = False
                return
            data += more
            while len(data) >= 9 and len(data) >= 9 + int.from_bytes(data[:3]):
                size = int.from_bytes(data[:3])
                self._take(data[3], data[4], int.from_bytes(data[5:9]), data[9 : 9 + size])
                data = data[9 + size :]

    def _take(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        with self._lock:
            if kind == _WINDOW:
                more = int.from_bytes(payload)
                if stream:
                    self._windows[stream] = self._windows.get(stream, 0) + more
                else:
                    self._window += more
            elif kind == _SETTINGS and not flags & 1:
                for at in range(0, len(payload), 6):
                    if int.from_bytes(payload[at : at + 2]) == 4:
                        self._first_window = int.from_bytes(payload[at + 2 : at + 6])
                self._socket.sendall(_frame(_SETTINGS, 1, 0, b""))
            elif (kind == _HEADERS and flags & 1) or kind == 3:
                self._windows[stream] = -(2**50)  # the server has ended it
            self._lock.notify_all()


ATTACKS: dict[str, Callable[[Path], Outcome]] = {
    "half-open": lambda place: half_open(place, connections=1000),
    "unfinished": lambda place: unfinished(place, streams=100, message_mb=31),
    "gzip": lambda place: packed(place, streams=100, message_mb=31),
    "one-line": lambda place: one_line(place, characters=2_000_000),
    "values": lambda place: many_values(place, values=10_000_000),
    "claims": lambda place: many_claims(place, claims=2_000),
    "handshakes": lambda place: crowds.half_handshakes(place, connections=2_000),
    "at-work": lambda place: crowds.all_at_work(place, connections=450),
    "slow-readers": lambda place: crowds.slow_readers(place, clients=200, response_mb=4),
    "clients": lambda place: crowds.many_clients(place, clients=64, seconds=CROWD_S),
    "crowd-10-minutes": lambda place: long_crowd(place, clients=64, seconds=LONG_CROWD_S),
}


def main() -> None:
    """Attack, and write what it cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(ATTACKS), help=f"of {', '.join(ATTACKS)}")
    parser.add_argument("--state", default="now", help="name of these figures")
    parser.add_argument("--out", type=Path, default=RESULTS / "attacks.json")
    arguments = parser.parse_args()
    content: dict[str, Any] = {"machine": machine(), "states": {}}
    if arguments.out.exists():
        content["states"] = json.loads(arguments.out.read_text(encoding="utf-8"))["states"]
    state = content["states"].setdefault(arguments.state, {})
    for name in arguments.only.split(","):
        with tempfile.TemporaryDirectory(prefix=f"attack-{name}-") as place:
            found = ATTACKS[name](Path(place)).as_json()
        state[name] = found | {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "commit": commit(),
        }
        print(name, json.dumps(found))
        arguments.out.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    sys.exit(any(found["failures"] for found in state.values()))


if __name__ == "__main__":
    main()
