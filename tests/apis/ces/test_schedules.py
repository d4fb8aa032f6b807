"""Scheduled evaluation runs: kept, run when they are due, each time once, and after a restart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from google.protobuf import json_format

from tests.apis.ces.clients import WAIT_S
from tests.apis.ces.test_evaluations import asks_for_order, make
from tests.apis.ces.test_resources import refused
from tests.patience import wait_for
from toulmin.agents import EvaluationRun, ScheduledEvaluationRun
from toulmin.apis.ces.evaluation_schedule import LONGEST_WAIT_S, Scheduler
from toulmin.apis.ces.schedule_times import Times
from toulmin.apis.handlers import build_registry
from toulmin.services import build_services
from toulmin.settings import load_settings

pytestmark = [pytest.mark.client, pytest.mark.model]

NONE, DAILY, WEEKLY, BIWEEKLY = 1, 2, 3, 4
START = datetime(2090, 3, 1, 6, 30, tzinfo=UTC)  # a Wednesday, which no clock here reaches
DAY = timedelta(days=1)


@pytest.fixture
def app(beta, backend):
    return beta.make_shop(backend)


@pytest.fixture
def golden(beta, app):
    return make(beta, app, asks_for_order(app))


def schedule_of(app, *evaluations, frequency=DAILY, start=START, days=(), **more):
    return {
        "display_name": "Nightly",
        "request": {"app": app, "evaluations": list(evaluations)},
        "scheduling_config": {
            "frequency": frequency,
            "start_time": start,
            "days_of_week": list(days),
        },
        "active": True,
        **more,
    }


def create(clients, app, schedule, id_=""):
    return clients.evaluation.create_scheduled_evaluation_run(
        request={
            "parent": app,
            "scheduled_evaluation_run": schedule,
            "scheduled_evaluation_run_id": id_,
        }
    )


def at(moment):
    """Return the scheduler of a server on whose clock it is that time."""
    return Scheduler(lambda _transaction: moment)


def runs_of(clients, app, name):
    return [
        run
        for run in clients.evaluation.list_evaluation_runs(parent=app)
        if run.scheduled_evaluation_run == name
    ]


def times(count, *arguments, after=START - DAY):
    found = []
    for _ in range(count):
        after = Times(*arguments).after(after)
        found.append(after)
        if after is None:
            break
    return found


def test_once_daily_weekly_and_every_second_week():
    assert times(2, "NONE", START) == [START, None]
    assert times(3, "DAILY", START) == [START, START + DAY, START + 2 * DAY]
    assert times(2, "WEEKLY", START) == [START, START + 7 * DAY]
    assert times(2, "BIWEEKLY", START) == [START, START + 14 * DAY]
    # Monday of the first week is before the start: it counts from the second week on.
    assert times(4, "WEEKLY", START, [1, 3, 5]) == [START + n * DAY for n in (0, 2, 5, 7)]
    assert times(4, "BIWEEKLY", START, [5, 1]) == [START + n * DAY for n in (2, 12, 16, 26)]


def test_what_was_missed_is_not_made_up_for_one_by_one():
    late = START + 100 * DAY + timedelta(hours=1)
    assert Times("DAILY", START).after(late) == START + 101 * DAY
    assert Times("WEEKLY", START, [3]).after(late) == START + 105 * DAY
    assert Times("BIWEEKLY", START, [3]).after(late) == START + 112 * DAY
    last = datetime(9999, 12, 31, tzinfo=UTC)
    assert Times("DAILY", last).after(last) is None
    assert Times("WEEKLY", last).after(last) is None


def test_a_schedule_is_created_read_changed_listed_and_deleted(beta, app, golden):
    made = create(beta, app, schedule_of(app, golden, description="d"), "nightly")
    assert made.name == f"{app}/scheduledEvaluationRuns/nightly"
    assert made.next_scheduled_execution_time == START
    assert (made.total_executions, made.last_completed_run, made.description) == (0, "", "d")
    assert made == beta.evaluation.get_scheduled_evaluation_run(name=made.name)
    later = START + timedelta(hours=1)
    changed = beta.evaluation.update_scheduled_evaluation_run(
        scheduled_evaluation_run={
            "name": made.name,
            "scheduling_config": {"frequency": WEEKLY, "start_time": later, "days_of_week": [4]},
            "total_executions": 7,
            "etag": made.etag,
        },
        update_mask={"paths": ["scheduling_config", "total_executions"]},
    )
    assert changed.next_scheduled_execution_time == later + DAY
    assert (changed.total_executions, changed.display_name) == (0, "Nightly")
    off = beta.evaluation.update_scheduled_evaluation_run(
        scheduled_evaluation_run={"name": made.name, "active": False},
        update_mask={"paths": ["active"]},
    )
    assert not off.next_scheduled_execution_time
    dataset = beta.evaluation.create_evaluation_dataset(
        parent=app, evaluation_dataset={"display_name": "All", "evaluations": [golden]}
    ).name
    of_set = {"app": app, "evaluation_dataset": dataset}
    other = create(beta, app, schedule_of(app, request=of_set))

    def listed(**request):
        found = beta.evaluation.list_scheduled_evaluation_runs(request={"parent": app, **request})
        return [item.name for item in found]

    assert listed() == [other.name, made.name]
    assert listed(order_by="name", page_size=1) == sorted([made.name, other.name])
    assert listed(order_by="next_scheduled_execution") == [other.name, made.name]
    id_ = golden.rpartition("/")[2]
    assert listed(filter=f'request.evaluations:"{id_}"') == [made.name]
    assert listed(filter=f'request.evaluation_dataset:"{dataset}"') == [other.name]
    refused(
        lambda: beta.evaluation.delete_scheduled_evaluation_run(
            request={"name": made.name, "etag": made.etag}
        ),
        409,
    )
    beta.evaluation.delete_scheduled_evaluation_run(name=made.name)
    refused(lambda: beta.evaluation.get_scheduled_evaluation_run(name=made.name), 404)
    assert listed() == [other.name]


def test_what_is_due_is_run_once_however_many_servers_look(beta, backend, app, golden):
    made = create(beta, app, schedule_of(app, golden))
    records = backend.services.records()
    before, now = START - timedelta(seconds=20), START + timedelta(seconds=5)
    assert at(before)(records) == 20
    assert runs_of(beta, app, made.name) == []
    for _ in range(3):
        assert at(now)(records) == LONGEST_WAIT_S
    backend.services.operations().wake()
    (run,) = runs_of(beta, app, made.name)
    found = beta.evaluation.get_scheduled_evaluation_run(name=made.name)
    assert found.total_executions == 1
    assert found.next_scheduled_execution_time == START + DAY
    wait_for(lambda: beta.evaluation.get_evaluation_run(name=run.name).state.name == "COMPLETED")
    assert beta.evaluation.get_evaluation_run(name=run.name).progress.passed_count == 1
    found = beta.evaluation.get_scheduled_evaluation_run(name=made.name)
    assert found.last_completed_run == run.name
    (listed,) = beta.evaluation.list_scheduled_evaluation_runs(
        request={"parent": app, "order_by": "last_completed_run.create_time desc"}
    )
    assert listed == found
    at(START + 30 * DAY)(records)  # thirty times have passed: one run
    assert len(runs_of(beta, app, made.name)) == 2


def test_another_server_that_was_faster_is_left_the_run(beta, backend, app, golden):
    """Between the look that finds it due and the run, another server runs it."""
    made = create(beta, app, schedule_of(app, golden))
    records = backend.services.records()
    looked = []

    def slow(_transaction):
        looked.append(None)
        if len(looked) == 1:
            at(START)(records)
        return START

    Scheduler(slow)(records)
    assert len(looked) == 2  # it found the schedule due, and looked again before it began a run
    assert len(runs_of(beta, app, made.name)) == 1


def test_a_run_that_cannot_be_begun_is_seen_and_the_schedule_goes_on(beta, backend, app, golden):
    made = create(beta, app, schedule_of(app, golden))
    beta.evaluation.delete_evaluation(name=golden)
    at(START)(backend.services.records())
    (run,) = runs_of(beta, app, made.name)
    assert (run.state.name, run.error_info.error_type.name) == ("ERROR", "RUNTIME_FAILURE")
    assert golden in run.error_info.error_message
    found = beta.evaluation.get_scheduled_evaluation_run(name=made.name)
    assert (found.total_executions, found.last_completed_run) == (1, "")
    assert found.next_scheduled_execution_time == START + DAY


def test_once_is_once(beta, backend, app, golden):
    made = create(beta, app, schedule_of(app, golden, frequency=NONE))
    for _ in range(2):
        at(START + DAY)(backend.services.records())
    found = beta.evaluation.get_scheduled_evaluation_run(name=made.name)
    assert (found.total_executions, len(runs_of(beta, app, made.name))) == (1, 1)
    assert not found.next_scheduled_execution_time


def test_what_was_due_while_no_server_ran_is_run_at_the_start(tmp_path):
    """A whole life: the folder is closed, the time passes, and another server opens it."""
    settings = load_settings(flags={"data_dir": tmp_path}, environment={})
    app = "projects/p/locations/us/apps/a"

    def call(registry, method, request):
        rpc = next(
            rpc
            for rpc in registry.schema.rpcs.values()
            if rpc.method == method and rpc.api == "ces" and rpc.version == "v1beta"
        )
        message = registry.schema.message_class(rpc.input_type)()
        json_format.ParseDict(request, message, descriptor_pool=registry.schema.pool)
        return registry.handler(rpc)(message, context_of(registry, rpc))

    services = build_services(settings)
    registry = build_registry(services)
    call(registry, "CreateApp", {
        "parent": "projects/p/locations/us", "appId": "a", "app": {"displayName": "A"},
    })  # fmt: skip
    call(registry, "CreateEvaluation", {
        "parent": app, "evaluationId": "e", "evaluation": {
            "displayName": "e",
            "golden": {"turns": [{"steps": [{"userInput": {"text": "hello"}}]}]},
        },
    })  # fmt: skip
    call(registry, "CreateScheduledEvaluationRun", {
        "parent": app, "scheduledEvaluationRunId": "s", "scheduledEvaluationRun": {
            "displayName": "s", "active": True,
            "request": {"evaluations": [f"{app}/evaluations/e"]},
            "schedulingConfig": {"frequency": "NONE", "startTime": "2090-03-01T06:30:00Z"},
        },
    })  # fmt: skip
    with services.records().write() as transaction:  # the time passes
        name = f"{app}/scheduledEvaluationRuns/s"
        old = transaction.resources.get(ScheduledEvaluationRun, name)
        fields = {**old.fields, "nextScheduledExecutionTime": "2020-03-01T06:30:00Z"}
    services.close()

    services = build_services(settings, run_operations=False)
    with services.records().write() as transaction:
        transaction.resources.update(
            ScheduledEvaluationRun(parent=app, id="s", display_name="s", fields=fields)
        )
    services.close()

    services = build_services(settings)
    build_registry(services)
    records = services.records()

    def runs():
        with records.read() as transaction:
            return transaction.resources.every(EvaluationRun)

    try:
        wait_for(runs)
        (run,) = runs()
        assert run.fields["scheduledEvaluationRun"] == name
        with records.read() as transaction:
            found = transaction.resources.get(ScheduledEvaluationRun, name)
        assert found.fields["totalExecutions"] == 1
    finally:
        services.close()


def context_of(registry, rpc):
    from toulmin.apis.aip.registry import CallContext
    from toulmin.callers import LOCAL

    return CallContext(
        rpc=rpc,
        deadline=None,
        is_cancelled=lambda: False,
        request_id="r",
        timings={},
        new_message=registry.schema.message_class(rpc.output_type),
        caller=LOCAL,
    )


def test_a_run_by_hand_may_be_of_a_schedule(beta, app, golden):
    made = create(beta, app, schedule_of(app, golden))
    request = {"app": app, "evaluations": [golden], "scheduled_evaluation_run": made.name}
    run = beta.evaluation.run_evaluation(request=request).result(timeout=WAIT_S).evaluation_run
    assert beta.evaluation.get_evaluation_run(name=run).scheduled_evaluation_run == made.name
    request["scheduled_evaluation_run"] = f"{made.name}x"
    refused(lambda: beta.evaluation.run_evaluation(request=request), 404)


def test_what_cannot_be_a_schedule(beta, app, golden):
    past = datetime(2020, 1, 1, tzinfo=UTC)
    config = {"start_time": START, "frequency": DAILY}
    for changed, code, words in (
        ({"display_name": ""}, 400, "display_name: is empty"),
        ({"request": {}}, 400, "evaluations: or evaluation_dataset"),
        ({"request": {"app": f"{app}x", "evaluations": [golden]}}, 400, "request.app"),
        ({"request": {"evaluations": [f"{golden}x"]}}, 404, "does not exist"),
        (
            {
                "request": {
                    "evaluations": [golden],
                    "scheduled_evaluation_run": f"{app}/scheduledEvaluationRuns/x",
                }
            },
            400,
            "must be empty",
        ),
        ({"scheduling_config": {"start_time": START}}, 400, "NONE, DAILY, WEEKLY, BIWEEKLY"),
        ({"scheduling_config": {"frequency": DAILY}}, 400, "start_time: is missing"),
        ({"scheduling_config": {**config, "days_of_week": [1]}}, 400, "is not for DAILY"),
        (
            {"scheduling_config": {**config, "frequency": WEEKLY, "days_of_week": [1, 8]}},
            400,
            "days_of_week[1]: 8 must be 1",
        ),
        (
            {"scheduling_config": {**config, "frequency": WEEKLY, "days_of_week": [2, 2]}},
            400,
            "days_of_week[1]: 2 must be 1",
        ),
        ({"scheduling_config": {"frequency": NONE, "start_time": past}}, 400, "is past"),
    ):
        refused(
            lambda changed=changed: create(beta, app, schedule_of(app, golden) | changed),
            code,
            words,
        )
    assert (
        create(
            beta, app, schedule_of(app, golden, frequency=NONE, start=past, active=False)
        ).total_executions
        == 0
    )
