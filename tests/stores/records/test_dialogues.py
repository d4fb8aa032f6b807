"""Conversations with agents: how long they are kept."""

from __future__ import annotations

import threading
from datetime import timedelta

from tests.patience import PATIENCE_S
from toulmin.agents import KEPT_FOR, App, Dialogue, DialogueTurn, kept_for
from toulmin.stores.records import OperationRunner
from toulmin.stores.records.dialogues import MOST_PRUNED

LOCATION = "projects/p/locations/us"


def settings(window):
    inside = {"conversationLoggingSettings": {"retentionWindow": window}}
    return {"loggingSettings": inside}


def fill(store, **apps):
    """Create apps with two conversations each; values are their retention windows."""
    with store.write() as transaction:
        for id_, window in apps.items():
            app = App(parent=LOCATION, id=id_, fields=settings(window) if window else {})
            transaction.resources.create(app)
            for number in range(2):
                dialogue = Dialogue(parent=app.name, id=f"s{number}")
                transaction.dialogues.add_turn(dialogue, DialogueTurn(messages=()))


def left(store, app):
    with store.read() as transaction:
        page = transaction.dialogues.list(f"{LOCATION}/apps/{app}", page_size=10)
    return len(page.items)


def test_the_window_is_the_apps_or_a_year():
    assert kept_for({}) == KEPT_FOR == timedelta(days=365)
    assert kept_for(settings("3600s")) == timedelta(hours=1)
    assert kept_for(settings("0.500s")) == timedelta(seconds=0.5)


def test_conversations_go_when_their_app_says_so(store):
    fill(store, short="3600s", long="7200s", year="")
    for hours, count, remaining in ((1, 0, (2, 2, 2)), (1.5, 2, (0, 2, 2)), (3, 2, (0, 0, 2))):
        with store.write() as transaction:
            later = transaction.now + timedelta(hours=hours, seconds=-1)
            assert transaction.dialogues.prune(as_of=later) == count
        assert tuple(left(store, app) for app in ("short", "long", "year")) == remaining
    with store.write() as transaction:
        later = transaction.now + timedelta(days=366)
        assert transaction.dialogues.prune(as_of=later) == 2
        assert transaction.dialogues.prune(as_of=later) == 0


def test_one_transaction_deletes_a_limited_number(store, monkeypatch):
    assert MOST_PRUNED == 1_000
    monkeypatch.setattr("toulmin.stores.records.dialogues.MOST_PRUNED", 3)
    fill(store, one="1s", two="1s")
    counts = []
    for _ in range(3):
        with store.write() as transaction:
            counts.append(transaction.dialogues.prune(as_of=transaction.now + timedelta(days=1)))
    assert counts == [3, 1, 0]


def test_the_runner_tidies_up_from_its_start(sqlite_store):
    fill(sqlite_store, one="1s")
    done = threading.Event()

    def tidy(transaction):
        count = transaction.dialogues.prune(as_of=transaction.now + timedelta(days=1))
        if not count:
            done.set()
        return count

    runner = OperationRunner(sqlite_store, {}, tidy=(tidy,))
    runner.start()
    try:
        assert done.wait(PATIENCE_S)
        assert left(sqlite_store, "one") == 0
    finally:
        runner.close()
