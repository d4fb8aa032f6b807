"""When a word of a query is put right."""

from __future__ import annotations

import re

import pytest

from toulmin.retrieval.spelling import put_right

PASSAGES = [
    "Network\nThe password of the Wi-Fi is on the card in the meeting room.",
    "Visitors\nWisi Lang of the front desk hands out badges. Ask her for a password.",
    "Hotels\nThe Cresta in Davos costs 210 francs a night, with breakfast.",
    "Reembolsos\nLa devolución del dinero se hace en treinta días, y no en menos.",
    "Refunds\nThe kettle is refunded within thirty days, if it is not damaged.",
]
NEAREST = {
    "wifi": "wisi",
    "cuesta": "cresta",
    "cuanto": "canto",
    "devolucoin": "devolución",
    "ketle": "kettle",
    "refudned": "refunded",
    "dvaos": "davos",
    "cheap": "chef",
    "thier": "thirty",
    "ictesr": "cresta",
}


def propose(text):
    corrected = re.sub(r"[^\W_]+", lambda word: NEAREST.get(word[0].lower(), word[0]), text)
    return corrected if corrected != text else ""


def passages(text):
    words = set(re.findall(r"\w+", text.lower()))
    return [one for one in PASSAGES if words & set(re.findall(r"\w+", one.lower()))]


@pytest.mark.parametrize(
    ("query", "right"),
    [
        ("ketle", "kettle"),
        ("Is the ketle refudned?", "Is the kettle refunded?"),
        ("hotel in Dvaos", "hotel in davos"),
        ("¿Cuándo se hace la devolucoin?", "¿Cuándo se hace la devolución?"),
    ],
)
def test_put_right_where_that_finds_more(query, right):
    assert put_right(query, propose, passages) == right


@pytest.mark.parametrize(
    "query",
    [
        "wifi password",  # another letter in a word of four makes another word
        "cuanto cuesta",  # no passage in Spanish has it
        "cuánto cuesta la noche",
        "cheap",  # a word, though no passage has it
        "a kettle in Davos",  # nothing to put right
    ],
)
def test_left_alone(query):
    assert put_right(query, propose, passages) == ""


def test_one_word_is_put_right_and_the_other_left():
    assert put_right("ketle wifi", propose, passages) == "kettle wifi"


def test_what_finds_no_more_is_left_alone():
    assert put_right("ketle", lambda text: "nothing", passages) == ""
