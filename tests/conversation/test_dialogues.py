"""Whole conversations with the shipped models: what is said and called in each turn.

`data/dialogues.txt` has, for each, the app, what the user says (">"), and what comes back. Rules
were made looking at them: they show that nothing is lost, not how often a new user is understood.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.conversation.apps import make_app
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.state import SessionState
from toulmin.conversation.turn import Turn
from toulmin.services import build_services
from toulmin.settings import load_settings

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DIALOGUES = (Path(__file__).parent / "data" / "dialogues.txt").read_text().strip().split("\n\n")


def text(description, **more):
    return {"type": "STRING", "description": description, **more}


def number(description):
    return {"type": "NUMBER", "description": description}


def tool(name, description, **parameters):
    return {"name": name, "description": description, "parameters": parameters}


APPS = {
    "bank and office": [
        tool(
            "transfer_money",
            "Transfers money to somebody.",
            amount=number("Amount in euros"),
            person=text("The person who gets the money"),
            date=text("Date of the transfer"),
        ),
        tool(
            "reportFault",
            "Reports a fault of a machine.",
            machineId=text("Id of the machine"),
            fault=text("What is wrong with it"),
        ),
        tool("find_order", "Says where an order is.", orderId=text("Number of the order")),
        tool(
            "book_room",
            "Books a meeting room.",
            city=text("City of the office"),
            people={"type": "INTEGER"},
            start=text("Time at which the meeting begins"),
        ),
    ],
    "home": [
        tool(
            "cancel_subscription",
            "Cancels a subscription.",
            subscription_id=text("Id of the subscription"),
            reason=text("Why it is cancelled"),
        ),
        tool(
            "check_balance",
            "Shows the balance of an account.",
            account_number=text("Account number"),
        ),
        tool(
            "schedule_visit",
            "Schedules a visit of a technician.",
            when=text("Day of the visit"),
            time=text("Time of day"),
            address=text("Address of the visit"),
            phone=text("Phone number to call"),
        ),
        tool(
            "translate",
            "Translates a text into another language.",
            text=text("The text to translate"),
            language=text("Language to translate into"),
        ),
        tool(
            "set_thermostat",
            "Sets the temperature of a room.",
            room=text("", enum=["kitchen", "bedroom", "living room"]),
            temperature=number("Temperature in degrees"),
        ),
    ],
}


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("data"))
    services = build_services(load_settings(flags={"data_dir": folder}, environment={}))
    yield services.conversation_rooms()
    services.close()


def talk(app, said, rooms):
    """Return the conversation as it went, in the form of the file."""
    state, lines = SessionState(), []
    for words in said:
        lines.append(f"> {words}")
        turn = Turn(app, state, Inputs(text=words), rooms=rooms, now=NOW)
        for output in turn.run():
            if "text" in output:
                lines.append(output["text"])
            calls = output.get("toolCalls", {}).get("toolCalls", ())
            lines += [f"{call['displayName']} {json.dumps(call['args'])}" for call in calls]
        if state.waiting:
            response = {"id": state.waiting[0].id, "response": {"output": "Done."}}
            inputs = Inputs(text="", responses=(response,), response_fields=("r",))
            list(Turn(app, state, inputs, rooms=rooms, now=NOW).run())
        state = SessionState.from_json(state.to_json())
    return "\n".join(lines)


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda one: one.splitlines()[1][2:40])
def test_a_conversation_goes_as_written(dialogue, rooms):
    head, _, wanted = dialogue.partition("\n")
    said = [line[2:] for line in wanted.splitlines() if line.startswith("> ")]
    assert talk(make_app(APPS[head.removeprefix("== ")]), said, rooms) == wanted
