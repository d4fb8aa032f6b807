"""Passages cut into pieces: sentences, items, rows, and what is never said."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.sentences import PieceKind, piece_at, pieces_of, row_sentence
from toulmin.answering.passages import Passage

MIXED = """# Opening hours

The museum has three parts:

- a hall of **ships**
- the old kitchen [3]

Tickets are sold at the gate. They cost 4 euros.

| Day | Opens | Closes |
| --- | --- | --- |
| Monday | 9:00 | 17:00 |
| Sunday, in summer | 11:00 |  |

author: Ada Poe
"""


def of(text: str):
    return pieces_of([Passage(text=text)])


def test_kinds_and_words_of_a_mixed_passage():
    assert [(p.kind.value, p.text) for p in of(MIXED) if p.said] == [
        ("ITEM", "a hall of ships"),
        ("ITEM", "the old kitchen"),
        ("SENTENCE", "Tickets are sold at the gate."),
        ("SENTENCE", "They cost 4 euros."),
        ("ROW", "Day: Monday, Opens: 9:00, Closes: 17:00."),
        ("ROW", "Day: Sunday, in summer; Opens: 11:00."),
        ("LINE", "author: Ada Poe"),
    ]


def test_items_know_what_leads_into_them_and_lists_are_told_apart():
    pieces = of(MIXED)
    items = [p for p in pieces if p.kind is PieceKind.ITEM]
    rows = [p for p in pieces if p.kind is PieceKind.ROW]
    assert {p.lead_in for p in items} == {"The museum has three parts:"}
    assert len({p.block for p in items}) == len({p.block for p in rows}) == 1
    assert items[0].block != rows[0].block


def test_lists_of_two_passages_have_numbers_of_their_own():
    pieces = pieces_of([Passage(text="- one thing\n- two things")] * 2)
    assert [p.block for p in pieces] == [0, 0, 1, 1]


def test_sentences_know_those_before_them_in_their_paragraph_only():
    pieces = of("Ada wrote it. It sold well.\n\nIt was filmed.")
    assert [p.before for p in pieces] == [(), ("Ada wrote it.",), ()]


def test_every_character_of_a_passage_is_found_in_its_piece():
    pieces = pieces_of([Passage(text="First one."), Passage(text=MIXED)])
    for index, piece in enumerate(pieces):
        assert piece_at(pieces, piece.passage, piece.start) == index
        assert piece_at(pieces, piece.passage, piece.end - 1) == index
    assert piece_at(pieces, 1, MIXED.index("\n\n")) is None
    assert piece_at(pieces, 2, 0) is None
    assert piece_at([], 0, 0) is None


@pytest.mark.parametrize(
    ("header", "cells", "said"),
    [
        (("A", "B"), ("1", "2"), "A: 1, B: 2."),
        (("A:", ""), ("1", "2"), "A: 1, 2."),
        ((), ("1", "2"), "1, 2."),
        (("A", "B"), ("", ""), ""),
        (("A", "B"), ("x, y", "2."), "A: x, y; B: 2."),
        (("A",), ("1", "2"), "A: 1, 2."),
    ],
)
def test_a_row_becomes_a_sentence(header, cells, said):
    assert row_sentence(header, cells) == said


def test_marks_of_reference_go_and_figures_in_brackets_stay():
    assert (
        of("It fell [12] in 1900 [citation needed]. See [the map].")[0].text == "It fell in 1900."
    )


def test_an_endless_sentence_is_never_said():
    assert not any(p.said for p in of("word " * 400))
