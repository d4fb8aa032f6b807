"""Where written turns over six small apps lead. Half of them were looked at when tuning."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

from tests.conversation.apps import APP, make_app
from toulmin.agents import Agent, App
from toulmin.conversation.clues import IDENTIFIER, VALUE, clues, target_of
from toulmin.conversation.definition import ToolSpec, app_spec
from toulmin.conversation.instructions import mentions, role_of
from toulmin.conversation.routing import Router
from toulmin.models.embedder import Embedder

APPS = json.loads((Path(__file__).parent / "data/routing.json").read_text(encoding="utf-8"))
LEAST_RIGHT = {"tuning": 31, "held": 34}
"""Turns of each half that go where they should, of 36."""

INSTRUCTION = """\
<role>You are a clerk of Acme. You look after orders.</role>
<taskflow>
  <step name="Routing">
    <trigger>Customer states their issue.</trigger>
    <action>
      1. Listen.
      2. If the issue is about devices (broken screens, loud fans):
         - Transfer to the Repair Agent.
      3. If the issue is a billing question AND {status} is "known":
         - Use {@TOOL: look_up} to see the account.
    </action>
  </step>
  <step name="Escalation">
    <trigger>Customer wants a person.</trigger>
    <action>
      Call {@TOOL: set_state} with:
        - _trigger = "escalate"
        - _reason = a brief summary
    </action>
  </step>
</taskflow>
"""


@pytest.fixture(scope="module")
def router():
    embedder = Embedder()
    yield Router(lambda texts: embedder.embed(list(texts)))
    embedder.close()


@pytest.mark.model
@pytest.mark.parametrize("half", ["tuning", "held"])
def test_most_turns_go_where_they_should(router, half):
    right, wrong = 0, []
    for item in APPS:
        app = make_app(item["tools"], item["agents"])
        for turn in item["turns"]:
            if turn["half"] != half:
                continue
            route = router.route(app, app.agents[app.root], turn["said"])
            found = route.target.display_name if route else ""
            right += found == turn["target"]
            if found != turn["target"]:
                wrong.append((turn["said"], turn["target"], found))
    assert right >= LEAST_RIGHT[half], wrong


@pytest.mark.model
def test_an_example_shows_the_way(router):
    tools = [{"name": "alpha", "description": "Does things."}, {"name": "beta", "description": "x"}]
    said = "my hovercraft is full of eels"
    shown = [
        {"role": "user", "chunks": [{"text": said}]},
        {"role": "Root", "chunks": [{"toolCall": {"tool": f"{APP}/tools/beta"}}]},
    ]
    without, with_example = make_app(tools), make_app(tools, examples=[shown])
    root = without.root
    assert router.route(without, without.agents[root], said) is None
    route = router.route(with_example, with_example.agents[root], said)
    assert (route.target.display_name, route.score) == ("beta", 1.0)


@pytest.mark.model
def test_the_instructions_way_to_a_person_comes_before_ours(router):
    tools = [{"name": "set_state", "description": "Sets variables."}]
    app = make_app(tools, instruction=INSTRUCTION)
    route = router.route(app, app.agents[app.root], "Customer wants a person.")
    assert route.target.display_name == "set_state"


def test_an_allowed_value_and_an_identifier_speak_for_a_tool():
    schema = {"type": "STRING", "enum": ["green", "basic"]}
    tariff = target_of(["Changes it."], [_tool("change_tariff", tariff=schema)])
    ticket = target_of(["Says it."], [_tool("ticket_status", ticket_number={"type": "STRING"})])
    assert clues("put me on basic", [tariff, ticket]).tolist() == [VALUE, 0.0]
    assert clues("basic or green", [tariff, tariff]).tolist() == [VALUE / 2, VALUE / 2]
    assert clues("what of INC-4471", [tariff, ticket]).tolist() == [0.0, IDENTIFIER]
    assert clues("change it", [tariff, ticket])[0] > clues("change it", [tariff, ticket])[1]


def test_agents_that_all_know_each_other_are_looked_at_once():
    ids = [f"a{number}" for number in range(30)]
    agents = [
        Agent(
            parent=APP,
            id=id_,
            display_name=id_,
            fields={
                "description": id_,
                "childAgents": [f"{APP}/agents/{x}" for x in ids if x != id_],
            },
        )
        for id_ in ids
    ]
    owner = App(parent=APP.rpartition("/apps/")[0], id="a", fields={"rootAgent": agents[0].name})
    app = app_spec(owner, agents, [])
    asked = []
    router = Router(lambda texts: asked.extend(texts) or np.ones((len(texts), 2)))
    router.route(app, app.agents[app.root], "x")
    assert len(asked) < 30 * 60


def _tool(name, **properties):
    parameters = {"type": "OBJECT", "properties": properties, "required": list(properties)}
    return ToolSpec(
        name=f"{APP}/tools/{name}", display_name=name, kind="clientFunction", parameters=parameters
    )


def test_an_instruction_says_what_belongs_to_what():
    assert role_of(INSTRUCTION) == "You are a clerk of Acme. You look after orders."
    (repair,) = mentions(INSTRUCTION, "repair_agent")
    assert repair.phrases == (
        "the issue is about devices (broken screens, loud fans)",
        "broken screens",
        "loud fans",
    )
    (look_up,) = mentions(INSTRUCTION, "look_up")
    assert look_up.phrases == ("the issue is a billing question",)
    (state,) = mentions(INSTRUCTION, "set_state")
    assert state.phrases == ("Customer wants a person.",)
    assert state.constants == {"_trigger": "escalate"}
    assert mentions("Be kind.", "look_up") == ()


@pytest.mark.parametrize("piece", ["<step>", "<step><trigger>", "<role>", "<!--", "<a"])
def test_an_instruction_of_tags_without_an_end_is_read_in_time(piece):
    text = (piece * 65_536)[:65_536]
    began = time.process_time()
    role_of(text)
    mentions(text, "x")
    assert time.process_time() - began < 2


def test_comments_of_an_instruction_are_left_out():
    assert role_of("<!-- a -->Be <!-- <!-- b --> kind.<!-- c") == "Be kind."
