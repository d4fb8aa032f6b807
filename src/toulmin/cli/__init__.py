"""The command line: `toulmin VERB ...`, one file per verb.

A verb's file has `add_arguments(parser)` and `run(arguments) -> int`, the exit code. It is imported
only when the verb is used, so that `toulmin --help` is quick. To add a verb, write its file and add
one line to `VERBS`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from toulmin import __version__
from toulmin.errors import ToulminError

VERBS: Final[Mapping[str, str]] = {
    "check": "say for every sentence of a text how well facts support or contradict it",
    "serve": "answer REST and gRPC requests",
    "ingest": "make documents of files, to be searched",
    "search": "find documents or chunks",
    "ask": "answer a question from the documents, each sentence with its sources",
    "chat": "answer one question after the other, each in the light of those before",
    "stores": "list, show, create or delete data stores",
    "import-corpus": "take over the corpora of Google's semantic retriever",
    "backup": "copy all that is stored into one checked file, also while a server runs",
    "restore": "put such a copy back",
    "evaluate": "measure the check on labelled examples",
    "calibrate": "fit the scores to labelled examples of your own",
    "config": "print every setting, its value and where it came from",
}

_EXIT_USAGE: Final = 2
_EXIT_INTERRUPTED: Final = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 2 wrong usage or settings, 130 interrupted.

    Args:
        argv: Arguments without the program's name; by default the process's own.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] not in VERBS:
        return _without_verb(arguments)
    verb = arguments.pop(0)
    module = importlib.import_module(f"toulmin.cli.{verb.replace('-', '_')}")
    about = VERBS[verb]
    parser = argparse.ArgumentParser(
        prog=f"toulmin {verb}", description=about[0].upper() + about[1:]
    )
    module.add_arguments(parser)
    try:
        return int(module.run(parser.parse_args(arguments)))
    except ToulminError as error:
        print(f"toulmin {verb}: {error.message}", file=sys.stderr)
        return _EXIT_USAGE
    except KeyboardInterrupt:
        return _EXIT_INTERRUPTED


def _without_verb(arguments: list[str]) -> int:
    """Answer --help and --version, or complain."""
    width = max(len(verb) for verb in VERBS)
    verbs = "\n".join(f"  {verb:<{width}}  {text}" for verb, text in VERBS.items())
    parser = argparse.ArgumentParser(
        prog="toulmin",
        usage="toulmin VERB [options]",
        description="Does this text follow from these facts, sentence by sentence?",
        epilog=f"verbs:\n{verbs}\n\n`toulmin VERB --help` says more about each.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"toulmin {__version__}")
    parser.add_argument("verb", nargs="?", choices=tuple(VERBS), help=argparse.SUPPRESS)
    parser.parse_args(arguments)
    parser.print_help()
    return _EXIT_USAGE
