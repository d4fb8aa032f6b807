"""PostgreSQL through pg8000: what a URL says, in the driver's terms, and which error it raised.

URLs are libpq's (`postgresql://user:password@host:5432/database?sslmode=require`), with those of
its parameters that matter here: `host` (a socket's folder), `sslmode`, `sslrootcert` and
`application_name`.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy
from sqlalchemy import URL, Engine, event, exc
from sqlalchemy.engine import ExceptionContext

from toulmin.errors import FailedPrecondition, InvalidArgument, Unavailable

READ_ONLY = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
"""First statement of a transaction that sees one state throughout."""

_DEFAULT_PORT = 5432
_FORM = "postgresql://user:password@host:5432/database"
_PARAMETERS = ("application_name", "host", "sslmode", "sslrootcert")


def connect(url: str, *, name: str = "database_url") -> Engine:
    """Return an engine for the database that `url` names; it connects when it is first used.

    Args:
        url: As above.
        name: How errors call the URL.

    Raises:
        InvalidArgument: The URL is not understood.
        FailedPrecondition: The driver is not installed.
    """
    parsed = _parse(url, name)
    query = {key: str(value) for key, value in parsed.query.items()}
    if unknown := sorted(query.keys() - set(_PARAMETERS)):
        raise InvalidArgument(
            f"{name} has the parameter {unknown[0]!r}; known are {', '.join(_PARAMETERS)}."
        )
    arguments: dict[str, object] = {"ssl_context": _ssl(query, name)}
    if "application_name" in query:
        arguments["application_name"] = query["application_name"]
    folder = query.get("host", "")
    if folder.startswith("/"):
        port = parsed.port or _DEFAULT_PORT
        arguments |= {"unix_sock": f"{folder}/.s.PGSQL.{port}", "ssl_context": False}
    elif folder:
        parsed = parsed.set(host=folder)
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
    event.listen(engine, "checkout", _ping)
    event.listen(engine, "handle_error", _of_network)
    return engine


def sqlstate(error: BaseException | None) -> str:
    """Return the five letters that say what went wrong; empty: the server did not answer."""
    state = _details(error).get("C", "")
    # The driver says goodbye after a refusal; where that fails, it reports this failure instead.
    while not state and error is not None:
        error = error.__cause__ or error.__context__
        if _details(error).get("V") == "FATAL":
            state = _details(error).get("C", "")
    return state


def _details(error: BaseException | None) -> Mapping[str, str]:
    """Return what the server said, by the letters of its protocol."""
    details = error.args[0] if error is not None and error.args else None
    return details if isinstance(details, Mapping) else {}


def _ping(connection: Any, _record: object, _proxy: object) -> None:
    """Let the pool replace a connection that is dead.

    SQLAlchemy's own ping would leave this driver in a transaction whose isolation level nobody can
    change any more.
    """
    try:
        connection.autocommit = True
        connection.cursor().execute("SELECT 1")
        connection.autocommit = False
    except Exception as error:  # whatever it is, this connection is of no use
        raise exc.DisconnectionError from error


def _of_network(context: ExceptionContext) -> Exception | None:
    """Name what the driver lets through as it came from the socket."""
    if isinstance(context.original_exception, OSError):
        return Unavailable("The database server cannot be reached; try again.")
    return None


def _parse(url: str, name: str) -> URL:
    try:
        parsed = sqlalchemy.make_url(url)
    except exc.ArgumentError:
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
