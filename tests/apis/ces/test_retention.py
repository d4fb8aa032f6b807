"""How long conversations are kept, over the end of a server and the start of the next."""

from __future__ import annotations

import json
from contextlib import contextmanager

from tests.patience import wait_for
from tests.server.conftest import request as http
from tests.stores.records.test_dialogues import LOCATION, fill, left
from toulmin.apis.handlers import build_registry
from toulmin.server.lifecycle import create_server
from toulmin.services import build_services
from toulmin.settings import load_settings


@contextmanager
def serving(folder):
    """Yield a server on a data folder, and its services."""
    settings = load_settings(flags={"port": 0, "data_dir": folder}, environment={})
    services = build_services(settings)
    server = create_server(build_registry(services), settings, lambda: True, services.records)
    server.start()
    try:
        yield server, services
    finally:
        server.stop(timeout_s=0.2)
        services.close()


def listed(server, app):
    reply = http(server, "GET", f"/v1/{LOCATION}/apps/{app}/conversations")
    assert reply.status == 200
    return len(json.loads(reply.body).get("conversations", ()))


def test_what_has_expired_is_deleted_by_a_server_that_starts_later(tmp_path):
    with serving(tmp_path) as (server, services):
        wait_for(lambda: http(server, "GET", f"/v1/{LOCATION}/apps").status == 200)
        fill(services.records(), short="0.001s", year="")
        assert (listed(server, "short"), listed(server, "year")) == (2, 2)
    with serving(tmp_path) as (server, services):
        wait_for(lambda: left(services.records(), "short") == 0)
        assert (listed(server, "short"), listed(server, "year")) == (0, 2)
        gone = f"/v1/{LOCATION}/apps/short/conversations/s0"
        assert http(server, "GET", gone).status == 404
