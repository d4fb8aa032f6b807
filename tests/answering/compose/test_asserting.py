"""What question and answer state together."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.asserting import asserted


@pytest.mark.parametrize(
    ("query", "answer", "stated"),
    [
        ("Who is the CEO?", "Jonas Petri", "The CEO is Jonas Petri."),
        ("whos the CTO", "Ilse Brandt", "The CTO is Ilse Brandt."),
        ("What is the price of the Kestrel?", "5 euros.", "The price of the Kestrel is 5 euros."),
        ("How long does an MRI scan take?", "5 hours", "An MRI scan does take 5 hours."),
        ("Who will play at the opening?", "Ida", "Ida will play at the opening."),
        ("Who founded it?", "Maren", "Maren founded it."),
        ("How many nurses were in the group?", "81", "81 nurses were in the group."),
        ("How many flats does Corvine build?", "186", "Corvine does build 186 flats."),
        ("When was the Bergen branch opened?", "in 2004", "The Bergen branch was opened in 2004."),
        ("In which year did it open?", "2004", "It did open in 2004."),
        ("Which currency does Indonesia use?", "rupiah", "Indonesia does use rupiah."),
        ("How long is the pump's delivery?", "5 days", "The pump's delivery is 5 days."),
        (
            "How long is the delivery of the Kestrel 300?",
            "5 days",
            "The delivery of the Kestrel 300 is 5 days.",
        ),
        ("Why is it closed?", "a storm", ""),
        ("How do I open it?", "with a key", ""),
        ("wifi password", "on the board", ""),
        ("Who is it?", "", ""),
        ("", "x", ""),
    ],
)
def test_question_and_answer_make_a_statement(query, answer, stated):
    texts = ["An MRI scan is loud. Corvine is a firm. The Bergen branch is new."]
    assert asserted(query, answer, texts) == stated
