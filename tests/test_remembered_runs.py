"""What networks have put out is kept once, for all threads and processes of a run of tests."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests import remembered_runs
from tests.patience import PATIENCE_S, wait_for


class Network(remembered_runs.RememberingSession):
    """Returns its input, and counts its runs; slow until it is let go."""

    def __init__(self):
        self._network = b"a network of this test"
        self.go = threading.Event()
        self.runs = 0


@pytest.fixture
def network(monkeypatch, tmp_path):
    def run(self, _, feed, __=None):
        self.runs += 1
        assert self.go.wait(PATIENCE_S)
        return [feed["x"] * 2]

    monkeypatch.setattr(remembered_runs._REAL, "run", run)
    monkeypatch.setattr(remembered_runs, "_outputs", {})
    monkeypatch.setenv(remembered_runs._FOLDER, str(tmp_path))
    return Network()


def test_threads_that_want_the_same_run_wait_for_one(network):
    feed = {"x": np.arange(3.0)}
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(network.run, None, feed) for _ in range(4)]
        wait_for(lambda: network.runs or None)
        network.go.set()
        outputs = [future.result(PATIENCE_S)[0].tolist() for future in waiting]
    assert outputs == [[0.0, 2.0, 4.0]] * 4
    assert network.runs == 1


def test_another_process_finds_what_was_put_out(network, monkeypatch):
    network.go.set()
    feed = {"x": np.float32([[1, 2], [3, 4]])}
    first = network.run(None, feed)
    monkeypatch.setattr(remembered_runs, "_outputs", {})  # as another process begins
    (again,) = network.run(None, feed)
    assert network.runs == 1
    assert (again.dtype, again.tolist()) == (np.float32, first[0].tolist())
    network.run(None, {"x": feed["x"] + 1})
    assert network.runs == 2


def test_real_runs_are_made_whatever_is_remembered(network):
    network.go.set()
    feed = {"x": np.arange(2.0)}
    network.run(None, feed)
    with remembered_runs.real_runs():
        network.run(None, feed)
        with remembered_runs.remembered():
            network.run(None, feed)
    assert network.runs == 2
