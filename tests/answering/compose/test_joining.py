"""Sentences out of their place that stand alone."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.joining import ended, resolve, stand_alone, without_marks
from toulmin.answering.compose.sentences import Piece, PieceKind

BRIDGE = "The Varn Bridge is a stone bridge near Pellow."


def alone(text: str, *before: str, query: str = "", title: str = "", language: str = "en"):
    piece = Piece(0, 0, len(text), PieceKind.SENTENCE, text, before=before)
    return stand_alone(piece, language=language, query=query, title=title)


@pytest.mark.parametrize(
    ("text", "before", "said"),
    [
        ("It was opened in 1932.", [BRIDGE], "The Varn Bridge was opened in 1932."),
        ("Its arch is high.", [BRIDGE], "The Varn Bridge's arch is high."),
        ("In 1950 it was widened.", [BRIDGE], "In 1950 the Varn Bridge was widened."),
        ("It burned.", [BRIDGE, "It was wide."], "The Varn Bridge burned."),
        ("It sank.", ["DECnet, a network, was made in 1975."], "DECnet sank."),
        (
            "He died in 1906.",
            ["John Okoye (1850-1906) lived in Leeds."],
            "John Okoye died in 1906.",
        ),
        ("They settled there.", ["The Normans were Vikings."], "The Normans settled there."),
    ],
)
def test_a_pronoun_becomes_the_subject_before_it(text, before, said):
    assert resolve(text, before, query="") == said


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("It was opened in 1932.", []),
        ("It was opened in 1932.", ["Marta Lindqvist built the Varn Bridge."]),
        ("It was opened in 1932.", ["Marta Lindqvist was an engineer."]),
        ("It was opened in 1932.", ["The bridges were old."]),
        ("He also wrote it.", ["Titanic was directed by James Cameron."]),
        ("He left.", ["Ada Poe met with Tom Hill."]),
        ("She left.", ["Aboolian referred her to a doctor."]),
        ("They were old.", [BRIDGE]),
        ("It is known that whales sing.", [BRIDGE]),
        ("It is generally agreed to be wise.", [BRIDGE]),
        ("It burned.", ["This is a bridge.", "In Pellow there was a bridge."]),
        ("He began.", ["During his term, he vetoed bills."]),
    ],
)
def test_a_pronoun_that_is_not_plain_is_left(text, before):
    assert resolve(text, before, query="") == ""


def test_a_subject_that_the_question_names_is_surely_meant():
    before = ["Zorin built a bridge."]
    assert resolve("It was sold.", before, query="") == ""
    assert resolve("It was sold.", before, query="Who bought Zorin?") == "Zorin was sold."


def test_a_title_helps_if_the_question_names_it():
    assert resolve("It is high.", [], query="How high is Gull Rock?", title="Gull Rock")
    assert not resolve("It is high.", [], query="How high is it?", title="Gull Rock")
    assert not resolve("It is high.", [], query="is report 3 high", title="report 3")


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        ("en", "However, the gate was shut.", "The gate was shut."),
        ("en", "But in addition, the gate was shut.", "The gate was shut."),
        ("en", "However much it cost, it stood.", "However much it cost, it stood."),
        ("en", "Also known as Ada, she wrote.", "Also known as Ada, she wrote."),
        ("es", "Sin embargo, la puerta se cerró.", "La puerta se cerró."),
        ("it", "Tuttavia, la porta fu chiusa.", "La porta fu chiusa."),
        ("fr", "Cependant, la porte fut fermée.", "La porte fut fermée."),
        ("de", "Aber das Tor war zu.", "Das Tor war zu."),
        ("ja", "しかし、門は閉まった。", "しかし、門は閉まった。"),
        ("xx", "However, it was shut.", "However, it was shut."),
    ],
)
def test_marks_that_tie_to_the_sentence_before_go(language, text, said):
    assert without_marks(text, language) == said


@pytest.mark.parametrize(
    ("language", "text", "dangling"),
    [
        ("en", "This led to war.", True),
        ("en", "In 1950 it was widened.", True),
        ("en", "It is known that whales sing.", False),
        ("en", "Thistles grow there.", False),
        ("es", "Ella nació en Lima.", True),
        ("de", "Dieser Turm ist hoch.", True),
        ("fr", "Il est né à Lyon.", True),
        ("it", "Questo fu venduto.", True),
        ("fr", "Lyon est grande.", False),
    ],
)
def test_what_still_leans_is_said_to(language, text, dangling):
    assert alone(text, language=language).dangling is dangling


def test_an_item_stands_under_its_lead_in():
    piece = Piece(0, 0, 9, PieceKind.ITEM, "the kitchen", lead_in="It has two parts:")
    assert stand_alone(piece, language="en", query="").text == "It has two parts: the kitchen."


def test_an_end_mark_is_added_once():
    assert [ended(t) for t in ("a", "a.", "a?”", "猫", "猫。")] == [
        "a.",
        "a.",
        "a?”",
        "猫。",
        "猫。",
    ]


def owned(text: str, *under: str, query: str, kind: PieceKind = PieceKind.ITEM) -> str:
    piece = Piece(0, 0, len(text), kind, text, under=under)
    return stand_alone(piece, language="en", query=query).text


def test_a_labelled_value_says_whose_it_is():
    price = ("Price: 890 euros", "Kestrel 300", "Ordering")
    assert owned(*price, query="price kestrel 300") == "Kestrel 300 – Price: 890 euros."
    assert owned(*price, query="What is the price?") == "Price: 890 euros."
    assert owned("Close the valve.", "Osprey", query="osprey valve") == "Close the valve."


def test_of_a_row_the_cells_are_said_that_are_asked_for():
    cells = (("Branch", "Lisbon"), ("Manager", "Rita Sousa"), ("Opened", "2011"))
    piece = Piece(0, 0, 9, PieceKind.ROW, "the whole row.", cells=cells)
    asked = stand_alone(piece, language="en", query="Who manages the branch in Lisbon?")
    assert asked.text == "Branch: Lisbon, Manager: Rita Sousa."
    assert stand_alone(piece, language="en", query="Lisbon").text == "the whole row."
