"""The guide's token rule: words, and marks that end sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.grounding.tokens import MAX_ANSWER_TOKENS, count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("They wore off-the-rack clothes in 2024.", 7),
        ("Here is what I found. Titanic was directed by James Cameron.", 13),
        ("Titanic was directed by James Cameron. It was released in 1997.", 13),
        ("Titanic was directed by James Cameron. It was based on the sinking of the RMS Titanic that led to the death of 1500 people.", 26),
        ("Titanic was directed by James Cameron. It starred Brad Pitt and Kate Winslet", 14),
        ("Here is what I found. Titanic was directed by James Cameron. It starred Kate Winslet and Leonardo DiCaprio.", 21),
        ("Indossavano abiti di serie nel 2024.", 7),
        ("", 0),
        (" \n\t", 0),
        ("...", 1),
        ("Dr. Smith came.", 4),
        ("It cost $1,500.50 (approx.) in 1997!", 7),
        ('He said "yes."', 4),
        ("The ship sank.[1]", 4),
        ("- Kate Winslet\n- Billy Zane", 4),
        ("| Film | Year |\n|---|---|", 2),
        ("映画です。", 3),
        ("タイタニックは1997年の映画です。", 9),
        ("ภาพยนตร์", 2),
        ("Привет мир.", 3),
        ("तितली उड़ी।", 3),
    ],
)  # fmt: skip
def test_count(text, tokens):
    assert count_tokens(text) == tokens


def test_limit_is_the_guides():
    assert MAX_ANSWER_TOKENS == 4096
    assert count_tokens("word " * 4095 + "word") == 4096
    assert count_tokens("word " * 4095 + "word.") == 4097


@given(st.text())
def test_any_text_has_a_count_and_a_word_more_adds_one(text):
    tokens = count_tokens(text)
    assert tokens >= 0
    assert count_tokens(text + "\n\nword") == tokens + 1
