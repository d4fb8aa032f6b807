"""Goldens as rows of a CSV file -> evaluations as JSON, each with what is wrong with its rows.

The layout is that of the makers' page on uploading evaluations: a row with a `display_name` begins
an evaluation; each row below it is one step, with its `turn_index` and `action_type`.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from toulmin.errors import InvalidArgument

FIELD: Final = "csv_content"
MOST_CELL_CHARACTERS: Final = 16 * 1024 * 1024
_REQUIRED: Final = ("display_name", "turn_index", "action_type")
_OF_EVALUATIONS: Final = ("description", "tags")
_OF_STEPS: Final = (
    "text_content",
    "image_mime_type",
    "image_content",
    "event",
    "tool_name",
    "tool_args_json",
    "tool_response_json",
    "updated_variables_json",
    "response_agent",
    "target_agent",
    "expectation_note",
)
COLUMNS: Final = (*_REQUIRED, *_OF_EVALUATIONS, *_OF_STEPS)

Row = Mapping[str, str]
Find = Callable[[str], Mapping[str, Any]]


@dataclass(slots=True)
class Candidate:
    """An evaluation that is to be imported.

    Attributes:
        where: Where it stands, for messages: "csv_content line 3".
        value: The API's `Evaluation` as JSON.
        id: Its id; empty: it brings none.
        problems: What is wrong with it, each with the place; empty: nothing so far.
    """

    where: str
    value: dict[str, Any]
    id: str = ""
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Names:
    """What rows call by name.

    Attributes:
        tool: Returns how a step refers to the tool of a name; raises ValueError where none is.
        agent: Returns name and display name of an agent; raises ValueError where none is.
    """

    tool: Find
    agent: Callable[[str], tuple[str, str]]


def read_rows(content: bytes, names: Names) -> list[Candidate]:
    """Return the evaluations of a CSV file, those with wrong rows, too.

    Raises:
        InvalidArgument: It is no such file: the encoding, the header or the form of CSV is wrong.
    """
    candidates: list[Candidate] = []
    last_turn = 0
    for line, row in _rows(content):
        where = f"{FIELD} line {line}"
        if row["display_name"]:
            candidates.append(_begun(row, where))
            last_turn = 0
        elif not candidates:
            raise InvalidArgument.of_field(
                FIELD, f"line {line}: display_name is empty; the first row begins an evaluation"
            )
        else:
            candidate = candidates[-1]
            try:
                last_turn = _turn_of(row, last_turn, candidate)
                candidate.value["golden"]["turns"][-1]["steps"].append(_step(row, names))
            except ValueError as error:
                candidate.problems.append(f"{where}: {error}")
    return candidates


def _rows(content: bytes) -> Iterator[tuple[int, Row]]:
    """Yield the rows that are not empty, each with the line on which it begins."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidArgument.of_field(
            FIELD, f"must be UTF-8; byte 0x{content[error.start]:02x} at {error.start:,} is not"
        ) from None
    # The limit is one for the whole process: it is only ever raised.
    csv.field_size_limit(max(MOST_CELL_CHARACTERS, csv.field_size_limit()))
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = _header(next(reader, []))
        line = reader.line_num + 1
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if len(cells) > len(header):
                    raise InvalidArgument.of_field(
                        FIELD,
                        f"line {line} has {len(cells)} cells; the header has {len(header)} columns",
                    )
                found = dict(zip(header, cells, strict=False))
                yield line, {name: found.get(name, "").strip() for name in COLUMNS}
            line = reader.line_num + 1
    except csv.Error as error:
        raise InvalidArgument.of_field(FIELD, f"line {reader.line_num}: {error}") from None


def _header(cells: list[str]) -> list[str]:
    header = [cell.strip() for cell in cells]
    if missing := [name for name in _REQUIRED if name not in header]:
        raise InvalidArgument.of_field(FIELD, f"the header has no column {', '.join(missing)}")
    if twice := sorted(name for name, count in Counter(header).items() if count > 1):
        raise InvalidArgument.of_field(FIELD, f"the header has twice: {', '.join(twice)[:200]}")
    if unknown := [name for name in header if name not in COLUMNS]:
        raise InvalidArgument.of_field(
            FIELD,
            f'the header has a column "{unknown[0][:100]}"; known are {", ".join(COLUMNS)}',
        )
    return header


def _begun(row: Row, where: str) -> Candidate:
    value: dict[str, Any] = {"displayName": row["display_name"], "golden": {"turns": []}}
    if row["description"]:
        value["description"] = row["description"]
    if row["tags"]:
        value["tags"] = [tag.strip() for tag in row["tags"].split(",") if tag.strip()]
    candidate = Candidate(where, value)
    own = ("display_name", *_OF_EVALUATIONS)
    if filled := [name for name in COLUMNS if row[name] and name not in own]:
        candidate.problems.append(
            f"{where}: {filled[0]}: is for the rows below the one with display_name"
        )
    return candidate


def _turn_of(row: Row, last: int, candidate: Candidate) -> int:
    """Return the turn of a row, begun where it is a new one.

    Raises:
        ValueError: It is no number, or out of order.
    """
    text = row["turn_index"]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(f'turn_index: "{text[:100]}" must be a whole number from 1 on')
    turn = int(text)
    if last == 0 and turn != 1:
        raise ValueError(f"turn_index: is {turn}; the first turn of an evaluation is 1")
    if turn < last:
        raise ValueError(f"turn_index: is {turn} after {last}; it must not fall")
    if turn > last:
        candidate.value["golden"]["turns"].append({"steps": []})
    return turn


def _step(row: Row, names: Names) -> dict[str, Any]:
    """Return the API's `Step` of a row.

    Raises:
        ValueError: Something that the action needs is missing or wrong, or there is none such.
    """
    action = row["action_type"]
    if action not in _ACTIONS:
        raise ValueError(
            f'action_type: "{action[:100]}" is none; there are {", ".join(sorted(_ACTIONS))}'
        )
    step = _ACTIONS[action](row, names)
    if row["expectation_note"]:
        if "expectation" not in step:
            raise ValueError(f"expectation_note: {action} is no expectation")
        step["expectation"]["note"] = row["expectation_note"]
    return step


def _needed(row: Row, name: str) -> str:
    if not row[name]:
        raise ValueError(f"{name}: is empty; {row['action_type']} needs it")
    return row[name]


def _object(row: Row, name: str, *, needed: bool = False) -> dict[str, Any]:
    text = _needed(row, name) if needed else row[name]
    try:
        value = orjson.loads(text) if text else {}
    except orjson.JSONDecodeError as error:
        raise ValueError(f"{name}: is no JSON: {error}") from None
    if isinstance(value, dict):
        return value
    raise ValueError(f"{name}: must be a JSON object")


def _text(row: Row, _names: Names) -> dict[str, Any]:
    return {"userInput": {"text": _needed(row, "text_content")}}


def _image(row: Row, _names: Names) -> dict[str, Any]:
    kind, data = _needed(row, "image_mime_type"), _needed(row, "image_content")
    return {"userInput": {"image": {"mimeType": kind, "data": data}}}


def _event(row: Row, _names: Names) -> dict[str, Any]:
    return {"userInput": {"event": {"event": _needed(row, "event")}}}


def _variables(row: Row, _names: Names) -> dict[str, Any]:
    return {"userInput": {"variables": _object(row, "updated_variables_json", needed=True)}}


def _given_response(row: Row, names: Names) -> dict[str, Any]:
    # A row has no id of a call, which a response of a user's needs: a mock answers its tool.
    return {"expectation": {"mockToolResponse": _response(row, names)}}


def _expected_response(row: Row, names: Names) -> dict[str, Any]:
    return {"expectation": {"toolResponse": _response(row, names)}}


def _response(row: Row, names: Names) -> dict[str, Any]:
    tool = names.tool(_needed(row, "tool_name"))
    return {**tool, "response": _object(row, "tool_response_json")}


def _expected_text(row: Row, names: Names) -> dict[str, Any]:
    _, role = names.agent(_needed(row, "response_agent"))
    chunk = {"text": _needed(row, "text_content")}
    return {"expectation": {"agentResponse": {"role": role, "chunks": [chunk]}}}


def _expected_call(row: Row, names: Names) -> dict[str, Any]:
    tool = names.tool(_needed(row, "tool_name"))
    return {"expectation": {"toolCall": {**tool, "args": _object(row, "tool_args_json")}}}


def _expected_transfer(row: Row, names: Names) -> dict[str, Any]:
    target, _ = names.agent(_needed(row, "target_agent"))
    return {"expectation": {"agentTransfer": {"targetAgent": target}}}


def _expected_variables(row: Row, _names: Names) -> dict[str, Any]:
    return {
        "expectation": {"updatedVariables": _object(row, "updated_variables_json", needed=True)}
    }


_ACTIONS: Final[Mapping[str, Callable[[Row, Names], dict[str, Any]]]] = {
    "INPUT_TEXT": _text,
    "INPUT_IMAGE": _image,
    "INPUT_EVENT": _event,
    "INPUT_TOOL_RESPONSE": _given_response,
    "INPUT_UPDATED_VARIABLES": _variables,
    "EXPECTATION_TEXT": _expected_text,
    "EXPECTATION_TOOL_CALL": _expected_call,
    "EXPECTATION_TOOL_RESPONSE": _expected_response,
    "EXPECTATION_AGENT_TRANSFER": _expected_transfer,
    "EXPECTATION_UPDATED_VARIABLES": _expected_variables,
}
