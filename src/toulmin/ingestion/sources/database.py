"""Databases that are read from: a URL and a query -> rows, in a transaction that writes nothing.

SQLite by Python's own module, PostgreSQL by pg8000, MySQL and MariaDB by PyMySQL. No message has
the URL's password.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy import URL, Connection, CursorResult, Engine, exc

from toulmin.errors import FailedPrecondition, InvalidArgument, ToulminError, Unavailable
from toulmin.stores.records import postgresql

URL_FIELD, QUERY_FIELD = "--sql", "--query"
FORMS = (
    "sqlite:///folder/file.db, postgresql://user:password@host/database,"
    " mysql://user:password@host/database"
)
_KINDS = {
    "sqlite": "sqlite",
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "mysql": "mysql",
    "mariadb": "mysql",
}
_MYSQL_PARAMETERS = ("charset", "ssl_ca", "ssl_cert", "ssl_key", "unix_socket")
_ROWS_AT_ONCE = 1000
_CONNECT_S = 30
_HIDDEN = "***"


@dataclass(frozen=True, slots=True)
class Rows:
    """What a query gives.

    Attributes:
        names: Its columns, each with a name of its own.
        values: The rows, in the order in which the database gives them; to be gone through once.
    """

    names: tuple[str, ...]
    values: Iterator[Sequence[Any]] = field(repr=False)


@contextmanager
def query_rows(url: str, query: str) -> Iterator[Rows]:
    """Give the rows of a query, as the database has them at one moment.

    Args:
        url: One of `FORMS`; parameters of PostgreSQL as in `database_url`.
        query: One statement that gives rows.

    Raises:
        InvalidArgument: The URL or the query is wrong; the database's own words are in it.
        FailedPrecondition: The driver is not installed.
        Unavailable: The database cannot be reached, or breaks off.
    """
    parsed = _parsed(url)
    if not query.strip():
        raise InvalidArgument.of_field(QUERY_FIELD, "is empty; give a SELECT")
    engine = _engine(parsed, url)
    try:
        with _connected(engine, parsed) as connection:
            with _told(parsed, QUERY_FIELD):
                result = _executed(connection, parsed, query)
            try:
                yield Rows(_names(result), _values(result, parsed))
            finally:
                result.close()  # PyMySQL's cursor must not outlive its connection
    finally:
        engine.dispose()


def shown(url: str) -> str:
    """Return a URL without its password, for people."""
    return _parsed(url).render_as_string(hide_password=True)


def _parsed(url: str) -> URL:
    try:
        parsed = sqlalchemy.make_url(url)
    except (exc.ArgumentError, ValueError):
        raise InvalidArgument.of_field(
            URL_FIELD, f"is no URL of a database; write {FORMS}"
        ) from None
    kind, _, driver = parsed.drivername.partition("+")
    if kind not in _KINDS or driver:
        raise InvalidArgument.of_field(
            URL_FIELD,
            f"names {parsed.drivername}://, which is not read; write {FORMS}",
        )
    return parsed.set(drivername=_KINDS[kind])


def _engine(parsed: URL, url: str) -> Engine:
    match parsed.drivername:
        case "sqlite":
            return _sqlite(parsed)
        case "postgresql":
            plain = url.partition("://")[2]
            return postgresql.connect(f"postgresql://{plain}", name=URL_FIELD)
        case _:
            return _mysql(parsed)


def _sqlite(parsed: URL) -> Engine:
    """Return an engine that only reads; SQLite would make a file that is not there."""
    if not parsed.database or parsed.database == ":memory:" or parsed.host:
        raise InvalidArgument.of_field(
            URL_FIELD, "names no file; write sqlite:///file.db, or with four slashes a whole path"
        )
    path = Path(parsed.database).expanduser().absolute()
    if not path.is_file():
        raise InvalidArgument.of_field(URL_FIELD, f"there is no file {path}")
    return sqlalchemy.create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(
            f"{path.as_uri()}?mode=ro", uri=True, check_same_thread=False
        ),
        poolclass=sqlalchemy.NullPool,
    )


def _mysql(parsed: URL) -> Engine:
    if unknown := sorted(parsed.query.keys() - set(_MYSQL_PARAMETERS)):
        raise InvalidArgument.of_field(
            URL_FIELD,
            f"has the parameter {unknown[0]!r}; known are {', '.join(_MYSQL_PARAMETERS)}",
        )
    if not parsed.database:
        raise InvalidArgument.of_field(URL_FIELD, "names no database; write it behind the host")
    try:
        return sqlalchemy.create_engine(
            parsed.set(drivername="mysql+pymysql"),
            connect_args={"connect_timeout": _CONNECT_S},
            poolclass=sqlalchemy.NullPool,
        )
    except ModuleNotFoundError:
        raise FailedPrecondition(
            f"{URL_FIELD} names MySQL but its driver is not installed; install the package"
            " pymysql (the extra mysql)"
        ) from None


@contextmanager
def _connected(engine: Engine, parsed: URL) -> Iterator[Connection]:
    with _told(parsed, URL_FIELD):
        connection = engine.connect()
        if parsed.drivername == "sqlite":  # which looks into the file only now
            connection.exec_driver_sql("PRAGMA schema_version")
    try:
        yield connection
    finally:
        connection.close()


def _executed(connection: Connection, parsed: URL, query: str) -> CursorResult[Any]:
    if parsed.drivername == "postgresql":
        connection.exec_driver_sql(postgresql.READ_ONLY)
    elif parsed.drivername == "mysql":
        connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
    statement = sqlalchemy.text(query.strip().rstrip(";").replace(":", "\\:"))
    streamed = connection.execution_options(yield_per=_ROWS_AT_ONCE)
    return streamed.execute(statement)


def _names(result: CursorResult[Any]) -> tuple[str, ...]:
    if not result.returns_rows:
        raise InvalidArgument.of_field(QUERY_FIELD, "gives no rows; give a SELECT")
    names = tuple(result.keys())
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidArgument.of_field(
            QUERY_FIELD, f"gives two columns {twice[0]!r}; name one of them otherwise with AS"
        )
    return names


def _values(result: CursorResult[Any], parsed: URL) -> Iterator[Sequence[Any]]:
    with _told(parsed, QUERY_FIELD):
        yield from result


@contextmanager
def _told(parsed: URL, field: str) -> Iterator[None]:
    """Say what the database said, without the password."""
    try:
        yield
    except Unavailable as error:
        raise _unreachable(parsed, error.__cause__ or error) from None
    except ToulminError:
        raise
    except exc.OperationalError as error:
        raise _operational(error, parsed, field) from None
    except (exc.InterfaceError, OSError) as error:
        raise _unreachable(parsed, error) from None
    except exc.SQLAlchemyError as error:
        raise InvalidArgument.of_field(field, _said(error, parsed)) from None
    except RuntimeError as error:  # PyMySQL, of a package that an account's password needs
        raise FailedPrecondition(f"{field}: {_without_password(str(error), parsed)}") from None


def _operational(error: exc.OperationalError, parsed: URL, field: str) -> ToulminError:
    """Return the error: drivers call so what is wrong in a query, and what the network does."""
    number = error.orig.args[0] if error.orig and error.orig.args else None
    is_network = isinstance(number, int) and number in _MYSQL_NETWORK
    return (
        _unreachable(parsed, error)
        if is_network
        else InvalidArgument.of_field(field, _said(error, parsed))
    )


_MYSQL_NETWORK = frozenset({2002, 2003, 2006, 2013})
"""Errors of MySQL's clients: no socket, no connection, gone away, lost during a query."""


def _unreachable(parsed: URL, error: BaseException) -> Unavailable:
    return Unavailable(
        f"{parsed.render_as_string(hide_password=True)} cannot be reached:"
        f" {_said(error, parsed).removeprefix('the database says: ')}"
    )


def _said(error: BaseException, parsed: URL) -> str:
    """Return the driver's words in one line."""
    cause: BaseException = getattr(error, "orig", None) or error
    details = cause.args[0] if cause.args else ""
    if isinstance(details, Mapping):  # pg8000: by the letters of the protocol
        words = str(details.get("M", details))
    elif len(cause.args) > 1:  # PyMySQL: a number and words
        words = str(cause.args[1])
    else:
        words = str(cause)
    return f"the database says: {_without_password(' '.join(words.split()), parsed)}"


def _without_password(text: str, parsed: URL) -> str:
    password = str(parsed.password or "")
    return text.replace(password, _HIDDEN) if password else text
