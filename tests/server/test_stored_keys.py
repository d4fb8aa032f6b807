"""The keys of the record store: who waits for them, and for how long."""

import asyncio
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from tests.patience import PATIENCE_S
from tests.server.conftest import CHECK, post, request
from tests.server.handlers import make_registry
from toulmin.errors import Unavailable
from toulmin.server.lifecycle import create_server
from toulmin.server.stored_keys import StoredKeys
from toulmin.settings import load_settings
from toulmin.stores.records.postgresql_servers import DATABASE_UNAVAILABLE

KEY = SimpleNamespace(digest=b"digest")


class Frozen:
    """Records that say nothing until they are let go.

    Attributes:
        reads: How often they were asked.
    """

    def __init__(self):
        self.goes_on = threading.Event()
        self.reads = 0

    def announce(self, url):
        pass

    @contextmanager
    def read(self):
        self.reads += 1
        assert self.goes_on.wait(PATIENCE_S)
        yield SimpleNamespace(api_keys=SimpleNamespace(list=lambda: [KEY]))


def test_a_database_that_stands_still_counts_as_away():
    records = Frozen()

    async def ask():
        keys = StoredKeys(lambda: records, longest_s=0.05)
        for _ in range(3):  # the first waits, the others are told at once; one asks the database
            with pytest.raises(Unavailable) as caught:
                await keys.current()
            assert caught.value.reason == DATABASE_UNAVAILABLE
        assert records.reads == 1
        records.goes_on.set()
        await keys._reading
        assert await keys.current() == {KEY.digest: KEY}

    asyncio.run(ask())


def test_many_that_wait_ask_once():
    records = Frozen()

    async def ask():
        keys = StoredKeys(lambda: records, longest_s=PATIENCE_S)
        waiting = [asyncio.create_task(keys.current()) for _ in range(3)]
        await asyncio.sleep(0)
        records.goes_on.set()
        assert await asyncio.gather(*waiting) == [{KEY.digest: KEY}] * 3
        assert records.reads == 1

    asyncio.run(ask())


def test_what_the_database_refuses_is_told_and_asked_anew():
    def refuse():
        raise Unavailable("away")

    async def ask():
        keys = StoredKeys(refuse)
        for _ in range(2):
            with pytest.raises(Unavailable, match="away"):
                await keys.current()

    asyncio.run(ask())


@pytest.mark.parametrize(
    ("limit_s", "code"), [("0.05", "DEADLINE_EXCEEDED"), ("50", "UNAVAILABLE")]
)
def test_requests_wait_for_keys_as_long_as_they_say(monkeypatch, script, limit_s, code):
    monkeypatch.setattr("toulmin.server.stored_keys.FRESH_S", 0.0)
    records = Frozen()
    records.goes_on.set()
    settings = load_settings(flags={"port": 0}, environment={})
    server = create_server(make_registry(script), settings, lambda: True, lambda: records)
    server._stored_keys._longest_s = PATIENCE_S if code == "DEADLINE_EXCEEDED" else 0.05
    server.start()
    records.goes_on.clear()
    try:
        reply = post(server, CHECK, {}, {"X-Server-Timeout": limit_s})
        health = request(server, "GET", "/healthz")
    finally:
        records.goes_on.set()
        server.stop(timeout_s=0.2)
    assert reply.error["status"] == code
    assert ("retry-after" in reply.headers) == (code == "UNAVAILABLE")
    assert health.status == 200
