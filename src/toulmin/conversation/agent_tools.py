"""An agent that is the tool of another one: a turn of its own, whose texts are the result."""

from __future__ import annotations

from typing import Any, Final

from toulmin.conversation.acts import Outputs
from toulmin.conversation.asked import Asked
from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.state import Confirming, SessionState
from toulmin.conversation.tool_runs import ToolRun
from toulmin.domain import JsonObject

DEEPEST: Final = 3
"""Agents that may be tools of agents that are tools."""


class AgentTools(Asked):
    """A turn that may be a part of another one."""

    depth = 0
    """Of how many turns this one is a part, as the run of an agent that is a tool."""

    def run(self) -> Outputs:
        """Do the turn, which `Turn` can do."""
        raise NotImplementedError

    def _ask_agent(self, tool: ToolSpec, args: dict[str, Any]) -> ToolRun:
        """Run an agent as a tool: a turn of its own, whose texts are the tool's result."""
        name = str(tool.body.get("agent", ""))
        if name not in self._app.agents:
            return ToolRun(response={"error": f"{name or 'the agent'} does not exist"})
        if self.depth >= DEEPEST:
            return ToolRun(response={"error": f"agents call each other more than {DEEPEST} deep"})
        state = SessionState(agent=name, variables=dict(self.state.variables))
        inside = type(self)(
            self._app,
            state,
            Inputs(
                text=str(args.get("request", "")),
                use_fakes=self._inputs.use_fakes,
                agreed=(*self._inputs.agreed, *self._agreed),
            ),
            rooms=self._rooms,
            now=self._now,
            keep=lambda _inside: self._keep(self),
            work=self._work,
        )
        inside.depth = self.depth + 1
        outputs = list(inside.run())
        cited = [
            chunk for item in outputs for chunk in item.get("citations", {}).get("citedChunks", ())
        ]
        if state.confirming:  # it is done again after the yes, and gets that far again
            self.state.confirming = self._confirming_for(tool, args, state.confirming)
        if state.waiting:
            asked = self._app.tools[state.waiting[0].tool].display_name
            return ToolRun(response={"error": f"it needs {asked}, which the client runs"})
        text = "\n".join(item["text"] for item in outputs if "text" in item)
        self.log.attributes.setdefault("agentTools", []).append(
            {"agent": name, "messages": inside.log.messages}
        )
        return ToolRun(
            response={"result": text}, text=text, cited=tuple(cited), variables=state.variables
        )

    def _confirming_for(self, tool: ToolSpec, args: JsonObject, asked: Confirming) -> Confirming:
        """Return the call of an agent that waits for the yes to a call that it makes."""
        inside = self._app.tools[asked.tool]
        call = {**inside.reference, "displayName": inside.display_name, "args": asked.args}
        return Confirming(
            tool=tool.name,
            args=dict(args),
            question=self._inputs.text,
            inside=asked.inside or [call],
        )
