"""`toulmin stores`: which data stores are there, and what is in them?"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from toulmin.cli.access import (
    Api,
    LocalApi,
    add_place_flags,
    collection_of,
    naming_the_server,
    server_api,
    store_name,
)
from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.terminal import say
from toulmin.errors import InvalidArgument

if TYPE_CHECKING:
    from toulmin.settings import Settings
    from toulmin.stores.records import RecordStore

CONTENT_CONFIGS: Final = {"content": "CONTENT_REQUIRED", "data": "NO_CONTENT"}
SETTING_NAMES: Final = ("data_dir", "database_url", "api_keys", "api_keys_file", "port")
_LATEST_OPERATIONS: Final = 100
_PAGE: Final = 1000
_MOST_COUNTED: Final = 10_000
"""Documents that are counted through a server, which has no count of them."""

_EPILOG = """\
what to do:
  list       data stores of the project and location (the default)
  show ID    one of them
  create ID  make an empty one
  delete ID  delete one with all its documents; needs --yes

Through a server (--server) chunks and characters are not known, so they are not shown, and
documents are counted up to 10,000.
"""


@dataclass(frozen=True, slots=True)
class Summary:
    """What is in one data store.

    Attributes:
        id: Last part of its name.
        name: Its full name.
        display_name: What people call it.
        content_config: The API's `ContentConfig`.
        documents: How many.
        has_more: Whether there are more documents, not counted.
        chunks: How many; None: not known.
        characters: Of all texts; None: not known.
        last_import: When and with what outcome; "never".
    """

    id: str
    name: str
    display_name: str
    content_config: str
    documents: int
    has_more: bool
    chunks: int | None
    characters: int | None
    last_import: str

    def as_json(self) -> dict[str, Any]:
        """Return what is known, for `--json`."""
        known = {key: value for key, value in asdict(self).items() if value is not None}
        return known if self.has_more else {k: v for k, v in known.items() if k != "has_more"}

    @property
    def counts(self) -> dict[str, str]:
        """What is known of its size, by label."""
        known = {"documents": f"{self.documents:,}{'+' if self.has_more else ''}"}
        if self.chunks is not None:
            known["chunks"] = f"{self.chunks:,}"
        if self.characters is not None:
            known["characters"] = f"{self.characters:,}"
        return known


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "action", nargs="?", choices=["list", "show", "create", "delete"], default="list",
        help="(default: list)",
    )  # fmt: skip
    parser.add_argument("id", nargs="?", metavar="ID", help="of the data store")
    parser.add_argument("--display-name", metavar="TEXT", help="of a new one (default: its id)")
    parser.add_argument(
        "--holds", choices=sorted(CONTENT_CONFIGS), default="content",
        help="documents of a new one are files (content) or only data (default: content)",
    )  # fmt: skip
    parser.add_argument("--yes", action="store_true", help="delete without asking")
    parser.add_argument("--json", action="store_true", help="print what came of it as JSON")
    add_place_flags(parser)
    add_settings_flags(parser, only=SETTING_NAMES)


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked and return 0, or 2 when a deletion was not confirmed.

    Raises:
        ToulminError: A flag is wrong, the data store is not there, the folder is in use.
    """
    settings = settings_from(arguments)
    collection = collection_of(arguments)
    if (arguments.id is None) != (arguments.action == "list"):
        needs = "needs no ID" if arguments.action == "list" else "needs an ID"
        raise InvalidArgument(f"{arguments.action} {needs}")
    name = "" if arguments.id is None else store_name(collection, arguments.id, flag="ID")
    if arguments.action == "delete" and not arguments.yes:
        print(
            f"toulmin stores: this deletes {name} with all its documents; say --yes",
            file=sys.stderr,
        )
        return 2
    with _opened(arguments, settings) as stores:
        if arguments.action == "create":
            create_store(
                stores.api,
                name,
                content_config=CONTENT_CONFIGS[arguments.holds],
                display_name=arguments.display_name or "",
            )
            say(f"created {name}", {"created": name}, as_json=arguments.json)
        elif arguments.action == "delete":
            stores.api.call("DELETE", name)
            say(f"deleted {name}", {"deleted": name}, as_json=arguments.json)
        elif arguments.action == "show":
            found = stores.summary(stores.api.call("GET", name))
            say("\n".join(_sheet(found)), found.as_json(), as_json=arguments.json)
        else:
            all_of_them = [stores.summary(item) for item in stores.all(collection)]
            listed = [row.as_json() for row in all_of_them]
            say("\n".join(_table(all_of_them)), listed, as_json=arguments.json)
    return 0


def create_store(api: Api, name: str, *, content_config: str, display_name: str = "") -> None:
    """Make a data store.

    Raises:
        AlreadyExists: There is one of that name.
        InvalidArgument: The name or the display name cannot be one.
    """
    collection, _, id_ = name.rpartition("/dataStores/")
    body = {
        "displayName": display_name or id_,
        "industryVertical": "GENERIC",
        "solutionTypes": ["SOLUTION_TYPE_SEARCH"],
        "contentConfig": content_config,
    }
    api.call("POST", f"{collection}/dataStores", body, {"dataStoreId": id_})


class _Stores:
    """Data stores through the API, with counts from the records where these are open."""

    def __init__(self, api: Api, records: RecordStore | None) -> None:
        self.api = api
        self._records = records

    def all(self, collection: str) -> Iterator[dict[str, Any]]:
        """Yield every data store as the API gives it, by id."""
        query = {"pageSize": 50}
        while True:
            page = self.api.call("GET", f"{collection}/dataStores", query=query)
            yield from page.get("dataStores", [])
            if not page.get("nextPageToken"):
                return
            query = {"pageSize": 50, "pageToken": page["nextPageToken"]}

    def summary(self, store: dict[str, Any]) -> Summary:
        """Return what is in a data store."""
        name = store["name"]
        found = self._asked(name) if self._records is None else self._read(name, self._records)
        return Summary(
            id=name.rpartition("/")[2],
            name=name,
            display_name=store.get("displayName", ""),
            content_config=store.get("contentConfig", "NO_CONTENT"),
            **found,
        )

    def _read(self, name: str, records: RecordStore) -> dict[str, Any]:
        from toulmin.domain import Branch

        branch = Branch(name)
        with records.read() as transaction:
            found = transaction.documents.statistics(branch)
            latest = transaction.operations.list(branch.name, page_size=_LATEST_OPERATIONS)
        imports = [item for item in latest.items if item.kind == "import-documents"]
        last = "never"
        if imports:
            item = imports[0]
            state = "" if item.done else " (not done yet)"
            last = _import_line(
                item.create_time, item.success_count, item.failure_count, state=state
            )
        return {
            "documents": found.documents,
            "has_more": False,
            "chunks": found.chunks,
            "characters": found.text_characters,
            "last_import": last,
        }

    def _asked(self, name: str) -> dict[str, Any]:
        count, token = 0, ""
        while True:
            query = {"pageSize": _PAGE} | ({"pageToken": token} if token else {})
            page = self.api.call("GET", f"{name}/branches/0/documents", query=query)
            count += len(page.get("documents", []))
            token = page.get("nextPageToken", "")
            if not token or count >= _MOST_COUNTED:
                break
        counted = {"documents": count, "has_more": bool(token), "chunks": None, "characters": None}
        query = {"pageSize": _LATEST_OPERATIONS}
        operations = self.api.call("GET", f"{name}/branches/0/operations", query=query)
        for operation in operations.get("operations", []):
            metadata = operation.get("metadata", {})
            if metadata.get("@type", "").endswith(".ImportDocumentsMetadata"):
                created = datetime.fromisoformat(metadata["createTime"])
                counts = [int(metadata.get(key, 0)) for key in ("successCount", "failureCount")]
                state = "" if operation.get("done") else " (not done yet)"
                return counted | {"last_import": _import_line(created, *counts, state=state)}
        return counted | {"last_import": "never"}


@contextlib.contextmanager
def _opened(arguments: argparse.Namespace, settings: Settings) -> Iterator[_Stores]:
    """Yield the data stores; in this process without models, indexes or imports."""
    if arguments.server:
        yield _Stores(server_api(arguments, settings), None)
        return
    from toulmin.apis.aip.registry import Registry
    from toulmin.apis.discoveryengine.data_store import register_data_stores
    from toulmin.apis.schema import load_schema
    from toulmin.stores.records import RecordStore

    with naming_the_server(settings):
        records = RecordStore.from_settings(settings)
    try:
        registry = Registry(load_schema())
        register_data_stores(registry, records=lambda: records)
        yield _Stores(LocalApi(registry), records)
    finally:
        records.close()


def _import_line(time: datetime, success: int, failure: int, *, state: str) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC, {success:,} done, {failure:,} failed{state}"


def _table(rows: Sequence[Summary]) -> Iterator[str]:
    if not rows:
        yield "no data stores; `toulmin ingest FOLDER` makes one"
        return
    # All are from the same place, so of all the same is known.
    lines = [("ID", *(label.upper() for label in rows[0].counts), "LAST IMPORT")]
    lines += [(row.id, *row.counts.values(), row.last_import) for row in rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    for line in lines:
        id_, *counts, last = line
        columns = [f"{text:>{width}}" for text, width in zip(counts, widths[1:-1], strict=True)]
        yield "  ".join([f"{id_:<{widths[0]}}", *columns, last])


def _sheet(row: Summary) -> Iterator[str]:
    for label, value in (
        ("name", row.name),
        ("display name", row.display_name),
        ("content", row.content_config),
        *row.counts.items(),
        ("last import", row.last_import),
    ):
        yield f"{label:<14}{value}"
