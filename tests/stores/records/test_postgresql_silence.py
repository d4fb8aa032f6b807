"""Answers that do not come: the server is asked whether it is still at it, and what is dead is cut."""

import itertools
import socket
import threading
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pg8000.dbapi
import pytest

from tests.patience import PATIENCE_S, wait_for
from toulmin.stores.records import RecordStore
from toulmin.stores.records.postgresql_silence import SilenceWatch, ask_busy, process_of

OURS, ANOTHERS = 17, 18


class Line:
    """A connection as the driver has it: what it reads is what the other end sends.

    Attributes:
        asked: How often the server was asked what it is at.
    """

    def __init__(self, *answers):
        self._usock, self.server = socket.socketpair()
        self._backend_key_data = OURS.to_bytes(4) + bytes(4)
        self._answers = itertools.chain(answers[:-1], itertools.repeat(answers[-1]))
        self.asked = 0
        SilenceWatch(silent_s=0.02).watch(self, "a server", self.ask)

    def handle_messages(self, context):
        context.append(self._usock.recv(1))

    def ask(self):
        self.asked += 1
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def reading():
    """Waits for an answer on a line in a thread; returns what comes, as it comes."""
    threads, lines = [], []

    def begin(line):
        heard = []
        threads.append(threading.Thread(target=line.handle_messages, args=(heard,)))
        lines.append(line)
        threads[-1].start()
        return heard

    yield begin
    for line in lines:
        line.server.close()
    for thread in threads:
        thread.join(PATIENCE_S)
    for line in lines:
        line._usock.close()


@pytest.mark.parametrize("answer", [set(), {ANOTHERS}, TimeoutError("timed out")])
def test_a_connection_that_is_dead_is_cut(reading, answer):
    heard = reading(Line(answer))
    assert wait_for(lambda: heard) == [b""]


@pytest.mark.parametrize("answer", [{OURS, ANOTHERS}, None])
def test_a_statement_that_takes_long_is_waited_for(reading, answer):
    """Also where a pooler in between hides what the server is at."""
    line = Line(answer)
    heard = reading(line)
    wait_for(lambda: line.asked > 4)
    line.server.send(b"x")
    assert wait_for(lambda: heard) == [b"x"]


def test_an_answer_may_be_under_way_when_the_server_is_asked(reading):
    line = Line(set(), {OURS})
    heard = reading(line)
    wait_for(lambda: line.asked > 3)
    line.server.send(b"x")
    assert wait_for(lambda: heard) == [b"x"]


def test_an_answer_that_is_there_and_still_read_is_not_cut():
    line, begun, read = Line(set()), threading.Event(), threading.Event()

    class Slow(list):
        def append(self, piece):
            super().append(piece)
            begun.set()
            assert read.wait(PATIENCE_S)

    heard = Slow()
    line.server.send(b"xy")
    thread = threading.Thread(target=line.handle_messages, args=(heard,))
    thread.start()
    assert begun.wait(PATIENCE_S)
    asked = line.asked
    wait_for(lambda: line.asked > asked + 4)
    read.set()
    thread.join(PATIENCE_S)
    assert line._usock.recv(1) == b"y"
    line.server.close()
    line._usock.close()


def connected(url):
    folder = parse_qs(urlsplit(url).query)["host"][0]
    return pg8000.dbapi.connect(
        "test",
        database=urlsplit(url).path[1:],
        unix_sock=f"{folder}/.s.PGSQL.5432",
        ssl_context=False,
    )


def test_what_a_server_says_it_is_at(postgresql):
    holder, waiter = connected(postgresql), connected(postgresql)
    holder.cursor().execute("SELECT pg_advisory_lock(5)")
    thread = threading.Thread(target=waiter.cursor().execute, args=("SELECT pg_advisory_lock(5)",))
    thread.start()
    busy = wait_for(lambda: process_of(waiter) in ask_busy(connected(postgresql)))
    assert busy
    assert process_of(holder) not in ask_busy(connected(postgresql))
    holder.cursor().execute("SELECT pg_advisory_unlock(5)")
    thread.join(PATIENCE_S)
    wait_for(lambda: process_of(waiter) not in ask_busy(connected(postgresql)))
    holder.close()
    waiter.close()


def test_behind_a_pooler_nothing_is_known(postgresql):
    connection = connected(postgresql)
    connection._backend_key_data = bytes(8)
    assert ask_busy(connection) is None


def test_the_connections_of_a_store_are_watched(database_url, monkeypatch):
    watched = []
    watch = SimpleNamespace(watch=lambda *given: watched.append(given))
    monkeypatch.setattr("toulmin.stores.records.postgresql_servers.WATCH", watch)
    store = RecordStore(Path(), database_url)
    with store.read() as transaction:
        assert transaction.outbox.head().sequence == 0
    (connection, _, ask), *_ = watched
    assert process_of(connection) not in ask()
    store.close()
