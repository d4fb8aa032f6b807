"""Which of several things that are alike a question is about."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.asked_about import named, names_lacking, only_about
from toulmin.answering.passages import Passage

THREE = Passage(text="- Price: 890 euros\n- Weight: 2 kg", title="Kestrel 300")
FIVE = Passage(text="- Price: 1,340 euros", title="Kestrel 500")
BOTH = Passage(text="Unlike the Kestrel 300, the Kestrel 500 has a display. It weighs 3 kg.")


def left(query: str, *passages: Passage) -> list[str]:
    return [" ".join(p.text.split()) for p in only_about(query, passages)]


@pytest.mark.parametrize(
    "query", ["What is the price of the Kestrel 300?", "price kestrel 300", "Kestrel-300 price"]
)
def test_what_is_said_of_another_product_is_no_answer(query):
    assert left(query, THREE, FIVE, BOTH) == [
        "- Price: 890 euros - Weight: 2 kg",
        "",
        "Unlike the Kestrel 300, the Kestrel 500 has a display. It weighs 3 kg.",
    ]


def test_offsets_stay_what_they_are():
    (passage,) = only_about("Kestrel 300", [BOTH])
    assert len(passage.text) == len(BOTH.text)


@pytest.mark.parametrize(
    "query", ["Kestrel 300 and 500", "Compare the Kestrel 300 with the Kestrel 500"]
)
def test_both_that_are_asked_about_are_kept(query):
    assert all(left(query, THREE, FIVE, BOTH))


@pytest.mark.parametrize(
    "query", ["What is the price?", "What falls due after 30 days?", "Is Osprey 9 blue?", ""]
)
def test_questions_without_a_rival_leave_all_as_it_is(query):
    assert left(query, THREE) == [" ".join(THREE.text.split())]


def test_of_a_product_that_nothing_is_known_of_nothing_is_left():
    assert left("price of the kestrel 700", THREE, FIVE, Passage(text="A note.")) == ["", "", ""]


def test_the_sentence_before_says_whose_the_next_is():
    text = "The Kestrel 300 is small. It has a lid. The Kestrel 500 is large. It has no lid."
    assert left("Has the Kestrel 300 a lid?", Passage(text=text)) == [
        "The Kestrel 300 is small. It has a lid."
    ]


def test_a_month_with_its_year_is_a_name_where_it_says_which():
    assert named("the outage of March 2025", anyhow=True) == {"a date": {"march 2025"}}
    assert named("What happened in March 2025?", anyhow=True) == {}
    assert named("On March 14, and 14 March 2025") == {"a date": {"march 2025"}}
    outage = Passage(text="A cable broke.", title="Outage of 14 February 2025")
    assert left("What caused the outage of March 2025?", outage) == [""]
    assert left("What caused the outage of February 2025?", outage) == ["A cable broke."]


@pytest.mark.parametrize(
    ("query", "lacks"),
    [
        ("How long does a CT scan take?", True),
        ("How long does an MRI scan take?", False),
        ("Who runs the branch in Paris?", True),
        ("Is it open on Monday?", False),
        ("Wie lange dauert die Untersuchung?", False),
        ("how long does a ct scan take", False),
        ("What do Germans drink?", False),
    ],
)
def test_a_name_that_nobody_mentions_is_noticed(query, lacks):
    passage = Passage(text="The scan takes 15 minutes in Germany.", title="Your MRI scan")
    assert bool(names_lacking(query, [passage])) is lacks
    assert names_lacking(query, []) == []
