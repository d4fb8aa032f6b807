"""What a tool is called with, read out of what was said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conversation.apps import APP, make_app
from toulmin.answering.reading.reader import Reading, SpanAnswer
from toulmin.conversation.arguments import ArgumentFiller, question_for, question_in_words

TEXT, INTEGER = {"type": "STRING"}, {"type": "INTEGER"}


class Script:
    """A reader that finds the texts it was told to find."""

    def __init__(self, **answers):
        self.answers = answers

    def read(self, question, passages, *, most_answers=3, work=None):
        for word, text in self.answers.items():
            place = passages[0].find(text)
            if word in question and place >= 0:
                return Reading((SpanAnswer(0, place, place + len(text), text, 0.9),), 0.9)
        return Reading((), 0.0)


def fill(said, *, reader=None, variables=None, known=None, **parameters):
    app = make_app([{"name": "t", "description": "d", "parameters": parameters}])
    filler = ArgumentFiller(lambda: reader or Script())
    tool = app.tools[f"{APP}/tools/t"]
    return filler.fill(tool, said, known=known or {}, variables=variables or {})


@pytest.mark.parametrize(
    ("name", "schema", "said", "value"),
    [
        ("order_id", TEXT, "where is 4711-AB?", "4711-AB"),
        ("account_number", TEXT, "my zip is 53111 and my account number is 98205", "98205"),
        ("email", TEXT, "write to jane.miller+x@example.com please", "jane.miller+x@example.com"),
        ("count", INTEGER, "three boxes please", 3),
        ("count", INTEGER, "1,200 of them", 1200),
        ("price", {"type": "NUMBER"}, "about 12.50 euros", 12.5),
        (
            "size",
            {"type": "STRING", "enum": ["small", "extra large"]},
            "an Extra large one",
            "extra large",
        ),
        ("title", TEXT, 'have you got "Moby Dick"?', "Moby Dick"),
        ("title", TEXT, "have you got 'Moby Dick'?", "Moby Dick"),
        ("phone", TEXT, "call me at 0171 555 0123 please", "0171 555 0123"),
        ("phone", TEXT, "it is +49 (171) 555-0123.", "+49 (171) 555-0123"),
        ("degrees", {"type": "NUMBER"}, "make it minus 3.5", -3.5),
        ("degrees", INTEGER, "minus twenty-two please", -22),
    ],
)
def test_values_are_found_by_their_form(name, schema, said, value):
    found = fill(said, **{name: schema})
    assert (found.args, found.missing) == ({name: value}, ())


@pytest.mark.parametrize(
    ("name", "schema", "said"),
    [
        ("order_id", TEXT, "I have a question about my order"),
        ("order_id", TEXT, "4711 or 4712"),
        ("email", TEXT, "this is Jane Miller"),
        ("count", INTEGER, "some boxes"),
        ("count", {"type": "INTEGER", "maximum": 5}, "7 boxes"),
        ("size", {"type": "STRING", "enum": ["small"]}, "the smallest"),
        ("city", TEXT, "tell me"),
        ("city", TEXT, "what's the manager's plan"),
    ],
)
def test_what_is_not_there_is_missing_and_not_made_up(name, schema, said):
    assert fill(said, **{name: schema}).missing == (name,)


def test_the_reader_finds_what_has_no_form():
    found = fill("what's the weather in Berlin?", reader=Script(city="Berlin"), city=TEXT)
    assert found.args == {"city": "Berlin"}


PRICE = {"type": "NUMBER", "description": "Amount in euros"}


@pytest.mark.parametrize(
    ("said", "amount"),
    [
        ("pay four hundred euros", 400),
        ("pay seven hundred and eighty-nine", 789),
        ("pay a hundred and one euros", 101),
        ("twelve hundred euros, please", 1_200),
        ("two thousand three hundred and forty euros", 2_340),
        ("it was half a million", 500_000),
        ("it was 2.5 million", 2_500_000),
        ("pay two point five euros", 2.5),
        ("pay six and a half thousand", 6_500),
        ("pay 7,25 euros", 7.25),
        ("pay 2.300,75 euros", 2_300.75),
        ("pay 4,300 euros", 4_300),
        ("pay 1 200 000 euros", 1_200_000),
        ("pay .75 euros", 0.75),
        ("minus three hundred euros", -300),
        ("transfer 15k euros", 15_000),
        ("two dozen", 24),
    ],
)
def test_a_number_in_words_is_read_to_its_end(said, amount):
    assert fill(said, amount=PRICE).args == {"amount": amount}


@pytest.mark.parametrize(
    "said",
    [
        "pay 2.300 euros",  # 2300 or 2.3
        "pay 2 300 euros",
        "pay a couple of hundred euros",
        "pay three fifty",
        "pay ten grand",
        "pay five thousands",
        "pay a hundred and 20 euros",
        "pay three quarters of it",
        "the twenty-first euros",
        "rent the 15k",
        "thanks a million",
        "pay 1,2,3",
    ],
)
def test_a_number_of_which_it_is_not_clear_which_one_is_asked_for(said):
    assert fill(said, amount=PRICE).missing == ("amount",)


@pytest.mark.parametrize(
    ("said", "room", "towels"),
    [
        ("two hundred towels for room 412", "412", 200),
        ("room 412, 250 towels", "412", 250),
        ("room 412 250 towels", "412", 250),
        ("room 9, a hundred and ten towels", "9", 110),
    ],
)
def test_a_number_in_words_is_beside_another(said, room, towels):
    found = fill(said, room_number=TEXT, towels=INTEGER)
    assert found.args == {"room_number": room, "towels": towels}


@pytest.mark.parametrize(
    ("said", "room", "nights"),
    [
        ("Room 412. Sorry, 3 nights please", "412", 3),
        ("I am in room 31, actually 2 more nights would be great", "31", 2),
        ("room 412, no, 414, for 2 nights", "414", 2),
        ("room 412 for 3 nights, no, 4", "412", 4),
    ],
)
def test_a_count_does_not_take_the_place_of_a_room(said, room, nights):
    found = fill(said, room_number=TEXT, nights=INTEGER)
    assert found.args == {"room_number": room, "nights": nights}


ID, COUNT = {"type": "STRING", "description": "Rental number"}, {"type": "INTEGER"}


@pytest.mark.parametrize(
    ("said", "args"),
    [
        ("keep rental A7781 for 2 more days", {"rental_number": "A7781", "days": 2}),
        ("my rental is 55012, two days more", {"rental_number": "55012", "days": 2}),
        ("the rental 55012 a bit longer", {"rental_number": "55012"}),
        ("three days longer", {"days": 3}),
        ("one of the cars", {}),
        ("just one day", {"days": 1}),
        ("it is -5 outside, 7 days please", {"days": 7}),
    ],
)
def test_a_number_goes_to_the_argument_that_is_named_beside_it(said, args):
    assert fill(said, rental_number=ID, days=COUNT).args == args


@pytest.mark.parametrize(
    ("name", "said", "value"),
    [
        ("time", "a table at 8 pm please", "8 pm"),
        ("time", "a table please", None),
        ("date", "on 3 May 2026 at 8 pm", "3 May 2026"),
        ("date", "next Friday", "next Friday"),
        ("driver_name", "My wife Laura Bianchi drives", "Laura Bianchi"),
        ("driver_name", "Laura Bianchi or Tom Becker drives, not Jo", None),
        ("street", "when do you come to Mill Road on Monday", "Mill Road"),
        ("topic", "tell me of Berlin", None),
        ("person", "I need to pay Anna 12.50", "Anna"),
        ("recipient", "a label for Jonas Weber in Graz please", "Jonas Weber"),
        ("city", "a label for Jonas Weber in Graz please", "Graz"),
        ("destination", "a taxi to the airport at 5:45 am", "the airport"),
        ("destination", "I want to order a taxi", None),
    ],
)
def test_times_dates_and_names_are_known_by_their_form(name, said, value):
    assert fill(said, price={"type": "NUMBER"}, **{name: TEXT}).args.get(name) == value


@pytest.mark.parametrize(
    ("name", "schema", "said", "value"),
    [
        (
            "when",
            {"type": "STRING", "description": "Date of the visit"},
            "on 3 May please",
            "3 May",
        ),
        ("day", TEXT, "the 6th would be fine", "6th"),
        ("machineId", TEXT, "machine 4711 is broken", "4711"),
        ("to", {"type": "STRING", "description": "The recipient"}, "send it to Zoe", "Zoe"),
        ("seats", INTEGER, "twenty-five seats", 25),
        ("seats", INTEGER, "we need forty two seats", 42),
        ("order_id", TEXT, "it came on the 6th", None),
    ],
)
def test_names_descriptions_and_words_tell_what_is_wanted(name, schema, said, value):
    assert fill(said, **{name: schema}).args.get(name) == value


def test_optional_arguments_are_taken_where_nothing_else_can_be_meant():
    tool = make_app(
        [{"name": "t", "description": "d", "parameters": {"people": INTEGER, "date": TEXT}}]
    ).tools[f"{APP}/tools/t"]
    optional = replace(tool, parameters={**tool.parameters, "required": []})
    filler = ArgumentFiller(lambda: Script())
    found = filler.fill(optional, "a table for 4 people on Friday", known={}, variables={})
    assert found.args == {"people": 4, "date": "Friday"}
    assert filler.fill(optional, "a table for 4", known={}, variables={}).args == {}


def test_nothing_that_was_said_is_the_value_of_two_arguments():
    dish = {"type": "STRING", "enum": ["lasagne"]}
    reader = Script(address="lasagne delivered")
    found = fill("I want lasagne delivered", reader=reader, dish=dish, address=TEXT)
    assert (found.args, found.missing) == ({"dish": "lasagne"}, ("address",))
    found = fill("translate 'good morning'", text=TEXT, language=TEXT)
    assert (found.args, found.missing) == ({"text": "good morning"}, ("language",))
    both = {"at_least": COUNT, "at_most": COUNT}
    assert len(fill("at least 3", **both).args) == 1


def test_variables_fill_in_and_known_arguments_stay():
    found = fill("hello", variables={"city": "Bonn", "day": ""}, city=TEXT, day=TEXT)
    assert (found.args, found.missing) == ({"city": "Bonn"}, ("day",))
    assert fill("4711", known={"order_id": "1"}, order_id=TEXT).args == {"order_id": "1"}


@pytest.mark.parametrize(
    ("name", "schema", "said", "value"),
    [
        ("city", TEXT, "it's Berlin.", "Berlin"),
        (
            "reason",
            TEXT,
            "because the kettle has leaked since Monday",
            "because the kettle has leaked since Monday",
        ),
        ("order_id", TEXT, "I do not know it", None),
        ("gift", {"type": "BOOLEAN"}, "yes please", True),
        ("gift", {"type": "BOOLEAN"}, "no", False),
        ("gift", {"type": "BOOLEAN"}, "maybe", None),
        ("tags", {"type": "ARRAY", "items": TEXT}, "red", ["red"]),
        ("person", TEXT, "to my brother Jonas", "Jonas"),
        ("person", TEXT, "Anna Maria", "Anna Maria"),
        ("username", TEXT, "mine is jdelgado7", "jdelgado7"),
        ("item", TEXT, "fresh towels, if you would", "fresh towels"),
        ("item", TEXT, "that'd be a root canal", "root canal"),
        ("guests", INTEGER, "me, my wife and the two kids, so 4", 4),
        ("time", TEXT, "around half past nine", "half past nine"),
        ("time", TEXT, "any chance of 8:15?", "8:15"),
        ("urgent", {"type": "BOOLEAN"}, "it is urgent", True),
        ("isUrgent", {"type": "BOOLEAN"}, "it is not urgent", False),
        ("language", TEXT, "and into Spanish", "Spanish"),
        ("language", TEXT, "in the old one", "in the old one"),
        ("address", TEXT, "12 Mill Road, Bonn", "12 Mill Road, Bonn"),
        ("person", TEXT, "25", None),
        ("person", TEXT, "on Monday", None),
        ("amount", {"type": "NUMBER"}, "about six hundred or so", 600),
        ("amount", {"type": "NUMBER"}, "1 200", 1200),
        ("amount", {"type": "NUMBER"}, "15k", 15000),
        ("amount", {"type": "NUMBER"}, "1.200", None),
        ("hours", {"type": "NUMBER"}, "three quarters of an hour", 0.75),
        ("hours", {"type": "NUMBER"}, "a half hour", 0.5),
        ("minutes", INTEGER, "a forty-five-minute one", 45),
        ("colour", TEXT, "I want it", None),
        ("colour", TEXT, "I'd like red", "red"),
        ("trouble", {"type": "STRING", "description": "What is wrong"}, "it hums", "it hums"),
    ],
)
def test_an_answer_to_the_question_for_it_is_the_value(name, schema, said, value):
    assert ArgumentFiller(lambda: Script()).find(name, schema, said, answer=True) == value


def test_questions_are_asked_in_the_words_of_the_schema():
    assert (
        question_for("order_id", {"description": "The order number."})
        == "What is the order number?"
    )
    assert question_for("orderId", {}) == "What is the order id?"
    why = {"description": "Why it is returned"}
    assert question_for("why", why) == "Can you tell me why it is returned?"
    assert question_in_words("why", why) == "Why it is returned?"
    assert question_for("people", INTEGER) == "How many people?"
    assert question_for("address", INTEGER) == "What is the address?"
    assert question_for("days", COUNT | {"description": "Days more"}) == "What is the days more?"
    assert question_for("to", {"description": "The person who pays"}) == (
        "Who is the person who pays?"
    )
    assert question_in_words("recipient", TEXT) == "Which recipient is mentioned?"
    assert question_for("personId", TEXT) == "What is the person id?"
    assert question_for("size", {"description": "Which size?"}) == "Which size?"
