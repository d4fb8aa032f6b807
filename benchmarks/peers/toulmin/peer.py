"""Toulmin in this process: imported through its API's handlers, searched by `services.searcher()`.

Default settings; documents are plain texts in an import file, parsed in child processes as always.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from benchmarks.peers import rest
from toulmin.apis.handlers import build_registry
from toulmin.cli.access import LocalApi
from toulmin.retrieval.query import ResultMode, Scope, SearchQuery
from toulmin.services import build_services
from toulmin.settings import load_settings


class InProcess:
    """The services of one data folder."""

    mode = "CHUNKS"

    def __init__(self, folder: Path, **more: object) -> None:
        self._folder = folder
        flags = {"data_dir": str(folder / "data"), "import_roots": str(folder), **more}
        self.services = build_services(load_settings(flags=flags, environment={}))

    def prepare(self) -> None:
        """Open the folder, load the model, make the data store."""
        self.services.documents()
        self._api = LocalApi(build_registry(self.services))
        self.services.embedder().embed(["loads the weights"])
        rest.create_store(self.call)

    def add(self, documents: Sequence[str]) -> None:
        """Write the import file and import it."""
        rest.write_documents(documents, self._folder)
        rest.import_files(self.call, [(self._folder / rest.FILE).as_uri()])

    def keep(self) -> None:
        """All is kept already."""

    def open(self) -> None:
        """Open the folder."""
        self._searcher = self.services.searcher()

    def search(self, query: str, limit: int) -> list[int]:
        """Return places of documents, best first."""
        asked = SearchQuery(
            scopes=(Scope(data_store=rest.STORE),),
            text=query,
            mode=ResultMode(self.mode),
            page_size=limit,
        )
        results = self._searcher.search(asked)
        found = results.chunks if asked.mode is ResultMode.CHUNKS else results.documents
        return list(dict.fromkeys(int(item.document.id[1:]) for item in found))

    def close(self) -> None:
        """Close the folder."""
        self.services.close()

    def call(self, method: str, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        """Ask the API's handlers of this process; see `rest.Call`."""
        path, _, query = path.partition("?")
        return self._api.call(method, path, body, dict(parse_qsl(query)))


SYSTEMS = {"in-process": InProcess}
