"""What an agent says of documents is checked against the documents, not against its own answer."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from toulmin.answering.answer import GroundingSupport
from toulmin.conversation.arguments import ArgumentFiller
from toulmin.conversation.checking import CheckedText, check_turn
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


def run(*supports):
    """Return the outputs, verdict and facts of a turn whose answer has these supports."""
    passage = SimpleNamespace(title="Guide", uri="u", document="d", text=PASSAGE)
    answer = SimpleNamespace(
        skipped=False, references=(passage,), grounding_score=0.9, text=ANSWER, supports=supports
    )
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
    return outputs, turn.log.attributes["hallucination"], checker.facts


def test_the_whole_passages_are_the_facts_and_the_answer_is_none():
    outputs, verdict, facts = run()
    assert outputs[0] == {"text": ANSWER}
    assert facts == [PASSAGE]
    assert verdict["score"] == 1


@pytest.mark.parametrize(("support", "score"), [(0.7, 1), (0.3, 0)])
def test_an_answer_that_was_checked_is_not_checked_again(support, score):
    _, verdict, facts = run(GroundingSupport(0, len(ANSWER), support, needs_check=True))
    assert facts == []
    assert (verdict["score"], verdict["support"]) == (score, support)
    assert (f'"{ANSWER}" (support 0.30)' in verdict["explanation"]) == (score == 0)


def test_an_answer_that_states_nothing_has_no_verdict():
    _, verdict, facts = run(GroundingSupport(0, len(ANSWER), None, needs_check=False))
    assert (verdict["score"], facts) == (-1, [])


def test_another_text_than_the_checked_one_is_checked():
    checker = Checker()
    verdict = check_turn(
        "It is 180 metres tall.",
        (),
        (),
        checker=lambda: checker,
        others=[PASSAGE],
        checked=CheckedText(ANSWER, ((ANSWER, 0.1),)),
    )
    assert (verdict.score, checker.facts) == (1, [PASSAGE])


def test_lines_of_a_response_are_not_judged_again():
    checker = Checker()
    text = 'Open: no\n"look up" failed: HTTP 500.\nIt opens on Monday.'
    taken = ["Open: no", '"look up" failed: HTTP 500.']
    verdict = check_turn(text, [{"open": False}], (), checker=lambda: checker, taken=taken)
    assert (verdict.score, verdict.support) == (1, 0.9667)
    assert checker.facts == ["Open: no"]
    asked = check_turn(taken[0], [], (), checker=lambda: pytest.fail("asked"), taken=taken)
    assert (asked.score, asked.support) == (1, 1.0)


def asking(said, *, answered):
    """Return what a turn says whose tool needs something, where documents may have an answer."""
    needs = ToolSpec(
        name="a/tools/passes",
        display_name="passes",
        kind="clientFunction",
        parameters={
            "type": "OBJECT",
            "properties": {"days": {"type": "INTEGER"}},
            "required": ["days"],
        },
    )
    agent = AgentSpec(name="a/agents/r", display_name="R", tools=(needs.name, TOOL.name))
    app = AppSpec(
        name="a",
        display_name="A",
        root=agent.name,
        agents={agent.name: agent},
        tools={needs.name: needs, TOOL.name: TOOL},
        variables={},
    )
    passage = SimpleNamespace(title="Guide", uri="u", document="d", text=PASSAGE)
    answer = SimpleNamespace(
        skipped=not answered, references=(passage,), grounding_score=0.9, text=ANSWER, supports=()
    )
    reader = SimpleNamespace(read=lambda *_, **__: SimpleNamespace(answers=()))
    rooms = SimpleNamespace(
        router=SimpleNamespace(route=lambda *_, **__: Route(needs, 0.9)),
        filler=ArgumentFiller(lambda: reader),
        checker=Checker,
        is_small_talk=lambda said: False,
        answerer=lambda: SimpleNamespace(answer=lambda *_, **__: answer),
        data_stores_of=lambda _: (),
        confirms=False,
        leader=None,
        judge=None,
        python=None,
    )
    turn = Turn(
        app, SessionState(), Inputs(text=said), rooms=rooms, now=datetime(2026, 1, 1, tzinfo=UTC)
    )
    return [item["text"] for item in turn.run() if "text" in item]


@pytest.mark.parametrize(
    ("said", "answered", "text"),
    [
        ("How high is the tower?", True, ANSWER),
        ("How high is the tower?", False, "How many days?"),
        ("How long is my pass valid?", True, "How many days?"),
        ("I want a pass", True, "How many days?"),
    ],
)
def test_a_question_about_anybody_is_looked_up_before_the_user_is_asked(said, answered, text):
    assert asking(said, answered=answered) == [text]
