"""A data folder, a fake embedder and a server for the verbs about documents."""

from __future__ import annotations

import logging

import pytest

from tests.ingestion.importing import HashEmbedder


class FakeEmbedder(HashEmbedder):
    """Vectors by hash, made and closed as the real one."""

    dim = 384

    def __init__(self, folder=None, *, pool=None, workers=0):
        super().__init__()
        if folder is not None and folder.parent.name == "multilingual":
            self.version = "multilingual-hash-1"

    def embed(self, texts, **_):
        return super().embed(list(texts))

    def close(self):
        pass


@pytest.fixture(autouse=True)
def logging_as_before():
    """Take back what `serve` does to the log of its process.

    It sends it to its standard error, which here is a test's own and closed with the test: what other tests
    log afterwards would be "I/O operation on closed file".
    """
    root, own = logging.getLogger(), logging.getLogger("toulmin")
    handlers, levels = root.handlers[:], (root.level, own.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    own.setLevel(levels[1])


@pytest.fixture
def fake_embedder(monkeypatch):
    monkeypatch.setattr("toulmin.services.wiring.Embedder", FakeEmbedder)


@pytest.fixture
def data(tmp_path):
    """The flags that name a data folder of the test's own."""
    return ["--data-dir", str(tmp_path / "data")]


@pytest.fixture
def files(tmp_path):
    """A folder with three files that parse and one that does not."""
    folder = tmp_path / "files"
    (folder / "birds").mkdir(parents=True)
    (folder / "otters.md").write_text("# Otters\n\nOtters eat fish and live by rivers.\n")
    (folder / "birds" / "herons.md").write_text("# Herons\n\nHerons wait for fish.\n")
    (folder / "notes.txt").write_text("Nothing about animals, only about bridges.\n")
    return folder


@pytest.fixture
def server(fake_embedder, tmp_path):
    """Return a function that serves a data folder of its own; keyword arguments are settings."""
    from toulmin.apis.handlers import build_registry
    from toulmin.server.lifecycle import create_server
    from toulmin.services import build_services
    from toulmin.settings import load_settings

    started = []

    def start(**flags):
        values = {"port": 0, "data_dir": tmp_path / "served", "parser_processes": 1, **flags}
        settings = load_settings(flags=values, environment={})
        services = build_services(settings)
        services.records()
        served = create_server(build_registry(services), settings, lambda: True, services.records)
        served.start()
        started.append((served, services))
        return served

    yield start
    for served, services in started:
        served.stop(timeout_s=0.2)
        services.close()
