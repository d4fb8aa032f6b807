"""EvaluationService: runs and results; what is run is kept as other resources of an app are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from google.protobuf.message import Message

from toulmin.agents import (
    App,
    AppVersion,
    Evaluation,
    EvaluationDataset,
    EvaluationExpectation,
    EvaluationResult,
    EvaluationRun,
    ScheduledEvaluationRun,
)
from toulmin.apis.aip.operations import API_VERSION, METADATA, finish_at_once, to_operation_message
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.convert import fill_from_kept, to_json, to_message
from toulmin.apis.ces.evaluation_checks import MOST_RESULTS, check_run
from toulmin.apis.ces.lists import fill_list, list_page, page_of
from toulmin.apis.ces.names import location_of, new_id, parse_app, parse_in_app, parse_result
from toulmin.apis.ces.snapshots import version_of
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.apis.schema import shared_pb2
from toulmin.domain import Resource
from toulmin.errors import FailedPrecondition, InvalidArgument, NotFound, Unimplemented
from toulmin.stores.index.predicate import Fields, FieldValue
from toulmin.stores.records import Operation, OperationRunner, RecordStore, Transaction

RUN: Final = "run-evaluation"
"""Kind of the operation that runs evaluations."""
KINDS: Final[tuple[tuple[type[Resource], str], ...]] = (
    (Evaluation, "evaluation"),
    (EvaluationDataset, "evaluation_dataset"),
    (EvaluationExpectation, "evaluation_expectation"),
)
NEWEST: Final = "update_time desc"
_RESULT_FILTERED: Final[Mapping[str, type[FieldValue]]] = {
    "name": str,
    "evaluation_run": str,
    "evaluation_status": str,
    "execution_state": str,
    "create_time": datetime,
}
_UNDER_WAY: Final = ("QUEUED", "RUNNING")
_ENDS: Final = {"CANCELLED": "CANCELLED", "FAILED": "ERROR"}
_METHODS: Final = ("STABLE", "NAIVE")


@dataclass(frozen=True, slots=True)
class EvaluationHandlers:
    """The handlers of runs and results."""

    records: Callable[[], RecordStore]
    operations: Callable[[], OperationRunner]

    def run(self, request: pb.RunEvaluationRequest, context: CallContext) -> shared_pb2.Operation:
        """Answer RunEvaluation: the operation that runs the evaluations."""
        with self.records().write() as transaction:
            operation = start_run(transaction, request, version=context.rpc.version)
        self.operations().wake()
        return to_operation_message(operation)

    def get_run(
        self, request: pb.GetEvaluationRunRequest, context: CallContext
    ) -> pb.EvaluationRun:
        """Answer GetEvaluationRun."""
        name = parse_in_app(request.name, EvaluationRun.collection, field="name").name
        with self.records().read() as transaction:
            found = _as_it_stands(transaction, transaction.resources.get(EvaluationRun, name))
        response: pb.EvaluationRun = context.new_message()
        return fill_from_kept(response, to_message(found))

    def list_runs(
        self, request: pb.ListEvaluationRunsRequest, context: CallContext
    ) -> pb.ListEvaluationRunsResponse:
        """Answer ListEvaluationRuns, the newest first."""
        app = parse_app(request.parent, field="parent")
        with self.records().read() as transaction:
            transaction.resources.get(App, app)
            page = list_page(transaction, EvaluationRun, app, request, default_order=NEWEST)
            items = tuple(_as_it_stands(transaction, item) for item in page.items)
        response: pb.ListEvaluationRunsResponse = context.new_message()
        for item in items:
            fill_from_kept(response.evaluation_runs.add(), to_message(item))
        response.next_page_token = page.next_page_token
        return response

    def delete_run(
        self, request: pb.DeleteEvaluationRunRequest, context: CallContext
    ) -> shared_pb2.Operation:
        """Answer DeleteEvaluationRun: with its results and their conversations."""
        found = parse_in_app(request.name, EvaluationRun.collection, field="name")
        with self.records().write() as transaction:
            run = _as_it_stands(transaction, transaction.resources.get(EvaluationRun, found.name))
            if run.fields.get("state") in _UNDER_WAY:
                raise FailedPrecondition(
                    f"{found.name} is under way; cancel {run.fields.get('operation')} first."
                )
            for name in run.fields.get("evaluationResults", ()):
                _drop_result(transaction, name)
            transaction.resources.delete(EvaluationRun, found.name)
            operation = finish_at_once(
                transaction,
                parent=location_of(found.app),
                kind="delete-evaluation-run",
                version=context.rpc.version,
                result={},
            )
        return to_operation_message(operation)

    def get_result(
        self, request: pb.GetEvaluationResultRequest, context: CallContext
    ) -> pb.EvaluationResult:
        """Answer GetEvaluationResult."""
        name = parse_result(request.name, field="name")
        with self.records().read() as transaction:
            found = transaction.resources.get(EvaluationResult, name)
        response: pb.EvaluationResult = context.new_message()
        return fill_from_kept(response, to_message(found))

    def list_results(
        self, request: pb.ListEvaluationResultsRequest, context: CallContext
    ) -> pb.ListEvaluationResultsResponse:
        """Answer ListEvaluationResults, the newest first; "-" is every evaluation of the app."""
        of = parse_in_app(request.parent, Evaluation.collection, field="parent")
        with self.records().read() as transaction:
            parents = (
                [item.name for item in transaction.resources.under(Evaluation, of.app)]
                if of.id == "-"
                else [transaction.resources.get(Evaluation, of.name).name]
            )
            items = (
                item
                for name in parents
                for item in transaction.resources.under(EvaluationResult, name)
            )
            page = page_of(
                items,
                request,
                scope=(EvaluationResult.collection, request.parent),
                filtered=_RESULT_FILTERED,
                fields=_result_fields,
                default_order=NEWEST,
            )
        response: pb.ListEvaluationResultsResponse = context.new_message()
        return fill_list(response, EvaluationResult, page)

    def delete_result(
        self, request: pb.DeleteEvaluationResultRequest, context: CallContext
    ) -> Message:
        """Answer DeleteEvaluationResult: with its conversations."""
        name = parse_result(request.name, field="name")
        with self.records().write() as transaction:
            transaction.resources.get(EvaluationResult, name)
            _drop_result(transaction, name)
        return context.empty_message()


def start_run(
    transaction: Transaction, request: pb.RunEvaluationRequest, *, version: str
) -> Operation:
    """Store a run with the operation that does it, and return that.

    Args:
        transaction: Takes both.
        request: A `RunEvaluationRequest`.
        version: Of the API that asks.

    Raises:
        InvalidArgument: Something in the request is wrong.
        NotFound: The app, an evaluation or the dataset is not there.
        FailedPrecondition: The dataset has no evaluations.
        Unimplemented: It asks for what this version does not do.
    """
    run = planned_run(transaction, request)
    named = {"evaluations": run.fields["evaluations"], "evaluationRun": run.name}
    operation = transaction.operations.create(
        parent=location_of(run.parent),
        kind=RUN,
        request={API_VERSION: version, "run": run.name, METADATA: {**named, "verb": "run"}},
    )
    fields = {**run.fields, "operation": operation.name}
    transaction.resources.create(replace(run, fields=fields))
    return operation


def planned_run(transaction: Transaction, request: pb.RunEvaluationRequest) -> EvaluationRun:
    """Return the run that a `RunEvaluationRequest` asks for; it is not stored.

    Raises:
        InvalidArgument, NotFound, FailedPrecondition, Unimplemented: As `start_run`.
    """
    app = parse_app(request.app, field="app")
    check_run(request)
    owner = transaction.resources.get(App, app)
    evaluations = _evaluations(transaction, request, app)
    count = request.run_count or 1
    if len(evaluations) * count > MOST_RESULTS:
        raise InvalidArgument.of_field(
            "run_count",
            f"makes {len(evaluations) * count:,} results with {len(evaluations)}"
            f" evaluations; at most {MOST_RESULTS:,} are allowed",
        )
    return EvaluationRun(
        parent=app,
        id=new_id("", field="id"),
        display_name=request.display_name or _run_name(transaction, request, owner),
        fields={
            "evaluations": [item.name for item in evaluations],
            "evaluationDataset": request.evaluation_dataset,
            "appVersion": _version(transaction, request.app_version, app),
            "evaluationType": "GOLDEN",
            "state": "QUEUED",
            "progress": {"totalCount": len(evaluations) * count},
            "config": to_json(request.config),
            "runCount": count,
            "goldenRunMethod": _method(request, owner),
            "scheduledEvaluationRun": _schedule(transaction, request, app),
        },
    )


def conversations_of(result: Resource) -> Iterator[str]:
    """Yield the names of the conversations of a result."""
    for turn in result.fields.get("goldenResult", {}).get("turnReplayResults", ()):
        if turn.get("conversation"):
            yield str(turn["conversation"])


def _drop_result(transaction: Transaction, name: str) -> None:
    """Delete a result and its conversations; what is gone already is left."""
    try:
        result = transaction.resources.get(EvaluationResult, name)
    except NotFound:
        return
    for conversation in set(conversations_of(result)):
        app, _, id_ = conversation.partition("/conversations/")
        if transaction.dialogues.find(app, id_) is not None:
            transaction.dialogues.delete(app, id_)
    transaction.resources.delete(EvaluationResult, name)


def _run_name(transaction: Transaction, request: pb.RunEvaluationRequest, app: Resource) -> str:
    """Return the API's default: of the dataset, here or of the app, with the time."""
    named: Resource = app
    if request.evaluation_dataset:
        named = transaction.resources.get(EvaluationDataset, request.evaluation_dataset)
    moment = transaction.now.isoformat().replace("+00:00", "Z")
    return f"{named.display_name} run - {moment}"


def _evaluations(
    transaction: Transaction, request: pb.RunEvaluationRequest, app: str
) -> list[Evaluation]:
    names: Sequence[str] = request.evaluations
    field = "evaluations"
    if request.evaluation_dataset:
        field = "evaluation_dataset"
        found = parse_in_app(request.evaluation_dataset, EvaluationDataset.collection, field=field)
        _check_of(found.app, app, request.evaluation_dataset, field)
        dataset = transaction.resources.get(EvaluationDataset, found.name)
        names = dataset.fields.get("evaluations", ())
        if not names:
            raise FailedPrecondition(f"{found.name} has no evaluations.")
    evaluations = []
    for number, name in enumerate(dict.fromkeys(names)):
        path = field if request.evaluation_dataset else f"{field}[{number}]"
        named = parse_in_app(name, Evaluation.collection, field=path)
        _check_of(named.app, app, name, path)
        evaluation = transaction.resources.get(Evaluation, named.name)
        if "golden" not in evaluation.fields:
            raise Unimplemented(
                f"{name} is a scenario: a user that a language model plays is not implemented in"
                " this version of Toulmin; run goldens"
            )
        evaluations.append(evaluation)
    return evaluations


def _check_of(found: str, app: str, name: str, field: str) -> None:
    if found != app:
        raise InvalidArgument.of_field(field, f'"{name[:200]}" is not of {app}')


def _version(transaction: Transaction, name: str, app: str) -> str:
    if not name:
        return ""
    found = parse_in_app(name, AppVersion.collection, field="app_version")
    _check_of(found.app, app, name, "app_version")
    return version_of(transaction, found.name).name


def _schedule(transaction: Transaction, request: pb.RunEvaluationRequest, app: str) -> str:
    name: str = request.scheduled_evaluation_run
    if name:
        field = "scheduled_evaluation_run"
        found = parse_in_app(name, ScheduledEvaluationRun.collection, field=field)
        _check_of(found.app, app, name, field)
        transaction.resources.get(ScheduledEvaluationRun, name)
    return name


def _method(request: pb.RunEvaluationRequest, app: App) -> str:
    """Return how goldens are run: as asked, else as the app says, else STABLE."""
    if request.golden_run_method:
        return _METHODS[min(request.golden_run_method, 2) - 1]
    return str(app.fields.get("evaluationSettings", {}).get("goldenRunMethod", _METHODS[0]))


def _as_it_stands(transaction: Transaction, run: Resource) -> Resource:
    """Return a run with the state of an operation that ended before the run did."""
    if run.fields.get("state") not in _UNDER_WAY:
        return run
    try:
        operation = transaction.operations.get(str(run.fields.get("operation", "")))
    except NotFound:
        return run
    state = _ENDS.get(operation.state)
    if state is None:
        return run
    fields = {**run.fields, "state": state}
    if operation.error is not None and state == "ERROR":
        fields["errorInfo"] = {
            "errorType": "RUNTIME_FAILURE",
            "errorMessage": operation.error.message,
        }
    return replace(run, fields=fields)


def _result_fields(result: Resource) -> Fields:
    return {
        "name": (result.name,),
        "evaluation_run": (str(result.fields.get("evaluationRun", "")),),
        "evaluation_status": (str(result.fields.get("evaluationStatus", "")),),
        "execution_state": (str(result.fields.get("executionState", "")),),
        "create_time": () if result.create_time is None else (result.create_time,),
    }
