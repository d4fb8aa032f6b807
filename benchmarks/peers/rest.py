"""Toulmin's REST API as these benchmarks use it: make a data store, import a file, search."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

COLLECTION = "projects/p/locations/global/collections/default_collection"
STORE = f"{COLLECTION}/dataStores/measured"
FILE = "documents.jsonl"
_POLL_S = 0.05

Call = Callable[[str, str, Mapping[str, Any] | None], dict[str, Any]]
"""(method, path after the version, body) -> the answer's JSON."""


class Client:
    """One keep-alive connection for each thread that calls."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._own = threading.local()

    def call(self, method: str, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the answer's JSON.

        Raises:
            RuntimeError: The answer is an error.
        """
        connection = self._connection()
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        connection.request(method, f"/v1/{path}", body=content, headers=headers)
        response = connection.getresponse()
        answer = response.read()
        if response.status != http.HTTPStatus.OK:
            raise RuntimeError(f"{method} {path}: {response.status} {answer[:500]!r}")
        found: dict[str, Any] = json.loads(answer)
        return found

    def _connection(self) -> http.client.HTTPConnection:
        if not hasattr(self._own, "connection"):
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._own.connection = connection
        found: http.client.HTTPConnection = self._own.connection
        return found


def write_documents(documents: Sequence[str], folder: Path) -> None:
    """Write an import file of the schema `document`: plain texts with their places as ids."""
    with (folder / FILE).open("w", encoding="utf-8") as file:
        for number, text in enumerate(documents):
            content = {
                "mimeType": "text/plain",
                "rawBytes": base64.b64encode(text.encode()).decode(),
            }
            file.write(json.dumps({"id": f"d{number}", "content": content}) + "\n")


def create_store(call: Call) -> None:
    """Make the data store."""
    body = {
        "displayName": "measured",
        "industryVertical": "GENERIC",
        "solutionTypes": ["SOLUTION_TYPE_SEARCH"],
        "contentConfig": "CONTENT_REQUIRED",
    }
    call("POST", f"{COLLECTION}/dataStores?dataStoreId=measured", body)


def import_files(call: Call, uris: Sequence[str], *, schema: str = "document") -> dict[str, Any]:
    """Import and wait until all is searchable; return the operation.

    Raises:
        RuntimeError: The operation failed.
    """
    body = {"gcsSource": {"inputUris": list(uris), "dataSchema": schema}}
    operation = call("POST", f"{STORE}/branches/0/documents:import", body)
    while not operation.get("done"):
        time.sleep(_POLL_S)
        operation = call("GET", operation["name"], None)
    if "error" in operation:
        raise RuntimeError(f"the import failed: {operation['error']}")
    return operation


def search(call: Call, query: str, limit: int, *, mode: str) -> list[int]:
    """Return places of documents, best first; `mode` is the API's `SearchResultMode`."""
    body = {
        "query": query,
        "pageSize": limit,
        "contentSearchSpec": {"searchResultMode": mode},
    }
    path = f"{STORE}/servingConfigs/default_search:search"
    results = call("POST", path, body).get("results", [])
    return list(dict.fromkeys(_place(found) for found in results))


def _place(result: Mapping[str, Any]) -> int:
    """The document's id, of a document or of a chunk."""
    name = result["chunk"]["name"] if "chunk" in result else result["document"]["name"]
    return int(name.partition("/documents/d")[2].partition("/")[0])
