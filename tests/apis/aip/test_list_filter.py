"""Filters of list methods: bare words are values; what stands in strings stays as it is."""

from __future__ import annotations

import time
from datetime import datetime

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
    assert parse_list_filter(text, {"name": str, "done": str}) == parse_filter(meant)


def test_a_string_without_an_end_is_refused_in_time():
    text = '"' + '\\"' * 200_000
    began = time.process_time()
    with pytest.raises(InvalidArgument, match="no closing double quote"):
        parse_list_filter(text, {"name": str})
    assert time.process_time() - began < 2


KINDS = {"count": int, "name": str, "done": bool, "created": datetime}


@pytest.mark.parametrize(
    "text",
    [
        "count = 3",
        "count: IN(1, 3)",
        "-count > 3",
        'name = "x" OR name: ANY("y")',
        "done = true",
        'done != "false"',
        'created = "2024"',
        'created >= "2024-04-16" AND created < 1700000000000000',
        '(name = "2024-01-01")',
    ],
)
def test_a_field_is_compared_with_its_own_kind(text):
    assert parse_list_filter(text, KINDS) == parse_filter(text.replace("= true", '= "true"'))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("count = abc", '"count" is a number'),
        ('count = "3"', '"count" is a number'),
        ('NOT count: ANY("3")', '"count" is a number'),
        ('name = "x" AND (count > 1 OR count > "2024-01-01")', 'column 30: "count" is a number'),
        ("name > 3", '"name" is a text'),
        ("done = 1", '"done" is true or false'),
        ("done = maybe", '"done" is true or false'),
        ("created = soon", '"created" is a time'),
    ],
)
def test_what_a_field_can_never_be_is_refused_by_its_name(text, why):
    with pytest.raises(InvalidArgument, match=why):
        parse_list_filter(text, KINDS)
