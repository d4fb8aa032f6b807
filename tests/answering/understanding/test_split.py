"""Questions that ask two things."""

from __future__ import annotations

import pytest

from toulmin.answering.understanding.split import parts_of


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "What does the Kestrel 300 cost and how long is its delivery?",
            ("What does the Kestrel 300 cost?", "How long is the Kestrel 300's delivery?"),
        ),
        (
            "When was the Bergen branch opened, and who manages it?",
            ("When was the Bergen branch opened?", "Who manages the Bergen branch?"),
        ),
        (
            "Who founded Tarn Instruments and when?",
            ("Who founded Tarn Instruments?", "When founded Tarn Instruments?"),
        ),
        ("When and where was Ada born?", ("When was Ada born?", "where was Ada born?")),
    ],
)
def test_each_part_stands_alone(question, parts):
    assert tuple(part.casefold() for part in parts_of(question)) == tuple(
        part.casefold() for part in parts
    )


@pytest.mark.parametrize(
    "question",
    [
        "Who built the bridge?",
        "What do research and development cost?",
        "Tell me about the bridge and who built it.",
        "",
        "and",
        "Wann und wo wurde Ada geboren?",
        "Who a and who b and who c and who d and who e?",
    ],
)
def test_other_questions_stay_whole(question):
    assert parts_of(question) == (question,)
