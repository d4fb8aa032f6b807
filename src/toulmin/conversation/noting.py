"""What a turn stands on, and what is noted in it: its messages, its variables, what was said.

`acts.Acts` does what there is to be noted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from toulmin.conversation.callbacks import Callbacks
from toulmin.conversation.checking import CheckedText
from toulmin.conversation.dates import today_in
from toulmin.conversation.definition import AgentSpec, AppSpec
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.log import TurnLog
from toulmin.conversation.rooms import Rooms
from toulmin.conversation.schemas import changed
from toulmin.conversation.state import SessionState, WaitingCall
from toulmin.domain import JsonObject
from toulmin.work import UNLIMITED, Work


@dataclass(slots=True)
class Said:
    """What the agent said in the turn.

    Attributes:
        texts: All of it.
        stated: What of it states something that a tool must bear out.
        cited: The chunks that it cites.
    """

    texts: list[str] = field(default_factory=list)
    stated: list[str] = field(default_factory=list)
    cited: list[JsonObject] = field(default_factory=list)


class Noting:
    """A turn, as far as it notes what others do in it.

    Args:
        app: The app.
        state: The session; it is changed.
        inputs: What came in.
        rooms: What it stands on.
        now: The time, in UTC.
        callbacks: The app's callbacks; None: made here, without the earlier messages.
        earlier: Messages of the session before the turn, oldest first, for what asks for them.
        keep: Given the turn before a tool that changes something is called; it stores it so far.
        work: Asked between and within the steps.
    """

    def __init__(  # noqa: PLR0913 - what a turn stands on, by name
        self,
        app: AppSpec,
        state: SessionState,
        inputs: Inputs,
        *,
        rooms: Rooms,
        now: datetime,
        callbacks: Callbacks | None = None,
        earlier: Sequence[JsonObject] = (),
        keep: Callable[[Noting], object] = lambda _turn: None,
        work: Work = UNLIMITED,
    ) -> None:
        self._app = app
        self.state = state
        self._inputs = inputs
        self._rooms = rooms
        self._now = now
        self._earlier = earlier
        self._keep = keep
        self._work = work
        self._callbacks = callbacks or Callbacks(app, python=rooms.python, work=work)
        self._said = Said()
        self._responses: list[JsonObject] = []
        self._facts: list[str] = []
        self._taken: list[str] = []  # lines of what tools returned, as they stand in it
        self._checked: CheckedText | None = None  # what the turn's one tool has checked already
        self._mocks = list(inputs.mocks)
        self._client_answers = list(inputs.client_answers)
        self._steps = 0
        self.is_stopped = False  # a guardrail has spoken; nothing else is said in the turn
        self._handed_over = False  # a callback has; whoever took over has not acted yet
        self.log = TurnLog(now)

    @property
    def _today(self) -> date:
        """The day that it is where the user is."""
        return today_in(self._inputs.time_zone or self._app.time_zone, self._now)

    @property
    def _agent(self) -> AgentSpec:
        return self._app.agents[self.state.agent]

    def _ask(self, kind: str, **more: Any) -> Any:
        """Ask the agent's callbacks of a kind; return what one returned, or None."""
        if not self._callbacks.has(self._agent, kind):
            return None
        self._callbacks.watch(self.state.variables, self.log.messages)
        with self.log.span(f"{kind}_callback", agent=self._agent.display_name):
            value, updated = self._callbacks.ask(self._agent, kind, **more)
        self._update(updated)
        return value

    def _note(self, chunk: JsonObject) -> None:
        """Note a message of the agent that speaks; its role is the agent's name."""
        self.log.add(self._agent.display_name, chunk)

    def _note_response(self, call: WaitingCall, body: JsonObject) -> None:
        tool = self._app.tools.get(call.tool)
        named = {"id": call.id, "tool": call.tool, "displayName": tool.display_name if tool else ""}
        self._note(
            {"toolResponse": {**named, **(tool.reference if tool else {}), "response": body}}
        )

    def _update(self, variables: Mapping[str, Any]) -> None:
        """Take the declared variables that have another value now, one that fits."""
        updated = changed(variables, self.state.variables, self._app.variables)
        if updated:
            self.state.variables |= updated
            self._note({"updatedVariables": updated})

    def _new_id(self) -> str:
        self.state.calls += 1
        return f"call-{self.state.calls}"


def timed_out(call: WaitingCall) -> JsonObject:
    """Return the response of a call that the client did not answer in time."""
    return {"error": f"there was no response within {math.floor(call.timeout_s)} s"}
