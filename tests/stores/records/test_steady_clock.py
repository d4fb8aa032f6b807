"""When the wall clock is believed; both clocks are the test's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from toulmin.stores.records.steady_clock import CLOCK_FILE, SteadyClock

START = datetime(2026, 1, 1, tzinfo=UTC)


class Machine:
    """A machine whose wall clock somebody sets."""

    def __init__(self, file=None):
        self.file = file
        self.clock = SteadyClock(file)
        self.newest = None
        self.ran_h = 0.0
        self.set_by = timedelta(0)

    def after(self, hours):
        self.ran_h += hours
        wall = START + timedelta(hours=self.ran_h) + self.set_by
        return self.clock.is_steady(wall, self.ran_h * 3600, lambda: self.newest)

    def restart(self, *, stopped_h=1.0):
        """Start a new process; the monotonic clock is that of the machine and goes on."""
        self.ran_h += stopped_h
        self.clock = SteadyClock(self.file)

    def jump(self, **by):
        self.set_by += timedelta(**by)


@pytest.fixture
def machine():
    machine = Machine()
    assert machine.after(0), "what was before the first look is not known"
    return machine


def test_a_clock_that_nobody_sets_is_believed(machine):
    assert all(machine.after(1) for _ in range(100))


@pytest.mark.parametrize("days", [3650, 365, 1, -1, -3650])
def test_a_clock_that_has_jumped_is_believed_after_a_day_as_it_is(machine, days):
    machine.jump(days=days)
    assert [machine.after(1) for _ in range(26)] == [False] * 24 + [True] * 2


def test_a_clock_that_came_back_is_believed_at_once(machine):
    machine.jump(days=3650)
    assert not machine.after(1)
    machine.jump(days=-3650)
    assert machine.after(1)
    machine.jump(days=3650)
    assert not machine.after(24), "the day begins anew"


def test_another_jump_begins_the_day_anew(machine):
    machine.jump(days=365)
    assert not machine.after(1)
    machine.jump(days=365)
    assert not machine.after(23)
    assert not machine.after(23)
    assert machine.after(1)


def test_many_small_corrections_are_followed(machine):
    for _ in range(100):
        machine.jump(hours=6)
        assert machine.after(1)


def test_a_jump_is_said_once(machine, caplog):
    machine.jump(days=3650)
    for _ in range(5):
        machine.after(1)
    assert [record.getMessage() for record in caplog.records] == [
        "The clock of this machine has jumped by 3650.0 days, or the server was stopped for so long;"
        " what has had its time is not deleted before the clock has gone on for a day as it does"
        " now."
    ]


@pytest.fixture
def kept(tmp_path):
    """A machine that has run with a right clock, and keeps what it believed."""
    machine = Machine(tmp_path / CLOCK_FILE)
    assert machine.after(0)
    return machine


def test_a_start_with_a_clock_far_ahead_is_not_believed(kept, caplog):
    kept.jump(days=3650)
    kept.restart()
    assert not kept.after(0)
    assert "has jumped by 3650.0 days" in caplog.text


def test_neither_is_the_second_such_start(kept):
    kept.jump(days=3650)
    for _ in range(5):
        kept.restart()
        assert not kept.after(1)


def test_after_a_wrong_start_the_right_clock_is_believed_at_once(kept):
    kept.jump(days=3650)
    kept.restart()
    assert not kept.after(1)
    kept.jump(days=-3650)
    kept.restart()
    assert kept.after(0)


def test_a_clock_that_is_put_right_while_the_server_runs_is_believed_at_once(kept):
    kept.jump(days=3650)
    kept.restart(stopped_h=3 * 24)
    assert not kept.after(1)
    kept.jump(days=-3650)
    assert kept.after(1)


def test_a_week_without_a_server_is_no_jump_and_more_is_believed_after_a_day(kept):
    kept.restart(stopped_h=6 * 24)
    assert kept.after(0)
    kept.restart(stopped_h=60 * 24)
    assert [kept.after(1) for _ in range(26)] == [False] * 24 + [True] * 2


def test_the_day_goes_on_over_a_restart(kept):
    kept.jump(days=60)
    kept.restart()
    assert not kept.after(0)
    assert not kept.after(8)
    kept.restart(stopped_h=15)
    assert not kept.after(0), "23 hours"
    kept.restart(stopped_h=1)
    assert kept.after(0)


def test_a_clock_that_begins_at_the_same_wrong_time_each_time_is_not_believed(kept):
    for _ in range(5):
        kept.set_by = timedelta(days=3650) - timedelta(hours=kept.ran_h)
        kept.restart(stopped_h=0)
        assert not kept.after(6)
        kept.ran_h += 18


def test_without_a_file_the_newest_time_on_record_is_asked(tmp_path):
    for ahead, believed in ((timedelta(days=1), True), (timedelta(days=30), False)):
        machine = Machine()
        machine.newest = START - ahead
        assert machine.after(0) is believed


@pytest.mark.parametrize("text", ["", "[]", "{", '{"believed": 3}', '{"believed": "2020-01-01"}'])
def test_a_file_that_says_nothing_is_as_none(tmp_path, text):
    machine = Machine(tmp_path / CLOCK_FILE)
    machine.file.write_text(text)
    machine.newest = START - timedelta(days=30)
    assert not machine.after(0)


def test_where_nothing_can_be_kept_the_clock_is_watched_all_the_same(tmp_path, caplog):
    machine = Machine(tmp_path / "missing" / CLOCK_FILE)
    assert machine.after(0)
    assert "could not be noted" in caplog.text
    machine.jump(days=365)
    assert not machine.after(1)
