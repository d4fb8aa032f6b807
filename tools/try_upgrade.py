"""Upgrade an older Toulmin by wheels, on its own data folder, and go back again.

    python -m tools.try_upgrade [--from COMMIT] [--python python3.13]

Builds the wheels of an older commit (by default the last one whose tables are of an older revision)
and of this one, each with its own tools/dist.py. Then it does what docs/operating.md says: installs
the old ones in a new virtual environment, serves an empty data folder, imports two documents, asks
and checks; copies, stops, installs the new ones over the old, and starts on the same folder. What
was there must be there, unchanged, and answers and checks must be right. Last the old ones come
back: they must refuse the upgraded folder, leave it alone, and serve the restored copy. Everything
is in a folder that is deleted afterwards. Prints what it did; exits with 1 at the first thing that
is not as it should be.
"""

from __future__ import annotations

import argparse
import base64
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.try_wheels import (
    CHECK,
    clean_environment,
    expect,
    get,
    install,
    served,
)

ROOT = Path(__file__).resolve().parents[1]
TABLES = "src/toulmin/stores/records/migrations/versions"
STORES = "/v1/projects/default/locations/global/collections/default_collection/dataStores"
STORE = f"{STORES}/bridges"
CHUNKS = STORE.replace("/v1/", "/v1alpha/") + "/branches/0/documents/{}/chunks"
IMPORT_TIMEOUT_S = 300.0
TEXTS = {
    "elbe": "The Elbe Bridge opened on 4 May 1998. It is 312 metres long.",
    "tide": "The Tide Bridge is 88 metres long. It was painted green in 2011.",
}


def git(*arguments: str, cwd: Path = ROOT) -> str:
    """Return what git prints, without the last line's end."""
    command = ["git", *arguments]
    return subprocess.check_output(command, cwd=cwd, text=True).rstrip("\n")


def older_tables() -> str:
    """Return the last commit before the one that added the newest revision of the tables."""
    added = git("log", "-1", "--diff-filter=A", "--format=%H", "--", f"{TABLES}/v*.py")
    return git("rev-parse", "--short", f"{added}^")


def build(commit: str, folder: Path) -> list[Path]:
    """Return the wheels of a commit, built in a clone of this checkout."""
    clone, wheels = folder / "clone", folder / "wheels"
    git("clone", "--quiet", "--shared", "--no-checkout", str(ROOT), str(clone))
    git("checkout", "--quiet", commit, cwd=clone)
    wheels.mkdir()
    command = [sys.executable, "tools/dist.py", "--out", str(wheels)]
    subprocess.run(command, cwd=clone, env=clean_environment(), check=True, stdout=sys.stderr)
    return sorted(wheels.glob("toulmin*.whl"))


class Installed:
    """A Toulmin in a virtual environment, and the data folder that it serves."""

    def __init__(self, programs: Path, data: Path) -> None:
        self.programs = programs
        self.data = data
        self.environment = clean_environment() | {"PYTHONUNBUFFERED": "1"}

    def put(self, wheels: list[Path]) -> None:
        """Install wheels over what is there, as docs/operating.md says."""
        pip = [str(self.programs / "python"), "-m", "pip", "--disable-pip-version-check"]
        names = list(map(str, wheels))
        for command in (
            ["install", "--quiet", "--force-reinstall", "--no-deps", *names],
            ["install", "--quiet", *names],
            ["check"],
        ):
            subprocess.run([*pip, *command], check=True, env=self.environment)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Return what `toulmin` with these arguments and the data folder ended with."""
        command = [str(self.programs / "toulmin"), *arguments, "--data-dir", str(self.data)]
        return subprocess.run(
            command,
            cwd=self.programs,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=IMPORT_TIMEOUT_S,
            check=False,
        )

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Yield the address of `toulmin serve`; it must stop when it is told to."""
        command = [str(self.programs / "toulmin"), "serve", "--port", "0"]
        log = self.data.with_suffix(".log")
        with served([*command, "--data-dir", str(self.data)], self.programs, log) as url:
            yield url


def call(address: str, body: dict[str, Any] | None = None) -> Any:
    """Return the JSON of a GET, or of a POST of `body`."""
    return json.loads(get(address, body))


def fill(url: str) -> None:
    """Make a data store and import two documents into it."""
    store = {
        "displayName": "Bridges",
        "industryVertical": "GENERIC",
        "solutionTypes": ["SOLUTION_TYPE_SEARCH"],
        "contentConfig": "CONTENT_REQUIRED",
    }
    call(f"{url}{STORES}?dataStoreId=bridges", store)
    documents = [
        {
            "id": name,
            "structData": {"title": name.title(), "number": number},
            "content": {
                "mimeType": "text/plain",
                "rawBytes": base64.b64encode(text.encode()).decode(),
            },
        }
        for number, (name, text) in enumerate(TEXTS.items())
    ]
    operation = call(
        f"{url}{STORE}/branches/0/documents:import", {"inlineSource": {"documents": documents}}
    )
    deadline = time.monotonic() + IMPORT_TIMEOUT_S
    while not operation.get("done") and time.monotonic() < deadline:
        time.sleep(0.2)
        operation = call(f"{url}/v1/{operation['name']}")
    done = operation.get("metadata", {}).get("successCount")
    expect(done == str(len(TEXTS)), "two documents are imported", operation)


def answer(url: str, question: str, session: str) -> dict[str, Any]:
    """Return the answer to a question in a session of the data store."""
    body = {"query": {"text": question}, "session": session}
    found = call(f"{url}{STORE}/servingConfigs/default_search:answer", body)
    return dict(found["answer"]) | {"session": found["session"]["name"]}


def contents(url: str) -> dict[str, Any]:
    """Return all that must be the same after the upgrade."""
    return {
        "data stores": call(f"{url}{STORES}"),
        "documents": call(f"{url}{STORE}/branches/0/documents"),
        "chunks": [call(f"{url}{CHUNKS.format(name)}") for name in TEXTS],
        "sessions": call(f"{url}{STORE}/sessions"),
    }


def use(url: str, session: str) -> str:
    """Ask and check; return the session's name."""
    found = answer(url, "How long is the Elbe Bridge?", session)
    expect("312 metres" in found["answerText"], "a question is answered", found)
    query = {"query": "painted green", "pageSize": 1}
    results = call(f"{url}{STORE}/servingConfigs/default_search:search", query)["results"]
    expect([one["id"] for one in results] == ["tide"], "the right document is found", results)
    body = {
        "answerCandidate": "The Elbe Bridge opened in 1998. It is 450 metres long.",
        "facts": [{"factText": TEXTS["elbe"]}],
        "groundingSpec": {"enableClaimLevelScore": True},
    }
    checked = call(url + CHECK, body)
    true, false = (claim["score"] for claim in checked["claims"])
    expect(true > 0.6 > 0.4 > false, f"a check tells {true} from {false}", checked)
    return str(found["session"])


def upgrade(toulmin: Installed, old: list[Path], new: list[Path], copies: Path) -> None:
    """Go through it all."""
    with toulmin.serving() as url:
        fill(url)
        session = use(url, f"{STORE.removeprefix('/v1/')}/sessions/-")
        before = contents(url)
        copied = toulmin.run("backup", str(copies))
    (copy,) = copies.glob("*.db")
    expect(copied.returncode == 0, f"old: {copy.name} is a copy", copied.stderr)
    toulmin.put(new)
    with toulmin.serving() as url:
        for what, found in contents(url).items():
            expect(found == before[what], f"new: the same {what}", (before[what], found))
        use(url, session)
        found = answer(url, "When did it open?", session)
        expect("1998" in found["answerText"], "new: the old session goes on", found)
    go_back(toulmin, old, copy, before)
    toulmin.put(new)
    with toulmin.serving() as url:
        expect(contents(url) == before, "new: upgraded once more, from the copy", before)


def go_back(toulmin: Installed, old: list[Path], copy: Path, before: dict[str, Any]) -> None:
    """The old version refuses the upgraded folder, and serves the restored copy."""
    toulmin.put(old)
    records = sorted(toulmin.data.glob("*.db"))
    kept = [path.read_bytes() for path in records]
    refused = toulmin.run("serve", "--port", "0")
    said = refused.stderr.strip()
    expect(refused.returncode and "newer" in said, f"old: refuses the folder: {said}", refused)
    left = [path.read_bytes() for path in records]
    expect(records and left == kept, "old: leaves the records alone", records)
    restored = toulmin.run("restore", str(copy), "--yes")
    expect(restored.returncode == 0, "old: the copy is restored", restored.stderr)
    with toulmin.serving() as url:
        expect(contents(url) == before, "old: all is there as it was copied", before)


def main() -> int:
    """Build, upgrade, compare; return 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="commit", help="the older commit, or a tag of a release")
    parser.add_argument("--python", default=sys.executable, help="which one makes the environment")
    arguments = parser.parse_args()
    commit = arguments.commit or older_tables()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name in ("old", "new", "copies"):
            (folder / name).mkdir()
        old, new = build(commit, folder / "old"), build("HEAD", folder / "new")
        behind = git("rev-list", "--count", f"{commit}..HEAD")
        expect(old and new, f"wheels of {commit}, {behind} commits ago, and of HEAD", (old, new))
        programs = install(arguments.python, old, folder / "environment")
        upgrade(Installed(programs, folder / "data"), old, new, folder / "copies")
    return 0


if __name__ == "__main__":
    sys.exit(main())
