"""The rail's own code, with what it uses of NeMo Guardrails stood in for.

In NeMo Guardrails itself, against a server: tests/clients/nemo_guardrails.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest

from toulmin.errors import InvalidArgument, Unavailable

MODULE = "toulmin.integrations.nemo_guardrails"
TRUE, FALSE = "The bridge opened in 1998.", "It is 450 metres long."
FACT = "The bridge opened on 4 May 1998."


@dataclass
class ActionResult:
    return_value: Any
    context_updates: dict[str, Any]


@dataclass
class RailOutcome:
    is_blocked: bool
    reason: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def allow(cls, **more):
        return cls(False, **more)

    @classmethod
    def block(cls, **more):
        return cls(True, **more)


def action(**meta):
    def mark(function):
        function.action_meta = meta
        return function

    return mark


class ScriptedApi:
    """Supports every sentence but `FALSE`, and keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def call(self, _method, path, body):
        self.asked.append((path, body))
        if path.endswith(":search"):
            return {"results": [{"chunk": {"content": text}} for text in (FACT, "Another.")]}
        claims = [
            {"claimText": text, "groundingCheckRequired": True, "score": score}
            for text, score in ((TRUE, 0.9), (FALSE, 0.2))
            if text in body["answerCandidate"]
        ]
        return {"supportScore": 0.5, "claims": claims}

    @property
    def facts(self):
        (_, body), *others = self.asked
        assert not others
        return [fact["factText"] for fact in body["facts"]]


@pytest.fixture
def rail_class(monkeypatch):
    for name, contents in {
        "nemoguardrails": {},
        "nemoguardrails.actions": {"action": action},
        "nemoguardrails.actions.actions": {"ActionResult": ActionResult},
        "nemoguardrails.actions.rail_outcome": {"RailOutcome": RailOutcome},
    }.items():
        module = ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)
    yield importlib.import_module(MODULE).GroundingRail
    sys.modules.pop(MODULE)


@pytest.fixture
def api(monkeypatch):
    scripted = ScriptedApi()
    monkeypatch.setattr("toulmin.integrations.service.ServerApi", lambda *_, **__: scripted)
    return scripted


@pytest.fixture
def rail(rail_class, api):
    return rail_class(store="bridges")


def check(rail, text, **context):
    return asyncio.run(rail.check_grounding({"bot_message": text, **context}, llm=None))


def test_what_the_passages_bear_out_is_allowed(rail):
    outcome = check(rail, TRUE, relevant_chunks=FACT)
    assert not outcome.is_blocked
    assert outcome.metadata == {"support": 0.5, "weak": []}


def test_one_weak_sentence_is_enough_to_block_and_is_named(rail):
    outcome = check(rail, f"{TRUE} {FALSE}", relevant_chunks=FACT)
    assert outcome.is_blocked
    assert outcome.reason == f"not grounded: 0.20 {FALSE!r}"
    assert outcome.metadata["weak"] == [FALSE]


def test_the_least_support_is_what_was_asked_for(rail_class, api):
    assert not check(rail_class(min_support=0.2), FALSE, relevant_chunks=FACT).is_blocked
    assert check(rail_class(min_support=0.95), TRUE, relevant_chunks=FACT).is_blocked


@pytest.mark.parametrize(
    "context", [{}, {"relevant_chunks": None}, {"relevant_chunks": " \n"}], ids=repr
)
def test_without_passages_it_blocks_and_asks_nobody(rail, api, context):
    outcome = check(rail, TRUE, **context)
    assert outcome.is_blocked
    assert "relevant_chunks" in outcome.reason
    assert not api.asked


def test_an_empty_message_is_allowed(rail, api):
    assert not check(rail, " ", relevant_chunks=FACT).is_blocked
    assert not api.asked


def test_facts_are_the_pieces_of_what_the_model_was_shown(rail, api):
    check(rail, TRUE, relevant_chunks=f"{FACT}\nAnother.\n", relevant_chunks_sep=[FACT, "Another."])
    assert api.facts == [FACT, "Another."]


def test_facts_are_what_the_model_was_shown_where_the_pieces_are_others(rail, api):
    masked = "The bridge opened on <DATE>."
    check(rail, TRUE, relevant_chunks=masked, relevant_chunks_sep=[FACT])
    assert api.facts == [masked]


def test_passages_that_are_found_are_what_is_checked_by(rail, api):
    found = asyncio.run(rail.find_passages({"user_message": "When did it open?"}))
    path, body = api.asked.pop()
    assert "/dataStores/bridges/" in path
    assert (body["query"], body["pageSize"]) == ("When did it open?", 5)
    assert found.return_value == f"{FACT}\nAnother."
    check(rail, TRUE, **found.context_updates)
    assert api.facts == [FACT, "Another."]


def test_passages_are_found_only_in_a_data_store(rail_class, api):
    with pytest.raises(InvalidArgument, match="store"):
        asyncio.run(rail_class().find_passages({"user_message": "When did it open?"}))


def test_a_server_that_does_not_answer_is_an_error_and_no_pass(rail_class):
    rail = rail_class("http://127.0.0.1:9")
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:9"):
        check(rail, TRUE, relevant_chunks=FACT)


def test_the_names_registered_are_those_in_the_flows(rail):
    names = {}

    class App:
        def register_action(self, function, name):
            names[name] = function

    rail.register(App())
    assert names == {
        "toulmin_find_passages": rail.find_passages,
        "toulmin_check_grounding": rail.check_grounding,
    }
    assert all(function.action_meta["name"] == name for name, function in names.items())
