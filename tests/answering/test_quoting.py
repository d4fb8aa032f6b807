"""Rows and labelled lines that an answer quotes in form."""

from __future__ import annotations

import pytest

from toulmin.answering.passages import Passage
from toulmin.answering.quoting import quoted_at

SHEETS = Passage(
    text="## Kestrel 300\n\n- Price: 890 euros\n- Range: 8 m\n\n## Kestrel 500\n\n- Price: 1,340 euros\n"
    "\nThe Kestrel 500 measures waves.",
    title="Product sheets",
)
TABLE = Passage(
    text="| Product | Code | Price | Colour |\n|--|--|--|--|\n| Floor lamp | F1 | 120 euros | black |\n"
    "| Desk lamp | D1 | 49 euros | white |",
)


@pytest.mark.parametrize(
    ("text", "passage", "line"),
    [
        ("Kestrel 300 \u2013 Price: 890 euros.", SHEETS, "- Price: 890 euros"),
        ("Kestrel 500 \u2013 Price: 1,340 euros.", SHEETS, "- Price: 1,340 euros"),
        ("Range: 8 m.", SHEETS, "- Range: 8 m"),
        ("Product: Floor lamp, Price: 120 euros.", TABLE, "| Floor lamp"),
        ("Product: Desk lamp, Code: D1, Price: 49 euros, Colour: white.", TABLE, "| Desk lamp"),
    ],
)
def test_what_stands_so_in_the_passage(text, passage, line):
    at = quoted_at(text, passage)
    assert at is not None
    assert passage.text[at:].startswith(line)


@pytest.mark.parametrize(
    ("text", "passage"),
    [
        ("Kestrel 500 \u2013 Price: 890 euros.", SHEETS),  # that is the other's
        ("Kestrel 500 \u2013 Range: 8 m.", SHEETS),
        ("Price: 89 euros.", SHEETS),
        ("The Kestrel 500 measures waves.", SHEETS),  # a sentence, which the check reads
        ("Product: Floor lamp, Price: 49 euros.", TABLE),
        ("Price: 120 euros.", TABLE),
        ("Product: Floor lamp.", TABLE),
        ("Product: Floor lamp, Price: 120 euros, and more.", TABLE),
    ],
)
def test_what_does_not(text, passage):
    assert quoted_at(text, passage) is None
