"""What the user is asked before a tool is called: what it needs, and whether it may be called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from toulmin.conversation import agreeing, asides, confirming, saying
from toulmin.conversation.acts import Done, Outputs
from toulmin.conversation.arguments import value_kind
from toulmin.conversation.changes import is_to_be_confirmed
from toulmin.conversation.confirming import Reply
from toulmin.conversation.dates import as_wanted
from toulmin.conversation.definition import END_SESSION, ToolSpec
from toulmin.conversation.forms import is_named
from toulmin.conversation.inputs import same_tool
from toulmin.conversation.instructions import mentions
from toulmin.conversation.routing import Route
from toulmin.conversation.ruled import Ruled
from toulmin.conversation.state import Asking, Confirming
from toulmin.conversation.words import words_of
from toulmin.domain import JsonObject

_OF_ANSWERS: Final = frozenset({"name", "description", "modalityConfigs"})
"""What of a data-store tool says nothing of where it finds something."""
MOST_TRIES: Final = 3
"""How often an argument is asked for."""
STOPPED: Final = "All right, I have stopped that."
NOT_UNDERSTOOD: Final = "I did not understand that."
_ABBREVIATED: Final = 3
"""Letters of a word before a full stop that may be short for another: "St. Mary's"."""
_PUTS_RIGHT: Final = re.compile(
    r"\b(?:not|instead|actually|sorry|miscounted|mistake|wrong|rather|i meant|correction)\b",
    re.IGNORECASE,
)
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

    def _chat(self, said: str) -> Outputs:
        """Answer small talk, which `Turn` can do."""
        raise NotImplementedError

    def _use(self, tool: ToolSpec, said: str, *, escalate: bool = False) -> Outputs:
        """Call a tool, after asking for what it needs and nobody said.

        A question about nothing of the user's that has nothing a tool needs ("How much is a day
        pass?") is looked up in the documents before the user is asked for anything.
        """
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
        has_documents = any(one.kind == "dataStoreTool" for one in self._app.tools_of(self._agent))
        needs_more = tool.kind not in ("dataStoreTool", "agentTool")
        if needs_more and has_documents and asides.is_about_anybody(said):
            filled = self._rooms.filler.fill(
                tool, said, known=known, variables=self.state.variables
            )
            if filled.missing and not filled.args and (yield from self._from_documents(said)):
                return
        yield from self._fill(tool, said, known, question=said)

    def _from_documents(self, said: str) -> Done:
        """Answer from the agent's documents, if they have an answer; return whether they have.

        What is in no document is looked for once, however many tools have the same documents.
        """
        searched: list[JsonObject] = []
        for tool in self._app.tools_of(self._agent):
            where = {name: value for name, value in tool.body.items() if name not in _OF_ANSWERS}
            if tool.kind != "dataStoreTool" or where in searched:
                continue
            args = {"query": said}
            run = yield from self._run(tool, args, said)
            if run is not None and run.answered:
                yield from self._report(tool, run, args, question=said)
                return True
            if not self._may_differ():
                searched.append(where)
        return False

    def _may_differ(self) -> bool:
        """Return whether tools with the same documents may answer in different ways."""
        return bool(
            self._mocks
            or self._inputs.use_fakes
            or any(self._callbacks.has(self._agent, kind) for kind in ("before_tool", "after_tool"))
        )

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
        args = as_wanted(tool, filled.args, self._today)
        if filled.missing:
            missing = filled.missing[0]
            self.state.asking = Asking(
                tool=tool.name, args=args, missing=missing, question=question
            )
            yield from self._say(saying.asking(tool, missing))
        elif self._may_call(tool, args):
            yield from self._call(tool, args, question)
        else:
            yield from self._confirm(Confirming(tool=tool.name, args=args, question=question))

    def _take_argument(self, asking: Asking, said: str) -> Outputs:
        """Take what was said for the argument that was asked for."""
        self.state.asking = None
        self._told = asking.question
        tool = self._app.tools.get(asking.tool)
        if tool is None or asides.is_stop(said):
            yield from self._say(STOPPED)
            return
        schema = tool.properties.get(asking.missing, {})
        free = asides.is_free(asking.missing, schema)
        if asides.is_pause(said):
            self.state.asking = asking
            yield from self._say(f"Take your time. {saying.asking(tool, asking.missing)}")
            return
        if rest := asides.instead(said):
            yield from self._say(STOPPED)
            yield from self._answer(rest)
            return
        if asides.will_not_say(said) or (not free and asides.takes_back(said)):
            yield from self._say(STOPPED)
            return
        if not free and (args := self._put_right_before(asking, tool, said)) is not None:
            yield from self._fill(tool, "", args, question=asking.question)
            return
        value, rest = self._value_in(asking, schema, said, free=free)
        if value is not None:
            known = self._put_right_after(asking, tool, value, rest)
            yield from self._fill(tool, rest, known, question=asking.question)
            if asides.is_question(besides := asides.first_part(said)[1]):
                yield from self._say(one_at_a_time(besides))
        elif asides.is_no(said):
            yield from self._say(STOPPED)
        else:
            yield from self._ask_again(asking, tool, said)

    def _ask_again(self, asking: Asking, tool: ToolSpec, said: str) -> Outputs:
        """Ask for an argument once more, unless what was said is for something else."""
        unknown = asides.is_unknown(said) or asides.has_told(said)
        if not unknown and self._leads_elsewhere(said, tool):
            yield from self._answer(said)
        elif others := self._others_in(asking, tool, said):
            asking.args |= others
            self.state.asking = asking
            yield from self._say(saying.asking(tool, asking.missing))
        elif asking.tries >= MOST_TRIES:
            yield from self._say("I did not understand that either, so I have stopped.")
        else:
            asking.tries += 1
            self.state.asking = asking
            why = "I cannot go on without it." if unknown else NOT_UNDERSTOOD
            yield from self._say(f"{why} {saying.asking(tool, asking.missing)}")

    def _others_in(self, asking: Asking, tool: ToolSpec, said: str) -> dict[str, Any]:
        """Return values of other arguments that are needed, too: a day where a name was asked for.

        Only those of another kind, which cannot have been meant for the one that was asked for.
        """
        if asides.is_question(said) or asides.is_no(said):
            return {}
        kind = value_kind(asking.missing, tool.properties.get(asking.missing, {}))
        wanted = {
            name: schema
            for name, schema in tool.properties.items()
            if name in tool.required
            and name != asking.missing
            and name not in asking.args
            and value_kind(name, schema) not in (kind, "STRING")
        }
        return self._rooms.filler.values_in(wanted, said)

    def _value_in(
        self, asking: Asking, schema: JsonObject, said: str, *, free: bool
    ) -> tuple[Any, str]:
        """Return the value of what was asked for (None: there is none), and what else was said."""
        kind = value_kind(asking.missing, schema)
        if asides.has_told(said):
            return None, said
        asks = kind == "STRING" and asides.is_question(said)  # "any chance of 8:15?" says a time
        if not free and (asks or asides.is_unknown(said)):
            return None, said
        if not free and kind.partition(" ")[0] != "BOOLEAN":
            if asides.is_no(said):  # no value, unless it is one of those that are allowed
                return ("no" if "no" in schema.get("enum", ()) else None), ""
            said = asides.after_no(said) or said
        first, besides = asides.first_part(said)
        ends = is_named(asking.missing, schema) and len(first.split()[-1]) > _ABBREVIATED
        if kind == "STRING" and besides and (ends or self._is_besides(asking, besides)):
            value, left = self._rooms.filler.take(asking.missing, schema, first)
            return value, f"{left.strip()} {besides}".strip()
        return self._rooms.filler.take(asking.missing, schema, said)

    def _is_besides(self, asking: Asking, text: str) -> bool:
        """Return whether a further sentence is no part of a text that was asked for.

        It asks something, puts another argument right, or has the value of one.
        """
        if asides.is_question(text) or _PUTS_RIGHT.search(text):
            return True
        tool = self._app.tools[asking.tool]
        return bool(self._others_in(asking, tool, text))

    def _put_right_after(
        self, asking: Asking, tool: ToolSpec, value: Any, rest: str
    ) -> dict[str, Any]:
        """Return the arguments with the new one, and what else was put right in the same breath.

        "C4. And I miscounted, it's 60, not 50."
        """
        known = {**asking.args, asking.missing: value}
        if not (asking.args and _PUTS_RIGHT.search(rest)):
            return known
        schemas = {name: tool.properties[name] for name in asking.args if name in tool.properties}
        return {**known, **(self._corrected(asking.args, rest, schemas) or {})}

    def _put_right_before(self, asking: Asking, tool: ToolSpec, said: str) -> dict[str, Any] | None:
        """Return the arguments so far with what is put right in them; None: nothing is.

        "no, 25" after the question for a recipient is another amount. After the question for a
        number it is that number, unless the amount is named.
        """
        if not confirming.goes_back(said):
            return None
        words = set(words_of(said))
        missing = value_kind(asking.missing, tool.properties.get(asking.missing, {}))
        schemas = {
            name: schema
            for name, schema in tool.properties.items()
            if name in asking.args
            and (set(words_of(name)) <= words or value_kind(name, schema) != missing)
        }
        return self._corrected(asking.args, said, schemas)

    def _corrected(
        self, args: dict[str, Any], said: str, schemas: Mapping[str, JsonObject]
    ) -> dict[str, Any] | None:
        """Return arguments with what is put right in them while another one is asked for."""
        return confirming.corrected(
            args,
            said,
            schemas=schemas,
            filler=self._rooms.filler,
            leads_elsewhere=lambda: False,
            by_look=False,
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
            yield from self._say(STOPPED)
            return
        reply = confirming.read_reply(said, tool, asked.args)
        if reply is Reply.YES:
            self._agreed = tuple(asked.inside)
            yield from self._call(tool, asked.args, asked.question)
        elif reply is Reply.NO:
            yield from self._say(confirming.not_done(tool))
        elif reply is Reply.UNCLEAR:
            yield from self._confirm(asked)
        elif rest := confirming.denies(said, tool):
            yield from self._say(confirming.not_done(tool))
            if self._leads_elsewhere(rest, tool):
                yield from self._answer(rest)
        elif (args := self._put_right(asked, tool, said)) is not None:
            args = as_wanted(tool, args, self._today)
            yield from self._confirm(replace(asked, args=args))
        else:
            yield from self._leave(asked, tool, reply, said)

    def _put_right(self, asked: Confirming, tool: ToolSpec, said: str) -> dict[str, Any] | None:
        """Return the arguments with what the user puts right in them; None: nothing."""
        if asked.inside:  # what an agent was asked is no argument of the user's
            return None
        said = asides.without_questions(asides.as_order(said))
        return confirming.corrected(
            asked.args,
            said,
            schemas=tool.properties,
            filler=self._rooms.filler,
            leads_elsewhere=lambda: self._leads_elsewhere(said, tool),
        )

    def _leave(self, asked: Confirming, tool: ToolSpec, reply: Reply, said: str) -> Outputs:
        """Go on with something else than what was asked about, where the user says that."""
        rest = confirming.rest_of(said)
        elsewhere = bool(rest) and self._leads_elsewhere(rest, tool)
        if reply is Reply.OTHER and not elsewhere:
            yield from self._answer_beside(asked, said)
            return
        if reply is Reply.YES_BUT and not elsewhere:
            yield from self._confirm(asked)
            return
        if reply is Reply.NO_BUT:
            yield from self._say(confirming.not_done(tool))
            if not elsewhere:
                return
        yield from self._answer(said if reply is Reply.OTHER else rest)

    def _answer_beside(self, asked: Confirming, said: str) -> Outputs:
        """Answer what leads nowhere else, and ask for the yes once more.

        A plan is not dropped because what was said about it was not understood.
        """
        if saying.asks_for_help(said) or self._rooms.is_small_talk(said):
            yield from self._chat(said)
            if saying.is_parting(said):
                return
        elif not (yield from self._from_documents(said)):
            asks = asides.is_question(said) or agreeing.asks(said)
            yield from self._say("I cannot tell you that." if asks else NOT_UNDERSTOOD)
        if not (self.is_stopped or self.state.ended or self.state.has_asked):
            yield from self._confirm(asked)


def one_at_a_time(wish: str) -> str:
    """Return that something else that was said waits."""
    return f'One thing at a time: ask me again for "{wish.strip(" .,;!")}".'


def ends_session(tool: ToolSpec) -> bool:
    """Return whether a tool is the one that ends the session."""
    return tool.kind == "systemTool" and tool.body.get("name") == END_SESSION
