"""What the user is asked before a tool is called: what it needs, and whether it may be called."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from toulmin.conversation import confirming, saying
from toulmin.conversation.acts import Outputs
from toulmin.conversation.changes import is_to_be_confirmed
from toulmin.conversation.confirming import Reply
from toulmin.conversation.definition import END_SESSION, ToolSpec
from toulmin.conversation.inputs import same_tool
from toulmin.conversation.instructions import mentions
from toulmin.conversation.routing import Route
from toulmin.conversation.ruled import Ruled
from toulmin.conversation.state import Asking, Confirming
from toulmin.domain import JsonObject

MOST_TRIES: Final = 3
"""How often an argument is asked for."""
LEAVING: Final = 0.3
"""Score of something else from which on a question to the user is left for it."""
CONFIRMING: Final = "confirming"
"""Attribute of a turn's span: the call for which the user's yes is awaited."""


class Asked(Ruled):
    """The way to a tool's call. `Acts` has the arguments."""

    _agreed: tuple[JsonObject, ...] = ()
    """Calls that the user agreed to in this turn."""

    _told = ""
    """What the user said that the turn is about: of what was asked for, what came before that."""

    def _answer(self, said: str) -> Outputs:
        """Do what the user's words ask for, which `Turn` can do."""
        raise NotImplementedError

    def _use(self, tool: ToolSpec, said: str, *, escalate: bool = False) -> Outputs:
        """Call a tool, after asking for what it needs and nobody said."""
        if ends_session(tool):
            yield from self._finish(said, escalate=escalate)
            return
        known: dict[str, Any] = {}
        for mention in mentions(self._agent.instruction, tool.display_name):
            known = {**mention.constants, **known}
        if tool.kind == "dataStoreTool":
            known["query"] = said
        elif tool.kind == "agentTool":
            known["request"] = said
        yield from self._fill(tool, said, known, question=said)

    def _route(self, said: str) -> Route | None:
        """Return where words lead, not to agents that rules keep the planner from."""
        return self._rooms.router.route(self._app, self._agent, said, barred=self._barred())

    def _leads_elsewhere(self, said: str, tool: ToolSpec) -> bool:
        """Return whether words are plainly for something else than a tool."""
        route = self._route(said)
        return bool(route and route.score >= LEAVING and route.target.name != tool.name)

    # What a tool needs

    def _fill(self, tool: ToolSpec, said: str, known: dict[str, Any], *, question: str) -> Outputs:
        with self.log.span("arguments", tool=tool.display_name):
            filled = self._rooms.filler.fill(
                tool, said, known=known, variables=self.state.variables
            )
        if filled.missing:
            missing = filled.missing[0]
            self.state.asking = Asking(
                tool=tool.name, args=filled.args, missing=missing, question=question
            )
            yield from self._say(saying.asking(tool, missing))
        elif self._may_call(tool, filled.args):
            yield from self._call(tool, filled.args, question)
        else:
            yield from self._confirm(
                Confirming(tool=tool.name, args=filled.args, question=question)
            )

    def _take_argument(self, asking: Asking, said: str) -> Outputs:
        """Take what was said for the argument that was asked for."""
        self.state.asking = None
        self._told = asking.question
        tool = self._app.tools.get(asking.tool)
        if tool is None or saying.is_stop(said):
            yield from self._say("All right, I have stopped that.")
            return
        schema = tool.properties.get(asking.missing, {})
        value = self._rooms.filler.find(asking.missing, schema, said, answer=True)
        if value is not None:
            known = {**asking.args, asking.missing: value}
            yield from self._fill(tool, said, known, question=asking.question)
        elif self._leads_elsewhere(said, tool):
            yield from self._answer(said)
        elif asking.tries >= MOST_TRIES:
            yield from self._say("I did not understand that either, so I have stopped.")
        else:
            asking.tries += 1
            self.state.asking = asking
            yield from self._say(
                f"I did not understand that. {saying.asking(tool, asking.missing)}"
            )

    # Whether it may change things

    def _may_call(self, tool: ToolSpec, args: JsonObject) -> bool:
        """Return whether a tool may be called without asking the user."""
        if not (is_to_be_confirmed(tool, self._agent.instruction) and self._rooms.confirms):
            return True
        named = {**tool.reference, "displayName": tool.display_name}
        return any(
            same_tool(call, named) and call.get("args", args) == args
            for call in (*self._inputs.agreed, *self._agreed)
        )

    def _confirm(self, asked: Confirming) -> Outputs:
        """Say what is about to be done, and wait for the user's yes."""
        tool = self._app.tools[asked.tool]
        self.state.confirming = asked
        self.log.attributes[CONFIRMING] = {"tool": tool.display_name, "args": asked.args}
        yield from self._say(confirming.question_about(tool, asked.args))

    def _take_reply(self, asked: Confirming, said: str) -> Outputs:
        """Call the tool after a yes, and only then; else do what the user says instead."""
        self.state.confirming = None
        self._told = asked.question
        tool = self._app.tools.get(asked.tool)
        if tool is None:
            yield from self._say("All right, I have stopped that.")
            return
        reply = confirming.read_reply(said, tool, asked.args)
        if reply is Reply.YES:
            self._agreed = tuple(asked.inside)
            yield from self._call(tool, asked.args, asked.question)
        elif reply is Reply.NO:
            yield from self._say(confirming.not_done(tool))
        elif reply is Reply.UNCLEAR:
            yield from self._confirm(asked)
        elif (args := self._put_right(asked, tool, said)) is not None:
            yield from self._confirm(replace(asked, args=args))
        else:
            yield from self._leave(asked, tool, reply, said)

    def _put_right(self, asked: Confirming, tool: ToolSpec, said: str) -> dict[str, Any] | None:
        """Return the arguments with what the user puts right in them; None: nothing."""
        if asked.inside:  # what an agent was asked is no argument of the user's
            return None
        return confirming.corrected(
            asked.args,
            said,
            find=lambda text: self._rooms.filler.values_in(tool, text),
            leads_elsewhere=lambda: self._leads_elsewhere(said, tool),
        )

    def _leave(self, asked: Confirming, tool: ToolSpec, reply: Reply, said: str) -> Outputs:
        """Go on with something else than what was asked about, where the user says that."""
        rest = confirming.rest_of(said)
        elsewhere = bool(rest) and self._leads_elsewhere(rest, tool)
        if reply is Reply.YES_BUT and not elsewhere:
            yield from self._confirm(asked)
            return
        if reply is Reply.NO_BUT:
            yield from self._say(confirming.not_done(tool))
            if not elsewhere:
                return
        yield from self._answer(said if reply is Reply.OTHER else rest)


def ends_session(tool: ToolSpec) -> bool:
    """Return whether a tool is the one that ends the session."""
    return tool.kind == "systemTool" and tool.body.get("name") == END_SESSION
