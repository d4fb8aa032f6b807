"""What the agent says without a language model: short, and nothing that no tool returned."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toulmin.answering.compose.answer_type import AnswerType, answer_type
from toulmin.answering.compose.question_kind import asked_for
from toulmin.conversation.arguments import question_for
from toulmin.conversation.changes import changes_something
from toulmin.conversation.definition import AgentSpec, AppSpec, ToolSpec
from toulmin.conversation.words import shown, spaced
from toulmin.domain import JsonObject
from toulmin.retrieval.coverage import QueryWords

MOST_LINES: Final = 12
LONGEST_VALUE: Final = 500
_SPEECH: Final = ("message", "answer", "reply", "response")
"""Keys whose text is made to be said."""
_SPOKEN: Final = ("message", "text", "answer", "reply", "response", "result", "summary", "content")
"""Keys whose text is made to be read by people; of some it may be a mere title."""
_REASONS: Final = ("error", "error_message", "errorMessage", "message", "reason")
"""Keys that say why a call failed, the likeliest first."""
_UNSPOKEN: Final = ("agent_action", "agentAction")
"""Keys that speak to the agent, not to the user."""
_OUTCOMES: Final = ("status", "success", "ok", "code")
"""Keys that are not said either when they only say that the call went well."""
_WELL: Final = frozenset({"success", "ok", "succeeded", "done"})
_OF_THINGS: Final = frozenset({"succeeded", "done"})
"""Of these the words that a look-up says of what was looked up: a task, a payment."""
_FAILURES: Final = ("error", "failed", "failure")
_NEARLY: Final = 0.9
_ADDS: Final = 0.1
"""Share of the question's words from which on a line has what the spoken text lacks."""
_LEAST_SPOKEN: Final = 3
_LONGEST_TITLE: Final = 12
"""Words; without a mark at its end, longer ones are no title either."""
_NUMBER: Final = re.compile(r"(?=[\w.,:-]*\d)\w+(?:[.,:-]\w+)*")
_MERE_NUMBER: Final = re.compile(
    r"(?<![\w.:/-])(?!(?:1\d|20)\d\d\b)(?:\d+(?:[.,]\d+)?|[^\W\d_]+-?\d[\w-]*)(?![\w.:/-]*\d)"
    r"(?!\s*(?:[ap]\.?m\b|o['\u2019]clock|h\b|uhr))",
    re.IGNORECASE,
)
"""Numbers that are neither days nor times by their form."""
_ENDS: Final = re.compile(r"[.!?:;\u2026\u3002\uff01\uff1f\u061f\u0964][\"'\u201d\u2019)\]*]*\Z")
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

    A field that only repeats an argument of the call, or a number of the question, is no answer:
    the user said it. An error that stands beside an output is said after it. A status is the call's
    own where the tool changes something; what a look-up returns is the status of what was looked
    up, and so a value.
    """
    output = output_of(response)
    if output.error and output.value is None:
        return f"{_title(tool)} failed: {_sentence(output.error)}"
    if isinstance(output.value, Mapping) and _failed(tool, output.value, args):
        values = (output.value.get(key) for key in _REASONS)
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
    repeated = set(facts_of(args))
    lines = _results(tool, question, output.value, repeated)
    numbers = set(_NUMBER.findall(question.lower()))
    told = [
        line for line in lines if line not in repeated and _value_of(line).lower() not in numbers
    ]
    if spoken := _spoken(output.value, told):
        return "\n".join([spoken, *_beside(tool, question, spoken, told)[:MOST_LINES]])
    if not lines:
        return done
    chosen = _asked_for(question, told) if told else told
    if chosen == told:  # none is asked for by its name: then the whole says what it is about
        chosen = lines
    return "\n".join(chosen[:MOST_LINES])


def results_of(value: Any) -> list[str]:
    """Return what a tool's output states without what only says that the call went well."""
    if not isinstance(value, Mapping):
        return list(facts_of(value))
    return list(facts_of({k: v for k, v in value.items() if not _says_only_well(k, v)}))


def facts_of(value: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield what a JSON value states, a line for each leaf: "Next billing date: 2026-01-15"."""
    if isinstance(value, Mapping):
        for key, inside in value.items():
            if key not in _UNSPOKEN:
                yield from facts_of(inside, (*path, str(key)))
    elif isinstance(value, list):
        for number, inside in enumerate(value, 1):
            numbered = (*path, str(number)) if isinstance(inside, Mapping | list) else path
            yield from facts_of(inside, numbered)
    elif value is not None and value != "":
        name = " ".join(_words(" ".join(path[-2:] if path[-1:] and len(path) > 1 else path)))
        text = shown(value)[:LONGEST_VALUE]
        yield f"{name[:1].upper()}{name[1:]}: {text}" if name else text


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


def _failed(tool: ToolSpec, value: Mapping[str, Any], args: Mapping[str, Any]) -> bool:
    """Return whether an output says that the call failed, rather than what was looked up."""
    if any(value.get(key) is False for key in ("success", "ok")):
        return True
    status = str(value.get("status", "")).lower()
    if status not in _FAILURES:
        return False
    if changes_something(tool) or (status == "error" and value.get("error")):
        return True
    beside = {k: v for k, v in value.items() if k not in (*_OUTCOMES, *_REASONS)}
    return not set(facts_of(beside)) - set(facts_of(args))


def _is_well(value: Any) -> bool:
    """Return whether a value says that all went well; 1 is a number, not True."""
    if isinstance(value, str):
        return value.lower() in _WELL
    return value is True or (not isinstance(value, bool) and value == 200)


def _says_only_well(key: str, value: Any) -> bool:
    """Return whether a field says that a call went well, and can be said of no thing."""
    return (
        key in _OUTCOMES
        and _is_well(value)
        and not (isinstance(value, str) and value.lower() in _OF_THINGS)
    )


def _results(tool: ToolSpec, question: str, value: Any, repeated: Container[str]) -> list[str]:
    """Return what an output states, without the call's own outcome.

    Of a look-up the outcome is left in where the question asks for it by its name, and where there
    would be nothing else but what the user said.
    """
    if not isinstance(value, Mapping):
        return list(facts_of(value))
    changing, wanted = changes_something(tool), QueryWords(question)

    def is_left_out(key: str, inside: Any) -> bool:
        if changing:
            return key in _OUTCOMES and _is_well(inside)
        return _says_only_well(key, inside) and not wanted.coverage([key]).any()

    lines = list(facts_of({k: v for k, v in value.items() if not is_left_out(k, v)}))
    only_repeats = bool(lines) and all(line in repeated for line in lines)
    return list(facts_of(value)) if only_repeats and not changing else lines


def _spoken(value: Any, told: Sequence[str]) -> str:
    """Return the text that is made to be said; empty: there is none, or it is a value like others.

    A title is a text as well: "Dentist, downtown" is what a calendar calls its summary.
    """
    if not isinstance(value, Mapping):
        return ""
    for key in _SPOKEN:
        text = value.get(key)
        if not isinstance(text, str) or len(text.split()) < _LEAST_SPOKEN:
            continue
        text = text.strip()
        is_title = not (
            key in _SPEECH
            or _ENDS.search(text)
            or "\n" in text
            or len(text.split()) > _LONGEST_TITLE
        )
        if not is_title or set(told) <= set(facts_of({key: text})):
            return text
    return ""


def _beside(tool: ToolSpec, question: str, spoken: str, told: Sequence[str]) -> list[str]:
    """Return the lines with what a question asks for and the spoken text does not say.

    They are those with words of the question that the text has not, and, where the text does not
    give the kind of thing that is asked for, such as a time, those that do.
    """
    said = _plain(spoken)
    rest = [line for line in told if _plain(_value_of(line)) not in said]
    words = QueryWords(question)
    shares = words.coverage([spoken, *(f"{spoken}\n{line}" for line in rest)]).tolist()
    named: set[str] = set()
    if not changes_something(tool):  # what it was told to do needs no telling
        named = {
            line for line, share in zip(rest, shares[1:], strict=True) if share >= shares[0] + _ADDS
        }
    wants = answer_type(question, asked_for(question))
    if wants.demands and not _tells(wants, spoken):
        named |= {line for line in rest if _tells(wants, line)}
    return [line for line in rest if line in named]


def _tells(wants: AnswerType, text: str) -> bool:
    """Return whether a text gives what a question wants; no mere number is a time beside days."""
    return wants.is_given_by(_MERE_NUMBER.sub(" ", text) if wants.kind == "time" else text)


def _value_of(line: str) -> str:
    return line.partition(": ")[2] or line


def _plain(text: str) -> str:
    """Return the words of a text between spaces, so that whole words are found in it."""
    words = re.findall(r"[^\W_]+", text.lower())
    return f" {' '.join(words)} "


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


def _words(text: str) -> list[str]:
    return [word.lower() for word in re.split(r"[\s_-]+", spaced(text)) if word]
