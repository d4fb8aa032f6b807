"""Start `toulmin serve` on a free port, and stop it again."""

from __future__ import annotations

import os
import re
import shlex
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 40.0
_COMMAND = "import sys; from toulmin.cli import main; sys.exit(main())"
_REMEMBERS = f"""\
import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests import remembered_runs; remembered_runs.install(); sys.path.pop(0)
"""
_PORT = re.compile(r"^Toulmin serves .* on https?://\S+:(\d+)", re.MULTILINE)
_EXPORT = re.compile(r"^\s*export\s+([A-Z_]+)=(.+?)\s*$", re.MULTILINE)
_CLIENT_VARIABLES = {
    "GOOGLE_CLOUD_UNIVERSE_DOMAIN",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
}


@dataclass(frozen=True)
class Server:
    """A server that answers.

    Attributes:
        port: Where it listens on 127.0.0.1.
        exports: The variables of the `export` lines it printed; empty without TLS.
    """

    port: int
    exports: dict[str, str]


@contextmanager
def serve(folder: Path, *, tls: bool = False, remembers: bool = False) -> Iterator[Server]:
    """Yield a server that is ready; keep its output in `folder`/server.log.

    With `remembers` its networks answer from memory what they have read before, as in the tests
    beside it (tests/remembered_runs.py).

    Raises:
        RuntimeError: it ended or did not get ready in time; the message has its output.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "server.log"
    options = ["--port", "0", "--data-dir", str(folder / "data"), *(["--tls"] if tls else [])]
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("TOULMIN_") and name not in _CLIENT_VARIABLES
    }
    environment["PYTHONUNBUFFERED"] = "1"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", (_REMEMBERS if remembers else "") + _COMMAND, "serve", *options],
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
        )
    try:
        yield _wait(process, log, tls=tls)
    finally:
        _stop(process)


def _wait(process: subprocess.Popen[bytes], log: Path, *, tls: bool) -> Server:
    """Return the server once it has said where it is and that it is ready."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        text = log.read_text(encoding="utf-8", errors="replace")
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}:\n{text}")
        exports = {name: shlex.split(value)[0] for name, value in _EXPORT.findall(text)}
        printed = _PORT.search(text)
        complete = not tls or exports.keys() >= _CLIENT_VARIABLES
        if printed and complete and _is_ready(int(printed[1]), exports, tls=tls):
            return Server(int(printed[1]), exports)
        time.sleep(0.1)
    raise RuntimeError(f"the server was not ready after {START_TIMEOUT_S} s:\n{log.read_text()}")


def _is_ready(port: int, exports: dict[str, str], *, tls: bool) -> bool:
    authority = exports.get("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH")
    context = ssl.create_default_context(cafile=authority) if tls else None
    url = f"{'https' if tls else 'http'}://localhost:{port}/readyz"
    try:
        with urllib.request.urlopen(url, timeout=5, context=context) as reply:
            return reply.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def client_environment(plain: Server, tls: Server) -> dict[str, str]:
    """Return the environment in which a client finds both servers.

    CLIENT_HTTP and CLIENT_GRPC are host:port of the plaintext server, CLIENT_TLS of the other
    one; the three variables of the TLS server's export lines are added as they are.
    """
    return {
        **{
            name: os.environ[name]
            for name in ("PATH", "HOME", "TMPDIR", "PROMPTFOO")
            if name in os.environ
        },
        "PYTHONPATH": str(Path(__file__).parent),
        "PYTHONUNBUFFERED": "1",
        "NO_PROXY": "localhost,127.0.0.1",
        "HAYSTACK_TELEMETRY_ENABLED": "False",
        "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
        "RAGAS_DO_NOT_TRACK": "true",
        "OTEL_SDK_DISABLED": "true",  # Guardrails AI reports through it
        "CLIENT_HTTP": f"127.0.0.1:{plain.port}",
        "CLIENT_GRPC": f"127.0.0.1:{plain.port}",
        "CLIENT_TLS": f"localhost:{tls.port}",
        **tls.exports,
    }
