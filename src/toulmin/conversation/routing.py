"""Where a user's words lead: to a tool, another agent, or nowhere; by meaning.

Each tool and agent has phrases: its name, its description, what the instruction says of it, what
the examples show. The best cosine of a phrase to what was said, and what else speaks for it
(`clues.py`), is the target's score; the best one wins if it is at least `LEAST`. The same words to
the same app always go the same way.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from toulmin.conversation.clues import Target, clues, target_of
from toulmin.conversation.definition import END_SESSION, AgentSpec, AppSpec, ToolSpec
from toulmin.conversation.instructions import mentions, role_of
from toulmin.conversation.words import spaced
from toulmin.text.sentences import split_sentences

Embed = Callable[[Sequence[str]], NDArray[np.float32]]

LEAST: Final = 0.22
"""Score from which on a target counts; benchmarks/conversations measures it."""
ENDING: Final = 0.55
"""The same for the end of the session, which cannot be taken back."""
ALIKE: Final = 0.45
"""Cosine from which on two phrases mean the same."""
CLEARLY: Final = 0.08
"""By how much a target elsewhere must be better than one's own to change agents for it."""
_REMEMBERED: Final = 256
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
        score: Cosine of its best phrase, with what else speaks for it.
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
    """Phrases, their vectors, and what is known of the target of each, by its name."""

    phrases: tuple[_Phrase, ...]
    vectors: NDArray[np.float32]
    targets: Mapping[str, Target]


class Router:
    """Finds the way; threads may share it.

    Args:
        embed: Texts to unit vectors.
    """

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._lock = threading.Lock()
        self._tables: OrderedDict[tuple[str, str, str], _Table] = OrderedDict()

    def route(
        self,
        app: AppSpec,
        agent: AgentSpec,
        said: str,
        *,
        barred: frozenset[str] = frozenset(),
    ) -> Route | None:
        """Return where what was said leads from `agent`; None: nowhere.

        One's own tools and child agents come first; the agents above are asked when they have
        something that is clearly better. Those whose names are in `barred` are no way.
        """
        vector = self._embed([said])[0]
        own = self._best(app, agent, said, vector, without=barred)
        if agent.parent in barred or agent.parent not in app.agents:
            return own if own and own.score >= LEAST else None
        parent = app.agents[agent.parent]
        above = self._best(app, parent, said, vector, without=frozenset({agent.name}))
        least = max(LEAST, own.score + CLEARLY if own else LEAST)
        if above is not None and above.score >= least:
            return Route(parent, above.score)
        return own if own and own.score >= LEAST else None

    def _best(
        self,
        app: AppSpec,
        agent: AgentSpec,
        said: str,
        vector: NDArray[np.float32],
        *,
        without: frozenset[str] = frozenset(),
    ) -> Route | None:
        table = self._table(app, agent)
        if not table.phrases:
            return None
        cosines = table.vectors @ vector
        known = dict(zip(table.targets, clues(said, list(table.targets.values())), strict=True))
        more = np.array([known[phrase.target.name] for phrase in table.phrases])
        scores = cosines + more
        for place in np.argsort(-scores, kind="stable"):
            phrase = table.phrases[place]
            if phrase.ends and cosines[place] < ENDING:
                continue
            if phrase.target.name not in without:
                return Route(
                    phrase.target, round(min(1.0, float(scores[place])), 4), phrase.escalate
                )
        return None

    def _table(self, app: AppSpec, agent: AgentSpec) -> _Table:
        key = (app.name, app.version, agent.name)
        with self._lock:
            if key in self._tables:
                self._tables.move_to_end(key)
                return self._tables[key]
        phrases = tuple(_phrases(app, agent))
        vectors: Any = self._embed([phrase.text for phrase in phrases]) if phrases else np.zeros(0)
        table = _with_own_escalation(_Table(phrases, vectors, _targets(app, phrases)))
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
    return _Table(tuple(phrases), table.vectors, table.targets)


def _targets(app: AppSpec, phrases: Sequence[_Phrase]) -> dict[str, Target]:
    """Return what is known of each target; our own phrases of an ending say nothing of it."""
    found: dict[str, Target] = {}
    for target in {phrase.target.name: phrase.target for phrase in phrases}.values():
        texts = [
            phrase.text
            for phrase in phrases
            if phrase.target.name == target.name and not phrase.ends
        ]
        found[target.name] = target_of(texts, _tools_below(app, target))
    return found


def _tools_below(app: AppSpec, target: ToolSpec | AgentSpec) -> list[ToolSpec]:
    """Return a tool, or the tools of an agent and of all agents below it."""
    if isinstance(target, ToolSpec):
        return [target]
    agents, seen = [target], {target.name}
    for agent in agents:
        below = [name for name in agent.children if name in app.agents and name not in seen]
        seen.update(below)
        agents += [app.agents[name] for name in below]
    return [tool for agent in agents for tool in app.tools_of(agent)]


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
            texts = _texts_below(app, agent, child, {agent.name, child.name})
            yield from (_Phrase(text, child) for text in texts)
            yield from (_Phrase(text, child, told=True) for text in _told(agent, child))


def _texts_below(app: AppSpec, agent: AgentSpec, child: AgentSpec, seen: set[str]) -> Iterator[str]:
    """Yield what an agent is for, and what everything under it is for, each agent once."""
    yield from _texts_of(app, child)
    if role := role_of(child.instruction):
        yield role
    for tool in app.tools_of(child):
        if tool.name not in agent.tools:  # one's own is nearer
            yield from _texts_of(app, tool)
            yield from _told(child, tool)
    for name in child.children:
        if name in app.agents:
            if name not in seen:
                seen.add(name)
                yield from _texts_below(app, agent, app.agents[name], seen)
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
    return spaced(name).replace("_", " ").replace("-", " ").lower()
