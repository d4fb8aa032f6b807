"""Which sentences need a check: gold per language, and where doubt must mean True."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.grounding.check_worthiness import needs_check

CASES = json.loads(
    (Path(__file__).parent / "data" / "check_worthiness.json").read_text(encoding="utf-8")
)
MIN_RECALL_OF_EMPTY = 0.9


def test_gold_is_large_and_balanced():
    statements = sum(case["needs_check"] for case in CASES)
    assert len(CASES) >= 200
    assert 0.4 <= statements / len(CASES) <= 0.6


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["needs_check"]], ids=lambda case: case["text"][:30]
)
def test_every_statement_is_checked(case):
    assert needs_check(case["text"])


@pytest.mark.parametrize("half", ["dev", "test", "fresh"])
def test_empty_sentences_are_found(half):
    empty = [case["text"] for case in CASES if case["split"] == half and not case["needs_check"]]
    missed = [text for text in empty if needs_check(text)]
    assert 1 - len(missed) / len(empty) >= MIN_RECALL_OF_EMPTY, missed


@pytest.mark.parametrize(
    "text",
    [
        "Here is what I found.",
        "**Here is what I found:**",
        "HERE IS WHAT I FOUND.",
        "Here’s what I found!",
        "- Let me know if you have questions. 😀",
        "  Thanks!  ",
        "> Who directed it?",
    ],
)
def test_dress_does_not_matter(text):
    assert not needs_check(text)


@pytest.mark.parametrize(
    "text",
    [
        "Here is what I found: Titanic was directed by James Cameron.",
        "Here is a summary of the film, which was released in 1997.",
        "Thank you for the eleven Oscars won in 1998.",
        "Sure, it sank.",
        'She asked him, "Who are you?"',
        "We can help overburdened parents with the fund.",
        "I collected the results and reported back.",
        "12.",
        "a" * 5000,
        "Here is what I found " + "in the documents " * 40,
    ],
)
def test_doubt_means_check(text):
    assert needs_check(text)


@given(st.text())
def test_any_text_is_answered(text):
    assert needs_check(text) in {True, False}
    if not any(char.isalnum() for char in text):
        assert not needs_check(text)


@given(st.integers(min_value=13), st.sampled_from(["{} people died.", "It cost ${}.", "{}"]))
def test_a_figure_needs_a_check(number, frame):
    assert needs_check(frame.format(number))
