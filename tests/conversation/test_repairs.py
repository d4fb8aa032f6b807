"""What users put right while they speak."""

from __future__ import annotations

import pytest

from toulmin.conversation import asides
from toulmin.conversation.arguments import question_for
from toulmin.conversation.forms import by_form, proper_name
from toulmin.conversation.numerals import assign_numerals
from toulmin.conversation.repairs import mended
from toulmin.conversation.wishes import second_values


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("4. er 5, my brother is coming too", "5, my brother is coming too"),
        ("for 3 days. or no, lets say 4, it looks grim", "for 4 days, it looks grim"),
        ("monday, no, tuesday", "tuesday"),
        ("at 9:00, sorry, 10:30", "at 10:30"),
        ("it's 60 sheets not 50", "it's 60 sheets"),
        ("two, I mean three, four", "three, four"),
        ("1, no, 2, no wait, 3", "3"),
        ("table 9, no, 12", "table 12"),
        ("send 40, no, 4000", "send 4000"),
        ("I want 2, no, 3 chairs", "I want 3 chairs"),
        ("for 6 guests, sorry, 7 guests", "for 7 guests"),
        ("3 days, no, a week", "a week"),
        ("50 euros, no, 60 dollars", "60 dollars"),
        ("two hundred, I mean three hundred and ten", "three hundred and ten"),
    ],
)
def test_what_was_taken_back_is_left_out(said, meant):
    assert mended(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "from 3, sorry, until 5",
        "2 adults and 3 kids",
        "no, 25",
        "no. 5 Mill Road",
        "between Monday and Wednesday at 10",
        "a better 50 of them than 20",
        "actually 4",
        "",
        "Invoice number 88123. Sorry 4 pages are missing",
        "locker 7, wait, 2 keys please",
        "I stay in room 215, actually 3 more pillows would be nice",
        "pay 70 into account 55512345, no wait 90",
        "gate 12. Actually 2 passengers",
        "cancel order 4711, wait, 2 of them",
        "3 adults, no, 2 kids",
        "room 12, not 2 rooms",
    ],
)
def test_what_was_not_taken_back_stays(said):
    assert mended(said) == said


def test_an_allowed_value_that_was_taken_back_is_not_taken():
    size = {"type": "STRING", "enum": ["small", "medium", "large"]}
    assert by_form("size", size, "i'm 1.68 so... small? no, medium", answer=True).value == "medium"
    assert by_form("size", size, "small, like the large one", answer=True).value == "small"


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("no, just a balcony, but there's a park right outside", False),
        ("well, yes, though not a large one", True),
        ("that is right", True),
        ("there is not any", False),
    ],
)
def test_a_yes_or_no_counts_by_its_first_word(said, value):
    assert by_form("garden", {"type": "BOOLEAN"}, said, answer=True).value is value


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        ("an hour and a half", "hours", 1.5),
        ("for half an hour", "minutes", 30),
        ("2 hours", "minutes", 120),
        ("two and a half", "hours", 2.5),
        ("a week", "days", 7),
        ("a dozen of them", "bottles", 12),
        ("half a dozen", "bottles", 6),
        ("just a couple", "bottles", 2),
        ("45 minutes", "minutes", 45),
    ],
)
def test_a_number_in_words_or_in_another_unit_is_read(said, name, value):
    found, _ = assign_numerals({name: {"type": "NUMBER"}}, said, asked=True)
    assert found[name].number == value


def test_an_article_is_no_number_of_bottles():
    assert assign_numerals({"bottles": {"type": "INTEGER"}}, "in a week", asked=True)[0] == {}


@pytest.mark.parametrize(
    ("said", "first"),
    [
        ("By the canal bridge. I'm on 0171 5550192", "By the canal bridge"),
        ("Grace Oduya, and you can ring me on 07700", "Grace Oduya"),
        ("an hour. btw does it have a projector?", "an hour"),
        ("3.50 for salt and pepper", "3.50 for salt and pepper"),
        (" and i am late", " and i am late"),
    ],
)
def test_an_answer_ends_where_something_else_begins(said, first):
    assert asides.first_part(said)[0] == first


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (
            "actually dont bother with the swap, log 2 hours for me instead",
            "log 2 hours for me instead",
        ),
        ("forget about that; open the north gate please", "open the north gate please"),
        ("forget it", ""),
        ("leave it at the door, thanks", ""),
    ],
)
def test_what_is_wanted_instead_is_told(said, wanted):
    assert asides.instead(said) == wanted


def test_a_second_value_of_a_text_is_told():
    said = "set the acrylic paint to 4.50 and the brush set to 12.95"
    assert second_values(said, 4.5) == ("the brush set to 12.95",)
    assert second_values(said, 7) == ()
    assert second_values("2 tickets for 5 May and 3 for later", 2) == ("3 for later",)
    assert second_values("a table for 4 at 8 pm", 4) == ()


@pytest.mark.parametrize(
    ("said", "value", "others"),
    [
        ("pay Ann 20 euros and Bob 30", 20, ("Bob 30",)),
        ("send 20 euros to Ann and 30 to Bob", 20, ("30 to Bob",)),
        ("send 20 euros to Ann and 30 to Bob", 30, ("send 20 euros to Ann",)),
        ("set the hall to 1,5 and the attic to 2,5", 1.5, ("the attic to 2,5",)),
        (
            "pay one hundred and ten to Ann and two hundred to Bob",
            110,
            ("two hundred to Bob",),
        ),
        ("the bath 21, the hall 19", 21, ("the hall 19",)),
        ("order 3 lamps, then order 5 bulbs", 3, ("order 5 bulbs",)),
        ("pay one hundred and ten to Ann", 110, ()),
        ("pay 1,100 to Ann, please", 1100, ()),
        ("order 3 lamps, we are at 27 Hill Street", 3, ()),
        ("order 3 lamps, 27 Hill Street", 3, ()),
        ("pay 40 to Ann, her account begins with 8810", 40, ()),
        ("lower the hall to 18 and keep floor 3 warm", 18, ()),
        ("a court for 2, and we play for 3 hours", 2, ()),
        ("order 3 lamps, 60 euros at most", 3, ()),
        ("5 seats please, I am in room 12", 5, ()),
    ],
)
def test_a_second_value_is_said_like_the_first(said, value, others):
    assert second_values(said, value) == others


@pytest.mark.parametrize(
    ("description", "question"),
    [
        ("For how many days", "For how many days?"),
        ("Which wine", "Which wine?"),
        ("How many people", "How many people?"),
        ("Who takes it over", "Who takes it over?"),
        ("Which room it is in", "Can you tell me which room it is in?"),
        ("Where to deliver it", "Can you tell me where to deliver it?"),
        ("How many rooms there are", "Can you tell me how many rooms there are?"),
    ],
)
def test_descriptions_that_are_questions_are_asked_as_they_stand(description, question):
    assert question_for("it", {"type": "STRING", "description": description}) == question


def formed(name, said, **schema):
    found = by_form(name, {"type": "STRING", **schema}, said, answer=False)
    return found.value if found else None


def test_the_description_says_what_form_a_value_has():
    assert formed("happened_on", "it was yesterday", description="When, YYYY-MM-DD") == "yesterday"
    assert formed("begin", "at 9:15 please", description="Start, HH:MM") == "9:15"
    assert formed("begin", "at 9:15 please", description="Start of it") is None


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("I can't come on friday, can I change that to monday", "monday"),
        ("move it from 3 May to 5 May", "5 May"),
        ("friday, or else monday", "friday"),
        ("the day after tomorrow", "the day after tomorrow"),
    ],
)
def test_what_is_moved_goes_where_it_is_moved_to(said, day):
    assert formed("date", said) == day


@pytest.mark.parametrize(
    ("name", "said", "found"),
    [
        ("pupil", "Ravi will be absent tomorrow", "Ravi"),
        ("pupil", "It will be late for Ravi", "Ravi"),
        ("pupil", "Tomorrow is fine", None),
        ("address", "paper bin wasnt emptied AGAIN", None),
        ("book", "buy The Dispossessed by Le Guin", "The Dispossessed"),
    ],
)
def test_names_are_told_from_other_words_with_capitals(name, said, found):
    value = proper_name(name, {"type": "STRING"}, said, ())
    assert (value.value if value else None) == found


def test_a_number_plate_is_one_identifier():
    wanted = {
        "plate": {"type": "STRING", "description": "Number plate"},
        "hours": {"type": "INTEGER"},
    }
    found, _ = assign_numerals(wanted, "parking for KX21 LPO, 2 hrs")
    assert (found["plate"].text, found["hours"].number) == ("KX21 LPO", 2)


@pytest.mark.parametrize(
    ("description", "question"),
    [
        ("When did it happen, YYYY-MM-DD", "When did it happen?"),
        ("Preferred day (YYYY-MM-DD)", "What is the preferred day?"),
        ("Is it urgent", "Is it urgent?"),
    ],
)
def test_a_format_is_no_part_of_a_question(description, question):
    assert question_for("it", {"type": "STRING", "description": description}) == question


@pytest.mark.parametrize(
    ("said", "rest"),
    [
        ("is there parking? also make it 5 people", "also make it 5 people"),
        ("is there parking?", "is there parking?"),
        ("make it 5", "make it 5"),
    ],
)
def test_a_correction_beside_a_question_is_read(said, rest):
    assert asides.without_questions(said) == rest


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("could you please change it to Sunday?", "change it to Sunday"),
        ("oh, how about 6?", "oh, 6"),
        ("Can you make a reservation for my sister too?", "make a reservation for my sister too"),
        ("can you tell me the price?", "can you tell me the price?"),
        ("what about the things that we left in the room?", None),
    ],
)
def test_what_asks_for_a_change_is_an_order(said, order):
    assert asides.as_order(said) == (order or said)
