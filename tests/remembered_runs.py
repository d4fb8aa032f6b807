"""A network that is given the same numbers again in the same process answers from memory.

A third of what the tests of answers take is networks that read what they have read before: the same
few documents, questions and phrases, test after test. ONNX Runtime's outputs depend on nothing but
the inputs, so they are kept. Tests marked `real_runs` are about the runs themselves (that they are
alike, how long they take, that they end) and get none from memory.

What a run has put out also lies in a folder that all processes of one `pytest` share (`share`), and
threads that want the same run at the same time wait for one of them.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

_MOST = 20_000
"""Runs that are kept; most are a few kilobytes."""
_REAL: Any = onnxruntime.InferenceSession
_FOLDER = "TESTS_REMEMBERED_RUNS"
"""The environment variable that names the folder."""
_WAIT_S = 60
"""How long a thread waits for another one's run; then it runs the network itself."""
_outputs: dict[bytes, list[Any]] = {}
_running: dict[bytes, threading.Event] = {}
_lock = threading.Lock()
_state = {"remembers": True}


class RememberingSession(_REAL):  # type: ignore[misc]
    """A session of ONNX Runtime."""

    def __init__(self, network: Any, *args: Any, **options: Any) -> None:
        super().__init__(network, *args, **options)
        content = network if isinstance(network, bytes) else Path(network).read_bytes()
        self._network = hashlib.blake2b(content, digest_size=16).digest()

    def run(self, names: Any, feed: Any, run_options: Any = None) -> Any:
        if not _state["remembers"]:
            return super().run(names, feed, run_options)
        key = self._key(names, feed)
        with _only_one(key):
            found = _outputs.get(key) or _read(key)
            if found is None:
                found = super().run(names, feed, run_options)
                _write(key, found)
            if len(_outputs) < _MOST:
                _outputs[key] = found
        return [output.copy() if isinstance(output, np.ndarray) else output for output in found]

    def _key(self, names: Any, feed: Any) -> bytes:
        told = hashlib.blake2b(self._network, digest_size=16)
        for name in sorted(feed):
            array = np.ascontiguousarray(feed[name])
            told.update(f"{name} {array.dtype} {array.shape} ".encode())
            told.update(array.tobytes())
        told.update(repr(names).encode())
        return told.digest()


@contextmanager
def _only_one(key: bytes) -> Iterator[None]:
    """Enter for one thread at a time; who waited finds the outputs in memory."""
    while key not in _outputs:
        with _lock:
            other = _running.get(key)
            if other is None:
                own = _running[key] = threading.Event()
                break
        if not other.wait(_WAIT_S):
            yield
            return
    else:
        yield
        return
    try:
        yield
    finally:
        with _lock:
            del _running[key]
        own.set()


def _read(key: bytes) -> list[Any] | None:
    """Return what another process put out, or None."""
    folder = os.environ.get(_FOLDER)
    if not folder:
        return None
    try:
        with np.load(Path(folder, f"{key.hex()}.npz")) as found:
            return list(found.values())
    except FileNotFoundError:
        return None


def _write(key: bytes, outputs: list[Any]) -> None:
    folder = os.environ.get(_FOLDER)
    if not folder or not all(isinstance(output, np.ndarray) for output in outputs):
        return
    own = Path(folder, f"{os.getpid()}-{threading.get_ident()}.npz")
    with suppress(OSError):  # the folder goes with the first process
        np.savez(own, *outputs)
        own.replace(Path(folder, f"{key.hex()}.npz"))


def install() -> None:
    """Make every session that is opened from now on such a one."""
    onnxruntime.InferenceSession = RememberingSession


@contextmanager
def share() -> Iterator[None]:
    """Have a folder for this process and all that it starts."""
    with tempfile.TemporaryDirectory(prefix="toulmin-tests-runs-") as folder:
        os.environ[_FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[_FOLDER]


@contextmanager
def real_runs() -> Iterator[None]:
    """Run every network while this is entered."""
    with _remembering(False):
        yield


@contextmanager
def remembered() -> Iterator[None]:
    """Answer from memory while this is entered: what a test of real runs only needs beside them."""
    with _remembering(True):
        yield


@contextmanager
def _remembering(remembers: bool) -> Iterator[None]:
    before, _state["remembers"] = _state["remembers"], remembers
    try:
        yield
    finally:
        _state["remembers"] = before
