"""Run every real client against a live server, each in a virtual environment of its own.

    python tests/clients/run.py [NAME ...]

Makes .venv-clients/<name> from tests/clients/<name>/requirements.txt when it is missing or the
file has changed, starts `toulmin serve` twice (plaintext and TLS), runs tests/clients/<name>/
check.py with nothing but environment variables, and prints PASS or FAIL for each check. Exits
with 1 when a check fails or a client says nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

from server import client_environment, serve  # noqa: E402 - found through the line above

VENVS = ROOT / ".venv-clients"
CLIENTS = tuple(sorted(path.parent.name for path in HERE.glob("*/check.py")))
CLIENT_TIMEOUT_S = 600
LOG_LINES = 10


def prepare(name: str) -> Path:
    """Return the interpreter of the client's virtual environment, installing it when needed."""
    requirements = HERE / name / "requirements.txt"
    folder = VENVS / name
    python = folder / "bin" / "python"
    stamp = folder / "requirements.sha256"
    wanted = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    say(f"installing {name} ...")
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", str(requirements)], check=True)
    stamp.write_text(wanted)
    return python


def run_client(name: str, python: Path, environment: dict[str, str]) -> tuple[int, int]:
    """Return how many checks passed and how many failed; print each."""
    started = time.monotonic()
    ended = subprocess.run(
        [str(python), str(HERE / name / "check.py")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=CLIENT_TIMEOUT_S,
        check=False,
    )
    outcomes = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    for outcome in outcomes:
        verdict = "PASS" if outcome["ok"] else "FAIL"
        detail = f"  {' '.join(outcome['detail'].split())}" if outcome["detail"] else ""
        say(f"{verdict} {name} {outcome['group']}: {outcome['check']}{detail}")
    passed = sum(outcome["ok"] for outcome in outcomes)
    failed = len(outcomes) - passed
    if ended.returncode or not outcomes:
        failed += 1
        say(f"FAIL {name}: ended with {ended.returncode}\n{ended.stderr}")
    say(f"{name}: {passed} passed, {failed} failed in {time.monotonic() - started:.0f} s")
    return passed, failed


def say_end_of_logs(folder: Path) -> None:
    """Print the last lines of what the servers wrote."""
    for log in sorted(folder.glob("*/server.log")):
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        say(f"--- end of {log.relative_to(folder)}")
        for line in lines[-LOG_LINES:]:
            say(line[:1000])


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)  # noqa: T201 - this is a command


def main() -> int:
    """Run the clients and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CLIENTS)}")
    names = parser.parse_args().names or list(CLIENTS)
    unknown = set(names) - set(CLIENTS)
    if unknown:
        parser.error(f"no such client: {', '.join(sorted(unknown))}; there are {CLIENTS}")
    pythons = {name: prepare(name) for name in names}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with serve(folder / "plain") as plain, serve(folder / "tls", tls=True) as tls:
            environment = client_environment(plain, tls)
            totals = [run_client(name, pythons[name], environment) for name in names]
        passed, failed = (sum(column) for column in zip(*totals, strict=True))
        if failed:
            say_end_of_logs(folder)
    say(f"all clients: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
