"""The servers that a libpq URL names, and connections to the one of them that is wanted.

A list of servers (`postgresql://user@a:5432,b:5433/database`, or `host=a,b&port=5432,5433`) is gone
through until one answers and takes writes: after a fail-over that is another than before.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Dialect

from toulmin.errors import InvalidArgument, Unavailable
from toulmin.stores.records.postgresql_silence import WATCH, ask_busy

DEFAULT_PORT = 5432
DATABASE_UNAVAILABLE = "DATABASE_UNAVAILABLE"
"""Reason of an `Unavailable` for which the database is why: what was asked is not at fault."""

UNREACHABLE = "The database server cannot be reached; try again."

_URL = re.compile(r"([\w+]+://)([^:/@]*(?::[^@]*)?@)?([^/?]*)(.*)", re.DOTALL)
_PLACE = re.compile(r"(?:\[([^\]]+)\]|([^:\[\]]*))(?::(\d*))?")
_WANTED: Mapping[str, str] = {
    "any": "",
    "primary": "SELECT CASE WHEN pg_is_in_recovery() THEN 'on' END",
    "read-write": "SHOW transaction_read_only",
}
"""`target_session_attrs` -> what a server answers "on" to that is not wanted; empty: each is."""

_SILENCE = (
    ("TCP_KEEPIDLE", 10),
    ("TCP_KEEPINTVL", 5),
    ("TCP_KEEPCNT", 3),
    ("TCP_USER_TIMEOUT", 25_000),
)
"""A machine that is gone says nothing: after 25 s without a sign a connection to it is given up."""


@dataclass(frozen=True, slots=True)
class Server:
    """One server.

    Attributes:
        host: Its name or address, or the folder of its socket; empty: this machine.
        port: Its port; a part of the socket's name, too.
    """

    host: str
    port: int

    def arguments(self) -> dict[str, object]:
        """Return the driver's words for it."""
        if self.host.startswith("/"):
            return {"unix_sock": f"{self.host}/.s.PGSQL.{self.port}", "ssl_context": False}
        return {"host": self.host or "localhost", "port": self.port}


def split_url(url: str, name: str) -> tuple[str, str]:
    """Return a URL without its servers, and these as they stand in it.

    Raises:
        InvalidArgument: It is not a URL.
    """
    found = _URL.fullmatch(url)
    if found is None:
        raise InvalidArgument(
            f"{name} is not a URL; it must look like postgresql://user:password@host:5432/database."
        )
    scheme, user, servers, rest = found.groups()
    return f"{scheme}{user or ''}{rest}", servers


def read_servers(written: str, query: Mapping[str, str], name: str) -> tuple[Server, ...]:
    """Return the servers of a URL, in its order.

    Args:
        written: What stands between `@` and `/` of the URL.
        query: Its parameters; `host` and `port` go before that.
        name: How errors call the URL.

    Raises:
        InvalidArgument: A port is no number, or there are more ports than servers.
    """
    places = []
    for place in written.split(","):
        found = _PLACE.fullmatch(place)
        if found is None:
            raise InvalidArgument(f"{name} has {place!r} where a host and its port must be.")
        places.append((found[1] or found[2], found[3] or ""))
    hosts, ports = [host for host, _ in places], [port for _, port in places]
    if "host" in query:
        hosts = query["host"].split(",")
        ports = ports if len(ports) == len(hosts) else ports[:1] * len(hosts)
    if "port" in query:
        ports = query["port"].split(",")
    if len(ports) == 1:
        ports *= len(hosts)
    if len(ports) != len(hosts):
        raise InvalidArgument(f"{name} has {len(hosts)} hosts and {len(ports)} ports.")
    return tuple(Server(host, _port(port, name)) for host, port in zip(hosts, ports, strict=True))


def _port(written: str, name: str) -> int:
    if not written:
        return DEFAULT_PORT
    if not written.isdecimal() or not 0 < int(written) < 2**16:
        raise InvalidArgument(f"{name} has the port {written!r}; it must be from 1 to 65535.")
    return int(written)


class Servers:
    """Connects to the first of several servers that is wanted. Threads may share it.

    Args:
        servers: In the order in which they are tried, but for the one that was good last.
        wanted: One of `target_session_attrs`; "": any of one, of several the one that takes writes.
        connect_s: Longest wait for each, until it has let the user in.
        name: How errors call the URL.

    Attributes:
        connect_s: As above.

    Raises:
        InvalidArgument: `wanted` is none of them.
    """

    def __init__(
        self, servers: tuple[Server, ...], *, wanted: str, connect_s: float, name: str
    ) -> None:
        wanted = wanted or ("any" if len(servers) == 1 else "read-write")
        if wanted not in _WANTED:
            raise InvalidArgument(
                f"{name} has target_session_attrs={wanted}; known are {', '.join(_WANTED)}."
            )
        self._servers = servers
        self._question = _WANTED[wanted]
        self.connect_s = connect_s
        self._good = servers[0]

    def connect(self, dialect: Dialect, arguments: Mapping[str, Any]) -> Any:
        """Return a connection of the driver.

        Args:
            dialect: SQLAlchemy's words for the driver.
            arguments: The driver's, but for the server.

        Raises:
            Unavailable: None can be reached, or those that can take no writes.
            Exception: The driver's own, where a server refuses the user or the database.
        """
        good = self._good
        why, problem = UNREACHABLE, None
        try:
            for server in sorted(self._servers, key=lambda server: server != good):
                try:
                    connection = self._open(dialect, server, arguments)
                    is_wanted = self._is_wanted(connection)  # it may go away before it has said so
                except (OSError, dialect.loaded_dbapi.Error) as error:
                    if _is_final(error):
                        raise
                    problem = error
                    continue
                if is_wanted:
                    self._good = server
                    connection._usock.settimeout(None)  # from here on a statement takes its time
                    return connection
                why = "The database server takes no writes; try again."
                connection.close()
            raise Unavailable(why, reason=DATABASE_UNAVAILABLE) from problem
        finally:
            # It holds this frame, and with it a socket that the driver left open.
            problem = None

    def _open(self, dialect: Dialect, server: Server, arguments: Mapping[str, Any]) -> Any:
        def connect() -> Any:
            more = {**server.arguments(), "timeout": self.connect_s}
            return dialect.connect(**{**arguments, **more})

        def ask() -> Collection[int] | None:
            try:
                return ask_busy(connect())
            except dialect.loaded_dbapi.Error as error:
                if sqlstate(error):  # it answers, if only that it takes no more connections
                    return None
                raise OSError(str(error)) from error

        connection = connect()
        opened = connection._usock  # the driver has no other word for it
        WATCH.watch(connection, server, ask)
        if opened.family != socket.AF_UNIX:
            for option, value in _SILENCE:
                if hasattr(socket, option):  # not on every system
                    opened.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
        return connection

    def _is_wanted(self, connection: Any) -> bool:
        if not self._question:
            return True
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute(self._question)
        (answer,) = cursor.fetchone()
        connection.autocommit = False
        return bool(answer != "on")


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


def _is_final(error: BaseException) -> bool:
    """Return whether the next server need not be asked: this one is up, and refuses."""
    state = sqlstate(error)
    return bool(state) and not state.startswith("57P0")
