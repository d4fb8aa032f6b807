"""`toulmin agents`: bring an app folder in, talk to it, test it, export what was said."""

from __future__ import annotations

import argparse
import base64
import contextlib
import io
import itertools
import json
import secrets
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from toulmin.cli.access import Api, add_place_flags, opened_api
from toulmin.cli.agent_talk import Talk, told
from toulmin.cli.callback_tests import CallbackTests, find_callback_tests, run_callback_tests
from toulmin.cli.cases import FLAG, CaseResult, find_cases, totals, write_junit
from toulmin.cli.goldens import Golden, read_goldens, run_goldens
from toulmin.cli.settings_flags import add_settings_flags, settings_from
from toulmin.cli.tool_tests import ToolTest, read_tool_tests, run_tool_tests
from toulmin.errors import InvalidArgument, NotFound, ToulminError

SETTING_NAMES: Final = ("data_dir", "database_url", "api_keys", "api_keys_file", "port")
_SKIPPED: Final = frozenset({".git", "__pycache__", ".venv", "node_modules"})
_PAGE: Final = 200
_END: Final = "/quit"
_COMMANDS: Final = """\
/set NAME=JSON    give a variable a value, together with what is said next
/event NAME       send an event
/quit             end (or Ctrl-D)"""

_EPILOG = f"""\
what to do:
  import DIR  make an app of the files in a folder (app.json, agents/, tools/, ...), or replace it
  run DIR     talk to it; nothing of it is kept
  test DIR    run its goldens, tool tests and callback tests (evals/goldens/*.yaml,
              evals/tool_tests/*.yaml, evals/callback_tests/**/test.py, beside it or in it)
  export ID   write the conversations of the app with that id, a line of JSON for each, newest first

In `run`:
{_COMMANDS}
When the agent calls a client function, its response is typed in as JSON.

exit codes:
  0  done; all goldens and tests passed
  1  one failed, or something that was said could not be answered
  2  the input is wrong; every problem of the app folder is listed with its file and line

examples:
  toulmin agents run my_app
  toulmin agents test my_app --junit report.xml
  toulmin agents export my_app > conversations.jsonl
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options to its parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("action", choices=("import", "run", "test", "export"))
    parser.add_argument(
        "folder",
        type=Path,
        metavar="DIR",
        help="folder with the app's files; `export`: its id",
    )
    parser.add_argument("--app", metavar="ID", default="", help="id of the app for `import`")
    parser.add_argument("--agent", metavar="ID", default="", help="begin with this agent (`run`)")
    parser.add_argument(
        "--goldens",
        type=Path,
        metavar="PATH",
        help="run these goldens, a file or folder, and nothing else (`test`)",
    )
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write a JUnit report (`test`)")
    parser.add_argument(
        "--agent-text", choices=("similar", "equal", "ignore"), default="similar",
        help="how the agent's words are compared with the golden's (default: similar)",
    )  # fmt: skip
    add_place_flags(parser)
    add_settings_flags(parser, only=SETTING_NAMES)


def run(arguments: argparse.Namespace) -> int:
    """Do it, and return the exit code.

    Raises:
        ToulminError: The folder or a flag is wrong.
    """
    settings = settings_from(arguments)
    location = f"projects/{arguments.project}/locations/{arguments.location}"
    if arguments.action == "export":
        with opened_api(arguments, settings) as api:
            for line in conversation_lines(api, f"{location}/apps/{arguments.folder}"):
                print(line)
        return 0
    content = archive_of(arguments.folder)
    goldens: list[Golden] = []
    tool_tests: list[ToolTest] = []
    callback_tests: list[CallbackTests] = []
    if arguments.action == "test":
        goldens, tool_tests, callback_tests = cases_of(arguments.folder, arguments.goldens)
    with opened_api(arguments, settings) as api:
        if arguments.action == "import":
            import_app(api, location, arguments.app or app_id_of(arguments.folder), content)
            return 0
        with app_for_now(api, location, content) as app:
            if arguments.action == "run":
                return _talk(Talk(api, app, agent=arguments.agent))
            results = run_goldens(api, app, goldens, agent_text=arguments.agent_text)
            results += run_tool_tests(api, app, tool_tests)
    results += run_callback_tests(callback_tests, allowed=settings.agent_python)
    return _told_results(results, arguments.junit)


def cases_of(
    folder: Path, goldens: Path | None
) -> tuple[list[Golden], list[ToolTest], list[CallbackTests]]:
    """Return the goldens, tool tests and callback tests of an app folder, or these goldens alone.

    Raises:
        InvalidArgument: There are none, or a file is wrong.
    """
    if goldens is not None:
        return read_goldens(goldens), [], []
    found, tests = find_cases(folder, "goldens"), find_cases(folder, "tool_tests")
    callbacks = find_callback_tests(folder)
    if found is None and tests is None and not callbacks:
        raise InvalidArgument.of_field(
            FLAG,
            "there is no evals/goldens, evals/tool_tests or evals/callback_tests in or above"
            f" {folder}",
        )
    return read_goldens(found) if found else [], read_tool_tests(tests) if tests else [], callbacks


def _told_results(results: list[CaseResult], junit: Path | None) -> int:
    for result in results:
        print(result.report())
    print(totals(results))
    if junit:
        write_junit(junit, results)
    return 1 if any(result.differences for result in results) else 0


def archive_of(folder: Path) -> bytes:
    """Return the files of a folder as a zip archive.

    Raises:
        InvalidArgument: There is no such folder, or no app.json in it or right below it.
    """
    if not folder.is_dir():
        raise InvalidArgument.of_field("DIR", f"{folder} is no folder")
    below = [path for path in sorted(folder.glob("**/app.json")) if not _skipped(path, folder)]
    if not below:
        raise InvalidArgument.of_field("DIR", f"{folder} has no app.json in it")
    root = min(below, key=lambda path: len(path.parts)).parent
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(root.rglob("*")):
            if path.is_file() and not _skipped(path, root):
                archive.write(path, path.relative_to(root).as_posix())
    return content.getvalue()


def app_id_of(folder: Path) -> str:
    """Return the id of an app from the name of its folder."""
    name = "".join(
        char if char.isalnum() or char in "-_" else "-" for char in folder.resolve().name
    )
    return name.strip("-")[:63] or "app"


def import_app(api: Api, location: str, id_: str, content: bytes, *, quiet: bool = False) -> str:
    """Make an app of an archive and return its name.

    Raises:
        InvalidArgument: Something is wrong in the files.
    """
    body = {
        "appId": id_,
        "appContent": base64.b64encode(content).decode(),
        "importOptions": {"conflictResolutionStrategy": "OVERWRITE"},
    }
    done = api.call("POST", f"{location}/apps:importApp", body)["response"]
    for warning in done.get("warnings", ()):
        print(f"warning: {warning}", file=sys.stderr)
    if not quiet:
        print(done["name"])
    return str(done["name"])


def conversation_lines(api: Api, app: str) -> Iterator[str]:
    """Yield the conversations of an app with all their turns, each as JSON in one line.

    One that is deleted meanwhile is left out.
    """
    token = ""
    while True:
        query = {"pageSize": _PAGE, "pageToken": token}
        page = api.call("GET", f"{app}/conversations", query=query)
        for item in page.get("conversations", ()):
            with contextlib.suppress(NotFound):
                whole = api.call("GET", item["name"])
                yield json.dumps(whole, ensure_ascii=False, sort_keys=True)
        token = page.get("nextPageToken", "")
        if not token:
            return


@contextlib.contextmanager
def app_for_now(api: Api, location: str, content: bytes) -> Iterator[str]:
    """Yield the name of an app that is gone afterwards, with its conversations."""
    name = import_app(api, location, f"run-{secrets.token_hex(6)}", content, quiet=True)
    try:
        yield name
    finally:
        api.call("DELETE", name)


def _talk(talk: Talk) -> int:
    failed = False
    variables: list[dict[str, Any]] = []
    for line in itertools.chain(_lines(), [_END]):
        try:
            given = [] if line == _END else [_input_of(line)]
            if any("variables" in item for item in given):
                variables += given  # callbacks see all of them at once
                continue
            if not (inputs := [*variables, *given]):
                break
            variables = []
            outputs = talk.send(*inputs)
            _print(outputs)
            while call := talk.waiting(outputs):
                response = _response_to(call)
                if response is None:  # the input is at its end, and so is the talk
                    return 1 if failed else 0
                outputs = talk.respond(call, response)
                _print(outputs)
        except ToulminError as error:
            print(f"({error.message})")
            failed = True
        if talk.has_ended or line == _END:
            break
    return 1 if failed else 0


def _print(outputs: list[dict[str, Any]]) -> None:
    for text in told(outputs):
        print(text)


def _input_of(line: str) -> dict[str, Any]:
    command, _, rest = line.partition(" ")
    if command == "/event":
        return {"event": {"event": rest.strip()}}
    if command == "/set":
        name, sign, value = rest.partition("=")
        if not sign:
            raise InvalidArgument(f'"{line}" has no "="; write /set NAME=VALUE')
        try:
            return {"variables": {name.strip(): json.loads(value)}}
        except json.JSONDecodeError:
            return {"variables": {name.strip(): value.strip()}}
    if line.startswith("/"):
        raise InvalidArgument(f"{command} is no command:\n{_COMMANDS}")
    return {"text": line}


def _response_to(call: dict[str, Any]) -> dict[str, Any] | None:
    """Return what the tool's user answers; None: there is no more input."""
    if sys.stdin.isatty():
        print(f"response of {call['displayName']} as JSON> ", end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        return None
    line = line.strip()
    try:
        value = json.loads(line)
    except json.JSONDecodeError:
        value = line
    return value if isinstance(value, dict) else {"output": value}


def _lines() -> Iterator[str]:
    while True:
        if sys.stdin.isatty():
            print("> ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()


def _skipped(path: Path, root: Path) -> bool:
    return any(part in _SKIPPED for part in path.relative_to(root).parts)
