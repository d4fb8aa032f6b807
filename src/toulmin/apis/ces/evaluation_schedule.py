"""Scheduled evaluation runs: kept as other resources of an app, and run when they are due.

What is due is found out by one thread of each server. A run and the schedule that says when the
next one is are written in one transaction, which another server's fails against: each time is run
once. Times that passed while no server ran are made up for by one run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from google.protobuf.message import Message

from toulmin.agents import App, EvaluationRun, ScheduledEvaluationRun
from toulmin.apis.aip.field_mask import masked_paths, merge
from toulmin.apis.aip.operations import fill_from_json
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.checks import check_display_name
from toulmin.apis.ces.convert import (
    fill_from_kept,
    kept_message,
    resource_from,
    to_kept,
    to_message,
)
from toulmin.apis.ces.evaluation import NEWEST, planned_run, start_run
from toulmin.apis.ces.lists import ORDERS, fill_list, page_of
from toulmin.apis.ces.names import new_id, parse_app, parse_in_app
from toulmin.apis.ces.resources import check_etag, check_unlocked
from toulmin.apis.ces.schedule_times import Times
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.apis.schema.enum_names import enum_of
from toulmin.domain import Resource
from toulmin.errors import Aborted, InvalidArgument, NotFound, ToulminError
from toulmin.stores.index.predicate import Fields, FieldValue
from toulmin.stores.records import OperationRunner, RecordStore, Transaction

LONGEST_WAIT_S: Final = 60.0
"""After this time schedules are looked at again: those that another server has written, too."""
_NOUN: Final = "scheduled_evaluation_run"
_API: Final = "v1beta"
_OUTPUT_ONLY: Final = ("lastCompletedRun", "totalExecutions", "nextScheduledExecutionTime")
_FILTERED: Final[Mapping[str, type[FieldValue]]] = {
    "request.evaluations": str,
    "request.evaluation_dataset": str,
}
_NEVER: Final = datetime.max.replace(tzinfo=UTC)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ScheduleHandlers:
    """The handlers of schedules."""

    records: Callable[[], RecordStore]
    operations: Callable[[], OperationRunner]

    def create(
        self, request: pb.CreateScheduledEvaluationRunRequest, context: CallContext
    ) -> pb.ScheduledEvaluationRun:
        """Answer CreateScheduledEvaluationRun."""
        app = parse_app(request.parent, field="parent")
        new = ScheduledEvaluationRun(
            parent=app, id=new_id(request.scheduled_evaluation_run_id, field=f"{_NOUN}_id")
        )
        kept = to_kept(request.scheduled_evaluation_run)
        with self.records().write() as transaction:
            check_unlocked(transaction.resources.get(App, app))
            made = transaction.resources.create(_planned(transaction, kept, new))
            message = _message(transaction, made)
        self.operations().hurry()
        response: pb.ScheduledEvaluationRun = context.new_message()
        return fill_from_kept(response, message)

    def get(
        self, request: pb.GetScheduledEvaluationRunRequest, context: CallContext
    ) -> pb.ScheduledEvaluationRun:
        """Answer GetScheduledEvaluationRun."""
        name = _parse(request.name, field="name")
        with self.records().read() as transaction:
            found = transaction.resources.get(ScheduledEvaluationRun, name)
            message = _message(transaction, found)
        response: pb.ScheduledEvaluationRun = context.new_message()
        return fill_from_kept(response, message)

    def list(
        self, request: pb.ListScheduledEvaluationRunsRequest, context: CallContext
    ) -> pb.ListScheduledEvaluationRunsResponse:
        """Answer ListScheduledEvaluationRuns."""
        app = parse_app(request.parent, field="parent")
        with self.records().read() as transaction:
            transaction.resources.get(App, app)
            completed = _completed(transaction, app)

            def completed_time(item: Resource) -> datetime | None:
                run = completed.get(item.name)
                return run.create_time if run else None

            page = page_of(
                transaction.resources.under(ScheduledEvaluationRun, app),
                request,
                scope=(ScheduledEvaluationRun.collection, app),
                filtered=_FILTERED,
                fields=_fields,
                default_order=NEWEST,
                orders={
                    **ORDERS,
                    "next_scheduled_execution": _due,
                    "last_completed_run.create_time": completed_time,
                },
            )
        response: pb.ListScheduledEvaluationRunsResponse = context.new_message()
        fill_list(response, ScheduledEvaluationRun, page)
        for item in response.scheduled_evaluation_runs:
            if item.name in completed:
                item.last_completed_run = completed[item.name].name
        return response

    def update(
        self, request: pb.UpdateScheduledEvaluationRunRequest, context: CallContext
    ) -> pb.ScheduledEvaluationRun:
        """Answer UpdateScheduledEvaluationRun; without a mask the whole is replaced."""
        sent = request.scheduled_evaluation_run
        name = _parse(sent.name, field=f"{_NOUN}.name")
        paths = masked_paths(request.update_mask, sent.DESCRIPTOR) or ("*",)
        with self.records().write() as transaction:
            check_unlocked(transaction.resources.get(App, name.rsplit("/", 2)[0]))
            old = transaction.resources.get(ScheduledEvaluationRun, name, to_change=True)
            check_etag(sent.etag, old)
            merged = merge(to_message(old), to_kept(sent), paths)
            updated = transaction.resources.update(_planned(transaction, merged, old))
            message = _message(transaction, updated)
        self.operations().hurry()
        response: pb.ScheduledEvaluationRun = context.new_message()
        return fill_from_kept(response, message)

    def delete(
        self, request: pb.DeleteScheduledEvaluationRunRequest, context: CallContext
    ) -> Message:
        """Answer DeleteScheduledEvaluationRun; its runs stay."""
        name = _parse(request.name, field="name")
        with self.records().write() as transaction:
            check_unlocked(transaction.resources.get(App, name.rsplit("/", 2)[0]))
            check_etag(request.etag, transaction.resources.get(ScheduledEvaluationRun, name))
            transaction.resources.delete(ScheduledEvaluationRun, name)
        return context.empty_message()


@dataclass(frozen=True, slots=True)
class Scheduler:
    """The job that runs what is due.

    Attributes:
        clock: Returns the time, in UTC; by default that of the store, which all servers share.
    """

    clock: Callable[[Transaction], datetime] = lambda transaction: transaction.now

    def __call__(self, records: RecordStore) -> float:
        """Run what is due, and return the seconds until something may be due again."""
        with records.read() as transaction:
            found = transaction.resources.every(ScheduledEvaluationRun)
            now = self.clock(transaction)
        for schedule in found:
            due = _due(schedule)
            if due is not None and due <= now:
                self._run(records, schedule.name)
        waits = [(due - now).total_seconds() for item in found if (due := _due(item)) and due > now]
        return min([LONGEST_WAIT_S, *waits])

    def _run(self, records: RecordStore, name: str) -> None:
        """Begin a run of a schedule, if it is still due: another server may have been faster."""
        try:
            with records.write() as transaction:
                schedule = transaction.resources.get(ScheduledEvaluationRun, name)
                now = self.clock(transaction)
                due = _due(schedule)
                if due is None or due > now:
                    return
                transaction.resources.update(
                    _executed(schedule, now), expected_generation=schedule.generation
                )
                _begin(transaction, schedule)
        except (Aborted, NotFound) as error:
            logger.info("A scheduled run was begun elsewhere: %s", error.message)


def _begin(transaction: Transaction, schedule: ScheduledEvaluationRun) -> None:
    """Store a run of a schedule; one that cannot be is kept as a failed one, to be seen."""
    request: pb.RunEvaluationRequest = kept_message("RunEvaluationRequest")
    fill_from_json(request, schedule.fields["request"])
    request.scheduled_evaluation_run = schedule.name
    try:
        start_run(transaction, request, version=_API)
    except ToulminError as error:
        logger.warning("%s cannot be run: %s", schedule.name, error.message)
        transaction.resources.create(
            EvaluationRun(
                parent=schedule.parent,
                id=new_id("", field="id"),
                display_name=request.display_name or schedule.display_name,
                fields={
                    "evaluations": list(request.evaluations),
                    "evaluationDataset": request.evaluation_dataset,
                    "scheduledEvaluationRun": schedule.name,
                    "state": "ERROR",
                    "errorInfo": {"errorType": "RUNTIME_FAILURE", "errorMessage": error.message},
                },
            )
        )


def _executed(schedule: ScheduledEvaluationRun, now: datetime) -> ScheduledEvaluationRun:
    """Return a schedule as it is after a run at `now`."""
    count = int(schedule.fields.get("totalExecutions", 0)) + 1
    fields = {**schedule.fields, "totalExecutions": count}
    return replace(schedule, fields=_with_next(fields, _times(schedule).after(now)))


def _planned(
    transaction: Transaction, kept: pb.ScheduledEvaluationRun, old: ScheduledEvaluationRun
) -> ScheduledEvaluationRun:
    """Return the schedule that a message states, checked, with the time of its next run.

    Raises:
        InvalidArgument: A value is wrong.
        NotFound, FailedPrecondition, Unimplemented: Its request could not be run now.
    """
    kept.name = old.name
    check_display_name(kept, _NOUN)
    if not kept.request.app:
        kept.request.app = old.parent
    if kept.request.app != old.parent:
        raise InvalidArgument.of_field(
            f"{_NOUN}.request.app", f'"{kept.request.app[:200]}" must be {old.parent}'
        )
    _check_times(kept.scheduling_config)
    if kept.request.scheduled_evaluation_run:
        raise InvalidArgument.of_field(
            f"{_NOUN}.request.{_NOUN}", "must be empty: the runs are those of this schedule"
        )
    planned_run(transaction, kept.request)
    made = resource_from(kept, old)
    fields = {name: value for name, value in made.fields.items() if name not in _OUTPUT_ONLY}
    fields["totalExecutions"] = int(old.fields.get("totalExecutions", 0))
    next_time = _times(made).after(transaction.now) if kept.active else None
    asked = [fields.get(name) for name in ("active", "schedulingConfig")]
    is_new = asked != [old.fields.get(name) for name in ("active", "schedulingConfig")]
    if kept.active and next_time is None and is_new:
        start = fields["schedulingConfig"]["startTime"]
        raise InvalidArgument.of_field(
            f"{_NOUN}.scheduling_config.start_time",
            f"{start} is past, and nothing is to be run after it",
        )
    return replace(made, fields=_with_next(fields, next_time))


def _check_times(config: pb.ScheduledEvaluationRun.SchedulingConfig) -> None:
    field = f"{_NOUN}.scheduling_config"
    kinds = enum_of(config, "frequency").values_by_number
    if not config.frequency or config.frequency not in kinds:
        names = ", ".join(kinds[number].name for number in sorted(kinds) if number)
        raise InvalidArgument.of_field(f"{field}.frequency", f"is required: one of {names}")
    if not config.HasField("start_time"):
        raise InvalidArgument.of_field(f"{field}.start_time", "is missing; it is required")
    days = list(config.days_of_week)
    if days and kinds[config.frequency].name in ("NONE", "DAILY"):
        raise InvalidArgument.of_field(
            f"{field}.days_of_week", f"is not for {kinds[config.frequency].name}"
        )
    for number, day in enumerate(days):
        if not 1 <= day <= 7 or day in days[:number]:
            raise InvalidArgument.of_field(
                f"{field}.days_of_week[{number}]",
                f"{day} must be 1 (Monday) to 7 (Sunday), each once",
            )


def _times(schedule: ScheduledEvaluationRun) -> Times:
    config = schedule.fields["schedulingConfig"]
    return Times(
        config["frequency"], _moment(config["startTime"]), tuple(config.get("daysOfWeek", ()))
    )


def _due(schedule: Resource) -> datetime | None:
    text = schedule.fields.get("nextScheduledExecutionTime")
    return _moment(text) if text else None


def _moment(text: str) -> datetime:
    """Return a time of proto JSON; what is below a microsecond is left out."""
    message: pb.ScheduledEvaluationRun = kept_message("ScheduledEvaluationRun")
    fill_from_json(message, {"createTime": text})
    return message.create_time.ToDatetime(tzinfo=UTC)


def _with_next(fields: dict[str, Any], time: datetime | None) -> dict[str, Any]:
    kept = {key: value for key, value in fields.items() if key != "nextScheduledExecutionTime"}
    if time is None:
        return kept
    return {**kept, "nextScheduledExecutionTime": time.isoformat().replace("+00:00", "Z")}


def _parse(name: str, *, field: str) -> str:
    return parse_in_app(name, ScheduledEvaluationRun.collection, field=field).name


def _message(
    transaction: Transaction, schedule: ScheduledEvaluationRun
) -> pb.ScheduledEvaluationRun:
    message: pb.ScheduledEvaluationRun = to_message(schedule)
    last = _completed(transaction, schedule.parent).get(schedule.name)
    if last is not None:
        message.last_completed_run = last.name
    return message


def _completed(transaction: Transaction, app: str) -> dict[str, Resource]:
    """Return the newest run that came to its end of each schedule of an app, by its name."""
    runs = [
        run
        for run in transaction.resources.under(EvaluationRun, app)
        if run.fields.get("state") == "COMPLETED" and run.fields.get("scheduledEvaluationRun")
    ]
    runs.sort(key=lambda run: (run.create_time or _NEVER, run.id))
    return {run.fields["scheduledEvaluationRun"]: run for run in runs}


def _fields(schedule: Resource) -> Fields:
    request = schedule.fields["request"]
    dataset = request.get("evaluationDataset", "")
    return {
        "request.evaluations": tuple(_both(request.get("evaluations", ()))),
        "request.evaluation_dataset": tuple(_both([dataset] if dataset else [])),
    }


def _both(names: Iterable[str]) -> Iterator[str]:
    """Yield names, and the ids at their ends, by which the API filters."""
    for name in names:
        yield name
        yield name.rpartition("/")[2]
