"""`toulmin reembed`: makes the vectors of all that is stored anew, with the other embedder."""

from __future__ import annotations

import argparse
import sys

from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.terminal import print_json
from toulmin.errors import InvalidArgument

_EPILOG = """\
Vectors of two embedders cannot be compared, so a data folder whose vectors are of another one than
the setting `embedder` names is not opened for searching. This goes over all chunks and replaces
their vectors; texts, ids and dates stay. No server may have the data folder open; servers on one
database (database_url) must be stopped. What is done is kept after Ctrl-C: the same command goes
on. Search indexes are made again at the next start.

An import that comes later takes each document for changed once, since it was made for another
embedder.

example:
  toulmin reembed --embedder multilingual
  TOULMIN_EMBEDDER=multilingual toulmin serve
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("--quiet", action="store_true", help="do not say how far it is")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    add_settings_flags(parser, only=("data_dir", "database_url", "embedder", "model_threads"))


def run(arguments: argparse.Namespace) -> int:
    """Replace the vectors, say how many, and return 0.

    Raises:
        ToulminError: There is nothing stored, the folder is in use, the embedder is not installed,
            or the disk is full.
    """
    from toulmin.services.reembedding import reembed
    from toulmin.stores.records.database import RECORDS_FILE

    settings = settings_from(arguments)
    if not settings.database_url and not (settings.data_dir / RECORDS_FILE).exists():
        raise InvalidArgument.of_field("data_dir", f"{settings.data_dir} holds no records")
    shown = _Shown(quiet=arguments.quiet)
    done = reembed(settings, on_progress=shown)
    if arguments.json:
        print_json({"embedder": settings.embedder, "chunks": done})
    else:
        print(f"{done:,} chunks were embedded anew, by the {settings.embedder} embedder")
    return 0


class _Shown:
    """Says how far it is, a line for every hundredth part."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._said = -1

    def __call__(self, done: int, total: int) -> None:
        part = 100 * done // max(total, 1)
        if not self._quiet and part != self._said:
            self._said = part
            print(f"{done:,} of {total:,} chunks ({part} %)", file=sys.stderr, flush=True)
