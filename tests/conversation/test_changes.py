"""Which tools count as changing something."""

from __future__ import annotations

import pytest

from toulmin.conversation.changes import changes_something, is_to_be_confirmed
from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.mcp_results import tool_of
from toulmin.conversation.openapi import operations_of


def tool(name="t", description="", kind="clientFunction", **more):
    return ToolSpec(name="a/tools/t", display_name=name, kind=kind, description=description, **more)


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("cancel_booking", ""),
        ("book_table", "Reserves a table."),
        ("refund_order", "Pays the money for an order back."),
        ("order_hardware", "Orders a device for an employee."),
        ("prescription_refill", "Orders a repeat prescription for a medicine."),
        ("open_ticket", "Opens a ticket for a technical problem."),
        ("mailer", "Use this tool to send an e-mail to the customer."),
        ("changeAddress", ""),
        ("reset-password", "Sends a new password."),
        ("get_appointment", "Makes an appointment."),  # one of the two is enough
        ("update_rate", "Updates the interest rate of a loan."),
        ("change_rate", ""),
        ("set_balance", ""),
        ("remove_lines", "Removes lines from an order."),
        ("reserve_items", "Reserves items"),
        ("erase_history", "Erases the purchase history."),
        ("clear_history", "Clears the purchase history of a customer."),
        ("reschedule_session", "Moves a session with the tutor to another day."),
        ("start_charging", "Start a charging session"),
        ("set_state", "Sets the state of a valve."),
        ("forward_conversation", "Forwards the conversation to a lawyer."),
        ("return_parcel", "Return a parcel"),
        ("check_out", "Checks a guest out."),
        ("checkin", ""),
        ("search_and_reserve", ""),
        ("slot_finder", "Finds a slot and reserves it."),
        ("lookup_guest", "Looks up a guest. Creates one if there is none."),
        ("generate_contract", "Generates a contract"),
        ("convert_miles", "Converts miles into a voucher."),
        ("publish_list", "Publishes the list of winners."),
        ("order_cake", ""),
        ("hire_guide", "Hire local guides"),
        ("port_number", "Take a number over from another provider"),
        ("report_leak", "Tell the landlord that a pipe leaks"),
        ("claim_costs", "Get a refund for what was spent"),
        ("delete_card", "Says that a card is gone."),
    ],
)
def test_a_verb_says_that_something_is_changed(name, description):
    assert changes_something(tool(name, description))


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("find_order", "Says where an order is and when it arrives."),
        ("order_status", ""),
        ("refund_policy", ""),
        ("book_search", "Books by title, author or subject."),
        ("update_feed", "Lists the latest updates."),
        ("cancel_fees", "Explains what a cancellation costs."),
        ("create_report", "Creates a report of the last month."),
        ("set_session_state", "Sets one or more session state variables."),
        ("payload_update_tool", "Updates the session payload with escalation metadata."),
        ("add", "Adds two numbers."),
        ("weigh_parcel", "Weighs a parcel on the scales."),
        ("weather", "Current weather in a city"),
        ("save_variables", "Saves variables of the talk."),
        ("exchange_rate", "What a currency is worth"),
        ("order_list", "Orders placed by a customer"),
        ("order_history", "Order history of a customer"),
        ("transfer_rates", ""),
        ("explain_returns", "Explains how to return an item and pay for it."),
        ("get_orders", "Returns the orders of a customer."),
        ("convert_currency", "Converts an amount to another currency."),
        ("generate_summary", "Generates a summary of the talk."),
        ("tell_hours", "Tells the user that the shop is closed."),
        ("check_stock", "Checks in which shops an item is."),
        ("clear_context", "Clears the context."),
        ("find_transfers", "Finds transfers and charges of a month."),
        ("get_slots", "Looks up free slots. Cancel the old one first."),
        ("greeting", ""),
        ("", ""),
    ],
)
def test_what_reads_or_is_not_plain_does_not_count(name, description):
    assert not changes_something(tool(name, description))


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("car_wash", "Washes a car."),
        ("wake_up_call", "Arranges a wake-up call."),
        ("orderWine", "Order wine to be delivered"),
        ("switchLight", "Turn a light on or off"),
        ("bind_thesis", "Have a thesis bound"),
    ],
)
def test_of_a_verb_that_is_in_no_list_it_is_assumed(name, description):
    assert changes_something(tool(name, description))


def test_documents_and_agents_change_nothing_themselves():
    assert not changes_something(tool("cancel_booking", "Cancels a booking.", "dataStoreTool"))
    assert not changes_something(tool("cancel_booking", "Cancels a booking.", "agentTool"))


@pytest.mark.parametrize(
    ("method", "id_", "wanted"),
    [
        ("get", "cancelOrder", False),
        ("put", "orders", True),
        ("patch", "orders", True),
        ("delete", "orders", True),
        ("post", "orders", True),
        ("post", "searchFlights", False),
        ("post", "findAndBook", True),
        ("post", "updatePrice", True),
        ("post", "orderStatus", False),
    ],
)
def test_the_method_of_an_operation_says_it(method, id_, wanted):
    text = (
        '{"openapi": "3.0.0", "servers": [{"url": "https://a.example"}], "paths": {"/x": {"'
        f'{method}": {{"operationId": "{id_}"}}}}}}}}'
    )
    (operation,) = operations_of(text, field_name="f")
    assert changes_something(tool(id_, kind="openApiTool", operation=operation)) is wanted


@pytest.mark.parametrize(
    ("annotations", "wanted"),
    [
        (None, None),
        ({}, None),
        ({"title": "Cancel"}, None),
        ({"readOnlyHint": True, "destructiveHint": True}, False),
        ({"readOnlyHint": False}, True),
        ({"destructiveHint": True}, True),
        ({"destructiveHint": False}, None),
        ({"readOnlyHint": "yes"}, None),
        ("none", None),
    ],
)
def test_the_annotations_of_an_mcp_tool_say_it(annotations, wanted):
    found = tool_of({"name": "cancel_all", "annotations": annotations})
    assert found.changes is wanted
    spec = tool("cancel_all", kind="mcpTool", changes=found.changes)
    assert changes_something(spec) is (wanted is not False)


@pytest.mark.parametrize(
    ("name", "instruction", "wanted"),
    [
        (
            "find_order",
            "Confirm the number with the customer, then call {@TOOL: find_order}.",
            True,
        ),
        ("find_order", "Call {@TOOL: find_order} only after the customer confirmed.", True),
        ("find_order", "Call {@TOOL: find_order}. Confirm what it says.", False),
        ("find_order", "Confirm the address before you call {@TOOL: other_tool}.", False),
        ("cancel_order", "Call {@TOOL: cancel_order} without asking for confirmation.", False),
        ("cancel_order", "1. Do not confirm, call {@TOOL: cancel_order} at once.", False),
        ("cancel_order", "Call {@TOOL: other_tool} without confirmation.", True),
    ],
)
def test_the_instruction_can_say_otherwise(name, instruction, wanted):
    assert is_to_be_confirmed(tool(name), instruction) is wanted


def test_the_description_can_say_otherwise():
    assert not is_to_be_confirmed(tool("cancel_order", "Cancels. Needs no confirmation."), "")
    assert is_to_be_confirmed(tool("weigh", "Weighs. Requires explicit confirmation."), "")
    assert is_to_be_confirmed(tool("weigh", "Only call this once the user has confirmed."), "")


@pytest.mark.parametrize(
    ("description", "changes"),
    [
        ("Rent a bike", True),
        ("Throws a sample away for good.", True),
        ("Log overtime", True),
        ("Logs the overtime of a nurse", True),
        ("Gives the latest notice of a strike", False),
        ("Announces whether there is a strike", False),
        ("Tip the courier", True),
    ],
)
def test_verbs_of_renting_and_throwing_away_change_something(description, changes):
    tool = ToolSpec(name="t", display_name="x1", kind="clientFunction", description=description)
    assert changes_something(tool) is changes
