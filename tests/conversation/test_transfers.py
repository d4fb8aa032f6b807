"""Agents that would hand over to each other for ever: the turn ends, and says so."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from toulmin.conversation.definition import AgentSpec, AppSpec
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.routing import Route
from toulmin.conversation.state import SessionState
from toulmin.conversation.turn import MOST_TRANSFERS, Turn


def run(follows):
    """Return texts and targets of a turn in which the planner always hands over to the next.

    Args:
        follows: The next agent of each, by name; they are called as they are named.
    """
    agents = {
        name: AgentSpec(name=name, display_name=name.upper(), children=(after,))
        for name, after in follows.items()
    }
    app = AppSpec(name="app", display_name="A", root="a0", agents=agents, tools={}, variables={})
    state = SessionState()
    rooms = SimpleNamespace(
        router=SimpleNamespace(
            route=lambda *_, **__: Route(agents[follows[state.agent or "a0"]], 0.9)
        ),
        checker=lambda: None,
        is_small_talk=lambda _: False,
        python=None,
        leader=None,
        judge=None,
    )
    now = datetime(2026, 1, 1, tzinfo=UTC)
    turn = Turn(app, state, Inputs(text="who can help me with my bill"), rooms=rooms, now=now)
    texts = [item["text"] for item in turn.run() if "text" in item]
    chunks = [chunk for message in turn.log.messages for chunk in message["chunks"]]
    targets = [
        chunk["agentTransfer"]["displayName"] for chunk in chunks if "agentTransfer" in chunk
    ]
    return texts, targets, state


@pytest.mark.parametrize("length", [1, 2, 3])
def test_agents_in_a_circle_hand_over_once_each(length):
    follows = {f"a{n}": f"a{(n + 1) % length}" for n in range(length)}
    texts, targets, state = run(follows)
    assert targets == [f"A{n}" for n in range(1, length)]
    assert state.agent == f"a{length - 1}"
    assert len(texts) == 1
    assert texts[0].startswith("I cannot help with that.")


def test_a_chain_ends_after_as_many_as_are_allowed():
    texts, targets, state = run({f"a{n}": f"a{min(n + 1, 40)}" for n in range(41)})
    assert targets == [f"A{n}" for n in range(1, MOST_TRANSFERS + 1)]
    assert state.agent == f"a{MOST_TRANSFERS}"
    assert texts[-1].startswith("I cannot help with that.")
