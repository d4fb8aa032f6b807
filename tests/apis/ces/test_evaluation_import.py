"""Evaluations imported from rows, conversations and exports: what is right is kept, the rest said."""

from __future__ import annotations

import csv
import io
import json
import time

import pytest

from tests.apis.ces.clients import WAIT_S, responses
from tests.apis.ces.test_evaluations import (
    SHIPPED,
    answers,
    asks_for_order,
    make,
    run,
    said,
    turn,
    turns_of,
)
from tests.apis.ces.test_resources import refused
from toulmin.apis.ces.evaluation_rows import COLUMNS, Names, read_rows
from toulmin.errors import InvalidArgument

pytestmark = [pytest.mark.client, pytest.mark.model]

HEADER = (
    "display_name,turn_index,action_type,text_content,tool_name,tool_args_json,"
    "tool_response_json,response_agent,updated_variables_json,target_agent,expectation_note,tags\n"
)


def row(name="", at="", action="", **cells):
    columns = HEADER.strip().split(",")
    found = {"display_name": name, "turn_index": at, "action_type": action, **cells}
    text = io.StringIO()
    csv.DictWriter(text, columns, lineterminator="\n").writerow(found)
    return text.getvalue()


def order_rows(name="orders"):
    shipped = '{"output": {"status": "shipped", "arrival": "Friday"}}'
    call = {"tool_name": "find_order", "tool_args_json": '{"order_id": "4711"}'}
    return (
        row(name, tags="smoke, orders")
        + row(at=1, action="INPUT_UPDATED_VARIABLES", updated_variables_json='{"plan": "gold"}')
        + row(at=1, action="INPUT_TEXT", text_content="where is my order 4711")
        + row(at=1, action="EXPECTATION_TOOL_CALL", expectation_note="the right one", **call)
        + row(
            at=1,
            action="INPUT_TOOL_RESPONSE",
            tool_name="find_order",
            tool_response_json=shipped,
        )
        + row(
            at=1,
            action="EXPECTATION_TEXT",
            response_agent="Root",
            text_content="Arrival: Friday\nStatus: shipped",
        )
        + row(at=2, action="INPUT_TEXT", text_content="give me my money back for order 12")
        + row(at=2, action="EXPECTATION_AGENT_TRANSFER", target_agent="returns")
        + row(at=2, action="EXPECTATION_TEXT", response_agent="Returns", text_content="Why?")
    )


@pytest.fixture
def app(beta, backend):
    return beta.make_shop(backend)


def imported(clients, app, content, strategy=0):
    request = {
        "parent": app,
        "csv_content": content.encode() if isinstance(content, str) else content,
        "import_options": {"conflict_resolution_strategy": strategy},
    }
    operation = clients.evaluation.import_evaluations(request=request)
    assert operation.metadata.create_time is not None
    return operation.result(timeout=WAIT_S)


def names(clients, app):
    found = clients.evaluation.list_evaluations(request={"parent": app, "order_by": "name"})
    return sorted(item.display_name for item in found)


def test_rows_become_goldens_that_run(beta, app):
    done = imported(beta, app, HEADER + order_rows())
    assert (list(done.error_messages), done.import_failure_count) == ([], 0)
    (made,) = done.evaluations
    found = beta.evaluation.get_evaluation(name=made.name)
    assert (made.golden, made.etag) == (found.golden, found.etag)
    assert (made.display_name, list(made.tags)) == ("orders", ["smoke", "orders"])
    first, second = made.golden.turns
    call = first.steps[2].expectation
    assert (call.tool_call.tool, call.note) == (f"{app}/tools/find_order", "the right one")
    assert second.steps[1].expectation.agent_transfer.target_agent == f"{app}/agents/returns"
    _, (result,) = run(beta, app, made.name)
    outcomes = [item["outcome"] for item in turns_of(result)[0]["expectationOutcome"]]
    assert outcomes == ["PASS", "SKIPPED", "PASS"]
    assert turns_of(result)[1]["expectationOutcome"][0]["outcome"] == "PASS"


def test_a_wrong_row_leaves_out_its_evaluation_and_no_other(beta, app):
    content = (
        HEADER
        + row("wrong")
        + row(at=1, action="INPUT_TEXT", text_content="two\nlines")
        + row(at=3, action="EXPECTATION_TOOL_CALL", tool_name="none")
        + row(at=2, action="INPUT_TEXT", text_content="x")
        + row(at=3, action="SING", text_content="x")
        + row(at="x", action="INPUT_TEXT", text_content="x")
        + row(at=3, action="EXPECTATION_TEXT", response_agent="Nobody", text_content="x")
        + row(at=3, action="INPUT_UPDATED_VARIABLES", updated_variables_json="[1]")
        + order_rows("right")
        + row("empty")
        + row("no input")
        + row(at=1, action="EXPECTATION_TEXT", response_agent="Root", text_content="x")
    )
    done = imported(beta, app, content)
    assert [item.display_name for item in done.evaluations] == ["right"]
    assert done.import_failure_count == 3
    for said_, words in zip(
        done.error_messages,
        (
            'line 5: tool_name: "none" is no tool',
            "line 6: turn_index: is 2 after 3",
            'line 7: action_type: "SING" is none; there are EXPECTATION_AGENT_TRANSFER',
            'line 8: turn_index: "x" must be a whole number',
            'line 9: "Nobody" is no agent',
            "line 10: updated_variables_json: must be a JSON object",
            "line 21: evaluation.golden.turns: has 0 turns",
            "line 22: evaluation.golden.turns[0].steps: has no user_input",
        ),
        strict=True,
    ):
        assert words in said_
    assert names(beta, app) == ["right"]


def test_what_is_there_already_is_kept_replaced_or_doubled(beta, app):
    content = HEADER + order_rows()
    (first,) = imported(beta, app, content).evaluations
    unsaid = imported(beta, app, content)
    assert (unsaid.import_failure_count, len(unsaid.evaluations)) == (1, 0)
    assert "conflict_resolution_strategy: is not set" in unsaid.error_messages[0]
    changed = content.replace("4711", "4712")
    skipped = imported(beta, app, changed, strategy=2)
    assert (skipped.import_failure_count, len(skipped.evaluations)) == (0, 0)
    assert beta.evaluation.get_evaluation(name=first.name).etag == first.etag
    (double,) = imported(beta, app, changed, strategy=3).evaluations
    assert (double.display_name, double.name != first.name) == ("orders (2)", True)
    (replaced,) = imported(beta, app, changed, strategy=1).evaluations
    assert (replaced.name, replaced.golden) == (first.name, double.golden)
    assert replaced.etag != first.etag
    twice = imported(beta, app, HEADER + order_rows("new") + order_rows("new"), strategy=1)
    assert (len(twice.evaluations), twice.import_failure_count) == (1, 1)
    assert "twice" in twice.error_messages[0]
    assert names(beta, app) == ["new", "orders", "orders (2)"]


def test_an_export_does_not_take_the_name_of_another(beta, app):
    (there,) = imported(beta, app, HEADER + order_rows()).evaluations
    brought = {
        "name": f"{app}/evaluations/of-elsewhere",
        "displayName": "orders",
        "golden": {"turns": [{"steps": [{"userInput": {"text": "hello"}}]}]},
    }
    content = json.dumps({"evaluations": [brought]})
    for strategy in (0, 1, 2):
        left = imported(beta, app, content, strategy=strategy)
        assert (left.import_failure_count, len(left.evaluations)) == (1, 0)
        assert f'display_name: "orders" is that of {there.name}' in left.error_messages[0]
    (double,) = imported(beta, app, content, strategy=3).evaluations
    assert (double.display_name, double.name) == ("orders (2)", brought["name"])


def test_a_conversation_becomes_a_golden_that_it_passes(beta, app):
    beta.run(app, {"variables": {"plan": "gold"}}, "where is my order 4711", session="s1")
    beta.run(app, responses(("call-1", SHIPPED)), session="s1")
    beta.run(app, "thanks", session="s1")
    conversation = f"{app}/conversations/s1"
    request = {
        "parent": app,
        "conversation_list": {"conversations": [conversation, f"{app}/conversations/none"]},
    }
    done = beta.evaluation.import_evaluations(request=request).result(timeout=WAIT_S)
    (made,) = done.evaluations
    assert (made.display_name, len(made.golden.turns)) == ("s1", 2)
    assert done.import_failure_count == 1
    assert "conversations/none" in done.error_messages[0]
    _, (result,) = run(beta, app, made.name)
    assert result.evaluation_status.name == "PASS"
    calls = [
        item["expectation"]["toolCall"]
        for item in turns_of(result)[0]["expectationOutcome"]
        if "toolCall" in item["expectation"]
    ]
    assert [(call["args"], "id" in call) for call in calls] == [({"order_id": "4711"}, False)]


def test_an_export_is_imported_into_another_app(beta, backend, app):
    golden = make(beta, app, asks_for_order(app), turn(said("hello"), answers("Hello!")))
    run(beta, app, golden)
    exported = beta.evaluation.export_evaluations(
        request={
            "parent": app,
            "names": [golden],
            "include_evaluations": True,
            "include_evaluation_results": True,
        }
    ).result(timeout=WAIT_S)
    other = beta.make_shop(backend)
    done = imported(beta, other, exported.evaluations_content)
    (made,) = done.evaluations
    assert made.name == golden.replace(app, other)
    call = made.golden.turns[0].steps[1].expectation.tool_call
    assert call.tool == f"{other}/tools/find_order"
    assert done.evaluation_result_import_failure_count == 1
    assert "evaluation results are not imported" in done.error_messages[0]
    again = imported(beta, other, exported.evaluations_content, strategy=3)
    assert again.evaluations[0].name != made.name
    wrong = imported(beta, other, b'{"evaluations": [{"displayName": "x", "turns": []}]}')
    assert (wrong.import_failure_count, len(wrong.evaluations)) == (1, 0)
    assert 'Unknown name "turns"' in wrong.error_messages[0]


def test_what_is_no_import_is_refused(beta, app):
    other = beta.make_app()
    first = ",".join(HEADER.strip().split(",")[:3])
    for source, code, words in (
        ({}, 400, "source: is missing"),
        ({"gcs_uri": "gs://b/o"}, 501, "gcs_uri"),
        ({"csv_content": b"\xff"}, 400, "must be UTF-8"),
        ({"csv_content": b"display_name,turn_index\n"}, 400, "no column action_type"),
        ({"csv_content": f"{first},song\n".encode()}, 400, 'a column "song"'),
        ({"csv_content": f"{first},turn_index\n".encode()}, 400, "has twice: turn_index"),
        ({"csv_content": f"{first}\n".encode()}, 400, "has no rows"),
        ({"csv_content": f"{first}\n,1,INPUT_TEXT\n".encode()}, 400, "line 2: display_name"),
        ({"csv_content": f'{first}\n"x'.encode()}, 400, "line 2"),
        ({"csv_content": f"{first}\na,,,,\n".encode()}, 400, "line 2 has 5 cells"),
        ({"csv_content": b'{"x": 1}'}, 400, 'has "x"'),
        ({"csv_content": b'{"evaluations": 1}'}, 400, "must be a list"),
        ({"csv_content": b'{"evaluations"'}, 400, "csv_content"),
        ({"conversation_list": {}}, 400, "has 0 names"),
        ({"conversation_list": {"conversations": ["x"]}}, 400, "conversations[0]"),
        ({"conversation_list": {"conversations": [f"{other}/conversations/c"]}}, 400, "is not of"),
    ):
        refused(
            lambda source=source: beta.evaluation.import_evaluations(
                request={"parent": app, **source}
            ),
            code,
            words,
        )
    refused(lambda: imported(beta, f"{app}x", HEADER + order_rows()), 404)


def test_every_column_is_read():
    """Each action takes its cells, and says which one it lacks."""
    names = Names(lambda name: {"tool": name}, lambda name: (name, name))
    cells = {
        "text_content": "t",
        "image_mime_type": "image/png",
        "image_content": "AA==",
        "event": "welcome",
        "tool_name": "t",
        "updated_variables_json": "{}",
        "response_agent": "a",
        "target_agent": "a",
    }
    for action, needed in (
        ("INPUT_TEXT", ["text_content"]),
        ("INPUT_IMAGE", ["image_mime_type", "image_content"]),
        ("INPUT_EVENT", ["event"]),
        ("INPUT_TOOL_RESPONSE", ["tool_name"]),
        ("INPUT_UPDATED_VARIABLES", ["updated_variables_json"]),
        ("EXPECTATION_TEXT", ["response_agent", "text_content"]),
        ("EXPECTATION_TOOL_CALL", ["tool_name"]),
        ("EXPECTATION_TOOL_RESPONSE", ["tool_name"]),
        ("EXPECTATION_AGENT_TRANSFER", ["target_agent"]),
        ("EXPECTATION_UPDATED_VARIABLES", ["updated_variables_json"]),
    ):
        for left_out in (None, *needed):
            given = {name: cells[name] for name in needed if name != left_out}
            values = {"turn_index": "1", "action_type": action, **given}
            text = io.StringIO()
            writer = csv.DictWriter(text, COLUMNS)
            writer.writeheader()
            writer.writerows([{"display_name": "n"}, values])
            (candidate,) = read_rows(text.getvalue().encode(), names)
            if left_out is None:
                assert candidate.problems == []
                assert len(candidate.value["golden"]["turns"][0]["steps"]) == 1
            else:
                assert f"{left_out}: is empty; {action} needs it" in candidate.problems[0]
    with pytest.raises(InvalidArgument, match="no column"):
        read_rows(b"", names)


def test_a_header_of_many_columns_is_refused_in_time():
    header = "display_name,turn_index,action_type" + "," * 60_000
    began = time.process_time()
    with pytest.raises(InvalidArgument, match="the header has twice"):
        read_rows(header.encode(), Names(str, str))
    assert time.process_time() - began < 2
