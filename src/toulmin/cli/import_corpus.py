"""`toulmin import-corpus`: corpora of Google's semantic retriever, taken over name by name."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from toulmin.cli.access import add_server_flags, opened_api
from toulmin.cli.corpora.items import Found, Kind, list_api, read_export
from toulmin.cli.corpora.writer import CorpusWriter
from toulmin.cli.server_client import ServerApi
from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.terminal import print_json
from toulmin.errors import InvalidArgument

DONE = 0
SOME_FAILED = 1

SETTING_NAMES: Final = (
    "data_dir",
    "database_url",
    "api_keys",
    "api_keys_file",
    "port",
    "model_threads",
    "embedder",
)
SOURCE: Final = "https://generativelanguage.googleapis.com"
_KEYS: Final = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
_TOKEN: Final = "GOOGLE_ACCESS_TOKEN"  # noqa: S105 - the name of a variable
_EVERY: Final = 100

_EPILOG = f"""\
FILE is JSON or JSON lines: what the REST API answers, or what to_dict or to_json of the official
client's corpora, documents and chunks gives, each alone or one inside the other.

--from-api lists them instead, with a key from {" or ".join(_KEYS)}, or an OAuth access token from
{_TOKEN}.

Names, display names and custom metadata stay as they are; chunks are embedded anew, and times are
those of the import. What is there already and the same is left alone, so run the same command again
to go on after a stop. Permissions are not taken over.

exit codes:
  0  all of it is there
  1  some of it could not be read or written; it is said which
  2  the input is wrong, or the import could not go on

examples:
  toulmin import-corpus corpora.jsonl --dry-run
  {_KEYS[0]}=... toulmin import-corpus --from-api
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("files", nargs="*", metavar="FILE", help="exported corpora")
    parser.add_argument(
        "--from-api", action="store_true", help="list the corpora with the Gemini API instead"
    )
    parser.add_argument(
        "--api-url", default=SOURCE, metavar="URL", help="where to list them (default: %(default)s)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be done, and write nothing"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument("--json", action="store_true", help="print what became of all as JSON")
    add_server_flags(parser.add_argument_group("place"))
    add_settings_flags(parser, only=SETTING_NAMES)


def run(arguments: argparse.Namespace) -> int:
    """Import, print what became of it, and return the exit code.

    Raises:
        ToulminError: A flag is wrong, the corpora cannot be listed, or the import cannot go on.
    """
    settings = settings_from(arguments)
    found = _source(arguments)
    with opened_api(arguments, settings) as api:
        writer = CorpusWriter(api, dry_run=arguments.dry_run)
        try:
            for number, item in enumerate(found, 1):
                writer.take(item)
                if number % _EVERY == 0 and not arguments.quiet:
                    print(f"{number:,} read: {_counted(writer)}", file=sys.stderr, flush=True)
            writer.end()
        finally:  # also when it cannot go on: what was done stays done
            if arguments.json:
                print_json(as_json(writer))
            else:
                print("\n".join(describe(writer)))
    failed = writer.unread or any(count.failed for count in writer.counts.values())
    return SOME_FAILED if failed else DONE


def _source(arguments: argparse.Namespace) -> Iterable[Found]:
    """Return what is to be imported.

    Raises:
        InvalidArgument: The flags do not say what, or a file is not there.
    """
    if arguments.from_api == bool(arguments.files):
        raise InvalidArgument.of_field("FILE", "give one or more, or --from-api, and not both")
    if arguments.from_api:
        key = next((os.environ[name] for name in _KEYS if os.environ.get(name)), "")
        token = os.environ.get(_TOKEN, "")
        return list_api(ServerApi(arguments.api_url, api_key=key, token=token, flag="--api-url"))
    paths = [Path(name) for name in arguments.files]
    for path in paths:
        if not path.is_file():
            raise InvalidArgument.of_field("FILE", f"{path} is no file")
    return (item for path in paths for item in read_export(path))


def as_json(writer: CorpusWriter) -> dict[str, Any]:
    """Return what became of all, for `--json`."""
    return {
        "dry_run": writer.dry_run,
        **{str(kind): asdict(count) for kind, count in writer.counts.items()},
        "unread": writer.unread,
        "problems": [asdict(problem) for problem in writer.problems],
    }


def describe(writer: CorpusWriter) -> Iterator[str]:
    """Yield the lines that say what became of all."""
    verbs = ("would be created", "would be changed") if writer.dry_run else ("created", "changed")
    for kind, count in writer.counts.items():
        line = f"{kind:<10} {count.created:,} {verbs[0]}, {count.changed:,} {verbs[1]},"
        line += f" {count.same:,} already there"
        yield f"{line}, {count.failed:,} failed" if count.failed else line
    if writer.unread:
        yield f"{writer.unread:,} could not be read"
    for problem in writer.problems:
        yield f"  {problem.where}: {problem.message}"


def _counted(writer: CorpusWriter) -> str:
    done = {
        kind: count.created + count.changed + count.same for kind, count in writer.counts.items()
    }
    return ", ".join(f"{done[kind]:,} {kind}" for kind in Kind)
