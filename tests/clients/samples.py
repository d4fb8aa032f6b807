"""A data store with two documents, and the page's examples, for the frameworks' components."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
import urllib.request
from pathlib import Path

TEXT = "The Elbe Bridge opened on 4 May 1998. It is 312 metres long."
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "integrations.md"
_DOCUMENTS = {
    "elbe": ("The Elbe Bridge", TEXT),
    "eiffel": ("The Eiffel Tower", (ROOT / "examples/library/eiffel-tower.md").read_text("utf-8")),
}
_PLACE = "/v1/projects/default/locations/global/collections/default_collection/dataStores"


def fill(server: str, store: str) -> None:
    """Make the data store; a document that is written alone is searchable when the call returns."""
    _post(
        f"{server}{_PLACE}?dataStoreId={store}",
        '{"displayName": "Bridges", "contentConfig": "CONTENT_REQUIRED"}',
    )
    for document_id, (title, text) in _DOCUMENTS.items():
        raw = base64.b64encode(text.encode()).decode()
        body = {
            "structData": {"title": title},
            "content": {"mimeType": "text/plain", "rawBytes": raw},
        }
        _post(
            f"{server}{_PLACE}/{store}/branches/0/documents?documentId={document_id}",
            json.dumps(body),
        )


def example(name: str, server: str, store: str) -> str:
    """Return an example of docs/integrations.md, for this server and data store."""
    pattern = rf"<!-- example:{name} -->\n\n```\w+\n(.*?)```"
    found = re.search(pattern, PAGE.read_text("utf-8"), re.DOTALL)
    if found is None:
        raise AssertionError(f"docs/integrations.md has no example {name!r}")
    return found[1].replace("http://127.0.0.1:8080", server).replace("sample", store)


def run_example(name: str, server: str, store: str) -> str:
    """Run such an example and return what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(example(name, server, store), name, "exec"), {"__name__": "example"})
    return printed.getvalue()


def _post(url: str, body: str) -> None:
    request = urllib.request.Request(url, body.encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        reply.read()
