"""The composer with the embedded models, on passages of our own."""

from __future__ import annotations

import pytest

from toulmin.answering.compose import ExtractiveComposer
from toulmin.answering.passages import Passage
from toulmin.answering.question import AnswerStyle, Question
from toulmin.services.wiring import build_services
from toulmin.settings import Settings

pytestmark = pytest.mark.model

PASSAGES = [
    Passage(
        text="The lighthouse on Gull Rock was built in 1874 by the engineer Marta Lindqvist. It is "
        "41 metres high and was lit with whale oil until 1906, when an electric lamp was put in. "
        "However, it was closed in 1960."
    ),
    Passage(
        text="The Varn Bridge crosses the river Osk near the town of Pellow. It was opened by "
        "Queen Ingrid on 3 May 1932 and carries about 12,000 cars a day. In 1950 it was widened."
    ),
    Passage(
        text="The museum has three parts:\n\n- a hall of ships\n- the old kitchen\n- a garden with "
        "herbs\n\n| Day | Opens | Closes |\n| --- | --- | --- |\n| Monday | 9:00 | 17:00 |\n"
        "| Sunday | 11:00 | 15:00 |\n"
    ),
    Passage(text="The bakery in Leeds failed because flour became expensive."),
]


@pytest.fixture(scope="module")
def composer():
    services = build_services(Settings())
    yield ExtractiveComposer(services.reader(), services.checker())
    services.close()


def answer(composer, query: str, style: AnswerStyle = AnswerStyle.ABSTRACTIVE) -> str:
    reading = composer.read(query, PASSAGES)
    question = Question(text=query, style=style)
    found = composer.compose(question, query, PASSAGES, reading=reading)
    return "".join(sentence.lead + sentence.text for sentence in found)


@pytest.mark.parametrize(
    ("query", "brief", "short"),
    [
        (
            "How high is the lighthouse on Gull Rock?",
            "41 metres",
            "The lighthouse on Gull Rock is 41 metres high and was lit with whale oil until 1906, "
            "when an electric lamp was put in.",
        ),
        (
            "When was the lighthouse closed?",
            "1960",
            "The lighthouse on Gull Rock was closed in 1960.",
        ),
        ("When was the Varn Bridge widened?", "1950", "In 1950 the Varn Bridge was widened."),
        (
            "Why did the bakery fail?",
            "flour became expensive",
            "The bakery in Leeds failed because flour became expensive.",
        ),
        (
            "When does the museum open on Sunday?",
            "11:00",
            "Day: Sunday, Opens: 11:00.",
        ),
        (
            "Was the lighthouse built in 1920?",
            "No.",
            "No. The lighthouse on Gull Rock was built in 1874 by the engineer Marta Lindqvist.",
        ),
    ],
)
def test_answers(composer, query, brief, short):
    assert answer(composer, query, AnswerStyle.EXTRACTIVE).startswith(brief)
    assert answer(composer, query) == short


def test_a_verdict_makes_a_yes_no_question_answerable(composer):
    said = composer.read("Did Queen Ingrid open the Varn Bridge?", PASSAGES)
    unsaid = composer.read("Did Queen Ingrid like cheese?", PASSAGES)
    assert said.verdict.yes
    assert said.answerable >= 0.6
    assert unsaid.verdict is None
    assert unsaid.answerable < said.answerable
