"""A session that begins where other messages end."""

from __future__ import annotations

from collections.abc import Sequence

from toulmin.conversation.definition import AppSpec
from toulmin.conversation.state import SessionState
from toulmin.domain import JsonObject
from toulmin.errors import InvalidArgument

_USER = "user"


def state_of_history(app: AppSpec, messages: Sequence[JsonObject], field: str) -> SessionState:
    """Return where a session stands after these messages.

    Texts become exchanges, variables take their last values, the last transfer says who speaks.
    Tool calls that have no response in there are not waited for.

    Args:
        app: The app.
        messages: The API's `Message`s as JSON.
        field: Path of the messages in the request, for errors.

    Raises:
        InvalidArgument: A transfer is to an agent that the app does not have.
    """
    state = SessionState(variables=app.defaults())
    asked = ""
    for number, message in enumerate(messages):
        is_user = message.get("role", _USER) == _USER
        for place, chunk in enumerate(message.get("chunks", ())):
            text = chunk.get("text") or chunk.get("transcript") or ""
            if text and is_user:
                asked = text
            elif text:
                state.remember(asked, text)
                asked = ""
            for key in ("defaultVariables", "updatedVariables"):
                found = chunk.get(key, {})
                state.variables |= {n: v for n, v in found.items() if n in app.variables}
            target = chunk.get("agentTransfer", {}).get("targetAgent")
            if target:
                if target not in app.agents:
                    raise InvalidArgument.of_field(
                        f"{field}[{number}].chunks[{place}].agent_transfer.target_agent",
                        f'"{target[:200]}" does not exist',
                    )
                state.agent = target
    return state
