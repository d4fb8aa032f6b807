"""`toulmin restore`: puts a copy that `toulmin backup` made into the data folder."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.terminal import print_json
from toulmin.errors import FailedPrecondition

_EPILOG = """\
The copy is checked first. No server may have the data folder open. The records that were there
are kept beside the new ones as records.db.replaced (those of an earlier restore go). Search
indexes are made again at the next start; until then searches may miss documents.

Records in PostgreSQL (database_url) are put back with `pg_restore`.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("source", type=Path, metavar="FILE", help="the copy")
    parser.add_argument(
        "--yes", action="store_true", help="replace the records that are in the data folder"
    )
    parser.add_argument("--json", action="store_true", help="print what it holds as JSON")
    add_settings_flags(parser, only=("data_dir", "database_url"))


def run(arguments: argparse.Namespace) -> int:
    """Restore and return 0; 2 when records are there and `--yes` is not given.

    Raises:
        ToulminError: The copy is damaged, missing or of a newer version, or the folder is in use.
    """
    from toulmin.cli.backup import as_json, described
    from toulmin.stores.records import restore, verify
    from toulmin.stores.records.database import RECORDS_FILE

    settings = settings_from(arguments)
    current = settings.data_dir / RECORDS_FILE
    had_records = not settings.database_url and current.exists()
    if had_records and not arguments.yes:
        report = verify(arguments.source)
        print(
            f"toulmin restore: this replaces {current} by {arguments.source}"
            f" ({described(report)}); say --yes",
            file=sys.stderr,
        )
        return 2
    try:
        report = restore(settings, arguments.source, replace=arguments.yes)
    except FailedPrecondition as error:
        if error.reason != "DATA_FOLDER_IN_USE":
            raise
        holder = error.message.partition(". ")[0]
        raise FailedPrecondition(f"{holder}. Stop it, then restore.") from error
    if arguments.json:
        print_json(as_json(report))
        return 0
    print(f"restored {report.path}: {described(report)}")
    if had_records:
        print(f"the records that were there are kept as {current}.replaced")
    print("search indexes are made again at the next start")
    return 0
