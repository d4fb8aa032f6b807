import pytest

from toulmin.answering.passages import Passage
from toulmin.answering.understanding.question_patterns import questions_of, questions_of_heading
from toulmin.answering.understanding.related import related_questions

RHINE = Passage(
    text=(
        "The Rhine is a European river. The Ludendorff Bridge was built by German engineers in "
        "1916. The Confederation of the Rhine was established by Napoleon in 1806."
    )
)
HARVARD = Passage(
    text=(
        "Harvard has 2,400 professors. The library of Harvard is large. Harvard University is "
        "located in Cambridge."
    )
)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("A xenolith is a piece of foreign rock.", ["What is a xenolith?"]),
        ("Xenoliths are the pieces of rock that magma picks up.", ["What are xenoliths?"]),
        ("Pedanius Dioscorides was a Greek physician.", ["Who was Pedanius Dioscorides?"]),
        (
            "The Louvre Abu Dhabi was opened by Emmanuel Macron in 2017.",
            ["Who opened the Louvre Abu Dhabi?", "When was the Louvre Abu Dhabi opened?"],
        ),
        ("The Divine Comedy was written by Dante.", ["Who wrote the Divine Comedy?"]),
        (
            "In 1971, Stephen Cook published a famous paper.",
            ["When did Stephen Cook publish a famous paper?"],
        ),
        ("Bohemond of Taranto died in 1111.", ["When did Bohemond of Taranto die?"]),
        ("Sky UK is headquartered in Isleworth.", ["Where is Sky UK headquartered?"]),
        (
            "The Warsaw City Council has 60 members.",
            ["How many members does the Warsaw City Council have?"],
        ),
        (
            "Tamara de Lempicka, a Polish painter, moved to Paris.",
            ["Who was Tamara de Lempicka?"],
        ),
        (
            "The Eiffel Tower stands on the Champ de Mars.",
            ["Where does the Eiffel Tower stand?"],
        ),
        ("Lake Toba lies in Indonesia.", ["Where does Lake Toba lie?"]),
        ("The Eiffel Tower stands on the hill.", []),
        ("El Rin es un río de Europa.", ["¿Qué es el Rin?"]),
        ("L'immunologia è una scienza.", ["Che cos'è l'immunologia?"]),
        ("Le Rhin est un fleuve.", ["Qu'est-ce que le Rhin ?"]),
        ("Die Genossenschaft ist eine Gesellschaft.", ["Was ist die Genossenschaft?"]),
        ("織田信長とは、日本の武将のことである。", ["織田信長とは何ですか？"]),
    ],
)
def test_a_sentence_gives_the_questions_that_it_answers(sentence: str, expected: list[str]) -> None:
    assert questions_of(sentence, f"{sentence} Some xenoliths are old.") == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "It is a river.",
        "This was founded in 1900.",
        "The city is a centre of trade.",
        "The treaty was signed by both sides in 1648.",
        "One of them is the largest.",
        "There are many rivers.",
        "However, Napoleon was a great man in the eyes of many.",
        "Harvard's aim is the advancement of learning.",
        "The river is 1,230 kilometres long.",
        "Warsaw has 25 percent of the market.",
        "Napoleon was defeated by the end of 1815.",
        "La ciudad es un centro.",
        "La ville est un centre.",
        "建物は木造である。",
        "",
        "|",
    ],
)
def test_a_sentence_that_fits_no_pattern_gives_none(sentence: str) -> None:
    assert [q for q in questions_of(sentence, sentence) if not q.startswith("Who is")] == []


def test_headings_that_are_questions() -> None:
    assert questions_of_heading("How to reset the device") == ["How do you reset the device?"]
    assert questions_of_heading("How the Rhine works") == ["How does the Rhine work?"]
    assert questions_of_heading("What do I need?") == ["What do I need?"]
    assert questions_of_heading("Installation") == []
    assert questions_of_heading("How it works") == []


def test_each_passage_has_its_turn_and_nothing_is_asked_twice() -> None:
    found = related_questions("How long is the bridge?", "", [RHINE, RHINE, HARVARD], count=5)
    assert found == (
        "What is the Rhine?",
        "How many professors does Harvard have?",
        "Who built the Ludendorff Bridge?",
        "Where is Harvard University located?",
    )


def test_what_was_asked_or_answered_is_not_suggested() -> None:
    assert related_questions("What is the Rhine?", "", [RHINE]) == (
        "Who built the Ludendorff Bridge?",
    )
    answer = "The Rhine is a European river. More follows."
    assert "What is the Rhine?" not in related_questions("Tell me more", answer, [RHINE])


def test_the_count_is_kept() -> None:
    assert len(related_questions("Tell me more", "", [RHINE, HARVARD], count=2)) == 2
    assert related_questions("Tell me more", "", [RHINE], count=0) == ()
    assert related_questions("Tell me more", "", []) == ()


def test_a_reader_has_the_last_word() -> None:
    asked: list[str] = []

    def can_answer(question: str, passage: Passage) -> bool:
        asked.append(question)
        return "Harvard" in passage.text

    found = related_questions("Tell me more", "", [RHINE, HARVARD], can_answer=can_answer)
    assert found
    assert all("Harvard" in question for question in found)
    assert "What is the Rhine?" in asked


def test_the_heading_of_a_passage_may_be_its_question() -> None:
    passage = Passage(text="Hold the button.", headings=("Manual", "How to reset the device"))
    assert related_questions("What is in the box?", "", [passage]) == (
        "How do you reset the device?",
    )


EIFFEL = (
    "The tower was finished on 31 March 1889 and opened to visitors. The water tower was built in"
    " 1890. The *Nautilus* was launched in 1954."
)


def test_what_a_document_is_about_is_asked_about_by_its_name() -> None:
    asked = related_questions("Who?", "", [Passage(text=EIFFEL, title="The Eiffel Tower")])
    assert asked == ("When was the Eiffel Tower finished?", "When was the Nautilus launched?")


@pytest.mark.parametrize("title", ["", "Tower", "The tower of Pisa", "Notes 2 Tower", "A Bridge"])
def test_a_title_that_does_not_name_it_names_nothing(title: str) -> None:
    asked = related_questions("Who?", "", [Passage(text=EIFFEL, title=title)])
    assert asked == ("When was the Nautilus launched?",)
