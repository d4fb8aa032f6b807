"""The command line: `toulmin VERB ...`, one file per verb.

A verb's file has `add_arguments(parser)` and `run(arguments) -> int`, the exit code. It is imported
only when the verb is used, so that `toulmin --help` is quick. To add a verb, write its file and add
one line to `VERBS`.

Beside the verbs:

    access.py           the API of a server, or of the data folder in this process, with one face
    server_client.py    a server's REST API over HTTP
    addresses.py        version and collection of the API
    settings_flags.py   settings as flags
    field_names.py      errors in the words of the command line
    terminal.py         colours, lines no wider than the terminal, JSON
    answer_view.py      an answer as the terminal shows it
    corrections.py      what `check --fix` shows; fish_completion.py: `completion fish`
    heaps.py            how the C library keeps the memory of `serve`
    mcp_server.py       the tools of `mcp`
    agent_talk.py       a session with an app; goldens.py: conversations as they should go
    tool_tests.py       its tools by themselves; callback_tests.py: its callbacks, in pytest, which
                        callback_kit.py gives what they see; cases.py: what these share
    importing/          what `ingest` does
    corpora/            what `import-corpus` does
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from toulmin import __version__
from toulmin.cli.field_names import in_own_words
from toulmin.errors import ToulminError

VERBS: Final[Mapping[str, str]] = {
    "check": "say for every sentence of a text how well facts support or contradict it",
    "serve": "answer REST and gRPC requests",
    "demo": "import the sample documents, then serve",
    "ingest": "make documents of files, to be searched",
    "search": "find documents or chunks",
    "ask": "answer a question from the documents, each sentence with its sources",
    "chat": "answer one question after the other, each in the light of those before",
    "mcp": "offer check, ask and search to assistants by the Model Context Protocol",
    "agents": "bring in an app of conversational agents, talk to it, run its goldens",
    "stores": "list, show, create or delete data stores",
    "import-corpus": "take over the corpora of Google's semantic retriever",
    "keys": "make, list and revoke the keys that callers present",
    "backup": "copy all that is stored into one checked file, also while a server runs",
    "restore": "put such a copy back",
    "reembed": "make all stored vectors anew, with the other embedder",
    "evaluate": "measure the check on labelled examples",
    "calibrate": "fit the scores to labelled examples of your own",
    "config": "print every setting, its value and where it came from",
    "completion": "print a script with which a shell completes all of this",
}

_EXIT_USAGE: Final = 2
_EXIT_INTERRUPTED: Final = 130
_EXIT_CLOSED_PIPE: Final = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    0 done, 2 wrong usage or settings, 130 interrupted, 141 nobody reads the output any more.

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
        code = int(module.run(parser.parse_args(arguments)))
        sys.stdout.flush()  # so that a closed pipe is noticed here, not at the interpreter's end
    except BrokenPipeError:  # `| head` has seen enough
        _forget_output()
        return _EXIT_CLOSED_PIPE
    except ToulminError as error:
        print(f"toulmin {verb}: {in_own_words(error.message)}", file=sys.stderr)
        return _EXIT_USAGE
    except KeyboardInterrupt:
        return _EXIT_INTERRUPTED
    return code


def _forget_output() -> None:
    """Send what is still to be written nowhere, since its reader is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(nowhere, stream.fileno())


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
