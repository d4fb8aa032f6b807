"""Two things side by side: what is said of both, and when it is said which has more."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.computing import computed
from toulmin.answering.passages import Passage

PLANS = """| Plan | Price | Storage | Support |
| --- | --- | --- | --- |
| Basic | 10 euros a month | 50 GB | by mail |
| Team | 25 euros a month | 200 GB | by mail |
| Site | 240 euros a year | 200 GB | by phone |
| Lab | 30 dollars a month | on request | by phone |"""
WHICH = "Which is cheaper, Basic or Team?"
BY_PRICE = [
    "Basic – Price: 10 euros a month.",
    "Team – Price: 25 euros a month.",
    "Basic is cheaper, by 15 euros a month.",
]


def page(text: str, title: str = "Plans", document: str = "a", **more) -> Passage:
    return Passage(text=text, title=title, document=document, **more)


def said(query: str, *passages: Passage) -> list[str]:
    found = computed(query, passages)
    return [sentence.text for sentence in found.sentences] if found else []


@pytest.mark.parametrize(
    "question",
    [
        WHICH,
        "which is cheaper: basic or team",
        "Which plan is cheaper, the Basic plan or the Team plan?",
        "Is the Basic or the Team plan cheaper?",
        "What is cheaper, the Basic plan or the Team plan?",
    ],
)
def test_the_cheaper_one_is_told_from_two_rows(question):
    found = said(question, page(PLANS))
    assert [line.casefold() for line in found] == [line.casefold() for line in BY_PRICE]


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("Which is more expensive, Basic or Team?", "Team is more expensive, by 15 euros a month."),
        ("Which has more storage, Basic or Team?", "Team has more storage, by 150 GB."),
        ("Which plan has less storage, Team or Basic?", "Basic has less storage, by 150 GB."),
        ("Which has more storage, Team or Site?", "Neither has more storage: both have 200 GB."),
    ],
)
def test_which_has_more(question, last):
    assert said(question, page(PLANS))[-1] == last


def test_the_difference_is_told_attribute_by_attribute():
    assert said("What is the difference between Basic and Team?", page(PLANS)) == [
        "Basic – Price: 10 euros a month, Storage: 50 GB, Support: by mail.",
        "Team – Price: 25 euros a month, Storage: 200 GB, Support: by mail.",
        "Price differs by 15 euros a month, storage by 150 GB; support is the same.",
    ]
    assert said("Compare the Basic plan with the Lab plan", page(PLANS)) == [
        "Basic – Price: 10 euros a month, Storage: 50 GB, Support: by mail.",
        "Lab – Price: 30 dollars a month, Storage: on request, Support: by phone.",
    ]


@pytest.mark.parametrize("other", ["Site", "Lab"])
def test_figures_of_two_units_are_said_and_not_compared(other):
    found = said(f"Which is cheaper, Basic or {other}?", page(PLANS))
    assert len(found) == 2
    assert found[1].startswith(f"{other} – Price: ")


def test_columns_bullets_and_sections_are_compared_too():
    columns = (
        "| | Basic | Team |\n| --- | --- | --- |\n| Price | 10 euros a month | 25 euros a month |"
        "\n| Storage | 50 GB | 200 GB |"
    )
    assert said(WHICH, page(columns)) == BY_PRICE
    bullets = "- Basic: 10 euros a month, 5 users\n- Team: 25 euros a month, 20 users"
    assert said(WHICH, page(bullets)) == [
        "Basic: 10 euros a month, 5 users.",
        "Team: 25 euros a month, 20 users.",
        "Basic is cheaper, by 15 euros a month.",
    ]
    sections = "## Basic\n\n- Price: 10 euros a month\n\n## Team\n\n- Price: 25 euros a month"
    assert said(WHICH, page(sections)) == BY_PRICE


def test_each_sentence_cites_its_own_document():
    one = page("- Price: 890 euros\n- Weight: 4 kg", "Kestrel 300", "a")
    other = page("- Price: 1,340 euros\n- Weight: 9 kg", "Kestrel 500", "b")
    found = computed("Which is lighter, the Kestrel 300 or the Kestrel 500?", [one, other])
    assert found is not None
    assert [(s.text, s.passages) for s in found.sentences] == [
        ("Kestrel 300 – Weight: 4 kg.", (0,)),
        ("Kestrel 500 – Weight: 9 kg.", (1,)),
        ("Kestrel 300 is lighter, by 5 kg.", (0, 1)),
    ]
    assert said("Which is cheaper, the Kestrel 300 or 500?", one, other)[-1] == (
        "Kestrel 300 is cheaper, by 450 euros."
    )


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which is cheaper, Basic or Gold?", PLANS),
        ("Which is better, Basic or Team?", PLANS),
        ("Which is heavier, Basic or Team?", PLANS),
        ("Which is cheaper in Norway, Basic or Team?", PLANS),
        ("Which is cheaper, Basic, Team or Site?", PLANS),
        ("Which has more users, Basic or Team?", PLANS),
        ("Which is not cheaper, Basic or Team?", PLANS),
        (WHICH, PLANS.replace("Price", "Price for schools")),
        (WHICH, PLANS.replace("| Storage", "| Cost")),
        (WHICH, f"{PLANS}\n| Basic | 12 euros a month | 50 GB | by mail |"),
        (WHICH, PLANS.replace("| Basic", "| Basic Plus")),
        ("What is the difference between Basic and Basic?", PLANS),
        ("What is the difference between a plan and a contract?", PLANS),
    ],
)
def test_what_is_not_plainly_of_both_is_not_compared(question, text):
    assert not said(question, page(text))


@pytest.mark.parametrize(
    "price", ["1.250 euros", "from 12 euros a month", "12 to 20 euros a month"]
)
def test_a_figure_that_may_be_two_is_said_and_not_compared(price):
    assert len(said(WHICH, page(PLANS.replace("25 euros a month", price)))) == 2


def test_things_of_different_kinds_have_no_difference_to_tell():
    text = (
        "## Chapter 1\n\n- Note: read it\n- Author: Ada Poe\n- Length: 9 pages\n\n"
        "## Chapter 2\n\n- Note: skip it\n- Editor: Rita Sousa\n- Price: 9 euros"
    )
    assert not said("What is the difference between chapter 1 and chapter 2?", page(text))


def test_of_many_attributes_twelve_are_said():
    rows = "\n".join(f"| Part {number} | {number} mm | {number + 1} mm |" for number in range(14))
    table = f"| | Basic | Team |\n| --- | --- | --- |\n{rows}"
    found = said("What is the difference between Basic and Team?", page(table))
    assert found[0].endswith("Part 11: 11 mm, and 2 more.")
    assert found[-1].endswith("part 11 by 1 mm.")


def test_a_smaller_figure_may_be_the_higher_accuracy():
    text = "| Sensor | Accuracy |\n| --- | --- |\n| K3 | 3 mm |\n| K5 | 1 mm |"
    assert said("Which has higher accuracy, K3 or K5?", page(text)) == [
        "K3 – Accuracy: 3 mm.",
        "K5 – Accuracy: 1 mm.",
    ]
