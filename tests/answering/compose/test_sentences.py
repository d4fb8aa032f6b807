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
    names = (*header, *[""] * (len(cells) - len(header)))
    assert row_sentence(list(zip(names, cells, strict=True))) == said


def test_a_first_cell_below_an_empty_header_is_the_name_of_its_row():
    table = "| | Java | Sumatra |\n| --- | --- | --- |\n| Price | 5 euros | 7 euros |"
    assert of(table)[-1].text == "Price – Java: 5 euros, Sumatra: 7 euros."


def under(text: str, line: str, **passage) -> tuple[str, ...]:
    pieces = pieces_of([Passage(text=text, **passage)])
    return next(piece.under for piece in pieces if piece.text == line)


SHEET = (
    "Osprey 2\n\nA pump for wells, made for one house.\n\nTechnical data\n\n- Weight: 4 kg\n\n"
    "How to order it\n\n- Price: 90 euros"
)


def test_a_piece_knows_the_title_and_the_headings_that_it_stands_under():
    assert under(SHEET, "Weight: 4 kg", title="Osprey 2") == ("Osprey 2", "Technical data")
    assert under(SHEET, "Price: 90 euros", title="Osprey 2") == ("Osprey 2", "How to order it")
    later = under("A note.\n\nNext\n\nIt is so.", "It is so.", title="T", headings=("A", "B"))
    assert later == ("T", "A", "Next")


def test_headings_right_below_each_other_and_marked_ones_keep_their_levels():
    assert under("One\n\nTwo\n\nIt is so.", "It is so.") == ("One", "Two")
    marked = "# One\n\nA text.\n\n## Two\n\nIt is so."
    assert under(marked, "It is so.") == ("One", "Two")


@pytest.mark.parametrize(
    "line",
    [
        "How to change the filter of the pump in nine steps",
        "Post-mortem: the outage of 14 February",
        "Home | Products | Support | Contact us | Legal notice | Imprint | Press | Jobs | More",
        "What is covered by the guarantee?",
    ],
)
def test_headings_menus_and_questions_are_never_said(line):
    text = f"{line}\n\nIt is so."
    pieces = pieces_of([Passage(text=text, title="Post-mortem: the outage of 14 February")])
    assert [piece.said for piece in pieces] == [False, True]


def test_marks_of_reference_go_and_figures_in_brackets_stay():
    assert (
        of("It fell [12] in 1900 [citation needed]. See [the map].")[0].text == "It fell in 1900."
    )


def test_an_endless_sentence_is_never_said():
    assert not any(p.said for p in of("word " * 400))


def test_code_between_fences_is_one_piece():
    text = "Run this:\n\n```\nvault start   # twice\n\nvault stop. Now.\n```\n\nIt takes a minute."
    pieces = of(text)
    assert [(piece.kind, piece.text) for piece in pieces] == [
        (PieceKind.SILENT, "Run this:"),
        (PieceKind.CODE, "```\nvault start   # twice\n\nvault stop. Now.\n```"),
        (PieceKind.SENTENCE, "It takes a minute."),
    ]
    assert pieces[1].lead_in == "Run this:"


def test_code_that_goes_on_in_the_next_chunk():
    pieces = of("```\nvault start")
    assert [(piece.kind, piece.text) for piece in pieces] == [
        (PieceKind.CODE, "```\nvault start\n```")
    ]


def test_prose_between_fences_is_prose():
    text = "```\nThis is a letter that somebody has written. It goes on.\n```"
    assert PieceKind.CODE not in {piece.kind for piece in of(text)}
