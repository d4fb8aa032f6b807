"""`toulmin serve`: answers REST and gRPC requests until it is told to stop."""

from __future__ import annotations

import argparse
import logging
import os
import shlex
import signal
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING, Final

from toulmin.cli.heaps import keep_few_heaps
from toulmin.cli.settings_flags import add_settings_flags, settings_from

if TYPE_CHECKING:
    from toulmin.server.lifecycle import Server
    from toulmin.services import Services
    from toulmin.settings import Settings

_EXIT_AT_ONCE: Final = 130
_TRY_PATH: Final = "/v1/projects/p/locations/global/groundingConfigs/default_grounding_config:check"
_SAMPLE: Final = (
    "projects/default/locations/global/collections/default_collection/dataStores/sample"
)
_ASK_PATH: Final = f"/v1/{_SAMPLE}/servingConfigs/default_search:answer"
_ASK_BODY: Final = (
    '{"query": {"text": "When was the Eiffel Tower opened?"},'
    ' "answerGenerationSpec": {"includeCitations": true}}'
)
_TRY_BODY: Final = (
    '{"answerCandidate": "Titanic was released in 1997.",'
    ' "facts": [{"factText": "Titanic is a film of 1997."}]}'
)

logger = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's flags."""
    add_settings_flags(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT; return 0 after requests in flight were finished or ended.

    Raises:
        ToulminError: The settings are wrong, or the address cannot be listened on.
    """
    settings = settings_from(arguments)
    keep_few_heaps()
    from toulmin.server.request_log import configure_logging

    configure_logging(settings.log_format)
    from toulmin.apis.handlers import build_registry
    from toulmin.evaluation.calibrating import Calibrator
    from toulmin.server.lifecycle import create_server
    from toulmin.services import build_services, model_versions

    services = build_services(settings)
    try:
        calibrator = Calibrator(services.uncalibrated_checker, lambda: model_versions(settings))
        server = create_server(
            build_registry(services), settings, services.is_ready, services.records, calibrator
        )
        has_sample = _has_sample(services)  # opens the folder now, not for the first caller
        _load_models(services)
        return serve_until_stopped(server, settings, has_sample=has_sample)
    finally:
        services.close()


def serve_until_stopped(server: Server, settings: Settings, *, has_sample: bool = False) -> int:
    """Start the server, print how to use it, stop it when a signal asks; return the exit code.

    Args:
        server: One that is not started yet.
        settings: Those it was made with.
        has_sample: Whether there is the data store `sample`.

    Raises:
        FailedPrecondition: The address cannot be listened on.
    """
    asked_to_stop = _stop_on_signals()
    server.start()
    print(banner(settings, server, has_sample=has_sample), flush=True)
    asked_to_stop.wait()
    if not server.stop():
        # A handler is still busy, maybe in native code, which does not survive an orderly exit.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
    return 0


def banner(settings: Settings, server: Server, *, has_sample: bool = False) -> str:
    """Return what a person needs to send the first request."""
    from toulmin.server.tls import DevelopmentFiles, uses_development_files

    lines = [f"Toulmin serves REST and gRPC on {server.url}", "", "Try it:"]
    options = ["-s", "-H", "content-type: application/json"]
    if server.asks_for_keys:
        options += ["-H", "x-goog-api-key: YOUR_KEY"]
    files = DevelopmentFiles.in_folder(settings.data_dir)
    if uses_development_files(settings):
        options += ["--cacert", str(files.authority)]
    requests = [(_TRY_PATH, _TRY_BODY)]
    if has_sample:
        requests.append((_ASK_PATH, _ASK_BODY))
    for path, body in requests:
        lines.append("  " + shlex.join(["curl", *options, server.url + path, "-d", body]))
    if uses_development_files(settings):
        lines += ["", "For Google clients that cannot be told an address:"]
        lines += [
            f"  export {name}={shlex.quote(value)}"
            for name, value in files.environment(server.port).items()
        ]
    return "\n".join([*lines, "", "Stop with Ctrl-C."])


def _stop_on_signals() -> threading.Event:
    """Return an event that the first SIGTERM or SIGINT sets; a second SIGINT ends the process."""
    asked = threading.Event()

    def stop(number: int, _frame: FrameType | None) -> None:
        if asked.is_set() and number == signal.SIGINT:
            os._exit(_EXIT_AT_ONCE)
        asked.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return asked


def _has_sample(services: Services) -> bool:
    from toulmin.domain import DataStore
    from toulmin.errors import NotFound

    with services.records().read() as transaction:
        try:
            transaction.resources.get(DataStore, _SAMPLE)
        except NotFound:
            return False
        return True


def _load_models(services: Services) -> None:
    """Load the models in the background; /readyz says when they are there."""

    def load() -> None:
        try:
            services.checker()
        except Exception:
            logger.exception("The models could not be loaded")

    threading.Thread(target=load, name="toulmin-load", daemon=True).start()
