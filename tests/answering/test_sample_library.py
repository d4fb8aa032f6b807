"""The sample documents, asked what a new user asks them first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.answering.office_store import ask, open_office

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.thorough]
LIBRARY = Path(__file__).parents[2] / "examples" / "library"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    services = open_office(tmp_path_factory.mktemp("library"), LIBRARY)
    yield services
    services.close()


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("How tall is the Eiffel Tower?", "With the antennas of today it measures 330 metres."),
        ("How high is the second floor of the Eiffel Tower?", "Part: second floor"),
        ("When was the Eiffel Tower finished?", "The tower was finished on 31 March 1889"),
        ("Who built the Eiffel Tower?", "The company of the engineer Gustave Eiffel built it."),
        ("How many moons does Jupiter have?", "planet: Jupiter, known moons: more than 90."),
        ("What is the largest planet?", "planet: Jupiter"),
    ],
)
def test_what_the_documents_say_is_answered(library, question, begins):
    assert ask(library, question).text.startswith(begins)


@pytest.mark.parametrize(
    "question",
    [
        "How many eggs does a queen bee lay?",
        "How long does a queen bee live?",
        "How far is Mars from the sun?",
    ],
)
def test_a_number_of_something_else_is_not_said(library, question):
    assert ask(library, question).skipped
