"""What an agent does in a turn: it says, calls, hands over, ends; with its callbacks around that.

`Turn` decides; this does. All of it yields the API's `SessionOutput`s as JSON and notes messages in
the turn's log.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any, Final

from toulmin.answering.question import Exchange
from toulmin.conversation import saying
from toulmin.conversation.callbacks import Parts, parts_of, response_of
from toulmin.conversation.changes import changes_something
from toulmin.conversation.definition import END_SESSION, TRANSFER, AgentSpec, ToolSpec
from toulmin.conversation.guardrails import Guard
from toulmin.conversation.inputs import same_tool
from toulmin.conversation.noting import Noting
from toulmin.conversation.policies import answer_at, ruling
from toulmin.conversation.state import WaitingCall
from toulmin.conversation.tool_runs import ToolRun, run_here, runs_here
from toulmin.domain import JsonObject
from toulmin.errors import FailedPrecondition, Unimplemented

MOST_STEPS: Final = 20
"""Tool calls of one turn, those of callbacks counted."""

Outputs = Iterator[JsonObject]
Done = Generator[JsonObject, None, bool]


class Acts(Noting):
    """What is done in one turn. `Noting` has its arguments."""

    # Callbacks

    def _intercepted(self) -> Done:
        """Ask the callbacks before the model; do what they return instead of it, if they do."""
        if not self._callbacks.has(self._agent, "before_model"):
            return False
        self._callbacks.watch(self.state.variables, self.log.messages)
        value = self._ask("before_model", contents=self._callbacks.contents())
        if value is None:
            return False
        yield from self._perform(parts_of(value))
        return True

    def _revised(self, parts: Parts) -> Parts | None:
        """Return what the callbacks after the model put in the place of parts; None: nothing."""
        response = {"role": "model", "parts": parts}
        value = self._ask("after_model", response=response)
        return None if value is None else parts_of(value)

    def _perform(self, parts: Parts) -> Outputs:
        """Do what a callback returned: say its texts, call its tools, in order."""
        last: tuple[ToolSpec, ToolRun, Mapping[str, Any]] | None = None
        for part in parts:
            if self.is_stopped:
                return
            call = part.get("functionCall")
            if "payload" in part:
                self._note({"payload": part["payload"]})
                yield {"payload": part["payload"]}
            elif call is None:
                if part.get("text"):
                    yield from self._utter(str(part["text"]))
            elif call["name"] == TRANSFER:
                self._transfer(self._named_agent(str(call["args"].get("agent_name", ""))))
                self._handed_over = True
            elif call["name"] == END_SESSION:
                yield from self._end_session(call["args"])
                return
            else:
                tool = self._named_tool(str(call["name"]))
                run = yield from self._run(tool, dict(call["args"]), "")
                last = None if run is None else (tool, run, call["args"])
        if last is not None and not (yield from self._intercepted()) and not self._said.texts:
            yield from self._report(*last, question="")

    def _named_tool(self, name: str) -> ToolSpec:
        for tool in self._app.tools_of(self._agent):
            if tool.display_name == name:
                return tool
        raise FailedPrecondition(
            f'A callback of {self._agent.name} calls "{name[:100]}", which is none of its tools.',
            reason="CALLBACK_FAILED",
        )

    def _named_agent(self, name: str) -> AgentSpec:
        for agent in self._app.agents.values():
            if name in (agent.name, agent.display_name, agent.name.rpartition("/")[2]):
                return agent
        raise FailedPrecondition(
            f'A callback of {self._agent.name} transfers to "{name[:100]}", which is no agent.',
            reason="CALLBACK_FAILED",
        )

    # Guardrails

    def _guarded(self, text: str, side: str) -> Done:
        """Ask the guardrails about a text; do what the first one that is triggered says.

        Args:
            text: What was said.
            side: Who said it: "input" (the user) or "response" (the agent).

        Raises:
            Unimplemented: A guardrail's action asks for a language model.
        """
        for guard in self._app.guards_of(self._agent):
            self._callbacks.watch(self.state.variables, self.log.messages)
            why = guard.matched(text, side) or self._callbacks.judge(guard, self._agent, text, side)
            if why := why or self._ruled(guard, text, side):
                noted = {"guardrail": guard.name, "side": side, "why": why}
                self.log.attributes.setdefault("guardrails", []).append(noted)
                yield from self._stop_at(guard, text)
                return True
        return False

    def _ruled(self, guard: Guard, text: str, side: str) -> str:
        if self._rooms.judge is None:
            return ""
        more: dict[str, Any] = {"model": self._rooms.judge, "work": self._work}
        found = ruling(guard, text, side, self._callbacks.contents(), **more)
        if found.passed_over:
            self.log.attributes.setdefault("guardrailsNotRun", []).append(guard.name)
        return found.why

    def _stop_at(self, guard: Guard, said: str) -> Outputs:
        """Do what a guardrail that is triggered says; its own words are not asked about again."""
        self.is_stopped = True
        model = self._rooms.judge
        text = answer_at(guard, said, model=model, work=self._work)
        if "transferAgent" in guard.action:
            self._transfer(self._named_agent(str(guard.action["transferAgent"].get("agent", ""))))
            text = f"You are talking to {self._agent.display_name} now."
        self._said.texts.append(text)
        self._note({"text": text})
        yield {"text": text}

    # Saying and calling

    def _say(self, text: str, *, states: bool = False) -> Outputs:
        """Say a text, or what a callback puts in its place."""
        revised = self._revised([{"text": text}])
        if revised is None:
            yield from self._utter(text, states=states)
        else:
            yield from self._perform(revised)

    def _utter(self, text: str, *, states: bool = False) -> Outputs:
        """Say a text, unless a guardrail stops it."""
        if self.is_stopped or (yield from self._guarded(text, "response")):
            return
        self._said.texts.append(text)
        if states:
            self._said.stated.append(text)
        self._note({"text": text})
        yield {"text": text}

    def _call(self, tool: ToolSpec, args: dict[str, Any], question: str) -> Outputs:
        """Call a tool, or do what a callback puts in its place, and say what came of it."""
        revised = self._revised([{"functionCall": {"name": tool.display_name, "args": args}}])
        if revised is not None:
            yield from self._perform(revised)
            return
        run = yield from self._run(tool, args, question)
        if run is not None and not (yield from self._intercepted()):
            yield from self._report(tool, run, args, question=question)

    def _report(
        self, tool: ToolSpec, run: ToolRun, args: Mapping[str, Any], *, question: str
    ) -> Outputs:
        """Say what a tool returned to a call with these arguments."""
        if not run.answered:
            yield from self._say("I found nothing about that.")
            return
        self._said.cited += run.cited
        text = run.text
        if not text:
            text = saying.of_response(tool, question, run.response, args)
            self._taken += text.splitlines()
        yield from self._say(text, states=True)
        if run.cited and not self.is_stopped:
            yield {"citations": {"citedChunks": list(run.cited)}}

    def _run(
        self, tool: ToolSpec, args: dict[str, Any], question: str
    ) -> Generator[JsonObject, None, ToolRun | None]:
        """Call a tool and note it; return what came of it, None where the client is to answer."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise FailedPrecondition(
                f"The turn has called {MOST_STEPS} tools and is not at its end."
            )
        instead = self._ask("before_tool", tool=tool, input=args)
        if instead is None:
            instead = self._mocked(tool)
        here = runs_here(tool, use_fakes=self._inputs.use_fakes)
        if instead is None and not here and tool.kind == "clientFunction":
            yield from self._send(tool, args, question)
            return None
        call = {"id": self._new_id(), **tool.reference, "displayName": tool.display_name}
        noted_call = {"toolCall": {**call, "args": args}}
        if is_kept := instead is None and changes_something(tool):
            # Whatever becomes of this turn, its yes is used up, and nobody calls a second time.
            self._note(noted_call)
            self._keep(self)
        with self.log.span("tool", tool=tool.display_name) as noted:
            if instead is not None:
                run = ToolRun(response=response_of(instead))
            elif tool.kind == "agentTool" and not here:
                run = self._ask_agent(tool, args)
            else:
                run = run_here(
                    tool,
                    args,
                    self.state.variables,
                    rooms=self._rooms,
                    use_fakes=self._inputs.use_fakes,
                    history=[Exchange(*pair) for pair in self.state.exchanges],
                    work=self._work,
                )
            noted |= {"failed": "error" in run.response, "answered": run.answered}
        if not is_kept:
            self._note(noted_call)
        run = self._after_tool(tool, args, run)
        self._note({"toolResponse": {**call, "response": run.response}})
        self._update(run.variables)
        self._checked = None if self._facts or self._responses else run.checked
        self._facts += run.facts
        if run.answered and not run.facts:
            self._responses.append(run.response)
        return run

    def _mocked(self, tool: ToolSpec) -> JsonObject | None:
        """Return the response that stands in for a call of a tool; None: there is none left."""
        named = {**tool.reference, "displayName": tool.display_name}
        for_client = self._client_answers if tool.kind == "clientFunction" else []
        for mocks in (self._mocks, for_client):
            found = next((mock for mock in mocks if same_tool(mock, named)), None)
            if found is not None:
                mocks.remove(found)
                return dict(found.get("response", {}))
        return None

    def _after_tool(self, tool: ToolSpec, args: dict[str, Any], run: ToolRun) -> ToolRun:
        value = self._ask("after_tool", tool=tool, input=args, response=dict(run.response))
        return (
            run if value is None else ToolRun(response=response_of(value), variables=run.variables)
        )

    def _send(self, tool: ToolSpec, args: dict[str, Any], question: str) -> Outputs:
        """Send a call to the client, which is to answer it."""
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
        named = {"id": call.id, **tool.reference, "displayName": tool.display_name}
        wire = {**named, "args": call.args}
        self._note({"toolCall": wire})
        yield {"toolCalls": {"toolCalls": [wire]}}

    def _ask_agent(self, tool: ToolSpec, args: dict[str, Any]) -> ToolRun:
        """Run an agent as a tool, which `Turn` can do."""
        raise NotImplementedError

    # Handing over and ending

    def _transfer(self, target: AgentSpec) -> None:
        if target.is_remote:
            raise Unimplemented(
                f"{target.name} is a remote_dialogflow_agent; this version of Toulmin runs none"
            )
        self._note(
            {"agentTransfer": {"targetAgent": target.name, "displayName": target.display_name}}
        )
        self.state.agent = target.name

    def _finish(self, said: str, *, escalate: bool) -> Outputs:
        """End the session with a word."""
        args = {"session_escalated": escalate, "reason": said[:500]}
        text = "I am handing you over to a person." if escalate else "Goodbye."
        parts: Parts = [{"text": text}, {"functionCall": {"name": END_SESSION, "args": args}}]
        yield from self._perform(self._revised(parts) or parts)

    def _end_session(self, args: JsonObject) -> Outputs:
        call = {
            "id": self._new_id(),
            "tool": f"{self._app.name}/tools/{END_SESSION}",
            "displayName": END_SESSION,
        }
        self._note({"toolCall": {**call, "args": dict(args)}})
        self._note({"toolResponse": {**call, "response": {"result": "ended"}}})
        self.state.ended = True
        yield {"endSession": {"metadata": dict(args)}}
