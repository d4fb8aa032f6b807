"""One turn in which a language model leads: it decides what is said and called, within bounds.

Its calls are checked before they are done, and what it says before it is said: a sentence that
neither tools, nor the instruction, nor the user bear out is asked for once more and then left out.
Where the model fails, the built-in planner goes on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from toulmin.conversation.acts import MOST_STEPS, Done, Outputs
from toulmin.conversation.callbacks import Parts
from toulmin.conversation.checking import weak_sentences
from toulmin.conversation.definition import TRANSFER, ToolSpec
from toulmin.conversation.kept_values import unkept
from toulmin.conversation.leader import Led, LedCall
from toulmin.conversation.log import USER
from toulmin.conversation.noting import timed_out
from toulmin.conversation.prompting import Functions, dialogue, functions_of, system_prompt
from toulmin.conversation.schemas import value_problem
from toulmin.conversation.tool_runs import ToolRun
from toulmin.conversation.turn import MOST_TRANSFERS, Turn
from toulmin.domain import JsonObject
from toulmin.errors import FailedPrecondition, ToulminError

MOST_MESSAGES: Final = 25
"""Messages of the model in one turn."""
MOST_REPAIRS: Final = 2
"""How often in one turn the model is told that a call or a sentence is wrong."""
_LONGEST_INSTRUCTION_FACT: Final = 10_000
_NOTHING_LEFT: Final = "I cannot say that for sure."
_FAILED: Final = "LLM_"


class LedTurn(Turn):
    """A turn that a language model leads; `rooms.leader` is there.

    Args:
        given: As `Turn`.
        more: As `Turn`.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._last: tuple[ToolSpec, ToolRun, Mapping[str, Any]] | None = None
        self._corrections: list[JsonObject] = []
        self._repairs = 0
        self._handovers = 0
        self._weighed: tuple[tuple[Any, ...], list[tuple[int, int]]] | None = None

    def _act(self) -> Outputs:
        """Take what the client answered, and let the model go on."""
        self._take_responses()
        speaks = self._inputs.text or self._inputs.event or self._inputs.has_media
        if self.state.is_open or not (speaks or self._inputs.responses):
            return
        self.state.drop_plans()  # the planner's, of a turn in which the model failed
        yield from self._lead()

    def _act_after_handover(self) -> Outputs:
        """Let the model act as the agent that took over."""
        yield from self._lead()

    def _take_responses(self) -> None:
        for response in self._inputs.responses:
            call = self._waiting_by_id()[response["id"]]
            self.state.waiting.remove(call)
            tool = self._app.tools.get(call.tool)
            if tool is None:
                raise FailedPrecondition(f"{call.tool} was deleted; begin another session.")
            body = timed_out(call) if self._is_late(call) else response.get("response", {})
            run = self._after_tool(tool, call.args, ToolRun(response=body))
            self._responses.append(run.response)
            self._last = (tool, run, call.args)
        self.state.is_open = any(not call.asynchronous for call in self.state.waiting)

    def _name_false_premises(self) -> Outputs:
        """Leave that to the model: it was told what the user said and what the tools returned."""
        yield from ()

    def _lead(self) -> Outputs:
        """Ask the model and do what it says, until it has nothing more to do."""
        for _ in range(MOST_MESSAGES):
            if self.is_stopped or (yield from self._intercepted()):
                return
            self._obey_rules()
            functions = functions_of(self._app, self._agent, barred=self._barred())
            try:
                led = self._next(functions)
            except ToulminError as error:
                if not error.reason.startswith(_FAILED):
                    raise
                yield from self._fall_back(error.message)
                return
            problem = self._problem_of(led, functions)
            if problem and self._repairs <= MOST_REPAIRS:
                continue
            if problem:
                yield from self._fall_back(problem)
                return
            self._corrections = []
            if not (yield from self._follow(led, functions)):
                return
        yield from self._fall_back(f"the model did not come to an end in {MOST_MESSAGES} messages")

    def _next(self, functions: Functions) -> Led:
        leader = self._rooms.leader
        if leader is None:
            raise FailedPrecondition("there is no language model", reason="LLM_UNAVAILABLE")
        told = system_prompt(
            self._app,
            self._agent,
            self.state.variables,
            today=self._day,
        )
        messages: list[JsonObject] = [{"role": "system", "content": told}]
        messages += dialogue([*self._earlier, *self.log.messages])
        messages += self._corrections
        with self.log.span("model", agent=self._agent.display_name) as noted:
            led = leader.next(messages, functions.described, work=self._work)
            noted |= {"calls": [call.name for call in led.calls], "says": bool(led.text)}
        return led

    @property
    def _day(self) -> str:
        return self._today.strftime("%A, %d %B %Y")

    # What the model wrote

    def _problem_of(self, led: Led, functions: Functions) -> str:
        """Return what is wrong with a message, after telling the model; empty: nothing."""
        answers = [(call, _call_problem(call, functions)) for call in led.calls]
        if any(problem for _, problem in answers):
            self._repairs += 1
            self._corrections += [
                {
                    "role": "assistant",
                    "content": led.text or None,
                    "tool_calls": [call.to_json() for call in led.calls],
                },
                *(_told(call, problem) for call, problem in answers),
            ]
            return next(f"{call.name}: {problem}" for call, problem in answers if problem)
        if led.calls or self._repairs >= MOST_REPAIRS:
            return ""
        weak = self._weak(led.text)
        if not weak:
            return ""
        self._repairs += 1
        shown = "\n".join(f"- {led.text[start:end]}" for start, end in weak)
        self._corrections += [
            {"role": "assistant", "content": led.text},
            {
                "role": "user",
                "content": (
                    "(Not from the user.) Nothing that you were told bears this out:\n"
                    f"{shown}\nSay it again without that, or with what a function returns."
                ),
            },
        ]
        return f"not borne out: {led.text[weak[0][0] : weak[0][1]]}"

    def _weak(self, text: str) -> list[tuple[int, int]]:
        """Return the sentences that nothing bears out; asked again of the same, it is known."""
        told = (self._responses, () if self._facts else self._said.cited, self._other_facts())
        against = (text, *map(tuple, told))
        if self._weighed is None or self._weighed[0] != against:
            with self.log.span("check"):
                found = weak_sentences(text, *told, checker=self._rooms.checker, work=self._work)
            self._weighed = (against, found)
        return self._weighed[1]

    def _other_facts(self) -> Sequence[str]:
        """Return what may bear out a sentence beside the turn's tools.

        It is what the model is told of itself, the instruction, the variables, what the user said,
        and earlier tool responses.
        """
        instruction = self._agent.instruction[:_LONGEST_INSTRUCTION_FACT]
        variables = "\n".join(f"{name}: {value}" for name, value in self.state.variables.items())
        agent = self._agent
        of_itself = f"I am {agent.display_name}, an agent of {self._app.display_name}."
        found = [of_itself, agent.description, f"Today is {self._day}.", instruction, variables]
        earlier = len(self._earlier)
        for number, message in enumerate([*self._earlier, *self.log.messages]):
            for chunk in message.get("chunks", ()):
                if message.get("role") == USER and chunk.get("text"):
                    found.append(str(chunk["text"]))
                elif "toolResponse" in chunk and number < earlier:
                    body = chunk["toolResponse"].get("response", {})
                    found.append(json.dumps(body, ensure_ascii=False))
        return [*self._facts, *[text for text in found if text.strip()][-100:]]

    # Doing it

    def _follow(self, led: Led, functions: Functions) -> Done:
        """Do what the model says; return whether it is to be asked again."""
        revised = self._revised(_parts_of(led, functions))
        if revised is not None:
            yield from self._perform(revised)
            return False
        if led.text:
            yield from self._say_led(led.text, last=not led.calls)
        goes_on = bool(led.calls)
        for call in led.calls:
            if self.is_stopped:
                return False
            args = json.loads(call.arguments or "{}")
            if call.name == TRANSFER:
                return (yield from self._hand_over(str(args["agent_name"]), functions))
            tool = functions.tools[call.name]
            if tool.kind == "systemTool":
                yield from self._end_session(args)
                return False
            if self._steps >= MOST_STEPS:
                yield from self._fall_back(f"the model has called {MOST_STEPS} tools")
                return False
            run = yield from self._run(tool, args, self._inputs.text)
            if run is None:
                goes_on = goes_on and tool.asynchronous
            else:
                self._last = (tool, run, args)
                self._said.cited += run.cited
        return goes_on

    def _hand_over(self, name: str, functions: Functions) -> Done:
        self._handovers += 1
        if self._handovers > MOST_TRANSFERS:
            yield from self._fall_back(f"more than {MOST_TRANSFERS} agents took over")
            return False
        self._transfer(functions.agents[name])
        return not (yield from self._entered())

    def _say_led(self, text: str, *, last: bool) -> Outputs:
        """Say a text without the sentences that nothing bears out."""
        weak = self._weak(text)
        if weak:
            left = [text[start:end] for start, end in weak]
            self.log.attributes.setdefault("removedSentences", []).extend(left)
            text = _without(text, weak)
        if text:
            yield from self._utter(text, states=True)
        elif last and self._last is not None:
            yield from self._report(*self._last, question=self._inputs.text)
        elif last:
            yield from self._utter(_NOTHING_LEFT)
        if last and text and self._said.cited and not self.is_stopped:
            yield {"citations": {"citedChunks": list(self._said.cited)}}

    def _fall_back(self, why: str) -> Outputs:
        """Go on without the model: say what the last tool returned, or let the planner answer."""
        self.log.attributes["languageModelFailed"] = why[:500]
        if self.is_stopped or (self._said.texts and self._last is None):
            return
        if self._last is not None:
            yield from self._report(*self._last, question=self._inputs.text)
        elif self._inputs.text:
            yield from self._answer(self._inputs.text)
        elif self._inputs.event:
            yield from self._event(self._inputs.event)
        else:
            yield from self._say("I have received it, but I can only read text.")


def _parts_of(led: Led, functions: Functions) -> Parts:
    """Return a message as callbacks see it."""
    parts: Parts = [{"text": led.text}] if led.text else []
    for call in led.calls:
        tool = functions.tools.get(call.name)
        name = tool.display_name if tool else call.name
        args = json.loads(call.arguments or "{}")
        parts.append({"functionCall": {"name": name, "id": call.id, "args": args}})
    return parts


def _call_problem(call: LedCall, functions: Functions) -> str:
    """Return what is wrong with a call; empty: nothing."""
    try:
        args = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        return f"the arguments are no JSON: {error}"
    if not isinstance(args, dict):
        return "the arguments must be a JSON object"
    if problem := unkept(args):
        return f"what the arguments hold {problem}"
    if call.name == TRANSFER and functions.agents:
        known = ", ".join(functions.agents)
        wanted = args.get("agent_name") in tuple(functions.agents)  # a list has no hash
        return "" if wanted else f"agent_name must be one of {known}"
    tool = functions.tools.get(call.name)
    if tool is None:
        known = ", ".join([*functions.tools, *([TRANSFER] if functions.agents else [])])
        return f"there is no function {call.name}; there are {known}"
    return "" if tool.kind == "systemTool" else value_problem(args, tool.parameters)


def _told(call: LedCall, problem: str) -> JsonObject:
    body = {"error": problem or "it was not called, because another call is wrong"}
    return {"role": "tool", "tool_call_id": call.id, "content": json.dumps(body)}


def _without(text: str, places: Sequence[tuple[int, int]]) -> str:
    """Return a text without some parts."""
    kept, at = "", 0
    for start, end in sorted(places):
        kept += text[at:start]
        at = end
    return (kept + text[at:]).strip()
