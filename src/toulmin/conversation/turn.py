"""One turn: what came in, what is done about it, what goes out. Without a language model.

`Turn.run` reads as its steps. It yields the API's `SessionOutput`s as JSON, without their numbers;
what is to be kept is in `log` and `state` when it is at its end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from toulmin.answering.question import Exchange
from toulmin.conversation import saying
from toulmin.conversation.checking import check_turn
from toulmin.conversation.definition import END_SESSION, AgentSpec, AppSpec, ToolSpec
from toulmin.conversation.documents import answer_from_documents
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.instructions import mentions
from toulmin.conversation.log import USER, TurnLog
from toulmin.conversation.python_tools import run_tool
from toulmin.conversation.rooms import Rooms
from toulmin.conversation.state import Asking, SessionState, WaitingCall
from toulmin.domain import JsonObject
from toulmin.errors import FailedPrecondition, InvalidArgument, Unimplemented

MOST_TRANSFERS: Final = 5
"""Agents that may take over in one turn."""
MOST_TRIES: Final = 3
"""How often an argument is asked for."""
LONGEST_SMALL_TALK: Final = 4
"""Words that are judged to be small talk before it is looked whether a tool is for them."""

Outputs = Iterator[JsonObject]


@dataclass(slots=True)
class _Said:
    """What the agent said in the turn.

    Attributes:
        texts: All of it.
        stated: What of it states something that a tool must bear out.
        cited: The chunks that it cites.
    """

    texts: list[str]
    stated: list[str]
    cited: list[JsonObject]


class Turn:
    """One turn of a session.

    Args:
        app: The app.
        state: The session; it is changed.
        inputs: What came in.
        rooms: What it stands on.
        now: The time, in UTC.
        should_stop: Asked between and within the steps.
    """

    def __init__(
        self,
        app: AppSpec,
        state: SessionState,
        inputs: Inputs,
        *,
        rooms: Rooms,
        now: datetime,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._app = app
        self.state = state
        self._inputs = inputs
        self._rooms = rooms
        self._now = now
        self._should_stop = should_stop
        self._said = _Said([], [], [])
        self._responses: list[JsonObject] = []
        self.log = TurnLog(now)

    @property
    def _agent(self) -> AgentSpec:
        return self._app.agents[self.state.agent]

    def run(self) -> Outputs:
        """Do the turn, and yield what goes out.

        Raises:
            InvalidArgument: A variable, an agent or a tool response is wrong.
            FailedPrecondition: The session has ended, waits for a tool response, or the app cannot
                run.
            Unimplemented: A tool is of a kind that does not run.
            Cancelled: `should_stop()` became true.
        """
        self._begin()
        resumed = bool(self._inputs.responses)
        yield from self._resume()
        if self._inputs.text:
            yield from self._answer(self._inputs.text)
        elif self._inputs.event:
            yield from self._event(self._inputs.event)
        elif self._inputs.has_media and not resumed:
            yield from self._say("I have received it, but I can only read text.")
        self._end()

    def _begin(self) -> None:
        """Take what came in into the session, and note it."""
        if self.state.ended:
            raise FailedPrecondition("The session has ended; begin another one.")
        chunks: list[JsonObject] = []
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
        given = self._inputs.chunks(self._waiting_by_id(), self._app)
        self._check_waiting()
        self.log.add(USER, *chunks, *given)
        if undeclared := self._inputs.undeclared(self._app):
            self.log.attributes["undeclaredVariables"] = undeclared
        self.state.is_open = False

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
            self._note_response(call, _timed_out(call))
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
            body = _timed_out(call) if self._is_late(call) else response.get("response", {})
            self._responses.append(body)
            yield from self._say(saying.of_response(tool, call.question, body), states=True)
        self.state.is_open = any(not call.asynchronous for call in self.state.waiting)

    def _event(self, event: str) -> Outputs:
        words = event.replace("_", " ").replace("-", " ").strip().lower()
        if words in ("welcome", "session start", "start", "session started"):
            yield from self._say(saying.greeting(self._app))
        else:
            yield from self._answer(words)

    def _answer(self, said: str) -> Outputs:
        """Do what the user's words ask for."""
        if self.state.asking is not None:
            yield from self._take_argument(self.state.asking, said)
            return
        if len(said.split()) <= LONGEST_SMALL_TALK and self._rooms.is_small_talk(said):
            yield from self._chat(said)
            return
        visited = {self.state.agent}
        for _ in range(MOST_TRANSFERS + 1):
            with self.log.span("plan", agent=self._agent.display_name) as noted:
                route = self._rooms.router.route(self._app, self._agent, said)
                if route is not None:
                    noted |= {"target": route.target.display_name, "score": route.score}
            if route is None:
                yield from self._unrouted(said, took_over=len(visited) > 1)
                return
            if isinstance(route.target, ToolSpec):
                yield from self._use(route.target, said, escalate=route.escalate)
                return
            if route.target.name in visited or len(visited) > MOST_TRANSFERS:
                break
            visited.add(route.target.name)
            self._transfer(route.target)
        yield from self._say(saying.cannot(self._app, self._agent))

    def _transfer(self, target: AgentSpec) -> None:
        if target.is_remote:
            raise Unimplemented(
                f"{target.name} is a remote_dialogflow_agent; this version of Toulmin runs none"
            )
        self._note(
            {"agentTransfer": {"targetAgent": target.name, "displayName": target.display_name}}
        )
        self.state.agent = target.name

    def _unrouted(self, said: str, *, took_over: bool) -> Outputs:
        """Answer what no tool or agent is for: from documents, with a friendly word, or not."""
        if self._rooms.is_small_talk(said):
            yield from self._chat(said)
            return
        for tool in self._app.tools_of(self._agent):
            if tool.kind == "dataStoreTool" and (yield from self._ask_documents(tool, said)):
                return
        if took_over:
            yield from self._say(f"You are talking to {self._agent.display_name} now.")
        yield from self._say(saying.cannot(self._app, self._agent))

    def _chat(self, said: str) -> Outputs:
        """Answer small talk; a goodbye ends the session where the agent can end it."""
        tools = [tool for tool in self._app.tools_of(self._agent) if _ends(tool)]
        if tools and saying.is_parting(said):
            yield from self._finish(tools[0], said, escalate=False)
        else:
            yield from self._say(saying.small_talk(said))

    def _use(self, tool: ToolSpec, said: str, *, escalate: bool = False) -> Outputs:
        """Call a tool, after asking for what it needs and nobody said."""
        if _ends(tool):
            yield from self._finish(tool, said, escalate=escalate)
            return
        known: dict[str, Any] = {}
        for mention in mentions(self._agent.instruction, tool.display_name):
            known = {**mention.constants, **known}
        if tool.kind == "dataStoreTool":
            known["query"] = said
        yield from self._fill(tool, said, known, question=said)

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
        else:
            yield from self._call(tool, filled.args, question)

    def _take_argument(self, asking: Asking, said: str) -> Outputs:
        """Take what was said for the argument that was asked for."""
        self.state.asking = None
        tool = self._app.tools.get(asking.tool)
        if tool is None or saying.is_stop(said):
            yield from self._say("All right, I have stopped that.")
            return
        schema = tool.properties.get(asking.missing, {})
        value = self._rooms.filler.find(asking.missing, schema, said, answer=True)
        if value is not None:
            known = {**asking.args, asking.missing: value}
            yield from self._fill(tool, said, known, question=asking.question)
            return
        elsewhere = self._rooms.router.route(self._app, self._agent, said)
        if elsewhere is not None and elsewhere.target.name != tool.name:
            yield from self._answer(said)
        elif asking.tries >= MOST_TRIES:
            yield from self._say("I did not understand that either, so I have stopped.")
        else:
            asking.tries += 1
            self.state.asking = asking
            yield from self._say(
                f"I did not understand that. {saying.asking(tool, asking.missing)}"
            )

    def _call(self, tool: ToolSpec, args: dict[str, Any], question: str) -> Outputs:
        if tool.kind == "dataStoreTool":
            if not (yield from self._ask_documents(tool, args["query"])):
                yield from self._say("I found nothing about that.")
            return
        if tool.kind == "pythonFunction" or (self._inputs.use_fakes and tool.fake_code):
            yield from self._run_python(tool, args, question)
            return
        if tool.kind != "clientFunction":
            raise Unimplemented(
                f"{tool.name} is of the kind {tool.kind or 'unknown'}; this version of Toulmin runs"
                " clientFunction, pythonFunction, dataStoreTool and the system tool end_session"
            )
        call = WaitingCall(
            id=self._new_id(),
            tool=tool.name,
            args=args,
            question=question,
            issued=self._now.timestamp(),
            timeout_s=tool.timeout_s,
            asynchronous=tool.asynchronous,
        )
        self.state.waiting.append(call)
        self.state.is_open = not tool.asynchronous
        wire = _call_json(call, tool)
        self._note({"toolCall": wire})
        yield {"toolCalls": {"toolCalls": [wire]}}

    def _run_python(self, tool: ToolSpec, args: dict[str, Any], question: str) -> Outputs:
        """Run a Python function, or the fake of a tool, and say what it returned."""
        call = {
            "id": self._new_id(),
            "tool": tool.name,
            "displayName": tool.display_name,
            "args": args,
        }
        with self.log.span("python", tool=tool.display_name) as noted:
            ran = run_tool(
                tool,
                args,
                self.state.variables,
                python=self._rooms.python,
                use_fakes=self._inputs.use_fakes,
                should_stop=self._should_stop,
            )
            noted["failed"] = "error" in ran.response
        self._note({"toolCall": call})
        named = {name: value for name, value in call.items() if name != "args"}
        self._note({"toolResponse": {**named, "response": ran.response}})
        updated = ran.updated(self._app.variables, self.state.variables)
        if updated:
            self.state.variables |= updated
            self._note({"updatedVariables": updated})
        self._responses.append(ran.response)
        yield from self._say(saying.of_response(tool, question, ran.response), states=True)

    def _ask_documents(self, tool: ToolSpec, said: str) -> Generator[JsonObject, None, bool]:
        """Ask a data store; return whether it had an answer."""
        call = {
            "id": self._new_id(),
            "tool": tool.name,
            "displayName": tool.display_name,
            "args": {"query": said},
        }
        with self.log.span("data store", tool=tool.display_name) as noted:
            found = answer_from_documents(
                tool,
                said,
                answerer=self._rooms.answerer(),
                data_stores_of=self._rooms.data_stores_of,
                history=[Exchange(*pair) for pair in self.state.exchanges],
                should_stop=self._should_stop,
            )
            noted["answered"] = found.answered
        self._note({"toolCall": call})
        named = {name: value for name, value in call.items() if name != "args"}
        self._note({"toolResponse": {**named, "response": found.response}})
        if found.answered:
            self._responses.append(found.response)
            self._said.cited += found.cited
            yield from self._say(found.text, states=True)
            yield {"citations": {"citedChunks": list(found.cited)}}
        return found.answered

    def _finish(self, tool: ToolSpec, said: str, *, escalate: bool) -> Outputs:
        """End the session."""
        args = {"session_escalated": escalate, "reason": said[:500]}
        call = {
            "id": self._new_id(),
            "tool": tool.name,
            "displayName": tool.display_name,
            "args": args,
        }
        text = "I am handing you over to a person." if escalate else "Goodbye."
        yield from self._say(text)
        self._note({"toolCall": call})
        named = {name: value for name, value in call.items() if name != "args"}
        self._note({"toolResponse": {**named, "response": {"result": "ended"}}})
        self.state.ended = True
        yield {"endSession": {"metadata": args}}

    def _say(self, text: str, *, states: bool = False) -> Outputs:
        self._said.texts.append(text)
        if states:
            self._said.stated.append(text)
        self._note({"text": text})
        yield {"text": text}

    def _note(self, chunk: JsonObject) -> None:
        """Note a message of the agent that speaks; its role is the agent's name."""
        self.log.add(self._agent.display_name, chunk)

    def _note_response(self, call: WaitingCall, body: JsonObject) -> None:
        tool = self._app.tools.get(call.tool)
        named = {
            "id": call.id,
            "tool": call.tool,
            "displayName": tool.display_name if tool else "",
        }
        self._note({"toolResponse": {**named, "response": body}})

    def _end(self) -> None:
        """Check what was said, and remember it."""
        with self.log.span("check"):
            verdict = check_turn(
                "\n".join(self._said.stated),
                self._responses,
                self._said.cited,
                checker=self._rooms.checker,
                should_stop=self._should_stop,
            )
        self.log.attributes |= {
            "agent": self._agent.display_name,
            "hallucination": verdict.to_json(),
        }
        if self._inputs.text and self._said.texts:
            self.state.remember(self._inputs.text, "\n".join(self._said.texts))

    def _new_id(self) -> str:
        self.state.calls += 1
        return f"call-{self.state.calls}"


def _ends(tool: ToolSpec) -> bool:
    return tool.kind == "systemTool" and tool.body.get("name") == END_SESSION


def _call_json(call: WaitingCall, tool: ToolSpec) -> JsonObject:
    return {
        "id": call.id,
        "tool": call.tool,
        "displayName": tool.display_name,
        "args": call.args,
    }


def _timed_out(call: WaitingCall) -> JsonObject:
    return {"error": f"there was no response within {math.floor(call.timeout_s)} s"}
