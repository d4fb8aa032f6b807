"""A proxy in front of a port that can hold back all that goes through it, and forget it."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Self

HOST = "127.0.0.1"
_PIECE = 65_536


class Between:
    """Takes connections on a free port of 127.0.0.1 and passes them on to another.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server((HOST, 0), backlog=128)
        self.port = int(self._listener.getsockname()[1])
        self._flows = threading.Event()
        self._flows.set()
        self._lock = threading.Lock()
        self._lost: set[socket.socket] = set()
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        with self._lock:
            opened = list(self._open)
        for one in opened:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._flows.set()

    def cut(self) -> None:
        """Hold back what comes from now on, new connections too; nobody is told."""
        self._flows.clear()

    def restore(self, *, forget: bool) -> None:
        """Let all go on; with `forget` only new connections: the old ones stay open and dead."""
        if forget:
            with self._lock:
                self._lost |= self._open
        self._flows.set()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                one, _ = self._listener.accept()
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self._lock:
                    self._open.add(one)
                threading.Thread(target=self._serve, args=(one,), daemon=True).start()

    def _serve(self, one: socket.socket) -> None:
        self._flows.wait()
        with self._lock:
            lost = one in self._lost
        if lost:
            _swallow(one)
            self._closed(one)
            return
        try:
            other = socket.create_connection((HOST, self._target))
            other.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:
            self._closed(one)
            return
        with self._lock:
            self._open.add(other)
        back = threading.Thread(target=self._pass_on, args=(other, one, one), daemon=True)
        back.start()
        self._pass_on(one, other, one)
        back.join()
        self._closed(one)
        self._closed(other)

    def _pass_on(self, source: socket.socket, sink: socket.socket, client: socket.socket) -> None:
        """Pass bytes on until one side closes."""
        with contextlib.suppress(OSError):
            while piece := source.recv(_PIECE):
                self._flows.wait()
                with self._lock:
                    lost = client in self._lost
                if not lost:
                    sink.sendall(piece)
        with self._lock:
            lost = client in self._lost
        if not lost or source is client:  # a server that hangs up is not heard of on a dead line
            with contextlib.suppress(OSError):
                sink.shutdown(socket.SHUT_RDWR)

    def _closed(self, one: socket.socket) -> None:
        with self._lock:
            self._open.discard(one)
            self._lost.discard(one)
        one.close()


def _swallow(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while one.recv(_PIECE):
            pass
