"""Which passages are read."""

from __future__ import annotations

from toulmin.answering.compose.choosing import READ_CHARACTERS, READ_PASSAGES, readable
from toulmin.answering.passages import Passage

QUERY = "Who opened the Varn Bridge?"


def kept(passages, **options):
    found = readable(QUERY, passages, **options)
    assert len(found) == len(passages)
    assert all(f.text in ("", p.text) for f, p in zip(found, passages, strict=True))
    return [place for place, passage in enumerate(found) if passage.text]


def test_known_relevance_keeps_the_order():
    passages = [Passage(text=f"Text {i}.", relevance=0.5) for i in range(8)]
    passages[7] = Passage(text="Ada opened the Varn Bridge.", relevance=0.1)
    assert kept(passages) == list(range(READ_PASSAGES))


def test_a_callers_passages_are_ordered_by_the_words_of_the_question():
    passages = [Passage(text=f"Text {i}.") for i in range(8)]
    passages[7] = Passage(text="Much else. Ada opened the Varn Bridge.")
    passages[5] = Passage(text="The Varn runs here.")
    assert kept(passages, most=2) == [5, 7]
    assert kept(passages, most=1) == [7]


def test_passages_without_the_words_are_read_from_the_front():
    assert kept([Passage(text="Etwas anderes.")] * 7) == [0, 1, 2, 3, 4]


def test_long_passages_fill_the_time_and_empty_ones_take_none():
    long = Passage(text="x" * (READ_CHARACTERS // 2 + 1), relevance=0.5)
    blank = Passage(text=" ", relevance=0.5)
    assert kept([blank, long, long, long]) == [1, 2]
    assert kept([Passage(text="x" * 9 * READ_CHARACTERS, relevance=0.1)] * 2) == [0]


def test_nothing_to_read():
    assert readable(QUERY, []) == []
