"""PostgreSQL servers for the trials: on ports of this machine, killed, started, followed, promoted."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pg8000.dbapi

from benchmarks.reliability.between import Between
from tests.stores.records.postgresql import (
    NoPostgresqlError,
    find_programs,
    run_program,
    server_user,
    usable_programs,
)

HOST = "127.0.0.1"
_USER = "test"
_DATABASE = "postgres"
_PATIENCE_S = 60.0
_OPTIONS = "-c shared_buffers=32MB -c max_connections=120 -c unix_socket_directories="


class Postgres:
    """One server with a data folder of its own; commits are flushed to the disk, as by default.

    Attributes:
        port: Where it listens on 127.0.0.1.
    """

    def __init__(self, programs: Path, folder: Path, port: int) -> None:
        self._programs = programs
        self._folder = folder
        self._user = server_user()
        self.port = port

    def make(self) -> None:
        """Make an empty database."""
        words: list[object] = ["-D", self._folder, "-U", _USER, "-A", "trust"]
        self._run("initdb", *words, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")

    def follow(self, primary: Postgres) -> None:
        """Become a standby of another server, from a copy of it; begin at once."""
        if not (self._programs / "pg_basebackup").exists():
            raise NoPostgresqlError(f"{self._programs} has no pg_basebackup")
        shutil.rmtree(self._folder, ignore_errors=True)
        place: list[object] = ["-h", HOST, "-p", primary.port, "-U", _USER]
        self._run("pg_basebackup", *place, "-D", self._folder, "-R", "-c", "fast", "--no-sync")
        with (self._folder / "postgresql.auto.conf").open("a", encoding="utf-8") as settings:
            settings.write("synchronous_standby_names = ''\n")  # else those of its primary
        self.start()
        primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.ask("SELECT pg_reload_conf()")
        _wait_until(lambda: primary.ask("SELECT sync_state FROM pg_stat_replication") == "sync")

    def start(self) -> None:
        """Start it; it takes connections when this returns."""
        options = f"{_OPTIONS} -c listen_addresses={HOST} -c port={self.port}"
        self._control("-l", self._folder.with_suffix(".log"), "-o", options, "start")

    def stop_at_once(self) -> None:
        """End it without a checkpoint, as `pg_ctl -m immediate stop` does."""
        self._control("-m", "immediate", "stop")

    def kill(self) -> None:
        """SIGKILL to all of its processes."""
        pid = int((self._folder / "postmaster.pid").read_text(encoding="ascii").split()[0])
        os.killpg(pid, signal.SIGKILL)
        _wait_until(lambda: not Path(f"/proc/{pid}").exists() or _is_zombie(pid))

    def freeze(self) -> None:
        """SIGSTOP to all of its processes: the system goes on to take connections and bytes."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT to all of its processes."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> None:
        """Signal the postmaster, then what it has begun, each in a group of its own."""
        pid = int((self._folder / "postmaster.pid").read_text(encoding="ascii").split()[0])
        os.kill(pid, number)
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                if stat.read_text("utf-8").rpartition(")")[2].split()[1] == str(pid):
                    os.kill(int(stat.parent.name), number)

    def promote(self) -> None:
        """Make a standby take writes; done when this returns."""
        self._control("promote")

    def ask(self, statement: str) -> Any:
        """Return the first value that a statement gives, outside transactions; None: no row."""
        with closing(
            pg8000.dbapi.connect(_USER, host=HOST, port=self.port, database=_DATABASE)
        ) as connection:
            connection.autocommit = True
            cursor = connection.cursor()
            cursor.execute(statement)
            row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None

    def _control(self, *words: object) -> None:
        self._run("pg_ctl", "-D", self._folder, "-s", "-w", "-t", int(_PATIENCE_S), *words)

    def _run(self, program: str, *words: object) -> None:
        run_program([self._programs / program, *words], self._user)


@contextmanager
def postgres_servers(count: int) -> Iterator[list[Postgres]]:
    """Yield servers; the first is made and started, all are gone in the end."""
    programs = find_programs()
    place = Path(tempfile.mkdtemp(prefix="reliability-pg-"))  # where its user gets in
    user = server_user()
    if user:
        os.chown(place, user.pw_uid, user.pw_gid)
    servers: list[Postgres] = []
    try:
        programs = usable_programs(programs, place, user)
        servers += [Postgres(programs, place / f"pg{n}", _free_port()) for n in range(count)]
        servers[0].make()
        servers[0].start()
        yield servers
    finally:
        for server in servers:
            try:
                server.kill()
            except (OSError, ValueError):  # it does not run
                continue
        shutil.rmtree(place, ignore_errors=True)


def url_of(servers: Sequence[Postgres | Between]) -> str:
    """Return the URL of one server, or of several of which one takes writes."""
    hosts = ",".join(HOST for _ in servers)
    ports = ",".join(str(server.port) for server in servers)
    url = f"postgresql://{_USER}@/{_DATABASE}?host={hosts}&port={ports}"
    return url if len(servers) == 1 else f"{url}&target_session_attrs=read-write"


def _wait_until(is_so: Any) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not is_so():
        if time.monotonic() > deadline:
            raise RuntimeError("PostgreSQL does not do as it is told")
        time.sleep(0.05)


def _is_zombie(pid: int) -> bool:
    """Return whether a process has ended and nobody has asked how."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2][1] == "Z"
    except OSError:
        return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
