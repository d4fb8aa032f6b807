"""`toulmin ingest --sql`: the rows of a database -> a file of documents, imported as files are.

All rows are read, and looked at, before anything is imported: what is wrong with one is known then,
and the database is let go of. The password stays in this process.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import orjson

from toulmin.cli.access import collection_of, store_name
from toulmin.cli.importing.job import ImportJob
from toulmin.cli.importing.status import ImportStatus
from toulmin.errors import Cancelled, InvalidArgument

_FILE: Final = "rows.jsonl"
_LINE: Final = re.compile(rf"\S*/{re.escape(_FILE)} line ")
_ENVIRONMENT: Final = "env:"
_TEXT_TYPES: Final = ("text/plain", "text/html", "text/markdown")


class RowsNotReadError(Cancelled):
    """Ctrl-C came before all rows were read."""


def add_sql_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of imports from databases."""
    parser.add_argument(
        "--sql", default="", metavar="URL",
        help="import the rows of a database: sqlite:///file.db, postgresql://user:password@host/db,"
        " mysql://user:password@host/db; env:NAME takes it from the environment",
    )  # fmt: skip
    parser.add_argument(
        "--query", default="", metavar="SELECT",
        help="for --sql: what gives the rows, or @file with it",
    )  # fmt: skip
    parser.add_argument(
        "--text-field", default="", metavar="F",
        help="for --sql: column of the texts; the others are their data (default: rows are data)",
    )  # fmt: skip
    parser.add_argument(
        "--text-type", default="", choices=["", *_TEXT_TYPES], metavar="TYPE",
        help=f"for --text-field: {', '.join(_TEXT_TYPES)} (default: text/plain)",
    )  # fmt: skip


def check_no_sql(arguments: argparse.Namespace) -> None:
    """Raise when flags of --sql are given without it."""
    for name in ("query", "text_field", "text_type"):
        if getattr(arguments, name):
            raise InvalidArgument.of_field(f"--{name.replace('_', '-')}", "needs --sql")


@contextlib.contextmanager
def job_of_rows(arguments: argparse.Namespace, stop: threading.Event) -> Iterator[ImportJob]:
    """Give the import of the rows that the flags name, while the context is open.

    Args:
        arguments: The command line's.
        stop: Set to end between two rows.

    Raises:
        InvalidArgument: Flags contradict each other, the URL, the query or a row is wrong.
        FailedPrecondition: The driver is not installed.
        Unavailable: The database cannot be reached.
        RowsNotReadError: `stop` was set before all rows were read.
    """
    _check(arguments)
    from toulmin.ingestion.sources.database import query_rows
    from toulmin.ingestion.sources.table_rows import (
        DEFAULT_ID_COLUMN,
        RowShape,
        documents_of_rows,
    )
    from toulmin.ingestion.sources.uri import local_uri

    shape = RowShape(
        id_column=arguments.id_field or DEFAULT_ID_COLUMN,
        text_column=arguments.text_field,
        mime_type=arguments.text_type or "text/plain",
    )
    with tempfile.TemporaryDirectory(prefix="toulmin-rows-") as folder:
        path = Path(folder) / _FILE
        with (
            query_rows(_url(arguments.sql), _query(arguments.query)) as rows,
            path.open("wb") as out,
        ):
            for document in documents_of_rows(rows, shape):
                if stop.is_set():
                    raise RowsNotReadError("interrupted; nothing was imported")
                out.write(orjson.dumps(document) + b"\n")
        yield ImportJob(
            uris=(local_uri(str(path)),),
            store=store_name(collection_of(arguments), arguments.store),
            schema="document",
            full=arguments.full,
            force=arguments.force,
            data_only=not shape.text_column,
        )


def with_rows_named(status: ImportStatus, job: ImportJob) -> ImportStatus:
    """Return a status in which the lines of the file between are the rows of the query."""
    if not job.uris[0].endswith(f"/{_FILE}"):
        return status
    samples = tuple(
        (_LINE.sub("row ", item), _LINE.sub("row ", message)) for item, message in status.samples
    )
    return dataclasses.replace(status, samples=samples)


def _check(arguments: argparse.Namespace) -> None:
    if arguments.paths:
        raise InvalidArgument.of_field("--sql", "is given with paths; choose one")
    if not arguments.query:
        raise InvalidArgument.of_field("--sql", "needs --query")
    if arguments.schema != "content":
        raise InvalidArgument.of_field("--schema", "does not go with --sql")
    if arguments.text_type and not arguments.text_field:
        raise InvalidArgument.of_field("--text-type", "needs --text-field")
    for name in ("generate_ids", "watch", "by_path"):
        if getattr(arguments, name):
            raise InvalidArgument.of_field(f"--{name.replace('_', '-')}", "does not go with --sql")


def _url(given: str) -> str:
    if not given.startswith(_ENVIRONMENT):
        return given
    name = given.removeprefix(_ENVIRONMENT)
    if not os.environ.get(name):
        raise InvalidArgument.of_field("--sql", f"the environment has no variable {name}")
    return os.environ[name]


def _query(given: str) -> str:
    if not given.startswith("@"):
        return given
    try:
        return Path(given.removeprefix("@")).expanduser().read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidArgument.of_field("--query", f"{given[1:]}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidArgument.of_field("--query", f"{given[1:]}: is not UTF-8") from None
