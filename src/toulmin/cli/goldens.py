"""Goldens: conversations as they should go, run against an app, turn by turn.

A golden is a conversation of the makers' tool kit: turns with `user`, `agent` and `tool_calls`
(`action`, `args`, and here also `response`, what the client function returns). Expectations in
prose need a language model to judge them; they are counted, not judged.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toulmin.cli.access import Api
from toulmin.cli.agent_talk import Talk
from toulmin.cli.cases import FLAG, CaseResult, case_files, read_case_file
from toulmin.conversation.similarity import missing_numbers
from toulmin.errors import InvalidArgument, ToulminError

KIND: Final = "golden"
SIMILAR: Final = 0.5
"""Cosine from which on two texts count as similar, if the one has all numbers of the other."""
_EVENT: Final = re.compile(r"\s*<event>(.*?)</event>\s*\Z", re.DOTALL)
_MODEL: Final = "models/text-embedding-004"


@dataclass(frozen=True, slots=True)
class Golden:
    """A conversation as it should go.

    Attributes:
        name: What it is called.
        file: Where it stands.
        variables: What the session begins with.
        turns: As in the file.
        unjudged: Number of its expectations in prose.
    """

    name: str
    file: Path
    variables: dict[str, Any]
    turns: list[dict[str, Any]]
    unjudged: int = 0


def read_goldens(path: Path) -> list[Golden]:
    """Return the goldens of a file or of all files of a folder, in order of name.

    Raises:
        InvalidArgument: A file cannot be read; says which, and the line.
    """
    found = [golden for file in case_files(path) for golden in _goldens_in(file)]
    if not found:
        raise InvalidArgument.of_field(FLAG, f"{path} has no conversations")
    return found


def run_goldens(
    api: Api, app: str, goldens: Sequence[Golden], *, agent_text: str
) -> list[CaseResult]:
    """Run goldens and return how each went.

    Args:
        api: Where the app is.
        app: Its name.
        goldens: The goldens.
        agent_text: How the agent's words are compared: "similar", "equal" or "ignore".
    """
    return [_run(api, app, golden, agent_text) for golden in goldens]


def _goldens_in(file: Path) -> Iterator[Golden]:
    value = read_case_file(file)
    if not isinstance(value, dict) or not isinstance(value.get("conversations"), list):
        raise InvalidArgument.of_field(FLAG, f"{file}: must have a list `conversations`")
    shared = value.get("common_session_parameters") or {}
    for number, item in enumerate(value["conversations"]):
        if not isinstance(item, dict) or not isinstance(item.get("turns"), list):
            raise InvalidArgument.of_field(
                FLAG, f"{file}: conversations[{number}] has no list `turns`"
            )
        yield Golden(
            name=str(item.get("conversation") or number),
            file=file,
            variables={**shared, **(item.get("session_parameters") or {})},
            turns=item["turns"],
            unjudged=len(item.get("expectations") or ()),
        )


def _run(api: Api, app: str, golden: Golden, agent_text: str) -> CaseResult:
    left = golden.unjudged
    note = f" ({left} expectations in prose not judged)" if left else ""
    result = CaseResult(golden.name, golden.file, KIND, note)
    talk = Talk(api, app)
    first: list[dict[str, Any]] = [{"variables": golden.variables}] if golden.variables else []
    for number, turn in enumerate(golden.turns, 1):
        wanted = [dict(call) for call in turn.get("tool_calls") or ()]
        said = str(turn.get("user") or "<event>welcome</event>")
        try:
            texts, calls = _turn(talk, [*first, _input_of(said)], wanted)
        except ToulminError as error:
            result.differences.append(_shown(number, said, [f"error: {error.message}"]))
            break
        first = []
        wrong = list(_call_differences(api, wanted, calls))
        if turn.get("agent") and not _agrees(api, str(turn["agent"]), " ".join(texts), agent_text):
            wrong.append(f"agent:  {' '.join(texts) or '(nothing)'}\n      wanted: {turn['agent']}")
        if wrong:
            result.differences.append(_shown(number, said, wrong))
    return result


def _turn(
    talk: Talk, inputs: list[dict[str, Any]], wanted: Sequence[dict[str, Any]]
) -> tuple[list[str], list[dict[str, Any]]]:
    """Return what the agent said and called in one turn; client calls get the golden's response."""
    texts: list[str] = []
    outputs = talk.send(*inputs)
    if _waits_for_yes(outputs, wanted):  # who wrote the golden has agreed to the call
        outputs = talk.send({"text": "yes"})
    while True:
        texts += [output["text"] for output in outputs if output.get("text")]
        call = talk.waiting(outputs)
        if call is None:
            break
        responses = [
            item.get("response") for item in wanted if item["action"] == call["displayName"]
        ]
        outputs = talk.respond(call, next((item for item in responses if item), {"output": {}}))
    info = outputs[-1].get("diagnosticInfo", {}) if outputs else {}
    calls = [
        chunk["toolCall"]
        for message in info.get("messages", ())
        for chunk in message.get("chunks", ())
        if "toolCall" in chunk
    ]
    return texts, calls


def _input_of(said: str) -> dict[str, Any]:
    event = _EVENT.match(said)
    return {"event": {"event": event[1]}} if event else {"text": said}


def _waits_for_yes(outputs: list[dict[str, Any]], wanted: Sequence[dict[str, Any]]) -> bool:
    """Return whether the agent asks whether it may call a tool that the golden's turn calls."""
    info = outputs[-1].get("diagnosticInfo", {}) if outputs else {}
    asked = info.get("rootSpan", {}).get("attributes", {}).get("confirming", {})
    return any(item["action"] == asked.get("tool") for item in wanted)


def _call_differences(
    api: Api, wanted: Sequence[dict[str, Any]], calls: Sequence[dict[str, Any]]
) -> Iterator[str]:
    left = list(calls)
    for item in wanted:
        found = next((call for call in left if call["displayName"] == item["action"]), None)
        if found is None:
            names = ", ".join(call["displayName"] for call in calls) or "no tool"
            yield f"called: {names}\n      wanted: {item['action']}"
            continue
        left.remove(found)
        args = found.get("args", {})
        for name, value in (item.get("args") or {}).items():
            if not _matches(api, value, args.get(name)):
                yield f"{item['action']}.{name}: {args.get(name)!r}\n      wanted: {value!r}"


def _matches(api: Api, wanted: Any, found: Any) -> bool:
    if not isinstance(wanted, dict) or "$matchType" not in wanted:
        return bool(wanted == found)
    kind, value = wanted["$matchType"], str(wanted.get("$matchValue", ""))
    if kind == "ignore":
        return True
    if found is None:
        return False
    if kind == "contains":
        return value in str(found)
    if kind == "regexp":
        return re.search(value, str(found)) is not None
    return _similar(api, value, str(found))


def _agrees(api: Api, wanted: str, found: str, how: str) -> bool:
    if how == "ignore" or wanted.strip() == found.strip():
        return True
    return how == "similar" and bool(found) and _similar(api, wanted, found)


def _similar(api: Api, wanted: str, found: str) -> bool:
    if missing_numbers(wanted, found):
        return False
    requests = [
        {"model": _MODEL, "content": {"parts": [{"text": text}]}} for text in (wanted, found)
    ]
    answer = api.call(
        "POST", f"{_MODEL}:batchEmbedContents", {"requests": requests}, version="v1beta"
    )
    first, second = (item["values"] for item in answer["embeddings"])
    return math.fsum(a * b for a, b in zip(first, second, strict=True)) >= SIMILAR


def _shown(number: int, said: str, lines: Sequence[str]) -> str:
    return "\n".join([f"  turn {number}: {said}", *(f"    {line}" for line in lines)])
