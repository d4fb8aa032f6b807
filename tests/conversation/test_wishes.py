"""Several wishes in one text."""

from __future__ import annotations

import pytest

from tests.conversation.test_confirming import APP, BOOK, FIND, Talk, make_app
from toulmin.conversation.wishes import other_wishes


def leads_to(part):
    return next((word for word in ("room", "order") if word in part), "")


@pytest.mark.parametrize(
    ("said", "target", "others"),
    [
        ("book a room in Oslo and tell me where order 7 is", "order", ("book a room in Oslo",)),
        ("where is order 7? please book a room in Oslo", "order", ("please book a room in Oslo",)),
        ("tell me where order 7 is and tell me where order 8 is", "order", ()),
        ("book a room for Ada and Bert and their children", "room", ()),
        ("book a room with a view and order a taxi", "elsewhere", ()),
        ("book a room and find me something nice", "room", ()),
        ("", "room", ()),
    ],
)
def test_what_asks_for_something_else_is_another_wish(said, target, others):
    assert other_wishes(said, leads_to, target) == others


def test_a_wish_that_waits_is_named():
    talk = Talk(make_app([BOOK, FIND]), confirms=False)
    texts, calls = talk.say("book a table for 4 people on Friday and tell me where is order 4711")
    assert calls == [("book_table", {"date": "Friday", "people": 4})]
    assert texts == ['One thing at a time: ask me again for "tell me where is order 4711".']


def test_a_whole_wish_is_not_read_with_the_one_before():
    talk = Talk(make_app([BOOK, FIND]), confirms=False)
    heard = []
    router = talk.rooms.router.route

    def route(app, agent, said, **more):
        heard.append(said)
        return router(app, agent, said, **more)

    talk.rooms.router.route = route
    talk.say("where is order 4711")
    talk.respond()
    talk.say("book a table")  # by itself: with the one before it would be "(4711, Done)"
    assert heard[-1] == "book a table"
    assert talk.state.asking.tool == f"{APP}/tools/book_table"
