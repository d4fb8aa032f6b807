"""Where a user's words lead: to a tool, another agent, or nowhere; by meaning.

Each tool and agent has phrases: its name, its description, what the instruction says of it, what
the examples show. A phrase's cosine to what was said is the target's score; the best one wins if
it is at least `LEAST`. The same words to the same app always go the same way.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from toulmin.conversation.definition import END_SESSION, AgentSpec, AppSpec, ToolSpec
from toulmin.conversation.instructions import mentions, role_of
from toulmin.text.sentences import split_sentences

Embed = Callable[[Sequence[str]], NDArray[np.float32]]

LEAST: Final = 0.22
"""Cosine from which on a phrase counts; tests/conversation/test_routing.py measures it."""
ENDING: Final = 0.55
"""The same for the end of the session, which cannot be taken back."""
ALIKE: Final = 0.45
"""Cosine from which on two phrases mean the same."""
CLEARLY: Final = 0.08
"""By how much a target elsewhere must be better than one's own to change agents for it."""
_REMEMBERED: Final = 256
_DEEPEST: Final = 5
_PARTING: Final = ("Goodbye.", "That is all, you can hang up.", "Please end the conversation.")
_ESCALATION: Final = (
    "I want to speak to a real person.",
    "Connect me with a human agent.",
    "Can I talk to somebody from your staff?",
)


@dataclass(frozen=True, slots=True)
class Route:
    """Where to go.

    Attributes:
        target: The tool to call, or the agent to hand over to.
        score: Cosine of the best phrase.
        escalate: For the end of the session: whether a person is wanted.
    """

    target: ToolSpec | AgentSpec
    score: float
    escalate: bool = False


@dataclass(frozen=True, slots=True)
class _Phrase:
    text: str
    target: ToolSpec | AgentSpec
    ends: bool = False
    escalate: bool = False
    told: bool = False


@dataclass(frozen=True, slots=True)
class _Table:
    phrases: tuple[_Phrase, ...]
    vectors: NDArray[np.float32]


class Router:
    """Finds the way; threads may share it.

    Args:
        embed: Texts to unit vectors.
    """

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._lock = threading.Lock()
        self._tables: OrderedDict[tuple[str, str, str], _Table] = OrderedDict()

    def route(self, app: AppSpec, agent: AgentSpec, said: str) -> Route | None:
        """Return where what was said leads from `agent`; None: nowhere.

        One's own tools and child agents come first; the agents above are asked when they have
        something that is clearly better.
        """
        vector = self._embed([said])[0]
        own = self._best(app, agent, vector)
        if not agent.parent or agent.parent not in app.agents:
            return own if own and own.score >= LEAST else None
        parent = app.agents[agent.parent]
        above = self._best(app, parent, vector, without=agent)
        least = max(LEAST, own.score + CLEARLY if own else LEAST)
        if above is not None and above.score >= least:
            return Route(parent, above.score)
        return own if own and own.score >= LEAST else None

    def _best(
        self,
        app: AppSpec,
        agent: AgentSpec,
        vector: NDArray[np.float32],
        *,
        without: AgentSpec | None = None,
    ) -> Route | None:
        table = self._table(app, agent)
        if not table.phrases:
            return None
        scores = table.vectors @ vector
        for place in np.argsort(-scores, kind="stable"):
            phrase = table.phrases[place]
            if phrase.ends and scores[place] < ENDING:
                continue
            if without is None or phrase.target.name != without.name:
                return Route(phrase.target, round(float(scores[place]), 4), phrase.escalate)
        return None

    def _table(self, app: AppSpec, agent: AgentSpec) -> _Table:
        key = (app.name, app.version, agent.name)
        with self._lock:
            if key in self._tables:
                self._tables.move_to_end(key)
                return self._tables[key]
        phrases = tuple(_phrases(app, agent))
        vectors: Any = self._embed([phrase.text for phrase in phrases]) if phrases else np.zeros(0)
        table = _with_own_escalation(_Table(phrases, vectors))
        with self._lock:
            self._tables[key] = table
            if len(self._tables) > _REMEMBERED:
                self._tables.popitem(last=False)
        return table


def _with_own_escalation(table: _Table) -> _Table:
    """Give our own ways of calling for a person to the target that the instruction has for it."""
    usual = [place for place, phrase in enumerate(table.phrases) if phrase.escalate]
    others = [place for place, phrase in enumerate(table.phrases) if phrase.told]
    if not usual or not others:
        return table
    alike = (table.vectors[usual] @ table.vectors[others].T).max(axis=0)
    if float(alike.max()) < ALIKE:
        return table
    phrases = list(table.phrases)
    target = phrases[others[int(alike.argmax())]].target
    for place in usual:
        phrases[place] = _Phrase(phrases[place].text, target)
    return _Table(tuple(phrases), table.vectors)


def _phrases(app: AppSpec, agent: AgentSpec) -> Iterator[_Phrase]:
    for tool in app.tools_of(agent):
        if tool.kind == "systemTool" and tool.display_name == END_SESSION:
            yield from (_Phrase(text, tool, ends=True) for text in _PARTING)
            yield from (_Phrase(text, tool, ends=True, escalate=True) for text in _ESCALATION)
        else:
            yield from (_Phrase(text, tool) for text in _texts_of(app, tool))
            yield from (_Phrase(text, tool, told=True) for text in _told(agent, tool))
    for name in agent.children:
        if name in app.agents:
            child = app.agents[name]
            yield from (_Phrase(text, child) for text in _texts_below(app, agent, child, 1))
            yield from (_Phrase(text, child, told=True) for text in _told(agent, child))


def _texts_below(app: AppSpec, agent: AgentSpec, child: AgentSpec, depth: int) -> Iterator[str]:
    """Yield what an agent is for, and what everything under it is for."""
    yield from _texts_of(app, child)
    if role := role_of(child.instruction):
        yield role
    for tool in app.tools_of(child):
        if tool.name not in agent.tools:  # one's own is nearer
            yield from _texts_of(app, tool)
            yield from _told(child, tool)
    if depth < _DEEPEST:
        for name in child.children:
            if name in app.agents and name != agent.name:
                yield from _texts_below(app, child, app.agents[name], depth + 1)
            yield from _told(child, app.agents[name])


def _texts_of(app: AppSpec, target: ToolSpec | AgentSpec) -> Iterator[str]:
    name = _spaced(target.display_name)
    if " " in name or not target.description:  # one word by itself means little
        yield name
    if target.description:
        yield target.description
        sentences = [
            target.description[start:end] for start, end in split_sentences(target.description)
        ]
        yield from sentences if len(sentences) > 1 else ()
    yield from (hint.text for hint in app.hints if hint.target == target.name)


def _told(agent: AgentSpec, target: ToolSpec | AgentSpec) -> Iterator[str]:
    """Yield what an agent's instruction says of a target."""
    for mention in mentions(agent.instruction, target.display_name):
        yield from mention.phrases


def _spaced(name: str) -> str:
    return re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name).replace("_", " ").replace("-", " ").lower()
