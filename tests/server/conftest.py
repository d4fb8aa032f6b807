"""A running server per test, on a free port, with scripted handlers."""

from __future__ import annotations

import http.client
import json
import logging
import socket

import pytest

from tests.patience import PATIENCE_S, wait_for
from tests.server.handlers import Script, make_registry
from toulmin.server.lifecycle import create_server
from toulmin.settings import load_settings

CHECK = "/v1/projects/p/locations/global/groundingConfigs/default_grounding_config:check"
STREAM = "/v1/projects/p/locations/global/dataStores/d/servingConfigs/s:streamAnswer"


@pytest.fixture
def script():
    made = Script()
    yield made
    made.release.set()


@pytest.fixture
def serve(script):
    """Return a function that starts a server; keyword arguments are settings."""
    started = []

    def start(*, registry=None, is_ready=lambda: True, **flags):
        settings = load_settings(flags={"port": 0, **flags}, environment={})
        server = create_server(registry or make_registry(script), settings, is_ready)
        server.start()
        started.append(server)
        return server

    yield start
    script.release.set()
    for server in started:
        server.stop(timeout_s=0.2)


@pytest.fixture
def server(serve):
    return serve()


class Reply:
    """A response, read whole."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]


def request(server, method, path, body=None, headers=None, timeout=PATIENCE_S):
    """Send one request over a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
    try:
        connection.request(method, path, body, headers or {})
        return Reply(connection.getresponse())
    finally:
        connection.close()


def post(server, path, value, headers=None):
    return request(
        server,
        "POST",
        path,
        json.dumps(value),
        {"content-type": "application/json"} | (headers or {}),
    )


def check(server, answer, **keywords):
    return post(server, CHECK, {"answerCandidate": answer}, **keywords)


def connect(server, timeout=PATIENCE_S):
    return socket.create_connection(("127.0.0.1", server.port), timeout=timeout)


def read_reply(connection):
    """Return one response; the connection stays open."""
    response = http.client.HTTPResponse(connection)
    response.begin()
    return Reply(response)


def read_all(connection):
    """Return everything until the server closes."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


class LogLines(logging.Handler):
    def __init__(self):
        super().__init__(logging.INFO)
        self.records = []

    def emit(self, record):
        self.records.append(record)

    def requests(self, count=1):
        """Return the lines of the request log, at least `count`; they follow the responses."""

        def enough():
            found = [r.columns for r in self.records if r.name == "toulmin.request"]
            return found if len(found) >= count else None

        return wait_for(enough)

    @property
    def text(self):
        from toulmin.server.request_log import JsonFormatter

        return "\n".join(JsonFormatter().format(record) for record in self.records)


@pytest.fixture
def log():
    lines = LogLines()
    logger = logging.getLogger("toulmin")
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(lines)
    yield lines
    logger.removeHandler(lines)
    logger.setLevel(level)


@pytest.fixture
def keyed_server(tmp_path):
    """A server of all that is built, without models, that knows the keys of its data folder."""
    from toulmin.apis.handlers import build_registry
    from toulmin.evaluation.calibrating import Calibrator
    from toulmin.services import build_services

    data_dir = tmp_path / "keyed"
    settings = load_settings(
        flags={"port": 0, "data_dir": data_dir, "parser_processes": 1}, environment={}
    )
    services = build_services(settings, run_operations=False)
    calibrator = Calibrator(services.uncalibrated_checker, lambda: {"encoder": "1"})
    registry = build_registry(services)
    server = create_server(registry, settings, lambda: True, services.records, calibrator)
    server.start()
    yield server, data_dir
    server.stop(timeout_s=0.2)
    services.close()
