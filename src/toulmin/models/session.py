"""How a network of ONNX Runtime is opened, for all models: one thread a run, no memory kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnxruntime


def open_session(network: Path, *, keeps_memory: bool = False, without: Sequence[str] = ()) -> Any:
    """Return a session that runs on the thread that calls it.

    Args:
        network: The file of the network.
        keeps_memory: Whether memory of a run is kept for the next; it is never returned.
        without: Optimizations that are not to be made.
    """
    options = onnxruntime.SessionOptions()
    # Several runs at the same time use the cores (see `pool`).
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # The arena never returns memory; inputs are small, so plain allocation costs nothing.
    options.enable_cpu_mem_arena = keeps_memory
    # Without VNNI (x86 processors of before 2019, AMD's of before 2022) sums of two 8-bit products
    # are cut off at 16 bits, and scores are wrong; this takes exact ones there, a fifth slower.
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        str(network),
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=list(without) or None,
    )
