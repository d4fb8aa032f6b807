"""A server of the product whose recording of metrics is switched while it runs, for `metrics_cost`.

    python -m benchmarks.speed.switched_server [FLAGS OF toulmin serve]

Prints its port. Then each line on standard input is a word, answered with the processor seconds that
the process has used so far: `on`, `off` (which also switch), `page` (which also writes /metrics
once). The end of the input ends it. Off, everything in `toulmin.metrics` that records does nothing,
and what only feeds it is not run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from toulmin import metrics
from toulmin.apis.handlers import build_registry
from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.server import request_log
from toulmin.server.lifecycle import create_server
from toulmin.server.metrics_page import metrics_page
from toulmin.services import build_services

# Where something records, and its name there.
_RECORDERS: Final[tuple[tuple[Any, str], ...]] = (
    (metrics.Counter, "add"),
    (metrics.Histogram, "observe"),
    (metrics.Histogram, "observe_all"),
    (metrics, "note_support"),
    (metrics, "model_run"),
    (request_log, "_count"),
)


class Switch:
    """Turns recording off and on again."""

    def __init__(self) -> None:
        self._as_shipped = [getattr(owner, name) for owner, name in _RECORDERS]

    def turn(self, *, on: bool) -> None:
        """Record from now on, or do not."""
        for (owner, name), shipped in zip(_RECORDERS, self._as_shipped, strict=True):
            setattr(owner, name, shipped if on else _silent(name))


def _silent(name: str) -> Callable[..., Any]:
    return _no_run if name == "model_run" else _nothing


def _nothing(*_: object, **__: object) -> None:
    return None


@contextmanager
def _no_run(_model: str) -> Iterator[None]:
    yield


def main() -> None:
    """Serve until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_settings_flags(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="toulmin-benchmark-") as folder:
        arguments.data_dir = folder
        arguments.port = 0
        settings = settings_from(arguments)
        request_log.configure_logging(settings.log_format)
        services = build_services(settings)
        server = create_server(build_registry(services), settings, services.is_ready)
        services.checker()
        server.start()
        try:
            _say(server.port)
            _obey(Switch())
        finally:
            server.stop()
            services.close()


def _obey(switch: Switch) -> None:
    for line in sys.stdin:
        word = line.strip()
        if word == "page":
            metrics_page()
        else:
            switch.turn(on=word == "on")
        _say(time.process_time())


def _say(value: float) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(1, f"{value!r}\n".encode())


if __name__ == "__main__":
    main()
