"""What the language model is shown: who it is, the tools it has, and the conversation so far."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toulmin.conversation.definition import END_SESSION, TRANSFER, AgentSpec, AppSpec, ToolSpec
from toulmin.conversation.log import USER
from toulmin.domain import JsonObject

LONGEST_DIALOGUE: Final = 60_000
"""Characters of the conversation that are shown, the latest."""
LONGEST_RESPONSE: Final = 20_000
"""Characters of a tool's response that are shown."""
_REFERENCE: Final = re.compile(r"\{@(?:TOOL|AGENT):\s*([^}]+?)\s*\}")
_VARIABLE: Final = re.compile(r"\{(\w+)\}")
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME: Final = 64
_RULES: Final = (
    "Say only what the instruction, the user or the results of tools bear out; where they do not"
    " say it, say that you do not know. Do what the instruction says with the functions that you"
    " have, and do not write about them. Answer in the user's language, briefly."
)
_ENDING: Final = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "description": "Why the conversation ends."},
        "session_escalated": {
            "type": "boolean",
            "description": "Whether a person is to go on with it.",
        },
    },
}


@dataclass(frozen=True, slots=True)
class Functions:
    """The functions that a model may call.

    Attributes:
        tools: By the function's name.
        agents: Those that can take over, by what the model calls them.
        described: As the protocol has them.
    """

    tools: Mapping[str, ToolSpec]
    agents: Mapping[str, AgentSpec]
    described: tuple[JsonObject, ...]


def system_prompt(app: AppSpec, agent: AgentSpec, variables: JsonObject, *, today: str) -> str:
    """Return what the model is told first: the agent's instruction, with variables filled in."""
    instruction = _REFERENCE.sub(lambda found: f'"{found[1]}"', agent.instruction)
    instruction = _VARIABLE.sub(lambda found: _filled(found, variables), instruction)
    parts = [
        f"You are {agent.display_name}, an agent of {app.display_name}.",
        agent.description,
        instruction,
        _RULES,
        f"Today is {today}.",
    ]
    if variables:
        parts.append(f"Session variables: {json.dumps(variables, ensure_ascii=False)}")
    return "\n\n".join(part for part in parts if part)


def functions_of(
    app: AppSpec, agent: AgentSpec, *, barred: Collection[str] = frozenset()
) -> Functions:
    """Return what an agent's model may call: its tools, and handing over.

    Args:
        app: The app.
        agent: The agent.
        barred: Names of agents that it may not hand over to.
    """
    tools: dict[str, ToolSpec] = {}
    described: list[JsonObject] = []
    for tool in app.tools_of(agent):
        name = _function_name(tool.display_name, tools)
        tools[name] = tool
        ends = tool.kind == "systemTool" and tool.body.get("name") == END_SESSION
        schema = _ENDING if ends else json_schema(tool.parameters)
        described.append(_described(name, tool.description, schema))
    near = [name for name in (*agent.children, agent.parent) if name not in barred]
    others = [name for name in near if name in app.agents]
    agents = {app.agents[name].display_name: app.agents[name] for name in others}
    if agents:
        lines = [f"{name}: {other.description}" for name, other in agents.items()]
        choice = {
            "type": "object",
            "properties": {"agent_name": {"type": "string", "enum": list(agents)}},
            "required": ["agent_name"],
        }
        what = "Hands the conversation over to another agent.\n" + "\n".join(lines)
        described.append(_described(TRANSFER, what, choice))
    return Functions(tools, agents, tuple(described))


def dialogue(messages: Sequence[JsonObject]) -> list[JsonObject]:
    """Return a conversation as the protocol has it: the latest part, calls with their responses.

    Args:
        messages: The API's `Message`s as JSON, oldest first.
    """
    responses = {
        chunk["toolResponse"].get("id", ""): chunk["toolResponse"]
        for message in messages
        for chunk in message.get("chunks", ())
        if "toolResponse" in chunk
    }
    units: list[list[JsonObject]] = []
    for message in messages:
        units += _units(message, responses)
    kept: list[list[JsonObject]] = []
    left = LONGEST_DIALOGUE
    for unit in reversed(units):
        left -= len(json.dumps(unit, ensure_ascii=False))
        if left < 0 and kept:
            break
        kept.insert(0, unit)
    return [message for unit in kept for message in unit]


def json_schema(schema: JsonObject) -> dict[str, Any]:
    """Return the API's `Schema` as a JSON schema."""
    found = {
        key: schema[key]
        for key in ("description", "enum", "minimum", "maximum", "default")
        if key in schema
    }
    kind = str(schema.get("type", "")).lower()
    if kind and kind != "type_unspecified":
        found["type"] = [kind, "null"] if schema.get("nullable") else kind
    if "properties" in schema:
        found["properties"] = {
            name: json_schema(inside) for name, inside in schema["properties"].items()
        }
        found["required"] = list(schema.get("required", ()))
    if "items" in schema:
        found["items"] = json_schema(schema["items"])
    return found


def _filled(found: re.Match[str], variables: JsonObject) -> str:
    """Return a variable's value; what is no variable stays as it is."""
    if found[1] not in variables:
        return found[0]
    value = variables[found[1]]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _function_name(wanted: str, taken: Mapping[str, Any]) -> str:
    """Return a name that the protocol allows, another one than those that are taken."""
    base = _NO_NAME.sub("_", wanted)[:_LONGEST_NAME] or "tool"
    name, number = base, 2
    while name in taken or name == TRANSFER:
        name = f"{base[: _LONGEST_NAME - 4]}_{number}"
        number += 1
    return name


def _described(name: str, description: str, schema: JsonObject) -> JsonObject:
    parameters = schema if schema.get("type") else {**schema, "type": "object", "properties": {}}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def _units(message: JsonObject, responses: Mapping[str, JsonObject]) -> Iterator[list[JsonObject]]:
    role = "user" if message.get("role") == USER else "assistant"
    for chunk in message.get("chunks", ()):
        text = chunk.get("text") or chunk.get("transcript")
        if text:
            yield [{"role": role, "content": text}]
        elif "toolCall" in chunk:
            yield _called(chunk["toolCall"], responses)
        elif "agentTransfer" in chunk:
            named = {"agent_name": chunk["agentTransfer"].get("displayName", "")}
            yield _exchange("transfer", TRANSFER, named, {"result": "handed over"})
        elif role == USER and ("image" in chunk or "blob" in chunk):
            yield [{"role": role, "content": "(a file that cannot be read)"}]


def _called(call: JsonObject, responses: Mapping[str, JsonObject]) -> list[JsonObject]:
    id_ = str(call.get("id", ""))
    response = responses.get(id_, {}).get("response", {"status": "not there yet"})
    name = _NO_NAME.sub("_", str(call.get("displayName", "")))[:_LONGEST_NAME] or "tool"
    return _exchange(id_ or "call", name, call.get("args", {}), response)


def _exchange(id_: str, name: str, args: JsonObject, response: JsonObject) -> list[JsonObject]:
    """Return a call and its response, which always stand together."""
    function = {"name": name, "arguments": json.dumps(args, ensure_ascii=False)}
    call = {"id": id_, "type": "function", "function": function}
    content = json.dumps(response, ensure_ascii=False)[:LONGEST_RESPONSE]
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": id_, "content": content},
    ]
