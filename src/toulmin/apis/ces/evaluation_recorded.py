"""Evaluations out of what this server has written: kept conversations, and exports as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toulmin.agents import Dialogue, DialogueTurn
from toulmin.apis.aip.json_text import read_json
from toulmin.apis.ces.evaluation_rows import FIELD, Candidate
from toulmin.conversation.log import USER
from toulmin.domain import JsonObject
from toulmin.errors import InvalidArgument

_GIVEN: Final = ("text", "image", "blob")
_UNREAD: Final = {"evaluationResults": "evaluation results", "evaluationRuns": "evaluation runs"}


def golden_of(dialogue: Dialogue, turns: Sequence[DialogueTurn], where: str) -> Candidate:
    """Return the evaluation that a conversation is: it should go again as it went.

    What the user gave is given, what the agents said, called and handed over is expected; a client
    function is answered as the client did. What other tools returned is their own affair.
    """
    value = {
        "displayName": dialogue.id,
        "golden": {
            "turns": [
                {"steps": [step for message in turn.messages for step in _steps(message)]}
                for turn in turns
            ]
        },
    }
    return Candidate(where, value)


def _steps(message: JsonObject) -> Iterator[dict[str, Any]]:
    role = str(message.get("role", ""))
    for chunk in message.get("chunks", ()):
        step = _given(chunk) if role == USER else _expected(chunk, role)
        if step:
            yield step


def _given(chunk: JsonObject) -> dict[str, Any]:
    for key in _GIVEN:
        if key in chunk:
            return {"userInput": {key: chunk[key]}}
    if "transcript" in chunk:
        return {"userInput": {"text": chunk["transcript"]}}
    if "updatedVariables" in chunk:
        return {"userInput": {"variables": chunk["updatedVariables"]}}
    if "toolResponse" in chunk:
        return {"expectation": {"toolResponse": _without_id(chunk["toolResponse"])}}
    return {}


def _expected(chunk: JsonObject, role: str) -> dict[str, Any]:
    if "text" in chunk:
        return {"expectation": {"agentResponse": {"role": role, "chunks": [chunk]}}}
    if "toolCall" in chunk:
        return {"expectation": {"toolCall": _without_id(chunk["toolCall"])}}
    for key in ("agentTransfer", "updatedVariables"):
        if key in chunk:
            return {"expectation": {key: chunk[key]}}
    return {}


def _without_id(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call or a response without the id, which is another one each time."""
    return {key: item for key, item in value.items() if key != "id"}


def read_export(content: bytes, app: str) -> tuple[list[Candidate], dict[str, list[str]]]:
    """Return the evaluations of what ExportEvaluations writes, as ones of an app.

    Args:
        content: The JSON.
        app: Name of the app that they are to be of; names in the app they come from become its.

    Returns:
        The evaluations; and for "evaluationResults" and "evaluationRuns", which are not imported,
        a message for each.

    Raises:
        InvalidArgument: It is no such JSON.
    """
    try:
        value = read_json(content)
    except InvalidArgument as error:
        raise InvalidArgument.of_field(FIELD, error.message) from None
    known = ("evaluations", *_UNREAD)
    if unknown := [name for name in value if name not in known]:
        raise InvalidArgument.of_field(
            FIELD, f'has "{unknown[0][:100]}"; an export has {", ".join(known)}'
        )
    for name in known:
        items = value.get(name, [])
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise InvalidArgument.of_field(FIELD, f"{name} must be a list of objects")
    found = [
        _exported(item, f"{FIELD} evaluations[{number}]", app)
        for number, item in enumerate(value.get("evaluations", []))
    ]
    unread = {
        name: [
            f"{FIELD} {name}[{number}]: {what} are not imported by this version of Toulmin"
            for number in range(len(value.get(name, [])))
        ]
        for name, what in _UNREAD.items()
    }
    return found, unread


def _exported(value: dict[str, Any], where: str, app: str) -> Candidate:
    source, _, id_ = str(value.get("name", "")).partition("/evaluations/")
    moved = _moved(value, f"{source}/", f"{app}/") if id_ else value
    return Candidate(where, moved, id=id_)


def _moved(value: Any, source: str, target: str) -> Any:
    """Return JSON in which every name of an app's is one of another app's."""
    if isinstance(value, str):
        return target + value.removeprefix(source) if value.startswith(source) else value
    if isinstance(value, list):
        return [_moved(item, source, target) for item in value]
    if isinstance(value, dict):
        return {key: _moved(item, source, target) for key, item in value.items()}
    return value
