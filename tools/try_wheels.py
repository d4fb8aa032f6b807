"""Install the wheels where only Python is, and use what was installed as a newcomer would.

    python tools/try_wheels.py [dist] [--python python3.13]

Makes a new virtual environment in a folder that is deleted afterwards, installs the wheels of the
given folder into it by `pip install` (their dependencies come from the package index), runs
`toulmin demo` on a free port and an empty data folder, and asks it by `curl`, or by Python where
there is none: a check, which the grounding model must have judged, a question about the samples,
and the console's page. Prints what it did; exits with 1 at the first thing that is not as it
should be.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WHEELS = 4
READY_TIMEOUT_S = 600.0  # a slow machine reads the sample documents
STOP_TIMEOUT_S = 60.0
SAMPLE = "/v1/projects/default/locations/global/dataStores/sample/servingConfigs/default_search"
CHECK = "/v1/projects/p/locations/global/groundingConfigs/default_grounding_config:check"
_URL = re.compile(r"^Toulmin serves .* on (https?://\S+)", re.MULTILINE)
_MODELS = (
    "from toulmin.services.support import grounding_folder as g, multilingual_folder as m;"
    "from toulmin.services.readers import reader_folder as r;"
    "from toulmin.settings import Settings as S;"
    "print(g(S()), m(S()), r(g(S())), r(m(S())))"
)


def clean_environment() -> dict[str, str]:
    """Return this process's environment without what could lead to another Toulmin."""
    strange = ("PYTHON", "TOULMIN_", "VIRTUAL_ENV")
    return {k: v for k, v in os.environ.items() if not k.startswith(strange)}


def install(python: str, wheels: list[Path], folder: Path) -> Path:
    """Install the wheels into a new environment; return the folder of its programs."""
    environment = clean_environment()
    subprocess.run([python, "-m", "venv", str(folder)], check=True, env=environment)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", *map(str, wheels)], check=True, env=environment)
    subprocess.run([*pip, "check"], check=True, env=environment)
    return folder / "bin"


def get(url: str, body: dict[str, Any] | None = None) -> bytes:
    """Return what a GET, or a POST of `body`, is answered with."""
    data = None if body is None else json.dumps(body)
    if curl := shutil.which("curl"):
        posted = [] if data is None else ["-H", "content-type: application/json", "-d", data]
        command = [curl, "--silent", "--show-error", "--fail-with-body", *posted, url]
        return subprocess.run(command, check=True, capture_output=True).stdout
    request = urllib.request.Request(
        url, None if data is None else data.encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=READY_TIMEOUT_S) as response:
        answer: bytes = response.read()
    return answer


def wait_for_url(process: subprocess.Popen[bytes], log: Path) -> str:
    """Return where the server says it is; exit if it ends before that."""
    deadline = time.monotonic() + READY_TIMEOUT_S
    while time.monotonic() < deadline:
        text = log.read_text(encoding="utf-8", errors="replace")
        if found := _URL.search(text):
            return found[1]
        if process.poll() is not None:
            sys.exit(f"`toulmin` ended with {process.returncode}:\n{text}")
        time.sleep(0.2)
    sys.exit(f"`toulmin` did not serve within {READY_TIMEOUT_S:g} s:\n{text}")


def expect(condition: object, what: str, found: object) -> None:
    """Print `what`, or exit with what was found instead."""
    if not condition:
        sys.exit(f"FAIL {what}: {found}")
    print(f"ok   {what}", flush=True)


def ask(url: str) -> None:
    """Send the requests of the README."""
    facts = [{"factText": "The Elbe Bridge opened on 4 May 1998. It is 312 metres long."}]
    body = {
        "answerCandidate": "The Elbe Bridge opened in 1998. It is 450 metres long.",
        "facts": facts,
        "groundingSpec": {"enableClaimLevelScore": True},
    }
    checked = json.loads(get(url + CHECK, body))
    true, false = (claim["score"] for claim in checked["claims"])
    expect(
        true > 0.6 > 0.4 > false, "a check: the true claim is supported, the false one not", checked
    )
    body = {"query": {"text": "When was the Eiffel Tower opened?"}}
    answer = json.loads(get(f"{url}{SAMPLE}:answer", body))["answer"]
    expect("1889" in answer["answerText"], "a question about the samples is answered", answer)
    page = get(url + "/").decode()
    expect("<title>" in page, "the console's page is there", page)


@contextmanager
def served(command: list[str], folder: Path, log: Path) -> Iterator[str]:
    """Yield the address that a command serves at; it must stop when it is told to."""
    environment = clean_environment() | {"PYTHONUNBUFFERED": "1"}
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield wait_for_url(process, log)
        process.send_signal(signal.SIGTERM)
        code = process.wait(STOP_TIMEOUT_S)
    finally:
        process.kill()
        process.wait()
    expect(code == 0, "it stops when it is told to", code)


def main() -> int:
    """Install, serve, ask, stop; return 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("dist"))
    parser.add_argument("--python", default=sys.executable, help="which one makes the environment")
    arguments = parser.parse_args()
    wheels = [path.resolve() for path in sorted(arguments.folder.glob("toulmin*.whl"))]
    if len(wheels) != WHEELS:
        parser.error(f"{arguments.folder} has {len(wheels)} wheels, not {WHEELS}: make dist")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        programs = install(arguments.python, wheels, folder / "environment")
        environment = clean_environment() | {"PYTHONUNBUFFERED": "1"}
        command = [str(programs / "python"), "-c", _MODELS]
        said = subprocess.check_output(command, cwd=folder, env=environment, text=True)
        names = (
            "toulmin_grounding_model",
            "toulmin_reader_model",
            "toulmin_multilingual_model/reader",
        )
        inside = str(folder / "environment") in said and all(name in said for name in names)
        expect(inside, f"installed, its models are in {' and '.join(names)}", said)
        with served(
            [str(programs / "toulmin"), "demo", "--port", "0"], folder, folder / "log"
        ) as url:
            ask(url)
    return 0


if __name__ == "__main__":
    sys.exit(main())
