"""One turn: what came in, what is done about it, what goes out. Without a language model.

`Turn.run` reads as its steps. It yields the API's `SessionOutput`s as JSON, without their numbers;
what is to be kept is in `log` and `state` when it is at its end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from toulmin.answering.question import Exchange
from toulmin.answering.understanding.rephrase import rephrase
from toulmin.conversation import saying
from toulmin.conversation.acts import Done, Outputs
from toulmin.conversation.agent_tools import AgentTools
from toulmin.conversation.asked import LEAVING, ends_session, one_at_a_time
from toulmin.conversation.callbacks import parts_of
from toulmin.conversation.checking import check_turn
from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.guardrails import passed_over
from toulmin.conversation.log import USER
from toulmin.conversation.mcp_tools import with_mcp_tools
from toulmin.conversation.noting import timed_out
from toulmin.conversation.premises import false_premises, known_from, statements_in
from toulmin.conversation.repairs import mended
from toulmin.conversation.routing import Route
from toulmin.conversation.state import WaitingCall
from toulmin.conversation.tool_runs import ToolRun
from toulmin.conversation.wishes import other_wishes, second_values
from toulmin.conversation.words import without_long_blanks
from toulmin.domain import JsonObject
from toulmin.errors import FailedPrecondition, InvalidArgument

MOST_TRANSFERS: Final = 5
"""Agents that may take over in one turn."""
LONGEST_SMALL_TALK: Final = 4
"""Words that are judged to be small talk before it is looked whether a tool is for them."""


class Turn(AgentTools):
    """One turn of a session: what is decided in it. `Acts` has its arguments."""

    def run(self) -> Outputs:
        """Do the turn, and yield what goes out.

        Raises:
            InvalidArgument: A variable, an agent or a tool response is wrong.
            FailedPrecondition: The session has ended, waits for a tool response, or the app cannot
                run.
            Unimplemented: A tool is of a kind that does not run.
            Cancelled: Nobody waits any more.
        """
        self._begin()
        if not (yield from self._entered()):
            yield from self._act()
        yield from self._act_for_those_who_took_over()
        if not (self.state.ended or self.state.is_open or self.state.has_asked):
            yield from self._name_false_premises()
        if not (self.state.ended or self.state.is_open):
            yield from self._replaced("after_agent")
        self._obey_rules()
        self._end()

    def _entered(self) -> Done:
        """Ask the guardrails and the callbacks of whoever speaks; return whether that is all.

        Rules are obeyed before that, and again where a callback wrote a variable.
        """
        self._obey_rules()
        while True:
            if (yield from self._stopped()) or (yield from self._replaced("before_agent")):
                return True
            if not self._obey_rules():
                return False

    def _name_false_premises(self) -> Outputs:
        """Say what the user takes for granted and this session knows to be otherwise."""
        if self.is_stopped or self.depth or not statements_in(self._told):
            return
        with self.log.span("premises") as noted:
            found = false_premises(
                self._told,
                known_from([*self._earlier, *self.log.messages], self.state.variables),
                self._facts,
                checker=self._rooms.checker,
                work=self._work,
            )
            noted["found"] = len(found)
        for premise in found:
            noted_premise = {"stated": premise.stated, "known": premise.known}
            self.log.attributes.setdefault("falsePremises", []).append(noted_premise)
            yield from self._say(premise.in_words())

    def _stopped(self) -> Done:
        """Ask the guardrails about what came in.

        Raises:
            Unimplemented: The agent has one that cannot run and may not be passed over.
        """
        has_model = self._rooms.judge is not None
        if over := passed_over(self._app.guards_of(self._agent), has_model=has_model):
            self.log.attributes["guardrailsNotRun"] = over
        said = self._inputs.text or self._inputs.event
        return bool(said) and (yield from self._guarded(said, "input"))

    def _act(self) -> Outputs:
        """Do what came in asks for."""
        resumed = bool(self._inputs.responses)
        yield from self._resume()
        speaks = self._inputs.text or self._inputs.event or self._inputs.has_media
        if not speaks or (resumed and not (self._inputs.text or self._inputs.event)):
            return
        if not self.state.has_asked and (yield from self._intercepted()):
            return
        yield from self._react()

    def _react(self) -> Outputs:
        """Do what the user's words, event or media ask for."""
        if self._inputs.text:
            yield from self._answer(self._inputs.text)
        elif self._inputs.event:
            yield from self._event(self._inputs.event)
        else:
            yield from self._say("I have received it, but I can only read text.")

    def _act_for_those_who_took_over(self) -> Outputs:
        """Let the agents act that callbacks handed over to, until one does not hand over again.

        Raises:
            FailedPrecondition: They go on handing over.
        """
        handovers = 0
        while self._handed_over and not (self.is_stopped or self.state.ended or self.state.is_open):
            handovers += 1
            if handovers > MOST_TRANSFERS:
                raise FailedPrecondition(
                    f"Callbacks have handed over {handovers} times in this turn, last to"
                    f" {self.state.agent}; at most {MOST_TRANSFERS} times are allowed.",
                    reason="CALLBACK_FAILED",
                )
            self._handed_over = False
            self.state.drop_plans()
            if not (yield from self._entered()):
                yield from self._act_after_handover()

    def _act_after_handover(self) -> Outputs:
        """Act as the agent that took over: what came in is for it, too."""
        if (yield from self._intercepted()):
            return
        if self._inputs.text or self._inputs.event or self._inputs.has_media:
            yield from self._react()
        elif not self._said.texts:
            yield from self._say(f"You are talking to {self._agent.display_name} now.")

    def _replaced(self, kind: str) -> Done:
        """Ask the callbacks around the agent; say what they return, if they do."""
        value = self._ask(kind)
        if value is None:
            return False
        yield from self._perform(parts_of(value))
        return True

    def _begin(self) -> None:
        """Take what came in into the session, and note it."""
        if self.state.ended:
            raise FailedPrecondition("The session has ended; begin another one.")
        chunks: list[JsonObject] = []
        if self._inputs.entry_agent:  # a wrong one is named in a session that runs, too
            self._entry_agent()
        if not self.state.agent:
            self.state.agent = self._entry_agent()
            defaults = self._app.defaults()
            self.state.variables = {**defaults, **self.state.variables}
            if defaults:
                chunks.append({"defaultVariables": defaults})
        if self._agent_is_gone():
            raise FailedPrecondition(f"{self.state.agent} was deleted; begin another session.")
        if self._inputs.variables:
            updated = self._inputs.declared(self._app)
            self.state.variables |= updated
            if updated:
                chunks.append({"updatedVariables": updated})
        self._read_toolsets()
        given = self._inputs.chunks(self._waiting_by_id(), self._app)
        self._check_waiting()
        self.log.add(USER, *chunks, *given)
        if undeclared := self._inputs.undeclared(self._app):
            self.log.attributes["undeclaredVariables"] = undeclared
        self.state.is_open = False

    def _read_toolsets(self) -> None:
        """Put the tools that MCP servers list into the app."""
        if not self._app.mcp_toolsets:
            return
        with self.log.span("toolsets"):
            self._app, unread = with_mcp_tools(
                self._app,
                self.state.variables,
                client=self._rooms.mcp,
                work=self._work,
            )
        if unread:
            self.log.attributes["toolsetsNotRead"] = unread

    def _entry_agent(self) -> str:
        name = self._inputs.entry_agent or self._app.root
        if not name:
            raise FailedPrecondition(f"{self._app.name} has no root agent; set `root_agent`.")
        if name not in self._app.agents:
            raise InvalidArgument.of_field("config.entry_agent", f'"{name[:200]}" does not exist')
        return name

    def _agent_is_gone(self) -> bool:
        return self.state.agent not in self._app.agents

    def _waiting_by_id(self) -> Mapping[str, WaitingCall]:
        return {call.id: call for call in self.state.waiting}

    def _check_waiting(self) -> None:
        """Give up calls that were not answered in time; refuse words while others are awaited."""
        answered = {response.get("id", "") for response in self._inputs.responses}
        late = [
            call for call in self.state.waiting if self._is_late(call) and call.id not in answered
        ]
        for call in late:
            self.state.waiting.remove(call)
            self._note_response(call, timed_out(call))
        blocking = [call.id for call in self.state.waiting if not call.asynchronous]
        speaks = self._inputs.text or self._inputs.event or self._inputs.has_media
        if blocking and speaks and not set(blocking) <= answered:
            raise FailedPrecondition(
                f"The session waits for the tool response {', '.join(blocking)}; send it first."
            )

    def _is_late(self, call: WaitingCall) -> bool:
        return self._now.timestamp() > call.issued + call.timeout_s

    def _resume(self) -> Outputs:
        """Go on after tool calls that the client has answered."""
        for response in self._inputs.responses:
            call = self._waiting_by_id()[response["id"]]
            self.state.waiting.remove(call)
            tool = self._app.tools.get(call.tool)
            if tool is None:
                raise FailedPrecondition(f"{call.tool} was deleted; begin another session.")
            self._told = call.question
            body = timed_out(call) if self._is_late(call) else response.get("response", {})
            run = self._after_tool(tool, call.args, ToolRun(response=body))
            self._responses.append(run.response)
            if not (yield from self._intercepted()):
                yield from self._report(tool, run, call.args, question=call.question)
        self.state.is_open = any(not call.asynchronous for call in self.state.waiting)

    def _event(self, event: str) -> Outputs:
        words = event.replace("_", " ").replace("-", " ").strip().lower()
        if words in ("welcome", "session start", "start", "session started"):
            yield from self._say(saying.greeting(self._app))
        else:
            yield from self._answer(words)

    def _answer(self, said: str) -> Outputs:
        """Do what the user's words ask for."""
        said = without_long_blanks(said)
        if self.state.asking is not None:
            yield from self._take_argument(self.state.asking, said)
            return
        if self.state.confirming is not None:
            yield from self._take_reply(self.state.confirming, said)
            return
        self._told = said
        short = len(said.split()) <= LONGEST_SMALL_TALK
        if saying.asks_for_help(said) or (short and self._rooms.is_small_talk(said)):
            yield from self._chat(said)
            return
        meant = rephrase(said, [Exchange(*pair) for pair in self.state.exchanges])
        visited = {self.state.agent}
        for _ in range(MOST_TRANSFERS + 1):
            with self.log.span("plan", agent=self._agent.display_name) as noted:
                route = self._route_of(said, meant)
                if route is not None:
                    noted |= {"target": route.target.display_name, "score": route.score}
            if route is None:
                yield from self._unrouted(said, took_over=len(visited) > 1)
                return
            if isinstance(route.target, ToolSpec):
                yield from self._use(route.target, said, escalate=route.escalate)
                yield from self._name_left_out(said, route.target)
                return
            if route.target.name in visited or len(visited) > MOST_TRANSFERS:
                break
            visited.add(route.target.name)
            self._transfer(route.target)
            if (yield from self._entered()) or (yield from self._intercepted()):
                return
            visited.add(self.state.agent)
        yield from self._say(saying.cannot(self._app, self._agent))

    def _route_of(self, said: str, meant: str) -> Route | None:
        """Return where words lead by themselves, where they plainly do, else in the conversation.

        "Cancel my subscription" after a question about an order has nothing to do with it.
        """
        if meant != said:
            alone = self._route(said)
            if alone is not None and alone.score >= LEAVING:
                return alone
        return self._route(meant)

    def _name_left_out(self, said: str, target: ToolSpec) -> Outputs:
        """Say which other wishes of the text wait: one thing is done at a time."""
        if self.is_stopped or self.state.ended:
            return

        def leads_to(part: str) -> str:
            route = self._route(part)
            return route.target.name if route and route.score >= LEAVING else ""

        said = mended(said)
        for wish in other_wishes(said, leads_to, target.name):
            yield from self._say(one_at_a_time(wish))
        for part in self._values_left_out(said, target):
            yield from self._say(one_at_a_time(part))

    def _values_left_out(self, said: str, target: ToolSpec) -> Sequence[str]:
        """Return the parts of a text with a second value: "set A to 4.50 and B to 12.95"."""
        plan = self.state.asking or self.state.confirming
        if plan is None or plan.tool != target.name:
            return ()
        numbers = [
            name
            for name, schema in target.properties.items()
            if schema.get("type") in ("INTEGER", "NUMBER")
        ]
        return second_values(said, plan.args.get(numbers[0])) if len(numbers) == 1 else ()

    def _unrouted(self, said: str, *, took_over: bool) -> Outputs:
        """Answer what no tool or agent is for: from documents, with a friendly word, or not."""
        if self._rooms.is_small_talk(said):
            yield from self._chat(said)
            return
        if (yield from self._from_documents(said)):
            return
        if took_over:
            yield from self._say(f"You are talking to {self._agent.display_name} now.")
        yield from self._say(saying.cannot(self._app, self._agent))

    def _chat(self, said: str) -> Outputs:
        """Answer small talk; a goodbye ends the session where the agent can end it."""
        tools = [tool for tool in self._app.tools_of(self._agent) if ends_session(tool)]
        if tools and saying.is_parting(said):
            yield from self._finish(said, escalate=False)
        else:
            can = saying.abilities(self._app, self._agent) if saying.asks_for_help(said) else ""
            yield from self._say(can or saying.small_talk(said))

    def _end(self) -> None:
        """Check what was said, and remember it."""
        with self.log.span("check"):
            verdict = check_turn(
                "\n".join(self._said.stated),
                self._responses,
                () if self._facts else self._said.cited,
                checker=self._rooms.checker,
                work=self._work,
                others=self._other_facts(),
                checked=self._checked,
                taken=self._taken,
            )
        self.log.attributes |= {
            "agent": self._agent.display_name,
            "hallucination": verdict.to_json(),
        }
        if self._inputs.text and self._said.texts:
            self.state.remember(self._inputs.text, "\n".join(self._said.texts))

    def _other_facts(self) -> Sequence[str]:
        """Return what bears out what was said, beside the turn's tool responses."""
        return self._facts
