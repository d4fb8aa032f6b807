"""A network that is given the same numbers again in the same process answers from memory.

A third of what the tests of answers take is networks that read what they have read before: the same
few documents, questions and phrases, test after test. ONNX Runtime's outputs depend on nothing but
the inputs, so they are kept. Tests marked `real_runs` are about the runs themselves (that they are
alike, how long they take, that they end) and get none from memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

_MOST = 20_000
"""Runs that are kept; most are a few kilobytes."""
_REAL: Any = onnxruntime.InferenceSession
_outputs: dict[bytes, list[Any]] = {}
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
        found = _outputs.get(key)
        if found is None:
            found = super().run(names, feed, run_options)
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


def install() -> None:
    """Make every session that is opened from now on such a one."""
    onnxruntime.InferenceSession = RememberingSession


@contextmanager
def real_runs() -> Iterator[None]:
    """Run every network while this is entered."""
    before, _state["remembers"] = _state["remembers"], False
    try:
        yield
    finally:
        _state["remembers"] = before
