"""Questions and their answers as claims, true and with another answer."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("lemminflect", reason="only in the training environment")

from packs import CONTRADICTION, NO, SPAN, SUPPORT, UNSUPPORTED, YES, Pack, Query
from stated import claims_about, polar, stated
from statements import statement_of

TEXT = (
    "The Varn Tower was opened in 1932 and repaired in 1988. Ilse Brandt designed the tower, Per Dahl"
    " the bridge. Its platform is at 180 metres."
)


def asked(question: str, answer: str) -> Query:
    start = TEXT.index(answer)
    return Query(question, "x", answer=SPAN, spans=[(start, start + len(answer))])


@pytest.mark.parametrize(
    ("question", "answer", "before", "said"),
    [
        ("When was the tower built?", "1932", "in", "The tower was built in 1932."),
        ("when did the torch visit New Delhi", "April 17", "", "The torch visited New Delhi on April 17."),
        ("Who designed the tower?", "Ilse Brandt", "", "Ilse Brandt designed the tower."),
        ("What is the capital of Orrin?", "Selm", "", "The capital of Orrin is Selm."),
        ("How many eggs does a queen lay a day?", "2,000", "", "A queen lays 2,000 eggs a day."),
        ("How many days of leave does a warehouse employee get?", "16 days", "", "A warehouse employee gets 16 days of leave."),
        ("In what year did Queen Anne die?", "1714", "", "Queen Anne died in 1714."),
        ("Who did BMG partner with in 2005?", "Sony", "", "BMG partnered with Sony in 2005."),
        ("What was the house known as?", "Red House", "", "The house was known as Red House."),
        ("Where is it located?", "the island", "on", "It is located on the island."),
    ],
)  # fmt: skip
def test_a_question_and_its_answer_are_a_statement(question, answer, before, said):
    assert statement_of(question, answer, before) == said


def test_what_has_no_known_form_is_left_out():
    assert statement_of("Why did it fail?", "the rain") is None
    assert statement_of("earliest print when", "1887") is None
    assert statement_of("Who designed the tower?", "") is None


def test_another_number_contradicts_and_another_name_is_only_not_supported():
    queries = [
        asked("When was the Varn Tower opened?", "1932"),
        asked("Who designed the Varn Tower?", "Ilse Brandt"),
        asked("Who designed the bridge?", "Per Dahl"),
    ]
    claims = claims_about(TEXT, queries, random.Random(1))
    by_text = {claim.text: claim for claim in claims}
    assert by_text["The Varn Tower was opened in 1932."].label == SUPPORT
    assert [c.label for c in claims if "The Varn Tower was opened" in c.text] == [
        SUPPORT,
        CONTRADICTION,
    ]
    other = by_text["Per Dahl designed the Varn Tower."]
    assert other.label == UNSUPPORTED
    ((start, end),) = other.wrong
    assert other.text[start:end] == "Per Dahl"


def test_what_is_named_in_one_breath_with_the_answer_is_no_wrong_answer():
    text = "The tower was designed by Ilse Brandt and Per Dahl."
    start = text.index("Ilse")
    query = Query("Who designed the tower?", "x", answer=SPAN, spans=[(start, start + 11)])
    assert [claim.label for claim in claims_about(text, [query], random.Random(1))] in (
        [],
        [SUPPORT],
    )


def test_packs_are_the_same_for_the_same_seed():
    packs = [Pack(TEXT, [asked("Who designed the Varn Tower?", "Ilse Brandt")], "x")]
    assert stated(packs, 5, 3) == stated(packs, 5, 3)


def test_a_yes_no_question_gives_what_it_states_and_its_denial():
    text = "Marlow kale survives frost. Guests may not bring dogs."
    asked = [
        Query("Does Marlow kale survive frost?", "x", answer=YES),
        Query("Can I bring my dogs?", "x", answer=NO),
    ]
    assert [(claim.text, claim.label) for claim in polar(asked, text)] == [
        ("Marlow kale survives frost.", SUPPORT),
        ("Marlow kale does not survive frost.", CONTRADICTION),
        ("You can bring your dogs.", CONTRADICTION),
        ("You cannot bring your dogs.", SUPPORT),
    ]
