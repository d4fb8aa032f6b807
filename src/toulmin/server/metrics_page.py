"""`/metrics`: what the process counts, in Prometheus' text format, version 0.0.4.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from toulmin import __version__, metrics
from toulmin.callers import Caller
from toulmin.errors import PermissionDenied
from toulmin.metrics import Sample

PATH: Final = "/metrics"
CONTENT_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"

_STARTED: Final = time.time()
_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def require_reader(caller: Caller) -> None:
    """Return if the caller may see the figures, which are of all projects together.

    Raises:
        PermissionDenied: It may use some projects only.
    """
    if caller.projects is not None:
        raise PermissionDenied(
            "/metrics has figures of all projects; this caller may use some only. Use a key made"
            " with --all-projects, or set metrics_open",
            reason="PROJECT_DENIED",
        )


def metrics_page() -> bytes:
    """Return the page; reads the database for the index's lag, so not on the event loop."""
    parts: list[str] = []
    for metric in metrics.METRICS:
        parts += _lines(metric.name, metric.kind, metric.about, metric.samples())
    for name, kind, about, value in _process():
        parts += _lines(name, kind, about, [Sample("", (), value)])
    info = Sample("", (("version", __version__),), 1)
    parts += _lines("toulmin_build_info", "gauge", "The version that runs.", [info])
    return "".join(parts).encode()


@contextmanager
def reading(pairs: Iterable[tuple[metrics.Gauge, Callable[[], float]]]) -> Iterator[None]:
    """Ask each source for its gauge while the body of a `with` runs."""
    with ExitStack() as stack:
        for gauge, source in pairs:
            stack.enter_context(gauge.reading(source))
        yield


def _lines(name: str, kind: str, about: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {about.translate(_ESCAPES)}\n# TYPE {name} {kind}\n"
    for sample in samples:
        pairs = ",".join(f'{label}="{value.translate(_ESCAPES)}"' for label, value in sample.labels)
        yield f"{name}{sample.suffix}{f'{{{pairs}}}' if pairs else ''} {sample.value:.12g}\n"


def _process() -> Iterator[tuple[str, str, str, float]]:
    """Yield what Prometheus' own libraries say of a process, under the same names."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    seconds = usage.ru_utime + usage.ru_stime
    yield "process_cpu_seconds_total", "counter", "Processor time used.", seconds
    yield "process_start_time_seconds", "gauge", "When the process began, Unix time.", _STARTED
    if sys.platform == "linux":
        yield "process_resident_memory_bytes", "gauge", "Memory in use.", _resident()
        yield (
            "process_open_fds",
            "gauge",
            "Open files and sockets.",
            sum(1 for _ in Path("/proc/self/fd").iterdir()),
        )


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
