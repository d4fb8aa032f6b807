"""`toulmin ingest`: files -> documents that can be searched."""

from __future__ import annotations

import argparse
import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from toulmin.cli.access import (
    Api,
    LocalApi,
    add_place_flags,
    collection_of,
    naming_the_server,
    server_api,
    store_name,
)
from toulmin.cli.importing.from_sql import (
    RowsNotReadError,
    add_sql_arguments,
    check_no_sql,
    job_of_rows,
    with_rows_named,
)
from toulmin.cli.importing.job import REMOTE_SCHEMES, ImportJob, uri_of, with_roots
from toulmin.cli.importing.status import (
    ImportProgress,
    ImportStatus,
    error_lines,
    interruptible,
    summary_line,
    without_empty_folders,
)
from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.stores import create_store
from toulmin.cli.terminal import print_json
from toulmin.errors import InvalidArgument, NotFound

if TYPE_CHECKING:
    from toulmin.cli.importing import watch
    from toulmin.cli.importing.watch import Snapshot
    from toulmin.settings import Settings

# Exit codes, for scripts; wrong input is 2, as for every verb.
ALL_WELL = 0
SOME_FAILED = 1
_INTERRUPTED: Final = 130

SETTING_NAMES: Final = (
    "data_dir",
    "database_url",
    "api_keys",
    "api_keys_file",
    "port",
    "max_body_bytes",
    "model_threads",
    "embedder",
    "parser_processes",
    "parse_timeout_s",
    "parse_memory_mib",
    "ocr",
)

_EPILOG = """\
A path is a file, a folder (with all that is beneath it), a pattern in quotes such as
'reports/**/*.pdf', or an address: gs://, s3://, https://, file://.

schemas:
  content   each file is a document: PDF, HTML, DOCX, PPTX, XLSX, ODT, RTF, EPUB, EML,
            MSG, Markdown, reStructuredText, Org, AsciiDoc, ...
  document  JSON or JSON lines, each a document as in the API
  custom    JSON or JSON lines, each the data of a document; the id is in the field _id
  csv       rows are the data of documents; the id is in the column _id

Running the same command again skips what has not changed. Ctrl-C ends it within about a second;
what was done by then is kept.

exit codes:
  0  every file was imported, or was there already
  1  some failed; they are named
  2  the input is wrong
  130  interrupted

examples:
  toulmin ingest ~/Documents/handbook --store handbook
  toulmin ingest products.csv --schema csv --id-field sku --store products
  toulmin ingest notes --store notes --full --watch
  toulmin ingest --sql sqlite:///shop.db --query "SELECT id, name FROM products"
  toulmin ingest --sql env:SHOP_URL --query @articles.sql --text-field body --store articles
"""


class Importer(Protocol):
    """What imports a job: this process, a server that is sent the files, one that reads them."""

    def run(self, stop: threading.Event) -> Iterator[ImportStatus]:
        """Import all of it, yielding how far it is; the last status is the outcome."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("paths", nargs="*", metavar="PATH", help="what to import")
    parser.add_argument(
        "--store", default="default", metavar="ID",
        help="data store, made if it is not there (default: default)",
    )  # fmt: skip
    parser.add_argument(
        "--schema", choices=["content", "document", "csv", "custom"], default="content",
        help="what the files are (default: content)",
    )  # fmt: skip
    parser.add_argument(
        "--full", action="store_true",
        help="delete the store's documents that these paths do not have",
    )  # fmt: skip
    parser.add_argument(
        "--id-field", default="", metavar="F",
        help="key of the ids, for csv and custom; column of the ids, for --sql (default there: id)",
    )  # fmt: skip
    parser.add_argument(
        "--generate-ids", action="store_true", help="ids are hashes of the data, for csv and custom"
    )
    parser.add_argument("--force", action="store_true", help="read unchanged files again, too")
    parser.add_argument(
        "--watch", action="store_true", help="then import what changes, until Ctrl-C"
    )
    parser.add_argument(
        "--interval", type=float, default=2.0, metavar="SECONDS",
        help="pause between two looks of --watch (default: 2)",
    )  # fmt: skip
    parser.add_argument(
        "--by-path", action="store_true",
        help="with --server: it reads the paths itself, where its import_roots allow it",
    )  # fmt: skip
    add_sql_arguments(parser)
    parser.add_argument("--quiet", action="store_true", help="print errors only")
    parser.add_argument(
        "--json", action="store_true", help="print what came of it as JSON, the rest beside it"
    )
    add_place_flags(parser)
    add_settings_flags(parser, only=SETTING_NAMES)


def run(arguments: argparse.Namespace) -> int:
    """Import, say what came of it, and return the exit code.

    Raises:
        ToulminError: A path or a flag is wrong, the folder is in use, the server does not answer.
    """
    try:
        return _run(arguments)
    except RowsNotReadError as error:
        print(f"toulmin ingest: {error.message}", file=sys.stderr)
        return _INTERRUPTED


def _run(arguments: argparse.Namespace) -> int:
    settings = settings_from(arguments)
    before = "reading rows" if arguments.sql else "looking for files"
    progress = ImportProgress(sys.stderr, quiet=arguments.quiet, before=before)
    job = None if arguments.sql else job_of(arguments)
    with interruptible() as stop, contextlib.ExitStack() as opened:
        with progress:
            job = job or opened.enter_context(job_of_rows(arguments, stop))
            progress.show(ImportStatus(), job.sizes(job.context(settings)))
            way = opened.enter_context(_opened(arguments, settings, job))
            ensure_store(way.api, job)
            snapshot = way.look() if arguments.watch else None
            started = time.monotonic()
            status = _import(way, progress, stop)
        status = _told(status, arguments, time.monotonic() - started)
        if snapshot is not None and not status.cancelled and not status.problem:
            _watch(way, snapshot, arguments, stop)
        return _exit_code(status)


def job_of(arguments: argparse.Namespace) -> ImportJob:
    """Return what the flags ask for.

    Raises:
        InvalidArgument: They contradict each other, or a path is not there.
    """
    check_no_sql(arguments)
    if not arguments.paths:
        raise InvalidArgument("name what to import: files and folders, or --sql with --query")
    has_data_only = arguments.schema in ("csv", "custom")
    for flag, value in (
        ("--id-field", bool(arguments.id_field)),
        ("--generate-ids", arguments.generate_ids),
    ):
        if value and not has_data_only:
            raise InvalidArgument.of_field(flag, "is only for the schemas csv and custom")
    if arguments.id_field and arguments.generate_ids:
        raise InvalidArgument.of_field("--id-field", "is given with --generate-ids; choose one")
    if arguments.by_path and not arguments.server:
        raise InvalidArgument.of_field("--by-path", "needs --server")
    uris = tuple(dict.fromkeys(uri_of(path) for path in arguments.paths))
    if arguments.watch:
        _check_watch(arguments, uris)
    return ImportJob(
        uris=uris,
        store=store_name(collection_of(arguments), arguments.store),
        schema=arguments.schema,
        full=arguments.full,
        id_field=arguments.id_field,
        generate_ids=arguments.generate_ids,
        force=arguments.force,
    )


def _check_watch(arguments: argparse.Namespace, uris: tuple[str, ...]) -> None:
    if arguments.schema != "content":
        raise InvalidArgument.of_field(
            "--watch", "is only for the schema content: records do not tell which are gone"
        )
    if arguments.by_path:
        raise InvalidArgument.of_field("--watch", "does not go with --by-path")
    if any(uri.startswith(f"{scheme}://") for uri in uris for scheme in REMOTE_SCHEMES):
        raise InvalidArgument.of_field("--watch", "is only for files of this machine")
    if not 0.1 <= arguments.interval <= 86400:
        raise InvalidArgument.of_field(
            "--interval", f"is {arguments.interval:g}; it must be from 0.1 to 86400 seconds"
        )


def ensure_store(api: Api, job: ImportJob) -> None:
    """Make the data store if it is not there."""
    try:
        api.call("GET", job.store)
    except NotFound:
        create_store(api, job.store, content_config=job.content_config)


@dataclass(frozen=True, slots=True)
class _Way:
    """How a job is done: in this process or by a server.

    Attributes:
        api: The API, here or there.
        importer: Does the import.
        watched: Imports what changes later; None: `importer` cannot.
        job: What to import.
        settings: Allow to read what the job names.
    """

    api: Api
    importer: Importer
    watched: watch.Importer | None
    job: ImportJob
    settings: Settings

    def look(self) -> Snapshot:
        from toulmin.cli.importing.watch import snapshot

        return snapshot(self.job, self.job.context(self.settings))


@contextlib.contextmanager
def _opened(arguments: argparse.Namespace, settings: Settings, job: ImportJob) -> Iterator[_Way]:
    if arguments.server:
        from toulmin.cli.importing.upload import ImportByPath, Upload

        api = server_api(arguments, settings)
        if arguments.by_path:
            yield _Way(api, ImportByPath(api, job), None, job, settings)
            return
        context = job.context(settings)
        upload = Upload(api, job, context, max_body_bytes=settings.max_body_bytes)
        yield _Way(api, upload, upload, job, settings)
        return
    from toulmin.apis.handlers import build_registry
    from toulmin.cli.importing.here import ImportHere
    from toulmin.services import build_services

    services = build_services(with_roots(settings, job.uris))
    try:
        with naming_the_server(settings):
            services.records()
        local = LocalApi(build_registry(services))
        here = ImportHere(services, job)
        yield _Way(local, here, here, job, settings)
    finally:
        services.close()


def _import(way: _Way, progress: ImportProgress, stop: threading.Event) -> ImportStatus:
    """Import all of it, showing how far it is; return what came of it."""
    status = ImportStatus()
    is_told = False
    for found in way.importer.run(stop):
        status = with_rows_named(found, way.job)
        progress.show(status)
        if stop.is_set() and not is_told:
            is_told = True
            progress.note("stopping after the batch in hand; Ctrl-C again stops at once")
    return status


def _told(status: ImportStatus, arguments: argparse.Namespace, seconds: float) -> ImportStatus:
    """Print what came of an import; return it without the folders that are only empty."""
    status, empty = without_empty_folders(status)
    if arguments.json:
        print_json(_outcome(status, arguments.store, seconds))
    elif not arguments.quiet:
        print(summary_line(status, arguments.store, seconds), flush=True)
    for folder in empty:
        print(f"  {folder}: holds nothing to import", file=sys.stderr)
    for line in error_lines(status):
        print(line, file=sys.stderr)
    if status.cancelled:
        print("interrupted; the same command goes on, skipping what is done", file=sys.stderr)
    if status.problem:
        print(f"toulmin ingest: {status.problem}", file=sys.stderr)
    return status


def _outcome(status: ImportStatus, store: str, seconds: float) -> dict[str, Any]:
    return {
        "store": store,
        "documents": status.success,
        "unchanged": status.unchanged,
        "deleted": status.deleted,
        "failed": status.failure,
        "interrupted": status.cancelled,
        "problem": status.problem,
        "errors": [{"item": item, "message": message} for item, message in status.samples],
        "seconds": round(seconds, 1),
    }


def _exit_code(status: ImportStatus) -> int:
    if status.cancelled:
        return _INTERRUPTED
    return SOME_FAILED if status.problem or status.failure else ALL_WELL


def _watch(
    way: _Way, before: Snapshot, arguments: argparse.Namespace, stop: threading.Event
) -> None:
    from toulmin.cli.importing.upload import delete_documents
    from toulmin.cli.importing.watch import Watch

    def say(text: str) -> None:
        if not arguments.quiet:
            print(text, file=sys.stderr if arguments.json else sys.stdout, flush=True)

    assert way.watched is not None  # noqa: S101 - --by-path is refused with --watch
    say(f"watching every {arguments.interval:g} s; Ctrl-C ends")
    Watch(
        importer=way.watched,
        delete=lambda ids: delete_documents(way.api, way.job.branch, ids),
        look=way.look,
        say=say,
    ).run(before, stop, interval_s=arguments.interval)
