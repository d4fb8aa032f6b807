"""When the wall clock is believed; both clocks are the test's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from toulmin.stores.records.steady_clock import SteadyClock

START = datetime(2026, 1, 1, tzinfo=UTC)


class Machine:
    """A machine whose wall clock somebody sets."""

    def __init__(self):
        self.clock = SteadyClock()
        self.ran_h = 0.0
        self.set_by = timedelta(0)

    def after(self, hours):
        self.ran_h += hours
        wall = START + timedelta(hours=self.ran_h) + self.set_by
        return self.clock.is_steady(wall, self.ran_h * 3600)

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
        "The clock of this machine has jumped by 3650.0 days; what has had its time is not deleted"
        " before the clock has gone on for a day as it does now."
    ]
