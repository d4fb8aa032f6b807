"""A turn of a golden conversation against what was said and done: the API's outcomes, as JSON.

What is expected is compared part by part; what was said or called and is expected nowhere is an
outcome, too, without an expectation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from toulmin.conversation.argument_matching import differences
from toulmin.conversation.inputs import same_tool
from toulmin.conversation.similarity import MOSTLY, Similarity
from toulmin.domain import JsonObject

PASS: Final = "PASS"  # noqa: S105 - an outcome
FAIL: Final = "FAIL"
SKIPPED: Final = "SKIPPED"
_JUDGED: Final = ("semanticSimilarityResult", "toolInvocationResult")
_BY_TURN: Final = "turnLevelMetricsThresholds"
_BY_EXPECTATION: Final = "expectationLevelMetricsThresholds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """From where on something passes.

    Attributes:
        similarity: Least likeness of texts, 0 to 4.
        tools: Least share of the expected tools that were called, 0 to 1.
        parameters: Least share of a call's expected arguments that are right, 0 to 1.
        extra_calls_fail: Whether a call that nothing expects fails the turn.
        hallucination_fails: Whether a text that its tools do not bear out fails the turn.
    """

    similarity: int = MOSTLY
    tools: float = 1.0
    parameters: float = 1.0
    extra_calls_fail: bool = True
    hallucination_fails: bool = False

    def with_settings(self, value: JsonObject) -> Thresholds:
        """Return them with what an `EvaluationMetricsThresholds` says otherwise."""
        golden = value.get("goldenEvaluationMetricsThresholds", {})
        extra = golden.get("toolMatchingSettings", {}).get("extraToolCallBehavior")
        behavior = value.get("goldenHallucinationMetricBehavior") or value.get(
            "hallucinationMetricBehavior"
        )
        found = self.with_turn(golden.get(_BY_TURN, {}), behavior)
        found = found.with_expectation(golden.get(_BY_EXPECTATION, {}))
        return replace(
            found,
            extra_calls_fail=found.extra_calls_fail if not extra else extra != "ALLOW",
        )

    def with_turn(self, value: JsonObject, hallucination: str | None = None) -> Thresholds:
        """Return them with what `TurnLevelMetricsThresholds` say otherwise."""
        return replace(
            self,
            similarity=int(value.get("semanticSimilaritySuccessThreshold", self.similarity)),
            tools=float(value.get("overallToolInvocationCorrectnessThreshold", self.tools)),
            hallucination_fails=self.hallucination_fails
            if hallucination not in ("ENABLED", "DISABLED")
            else hallucination == "ENABLED",
        )

    def with_expectation(self, value: JsonObject) -> Thresholds:
        """Return them with what `ExpectationLevelMetricsThresholds` say otherwise."""
        key = "toolInvocationParameterCorrectnessThreshold"
        return replace(self, parameters=float(value.get(key, self.parameters)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was said and done in a turn.

    Attributes:
        messages: The API's messages as JSON, those of the user, too.
        span: The root span; empty: the turn did not come to its end.
        variables: Of the session, after the turn.
    """

    messages: Sequence[JsonObject] = ()
    span: JsonObject = field(default_factory=dict)
    variables: JsonObject = field(default_factory=dict)

    def chunks(self, key: str) -> list[Any]:
        """Return what the agents' chunks of a kind hold."""
        return [
            chunk[key]
            for message in self.messages
            if message.get("role") != "user"
            for chunk in message.get("chunks", ())
            if key in chunk
        ]


def turn_result(
    turn: JsonObject, seen: Seen, thresholds: Thresholds, similarity: Similarity
) -> tuple[dict[str, Any], bool]:
    """Return the API's `TurnReplayResult` of a turn, without its conversation; and if it passed.

    Args:
        turn: The `GoldenTurn`.
        seen: What was said and done.
        thresholds: Of the evaluation; the turn's own go before.
        similarity: Compares texts.
    """
    thresholds = thresholds.with_turn(
        turn.get("turnLevelMetricsThresholdsOverride", {}),
        turn.get("hallucinationMetricBehaviorOverride"),
    )
    comparing = _Comparing(turn, seen, thresholds, similarity)
    outcomes = list(comparing.outcomes())
    result: dict[str, Any] = {"expectationOutcome": outcomes, **comparing.of_tools()}
    failed = any(item["outcome"] == FAIL for item in outcomes)
    failed |= result.get("overallToolInvocationResult", {}).get("outcome") == FAIL
    texts = [found for item in outcomes if (found := item.get("semanticSimilarityResult"))]
    if texts:
        result["semanticSimilarityResult"] = min(texts, key=lambda item: int(item["score"]))
    verdict = seen.span.get("attributes", {}).get("hallucination")
    if verdict:
        shown = {key: verdict[key] for key in ("score", "label", "explanation")}
        result["hallucinationResult"] = shown | {"score": int(verdict["score"])}
        failed |= thresholds.hallucination_fails and verdict["score"] == 0
    return result | _latencies(seen.span), not failed


class _Comparing:
    """A turn that is compared: what was seen and is expected by nothing yet is left."""

    def __init__(
        self, turn: JsonObject, seen: Seen, thresholds: Thresholds, similarity: Similarity
    ) -> None:
        self._expected = [
            step["expectation"] for step in turn.get("steps", ()) if "expectation" in step
        ]
        self._seen = seen
        self._thresholds = thresholds
        self._similarity = similarity
        self._calls = list(seen.chunks("toolCall"))
        self._texts = list(seen.chunks("text"))
        self._texts_to_come = sum("agentResponse" in item for item in self._expected)
        self._expects_text = self._texts_to_come > 0
        self._hits = 0
        self._order: list[int] = []

    def outcomes(self) -> Iterator[dict[str, Any]]:
        """Yield the outcomes of the expectations in order, then what nothing expects."""
        for expectation in self._expected:
            outcome = {"expectation": expectation, **self._outcome(expectation)}
            if expectation.get("skipEvaluation"):
                outcome = {key: value for key, value in outcome.items() if key not in _JUDGED}
                outcome["outcome"] = SKIPPED
            yield outcome
        for call in self._calls:
            if self._thresholds.extra_calls_fail:
                yield {"observedToolCall": call, "outcome": FAIL}
        if self._texts and not self._expects_text:
            yield {"observedAgentResponse": _said(self._texts), "outcome": FAIL}

    def of_tools(self) -> dict[str, Any]:
        """Return how many of the expected tools were called, and in which order."""
        count = len(self._expected_calls())
        if not count:
            return {}
        score = self._hits / count
        outcome = PASS if score >= self._thresholds.tools else FAIL
        return {
            "toolInvocationScore": score,
            "toolOrderedInvocationScore": _longest_rise(self._order) / count,
            "overallToolInvocationResult": {"toolInvocationScore": score, "outcome": outcome},
        }

    def _expected_calls(self) -> list[JsonObject]:
        return [
            item["toolCall"]
            for item in self._expected
            if "toolCall" in item and not item.get("skipEvaluation")
        ]

    def _outcome(self, expectation: JsonObject) -> dict[str, Any]:
        if "toolCall" in expectation:
            return self._call(expectation)
        if "agentResponse" in expectation:
            return self._text(expectation)
        if "toolResponse" in expectation:
            return self._response(expectation["toolResponse"])
        if "agentTransfer" in expectation:
            return self._transfer(str(expectation["agentTransfer"].get("targetAgent", "")))
        if "updatedVariables" in expectation:
            wanted, found = expectation["updatedVariables"], self._seen.variables
            return _passes(all(found.get(name) == value for name, value in wanted.items()))
        if expectation.get("noToolCalls"):
            return _passes(not self._seen.chunks("toolCall"))
        return {"outcome": SKIPPED}  # a mock: it is used, not checked

    def _call(self, expectation: JsonObject) -> dict[str, Any]:
        """Compare with the call of that tool whose arguments are nearest."""
        wanted = expectation["toolCall"]
        thresholds = self._thresholds.with_expectation(
            expectation.get("expectationLevelMetricsThresholdsOverride", {})
        )
        by_meaning = expectation.get("comparisonType") == "SEMANTIC_SIMILARITY"
        args: Mapping[str, Any] = wanted.get("args", {})
        found = [
            (differences(args, call.get("args", {}), self._similarity, by_meaning=by_meaning), call)
            for call in self._calls
            if same_tool(wanted, call)
        ]
        if not found:
            what = f"{_title(wanted)} was not called"
            return {"outcome": FAIL, "toolInvocationResult": {"outcome": FAIL, "explanation": what}}
        wrong, call = min(found, key=lambda pair: len(pair[0]))
        self._calls.remove(call)
        if not expectation.get("skipEvaluation"):
            self._hits += 1
            self._order.append(self._seen.chunks("toolCall").index(call))
        score = 1.0 - len(wrong) / len(args) if args else 1.0
        outcome = PASS if score >= thresholds.parameters else FAIL
        why = "; ".join(wrong.values()) or "all expected arguments are right"
        invoked = {"parameterCorrectnessScore": score, "outcome": outcome, "explanation": why}
        return {"observedToolCall": call, "outcome": outcome, "toolInvocationResult": invoked}

    def _text(self, expectation: JsonObject) -> dict[str, Any]:
        """Compare with the next text; the last text that is expected with all that are left."""
        self._texts_to_come -= 1
        last = self._texts_to_come == 0
        taken = self._texts if last else self._texts[:1]
        self._texts = [] if last else self._texts[1:]
        wanted = " ".join(
            str(chunk.get("text") or chunk.get("transcript") or "")
            for chunk in expectation["agentResponse"].get("chunks", ())
        )
        found = " ".join(taken)
        shown = {"observedAgentResponse": _said(taken)} if taken else {}
        kind = expectation.get("comparisonType")
        if kind in ("EQUALS", "CONTAINS"):
            agrees = wanted.strip() == found.strip() if kind == "EQUALS" else wanted in found
            return {**shown, **_passes(agrees)}
        override = expectation.get("agentResponseSemanticSimilarityMetricsConfigOverride")
        likeness = self._similarity.of(wanted, found)
        agrees = likeness.score >= self._thresholds.similarity
        if override is not None and not override.get("enableSemanticSimilarityMetrics"):
            return {**shown, "outcome": SKIPPED}
        similar = {
            "score": likeness.score,
            "label": likeness.label,
            "explanation": likeness.explanation,
            **_passes(agrees),
        }
        return {**shown, **_passes(agrees), "semanticSimilarityResult": similar}

    def _response(self, wanted: JsonObject) -> dict[str, Any]:
        found = [item for item in self._seen.chunks("toolResponse") if same_tool(wanted, item)]
        if not found:
            return {"outcome": FAIL}
        body = wanted.get("response", {})
        wrong = [differences(body, item.get("response", {}), self._similarity) for item in found]
        best = min(range(len(found)), key=lambda number: len(wrong[number]))
        return {"observedToolResponse": found[best], **_passes(not wrong[best])}

    def _transfer(self, wanted: str) -> dict[str, Any]:
        for found in self._seen.chunks("agentTransfer"):
            if wanted in (found.get("targetAgent"), found.get("displayName")):
                return {"observedAgentTransfer": found, "outcome": PASS}
        others = self._seen.chunks("agentTransfer")[:1]
        return {**({"observedAgentTransfer": others[0]} if others else {}), "outcome": FAIL}


def _passes(agrees: bool) -> dict[str, Any]:  # noqa: FBT001 - the verdict itself
    return {"outcome": PASS if agrees else FAIL}


def _said(texts: Sequence[str]) -> JsonObject:
    return {"role": "agent", "chunks": [{"text": text} for text in texts]}


def _title(call: JsonObject) -> str:
    return str(
        call.get("displayName")
        or call.get("tool", "").rpartition("/")[2]
        or call.get("toolsetTool", {}).get("toolId", "the tool")
    )


def _longest_rise(numbers: Sequence[int]) -> int:
    """Return the length of the longest part of a sequence, gaps allowed, that rises."""
    lengths: list[int] = []
    for at, number in enumerate(numbers):
        before = [lengths[k] for k in range(at) if numbers[k] < number]
        lengths.append(1 + max(before, default=0))
    return max(lengths, default=0)


def _latencies(span: JsonObject) -> dict[str, Any]:
    """Return how long the turn and its tools took, from its spans."""
    if not span:
        return {}
    tools = [
        {
            "displayName": item.get("attributes", {}).get("tool", ""),
            "startTime": item["startTime"],
            "endTime": item["endTime"],
            "executionLatency": item["duration"],
        }
        for item in span.get("childSpans", ())
        if item.get("name") == "tool"
    ]
    seconds = float(str(span.get("duration", "0s")).removesuffix("s") or 0)
    return {
        "turnLatency": f"{seconds if math.isfinite(seconds) else 0:.6f}s",
        "toolCallLatencies": tools,
        "spanLatencies": [{"type": "TOOL", **item} for item in tools],
    }
