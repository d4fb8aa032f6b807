"""What the agent says of a tool's response."""

from __future__ import annotations

import pytest

from tests.conversation.apps import make_app
from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.saying import abilities, asks_for_help, of_response

TOOL = ToolSpec(name="tools/t", display_name="look_up", kind="clientFunction")


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ({"output": "It comes on Friday."}, "It comes on Friday."),
        ({"output": ""}, '"look up" is done.'),
        ({"error": "no such order"}, '"look up" failed: no such order.'),
        ({"error": {"code": 5, "message": "gone."}}, '"look up" failed: gone.'),
        ({"result": {"status": "error", "error": "gone"}}, '"look up" failed: gone.'),
        ({"result": {"status": "error", "agent_action": "say so"}}, '"look up" failed.'),
        ({"output": {"balance": "$45.00", "plan": "Gold"}}, "Balance: $45.00"),
        ({"balance": "$45.00", "plan": "Gold"}, "Balance: $45.00"),
        ({"output": {"plan": "Gold", "seats": 2.0}}, "Plan: Gold\nSeats: 2"),
        ({"output": {"status": "success", "paid": True}}, "Paid: yes"),
        ({"output": {"message": "Your balance is low today."}}, "Your balance is low today."),
        ({"output": {"orders": [{"id": 7}, {"id": 9}]}}, "1 id: 7\n2 id: 9"),
        ({"output": []}, '"look up" is done.'),
        ({"success": False, "message": "Card declined"}, '"look up" failed: Card declined.'),
        ({"output": {"ok": False}}, '"look up" failed.'),
        (
            {"output": {"plan": "Gold"}, "error": "no seats"},
            'Plan: Gold\n"look up" reported: no seats.',
        ),
        ({"output": [], "error": "no seats"}, '"look up" reported: no seats.'),
    ],
)
def test_the_response_in_words(response, text):
    assert of_response(TOOL, "What is my balance?", response, {}) == text


@pytest.mark.parametrize(
    ("question", "response", "text"),
    [
        ("Is trail 17 open?", {"trail": 17, "open": False}, "Trail: 17\nOpen: no"),
        ("Is trail 17 open?", {"trail": 17, "open": False, "snow": 3}, "Open: no"),
        (
            "When does it get here, trail 17?",
            {"trail": 17, "day": "Monday"},
            "Trail: 17\nDay: Monday",
        ),
        ("Which trail?", {"trail": 17}, "Trail: 17"),
        ("Which trail is near?", {"trail": 18, "open": True}, "Trail: 18"),
    ],
)
def test_what_the_user_said_is_not_the_answer(question, response, text):
    assert of_response(TOOL, question, response, {"trail": 17}) == text


@pytest.mark.parametrize(
    "said", ["help", "What can you do?", "hi, how can you help me", "help me please"]
)
def test_whoever_asks_what_can_be_asked_for_is_told(said):
    app = make_app([{"name": "find_order", "description": "Says where an order is. It is fast."}])
    assert asks_for_help(said)
    assert abilities(app, app.agents[app.root]) == "I can help with: says where an order is."


@pytest.mark.parametrize("said", ["help me find order 7", "what can you do about the leak", "no"])
def test_a_wish_is_no_question_for_help(said):
    assert not asks_for_help(said)
