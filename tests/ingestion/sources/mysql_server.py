"""A MariaDB or MySQL server for the tests: a socket in a folder, no network, nothing left behind."""

from __future__ import annotations

import getpass
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pymysql

from tests.patience import PATIENCE_S

PASSWORD = "s3cret:w/rd"


class NoMysqlError(Exception):
    """There are no MySQL or MariaDB programs on this machine."""


@contextmanager
def running_mysql() -> Iterator[str]:
    """Yield the URL of a fresh server's database `shop`, whose user `reader` has `PASSWORD`."""
    server = shutil.which("mariadbd") or shutil.which("mysqld")
    maker = shutil.which("mariadb-install-db")
    if not server:
        raise NoMysqlError("no MySQL: install Debian's package mariadb-server")
    # Not pytest's folder: a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix="my-"))
    user = f"--user={getpass.getuser()}"
    data, socket = f"--datadir={folder}/data", folder / "s"
    make = (
        [maker, "--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]
        if maker
        else [server, "--no-defaults", "--initialize-insecure"]
    )
    process = None
    try:
        subprocess.run([*make, data, user], check=True, capture_output=True)
        process = subprocess.Popen(
            [server, "--no-defaults", data, user, f"--socket={socket}", "--skip-networking",
             f"--pid-file={folder}/pid", "--innodb-buffer-pool-size=16M",
             "--innodb-flush-log-at-trx-commit=0"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _prepare(socket)
        yield f"mysql://reader:{quote(PASSWORD, safe='')}@localhost/shop?unix_socket={socket}"
    finally:
        if process:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def run_mysql(url: str, *statements: str) -> None:
    """Run statements as the server's owner."""
    with _connected(Path(url.partition("unix_socket=")[2]), "shop") as connection:
        for statement in statements:
            connection.cursor().execute(statement)
        connection.commit()


def _prepare(socket: Path) -> None:
    last = time.monotonic() + PATIENCE_S
    while not socket.exists() and time.monotonic() < last:
        time.sleep(0.1)
    with _connected(socket, None) as connection:
        for statement in (
            "CREATE DATABASE shop CHARACTER SET utf8mb4",
            f"CREATE USER reader@localhost IDENTIFIED BY '{PASSWORD}'",
            "GRANT ALL ON shop.* TO reader@localhost",
        ):
            connection.cursor().execute(statement)


def _connected(socket: Path, database: str | None) -> pymysql.Connection:
    return pymysql.connect(
        user="root", unix_socket=str(socket), database=database, charset="utf8mb4"
    )
