"""Keep a data folder as one version of Toulmin leaves it, for the test that later ones open it.

    python tests/folders/make.py [--source FOLDER/src]

Runs the version whose `src` folder is named (by default this one's), has it make everything that
is kept in a data folder, stops it, and writes tests/folders/SCHEMA.tar.xz, where SCHEMA is the
revision of its tables. What a version cannot do yet is left out; `contents.json` in the archive
says what is there.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from tests.clients import server  # noqa: E402 - found through the line above

COLLECTION = "projects/default/locations/global/collections/default_collection"
STORE = f"{COLLECTION}/dataStores/old"
CONFIG = f"{STORE}/servingConfigs/default_search"
CORPUS = "corpora/old"
APP = "projects/default/locations/us/apps/shop"
QUESTION = "How long is the Elbe Bridge?"
ELBE = "The Elbe Bridge opened on 4 May 1998. It is 312 metres long."
LAMP = "The lamp uses a battery that lasts for forty hours."
_SECOND_S = 1_700_000_000
_TOULMIN = "import sys; from toulmin.cli import main; sys.exit(main())"

Call = Callable[..., Any]


def documents(call: Call) -> None:
    """A data store with a text that is written and a file that is imported."""
    call("POST", f"v1/{COLLECTION}/dataStores?dataStoreId=old", {
        "displayName": "Old", "industryVertical": "GENERIC",
        "solutionTypes": ["SOLUTION_TYPE_SEARCH"], "contentConfig": "CONTENT_REQUIRED",
    })  # fmt: skip
    call("POST", f"v1/{STORE}/branches/0/documents?documentId=elbe", {
        "structData": {"title": "The Elbe Bridge", "kind": "bridge"},
        "content": {"mimeType": "text/plain", "rawBytes": base64.b64encode(ELBE.encode()).decode()},
    })  # fmt: skip
    tower = (ROOT / "examples" / "library" / "eiffel-tower.md").read_bytes()
    content = {"mimeType": "text/markdown", "rawBytes": base64.b64encode(tower).decode()}
    wait(call, "v1", call("POST", f"v1/{STORE}/branches/0/documents:import", {
        "inlineSource": {"documents": [{"id": "tower", "content": content}]},
    }))  # fmt: skip


def engine(call: Call) -> None:
    """An engine of that data store."""
    body = {
        "displayName": "Old",
        "solutionType": "SOLUTION_TYPE_SEARCH",
        "dataStoreIds": ["old"],
        "searchEngineConfig": {},
    }
    wait(call, "v1", call("POST", f"v1/{COLLECTION}/engines?engineId=old", body))


def session(call: Call) -> None:
    """A session with one answer, which is kept."""
    made = call("POST", f"v1/{STORE}/sessions", {"userPseudoId": "anna"})
    call("POST", f"v1/{CONFIG}:answer", {"query": {"text": QUESTION}, "session": made["name"]})


def corpus(call: Call) -> None:
    """A corpus of the Gemini API with one chunk."""
    call("POST", "v1beta/corpora", {"name": CORPUS, "displayName": "Old"})
    call("POST", f"v1beta/{CORPUS}/documents", {"name": f"{CORPUS}/documents/d"})
    call("POST", f"v1beta/{CORPUS}/documents/d/chunks", {"data": {"stringValue": LAMP}})


def app(call: Call) -> None:
    """An app with an agent, and the first half of a talk with it."""
    place, _, _ = APP.partition("/apps/")
    wait(call, "v1", call("POST", f"v1/{place}/apps?appId=shop", {"displayName": "Shop"}))
    number = {"type": "STRING", "description": "The order number"}
    call("POST", f"v1/{APP}/tools?toolId=find_order", {"clientFunction": {
        "name": "find_order",
        "description": "Says where an order is and when it arrives.",
        "parameters": {
            "type": "OBJECT", "properties": {"order_id": number}, "required": ["order_id"],
        },
    }})  # fmt: skip
    agent = {"displayName": "Clerk", "tools": [f"{APP}/tools/find_order"]}
    call("POST", f"v1/{APP}/agents?agentId=clerk", agent)
    call("PATCH", f"v1/{APP}?updateMask=rootAgent", {"rootAgent": f"{APP}/agents/clerk"})
    talk = {"config": {"session": f"{APP}/sessions/parcel"}}
    call("POST", f"v1/{APP}/sessions/parcel:runSession",
         talk | {"inputs": [{"text": "Where is my parcel?"}]})  # fmt: skip


def user_event(call: Call) -> None:
    """What a user searched for."""
    call("POST", f"v1/{STORE}/userEvents:write", {
        "eventType": "search", "userPseudoId": "somebody",
        "searchInfo": {"searchQuery": "bridges"},
    })  # fmt: skip


PARTS = (documents, engine, session, corpus, app, user_event)


def wait(call: Call, version: str, operation: Any) -> None:
    """Return when an operation is done."""
    limit = time.monotonic() + 120
    while not operation.get("done"):
        if time.monotonic() > limit:
            raise TimeoutError(operation["name"])
        time.sleep(0.2)
        operation = call("GET", f"{version}/{operation['name']}")


def caller(base: str) -> Call:
    """Return what calls the REST API at an address."""

    def call(method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            f"{base}/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=120) as reply:
            return json.load(reply)

    return call


def made_by(call: Call) -> list[str]:
    """Make all parts and return the names of those that the version knows."""
    made = []
    for part in PARTS:
        try:
            part(call)
        except urllib.error.HTTPError as error:
            if error.code not in (404, 501):
                raise RuntimeError(f"{part.__name__}: {error.read().decode()}") from error
            say(f"{part.__name__}: not in this version ({error.code})")
        else:
            made.append(part.__name__)
    return made


def make_key(data: Path) -> list[str]:
    """Keep a key of a caller, where the version has keys; return the part's name."""
    options = ["--name", "old", "--role", "viewer", "--project", "default"]
    done = subprocess.run(
        [sys.executable, "-c", _TOULMIN, "keys", "create", *options, "--data-dir", str(data)],
        capture_output=True,
        text=True,
        check=False,
    )
    return ["key"] if done.returncode == 0 else []


def revision_of(records: Path) -> str:
    """Return the revision of the tables, and put the write-ahead log into the file."""
    connection = sqlite3.connect(records)
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    finally:
        connection.close()
    return str(revision)


def main() -> None:
    """Make the archive and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--source", type=Path, default=ROOT / "src", help="the version's src folder"
    )
    os.environ["PYTHONPATH"] = str(parser.parse_args().source.resolve())
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch) / "data"
        with server.serve(Path(scratch)) as running:
            made = made_by(caller(f"http://127.0.0.1:{running.port}"))
        made += make_key(data)
        revision = revision_of(data / "records.db")
        (data / "contents.json").write_text(json.dumps(made) + "\n")
        archive = HERE / f"{revision}.tar.xz"
        with tarfile.open(archive, "w:xz") as tar:
            tar.add(data, ".", filter=anonymous)
    say(f"{archive.name}: {', '.join(made)}; {archive.stat().st_size} bytes")


def say(line: str) -> None:
    """Print a line."""
    print(line)  # noqa: T201 - this is a command


def anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return a file of nobody, of a moment that says nothing."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = _SECOND_S
    return member


if __name__ == "__main__":
    main()
