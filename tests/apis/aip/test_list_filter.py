"""Filters of list methods: bare words are values; what stands in strings stays as it is."""

from __future__ import annotations

import time

import pytest

from toulmin.apis.aip.list_filter import parse_list_filter
from toulmin.errors import InvalidArgument
from toulmin.retrieval.filters import parse_filter


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("done=true", 'done = "true"'),
        ('name = "a \\" = b" AND done=no', 'name = "a \\" = b" AND done = "no"'),
        ('name = "a\\\nb=c"', 'name = "a\\\nb=c"'),
    ],
)
def test_bare_words_are_strings(text, meant):
    assert parse_list_filter(text, ("name", "done")) == parse_filter(meant)


def test_a_string_without_an_end_is_refused_in_time():
    text = '"' + '\\"' * 200_000
    began = time.process_time()
    with pytest.raises(InvalidArgument, match="no closing double quote"):
        parse_list_filter(text, ("name",))
    assert time.process_time() - began < 2
