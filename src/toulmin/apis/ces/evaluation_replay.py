"""The operation that runs evaluations: each golden is talked through, and every turn compared."""

from __future__ import annotations

import dataclasses
import threading
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from toulmin.agents import App, Evaluation, EvaluationExpectation, EvaluationResult, EvaluationRun
from toulmin.apis.ces.convert import to_json, to_message
from toulmin.apis.ces.evaluation_checks import user_inputs
from toulmin.apis.ces.names import NameInApp
from toulmin.apis.ces.session import Asked, SessionHandlers
from toulmin.apis.ces.session_inputs import inputs_of
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.conversation.golden_outcomes import FAIL, PASS, SKIPPED, Seen, Thresholds, turn_result
from toulmin.domain import JsonObject
from toulmin.errors import Cancelled, FailedPrecondition, NotFound, ToulminError
from toulmin.stores.records import Batch, Operation, Progress, RecordStore, Transaction
from toulmin.work import Work

_WAITS = (
    "the turn waits for the client's response to {tool}; give it as tool_response or"
    " mock_tool_response"
)


@dataclass(frozen=True, slots=True)
class ReplayHandler:
    """Does operations of the kind `evaluation.RUN`: a result a batch."""

    records: Callable[[], RecordStore]
    sessions: SessionHandlers

    def __call__(
        self, operation: Operation, stop: threading.Event
    ) -> Generator[Batch, None, JsonObject]:
        """Run the evaluations that are left, and return the response."""
        name = str(operation.request["run"])
        done = int(operation.cursor.get("done", 0))
        with self.records().read() as transaction:
            run = transaction.resources.get(EvaluationRun, name)
            app = transaction.resources.get(App, run.parent)
        names = [
            evaluation
            for evaluation in run.fields["evaluations"]
            for _ in range(int(run.fields.get("runCount", 1)))
        ]
        for at in range(done, len(names)):
            result = self._result(names[at], run, app, stop)
            if result is None:  # we are to stop
                return {}
            yield _Writing(name, result, done=at + 1, of=len(names))
        return {"evaluationRun": name}

    def _result(
        self, name: str, run: EvaluationRun, app: App, stop: threading.Event
    ) -> EvaluationResult | None:
        with self.records().read() as transaction:
            evaluation = transaction.resources.get(Evaluation, name)
            prompts = _prompts(transaction, evaluation)
        replay = _Replay(self.sessions, evaluation, run, app, stop)
        try:
            turns = list(replay.turns())
        except Cancelled:
            return None
        failed = not all(replay.passes)
        state = "ERROR" if replay.error else "COMPLETED"
        fields: dict[str, Any] = {
            "evaluationRun": run.name,
            "executionState": state,
            "appVersion": run.fields.get("appVersion", ""),
            "config": run.fields.get("config", {}),
            "goldenRunMethod": run.fields.get("goldenRunMethod", ""),
            "evaluationMetricsThresholds": app.fields.get("evaluationMetricsThresholds", {}),
            "goldenResult": {
                "turnReplayResults": turns,
                "evaluationExpectationResults": [
                    {
                        "evaluationExpectation": expectation,
                        "prompt": prompt,
                        "outcome": SKIPPED,
                        "explanation": "It is prose, which this version of Toulmin does not judge.",
                    }
                    for expectation, prompt in prompts
                ],
            },
        }
        if replay.error:
            fields["errorInfo"] = turns[-1]["errorInfo"]
        else:
            fields["evaluationStatus"] = FAIL if failed else PASS
        return EvaluationResult(
            parent=evaluation.name,
            id=replay.id,
            display_name=f"{evaluation.display_name} result",
            fields=fields,
        )


class _Replay:
    """One golden, talked through.

    Attributes:
        id: Of the result; sessions are named after it.
        passes: Whether each turn so far passed.
        error: What ended it before its end; empty: nothing.
    """

    def __init__(
        self,
        sessions: SessionHandlers,
        evaluation: Evaluation,
        run: EvaluationRun,
        app: App,
        stop: threading.Event,
    ) -> None:
        self.id = uuid.uuid4().hex
        self.passes: list[bool] = []
        self.error = ""
        self._sessions = sessions
        self._golden = to_message(evaluation).golden
        self._run = run
        self._app = app
        self._stop = stop
        self._stable = run.fields.get("goldenRunMethod") != "NAIVE"
        overrides = evaluation.fields.get("evaluationMetricsThresholdOverride", {})
        thresholds = Thresholds().with_settings(app.fields.get("evaluationMetricsThresholds", {}))
        self._thresholds = thresholds.with_settings(overrides)

    def turns(self) -> Iterator[dict[str, Any]]:
        """Yield the API's `TurnReplayResult`s; a turn that cannot be run is the last one.

        Raises:
            Cancelled: The operation is to stop.
        """
        history: list[JsonObject] = []
        for number, turn in enumerate(self._golden.turns):
            id_ = f"eval-{self.id}-{number}" if self._stable else f"eval-{self.id}"
            session = NameInApp(self._app.name, id_, f"{self._app.name}/sessions/{id_}")
            named = {"conversation": f"{self._app.name}/conversations/{id_}"}
            value = to_json(turn)
            try:
                seen = self._seen(session, turn, value, history if self._stable else [])
            except Cancelled:
                raise
            except ToulminError as error:
                self.error = error.message
                yield {**named, "errorInfo": _error(error.message, session.name)}
                return
            similarity = self._sessions.rooms().similarity
            result, passed = turn_result(value, seen, self._thresholds, similarity)
            self.passes.append(passed)
            yield {**named, **result}
            history += _expected_messages(value)

    def _seen(
        self,
        session: NameInApp,
        turn: pb.Evaluation.GoldenTurn,
        value: JsonObject,
        history: Sequence[JsonObject],
    ) -> Seen:
        """Run a turn, and return what was said and done in it.

        Raises:
            ToulminError: The turn is refused, or waits for the client.
        """
        config = self._run.fields.get("config", {})
        target = next(
            (s["agentTransfer"]["targetAgent"] for s in value["steps"] if "agentTransfer" in s), ""
        )
        inputs = inputs_of(
            user_inputs(turn),
            app=self._app.name,
            entry_agent=target,
            use_fakes=config.get("toolCallBehaviour") == "FAKE",
        )
        asked = Asked(
            session,
            dataclasses.replace(
                inputs,
                mocks=tuple(_expected(value, "mockToolResponse")),
                client_answers=tuple(_expected(value, "toolResponse")),
                agreed=tuple(_called(value)),
            ),
            tuple(history),
            app_version=str(self._run.fields.get("appVersion", "")),
            source="EVAL",
            agent=target,
        )
        last: JsonObject = {}
        for output in self._sessions.outputs(asked, Work("the replay", is_gone=self._stop.is_set)):
            last = to_json(output)
        if not last.get("turnCompleted"):
            calls = last.get("toolCalls", {}).get("toolCalls", ({},))
            raise FailedPrecondition(_WAITS.format(tool=calls[0].get("displayName", "a tool")))
        with self._sessions.records().read() as transaction:
            dialogue = transaction.dialogues.get(session.app, session.id)
        info = last.get("diagnosticInfo", {})
        return Seen(
            messages=info.get("messages", ()),
            span=info.get("rootSpan", {}),
            variables=dialogue.state.get("variables", {}),
        )


@dataclass(frozen=True, slots=True)
class _Writing:
    """The batch that stores a result, and how far the run is then."""

    run: str
    result: EvaluationResult
    done: int
    of: int

    def __call__(self, transaction: Transaction) -> Progress:
        run = transaction.resources.get(EvaluationRun, self.run, to_change=True)
        moment = transaction.now.isoformat().replace("+00:00", "Z")
        name = f"{self.result.display_name} - {moment}"  # unique in an evaluation
        transaction.resources.create(dataclasses.replace(self.result, display_name=name))
        what = _counted(self.result)
        progress: dict[str, int] = dict(run.fields.get("progress", {}))
        summaries = dict(run.fields.get("evaluationRunSummaries", {}))
        summary = dict(summaries.get(self.result.parent, {}))
        for counts in (progress, summary):
            counts[what] = counts.get(what, 0) + 1
        if what != "errorCount":
            progress["completedCount"] = progress.get("completedCount", 0) + 1
        fields = {
            **run.fields,
            "state": "COMPLETED" if self.done == self.of else "RUNNING",
            "progress": progress,
            "evaluationRunSummaries": {**summaries, self.result.parent: summary},
            "evaluationResults": [*run.fields.get("evaluationResults", ()), self.result.name],
        }
        transaction.resources.update(dataclasses.replace(run, fields=fields))
        failed = int(what == "errorCount")
        return Progress(
            cursor={"done": self.done}, success=1 - failed, failure=failed, total=self.of
        )


def _counted(result: EvaluationResult) -> str:
    if result.fields["executionState"] == "ERROR":
        return "errorCount"
    return "passedCount" if result.fields["evaluationStatus"] == PASS else "failedCount"


def _expected(turn: JsonObject, condition: str) -> Iterator[JsonObject]:
    """Yield what the expectations of a kind hold."""
    for step in turn.get("steps", ()):
        if condition in step.get("expectation", {}):
            yield step["expectation"][condition]


def _called(turn: JsonObject) -> Iterator[JsonObject]:
    """Yield the tools that a turn calls: who wrote the golden has agreed to that."""
    for condition in ("toolCall", "toolResponse", "mockToolResponse"):
        for item in _expected(turn, condition):
            yield {key: value for key, value in item.items() if key != "args"}


def _expected_messages(turn: JsonObject) -> Iterator[JsonObject]:
    """Yield a turn as it should have gone, as the messages that the next one begins with."""
    for step in turn.get("steps", ()):
        if "userInput" in step:
            chunk = _user_chunk(step["userInput"])
            if chunk:
                yield {"role": "user", "chunks": [chunk]}
        elif "agentTransfer" in step:
            yield {"role": "agent", "chunks": [{"agentTransfer": step["agentTransfer"]}]}
        else:
            yield from _expected_message(step.get("expectation", {}))


def _user_chunk(given: JsonObject) -> dict[str, Any]:
    if "variables" in given:
        return {"updatedVariables": given["variables"]}
    if "event" in given:
        return {"text": f"<event>{given['event'].get('event', '')}</event>"}
    text = given.get("text") or given.get("dtmf")
    return {"text": text} if text else {}


def _expected_message(expectation: JsonObject) -> Iterator[JsonObject]:
    if "agentResponse" in expectation:
        yield {"role": "agent", "chunks": expectation["agentResponse"].get("chunks", [])}
    for key in ("toolCall", "toolResponse", "agentTransfer", "updatedVariables"):
        if key in expectation:
            yield {"role": "agent", "chunks": [{key: expectation[key]}]}


def _error(message: str, session: str) -> dict[str, Any]:
    return {
        "errorType": "RUNTIME_FAILURE",
        "errorMessage": message,
        "sessionId": session.rpartition("/")[2],
    }


def _prompts(transaction: Transaction, evaluation: Evaluation) -> list[tuple[str, str]]:
    """Return name and prompt of the expectations in prose; one that is gone has no prompt.

    Nor has one of another app, which evaluations of older versions may name.
    """
    own = f"{evaluation.parent}/{EvaluationExpectation.collection}/"
    found = []
    golden: Mapping[str, Any] = evaluation.fields.get("golden", {})
    for name in golden.get("evaluationExpectations", ()):
        fields: JsonObject = {}
        if name.startswith(own):
            with suppress(NotFound):
                fields = transaction.resources.get(EvaluationExpectation, name).fields
        found.append((name, str(fields.get("llmCriteria", {}).get("prompt", ""))))
    return found
