"""Transfer rules: obeyed in sessions, seen in what is told of them, checked when they are kept."""

from __future__ import annotations

import pytest
from google.protobuf.json_format import MessageToDict

from tests.apis.ces.clients import responses, texts
from tests.apis.ces.test_python_tools import python, python_backend  # noqa: F401 - fixtures
from tests.apis.ces.test_resources import refused
from toulmin.agents import Agent, App
from toulmin.conversation.definition import app_spec
from toulmin.conversation.prompting import functions_of

pytestmark = [pytest.mark.client, pytest.mark.model]

TO_CHILD, TO_PARENT = 1, 2
REFUND = "I want my money back"


@pytest.fixture
def app(beta, backend):
    return beta.make_shop(backend)


def hands_over(app, expression, child="returns", direction=TO_CHILD):
    return {
        "child_agent": f"{app}/agents/{child}",
        "direction": direction,
        "deterministic_transfer": {"expression_condition": {"expression": expression}},
    }


def bars(app, expression, child="returns", direction=TO_CHILD):
    return {
        "child_agent": f"{app}/agents/{child}",
        "direction": direction,
        "disable_planner_transfer": {"expression_condition": {"expression": expression}},
    }


def rule(clients, app, *rules, agent="root"):
    return clients.agent.update_agent(
        agent={"name": f"{app}/agents/{agent}", "transfer_rules": list(rules)},
        update_mask={"paths": ["transfer_rules"]},
    )


def told(outputs):
    """Return what the diagnostic information has: attributes of the turn, and the targets."""
    message = outputs[-1].diagnostic_info
    value = MessageToDict(type(message).pb(message))
    targets = [
        chunk["agentTransfer"]["displayName"]
        for item in value["messages"]
        for chunk in item["chunks"]
        if "agentTransfer" in chunk
    ]
    return value["rootSpan"]["attributes"], targets


def test_a_rule_hands_over_when_its_condition_is_true(clients, backend):
    app = clients.make_shop(backend)
    kept = rule(clients, app, hands_over(app, 'plan == "gold"'))
    assert clients.agent.get_agent(name=kept.name).transfer_rules == kept.transfer_rules
    attributes, targets = told(clients.run(app, "hello"))
    assert (attributes["agent"], targets) == ("Root", [])
    assert "transferRules" not in attributes
    attributes, targets = told(clients.run(app, {"variables": {"plan": "gold"}}, "hello"))
    assert (attributes["agent"], targets) == ("Returns", ["Returns"])
    assert attributes["transferRules"] == [
        {"rule": f"{kept.name} transferRules[0]", "target": f"{app}/agents/returns"}
    ]


def test_the_first_rule_that_holds_wins_and_the_way_back_is_a_rule_of_the_parent(beta, app):
    other = beta.make_agent(app, "other", display_name="Other")
    beta.agent.update_agent(
        agent={"name": f"{app}/agents/root", "child_agents": [f"{app}/agents/returns", other]},
        update_mask={"paths": ["child_agents"]},
    )
    rule(
        beta,
        app,
        hands_over(app, "visits == 1", child="other"),
        hands_over(app, "visits < 3"),
        hands_over(app, "visits == 5", direction=TO_PARENT),
        hands_over(app, "visits == 5", child="other", direction=TO_PARENT),
    )

    def speaker(visits, session):
        outputs = beta.run(app, {"variables": {"visits": visits}}, "hello", session=session)
        return told(outputs)[0]["agent"]

    assert speaker(1, "a") == "Other"
    assert speaker(2, "b") == "Returns"
    assert speaker(4, "b") == "Returns"
    assert speaker(5, "b") == "Root"
    assert speaker(4, "b") == "Root"


def test_rules_that_contradict_each_other_come_to_an_end(beta, app):
    rule(
        beta,
        app,
        hands_over(app, "has(plan)"),
        hands_over(app, "has(plan)", direction=TO_PARENT),
    )
    attributes, targets = told(beta.run(app, "hello"))
    assert (targets, attributes["agent"]) == (["Returns"], "Returns")


def test_the_planner_does_not_go_where_it_may_not(beta, app):
    attributes, targets = told(beta.run(app, REFUND, session="free"))
    assert targets == ["Returns"]
    rule(beta, app, bars(app, 'plan == "basic"'), bars(app, "true", direction=TO_PARENT))
    attributes, targets = told(beta.run(app, REFUND, session="barred"))
    assert (targets, attributes["agent"]) == ([], "Root")
    gold = {"variables": {"plan": "gold"}}
    assert told(beta.run(app, gold, REFUND, session="gold"))[1] == ["Returns"]
    back = beta.run(app, "no, stop that", session="gold")
    assert texts(back)
    attributes, targets = told(beta.run(app, "how tall is the tower?", session="gold"))
    assert (targets, attributes["agent"]) == ([], "Returns")
    rule(beta, app)
    assert told(beta.run(app, "how tall is the tower?", session="gold"))[1] == ["Root"]


def test_a_language_model_is_not_offered_an_agent_that_it_may_not_choose():
    parent = "projects/p/locations/l"
    app = App(parent=parent, id="a", fields={"rootAgent": f"{parent}/apps/a/agents/root"})
    child = Agent(parent=app.name, id="child", display_name="Child")
    root = Agent(parent=app.name, id="root", display_name="Root",
                 fields={"childAgents": [child.name]})  # fmt: skip
    spec = app_spec(app, [root, child], [])
    above, below = spec.agents[root.name], spec.agents[child.name]
    assert list(functions_of(spec, above).agents) == ["Child"]
    assert not functions_of(spec, above, barred={child.name}).agents
    assert functions_of(spec, above, barred={child.name}).described == ()
    assert list(functions_of(spec, below).agents) == ["Root"]
    assert not functions_of(spec, below, barred={root.name}).agents


def test_nothing_is_handed_over_while_a_tool_response_is_awaited(beta, app):
    rule(beta, app, hands_over(app, 'plan == "gold"'))
    call = beta.run(app, "where is my order 4711")[-1].tool_calls.tool_calls[0]
    beta.run(app, {"variables": {"plan": "gold"}})
    outputs = beta.run(app, responses((call.id, {"output": {"status": "shipped"}})))
    attributes, targets = told(outputs)
    assert texts(outputs) == ["Status: shipped"]
    assert (targets, attributes["agent"]) == (["Returns"], "Returns")
    message = outputs[-1].diagnostic_info.messages[-2]
    assert (message.role, message.chunks[0].text) == ("Root", "Status: shipped")


def test_a_condition_that_cannot_be_answered_is_false_and_said(beta, app):
    rule(beta, app, hands_over(app, "visits > 3"))
    attributes, targets = told(beta.run(app, "hello"))
    assert targets == []
    (noted,) = attributes["transferRules"]
    assert noted["problem"] == "null > 3 cannot be compared"
    assert noted["rule"].endswith("transferRules[0]")


def test_rules_that_were_kept_before_they_were_checked_harm_no_session(beta, backend, app):
    with backend.services.records().write() as transaction:
        old = transaction.resources.get(Agent, f"{app}/agents/root")
        of = {"childAgent": f"{app}/agents/returns", "direction": "PARENT_TO_CHILD"}
        wrong = {"deterministicTransfer": {"expressionCondition": {"expression": "plan ="}}}
        fields = {**old.fields, "transferRules": [{**of, **wrong}, of]}
        transaction.resources.update(
            Agent(parent=old.parent, id=old.id, display_name=old.display_name, fields=fields)
        )
    attributes, targets = told(beta.run(app, "hello"))
    assert targets == []
    assert [item["problem"] for item in attributes["transferRules"]] == [
        'column 6: "=" cannot be read',
        "is empty; it is required",
    ]


def test_python_says_when_and_what_it_writes_is_not_kept(python, python_backend):  # noqa: F811
    app = python.make_app(
        variable_declarations=[
            {"name": "plan", "description": "d", "schema": {"type_": "STRING", "default": "x"}}
        ]
    )
    child = python.make_agent(app, "returns", display_name="Returns")
    root = python.make_agent(app, "root", display_name="Root", child_agents=[child])
    python.agent.update_app(
        app={"name": app, "root_agent": root}, update_mask={"paths": ["root_agent"]}
    )

    def keep(code):
        condition = {"python_code_condition": {"python_code": code}}
        to_child = {"child_agent": child, "direction": TO_CHILD}
        rule(python, app, {**to_child, "deterministic_transfer": condition})

    head = "def should_trigger_transfer_callback(callback_context: CallbackContext) -> bool:\n"
    keep(
        f"{head}  plan = callback_context.variables['plan']\n"
        "  callback_context.variables['plan'] = 'written'\n"
        "  return plan == 'gold' and callback_context.agent_name == 'Root'\n"
    )
    assert told(python.run(app, "hello"))[1] == []
    attributes, targets = told(python.run(app, {"variables": {"plan": "gold"}}, "hello"))
    assert (attributes["agent"], targets) == ("Returns", ["Returns"])
    changed = [
        chunk
        for turn in python.agent.get_conversation(name=f"{app}/conversations/s").turns
        for message in turn.messages
        for chunk in message.chunks
        if message.role != "user" and "updated_variables" in chunk
    ]
    assert changed == []
    keep(f"{head}  return 'yes'")
    refused(lambda: python.run(app, "hello", session="t"), 400, "must return True or False")
    keep(f"{head}  return callback_context.variables['none']")
    refused(lambda: python.run(app, "hello", session="t"), 400, "transferRules[0]", "KeyError")


def test_python_that_is_not_allowed_refuses_the_turn(beta, app):
    code = {"python_code": "def should_trigger_transfer_callback(callback_context):\n  return 1"}
    rule(
        beta,
        app,
        {
            "child_agent": f"{app}/agents/returns",
            "direction": TO_CHILD,
            "deterministic_transfer": {"python_code_condition": code},
        },
    )
    refused(lambda: beta.run(app, "hello"), 400, "transferRules[0]", "agent_python")
    rule(beta, app)
    assert texts(beta.run(app, "hello"))


def test_a_rule_goes_with_its_child_and_names_one_that_there_is(beta, app):
    returns = f"{app}/agents/returns"
    rule(beta, app, hands_over(app, "true"))
    beta.agent.delete_agent(request={"name": returns, "force": True})
    assert not beta.agent.get_agent(name=f"{app}/agents/root").transfer_rules


def test_what_is_no_rule_is_not_kept(beta, app):
    good = hands_over(app, "true")
    for changed, *words in (
        ({"child_agent": f"{app}/agents/root"}, "child_agent", "none of child_agents"),
        ({"child_agent": ""}, "child_agent", "none of child_agents"),
        ({"direction": 0}, "direction", "PARENT_TO_CHILD or CHILD_TO_PARENT"),
        ({"deterministic_transfer": {}}, "deterministic_transfer", "has no condition"),
        (
            {"deterministic_transfer": {"python_code_condition": {"python_code": " "}}},
            "deterministic_transfer.python_code_condition.python_code",
            "is empty",
        ),
        (
            {"deterministic_transfer": {"expression_condition": {"expression": "a =="}}},
            "deterministic_transfer.expression_condition.expression",
            "column 5",
        ),
    ):
        refused(
            lambda changed=changed: rule(beta, app, good, good | changed),
            400,
            f"agent.transfer_rules[1].{words[0]}",
            words[1],
        )
    without = {key: good[key] for key in ("child_agent", "direction")}
    refused(lambda: rule(beta, app, without), 400, "has no rule_type")
    empty = {**without, "disable_planner_transfer": {}}
    refused(lambda: rule(beta, app, empty), 400, "disable_planner_transfer", "is empty")
