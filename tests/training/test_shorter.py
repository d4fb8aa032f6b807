"""Shorter statements follow from their sentence by its own words."""

import random

import pytest
from data.shorter import fluent, sound, statements_of


def every(sentence):
    """All statements of a sentence over many seeds."""
    return {s for seed in range(30) for s in statements_of(sentence, random.Random(seed))}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Anna Keller, a painter from Leeds, lives in Bristol.", "Anna Keller is a painter from Leeds."),
        ("Anna Keller, a painter from Leeds, moved to Bristol.", "Anna Keller was a painter from Leeds."),
        ("Anna Keller, who won a prize in Rome, lives in Bristol.", "Anna Keller won a prize in Rome."),
        ("The bridge was designed by Thomas Moreau in 1881.", "Thomas Moreau designed the bridge in 1881."),
        ("Walker opened two parks and built a new library.", "Walker built a new library."),
        ("Walker opened two parks and built a new library.", "Walker opened two parks."),
        ("In 1975, the company acquired Lumark.", "The company acquired Lumark in 1975."),
        ("Veltan Foods was founded by Maria Rossi in 1962.", "Maria Rossi founded Veltan Foods."),
        ('"The hall is too small," said Emily Carson.', "Emily Carson said that the hall is too small."),
    ],
)  # fmt: skip
def test_what_follows_from_a_sentence(sentence, expected):
    assert expected in every(sentence)


def test_nothing_is_taken_from_under_a_denial():
    assert "Walker built a library." not in every("Walker did not open a park and built a library.")
    for claim in every("The park was not closed by the city, although it had lost its trees."):
        assert "not" in claim


def test_statements_are_sound_and_differ_from_their_sentence():
    sentence = "However, Walker (a lawyer) opened two parks and built a new library in Dayton."
    found = every(sentence)
    assert len(found) >= 2
    assert sentence not in found
    assert all(sound(claim) for claim in found)


def test_statements_depend_on_the_seed_alone():
    sentence = "In 1975, the company, which was small, acquired Lumark, although it lost money."
    for seed in range(10):
        first = statements_of(sentence, random.Random(seed))
        assert first == statements_of(sentence, random.Random(seed))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The park was closed.", True),
        ("The park was closed", False),
        ("The green old park.", False),
        ("The park was (closed.", False),
        ('The "park was closed.', False),
        ("The park was in the.", False),
        ("Was it closed?", False),
    ],
)
def test_a_sound_statement_is_whole(text, expected):
    assert sound(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is an old park.", True),
        ("It is a old park.", False),
        ("It is the the park.", False),
        ("Home News Sport Weather Maps Contact About", False),
        ("It has roughly 20 trees.", True),
        ("It has roughly many trees.", False),
    ],
)
def test_a_fluent_claim_shows_no_broken_rewrite(text, expected):
    assert fluent(text) is expected
