"""What is said in the place of a value."""

from __future__ import annotations

import pytest

from toulmin.conversation import asides


@pytest.mark.parametrize("said", ["never mind", "Oh, forget it.", "cancel that please", "stop"])
def test_a_stop_is_one(said):
    assert asides.is_stop(said)
    assert asides.takes_back(said)


@pytest.mark.parametrize(
    "said",
    [
        "hang on... actually no, I'll keep it. forget it",
        "no i'd rather call them myself",
        "I changed my mind, sorry",
    ],
)
def test_among_other_words_it_is_taken_back_too(said):
    assert asides.takes_back(said)
    assert not asides.is_stop(said)


def test_whoever_does_not_want_to_say_it_is_known():
    assert asides.will_not_say("i don't want to say that here, I'll talk to my boss")
    assert not asides.will_not_say("I don't want to wait")


@pytest.mark.parametrize(
    "said", ["stop at Mill Road", "cancel order 7", "leave it at the door", "I want it"]
)
def test_what_says_more_is_no_stop(said):
    assert not asides.takes_back(said)


@pytest.mark.parametrize(
    "said", ["hold on", "hmm", "Wait, let me check.", "one moment please", "I have to look it up"]
)
def test_a_pause_is_one(said):
    assert asides.is_pause(said)


@pytest.mark.parametrize("said", ["wait for Ada", "one moment in time", "check", "no", ""])
def test_what_says_more_is_no_pause(said):
    assert not asides.is_pause(said)


@pytest.mark.parametrize(
    ("said", "rest"),
    [
        ("no, 25", "25"),
        ("Nope, Bert", "Bert"),
        ("no Bert", "Bert"),
        ("No. 5 Mill Road", ""),
        ("No 7", ""),
        ("Norway", ""),
        ("no", ""),
        ("Nora Nolan", ""),
    ],
)
def test_what_follows_a_no(said, rest):
    assert asides.after_no(said) == rest


@pytest.mark.parametrize(
    ("said", "expected"),
    [("How much is a day pass?", True), ("where is my order", False), ("a day pass", False)],
)
def test_a_question_about_nothing_of_the_users(said, expected):
    assert asides.is_about_anybody(said) is expected


def test_any_words_may_be_a_reason_but_no_city():
    assert asides.is_free("returnReason", {"type": "STRING"})
    assert asides.is_free("why", {"type": "STRING", "description": "Message to the driver"})
    assert not asides.is_free("city", {"type": "STRING", "description": "City of the problem"})
    assert not asides.is_free("reason", {"type": "STRING", "enum": ["damaged"]})
