"""What an evaluation must be to be kept, and what of a run this version can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from google.protobuf.message import Message

from toulmin.agents import Evaluation, EvaluationDataset, EvaluationExpectation
from toulmin.apis.ces.checks import check_display_name
from toulmin.apis.ces.convert import to_json
from toulmin.apis.ces.names import parse_in_app
from toulmin.apis.ces.session_inputs import inputs_of
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.conversation.argument_matching import matcher_problem
from toulmin.domain import Resource
from toulmin.errors import InvalidArgument, Unimplemented

MOST_TURNS: Final = 100
MOST_STEPS: Final = 100
MOST_RUNS: Final = 100
MOST_RESULTS: Final = 1_000
MOST_IN_DATASET: Final = 1_000
LONGEST_PROMPT: Final = 10_000
_NOT_BUILT: Final = (
    "persona_run_configs",
    "optimization_config",
    "generate_latency_report",
)


def check_evaluation(message: pb.Evaluation, field: str) -> None:
    """Check an `Evaluation`.

    Raises:
        InvalidArgument: It cannot be kept.
        Unimplemented: A turn has audio.
    """
    check_display_name(message, field)
    app = message.name.rpartition("/evaluations/")[0]
    kind = message.WhichOneof("inputs")
    if kind is None:
        raise InvalidArgument.of_field(field, "has no inputs; set golden or scenario")
    named = getattr(message, kind).evaluation_expectations
    for number, name in enumerate(named):
        path = f"{field}.{kind}.evaluation_expectations[{number}]"
        if parse_in_app(name, EvaluationExpectation.collection, field=path).app != app:
            raise InvalidArgument.of_field(path, f'"{name[:200]}" is not of {app}')
    if kind == "scenario":
        if not message.scenario.task.strip():
            raise InvalidArgument.of_field(f"{field}.scenario.task", "is empty; it is required")
        return
    turns = message.golden.turns
    if not 1 <= len(turns) <= MOST_TURNS:
        raise InvalidArgument.of_field(
            f"{field}.golden.turns", f"has {len(turns)} turns; give 1 to {MOST_TURNS}"
        )
    for number, turn in enumerate(turns):
        _check_turn(turn, app, f"{field}.golden.turns[{number}]")


def check_dataset(message: pb.EvaluationDataset, field: str) -> None:
    """Check an `EvaluationDataset`; whether its evaluations are there says `references`.

    Raises:
        InvalidArgument: It cannot be kept.
    """
    check_display_name(message, field)
    if len(message.evaluations) > MOST_IN_DATASET:
        raise InvalidArgument.of_field(
            f"{field}.evaluations",
            f"has {len(message.evaluations):,} names; at most {MOST_IN_DATASET:,} are allowed",
        )


def check_expectation(message: pb.EvaluationExpectation, field: str) -> None:
    """Check an `EvaluationExpectation`.

    Raises:
        InvalidArgument: It cannot be kept.
    """
    check_display_name(message, field)
    prompt = message.llm_criteria.prompt
    if not prompt.strip():
        raise InvalidArgument.of_field(f"{field}.llm_criteria.prompt", "is empty; it is required")
    if len(prompt) > LONGEST_PROMPT:
        raise InvalidArgument.of_field(
            f"{field}.llm_criteria.prompt",
            f"has {len(prompt):,} characters; at most {LONGEST_PROMPT:,} are allowed",
        )


def check_run(request: pb.RunEvaluationRequest) -> None:
    """Check what a `RunEvaluationRequest` asks for besides the evaluations.

    Raises:
        InvalidArgument: A number is out of its range, or it names no evaluations.
        Unimplemented: It asks for what this version does not do.
    """
    sent = {field.name: value for field, value in request.ListFields()}
    for name in _NOT_BUILT:
        given = sent.get(name)
        if isinstance(given, Message) or given:
            raise Unimplemented(f"{name} is not implemented in this version of Toulmin")
    if request.evaluation_run_caching_settings.run_caching_mode > 1:
        raise Unimplemented(
            "evaluation_run_caching_settings.run_caching_mode SKIP_IF_UNCHANGED is not implemented"
            " in this version of Toulmin; every run runs"
        )
    if to_json(request.config).get("evaluationChannel") == "AUDIO":
        raise Unimplemented(
            "config.evaluation_channel AUDIO is not implemented in this version of Toulmin; use"
            " TEXT"
        )
    if bool(request.evaluations) == bool(request.evaluation_dataset):
        raise InvalidArgument.of_field(
            "evaluations", "or evaluation_dataset is needed, one of the two"
        )
    if request.HasField("run_count") and not 1 <= request.run_count <= MOST_RUNS:
        raise InvalidArgument.of_field(
            "run_count", f"is {request.run_count}; it must be 1 to {MOST_RUNS}"
        )


EVALUATION_CHECKS: Final[Mapping[type[Resource], Callable[[Any, str], None]]] = {
    Evaluation: check_evaluation,
    EvaluationDataset: check_dataset,
    EvaluationExpectation: check_expectation,
}


def user_inputs(turn: pb.Evaluation.GoldenTurn) -> list[pb.SessionInput]:
    """Return the inputs of a `GoldenTurn`."""
    return [step.user_input for step in turn.steps if step.WhichOneof("step") == "user_input"]


def _check_turn(turn: pb.Evaluation.GoldenTurn, app: str, field: str) -> None:
    if len(turn.steps) > MOST_STEPS:
        raise InvalidArgument.of_field(
            f"{field}.steps", f"has {len(turn.steps)} steps; at most {MOST_STEPS} are allowed"
        )
    for number, step in enumerate(turn.steps):
        path = f"{field}.steps[{number}]"
        kind = step.WhichOneof("step")
        if kind is None:
            raise InvalidArgument.of_field(path, "is empty; set user_input or expectation")
        if kind == "user_input":
            inputs_of([step.user_input], app=app, entry_agent="", field=f"{path}.user_input")
        if kind == "agent_transfer":
            parse_in_app(
                step.agent_transfer.target_agent,
                "agents",
                field=f"{path}.agent_transfer.target_agent",
            )
        if kind == "expectation":
            _check_expected(step.expectation, f"{path}.expectation")
    if not user_inputs(turn):
        raise InvalidArgument.of_field(f"{field}.steps", "has no user_input; a turn needs one")


def _check_expected(expectation: pb.Evaluation.GoldenExpectation, field: str) -> None:
    kind = expectation.WhichOneof("condition")
    if kind is None:
        raise InvalidArgument.of_field(field, "expects nothing; set tool_call or another one")
    if kind in ("tool_call", "tool_response", "mock_tool_response"):
        body = getattr(expectation, kind)
        if body.WhichOneof("tool_identifier") is None and not body.display_name:
            raise InvalidArgument.of_field(f"{field}.{kind}.tool", "is empty; it is required")
        args = body.args if kind == "tool_call" else body.response
        if problem := matcher_problem(to_json(args)):
            part = "args" if kind == "tool_call" else "response"
            raise InvalidArgument.of_field(f"{field}.{kind}.{part}", problem)
