"""`toulmin backup`: a checked copy of everything that is stored, also while a server runs."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.terminal import print_json
from toulmin.errors import InvalidArgument

if TYPE_CHECKING:
    from toulmin.stores.records import BackupReport

_EPILOG = """\
The copy is one file: the records (documents, their texts and chunks, data stores, operations) as
they were at one moment. A server may go on writing meanwhile. Search indexes are not in it: they
are made of the records again after `toulmin restore`.

Records in PostgreSQL (database_url) are copied with `pg_dump --format=custom`.

example:
  toulmin backup /backups/        # writes /backups/toulmin-20260131T120000Z.db
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "target", type=Path, metavar="FILE_OR_FOLDER",
        help="file to write, which must not exist, or a folder to put one into",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print what it holds as JSON")
    add_settings_flags(parser, only=("data_dir", "database_url"))


def run(arguments: argparse.Namespace) -> int:
    """Copy, check the copy, say what is in it, and return 0.

    Raises:
        ToulminError: There is nothing to copy, the target exists, the disk is full, or the copy
            is damaged (it is then not kept).
    """
    from toulmin.stores.records import backup

    settings = settings_from(arguments)
    target: Path = arguments.target
    if target.is_dir():
        target /= f"toulmin-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.db"
    elif not target.absolute().parent.is_dir():
        raise InvalidArgument.of_field(
            "FILE_OR_FOLDER", f"{target} is in a folder that does not exist"
        )
    report = backup(settings, target)
    if arguments.json:
        print_json(as_json(report))
    else:
        print(f"{report.path}: {described(report)}; every page and reference checked")
    return 0


def as_json(report: BackupReport) -> dict[str, Any]:
    """Return what a copy holds, for `--json`."""
    return {"path": str(report.path), "bytes": report.size_bytes, **report.counts}


def described(report: BackupReport) -> str:
    """Return what a copy holds, in one line."""
    counts = [f"{report.counts[table]:,} {table}" for table in ("documents", "chunks")]
    return ", ".join([*counts, f"{report.size_bytes / 2**20:,.1f} MiB"])
