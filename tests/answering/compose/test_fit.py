"""Which sentences can answer: by names, words, and how nearly they are the best."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.fit import that_answer
from toulmin.answering.compose.question_kind import asked_for
from toulmin.answering.compose.scoring import score_pieces
from toulmin.answering.compose.sentences import pieces_of
from toulmin.answering.passages import Passage
from toulmin.answering.reading.reader import Reading, SpanAnswer


def said(
    query: str,
    *passages: Passage | str,
    spans: dict[str, float],
    odds: dict[int, float] | None = None,
    **options,
) -> list[str]:
    """Return the texts of the pieces that can answer, best first."""
    given = [Passage(text=p) if isinstance(p, str) else p for p in passages]
    answers = []
    for text, probability in spans.items():
        place = next(i for i, p in enumerate(given) if text in p.text)
        start = given[place].text.index(text)
        answers.append(SpanAnswer(place, start, start + len(text), text, probability))
    asked = asked_for(query)
    pieces = pieces_of(given)
    reading = Reading(tuple(answers), 0.9, odds=odds or {})
    scored = score_pieces(query, given, pieces, reading, span_weight=asked.span_weight)
    found = that_answer(query, asked, given, pieces, scored, **options)
    return [pieces[index].text for index in found.order]


HENRIKE = "Henrike was apprenticed to Gustav Brem in Orre. The brother of Henrike, Aksel, sailed."


def test_a_sentence_about_somebody_else_does_not_answer():
    spans = {"Gustav Brem": 0.9}
    assert said("To whom was Aksel apprenticed?", HENRIKE, spans=spans) == []
    whole = ["Henrike was apprenticed to Gustav Brem in Orre."]
    assert said("To whom was Henrike apprenticed?", HENRIKE, spans=spans) == whole


SIGNPOST = "Leave the motorway at exit 14 and follow the brown signs."


@pytest.mark.parametrize(
    ("odds", "share", "found"), [(2.0, 0.6, True), (-2.0, 0.6, False), (2.0, 0.1, False)]
)
def test_a_sentence_without_the_words_answers_where_the_model_is_sure(odds, share, found):
    other = "It is closed in winter."
    spans = {"exit 14": share, "closed": 1 - share}
    query = "Which turn-off brings visitors to the garden?"
    got = said(query, f"{SIGNPOST} {other}", spans=spans, odds={0: odds})
    assert (got[:1] == [SIGNPOST]) == found


def test_names_count_though_the_model_is_sure():
    spans = {"Gustav Brem": 0.9}
    query = "To whom was Aksel apprenticed?"
    assert said(query, HENRIKE, spans=spans, odds={0: 3.0}) == []


def test_a_name_above_or_before_a_sentence_is_enough():
    text = "She was apprenticed to Gustav Brem in Orre."
    titled = Passage(text=text, title="Henrike Sollund")
    spans = {"Gustav Brem": 0.9}
    assert said("To whom was Henrike apprenticed?", titled, spans=spans) == [text]
    led = f"Henrike built violins. {text}"
    assert said("To whom was Henrike apprenticed?", led, spans=spans) == [text]


def test_a_name_that_no_passage_has_excludes_nothing_here():
    text = "The office in Orre opens at nine."
    assert said("When does the Acme office in Orre open?", text, spans={"at nine": 0.9}) == [text]


@pytest.mark.parametrize("asked", ["Gerard Pym", "Ann Pym"])
def test_a_namesake_is_somebody_else(asked):
    text = "Gerald Pym was born in 1931."
    assert said(f"When was {asked} born?", text, spans={"1931": 0.9}) == []
    assert said("When was Gerald Pym born?", text, spans={"1931": 0.9}) == [text]
    assert said("When was Mr Pym born?", text, spans={"1931": 0.9}) == [text]


def test_a_version_comes_out_of_the_text_that_knows_it():
    notes = Passage(text="Released on 2 July. It has a new editor.", title="Release 4.1.0")
    other = Passage(text="The council received the report on 4 December. It came out late.")
    spans = {"on 4 December": 0.7, "on 2 July": 0.2}
    found = said("When was 4.1.0 released, on which day?", notes, other, spans=spans)
    assert found[:1] in ([], ["Released on 2 July."])
    assert not any("council" in text for text in found)


def test_a_sentence_that_shares_no_word_with_the_question_is_about_something_else():
    text = "We need your answers by 5 February."
    assert said("By what date must the creditor come forward?", text, spans={text: 0.9}) == []
    german = "Der Gläubiger muss sich bis zum 5. Februar melden, sonst verfällt die Forderung."
    spans = {"5. Februar": 0.9}
    assert said("By what date must the creditor come forward?", german, spans=spans) == [german]


def test_one_that_the_reader_does_not_believe_in_does_not_take_the_place_of_the_best():
    text = "The mayor opened the fair. The mayor met Marketa Svoboda on her round."
    spans = {"The mayor": 0.9, "Marketa Svoboda": 0.02}
    assert said("What is the name of the mayor?", text, spans=spans) == []


def test_a_yes_or_no_question_is_not_answered_with_another_topic():
    text = "The Lido offers seven nights with ferries."
    assert said("Is there a pharmacy at the Lido?", text, spans={}) == []
    text = "The Lido has a pharmacy in June."
    assert said("Is there a pharmacy at the Lido?", text, spans={}) == [text]


def test_details_are_those_behind_the_answer():
    text = "The mill was built in 1820. The mill has four sails. Bread is sold there."
    spans = {"1820": 0.9}
    short = said("When was the mill built?", text, spans=spans)
    long = said("When was the mill built?", text, spans=spans, with_details=True)
    assert short == ["The mill was built in 1820."]
    assert long[0] == short[0]
    assert len(long) == 3


GATES = "Gate A opens to the yard. Gate B opens to the street, by night too."


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("What does gate B open to?", ["Gate B opens to the street, by night too."]),
        ("What does gate A open to?", ["Gate A opens to the yard."]),
        ("What does gate C open to?", []),
        ("What do gates B or C open to?", ["Gate B opens to the street, by night too."]),
        ("What does the gate I saw open to?", ["Gate A opens to the yard."]),
    ],
)
def test_what_has_a_letter_for_a_name_is_not_another_one(query, found):
    assert said(query, GATES, spans={"to the yard": 0.9, "to the street": 0.8})[:1] == found


def test_of_two_that_are_asked_about_none_is_another_one():
    found = said("What do gate A and gate B open to?", GATES, spans={"to the yard": 0.9})
    assert sorted(found) == [
        "Gate A opens to the yard.",
        "Gate B opens to the street, by night too.",
    ]
