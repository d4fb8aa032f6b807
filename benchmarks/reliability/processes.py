"""Starts children and servers, kills them, calls them."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from benchmarks.measurement import REPOSITORY
from benchmarks.reliability.documents import BRANCH, COLLECTION
from toulmin.domain import DataStore
from toulmin.stores.records import Operation, RecordStore

HOST = "127.0.0.1"
_PATIENCE_S = 1800.0
_START_S = 120.0
_ADDRESS = re.compile(rb"serves REST and gRPC on https?://[^\n]*:(\d+)\n")


class Child:
    """A `child.py` at work.

    Args:
        folder: The data folder.
        root: Where imports may read.
        under: Program and arguments that start it.
        stays: Whether it goes on when all is done, until it is killed.

    Attributes:
        reports: The lines it said so far.
    """

    def __init__(
        self, folder: Path, root: Path, *, under: Sequence[str] = (), stays: bool = False
    ) -> None:
        self.log_path = folder.with_name(f"{folder.name}.log")
        self._log = self.log_path.open("ab")
        program = [sys.executable, "-m", "benchmarks.reliability.child", str(folder), str(root)]
        self._process = subprocess.Popen(
            [*under, *program, *(["--stay"] if stays else [])],
            stdin=subprocess.PIPE if stays else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            cwd=REPOSITORY,
        )
        self.pid = self._process.pid
        self.reports: list[dict[str, Any]] = []
        self._told = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_for(
        self, wanted: Callable[[dict[str, Any]], bool], *, timeout_s: float = _PATIENCE_S
    ) -> bool:
        """Wait for a report that is `wanted`; False: the child ended, or the time is over."""
        seen = 0
        deadline = time.monotonic() + timeout_s
        with self._told:
            while True:
                while seen < len(self.reports):
                    if wanted(self.reports[seen]):
                        return True
                    seen += 1
                left = deadline - time.monotonic()
                if left <= 0 or not self._reader.is_alive():
                    return False
                self._told.wait(min(left, 0.5))

    def is_done(self) -> bool:
        """Wait until all is done and the child has ended by itself; False: it failed."""
        done = self.wait_for(lambda report: bool(report.get("done")))
        code = self._process.wait(_PATIENCE_S)
        self._close()
        return code == 0 and done

    def log(self) -> str:
        """What it logged, and those before it on the folder."""
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def kill(self) -> dict[str, Any]:
        """Kill it with SIGKILL and return its last report about operations."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._close()
        return next((r for r in reversed(self.reports) if "success" in r), {})

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.poll() is not None

    def _close(self) -> None:
        self._reader.join()
        self._log.close()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with contextlib.suppress(ValueError):  # the last line may be cut off
                report = json.loads(line)
                with self._told:
                    self.reports.append(report)
                    self._told.notify_all()
        with self._told:
            self._told.notify_all()


class ServerProcess:
    """`toulmin serve` on a free port and a data folder of the caller's.

    Attributes:
        key: The API key that calls present; empty: none.
    """

    def __init__(self, folder: Path, *flags: str, **more: Any) -> None:
        self.port = 0
        self.key = ""
        self._tls = ssl.create_default_context() if "--tls" in flags else None
        if self._tls is not None:  # it is ours, and what is measured is not who it is
            self._tls.check_hostname = False
            self._tls.verify_mode = ssl.CERT_NONE
        self.log_path = folder.with_name(f"{folder.name}.log")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TOULMIN_")}
        with self.log_path.open("ab") as log:
            self._log_starts = log.tell()
            self.process = subprocess.Popen(
                [*TOULMIN, "serve", "--port", "0", "--data-dir", str(folder), *flags],
                stdout=log,
                stderr=log,
                env=environment,
                **more,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def wait_until_up(self) -> None:
        """Wait until it answers.

        Raises:
            RuntimeError: It ended, or does not answer in time.
        """
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended: {self.log()[-2000:]}")
            with self.log_path.open("rb") as log:
                log.seek(self._log_starts)
                found = _ADDRESS.search(log.read())
            self.port = int(found[1]) if found else 0
            with contextlib.suppress(OSError, http.client.HTTPException):
                if found and self.call("GET", "/healthz", raw=True)[0] == http.HTTPStatus.OK:
                    return
            time.sleep(0.05)
        raise RuntimeError("the server does not answer")

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.process.wait()

    def stop(self, timeout_s: float = 120.0) -> tuple[int, float]:
        """SIGTERM; return exit code and seconds until it was gone."""
        started = time.monotonic()
        self.process.terminate()
        code = self.process.wait(timeout_s)
        return code, time.monotonic() - started

    def log(self) -> str:
        """What it printed."""
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def defects(self) -> list[str]:
        """Return what of its log says that something of ours went wrong."""
        return [
            line for line in self.log().splitlines() if "Traceback" in line or '"defect"' in line
        ]

    def connection(self, timeout_s: float = 120.0) -> http.client.HTTPConnection:
        """Return a connection of a client's, not opened yet."""
        if self._tls is None:
            return http.client.HTTPConnection(HOST, self.port, timeout=timeout_s)
        return http.client.HTTPSConnection(HOST, self.port, timeout=timeout_s, context=self._tls)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        timeout_s: float = 120.0,
        raw: bool = False,
        key: str = "",
    ) -> tuple[int, Any]:
        """Return HTTP status and JSON of one call, with `key` instead of the server's if given.

        Raises:
            OSError, HTTPException: There was no answer.
        """
        connection = self.connection(timeout_s)
        try:
            connection.request(
                method,
                path if raw else f"/v1/{path}",
                body=None if body is None else json.dumps(body),
                headers={"Content-Type": "application/json"}
                | ({"X-Goog-Api-Key": key or self.key} if key or self.key else {}),
            )
            response = connection.getresponse()
            payload = response.read()
        finally:
            connection.close()
        return response.status, (None if raw else json.loads(payload or b"{}"))

    def create_store(self, *, content: bool = False) -> None:
        """Create the data store of the trials, if it is not there."""
        config = "CONTENT_REQUIRED" if content else "NO_CONTENT"
        status, answer = self.call(
            "POST",
            f"{COLLECTION}/dataStores?dataStoreId=s",
            {"displayName": "s", "industryVertical": "GENERIC", "contentConfig": config},
        )
        if status not in (200, 409):
            raise RuntimeError(f"{status} {answer}")

    def wait_for_operation(
        self, name: str, *, timeout_s: float = 600.0, every_s: float = 0.1
    ) -> dict[str, Any]:
        """Return an operation once it is done."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            _, answer = self.call("GET", name)
            if answer.get("done"):
                return dict(answer)
            time.sleep(every_s)
        raise RuntimeError(f"{name} did not end")


TOULMIN = (sys.executable, "-c", "import sys; from toulmin.cli import main; sys.exit(main())")
"""`toulmin`, whether or not its script is on the path."""


def toulmin(*arguments: str, timeout_s: float = 600.0) -> subprocess.CompletedProcess[str]:
    """Run a verb to its end."""
    return subprocess.run(
        [*TOULMIN, *arguments], capture_output=True, text=True, timeout=timeout_s, check=False
    )


def prepare(
    folder: Path, *requests: tuple[str, dict[str, Any]], content: bool = False
) -> list[str]:
    """Make the data store if need be and operations for a child to do; return their names.

    Args:
        folder: The data folder.
        requests: Kind and request of each operation.
        content: Whether the data store, if it is made, is for files.
    """
    with opened(folder) as store:
        with store.read() as transaction:
            is_new = not transaction.resources.all_data_stores()
        with store.write() as transaction:
            if is_new:
                transaction.resources.create(
                    DataStore(
                        parent=COLLECTION,
                        id="s",
                        content_config="CONTENT_REQUIRED" if content else "NO_CONTENT",
                    )
                )
            return [
                transaction.operations.create(parent=BRANCH, kind=kind, request=request).name
                for kind, request in requests
            ]


def operations_of(folder: Path) -> list[Operation]:
    """Return the operations in a folder that nobody has open, newest first."""
    with opened(folder) as store, store.read() as transaction:
        return list(transaction.operations.list(BRANCH, page_size=100).items)


@contextmanager
def opened(folder: Path, url: str = "") -> Iterator[RecordStore]:
    """Open the records of a folder that nobody has open, or those in PostgreSQL."""
    store = RecordStore(folder, url)
    try:
        yield store
    finally:
        store.close()


def copied(source: Path, target: Path) -> Path:
    """Copy a data folder that nobody has open."""
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(source, target)
    return target


def run_to_end(folder: Path, root: Path) -> Child:
    """Run a child until all is done.

    Raises:
        RuntimeError: It failed.
    """
    child = Child(folder, root)
    if not child.is_done():
        raise RuntimeError(f"the child failed: {child.log()[-3000:]}")
    return child
