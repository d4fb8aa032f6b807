"""What came of an evaluation over all its runs: counts and averages, by app version and by turn.

They are made of the results that are there when they are asked for: what is deleted counts no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Final

from toulmin.agents import App, Evaluation, EvaluationDataset, EvaluationResult
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.convert import fill_from_kept, to_message
from toulmin.apis.ces.lists import list_page
from toulmin.apis.ces.names import parse_app, parse_in_app
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.domain import JsonObject, Resource
from toulmin.errors import Unimplemented
from toulmin.stores.records import RecordStore, Transaction

NEWEST: Final = "update_time desc"
MOST_SHOWN: Final = 10
_ENDED: Final = ("COMPLETED", "ERROR")


@dataclass(frozen=True, slots=True)
class MeasuredHandlers:
    """Get and List of evaluations and of their datasets, with what came of their runs.

    Attributes:
        records: Returns the record store.
        kind: What they answer for.
    """

    records: Callable[[], RecordStore]
    kind: type[Evaluation] | type[EvaluationDataset]

    def get(
        self,
        request: pb.GetEvaluationDatasetRequest | pb.GetEvaluationRequest,
        context: CallContext,
    ) -> pb.Evaluation | pb.EvaluationDataset:
        """Answer GetEvaluation, GetEvaluationDataset."""
        name = parse_in_app(request.name, self.kind.collection, field="name").name
        with self.records().read() as transaction:
            found = transaction.resources.get(self.kind, name)
            message = _measured(transaction, found, shown=0)
        response: pb.Evaluation | pb.EvaluationDataset = context.new_message()
        return fill_from_kept(response, message)

    def list(
        self,
        request: pb.ListEvaluationDatasetsRequest | pb.ListEvaluationsRequest,
        context: CallContext,
    ) -> pb.ListEvaluationDatasetsResponse | pb.ListEvaluationsResponse:
        """Answer ListEvaluations, ListEvaluationDatasets.

        Raises:
            Unimplemented: A filter of evaluations is asked for.
        """
        app = parse_app(request.parent, field="parent")
        for name in ("evaluation_filter", "evaluation_run_filter"):
            if getattr(request, name, ""):
                raise Unimplemented(f"{name} is not implemented in this version of Toulmin")
        shown = MOST_SHOWN if getattr(request, "last_ten_results", False) else 0
        response: pb.ListEvaluationDatasetsResponse | pb.ListEvaluationsResponse = (
            context.new_message()
        )
        of_evaluations = self.kind is Evaluation
        items = getattr(response, "evaluations" if of_evaluations else "evaluation_datasets")
        with self.records().read() as transaction:
            transaction.resources.get(App, app)
            page = list_page(transaction, self.kind, app, request, default_order=NEWEST)
            for found in page.items:
                fill_from_kept(items.add(), _measured(transaction, found, shown=shown))
        response.next_page_token = page.next_page_token
        return response


def aggregated(results: Iterable[Resource]) -> JsonObject:
    """Return the API's `AggregatedMetrics` of results; empty where none has ended.

    Every average is over what has a value: a turn without an expected text has no similarity, one
    in which nothing could be checked no hallucination score.
    """
    by_version: dict[str, list[Resource]] = {}
    for result in results:
        if result.fields.get("executionState") in _ENDED:
            by_version.setdefault(str(result.fields.get("appVersion", "")), []).append(result)
    return {
        "metricsByAppVersion": [
            _of_version(version, found) for version, found in sorted(by_version.items())
        ]
    }


def _measured(
    transaction: Transaction, found: Resource, *, shown: int
) -> pb.Evaluation | pb.EvaluationDataset:
    """Return an evaluation or a dataset as a message, with what came of its runs."""
    is_evaluation = isinstance(found, Evaluation)
    names = [found.name] if is_evaluation else found.fields.get("evaluations", ())
    results = [one for name in names for one in transaction.resources.under(EvaluationResult, name)]
    fields = {**found.fields, "aggregatedMetrics": aggregated(results)}
    if not is_evaluation:
        dataset: pb.EvaluationDataset = to_message(replace(found, fields=fields))
        return dataset
    message: pb.Evaluation = to_message(replace(found, fields=fields))
    newest = sorted(results, key=lambda one: (one.create_time, one.id), reverse=True)
    done = [one for one in newest if one.fields.get("executionState") == "COMPLETED"]
    if done:
        message.last_completed_result.CopyFrom(to_message(done[0]))
    for one in newest[:shown]:
        message.last_ten_results.add().CopyFrom(to_message(one))
    return message


def _of_version(version: str, results: Sequence[Resource]) -> JsonObject:
    turns = [
        list(one.fields.get("goldenResult", {}).get("turnReplayResults", ())) for one in results
    ]
    statuses = [one.fields.get("evaluationStatus") for one in results]
    longest = max(map(len, turns), default=0)
    by_turn = [
        {"turnIndex": index, **_averages([of[index] for of in turns if index < len(of)])}
        for index in range(longest)
    ]
    return {
        "appVersionId": version.rpartition("/")[2],
        "passCount": statuses.count("PASS"),
        "failCount": statuses.count("FAIL"),
        **_averages([turn for of in turns for turn in of]),
        "metricsByTurn": by_turn,
    }


def _averages(turns: Sequence[JsonObject]) -> JsonObject:
    similar = [
        float(item["semanticSimilarityResult"].get("score", 0))
        for item in _outcomes(turns)
        if "semanticSimilarityResult" in item
    ]
    grounded = [
        float(turn["hallucinationResult"].get("score", 0))
        for turn in turns
        if turn.get("hallucinationResult", {}).get("score", -1) >= 0
    ]
    turn_s = [_seconds(turn["turnLatency"]) for turn in turns if "turnLatency" in turn]
    return {
        "toolMetrics": _of_tools(turns),
        "semanticSimilarityMetrics": [{"score": fmean(similar)}] if similar else [],
        "hallucinationMetrics": [{"score": fmean(grounded)}] if grounded else [],
        "toolCallLatencyMetrics": _of_calls(turns),
        "turnLatencyMetrics": [{"averageLatency": _duration(turn_s)}] if turn_s else [],
    }


def _outcomes(turns: Sequence[JsonObject]) -> Iterator[JsonObject]:
    for turn in turns:
        yield from turn.get("expectationOutcome", ())


def _of_tools(turns: Sequence[JsonObject]) -> list[JsonObject]:
    """Return how often each expected tool was called as it should be."""
    counts: dict[str, dict[str, int]] = {}
    for item in _outcomes(turns):
        call = item.get("expectation", {}).get("toolCall")
        if call is None or item.get("outcome") not in ("PASS", "FAIL"):
            continue
        count = counts.setdefault(_tool(call), {"passCount": 0, "failCount": 0})
        count[f"{item['outcome'].lower()}Count"] += 1
    return [{"tool": tool, **count} for tool, count in sorted(counts.items())]


def _of_calls(turns: Sequence[JsonObject]) -> list[JsonObject]:
    seconds: dict[str, list[float]] = {}
    for turn in turns:
        for call in turn.get("toolCallLatencies", ()):
            seconds.setdefault(_tool(call), []).append(_seconds(call.get("executionLatency", "0s")))
    return [
        {"tool": tool, "averageLatency": _duration(found)}
        for tool, found in sorted(seconds.items())
    ]


def _tool(named: Mapping[str, Any]) -> str:
    of_set: Mapping[str, Any] = named.get("toolsetTool", {})
    whole = f"{of_set['toolset']}/tools/{of_set.get('toolId', '')}" if of_set else ""
    return str(named.get("tool") or whole or named.get("displayName", ""))


def _seconds(duration: str) -> float:
    return float(str(duration).removesuffix("s") or 0)


def _duration(seconds: Sequence[float]) -> str:
    return f"{fmean(seconds):.6f}s"
