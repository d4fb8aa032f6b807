"""Run the console's tests in a real browser, in a virtual environment of their own.

    python tests/console/run.py [ARGUMENT OF PYTEST ...]
    python tests/console/run.py --measure | --measure-upload PAGES | --pictures [NAME ...]

Makes .venv-console from tests/console/requirements.txt when it is missing or the file has changed,
starts `toulmin serve` twice (open, and with keys), fills both, and runs tests/console/browser with
nothing but their addresses. Chromium is the one that CHROMIUM names, else the one on the path. With
--measure it prints the first page's weight and the time until it can be used instead, with
--measure-upload how far a long PDF was said to be while it was read, and with --pictures it takes
those of docs/images again, or those of the pages that are named.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))

from tests.clients import server  # noqa: E402 - found through the line above
from tests.console.seed import fill  # noqa: E402

# Two servers load their models at the same time, maybe on a busy machine.
server.START_TIMEOUT_S = 300.0
VENV = ROOT / ".venv-console"
TASKS = {
    "--measure": "measure.py",
    "--measure-upload": "measure_upload.py",
    "--pictures": "pictures.py",
}
_TOULMIN = "import sys; from toulmin.cli import main; sys.exit(main())"


def prepare() -> Path:
    """Return the interpreter of the virtual environment, installing it when needed."""
    requirements = HERE / "requirements.txt"
    python, stamp = VENV / "bin" / "python", VENV / "requirements.sha256"
    wanted = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", str(requirements)], check=True)
        stamp.write_text(wanted)
    return python


def make_key(data_dir: Path, role: str) -> str:
    """Return a new key of the project `default`, or of all projects for an admin."""
    where = ["--all-projects"] if role == "admin" else ["--project", "default"]
    options = ["--name", role, "--role", role, *where, "--data-dir", str(data_dir), "--json"]
    made = subprocess.run(
        [sys.executable, "-c", _TOULMIN, "keys", "create", *options],
        capture_output=True,
        text=True,
        check=True,
    )
    return str(json.loads(made.stdout)["key"])


def call(base: str, method: str, path: str, body: Any = None) -> Any:
    """Return the JSON that a path of the API answers."""
    request = urllib.request.Request(
        f"{base}/v1/{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


def main() -> int:
    """Start the servers, run the tests, and return pytest's exit code."""
    arguments = sys.argv[1:]
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or ""
    if not chromium:
        sys.exit("No Chromium is found; install it (apt-get install chromium) or set CHROMIUM")
    python = prepare()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with server.serve(folder / "open") as open_, server.serve(folder / "keyed") as keyed:
            base, with_keys = (f"http://127.0.0.1:{one.port}" for one in (open_, keyed))
            for address in (base, with_keys):
                fill(lambda *given, address=address: call(address, *given))
            environment = os.environ | {
                "CHROMIUM": chromium,
                "CONSOLE_URL": base,
                "CONSOLE_KEYED_URL": with_keys,
                "CONSOLE_VIEWER": make_key(folder / "keyed" / "data", "viewer"),
                "CONSOLE_ADMIN": make_key(folder / "keyed" / "data", "admin"),
                "PYTHONPATH": str(ROOT),
            }
            browser = HERE / "browser"
            if arguments and arguments[0] in TASKS:
                command = [str(python), str(browser / TASKS[arguments[0]]), *arguments[1:]]
            else:
                command = [str(python), "-m", "pytest", "-c", str(browser / "pytest.ini")]
                command += ["--confcutdir", str(browser), str(browser), *arguments]
            return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
