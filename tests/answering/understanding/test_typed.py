"""Questions as people type them."""

from __future__ import annotations

import pytest

from toulmin.answering.understanding.typed import as_read


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("whos the CTO", "Who is the CTO?"),
        ("whats Strongbox for", "What is Strongbox for?"),
        ("how many days off do i get", "How many days off do i get?"),
        ("lost my laptop what do i do", "What do i do if lost my laptop?"),
        ("laptop stolen, who do i call?", "Who do i call: laptop stolen?"),
        ("do passwords expire", "Do passwords expire?"),
    ],
)
def test_a_typed_question_is_put_in_order(typed, read):
    assert as_read(typed) == read


@pytest.mark.parametrize(
    "query",
    ["Who's the CTO?", "wifi password", "What is it?", "who?", "", "  ", "Wie lange dauert es",
     "When I call, what do I do?", "Whose is it?", "Tell me more."],
)  # fmt: skip
def test_anything_else_stays_as_it_is(query):
    assert as_read(query) == query
