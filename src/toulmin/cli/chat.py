"""`toulmin chat`: one question after the other; each is understood in the light of those before."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toulmin.cli.access import Api, add_place_flags, opened_api
from toulmin.cli.answer_view import Told, related_lines, source_lines, why_not
from toulmin.cli.ask import (
    NEW_SESSION,
    SETTING_NAMES,
    add_answer_flags,
    check_limit,
    method,
    opened_session,
    request_body,
    tell,
)
from toulmin.cli.field_names import in_own_words
from toulmin.cli.search import owners_of
from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.terminal import Paint, wants_color, wrapped
from toulmin.errors import InvalidArgument, ToulminError

_PROMPT: Final = "> "
_QUITS: Final = ("/quit", "quit", "exit")
_HELPS: Final = ("help", "?", "/help")
_COMMANDS: Final = """\
/help     show these commands (also: help)
/sources  show what the last answer rests on
/new      begin a new conversation
/quit     end (also: quit, exit, Ctrl-D)"""

_EPILOG = f"""\
In the conversation:
{_COMMANDS}

Questions can also be piped in, one a line. The conversation is kept as a session of the data store;
--session ID takes it up again.

exit codes:
  0  the conversation came to its end
  1  a question could not be asked, or an answer was cut off
  2  the input is wrong

examples:
  toulmin chat --store sample
  printf 'When was the Eiffel Tower finished?\\nHow high is it?\\n' | toulmin chat --store sample
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_answer_flags(parser)
    parser.add_argument(
        "--json", action="store_true", help="print the API's AnswerQueryResponses, one a line"
    )
    add_place_flags(parser)
    add_settings_flags(parser, only=SETTING_NAMES)


def run(arguments: argparse.Namespace) -> int:
    """Answer until the input ends, and return the exit code.

    Raises:
        ToulminError: A flag is wrong, the data store is not there, the folder is in use.
    """
    settings = settings_from(arguments)
    owners = owners_of(arguments)
    check_limit(arguments)
    if len(owners) > 1:
        raise InvalidArgument.of_field(
            "--store", "is given several times; a conversation is with one, or with an --engine"
        )
    with opened_api(arguments, settings) as api:
        api.call("GET", owners[0])  # so that what is not there is said before the first question
        session = opened_session(api, owners[0], arguments.session or NEW_SESSION)
        chat = _Chat(
            api, owners[0], arguments, Paint(wants_color(arguments.color, sys.stdout)), session
        )
        for line in _lines(echo=not arguments.json):
            if line.lower() in _QUITS:
                break
            chat.take(line)
    return 1 if chat.has_failed else 0


@dataclass(slots=True)
class _Chat:
    """A conversation.

    Attributes:
        api: Where questions are answered.
        owner: Name of the data store or engine.
        arguments: The flags.
        paint: Colours.
        session: Name of the session; one that ends in "-" is made by the first question.
        last: The last answer.
        has_failed: Whether a question could not be answered for an error.
    """

    api: Api
    owner: str
    arguments: argparse.Namespace
    paint: Paint
    session: str
    last: Told = field(default_factory=Told)
    has_failed: bool = False

    def take(self, line: str) -> None:
        """Do what a line says: a command, or a question."""
        if not line:
            return
        if line == "/sources":
            lines = list(source_lines(self.last, self.paint))
            self._say("\n".join(lines or ["There are no sources."]))
        elif line == "/new":
            self.session, self.last = f"{self.owner}/sessions/{NEW_SESSION}", Told()
            self._say("A new conversation.")
        elif line.startswith("/") or line.lower() in _HELPS:
            self._say(_COMMANDS)
        else:
            self._ask(line)

    def _say(self, text: str) -> None:
        """Print what is no answer: beside the answers, where these are JSON."""
        print(text, file=sys.stderr if self.arguments.json else sys.stdout, flush=True)

    def _ask(self, question: str) -> None:
        body = request_body(self.arguments, question) | {"session": self.session}
        try:
            told = self._told(body)
        except KeyboardInterrupt:  # ends the answer, not the conversation
            self._say(self.paint("2", "(stopped)"))
            return
        except ToulminError as error:
            print(f"toulmin chat: {in_own_words(error.message)}", file=sys.stderr, flush=True)
            self.has_failed = True
            return
        self.last = told
        self.session = told.session or self.session
        if not self.arguments.json:
            print("\n".join(_after(told, self.paint)), flush=True)

    def _told(self, body: Mapping[str, Any]) -> Told:
        """Print the answer and return it."""
        if not self.arguments.json:
            return tell(self.api, self.owner, body, self.paint)
        response = self.api.call("POST", method(self.owner, "answer"), body)
        print(json.dumps(response, ensure_ascii=False), flush=True)
        told = Told()
        told.add(response, self.paint)
        return told


def _after(told: Told, paint: Paint) -> Iterator[str]:
    """Yield the lines below an answer: the titles of its sources on one line."""
    if told.skipped:
        yield from wrapped(paint("33", why_not(told.skipped)))
    elif told.references:
        yield from wrapped(paint("2", f"{', '.join(told.titles)} (/sources shows more)"))
    yield from related_lines(told, paint)
    yield ""


def _lines(*, echo: bool) -> Iterator[str]:
    """Yield the lines of the input, stripped; on a terminal with a prompt, history and editing.

    Args:
        echo: Print the lines of an input that is no terminal.
    """
    if not sys.stdin.isatty():
        for line in sys.stdin:
            if line.strip() and echo:
                print(f"{_PROMPT}{line.strip()}", flush=True)
            yield line.strip()
        return
    with contextlib.suppress(ImportError):  # not on every system; `input` works without it
        import readline  # noqa: F401 - its import gives `input` its editing
    while True:
        try:
            yield input(_PROMPT).strip()
        except EOFError:
            print()
            return
