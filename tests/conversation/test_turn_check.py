"""What an agent says of documents is checked against the documents, not against its own answer."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

from toulmin.conversation.definition import AgentSpec, AppSpec, ToolSpec
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.routing import Route
from toulmin.conversation.state import SessionState
from toulmin.conversation.turn import Turn
from toulmin.grounding.report import CheckedClaim

PASSAGE = "The tower was opened in 1932. " * 60 + "It is 214 metres tall."
ANSWER = "It is 214 metres tall."
TOOL = ToolSpec(
    name="a/tools/guide",
    display_name="guide",
    kind="dataStoreTool",
    body={"dataStoreSource": {"dataStore": {"name": "projects/p/locations/l/dataStores/d"}}},
)
APP = AppSpec(
    name="a",
    display_name="A",
    root="a/agents/r",
    agents={"a/agents/r": AgentSpec(name="a/agents/r", display_name="R", tools=(TOOL.name,))},
    tools={TOOL.name: TOOL},
    variables={},
)


class Checker:
    """Notes the facts that a text is checked against."""

    def __init__(self):
        self.facts = []

    def check(self, text, facts, *_, **__):
        self.facts = [fact.text for fact in facts]
        claim = CheckedClaim(text, 0, len(text), needs_check=True, score=0.9)
        return SimpleNamespace(claims=(claim,), support_score=0.9)


def test_the_whole_passages_are_the_facts_and_the_answer_is_none():
    passage = SimpleNamespace(title="Guide", uri="u", document="d", text=PASSAGE)
    answer = SimpleNamespace(skipped=False, references=(passage,), grounding_score=0.9, text=ANSWER)
    checker = Checker()
    rooms = SimpleNamespace(
        router=SimpleNamespace(route=lambda *_, **__: Route(TOOL, 0.9)),
        filler=SimpleNamespace(
            fill=lambda tool, said, *, known, variables: SimpleNamespace(args=known, missing=())
        ),
        answerer=lambda: SimpleNamespace(answer=lambda *_, **__: answer),
        checker=lambda: checker,
        is_small_talk=lambda _: False,
        data_stores_of=lambda _: (),
        python=None,
        leader=None,
        judge=None,
    )
    turn = Turn(
        APP,
        SessionState(),
        Inputs(text="how tall is the tower"),
        rooms=rooms,
        now=datetime(2026, 1, 1, tzinfo=UTC),
    )
    outputs = list(turn.run())
    assert outputs[0] == {"text": ANSWER}
    assert checker.facts == [PASSAGE]
    assert turn.log.attributes["hallucination"]["score"] == 1
