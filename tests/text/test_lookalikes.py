import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.text.lookalikes import plain_letters


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("The water is nоt safe.", "The water is not safe."),  # a Cyrillic o
        ("Νever mix them", "Never mix them"),  # a Greek capital nu
        ("ＮＯＴ for 12 year olds", "NOT for 12 year olds"),
        ("Москва is a city", "Москва is a city"),
        ("Αθήνα and Киев", "Αθήνα and Киев"),
        ("食品は８度で", "食品は8度で"),
        ("plain text", "plain text"),
    ],
)
def test_letters_that_pass_for_latin_are_read_as_latin(written, read):
    assert plain_letters(written) == read


@given(st.text(max_size=60))
def test_offsets_still_hold(text):
    assert len(plain_letters(text)) == len(text)
