"""Evaluations: goldens kept, run against an app, and what came of every turn."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from google.protobuf.json_format import MessageToDict

from tests.apis.ces.clients import WAIT_S, calls, new_id
from tests.apis.ces.test_resources import refused
from tests.apis.discoveryengine.clients import OFTEN
from toulmin.agents import Evaluation

pytestmark = [pytest.mark.client, pytest.mark.model]

PASS, FAIL = 1, 2
OF_ANOTHER_APP = "projects/p/locations/us/apps/another/evaluationExpectations/e"
SHIPPED = {"output": {"status": "shipped", "arrival": "Friday"}}


def said(text):
    return {"user_input": {"text": text}}


def given(**variables):
    return {"user_input": {"variables": variables}}


def expects(**condition):
    return {"expectation": condition}


def answers(text, **more):
    return expects(agent_response={"role": "agent", "chunks": [{"text": text}]}, **more)


def called(app, tool, **args):
    return expects(tool_call={"tool": f"{app}/tools/{tool}", "args": args})


def turn(*steps, **more):
    return {"steps": list(steps), **more}


def asks_for_order(app, arrival="Arrival: Friday\nStatus: shipped"):
    tool = f"{app}/tools/find_order"
    return turn(
        said("where is my order 4711"),
        called(app, "find_order", order_id="4711"),
        expects(tool_response={"tool": tool, "response": SHIPPED}),
        answers(arrival),
    )


@pytest.fixture
def app(beta, backend):
    return beta.make_shop(backend)


def make(clients, app, *turns, name="golden", **more):
    evaluation = {"display_name": name, "golden": {"turns": list(turns)}, **more}
    return clients.evaluation.create_evaluation(parent=app, evaluation=evaluation).name


def run(clients, app, *evaluations, **more):
    """Run evaluations and return the run and its results."""
    request = {"app": app, "evaluations": list(evaluations), **more}
    operation = clients.evaluation.run_evaluation(request=request)
    name = operation.result(timeout=WAIT_S, polling=OFTEN).evaluation_run
    assert operation.metadata.evaluation_run == name
    found = clients.evaluation.get_evaluation_run(name=name)
    results = [
        clients.evaluation.get_evaluation_result(name=item) for item in found.evaluation_results
    ]
    return found, results


def turns_of(result):
    return MessageToDict(type(result).pb(result))["goldenResult"]["turnReplayResults"]


def test_a_golden_that_goes_as_it_should_passes(beta, app):
    golden = make(
        beta,
        app,
        turn(said("<event>welcome</event>"), answers("Hello, how can I help you?")),
        asks_for_order(app),
    )
    found, (result,) = run(beta, app, golden)
    assert found.state.name == "COMPLETED"
    assert (found.progress.total_count, found.progress.passed_count) == (1, 1)
    assert found.evaluation_run_summaries[golden].passed_count == 1
    assert result.name.startswith(f"{golden}/results/")
    assert result.evaluation_run == found.name
    assert (result.execution_state.name, result.evaluation_status.name) == ("COMPLETED", "PASS")
    _, second = turns_of(result)
    assert second["overallToolInvocationResult"] == {"toolInvocationScore": 1.0, "outcome": "PASS"}
    assert second["hallucinationResult"]["score"] == 1
    outcomes = second["expectationOutcome"]
    assert [item["outcome"] for item in outcomes] == ["PASS"] * 3
    assert outcomes[0]["observedToolCall"]["args"] == {"order_id": "4711"}
    assert outcomes[1]["observedToolResponse"]["response"] == SHIPPED
    assert outcomes[2]["semanticSimilarityResult"]["score"] == 4
    assert float(second["turnLatency"].removesuffix("s")) > 0
    assert second["toolCallLatencies"][0]["displayName"] == "find_order"
    kept = beta.agent.get_conversation(name=second["conversation"])
    assert (kept.source.name, kept.turn_count) == ("EVAL", 1)


def test_what_differs_is_said_turn_by_turn(beta, app):
    golden = make(
        beta,
        app,
        turn(
            said("where is my order 4711"),
            called(app, "find_order", order_id="4712"),
            expects(mock_tool_response={"tool": f"{app}/tools/find_order", "response": SHIPPED}),
            answers("It will arrive in 3 weeks."),
        ),
        turn(said("thank you"), called(app, "refund"), answers("You are welcome.")),
    )
    _, (result,) = run(beta, app, golden)
    assert result.evaluation_status.name == "FAIL"
    first, second = turns_of(result)
    call, mock, text = first["expectationOutcome"]
    assert call["outcome"] == "FAIL"
    assert call["toolInvocationResult"]["parameterCorrectnessScore"] == 0
    assert "is '4711'; wanted: '4712'" in call["toolInvocationResult"]["explanation"]
    assert mock["outcome"] == "SKIPPED"
    assert text["outcome"] == "FAIL"
    assert "not found: 3" in text["semanticSimilarityResult"]["explanation"]
    assert (
        "was not called" in second["expectationOutcome"][0]["toolInvocationResult"]["explanation"]
    )
    assert second["overallToolInvocationResult"]["outcome"] == "FAIL"


def test_what_nothing_expects_fails_unless_that_is_allowed(beta, app):
    steps = asks_for_order(app)["steps"]
    unexpected = make(beta, app, turn(steps[0], steps[2]), name="nothing expected")
    _, (result,) = run(beta, app, unexpected)
    response, extra_call, extra_text = turns_of(result)[0]["expectationOutcome"]
    assert response["outcome"] == "PASS"
    assert (extra_call["outcome"], "observedToolCall" in extra_call) == ("FAIL", True)
    assert (extra_text["outcome"], "observedAgentResponse" in extra_text) == ("FAIL", True)
    allow = {
        "golden_evaluation_metrics_thresholds": {
            "tool_matching_settings": {"extra_tool_call_behavior": "ALLOW"}
        }
    }
    allowed = make(
        beta,
        app,
        turn(steps[0], steps[2], steps[3]),
        name="allowed",
        evaluation_metrics_threshold_override=allow,
    )
    _, (result,) = run(beta, app, allowed)
    assert result.evaluation_status.name == "PASS"


def test_matchers_thresholds_and_comparisons(beta, app):
    steps = asks_for_order(app)["steps"]

    def status(**more):
        args = more.pop("args", {"order_id": "4711"})
        call = expects(tool_call={"tool": f"{app}/tools/find_order", "args": args}, **more)
        golden = make(beta, app, turn(steps[0], call, *steps[2:]), name=new_id())
        _, (result,) = run(beta, app, golden)
        return result.evaluation_status.name

    def matcher(kind, value=""):
        return {"order_id": {"$matchType": kind, "$matchValue": value}}

    assert status(args=matcher("ignore")) == "PASS"
    assert status(args=matcher("contains", "71")) == "PASS"
    assert status(args=matcher("regexp", r"^\d{4}$")) == "PASS"
    assert status(args=matcher("regexp", r"^\d{5}$")) == "FAIL"
    assert status(args=matcher("regexp", r"^(\d|\d\d)+x$")) == "FAIL"
    assert status(args=matcher("semantic", "4711")) == "PASS"
    half = {"tool_invocation_parameter_correctness_threshold": 0.5}
    both = {"order_id": "4711", "other": 1}
    assert status(args=both) == "FAIL"
    assert status(args=both, expectation_level_metrics_thresholds_override=half) == "PASS"
    assert status(args={"order_id": "1"}, skip_evaluation=True) == "PASS"
    for kind, text, outcome in (
        ("CONTAINS", "Friday", PASS),
        ("CONTAINS", "Monday", FAIL),
        ("EQUALS", "Arrival: Friday", FAIL),
        ("EQUALS", "Arrival: Friday\nStatus: shipped", PASS),
    ):
        answered = answers(text, comparison_type=kind)
        golden = make(beta, app, turn(*steps[:3], answered), name=new_id())
        assert run(beta, app, golden)[1][0].evaluation_status == outcome


def test_each_turn_stands_alone_or_the_session_goes_on(beta, app):
    tool = f"{app}/tools/find_order"
    turns = [
        turn(said("where is my parcel"), answers("What is the order number?")),
        turn(
            said("it is number 4711"),
            called(app, "find_order", order_id="4711"),
            expects(tool_response={"tool": tool, "response": SHIPPED}),
            answers("Arrival: Friday, status: shipped"),
        ),
    ]
    golden = make(beta, app, *turns)
    _, (naive,) = run(beta, app, golden, golden_run_method="NAIVE")
    assert naive.evaluation_status.name == "PASS"
    names = [item["conversation"] for item in turns_of(naive)]
    assert names[0] == names[1]
    _, (stable,) = run(beta, app, golden)
    assert stable.golden_run_method.name == "STABLE"
    names = [item["conversation"] for item in turns_of(stable)]
    assert names[0] != names[1]


def test_variables_transfers_and_the_history_reach_the_turn(beta, app):
    returns = f"{app}/agents/returns"
    golden = make(
        beta,
        app,
        turn(
            given(plan="gold"),
            said("give me my money back for order 12, it is broken"),
            expects(agent_transfer={"target_agent": returns}),
            expects(updated_variables={"plan": "gold"}),
            answers("Why is it returned?"),
        ),
        turn(
            said("thanks"),
            expects(updated_variables={"plan": "gold"}),
            expects(no_tool_calls=True),
            answers("You are welcome."),
        ),
        turn(
            {"agent_transfer": {"target_agent": returns}},
            said("hello"),
            answers("Hello! How can I help you?"),
        ),
    )
    _, (result,) = run(beta, app, golden)
    turns = turns_of(result)
    assert [item["outcome"] for item in turns[0]["expectationOutcome"][:2]] == ["PASS"] * 2
    assert [item["outcome"] for item in turns[1]["expectationOutcome"][:2]] == ["PASS"] * 2
    last = beta.agent.get_conversation(name=turns[2]["conversation"])
    assert last.turns[0].messages[-1].role == "Returns"


def test_a_golden_that_calls_at_once_has_agreed_and_one_that_asks_first_is_asked(beta, app):
    refund = f"{app}/tools/refund"
    args = {"order_id": "12", "reason": "broken"}
    paid = {"output": {"amount": "30 euros"}}
    first = [
        said("give me my money back for order 12"),
        expects(agent_transfer={"target_agent": f"{app}/agents/returns"}),
        answers("Can you tell me why it is returned?"),
    ]
    called_now = [
        called(app, "refund", **args),
        expects(tool_response={"tool": refund, "response": paid}),
        answers("Amount: 30 euros"),
    ]
    at_once = make(beta, app, turn(*first), turn(said("broken"), *called_now), name="at once")
    asked = make(
        beta,
        app,
        turn(*first),
        turn(
            said("broken"),
            expects(no_tool_calls=True),
            answers('Shall I do "refund order" with order id "12" and reason "broken"?'),
        ),
        turn(said("yes"), *called_now),
        name="asked",
    )
    _, results = run(beta, app, at_once, asked, golden_run_method="NAIVE")
    assert [result.evaluation_status.name for result in results] == ["PASS", "PASS"]


def test_a_turn_that_cannot_be_run_is_an_error_and_the_others_go_on(beta, app):
    waits = make(beta, app, turn(said("where is my order 4711"), answers("x")), name="waits")
    good = make(beta, app, asks_for_order(app), name="good")
    found, (first, second) = run(beta, app, waits, good)
    assert first.execution_state.name == "ERROR"
    assert "response to find_order" in first.error_info.error_message
    assert first.error_info.error_type.name == "RUNTIME_FAILURE"
    assert second.evaluation_status.name == "PASS"
    progress = found.progress
    assert (progress.error_count, progress.passed_count, progress.completed_count) == (1, 1, 1)


def test_runs_and_results_are_listed_filtered_and_deleted(beta, app):
    golden = make(beta, app, asks_for_order(app))
    first, (one, two) = run(beta, app, golden, run_count=2)
    second, (three,) = run(beta, app, golden, display_name="again")
    listed = [item.name for item in beta.evaluation.list_evaluation_runs(parent=app)]
    assert listed == [second.name, first.name]
    assert (first.display_name[:11], second.display_name) == ("Shop run - ", "again")
    assert {item.display_name[:16] for item in (one, two, three)} == {"golden result - "}
    assert len({item.display_name for item in (one, two, three)}) == 3
    results = list(beta.evaluation.list_evaluation_results(parent=golden))
    assert {item.name for item in results} == {one.name, two.name, three.name}
    request = {"parent": f"{app}/evaluations/-", "filter": f'evaluation_run="{first.name}"'}
    found = {item.name for item in beta.evaluation.list_evaluation_results(request=request)}
    assert found == {one.name, two.name}
    beta.evaluation.delete_evaluation_result(name=three.name)
    refused(lambda: beta.evaluation.get_evaluation_result(name=three.name), 404)
    conversation = turns_of(one)[0]["conversation"]
    beta.evaluation.delete_evaluation_run(name=first.name).result(timeout=WAIT_S)
    for gone in (
        lambda: beta.evaluation.get_evaluation_run(name=first.name),
        lambda: beta.evaluation.get_evaluation_result(name=one.name),
        lambda: beta.agent.get_conversation(name=conversation),
    ):
        refused(gone, 404)
    beta.evaluation.delete_evaluation(name=golden)
    assert list(beta.evaluation.list_evaluations(parent=app)) == []


def test_no_two_have_the_same_display_name(beta, app):
    golden = make(beta, app, asks_for_order(app))
    other = make(beta, app, asks_for_order(app), name="other")
    words = ('display_name: "golden"', golden)
    refused(lambda: make(beta, app, asks_for_order(app)), 409, *words)

    def rename(name, wanted):
        update = {"evaluation": {"name": name, "display_name": wanted}}
        request = {**update, "update_mask": {"paths": ["display_name"]}}
        return beta.evaluation.update_evaluation(request=request).display_name

    refused(lambda: rename(other, "golden"), 409, *words)
    assert rename(golden, "golden") == "golden"
    assert (rename(golden, "first"), rename(other, "golden")) == ("first", "golden")
    api = beta.evaluation
    dataset = {"parent": app, "evaluation_dataset": {"display_name": "golden"}}
    prose = {"display_name": "golden", "llm_criteria": {"prompt": "Be polite."}}
    expectation = {"parent": app, "evaluation_expectation": prose}
    for create, request in (
        (api.create_evaluation_dataset, dataset),
        (api.create_evaluation_expectation, expectation),
    ):
        first = create(**request)
        refused(lambda create=create, request=request: create(**request), 409, first.name)


def test_a_version_is_evaluated_as_it_was(beta, app):
    version = beta.agent.create_app_version(
        parent=app, app_version={"display_name": "v"}, app_version_id="v1"
    ).name
    beta.agent.delete_tool(request={"name": f"{app}/tools/find_order", "force": True})
    golden = make(beta, app, asks_for_order(app))
    _, (now,) = run(beta, app, golden)
    _, (then,) = run(beta, app, golden, app_version=version)
    assert (now.evaluation_status.name, then.evaluation_status.name) == ("FAIL", "PASS")
    assert then.app_version == version


def test_datasets_and_expectations_in_prose(beta, app):
    prose = beta.evaluation.create_evaluation_expectation(
        parent=app,
        evaluation_expectation={
            "display_name": "polite",
            "llm_criteria": {"prompt": "The agent must be polite."},
        },
    ).name
    golden = make(beta, app, asks_for_order(app))
    evaluation = beta.evaluation.get_evaluation(name=golden)
    evaluation.golden.evaluation_expectations.append(prose)
    evaluation = beta.evaluation.update_evaluation(evaluation=evaluation)
    dataset = beta.evaluation.create_evaluation_dataset(
        parent=app, evaluation_dataset={"display_name": "all", "evaluations": [golden]}
    ).name
    made, (result,) = run(beta, app, evaluation_dataset=dataset)
    assert made.display_name.startswith("all run - 20")
    (judged,) = result.golden_result.evaluation_expectation_results
    assert (judged.evaluation_expectation, judged.outcome.name) == (prose, "SKIPPED")
    assert judged.prompt == "The agent must be polite."
    refused(lambda: beta.evaluation.delete_evaluation(name=golden), 400, "is used by")
    beta.evaluation.delete_evaluation(request={"name": golden, "force": True})
    assert not beta.evaluation.get_evaluation_dataset(name=dataset).evaluations


def test_what_older_versions_kept_shows_no_expectation_of_another_app(backend, beta, app):
    secret = beta.evaluation.create_evaluation_expectation(
        parent=beta.make_app(),
        evaluation_expectation={"display_name": "e", "llm_criteria": {"prompt": "Secret."}},
    ).name
    golden = make(beta, app, asks_for_order(app))
    with backend.services.records().write() as transaction:
        kept = transaction.resources.get(Evaluation, golden, to_change=True)
        fields = {**kept.fields, "golden": {**kept.fields["golden"]}}
        fields["golden"]["evaluationExpectations"] = [secret]
        transaction.resources.update(replace(kept, fields=fields))
    _, (result,) = run(beta, app, golden)
    (judged,) = result.golden_result.evaluation_expectation_results
    assert (judged.evaluation_expectation, judged.prompt) == (secret, "")


@pytest.mark.parametrize(
    ("evaluation", "words"),
    [
        ({}, "has no inputs"),
        ({"golden": {}}, "has 0 turns"),
        ({"golden": {"turns": [turn()]}}, "has no user_input"),
        ({"golden": {"turns": [turn({})]}}, "steps[0]: is empty"),
        ({"golden": {"turns": [turn(said("x"), expects(note="n"))]}}, "expects nothing"),
        ({"golden": {"turns": [turn(said("x" * 10_001))]}}, "steps[0].user_input.text"),
        (
            {"golden": {"turns": [turn(said("x"), expects(tool_call={"args": {}}))]}},
            "tool_call.tool: is empty",
        ),
        (
            {
                "golden": {
                    "turns": [
                        turn(
                            said("x"),
                            expects(
                                tool_call={
                                    "tool": "t",
                                    "args": {"a": {"$matchType": "regexp", "$matchValue": "("}},
                                }
                            ),
                        )
                    ]
                }
            },
            "is no regular expression",
        ),
        ({"scenario": {"task": ""}}, "scenario.task: is empty"),
        (
            {"scenario": {"task": "t", "evaluation_expectations": [OF_ANOTHER_APP]}},
            "scenario.evaluation_expectations[0]",
        ),
        (
            {
                "golden": {
                    "turns": [turn(said("x"))],
                    "evaluation_expectations": [OF_ANOTHER_APP],
                }
            },
            "golden.evaluation_expectations[0]",
        ),
    ],
)
def test_what_cannot_be_run_is_not_kept(beta, evaluation, words):
    app = beta.make_app()
    given_ = {"display_name": "x", **evaluation}
    refused(lambda: beta.evaluation.create_evaluation(parent=app, evaluation=given_), 400, words)


def test_what_a_run_cannot_do_is_refused_by_name(beta, app):
    golden = make(beta, app, asks_for_order(app))
    task = {"display_name": "s", "scenario": {"task": "buy a kettle"}}
    scenario = beta.evaluation.create_evaluation(parent=app, evaluation=task).name
    other = make(beta, beta.make_app(), turn(said("x")))
    for request, code, words in (
        ({}, 400, "evaluation_dataset is needed"),
        ({"evaluations": [scenario]}, 501, "is a scenario"),
        ({"evaluations": [other]}, 400, "is not of"),
        ({"evaluations": [f"{golden}x"]}, 404, "does not exist"),
        ({"evaluations": [golden], "run_count": 101}, 400, "must be 1 to 100"),
        ({"evaluations": [golden], "generate_latency_report": True}, 501, "latency_report"),
        (
            {"evaluations": [golden], "config": {"evaluation_channel": "AUDIO"}},
            501,
            "evaluation_channel AUDIO",
        ),
        ({"evaluations": [golden], "app_version": f"{app}/versions/v"}, 400, "does not exist"),
    ):
        refused(
            lambda request=request: beta.evaluation.run_evaluation(request={"app": app, **request}),
            code,
            words,
        )


def test_a_run_that_is_cancelled_says_so(beta, app):
    golden = make(beta, app, *[asks_for_order(app)] * 20)
    request = {"app": app, "evaluations": [golden], "run_count": 50}
    operation = beta.evaluation.run_evaluation(request=request)
    name = operation.metadata.evaluation_run
    refused(lambda: beta.evaluation.delete_evaluation_run(name=name), 400, "is under way")
    operation.cancel()
    with pytest.raises(Exception, match="cancelled"):
        operation.result(timeout=WAIT_S)
    assert beta.evaluation.get_evaluation_run(name=name).state.name == "CANCELLED"
    beta.evaluation.delete_evaluation_run(name=name).result(timeout=WAIT_S)


def test_a_client_function_is_still_sent_out_in_a_session(beta, app):
    assert calls(beta.run(app, "where is my order 4711"))


def content_of(operation, field):
    return json.loads(getattr(operation.result(timeout=WAIT_S), field))


def test_evaluations_results_and_runs_are_exported_as_json(beta, app):
    first = make(beta, app, turn(said("hello"), answers("Hello, how can I help you?")), name="one")
    second = make(beta, app, turn(said("thanks"), answers("You are welcome.")), name="two")
    made, (result,) = run(beta, app, first)
    export = beta.evaluation.export_evaluations
    request = {"parent": app, "names": [second, first, second], "include_evaluations": True}
    content = content_of(export(request=request), "evaluations_content")
    assert [item["displayName"] for item in content["evaluations"]] == ["two", "one"]
    assert "evaluationResults" not in content
    again = content_of(export(request=request), "evaluations_content")
    assert again == content
    taken = content["evaluations"][1]
    beta.evaluation.delete_evaluation(name=second)
    kept = {"displayName": "again", "golden": taken["golden"]}
    recreated = beta.evaluation.create_evaluation(
        parent=app, evaluation=beta.api.Evaluation.from_json(json.dumps(kept))
    )
    assert recreated.golden == beta.evaluation.get_evaluation(name=first).golden
    request = {"parent": app, "names": [first, second], "include_evaluation_results": True}
    done = export(request=request).result(timeout=WAIT_S)
    assert list(done.failed_evaluations) == [second]
    (kept,) = json.loads(done.evaluations_content)["evaluationResults"]
    assert (kept["name"], kept["evaluationStatus"]) == (result.name, "PASS")
    operation = beta.evaluation.export_evaluation_results(
        request={"parent": first, "names": [result.name]}
    )
    assert content_of(operation, "evaluation_results_content")["evaluationResults"] == [kept]
    operation = beta.evaluation.export_evaluation_runs(
        request={"parent": app, "names": [made.name]}
    )
    (exported,) = content_of(operation, "evaluation_runs_content")["evaluationRuns"]
    assert (exported["name"], exported["state"]) == (made.name, "COMPLETED")


def test_what_cannot_be_exported(beta, app):
    golden = make(beta, app, turn(said("hello"), answers("Hello, how can I help you?")))
    other = make(beta, beta.make_app(), turn(said("hello"), answers("Hello.")))
    asked = {"parent": app, "names": [golden], "include_evaluations": True}
    for changed, code, words in (
        ({"include_evaluations": False}, 400, "include_evaluations"),
        ({"names": []}, 400, "names: has 0 entries"),
        ({"names": [golden] * 1001}, 400, "1,001 entries"),
        ({"names": [other]}, 400, "names[0]"),
        ({"names": ["x"]}, 400, "names[0]"),
        ({"export_options": {"gcs_uri": "gs://b/o"}}, 501, "gcs_uri"),
        ({"export_options": {"export_format": "YAML"}}, 501, "YAML"),
    ):
        request = asked | changed
        refused(
            lambda request=request: beta.evaluation.export_evaluations(request=request),
            code, words,
        )  # fmt: skip
    missing = f"{golden}/results/none"
    refused(
        lambda: beta.evaluation.export_evaluation_results(
            request={"parent": golden, "names": [missing]}
        ),
        404,
        "none",
    )


def test_what_came_of_all_runs_is_with_the_evaluation_and_its_dataset(beta, app):
    golden = make(
        beta,
        app,
        turn(said("hello"), answers("Hello, how can I help you?")),
        asks_for_order(app),
        name="good",
    )
    bad = make(beta, app, turn(said("thanks"), called(app, "find_order", order_id="1")), name="bad")
    dataset = beta.evaluation.create_evaluation_dataset(
        parent=app, evaluation_dataset={"display_name": "All", "evaluations": [golden, bad]}
    ).name
    unrun = beta.evaluation.get_evaluation(name=golden)
    assert not unrun.aggregated_metrics.metrics_by_app_version
    run(beta, app, golden, run_count=2)
    version = beta.agent.create_app_version(
        parent=app, app_version={"display_name": "one"}, app_version_id="one"
    )
    _, (last,) = run(beta, app, golden, app_version=version.name)
    run(beta, app, bad)
    found = beta.evaluation.get_evaluation(name=golden)
    draft, one = found.aggregated_metrics.metrics_by_app_version
    assert (draft.app_version_id, draft.pass_count, draft.fail_count) == ("", 2, 0)
    assert (one.app_version_id, one.pass_count, one.fail_count) == ("one", 1, 0)
    (tool,) = draft.tool_metrics
    assert (tool.tool, tool.pass_count, tool.fail_count) == (f"{app}/tools/find_order", 2, 0)
    assert [item.score for item in draft.semantic_similarity_metrics] == [4]
    assert [item.score for item in draft.hallucination_metrics] == [1]
    assert draft.turn_latency_metrics[0].average_latency.total_seconds() > 0
    first, second = draft.metrics_by_turn
    assert (first.turn_index, second.turn_index) == (0, 1)
    assert (len(first.tool_metrics), len(second.tool_metrics)) == (0, 1)
    assert found.last_completed_result == last
    assert not found.last_ten_results
    (whole,) = beta.evaluation.get_evaluation_dataset(
        name=dataset
    ).aggregated_metrics.metrics_by_app_version[:1]
    assert (whole.pass_count, whole.fail_count) == (2, 1)
    assert (whole.tool_metrics[0].pass_count, whole.tool_metrics[0].fail_count) == (2, 1)
    request = {"parent": app, "last_ten_results": True, "filter": 'display_name = "good"'}
    (listed,) = beta.evaluation.list_evaluations(request=request)
    assert [item.evaluation_status.name for item in listed.last_ten_results] == ["PASS"] * 3
    assert listed.last_ten_results[0] == last
    assert listed.aggregated_metrics == found.aggregated_metrics
    beta.evaluation.delete_evaluation_result(name=last.name)
    left = beta.evaluation.get_evaluation(name=golden).aggregated_metrics
    assert [item.app_version_id for item in left.metrics_by_app_version] == [""]
