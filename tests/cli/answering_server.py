"""A server with a few documents, and the models as they ship, for the verbs that answer."""

from __future__ import annotations

from contextlib import contextmanager

from toulmin.apis.handlers import build_registry
from toulmin.cli import main
from toulmin.server.lifecycle import create_server
from toulmin.services import build_services
from toulmin.settings import load_settings

TOWER = """# Albatross House

Albatross House was built in 1911 for a shipping company. The lift of Albatross House was added in
1934 by a Swedish firm.
"""
BEES = """# Bees

A queen bee lays up to two thousand eggs a day. Worker bees live about six weeks in summer.
"""


def fill(folder, data):
    """Put two data stores, `houses` and `bees`, into a data folder."""
    for name, text in (("houses", TOWER), ("bees", BEES)):
        (folder / name).mkdir(parents=True)
        (folder / name / f"{name}.md").write_text(text)
        flags = ["--store", name, "--data-dir", str(data), "--quiet", "--parser-processes", "1"]
        assert main(["ingest", str(folder / name), *flags]) == 0


@contextmanager
def serving(data, **more):
    """Serve a data folder; yields the server. Keyword arguments are settings."""
    flags = {"port": 0, "data_dir": data, "parser_processes": 1, **more}
    settings = load_settings(flags=flags, environment={})
    services = build_services(settings)
    try:
        services.records()
        server = create_server(build_registry(services), settings, lambda: True)
        server.start()
        try:
            yield server
        finally:
            server.stop(timeout_s=0.2)
    finally:
        services.close()
