"""The same attribute of the same thing with two values: both are given."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.conflicts import conflict
from toulmin.answering.passages import Passage

QUERY = "What is the price of the Kestrel 300?"
SHEET = Passage(
    text="## Ordering\n\n- Price: 890 euros\n- Weight: 4 kg", title="Kestrel 300", document="a"
)
ROWS = (
    "| Product | Price |\n| --- | --- |\n| Kestrel 300 | 910 euros |\n| Kestrel 500 | 1,340 euros |"
)
LIST = Passage(text=ROWS, title="Price list", document="b", struct_data={"updated": "2025-03-01"})


def said(query: str, *passages: Passage, cited: tuple[int, ...] = (0,)) -> str:
    found = conflict(query, "en", passages, set(cited))
    return found.text if found else ""


def test_both_values_are_given_with_their_documents_and_dates():
    found = conflict(QUERY, "en", [SHEET, LIST], {0})
    assert found is not None
    assert found.text == (
        'The documents differ on this: "Kestrel 300" says 890 euros; "Price list" (2025-03-01) says'
        " 910 euros."
    )
    assert found.passages == (0, 1)


def test_other_languages_have_their_own_words():
    found = conflict("¿Cuál es el precio del Kestrel 300?", "es", [SHEET, LIST], {0})
    assert found is None  # "precio" is no attribute here
    es = [
        Passage(text="- Precio: 890 euros", title="Kestrel 300", document="a"),
        Passage(text="- Precio: 910 euros", title="Kestrel 300", document="b"),
    ]
    found = conflict("¿Cuál es el precio del Kestrel 300?", "es", es, {0})
    assert found is not None
    assert found.text == (
        "Los documentos difieren: «Kestrel 300»: 890 euros; «Kestrel 300»: 910 euros."
    )


@pytest.mark.parametrize(
    ("query", "other"),
    [
        (QUERY, "| Product | Price |\n| --- | --- |\n| Kestrel 300 | 890 euros |\n| B | 9 euros |"),
        (
            QUERY,
            "| Product | Price |\n| --- | --- |\n| Kestrel 300 | 970 dollars |\n| B | 9 dollars |",
        ),
        (QUERY, "| Product | Price |\n| --- | --- |\n| Kestrel 500 | 910 euros |\n| B | 9 euros |"),
        (
            QUERY,
            "| Product | Price |\n| --- | --- |\n| Kestrel 300 | on request |\n| B | 9 euros |",
        ),
        (
            QUERY,
            "| Product | Net price |\n| --- | --- |\n| Kestrel 300 | 910 euros |\n| B | 9 euros |",
        ),
        ("What is the weight of the Kestrel 300?", ROWS),
        ("What is the price of the Kestrel 500?", ROWS),
        ("What is the Kestrel 300?", ROWS),
    ],
)
def test_what_is_no_conflict_is_not_reported(query, other):
    assert not said(query, SHEET, Passage(text=other, title="Price list", document="b"))


def test_one_document_and_what_is_not_cited_make_none():
    same = Passage(text=ROWS, title="Kestrel 300", document="a")
    assert not said(QUERY, SHEET, same)
    assert not said(QUERY, SHEET, LIST, cited=())


NOTICE = Passage(text="Date: 4 May 2025\n\nThe museum has 14 rooms.", title="Notice", document="a")
LEAFLET = Passage(text="The museum has 12 rooms.", title="Leaflet", document="b")
ROOMS = "How many rooms does the museum have?"


def test_sentences_that_differ_in_one_figure_alone():
    assert said(ROOMS, NOTICE, LEAFLET) == (
        'The documents differ on this: "Notice" (4 May 2025) says 14 rooms; "Leaflet" says 12 rooms.'
    )


@pytest.mark.parametrize(
    ("query", "one", "other"),
    [
        (ROOMS, NOTICE, Passage(text="The museum has 14 rooms.", title="B", document="b")),
        (ROOMS, NOTICE, Passage(text="The museum had 12 rooms.", title="B", document="b")),
        (ROOMS, NOTICE, Passage(text="The museum has 12 rooms in 2 houses.", document="b")),
        (ROOMS, NOTICE, Passage(text="The museum has 12 rooms.", title="Notice", document="a")),
        ("How many halls does the museum have?", NOTICE, LEAFLET),
        ("", NOTICE, LEAFLET),
        (
            "How many seats does the room have?",
            Passage(text="The room has 12 seats.", title="Room 101", document="a"),
            Passage(text="The room has 8 seats.", title="Room 205", document="b"),
        ),
    ],
)
def test_other_sentences_are_no_conflict(query, one, other):
    assert not said(query, one, other)


def test_notes_with_numbers_may_speak_of_one_thing():
    notes = [
        Passage(text=f"The gate closes at {hour}:00.", title=f"Note {hour}", document=str(hour))
        for hour in (17, 18)
    ]
    assert said("When does the gate close?", *notes) == (
        'The documents differ on this: "Note 17" says 17:00; "Note 18" says 18:00.'
    )
