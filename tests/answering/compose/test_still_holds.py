"""What held at first is not said where the passage says what holds today."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.fit import that_answer
from toulmin.answering.compose.question_kind import asked_for
from toulmin.answering.compose.scoring import score_pieces
from toulmin.answering.compose.sentences import pieces_of
from toulmin.answering.passages import Passage
from toulmin.answering.reading.reader import Reading, SpanAnswer

TOWER = (
    "The tower is made of iron. At first it was about 312 metres high with its flagpole. With the"
    " antennas of today it measures 330 metres."
)


def first_said(query: str, text: str, span: str) -> str:
    start = text.index(span)
    reading = Reading((SpanAnswer(0, start, start + len(span), span, 0.8),), 0.9, odds={0: 2.0})
    asked, passages = asked_for(query), [Passage(text=text)]
    pieces = pieces_of(passages)
    scored = score_pieces(query, passages, pieces, reading, span_weight=asked.span_weight)
    found = that_answer(query, asked, passages, pieces, scored)
    return pieces[found.order[0]].text


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("How tall is the tower?", "330"),
        ("tower height in metres", "330"),
        ("How tall was the tower at first?", "312"),
        ("What was the original height of the tower?", "312"),
        ("How tall was the tower in 1889?", "312"),
    ],
)
def test_a_question_about_today_gets_what_holds_today(query, expected):
    assert expected in first_said(query, TOWER, "312 metres")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (
            "¿Cuánto mide la torre?",
            "Al principio la torre medía 312 metros. Hoy la torre mide 330 metros.",
        ),
        (
            "Quanto è alta la torre?",
            "All'inizio la torre era alta 312 metri. Oggi la torre è alta 330 metri.",
        ),
        (
            "Wie hoch ist der Turm?",
            "Anfangs war der Turm 312 Meter hoch. Heute ist der Turm 330 Meter hoch.",
        ),
        (
            "Quelle est la hauteur de la tour ?",
            "Au début, la hauteur de la tour était de 312 mètres. Aujourd'hui, elle est de 330 mètres.",
        ),
        (
            "塔の高さは何メートルですか。",
            "塔の高さは当初312メートルだった。現在の高さは330メートルである。",
        ),
    ],
)
def test_in_every_language_that_has_the_words(query, text):
    assert "330" in first_said(query, text, "312")


def test_a_sentence_about_today_that_does_not_give_what_is_asked_takes_no_place():
    text = "At first it was about 312 metres high. Today it is painted every seven years by hand."
    assert "312" in first_said("What is the height of the tower in metres?", text, "312 metres")


def test_without_a_word_about_the_past_nothing_gives_way():
    text = "The tower is 312 metres high. Today the bridge measures 330 metres."
    assert "312" in first_said("How tall is the tower?", text, "312 metres")
