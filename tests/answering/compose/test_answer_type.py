"""Whether a sentence gives the kind of thing that is asked for."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.answer_type import answer_type
from toulmin.answering.compose.question_kind import asked_for


def gives(question: str, text: str, follows: str = "") -> bool:
    return answer_type(question, asked_for(question)).is_given_by(text, follows)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How much does the pump cost?", "money"),
        ("How much did Ada pay for the boat?", "money"),
        ("What is the monthly rent of the flat?", "money"),
        ("What share of the bill is paid?", "share"),
        ("How old is the bridge?", "age"),
        ("At what age is the test done?", "age"),
        ("How many stops does the organ have?", "number"),
        ("How often is the pool cleaned?", "frequency"),
        ("How far is the station?", "distance"),
        ("What is the annual limit for teeth?", "number"),
        ("In what year did it open?", "year"),
        ("What time does the gate close?", "clock"),
        ("On which date does the fair begin?", "date"),
        ("What is the deadline for claims?", "date"),
        ("When does the lamp dim?", "time"),
        ("Who wrote the report?", "person"),
        ("What is the mayor's name?", "name"),
        ("What is the name of the ship?", "name"),
        ("Why was it cancelled?", "reason"),
        ("What is the refund policy?", ""),
        ("What is an error budget?", ""),
        ("What's a late fee?", ""),
        ("What is a fair price for a loaf?", "money"),
        ("What price war began in 1990?", ""),
        ("Is the gate open?", ""),
        ("Who are the members of the board?", ""),
        ("When it was launched, what format was used?", ""),
        ("Explain how much it costs.", ""),
        ("vacation days", ""),
        ("¿Cuánto pagó Ada?", "number"),
        ("Warum wurde es abgesagt?", "reason"),
    ],
)
def test_the_kind_that_is_asked_for(question, kind):
    assert answer_type(question, asked_for(question)).kind == kind


@pytest.mark.parametrize(
    ("question", "answers", "does_not"),
    [
        (
            "How much does a guide cost?",
            "A guide is 90 a day plus food.",
            "A guide has been compulsory since 2018, when five tourists were lost.",
        ),
        ("How much does a guide cost?", "Guides are free of charge.", "Guides work 8 hours."),
        ("How much did Ada pay?", "She gave £1,200.", "On 3 May 2021 Ada paid it at 10:15."),
        (
            "What share of the bill is paid?",
            "Half of the bill is paid.",
            "The bill of 300 is paid.",
        ),
        (
            "How old is Bo Abreu?",
            "Bo Abreu, 34, was second.",
            "Bo Abreu was second in 2:06:59.",
        ),
        ("How old is the mill?", "The mill was built in 1820.", "The mill stands by the river."),
        ("How many pages does the 900 print?", "It prints 42 a minute.", "The 900 prints well."),
        ("How many copies are due?", "Two bound copies and a PDF.", "Bound copies, by 3 May."),
        (
            "In what year did it open?",
            "It opened in 1932.",
            "It opened in May.",
        ),
        ("What time is the tour?", "The tour is at 11:30.", "The tour is on Sundays."),
        (
            "On which date is the fair?",
            "The fair is on the 13th.",
            "The fair is held when it is warm.",
        ),
        ("When does the lamp dim?", "The lamp dims above 60 °C.", "The lamp dims by itself."),
        (
            "Who checked the lift?",
            "An engineer checked the lift.",
            "Everything comes by mule on Mondays.",
        ),
        (
            "Who checked the lift?",
            "The lift was checked by Obuya.",
            "The lift is in the tower, and other things are too.",
        ),
        (
            "What is the mayor's name?",
            "The mayor, Rita Sousa, opened it.",
            "The mayor opened the fair.",
        ),
        (
            "Why did the version change to 12?",
            "It changed because 11 is no longer updated.",
            "The version is now 12; Windows remains supported.",
        ),
        (
            "Why is the dyke closed?",
            "The short cut along the dyke is closed: lapwings nest there.",
            "The dyke is closed.",
        ),
        ("When did Ada Poe die?", "Ada Poe died in 1902.", "Purchased in 1926 from Ada Poe."),
        ("When was Ada Poe born?", "Ada Poe (1840–1902) wrote it.", "Ada Poe wrote it in 1870."),
        ("¿Cuánto pagó Ada?", "Ada pagó 30 euros.", "[10:15] Ada: Perfecto, gracias."),
    ],
)
def test_a_text_of_another_kind_does_not_answer(question, answers, does_not):
    assert gives(question, answers)
    assert not gives(question, does_not)


def test_the_sentence_behind_may_give_the_reason():
    assert gives("Why is the dyke closed?", "The dyke is closed.", "The reason is a flood.")


def test_a_year_or_number_of_the_question_is_no_answer():
    assert not gives("When was the prize of 1932 paid?", "The prize of 1932 was paid.")
    assert not gives("How many of the 40 came?", "Of the 40 those of Orre came.")


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("It has 41 beds.", True),
        ("It has forty beds.", True),
        ("It has beds.", False),
        ("Ward 7 has beds.", False),
    ],
)
def test_a_number_of_the_question_is_no_answer_to_how_many(text, has):
    assert gives("How many beds has ward 7?", text) is has


@pytest.mark.parametrize(
    ("question", "text", "answers"),
    [
        ("How old must a guide be?", "Guides must be 21.", True),
        ("How old must a guide be?", "Guides must be at least sixteen.", True),
        ("How old must a guide be?", "A guide has to be over 21 to work here.", True),
        ("How old must a guide be?", "Guides must be between 18 and 70.", True),
        ("How old must a guide be?", "At least 21 guides are needed.", False),
        ("How old must a guide be?", "A guide must be at least 160 cm tall.", False),
        ("How old is the bridge?", "The bridge is 30 to 40 metres long.", False),
        ("How old is the bridge?", "The toll of the bridge is 1,200 euros.", False),
        ("How often is the pool cleaned?", "The pool is cleaned on working days.", True),
        ("How often is the pool cleaned?", "It is cleaned at short intervals.", True),
        ("How often is the pool cleaned?", "It is cleaned Monday to Friday.", True),
        ("How often is the pool cleaned?", "It is cleaned 3 times a day.", True),
        ("How often is the pool cleaned?", "It is cleaned with brushes on poles.", False),
        ("How many stops has the line?", "The line runs on weekdays.", False),
        ("How far is the station?", "The station is opposite the town hall.", True),
        ("How far is the station?", "The station is not far from the port.", True),
        ("How far is the station?", "The station is 300 m away.", True),
        ("How far is the station?", "The station is in good repair.", False),
        ("How tall is the station?", "The station is next to the port.", False),
        ("What time does the shop close?", "Shop hours: Monday to Saturday, 10-18.", True),
        ("What time does the shop close?", "It closes before lunch.", True),
        ("What time does the shop close?", "Groups of 10-18 pay half.", False),
        ("What time does the shop close?", "It is open 8 hours a day.", False),
        ("Which day is the fair?", "The fair is held on weekdays.", True),
        ("Which day is the fair?", "The fair is held in the square.", False),
        ("How much is the ticket worth?", "There is no entrance fee.", True),
        ("How long does the permit last?", "The permit is given for life.", True),
    ],
)
def test_plain_sentences_give_it_too(question, text, answers):
    assert gives(question, text) is answers


@pytest.mark.parametrize(
    ("question", "text", "answers"),
    [
        ("Why was the train cancelled?", "It was cancelled for track maintenance.", True),
        ("Why was the train cancelled?", "The engine is under repair.", True),
        ("Why was the train cancelled?", "A flood washed over the line.", True),
        ("Why was the train cancelled?", "The train was cancelled for two days.", False),
        ("Why was the train cancelled?", "It was cancelled for all passengers.", False),
        ("Why was the train cancelled?", "Write to the office for information.", False),
        ("Why did the bridge collapse?", "Its beams were rotten.", True),
        ("Why did the bridge collapse?", "The bridge collapsed in 1990.", False),
        ("Why is it closed for repairs?", "It is closed for repairs.", False),
    ],
)
def test_what_happened_is_a_reason_unless_the_question_says_it(question, text, answers):
    assert gives(question, text) is answers
