"""Guardrails: what must not be said, by the user or by an agent, and what happens then."""

from __future__ import annotations

import pytest

from tests.apis.ces.clients import calls, new_id, responses, texts
from tests.apis.ces.test_python_tools import python, python_backend  # noqa: F401 - fixtures
from tests.apis.ces.test_resources import refused

pytestmark = [pytest.mark.client, pytest.mark.model]

UNIMPLEMENTED = 501
SAYS_NO = {"action": {"respond_immediately": {"responses": [{"text": "Not that."}]}}}
JUDGE = """
def before_model_callback(callback_context, llm_request):
    said = callback_context.get_last_user_input()[0].text
    return {"decision": "TRIGGER" if "refund" in said else "OK", "reason": "money"}
"""


def filter_of(*phrases, **fields):
    return {
        "display_name": "Words",
        "enabled": True,
        "content_filter": {
            "banned_contents": phrases,
            "match_type": "WORD_BOUNDARY_STRING_MATCH",
            **fields,
        },
    }


def make_guard(clients, app, guardrail, *, on=""):
    """Create a guardrail of the app, or of an agent, and return its name."""
    made = clients.agent.create_guardrail(parent=app, guardrail=guardrail, guardrail_id=new_id("g"))
    noun, name = ("agent", on) if on else ("app", app)
    changed = {noun: {"name": name, "guardrails": [made.name]}}
    getattr(clients.agent, f"update_{noun}")(
        request={**changed, "update_mask": {"paths": ["guardrails"]}}
    )
    return made.name


def trigger(outputs):
    """Return what the turn's span says of guardrails."""
    return dict(outputs[-1].diagnostic_info.root_span.attributes).get("guardrails", ())


def test_a_banned_word_of_the_user_gets_the_canned_answer(clients, backend):
    app = clients.make_shop(backend)
    name = make_guard(clients, app, filter_of("secret sauce") | SAYS_NO)
    outputs = clients.run(app, "what is in your Secret  Sauce?")
    assert texts(outputs) == ["Not that."]
    noted = trigger(outputs)[0]
    assert (noted["guardrail"], noted["side"], noted["why"]) == (name, "input", "secret sauce")
    assert texts(clients.run(app, "where is my order"))[0] == "What is the order number?"


def test_a_banned_word_of_a_tool_is_not_said_nor_cited(beta, backend):
    app = beta.make_shop(backend)
    guard = filter_of() | SAYS_NO
    guard["content_filter"]["banned_contents_in_agent_response"] = ["4711-B"]
    make_guard(beta, app, guard, on=f"{app}/agents/root")
    call = calls(beta.run(app, "where is order 4711-B"))[0]
    outputs = beta.run(app, responses((call.id, {"output": {"place": "shelf 4711-b"}})))
    assert texts(outputs) == ["Not that."]
    assert not any(output.citations.cited_chunks for output in outputs)
    assert trigger(outputs)[0]["side"] == "response"


def test_a_guardrail_hands_over_to_an_agent(beta, backend):
    app = beta.make_shop(backend)
    transfer = {"action": {"transfer_agent": {"agent": f"{app}/agents/returns"}}}
    make_guard(beta, app, filter_of("lawyer") | transfer)
    outputs = beta.run(app, "I will call my lawyer")
    assert texts(outputs) == ["You are talking to Returns now."]


@pytest.mark.parametrize(
    ("fields", "said", "stops"),
    [
        ({}, "the saucepan", False),
        ({}, "sauce!", True),
        ({"match_type": "SIMPLE_STRING_MATCH"}, "the saucepan", True),
        ({}, "SAUC\u00c9", False),
        ({"disregard_diacritics": True}, "SAUC\u00c9", True),
    ],
)
def test_how_a_phrase_is_found(beta, fields, said, stops):
    app = beta.make_app()
    root = beta.make_agent(app, "root")
    beta.agent.update_app(
        app={"name": app, "root_agent": root}, update_mask={"paths": ["root_agent"]}
    )
    make_guard(beta, app, filter_of("sauce", **fields) | SAYS_NO)
    assert (texts(beta.run(app, said)) == ["Not that."]) is stops


def test_one_that_is_not_enabled_stops_nothing(beta, backend):
    app = beta.make_shop(backend)
    make_guard(beta, app, filter_of("order") | {"enabled": False})
    assert texts(beta.run(app, "where is my order"))[0] == "What is the order number?"


def test_python_judges(python):  # noqa: F811
    app = python.make_app()
    root = python.make_agent(app, "root")
    python.agent.update_app(
        app={"name": app, "root_agent": root}, update_mask={"paths": ["root_agent"]}
    )
    code = {"before_model_callback": {"python_code": JUDGE}}
    make_guard(python, app, {"display_name": "J", "enabled": True, "code_callback": code} | SAYS_NO)
    assert texts(python.run(app, "a refund please")) == ["Not that."]
    assert texts(python.run(app, "something else please")) != ["Not that."]


@pytest.mark.parametrize(
    ("guardrail", "what"),
    [
        ({"llm_policy": {"prompt": "Be nice."}}, "llm_policy"),
        ({"llm_prompt_security": {"default_settings": {}}}, "llm_prompt_security"),
        ({"model_safety": {"safety_settings": []}}, "model_safety"),
        (
            {"content_filter": {"banned_contents": ["a+"], "match_type": "REGEXP_MATCH"}},
            "REGEXP_MATCH",
        ),
    ],
)
def test_what_cannot_be_judged_is_not_passed_over(beta, backend, guardrail, what):
    app = beta.make_shop(backend)
    make_guard(beta, app, {"display_name": "G", "enabled": True, **guardrail})
    refused(lambda: beta.run(app, "hello"), UNIMPLEMENTED, what)


def test_one_that_says_so_is_passed_over_and_named(beta, backend):
    app = beta.make_shop(backend)
    policy = {"prompt": "Be nice.", "fail_open": True}
    name = make_guard(beta, app, {"display_name": "G", "enabled": True, "llm_policy": policy})
    outputs = beta.run(app, "where is my order")
    attributes = dict(outputs[-1].diagnostic_info.root_span.attributes)
    assert list(attributes["guardrailsNotRun"]) == [name]


@pytest.mark.parametrize(
    ("guardrail", "field"),
    [
        ({}, "guardrail"),
        ({"content_filter": {"banned_contents": ["a"]}}, "match_type"),
        ({"content_filter": {"match_type": "SIMPLE_STRING_MATCH"}}, "content_filter"),
        (
            {"content_filter": {"match_type": "REGEXP_MATCH", "banned_contents": ["a", "("]}},
            "banned_contents[1]",
        ),
        *(
            (
                {"content_filter": {"match_type": "REGEXP_MATCH", "banned_contents": [pattern]}},
                "banned_contents[0]",
            )
            for pattern in ("(" * 499 + ")" * 499, "a{99999999999}")
        ),
        ({"code_callback": {"before_agent_callback": {}}}, "before_agent_callback.python_code"),
    ],
)
def test_a_wrong_guardrail_is_refused(beta, guardrail, field):
    app = beta.make_app()
    sent = {"display_name": "G", **guardrail}
    refused(lambda: beta.agent.create_guardrail(parent=app, guardrail=sent), 400, field)
