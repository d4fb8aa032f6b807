"""Evaluations, their results and runs as JSON, to be kept beside an app's files or compared.

The API says neither how the content is laid out nor what is in it: here it is an object with a list
for each kind (`evaluations`, `evaluationResults`, `evaluationRuns`), of the messages as REST has
them, in the order that was asked for. The same resources are the same bytes.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from toulmin.agents import App, Evaluation, EvaluationResult, EvaluationRun
from toulmin.apis.aip.operations import finish_at_once, to_operation_message
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.convert import to_json, to_message
from toulmin.apis.ces.names import location_of, parse_app, parse_in_app, parse_result
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.apis.schema import shared_pb2
from toulmin.domain import JsonObject, Resource
from toulmin.errors import InvalidArgument, NotFound, Unimplemented
from toulmin.stores.records import RecordStore, Transaction

MOST_NAMES: Final = 1_000


@dataclass(frozen=True, slots=True)
class EvaluationExportHandlers:
    """The handlers; each operation is done when it comes back."""

    records: Callable[[], RecordStore]

    def evaluations(
        self, request: pb.ExportEvaluationsRequest, context: CallContext
    ) -> shared_pb2.Operation:
        """Answer ExportEvaluations; what is not there is named with the reason."""
        app = parse_app(request.parent, field="parent")
        if not (request.include_evaluations or request.include_evaluation_results):
            raise InvalidArgument.of_field(
                "include_evaluations", "is not set, nor is include_evaluation_results; set one"
            )
        names = _names(request, lambda name, field: _evaluation_of(name, app, field))
        with self.records().write() as transaction:
            transaction.resources.get(App, app)
            found, failed = _found(transaction, names)
            content: dict[str, Any] = {}
            if request.include_evaluations:
                content["evaluations"] = _as_json(found)
            if request.include_evaluation_results:
                results = (
                    transaction.resources.under(EvaluationResult, item.name) for item in found
                )
                content["evaluationResults"] = _as_json([one for of in results for one in of])
            result = {"evaluationsContent": _encoded(content), "failedEvaluations": failed}
            return _done(transaction, app, "export-evaluations", result, context)

    def results(
        self, request: pb.ExportEvaluationResultsRequest, context: CallContext
    ) -> shared_pb2.Operation:
        """Answer ExportEvaluationResults."""
        of = parse_in_app(request.parent, Evaluation.collection, field="parent")
        names = _names(request, lambda name, field: _result_of(name, of.name, field))
        with self.records().write() as transaction:
            found = [transaction.resources.get(EvaluationResult, name) for name in names]
            content = _encoded({"evaluationResults": _as_json(found)})
            result = {"evaluationResultsContent": content}
            return _done(transaction, of.app, "export-evaluation-results", result, context)

    def runs(
        self, request: pb.ExportEvaluationRunsRequest, context: CallContext
    ) -> shared_pb2.Operation:
        """Answer ExportEvaluationRuns."""
        app = parse_app(request.parent, field="parent")
        names = _names(request, lambda name, field: _run_of(name, app, field))
        with self.records().write() as transaction:
            found = [transaction.resources.get(EvaluationRun, name) for name in names]
            content = _encoded({"evaluationRuns": _as_json(found)})
            result = {"evaluationRunsContent": content}
            return _done(transaction, app, "export-evaluation-runs", result, context)


def _names(
    request: pb.ExportEvaluationsRequest
    | pb.ExportEvaluationResultsRequest
    | pb.ExportEvaluationRunsRequest,
    check: Callable[[str, str], str],
) -> list[str]:
    """Return the names that are asked for, each once.

    Raises:
        InvalidArgument: There are none, or too many, or one is wrong.
        Unimplemented: They are to be written elsewhere, or otherwise than as JSON.
    """
    options = request.export_options
    if options.gcs_uri:
        raise Unimplemented("export_options.gcs_uri is not implemented in this version of Toulmin")
    if options.export_format == pb.ExportOptions.ExportFormat.YAML:
        raise Unimplemented(
            "export_options.export_format YAML is not implemented in this version of Toulmin"
        )
    if not 0 < len(request.names) <= MOST_NAMES:
        raise InvalidArgument.of_field(
            "names", f"has {len(request.names):,} entries; 1 to {MOST_NAMES:,} are allowed"
        )
    found = [check(name, f"names[{number}]") for number, name in enumerate(request.names)]
    return list(dict.fromkeys(found))


def _evaluation_of(name: str, app: str, field: str) -> str:
    found = parse_in_app(name, Evaluation.collection, field=field)
    return _of(found.name, found.app, app, field)


def _run_of(name: str, app: str, field: str) -> str:
    found = parse_in_app(name, EvaluationRun.collection, field=field)
    return _of(found.name, found.app, app, field)


def _result_of(name: str, evaluation: str, field: str) -> str:
    found = parse_result(name, field=field)
    return _of(found, found.rpartition("/results/")[0], evaluation, field)


def _of(name: str, found: str, parent: str, field: str) -> str:
    if found != parent:
        raise InvalidArgument.of_field(field, f'"{name[:200]}" is not of {parent}')
    return name


def _found(
    transaction: Transaction, names: Sequence[str]
) -> tuple[list[Evaluation], dict[str, str]]:
    """Return the evaluations that are there, and why the others are not."""
    found, failed = [], {}
    for name in names:
        try:
            found.append(transaction.resources.get(Evaluation, name))
        except NotFound as error:
            failed[name] = error.message
    return found, failed


def _as_json(resources: Sequence[Resource]) -> list[JsonObject]:
    return [to_json(to_message(item)) for item in resources]


def _encoded(content: JsonObject) -> str:
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS
    return base64.b64encode(orjson.dumps(content, option=options)).decode()


def _done(
    transaction: Transaction, app: str, kind: str, result: JsonObject, context: CallContext
) -> shared_pb2.Operation:
    operation = finish_at_once(
        transaction,
        parent=location_of(app),
        kind=kind,
        version=context.rpc.version,
        result=result,
    )
    return to_operation_message(operation)
