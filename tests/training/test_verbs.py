"""Denials: exactly one negation more, and back again."""

import random

import pytest
from data.grammar import past
from data.marks import CLOSE, OPEN, unmark
from data.verbs import PAST, affirmed, is_negative, main_verb, negated

STATEMENTS = [
    "Anna Keller was born in Bristol.",
    "The bridge is located in Ohio.",
    "Walker defeated Baker in the second round.",
    "The city controlled the harbour in 1804.",
    "Green shot the scene in Naples.",
    "The park opened in 1911.",
    "The company sold frozen bread.",
    "The school could admit more pupils.",
    "The box contains letters.",
    "The villages have a school.",
    "He won the prize.",
]
NEGATIVE = ("not", "n't", "never", "no longer", "failed to")


def bare(text):
    return text.replace(OPEN, "").replace(CLOSE, "")


@pytest.mark.parametrize("text", STATEMENTS)
def test_negated_adds_one_negation_in_the_place_of_the_verb(text):
    seen = set()
    for seed in range(40):
        claim, (start, end) = negated(text, random.Random(seed))
        plain, [(low, high)] = unmark(claim)
        seen.add(plain)
        assert low == start
        assert plain[:low] == text[:start]
        assert plain[high:] == text[end:]
        assert sum(plain[low:high].count(word) for word in NEGATIVE) == 1
        assert is_negative(plain)
        assert negated(plain, random.Random(seed)) is None
    assert len(seen) > 1


@pytest.mark.parametrize("text", STATEMENTS)
def test_affirmed_undoes_negated(text):
    undone = 0
    for seed in range(40):
        denied = bare(negated(text, random.Random(seed))[0])
        found = affirmed(denied)
        if found is None:
            continue
        plain, [(low, high)] = unmark(found[0])
        if "no longer" in denied:
            assert plain == text.replace(" is ", " is still ")
        elif high > low:
            assert plain == text
            undone += 1
    # Denials with "does not" and "never" before an irregular verb have no way back.
    assert undone or main_verb(text).text in ("contains", "have")


@pytest.mark.parametrize(
    "text",
    [
        "The lake is not deep.",
        "Nobody came to the meeting.",
        "In 1990, the park was closed.",
        "The park was closed and was sold.",
        "Some of the birds are rare.",
        "No verb here.",
    ],
)
def test_negated_leaves_alone_what_it_cannot_deny_safely(text):
    assert negated(text, random.Random(1)) is None


def test_affirmed_takes_back_one_negation_only():
    assert affirmed("The lake is deep.") is None
    assert affirmed("It was not never sold.") is None
    assert affirmed("It was not sold until 1990.") is None
    assert bare(affirmed("He cannot swim.")[0]) == "He can swim."
    assert bare(affirmed("The maps were unable to help.")[0]) == "The maps were able to help."
    claim, (start, end) = affirmed("It was never released.")
    assert unmark(claim) == ("It was released.", [(7, 15)])
    assert (start, end) == (7, 21)


def test_main_verb_finds_the_verb_of_the_first_clause():
    found = main_verb("The newly opened park attracted visitors.")
    assert (found.text, found.base) == ("attracted", "attract")
    assert main_verb("The man who came left.") is None
    assert main_verb("Anna Keller has two cars.").base == "have"
    assert main_verb("Anna Keller has sold two cars.").base == ""


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("commit", "committed"), ("control", "controlled"), ("kidnap", "kidnapped"),
        ("rob", "robbed"), ("star", "starred"), ("submit", "submitted"),
        ("transfer", "transferred"), ("shoot", "shot"), ("oversee", "oversaw"),
        ("rebuild", "rebuilt"), ("carry", "carried"), ("visit", "visited"), ("win", "won"),
    ],
)  # fmt: skip
def test_past_tense_and_back(base, expected):
    assert past(base) == expected
    assert PAST[expected] == base
