"""What the agent says of a tool's response."""

from __future__ import annotations

import pytest

from tests.conversation.apps import make_app
from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.saying import abilities, asks_for_help, of_response

TOOL = ToolSpec(name="tools/t", display_name="look_up", kind="clientFunction")
CHANGING = ToolSpec(
    name="tools/c", display_name="send_parcel", kind="clientFunction", description="Sends a parcel."
)
REPAIR = {"repair": 31, "part": "hinge", "status": "failed", "next_try": "2026-12-01"}
TALK = {"summary": "Talk on old bridges", "start": "2026-12-01 18:30"}
FOUND = {"message": "The parcel was found.", "arrival": "Monday", "state": "SHIPPED", "depots": 3}


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
    ("question", "response", "text"),
    [
        ("What became of repair 31?", REPAIR, "Repair: 31\nPart: hinge\nStatus: failed\nNext try: 2026-12-01"),
        ("What is the status of repair 31?", REPAIR, "Status: failed"),
        ("Is it painted?", {"wall": "north", "status": "done"}, "Wall: north\nStatus: done"),
        ("What came of it?", {"charge": 40, "status": "succeeded"}, "Charge: 40\nStatus: succeeded"),
        ("What is the status of the pump?", {"status": "ok"}, "Status: ok"),
        ("Is pump 31 all right?", {"pump": 31, "status": "ok"}, "Pump: 31\nStatus: ok"),
        ("Is pump 31 all right?", {"pump": 31, "status": "OK", "hours": 9}, "Pump: 31\nHours: 9"),
        ("Which walls?", {"walls": [{"side": "n", "status": "done"}]}, "1 side: n\n1 status: done"),
        ("Where is it?", {"code": 1, "status": "success"}, "Code: 1"),
        ("Where is it?", {"code": 200.0, "ok": True, "row": 4}, "Row: 4"),
        ("Is it dry in Rome?", {"status": "error", "error_message": "no such place"}, '"look up" failed: no such place.'),
        ("Is it dry?", {"status": "error", "error": "no such place", "trace": "a7"}, '"look up" failed: no such place.'),
    ],
)  # fmt: skip
def test_the_status_that_a_look_up_returns_is_a_value(question, response, text):
    assert of_response(TOOL, question, response, {"pump": 31}) == text


@pytest.mark.parametrize(
    ("response", "text"),
    [
        (REPAIR, '"send parcel" failed.'),
        ({"status": "failed", "reason": "too heavy", "kilos": 31}, '"send parcel" failed: too heavy.'),
        ({"parcel": 31, "status": "done"}, "Parcel: 31"),
        ({"status": "Succeeded"}, '"send parcel" is done.'),
        ({"message": "It is on its way.", "parcel": "B7", "status": "done"}, "It is on its way."),
    ],
)  # fmt: skip
def test_the_status_that_a_change_returns_is_its_own(response, text):
    assert of_response(CHANGING, "Send the parcel to Bergen", response, {}) == text


@pytest.mark.parametrize(
    ("question", "response", "text"),
    [
        ("When is the talk on bridges?", TALK, "Summary: Talk on old bridges\nStart: 2026-12-01 18:30"),
        ("What is on?", {"summary": "Talk on old bridges"}, "Talk on old bridges"),
        ("What is on?", {"summary": "A talk on bridges.", "hall": "B"}, "A talk on bridges."),
        ("When does my parcel arrive?", FOUND, "The parcel was found.\nArrival: Monday"),
        ("Has my parcel been shipped?", FOUND, "The parcel was found.\nState: SHIPPED"),
        ("How many depots are there?", FOUND, "The parcel was found.\nDepots: 3"),
        ("Where is my parcel?", FOUND, "The parcel was found."),
        ("When does it come?", FOUND | {"message": "It comes on Monday."}, "It comes on Monday."),
        ("When does it come?", FOUND | {"message": "It comes at noon today."}, "It comes at noon today."),
        ("When does it come?", FOUND | {"message": "Parcel 31 was found."}, "Parcel 31 was found.\nArrival: Monday"),
        ("When does it come?", FOUND | {"message": "It comes at 5 pm."}, "It comes at 5 pm."),
        ("Cuándo llega?", {"reply": "Lo hemos encontrado.", "llegada": "2026-12-01"}, "Lo hemos encontrado.\nLlegada: 2026-12-01"),
        ("How is it kept?", {"content": "# Care\n- dry\n- cold", "title": "Care"}, "# Care\n- dry\n- cold"),
    ],
)  # fmt: skip
def test_a_spoken_text_hides_no_value_that_is_asked_for(question, response, text):
    assert of_response(TOOL, question, response, {}) == text


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
