"""The targets of what makers of agents hand in, and of what servers that are not ours answer."""

from __future__ import annotations

import io
import json
import zipfile
from unittest.mock import patch

from toulmin.agents import App
from toulmin.apis.ces.app_import import _resources, unzipped
from toulmin.apis.ces.evaluation_import import _message
from toulmin.apis.ces.evaluation_recorded import read_export
from toulmin.apis.ces.evaluation_rows import Names, read_rows
from toulmin.conversation import openapi
from toulmin.conversation.app_files import read_app_files
from toulmin.conversation.conditions import ConditionError, parse_condition
from toulmin.conversation.mcp_results import response_of, tool_of
from toulmin.conversation.openapi import _request, operations_of
from toulmin.conversation.outgoing import Credentials
from toulmin.conversation.python_source import function_schema
from toulmin.errors import InvalidArgument, Unimplemented
from toulmin.models.http_post import Watch
from toulmin.models.llm_stream import (
    Clock,
    StreamFailed,
    StreamOptions,
    pieces_of_answer,
    pieces_of_stream,
)

_APP = "projects/p/locations/global/apps/a"
_FILE = b"\n=== "
_VARIABLES = {"plan": "gold", "visits": 3, "user": {"age": 18}, "cart": [1, "x"], "none": None}


def conditions(data: bytes) -> None:
    """A condition on a session's variables: an answer, or a `ConditionError`."""
    try:
        assert isinstance(parse_condition(data.decode("utf-8", "ignore")).holds(_VARIABLES), bool)
    except ConditionError as error:
        assert str(error)


def apps(data: bytes) -> None:
    """An app to import: files behind lines "=== path", or the bytes of an archive."""
    try:
        files = unzipped(_zipped(data) if data.startswith(_FILE[1:]) else data)
        found = read_app_files(files, _APP)
        new = App(parent="projects/p/locations/global", id="a")
        _resources(found, new, display_name="")
    except (InvalidArgument, Unimplemented) as error:
        assert error.message


def _zipped(data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for number, file in enumerate((b"\n" + data).split(_FILE)[1:]):
            path, _, content = file.partition(b"\n")
            name = path[:100].decode("latin-1").replace("\0", "")
            archive.writestr(name or f"{number}", content)
    return made.getvalue()


def tools(data: bytes) -> None:
    """A description in OpenAPI, and a call of each of its operations with what it asks for.

    A tenth of what one may have: schemas without an end take a second up to the limit, and twenty
    with the instruments.
    """
    try:
        text = data.decode("utf-8", "ignore")
        with patch.object(openapi, "MOST_PARTS", openapi.MOST_PARTS // 10):
            operations = operations_of(text, field_name="open_api_schema")
        for operation in operations:
            arguments = dict.fromkeys(operation.places, "x")
            _request(operation, arguments, Credentials())
    except InvalidArgument as error:
        assert error.violations


def functions(data: bytes) -> None:
    """The source of a tool in Python: what it asks for, or what is wrong with it."""
    found = function_schema(data.decode("utf-8", "ignore"), "main")
    assert bool(found.problem) == bool(found.line)


def goldens(data: bytes) -> None:
    """Evaluations as rows of CSV or as JSON, up to the messages that would be stored."""
    try:
        if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            candidates = read_export(data, _APP)[0]
        else:
            candidates = read_rows(
                data, Names(lambda name: {"tool": name}, lambda name: (name,) * 2)
            )
        for candidate in candidates:
            if not candidate.problems:
                _message(candidate.value)
    except InvalidArgument as error:
        assert error.message


def replies(data: bytes) -> None:
    """What a language model or an MCP server answers: pieces, or an error that is expected.

    Raises:
        AssertionError: What comes out could not be sent on.
    """
    how, body = data[:1], data[1:]
    expected: tuple[type[Exception], ...] = (
        *(StreamFailed, ConnectionError, RecursionError),
        *(ValueError, LookupError, TypeError, AttributeError),
    )
    try:
        if how == b"s":
            options = StreamOptions()
            clock = Clock(options)
            parts = [body[start : start + 7] for start in range(0, len(body), 7)]
            watch = Watch(clock.deadline, lambda: False)
            pieces = list(pieces_of_stream(parts, clock, watch))
        else:
            pieces = list(pieces_of_answer(body))
    except expected:
        return
    for piece in pieces:
        piece.text.encode()


def mcp(data: bytes) -> None:
    """What an MCP server says of a tool, and what it answers."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    tool = tool_of(value)
    assert tool is None or tool.name
    if isinstance(value, dict):
        assert response_of(value)
