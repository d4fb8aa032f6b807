"""What a question asks for."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.question_kind import asked_for


@pytest.mark.parametrize(
    "query",
    [
        "What are the parts of the museum?",
        "List the rivers of Peru",
        "Which countries have nuclear power?",
        "What kinds of tickets are there?",
        "Can you list the opening hours?",
        "¿Cuáles son los ríos de Perú?",
        "Quali sono i fiumi del Perù?",
        "Quels sont les fleuves du Pérou ?",
        "有哪些河流？",
    ],
)
def test_questions_for_several_things(query):
    assert asked_for(query).several
    assert not asked_for(query).yes_no


@pytest.mark.parametrize(
    "query",
    [
        "Which class is it?",
        "What is the capital of Peru?",
        "Who opened the bridge?",
        "What was the reason?",
        "Are there lists?",
    ],
)
def test_questions_for_one_thing(query):
    assert not asked_for(query).several


@pytest.mark.parametrize(
    ("query", "yes_no"),
    [
        ("Is the bridge open?", True),
        ("Didn't Ada write it?", True),
        ("¿Es Madrid la capital?", True),
        ("Est-ce que Paris est grande ?", True),
        ("Ist Berlin groß?", True),
        ("È Roma la capitale?", True),
        ("東京は首都ですか？", True),
        ("北京是首都吗？", True),
        ("Can you tell me who opened the bridge?", False),
        ("Could you please explain how it works?", False),
        ("Is it red or blue?", False),
        ("Who is it?", False),
        ("東京はどこですか？", False),
        ("Is", False),
    ],
)
def test_questions_for_yes_or_no(query, yes_no):
    assert asked_for(query).yes_no is yes_no


@pytest.mark.parametrize(
    ("query", "topic"),
    [
        ("Tell me about the Varn Bridge", True),
        ("varn bridge", True),
        ("Can you tell me about the Varn Bridge?", True),
        ("Who opened the Varn Bridge", False),
        ("The 4 sales and service centers are viewed as", False),
        ("Is it open?", False),
    ],
)
def test_topics(query, topic):
    assert asked_for(query).topic is topic


def test_two_questions_in_one_have_two_parts():
    assert asked_for("When was it built, and where does it stand?").parts == 2
    assert asked_for("Why did it fall?").explained
