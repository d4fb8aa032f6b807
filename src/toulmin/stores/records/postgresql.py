"""PostgreSQL through pg8000: what a URL says, in the driver's terms, and which error it raised.

URLs are libpq's (`postgresql://user:password@host:5432/database?sslmode=require`), with those of
its parameters that matter here, `_PARAMETERS`. Which server it is: `postgresql_servers.py`.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy
from sqlalchemy import URL, Engine, event, exc
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.pool import ConnectionPoolEntry

from toulmin.errors import FailedPrecondition, InvalidArgument, Unavailable
from toulmin.stores.records.postgresql_servers import (
    DATABASE_UNAVAILABLE,
    UNREACHABLE,
    Servers,
    read_servers,
    split_url,
    sqlstate,
)

READ_ONLY = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
"""First statement of a transaction that sees one state throughout."""

TAKES_NO_WRITES = "25006"
"""The state of an error: the server is a standby, or was told to only read."""

_FORM = "postgresql://user:password@host:5432/database"
_PARAMETERS = (
    "application_name",
    "connect_timeout",
    "host",
    "port",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
)
_CONNECT_S = 5
_FRESH = "toulmin.fresh"


def connect(url: str, *, name: str = "database_url") -> Engine:
    """Return an engine for the database that `url` names; it connects when it is first used.

    Args:
        url: As above.
        name: How errors call the URL.

    Raises:
        InvalidArgument: The URL is not understood.
        FailedPrecondition: The driver is not installed.
    """
    url, written = split_url(url, name)
    parsed = _parse(url, name)
    query = {key: str(value) for key, value in parsed.query.items()}
    if unknown := sorted(query.keys() - set(_PARAMETERS)):
        raise InvalidArgument(
            f"{name} has the parameter {unknown[0]!r}; known are {', '.join(_PARAMETERS)}."
        )
    arguments: dict[str, object] = {"ssl_context": _ssl(query, name)}
    if "application_name" in query:
        arguments["application_name"] = query["application_name"]
    servers = Servers(
        read_servers(written, query, name),
        wanted=query.get("target_session_attrs", ""),
        connect_s=_connect_s(query, name),
        name=name,
    )
    try:
        engine = sqlalchemy.create_engine(
            parsed.set(drivername="postgresql+pg8000", query={}),
            connect_args=arguments,
            pool_size=32,
            max_overflow=32,
            isolation_level="READ COMMITTED",
        )
    except ModuleNotFoundError:
        raise FailedPrecondition(
            f"{name} names PostgreSQL but its driver is not installed; install the package pg8000."
        ) from None
    # Without this a list of rows is sent one by one, with three round trips each.
    engine.dialect.use_insertmanyvalues_wo_returning = True
    event.listen(
        engine,
        "do_connect",
        lambda dialect, _record, _args, arguments: servers.connect(dialect, arguments),
    )
    event.listen(engine, "connect", _note_fresh)
    event.listen(
        engine,
        "checkout",
        lambda connection, record, _proxy: _ping(connection, record, servers.connect_s),
    )
    event.listen(engine, "handle_error", _of_server)
    return engine


def _note_fresh(_connection: object, record: ConnectionPoolEntry) -> None:
    record.info[_FRESH] = True


def _ping(connection: Any, record: ConnectionPoolEntry, limit_s: float) -> None:
    """Let the pool replace a connection that is dead; one that was just made is not asked.

    Those that are as old are replaced with it: what one of them died of, the others did, too, and
    where a network swallows what is sent each would be waited for.

    SQLAlchemy's own ping would leave this driver in a transaction whose isolation level nobody can
    change any more.
    """
    if record.info.pop(_FRESH, False):
        return
    try:
        connection._usock.settimeout(limit_s)
        connection.autocommit = True
        connection.cursor().execute("SELECT 1")
        connection.autocommit = False
        connection._usock.settimeout(None)
    except Exception as error:  # whatever it is, this connection is of no use
        raise exc.InvalidatePoolError from error


def _of_server(context: ExceptionContext) -> Exception | None:
    """Name what the driver lets through as it came from the socket, and what a standby says.

    Either way the connection is of no use: the next one goes to a server that is.
    """
    if isinstance(context.original_exception, OSError):
        context.is_disconnect = True
        return Unavailable(UNREACHABLE, reason=DATABASE_UNAVAILABLE)
    if sqlstate(context.original_exception) == TAKES_NO_WRITES:
        context.is_disconnect = True
    return None


def _connect_s(query: Mapping[str, str], name: str) -> int:
    written = query.get("connect_timeout", str(_CONNECT_S))
    if not written.isdecimal() or int(written) < 1:
        raise InvalidArgument(
            f"{name} has connect_timeout={written}; it must be seconds, 1 or more."
        )
    return int(written)


def _parse(url: str, name: str) -> URL:
    try:
        parsed = sqlalchemy.make_url(url)
    except (exc.ArgumentError, ValueError):
        raise InvalidArgument(f"{name} is not a URL; it must look like {_FORM}.") from None
    if parsed.get_backend_name() not in ("postgresql", "postgres"):
        raise InvalidArgument(
            f"{name} names {parsed.get_backend_name()!r}; it must begin with postgresql://."
        )
    return parsed


def _ssl(query: Mapping[str, str], name: str) -> ssl.SSLContext | bool | None:
    """Return the driver's word for `sslmode`: False: no; None: if the server can; or a context."""
    mode = query.get("sslmode", "prefer")
    modes: Mapping[str, Callable[[], ssl.SSLContext | bool | None]] = {
        "disable": lambda: False,
        "prefer": lambda: None,
        "require": lambda: True,
        "verify-ca": lambda: _verifying(query, name, host=False),
        "verify-full": lambda: _verifying(query, name, host=True),
    }
    if mode not in modes:
        raise InvalidArgument(f"{name} has sslmode={mode}; known are {', '.join(modes)}.")
    return modes[mode]()


def _verifying(query: Mapping[str, str], name: str, *, host: bool) -> ssl.SSLContext:
    file = query.get("sslrootcert")
    try:
        context = ssl.create_default_context(cafile=file)
    except (OSError, ssl.SSLError) as error:
        raise InvalidArgument(
            f"{name} has sslrootcert={file}, which cannot be read: {error}."
        ) from None
    context.check_hostname = host
    return context
