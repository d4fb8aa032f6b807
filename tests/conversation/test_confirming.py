"""Before a tool changes something the user is asked, and nothing but a yes calls it."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from tests.conversation.apps import APP, make_app
from toulmin.agents import Agent, App, Tool
from toulmin.conversation.arguments import ArgumentFiller
from toulmin.conversation.confirming import Reply, question_about, read_reply
from toulmin.conversation.definition import app_spec
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.routing import Route
from toulmin.conversation.state import Confirming, SessionState
from toulmin.conversation.turn import Turn

TEXT, INTEGER = {"type": "STRING"}, {"type": "INTEGER"}
BOOK = {
    "name": "book_table",
    "description": "Reserves a table.",
    "parameters": {"date": TEXT, "people": INTEGER},
}
FIND = {
    "name": "find_order",
    "description": "Says where an order is.",
    "parameters": {"order_id": TEXT},
}
SENTENCE = 'Shall I do "book table" with date "Friday" and people 4?'


class Talk:
    """A session with an app whose tools are found by one of their words."""

    def __init__(self, app=None, *, confirms=True):
        self.app = app or make_app([BOOK, FIND])
        self.state = SessionState()
        reader = SimpleNamespace(read=lambda *_, **__: SimpleNamespace(answers=()))
        self.rooms = SimpleNamespace(
            router=SimpleNamespace(route=self._route),
            filler=ArgumentFiller(lambda: reader),
            checker=lambda: SimpleNamespace(check=self._check),
            is_small_talk=lambda said: said == "hello",
            confirms=confirms,
            leader=None,
            judge=None,
            python=None,
        )
        self.turn = None

    def say(self, text, **inputs):
        """Return what is said and called, and take the state through JSON, as a server does."""
        self.turn = Turn(
            self.app,
            self.state,
            Inputs(text=text, **inputs),
            rooms=self.rooms,
            now=datetime(2026, 1, 1, tzinfo=UTC),
        )
        outputs = list(self.turn.run())
        self.state = SessionState.from_json(self.state.to_json())
        calls = [
            call for item in outputs for call in item.get("toolCalls", {}).get("toolCalls", ())
        ]
        return (
            [item["text"] for item in outputs if "text" in item],
            [(call["displayName"], call["args"]) for call in calls],
        )

    def respond(self):
        call = self.state.waiting[0]
        return self.say(
            "",
            responses=({"id": call.id, "response": {"output": "Done."}},),
            response_fields=("r",),
        )

    def _route(self, app, agent, said, **_):
        for tool in app.tools_of(agent):
            if any(word in said.lower() for word in tool.display_name.split("_")):
                return Route(tool, 0.9)
        return None

    @staticmethod
    def _check(text, *_, **__):
        return SimpleNamespace(claims=(), support_score=1.0)


@pytest.fixture
def talk():
    made = Talk()
    assert made.say("book a table for 4 people on Friday") == ([SENTENCE], [])
    assert made.turn.log.attributes["confirming"] == {
        "tool": "book_table",
        "args": {"date": "Friday", "people": 4},
    }
    return made


@pytest.mark.parametrize("said", ["yes", "Yes, please book it.", "OK", "go ahead", "that's right"])
def test_a_yes_calls_the_tool_with_what_was_said(talk, said):
    assert talk.say(said) == ([], [("book_table", {"date": "Friday", "people": 4})])
    assert talk.state.confirming is None
    assert talk.respond() == (["Done."], [])


@pytest.mark.parametrize(
    "said",
    ["no", "No, thank you.", "don't do that", "never mind", "stop", "I changed my mind"],
)
def test_a_no_calls_nothing_and_says_so(talk, said):
    assert talk.say(said) == (['All right, I have not done "book table".'], [])
    assert not talk.state.has_asked
    assert talk.say("yes")[1] == []  # there is nothing left to agree to


@pytest.mark.parametrize(
    ("said", "date", "people"),
    [
        ("no, Saturday", "Saturday", 4),
        ("not Friday, Saturday", "Saturday", 4),
        ("change Friday to Saturday", "Saturday", 4),
        ("Saturday instead of Friday", "Saturday", 4),
        ("yes, but for 5 people", "Friday", 5),
        ("make it 6 people on Sunday", "Sunday", 6),
        ("the 6th", "6th", 4),
        ("can you make it 6?", "Friday", 6),
        ("ok, could we make it Sunday?", "Sunday", 4),
        ("how about Saturday?", "Saturday", 4),
        ("what about 5 people instead?", "Friday", 5),
        ("change the people to 5 and the date to Sunday", "Sunday", 5),
        ("people 5, date Sunday", "Sunday", 5),
    ],
)
def test_a_correction_is_taken_and_asked_about_again(talk, said, date, people):
    sentence = f'Shall I do "book table" with date "{date}" and people {people}?'
    assert talk.say(said) == ([sentence], [])
    assert talk.say("yes") == ([], [("book_table", {"date": date, "people": people})])


SEND = {
    "name": "send_money",
    "description": "Sends money.",
    "parameters": {
        "amount": {"type": "NUMBER"},
        "recipient": TEXT,
        "on": {"type": "STRING", "description": "Date of the payment"},
    },
}


def sending():
    """Return a session that has asked about a payment."""
    talk = Talk(make_app([SEND, FIND]))
    talk.say("send money, amount 25, on 5 July")
    talk.say("Ada")
    assert talk.state.confirming.args == {"amount": 25, "recipient": "Ada", "on": "5 July"}
    return talk


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        ("yes, but to Bert", {"recipient": "Bert"}),
        ("no, to Bert Brown please", {"recipient": "Bert Brown"}),
        ("change the amount to 30 and the recipient to Zoe", {"amount": 30, "recipient": "Zoe"}),
        ("the 6th", {"on": "6 July"}),
        ("make it 30", {"amount": 30}),
        ("25.50 to be precise", {"amount": 25.5}),
        ("recipient Asher", {"recipient": "Asher"}),
        ("the recipient is Toby", {"recipient": "Toby"}),
        ("actually thirty, not twenty-five", {"amount": 30}),
        ("sorry I meant the Bert Brown", {"recipient": "Bert Brown"}),
        ("no, on 7 August", {"on": "7 August"}),
        ("the amount to 3,200 and the recipient to Zoe", {"amount": 3200, "recipient": "Zoe"}),
        ("set the amount to four hundred and fifty", {"amount": 450}),
        ("no, a hundred and five", {"amount": 105}),
    ],
)
def test_each_value_goes_to_the_argument_that_it_is_said_of(said, changed):
    talk = sending()
    assert talk.say(said)[1] == []
    wanted = {"amount": 25, "recipient": "Ada", "on": "5 July"} | changed
    assert talk.state.confirming.args == wanted
    assert talk.say("yes")[1] == [("send_money", wanted)]


@pytest.mark.parametrize("said", ["no, the other one", "yes, but quickly", "but not now"])
def test_what_is_no_value_changes_nothing(said):
    talk = sending()
    assert talk.say(said)[1] == []
    assert talk.state.confirming is None or talk.state.confirming.args["recipient"] == "Ada"


@pytest.mark.parametrize(
    ("said", "args"),
    [
        ("no, 30", {"amount": 30, "on": "5 July"}),
        ("actually make it 30", {"amount": 30, "on": "5 July"}),
        ("no, on 6 July", {"amount": 25, "on": "6 July"}),
        ("25", {"amount": 25, "on": "5 July"}),
        ("hold on", {"amount": 25, "on": "5 July"}),
        ("why do you need that?", {"amount": 25, "on": "5 July"}),
        ("I don't know", {"amount": 25, "on": "5 July"}),
        ("I have to look it up", {"amount": 25, "on": "5 July"}),
    ],
)
def test_what_is_no_recipient_is_none(said, args):
    talk = Talk(make_app([SEND, FIND]))
    talk.say("send money, amount 25, on 5 July")
    texts, calls = talk.say(said)
    assert texts[0].endswith("Who is the recipient?")
    assert calls == []
    assert (talk.state.asking.missing, talk.state.asking.args) == ("recipient", args)
    talk.say("sorry, to Bert")
    assert talk.state.confirming.args == {**args, "recipient": "Bert"}


def test_a_day_where_a_name_was_asked_for_is_kept():
    talk = Talk(make_app([SEND, FIND]))
    talk.say("send money, amount 25")
    assert talk.state.asking.missing == "recipient"
    assert talk.say("on Monday") == (["Who is the recipient?"], [])
    talk.say("Ada")
    assert talk.state.confirming.args == {"amount": 25, "recipient": "Ada", "on": "Monday"}


@pytest.mark.parametrize("said", ["no", "no thanks", "I changed my mind", "forget about it please"])
def test_whoever_wants_nothing_more_is_not_asked_on(said):
    talk = Talk(make_app([SEND, FIND]))
    talk.say("send money, amount 25, on 5 July")
    assert talk.say(said) == (["All right, I have stopped that."], [])
    assert not talk.state.has_asked


def test_a_reason_may_be_any_words():
    returns = {"name": "return_it", "description": "", "parameters": {"reason": TEXT}}
    talk = Talk(make_app([returns, FIND]), confirms=False)
    talk.say("return it")
    assert talk.say("I changed my mind")[1] == [("return_it", {"reason": "I changed my mind"})]


def test_something_else_drops_the_plan(talk):
    assert talk.say("where is order 4711") == ([], [("find_order", {"order_id": "4711"})])
    talk.respond()
    assert talk.say("yes")[1] == []


@pytest.mark.parametrize("said", ["no, where is order 4711", "oh wait no, track order 4711"])
def test_a_no_with_another_wish_does_both(talk, said):
    texts, calls = talk.say(said)
    assert texts == ['All right, I have not done "book table".']
    assert calls == [("find_order", {"order_id": "4711"})]


@pytest.mark.parametrize(
    "said",
    ["yes, cancel that", "book the table", "yes, quickly", "hold on", "Hmm.", "wait, let me check"],
)
def test_what_is_no_plain_yes_is_asked_again(talk, said):
    assert talk.say(said) == ([SENTENCE], [])
    assert talk.say("yes")[1]


def test_a_tool_that_changes_nothing_is_called_at_once(talk):
    assert Talk().say("where is order 4711")[1] == [("find_order", {"order_id": "4711"})]


def test_what_is_missing_is_asked_for_first():
    talk = Talk()
    assert talk.say("book a table on Friday") == (["How many people?"], [])
    assert talk.say("4") == ([SENTENCE], [])


def test_the_operator_can_turn_it_off():
    talk = Talk(confirms=False)
    assert talk.say("book a table for 4 people on Friday")[1]


def test_a_golden_that_calls_has_agreed():
    agreed = ({"tool": f"{APP}/tools/book_table"},)
    assert Talk().say("book a table for 4 people on Friday", agreed=agreed)[1]
    other = ({"tool": f"{APP}/tools/find_order"},)
    assert not Talk().say("book a table for 4 people on Friday", agreed=other)[1]


def test_a_yes_to_a_tool_that_is_gone_calls_nothing(talk):
    talk.app = make_app([FIND])
    assert talk.say("yes") == (["All right, I have stopped that."], [])


def test_an_agent_that_is_a_tool_asks_through_the_one_that_called_it():
    function = {"name": "cancel_trip", "pythonCode": "def cancel_trip():\n    return {}\n"}
    cancel = Tool(parent=APP, id="c", display_name="c", fields={"pythonFunction": function})
    helper = Agent(parent=APP, id="h", display_name="H", fields={"tools": [cancel.name]})
    body = {"name": "helper_trip", "agent": helper.name}
    ask = Tool(parent=APP, id="t", display_name="t", fields={"agentTool": body})
    root = Agent(parent=APP, id="root", display_name="Root", fields={"tools": [ask.name]})
    app = App(parent="p", id="a", display_name="A", fields={"rootAgent": root.name})
    talk = Talk(app_spec(app, [root, helper], [cancel, ask]))
    ran = []
    result = SimpleNamespace(error="", value="Done.", variables={})
    talk.rooms.python = SimpleNamespace(run=lambda *_, **__: ran.append(1) or result)
    assert talk.say("forget my trip") == (['Shall I do "cancel trip"?'], [])
    assert not ran
    assert [call["displayName"] for call in talk.state.confirming.inside] == ["cancel_trip"]
    assert talk.say("yes") == (["Done."], [])
    assert ran == [1]
    assert talk.state.confirming is None


def test_every_argument_stands_in_the_sentence_as_it_is():
    tool = make_app([BOOK]).tools[f"{APP}/tools/book_table"]
    args = {"note": 'say "hi"\nthere', "window": True, "price": 12.0, "tags": ["a", "é"]}
    assert question_about(tool, args) == (
        'Shall I do "book table" with note "say \\"hi\\"\\nthere", window yes, price 12'
        ' and tags ["a", "é"]?'
    )


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("why not", Reply.YES),
        ("no problem, go ahead", Reply.YES),
        ("not right now", Reply.NO),
        ("cancel it", Reply.UNCLEAR),  # the tool cancels: which of the two is meant?
        ("yes, cancel the trip", Reply.YES),
        ("please don't cancel it", Reply.NO),
        ("yes?", Reply.YES_BUT),
        ("no, the other one", Reply.NO_BUT),
        ("thank you", Reply.UNCLEAR),
        ("", Reply.UNCLEAR),
        ("!!!", Reply.UNCLEAR),
        ("is it possible tomorrow", Reply.OTHER),
        ("oh, my sister says no, don't cancel it", Reply.NO_BUT),
        ("hm, no need any more", Reply.NO_BUT),
    ],
)
def test_what_an_answer_means(said, reply):
    tool = make_app([{"name": "cancel_trip", "description": ""}]).tools[f"{APP}/tools/cancel_trip"]
    assert read_reply(said, tool, {"trip_id": "T12"}) is reply


PAYMENT = {"amount": 70, "recipient": "Carla Perfect", "shop": "Works"}


@pytest.mark.parametrize(
    "said",
    [
        *("is this fine", "so are these right", "70 to Carla, correct", "right is it 70"),
        *("ok it's 70 to Carla ok", "was that correct", "will you do it now", "you do this right"),
        *("are you sure", "you sure", "I'd mind that", "this the correct amount", "this ok"),
        *("70 is it", "it is to Carla isn't it", "can I do that", "so it goes to Carla huh"),
        *("do we do it", "yes does it go to Carla", "have you the right amount", "the amount ok"),
        *("right away", "the right recipient", "Perfect", "works", "Carla Perfect"),
        *("it's fine, thanks", "that's all right, thank you", "its fine thanks", "thats it"),
        *("go on holiday", "go on, what else", "go on and on", "carry on with what", "hmm maybe"),
        *("yes maybe", "i guess so", "is thats right", "ffs", "oh god", "thats it?"),
    ],
)
def test_what_only_sounds_like_a_yes_is_none(said):
    tool = make_app([SEND]).tools[f"{APP}/tools/send_money"]
    assert read_reply(said, tool, PAYMENT) in (Reply.UNCLEAR, Reply.YES_BUT, Reply.OTHER)


@pytest.mark.parametrize(
    "said",
    [
        *("that seems fine", "This looks great.", "excellent", "let's do this", "please do"),
        *("that's right, thanks", "fine, thanks"),
        *(
            "do so please",
            "yes do",
            "just do this",
            "it works for us",
            "great with me",
            "all right",
        ),
        *("it's all correct", "the amount is right", "70 is correct", "I'd love that", "Agreed."),
        *("go on then", "oh go on", "yeah, go on please", "carry on", "k", "yep thats it"),
        *("thats fine", "lets do it", "ffs yes", "yes lol", "hell yes", "yes pls"),
        *("of course", "so that is fine", "yes I want you to send the money", "ok then yes"),
        *(
            "that'll do",
            "thank you, wonderful",
            "\U0001f44c",
            "\u2705 thanks",
            "everything is fine",
        ),
    ],
)
def test_a_yes_in_other_words_is_one(said):
    tool = make_app([SEND]).tools[f"{APP}/tools/send_money"]
    assert read_reply(said, tool, PAYMENT) is Reply.YES


@pytest.mark.parametrize(("row", "reply"), [("J", Reply.UNCLEAR), ("12", Reply.YES)])
def test_a_letter_is_no_yes_where_letters_are_values(row, reply):
    tool = make_app([SEND]).tools[f"{APP}/tools/send_money"]
    assert read_reply("k", tool, {"row": row}) is reply
    assert read_reply("y", tool, {"row": row}) is reply
    assert read_reply("ok", tool, {"row": row}) is Reply.YES


def test_a_word_of_what_is_asked_about_agrees_to_nothing():
    tool = make_app([{"name": "pay_fine", "description": ""}]).tools[f"{APP}/tools/pay_fine"]
    assert read_reply("the fine", tool, {}) is Reply.UNCLEAR
    assert read_reply("yes, the fine", tool, {}) is Reply.YES


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        ("would that be right", [SENTENCE]),
        ("nice", [SENTENCE]),
        ("\U0001f914", [SENTENCE]),
        ("allons-y", ["I did not understand that.", SENTENCE]),
        ("does it have a terrace", ["I cannot tell you that.", SENTENCE]),
        ("hello", ["Hello. How can I help you?", SENTENCE]),
    ],
)
def test_what_leads_nowhere_else_does_not_drop_the_plan(talk, said, texts):
    assert talk.say(said) == (texts, [])
    assert talk.say("that sounds great") == (
        [],
        [("book_table", {"date": "Friday", "people": 4})],
    )


@pytest.mark.parametrize(
    "said", ["hm, let me find my wife first. don't do it", "my wife says no. please don't book it"]
)
def test_a_no_behind_its_reason_is_one(talk, said):
    assert talk.say(said) == (['All right, I have not done "book table".'], [])
    assert not talk.state.has_asked


def test_a_goodbye_drops_it():
    talk = Talk()
    talk.say("book a table for 4 people on Friday")
    talk.rooms.is_small_talk = lambda said: said == "bye"
    assert talk.say("bye") == (["Goodbye."], [])
    assert not talk.state.has_asked


def test_a_state_without_a_question_is_as_before():
    assert "confirming" not in SessionState().to_json()
    state = SessionState(confirming=Confirming(tool="t", args={"a": 1}, question="q"))
    assert SessionState.from_json(state.to_json()) == state
