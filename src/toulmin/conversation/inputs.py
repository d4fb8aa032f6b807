"""What came in with one request, and whether the session can take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toulmin.conversation.definition import AppSpec
from toulmin.conversation.schemas import value_problem
from toulmin.conversation.state import WaitingCall
from toulmin.domain import NO_FIELDS, JsonObject
from toulmin.errors import InvalidArgument


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The inputs of a request.

    Attributes:
        text: What the user wrote, pressed or said; empty: nothing.
        event: Name of an event; empty: none.
        variables: Values for variables, with the path of the field that each came in.
        responses: The API's `ToolResponse`s as JSON, in order.
        response_fields: Path of the field of each.
        parts: Text, images, blobs and transcripts as the API's `Chunk`s, in order.
        entry_agent: Name of the agent to begin with; empty: the root agent.
        use_fakes: Whether fakes stand in for tools that have one.
        time_zone: Name of the user's time zone; empty: the app's.
        kinds: The API's `Conversation.InputType`s of the inputs.
        mocks: The API's `ToolResponse`s as JSON that stand in for calls of their tools, each for
            one call.
        client_answers: The same for client functions alone, which are not sent out then.
        agreed: Calls that the user has agreed to, as the API's `ToolCall`s; one without `args`
            stands for every call of its tool.
    """

    text: str = ""
    event: str = ""
    variables: Mapping[str, tuple[Any, str]] = field(default_factory=lambda: NO_FIELDS)
    responses: tuple[JsonObject, ...] = ()
    response_fields: tuple[str, ...] = ()
    parts: tuple[JsonObject, ...] = ()
    entry_agent: str = ""
    kinds: tuple[str, ...] = ()
    use_fakes: bool = False
    time_zone: str = ""
    mocks: tuple[JsonObject, ...] = ()
    client_answers: tuple[JsonObject, ...] = ()
    agreed: tuple[JsonObject, ...] = ()

    @property
    def has_media(self) -> bool:
        """Whether there is an image or a blob."""
        return any("image" in part or "blob" in part for part in self.parts)

    def undeclared(self, app: AppSpec) -> list[str]:
        """Return the names of variables that the app does not declare; they are not used."""
        return sorted(name for name in self.variables if name not in app.variables)

    def declared(self, app: AppSpec) -> dict[str, Any]:
        """Return the variables that the app declares.

        Raises:
            InvalidArgument: A value does not fit its schema.
        """
        found = {}
        for name, (value, path) in self.variables.items():
            if name not in app.variables:
                continue
            problem = value_problem(value, app.variables[name])
            if problem:
                raise InvalidArgument.of_field(f"{path}.{name}", problem)
            found[name] = value
        return found

    def chunks(self, waiting: Mapping[str, WaitingCall], app: AppSpec) -> list[JsonObject]:
        """Return the message's chunks: tool responses, then what the user gave.

        Args:
            waiting: Calls that wait for a response, by id.
            app: Has the names of the tools.

        Raises:
            InvalidArgument: A response is to no call that waits, or to one of another tool.
        """
        chunks: list[JsonObject] = []
        open_calls = dict(waiting)
        for response, path in zip(self.responses, self.response_fields, strict=True):
            call = open_calls.pop(response.get("id", ""), None)
            if call is None:
                raise InvalidArgument.of_field(
                    f"{path}.id",
                    f'"{response.get("id", "")}" is no tool call that waits for a response'
                    f" ({', '.join(open_calls) or 'there is none'})",
                )
            if response.get("tool", call.tool) != call.tool:
                raise InvalidArgument.of_field(
                    f"{path}.tool", f"{call.id} is a call of {call.tool}"
                )
            tool = app.tools.get(call.tool)
            named = {"id": call.id, "tool": call.tool, "response": response.get("response", {})}
            name = tool.display_name if tool else ""
            chunks.append({"toolResponse": {**named, "displayName": name}})
        return [*chunks, *self.parts]


def same_tool(wanted: JsonObject, found: JsonObject) -> bool:
    """Return whether a call or response is of the tool that another one names.

    By resource name, else by what stands at its end or the display name: the makers' tool kit
    writes the one for the other where it does not know the tool.
    """
    if "toolsetTool" in wanted:
        return bool(wanted["toolsetTool"] == found.get("toolsetTool"))
    name = str(wanted.get("tool", ""))
    if name and name == found.get("tool"):
        return True
    short = name.rpartition("/")[2] or wanted.get("displayName")
    of_toolset = found.get("toolsetTool", {}).get("toolId")
    return bool(short) and short in (found.get("displayName"), of_toolset)
