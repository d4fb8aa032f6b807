"""Property tests draw the same examples in every run; `make fuzz` draws others, and more.

`make test` runs in twice as many processes as there are cores, if there is memory for them.
"""

import gc
import os
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import remembered_runs

remembered_runs.install()
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile(
    "fuzz", max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

WORKERS_PER_CORE = 2
"""Half of a test's time is waiting: for a reply, a process that starts, a client that asks again."""
MOST_WORKERS = 8
"""More would each load the models again, and gain little."""
WORKER_BYTES = 2 * 2**30
"""What a process with all models and a few servers in it may come to hold."""


def pytest_configure(config):
    """Let the processes of `-n` share what networks have put out."""
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        return
    shared = ExitStack()
    shared.enter_context(remembered_runs.share())
    config.add_cleanup(shared.close)


def pytest_addoption(parser):
    parser.addoption(
        "--records",
        choices=("sqlite", "postgresql"),
        default="sqlite",
        help="where record stores are that a test opens on a folder (see tests/on_postgresql.py)",
    )


@pytest.fixture(scope="session", autouse=True)
def place_of_records(request):
    """Where record stores are; PostgreSQL only when it was asked for."""
    if request.config.getoption("--records") == "sqlite":
        yield
        return
    from tests.on_postgresql import records_in_postgresql

    with records_in_postgresql():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Let a network that reads the same again answer from memory, or not; in fixtures, too."""
    if item.get_closest_marker("real_runs") is None:
        return (yield)
    with remembered_runs.real_runs():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep modules and tests out of the garbage collector's way: they stay until the end.

    There are some 640,000 objects of them, and each full collection would go through all.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Return for `-n auto` how many processes there is room for."""
    cores = min(len(os.sched_getaffinity(0)), quota_of_cores())
    return max(1, min(cores * WORKERS_PER_CORE, free_bytes() // WORKER_BYTES, MOST_WORKERS))


def quota_of_cores():
    """Return the cores that a container may use, rounded up; all when nothing is said."""
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return -(-int(quota) // int(period))
    except (OSError, ValueError):  # no container, or "max"
        return os.cpu_count() or 1


def free_bytes():
    """Return the memory that nobody needs, in the machine and in the container."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) * 1024
        limit = int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii"))
        held = int(Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return free
    return min(free, limit - held)
