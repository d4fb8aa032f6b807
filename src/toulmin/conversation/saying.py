"""What the agent says without a language model: short, and nothing that no tool returned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toulmin.conversation.arguments import question_for
from toulmin.conversation.definition import AgentSpec, AppSpec, ToolSpec
from toulmin.domain import JsonObject
from toulmin.retrieval.coverage import QueryWords

MOST_LINES: Final = 12
LONGEST_VALUE: Final = 500
_SPOKEN: Final = ("message", "text", "answer", "reply", "response", "result", "summary", "content")
"""Keys whose text is made to be read by people."""
_UNSPOKEN: Final = ("agent_action", "agentAction")
"""Keys that speak to the agent, not to the user."""
_OUTCOMES: Final = ("status", "success", "ok", "code")
"""Keys that are not said either when they only say that the call went well."""
_WELL: Final = (True, 200, "success", "succeeded", "ok", "done", "SUCCESS", "OK")
_FAILURES: Final = ("error", "failed", "failure")
_NEARLY: Final = 0.9
_PARTING: Final = re.compile(r"\b(?:bye|goodbye|see you|good night|that(?:'s| is) all)\b", re.I)
_HELP: Final = re.compile(
    r"^\W*(?:(?:hi|hello|please|so|and)\b\W*)*"
    r"(?:help(?: me)?|what (?:can|do|could) you (?:do|offer|help with)"
    r"|(?:how|what) can (?:you help|i (?:do|ask))|what are you (?:for|able to do))"
    r"(?: me| you| here| with| for)*\W*(?:please\W*)?$",
    re.IGNORECASE,
)
_THANKS: Final = re.compile(r"\b(?:thanks?|thank you|thx|cheers)\b", re.I)


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool's response says.

    Attributes:
        value: The result; None: there is none.
        error: What went wrong; empty: nothing.
    """

    value: Any
    error: str = ""


def output_of(response: JsonObject) -> Output:
    """Return a response taken apart: "output" and "error", or the whole when it has neither."""
    if "output" not in response and "error" not in response:
        only = response.get("result") if len(response) == 1 else None
        return Output(only if only is not None else dict(response))
    error = response.get("error")
    if isinstance(error, Mapping):
        error = error.get("message") or dict(error)
    return Output(response.get("output"), str(error) if error else "")


def of_response(
    tool: ToolSpec, question: str, response: JsonObject, args: Mapping[str, Any]
) -> str:
    """Return a tool's response in words: what of it the question asks for, else all of it.

    A field that only repeats an argument of the call is no answer: the user said it. An error that
    stands beside an output is said after it.
    """
    output = output_of(response)
    if output.error and output.value is None:
        return f"{_title(tool)} failed: {_sentence(output.error)}"
    if isinstance(output.value, Mapping) and _failed(output.value):
        values = (output.value.get(key) for key in ("error", "message", "reason"))
        why = output.error or next((str(value) for value in values if value), "")
        return f"{_title(tool)} failed: {_sentence(why)}" if why else f"{_title(tool)} failed."
    text = _of_value(tool, question, output, args)
    if output.error:
        text = f"{text}\n{_title(tool)} reported: {_sentence(output.error)}".strip()
    return text


def _of_value(tool: ToolSpec, question: str, output: Output, args: Mapping[str, Any]) -> str:
    """Return what a tool returned in words."""
    done = "" if output.error else f"{_title(tool)} is done."
    if isinstance(output.value, str):
        return output.value.strip() or done
    spoken = _spoken(output.value)
    if spoken:
        return spoken
    lines = list(facts_of(output.value))
    if not lines:
        return done
    repeated = set(facts_of(args))
    told = [line for line in lines if line not in repeated]
    chosen = _asked_for(question, told) if told else told
    if chosen == told:  # none is asked for by its name: then the whole says what it is about
        chosen = lines
    return "\n".join(chosen[:MOST_LINES])


def facts_of(value: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield what a JSON value states, a line for each leaf: "Next billing date: 2026-01-15"."""
    if isinstance(value, Mapping):
        for key, inside in value.items():
            if key not in _UNSPOKEN and not (key in _OUTCOMES and inside in _WELL):
                yield from facts_of(inside, (*path, str(key)))
    elif isinstance(value, list):
        for number, inside in enumerate(value, 1):
            numbered = (*path, str(number)) if isinstance(inside, Mapping | list) else path
            yield from facts_of(inside, numbered)
    elif value is not None and value != "":
        name = " ".join(_words(" ".join(path[-2:] if path[-1:] and len(path) > 1 else path)))
        yield f"{name[:1].upper()}{name[1:]}: {_shown(value)}" if name else _shown(value)


def asking(tool: ToolSpec, name: str) -> str:
    """Return the question for an argument that is missing."""
    schema = tool.properties.get(name, {})
    choices = schema.get("enum")
    ending = f" ({', '.join(str(choice) for choice in choices)})" if choices else ""
    return question_for(name, schema).removesuffix("?") + ending + "?"


def cannot(app: AppSpec, agent: AgentSpec) -> str:
    """Return that the agent cannot help with that, and what it can do."""
    can = abilities(app, agent)
    return f"I cannot help with that. {can}" if can else "I cannot help with that."


def abilities(app: AppSpec, agent: AgentSpec) -> str:
    """Return what the agent can help with; empty: nothing."""
    targets: list[ToolSpec | AgentSpec] = [
        *(tool for tool in app.tools_of(agent) if tool.kind != "systemTool"),
        *(app.agents[name] for name in agent.children if name in app.agents),
    ]
    offers = [_offer(target) for target in targets]
    return f"I can help with: {'; '.join(offers[:6])}." if offers else ""


def greeting(app: AppSpec) -> str:
    """Return the first words of a session."""
    return f"Hello, this is {app.display_name}. How can I help you?"


def small_talk(said: str) -> str:
    """Return an answer to what wants none."""
    if _PARTING.search(said):
        return "Goodbye."
    if _THANKS.search(said):
        return "You are welcome."
    return "Hello. How can I help you?"


def asks_for_help(said: str) -> bool:
    """Return whether a user asks what can be asked for."""
    return bool(_HELP.match(said))


def is_parting(said: str) -> bool:
    """Return whether a user says goodbye."""
    return bool(_PARTING.search(said))


def _failed(value: Mapping[str, Any]) -> bool:
    is_no = any(value.get(key) is False for key in ("success", "ok"))
    return is_no or str(value.get("status", "")).lower() in _FAILURES


def _spoken(value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    for key in _SPOKEN:
        text = value.get(key)
        if isinstance(text, str) and len(text.split()) > 2:
            return text.strip()
    return ""


def _asked_for(question: str, lines: Sequence[str]) -> list[str]:
    """Return the lines whose names share most words with the question; all when none does."""
    shares = QueryWords(question).coverage([line.partition(":")[0] for line in lines]).tolist()
    least = max(shares) * _NEARLY
    return [line for line, share in zip(lines, shares, strict=True) if share >= least]


def _offer(target: ToolSpec | AgentSpec) -> str:
    text = target.description.split(". ")[0].strip().rstrip(".")
    return text[:1].lower() + text[1:] if text else " ".join(_words(target.display_name))


def _title(tool: ToolSpec) -> str:
    name = " ".join(_words(tool.display_name))
    return f'"{name}"'


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)[:LONGEST_VALUE]


def _words(text: str) -> list[str]:
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    return [word.lower() for word in re.split(r"[\s_-]+", spaced) if word]
