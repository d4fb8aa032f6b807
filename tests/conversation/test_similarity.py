"""Texts compared by meaning and numbers."""

from __future__ import annotations

import numpy as np
import pytest

from toulmin.conversation.argument_matching import differences, matcher_problem
from toulmin.conversation.golden_outcomes import Seen, Thresholds, turn_result
from toulmin.conversation.similarity import Similarity


def similarity(cosine):
    """Return what takes any two texts for that near."""
    near = np.array([[1.0, 0.0], [cosine, (1 - cosine**2) ** 0.5]], dtype=np.float32)
    return Similarity(lambda texts: near)


@pytest.mark.parametrize(
    ("wanted", "found", "cosine", "score"),
    [
        ("Hello  there", "hello there", 0.0, 4),
        ("a", "b", 0.81, 4),
        ("a", "b", 0.6, 3),
        ("a", "b", 0.4, 2),
        ("a", "b", 0.3, 1),
        ("a", "b", 0.1, 0),
        ("a", "", 0.9, 0),
        ("It is $1,142.50.", "You owe 1142.50", 0.9, 4),
        ("It is $142.50.", "You owe 142.5", 0.9, 2),
        ("It is 3 weeks.", "It is 4 weeks.", 0.99, 2),
        ("It is weeks.", "It is 4 weeks.", 0.6, 3),
    ],
)
def test_the_scale(wanted, found, cosine, score):
    assert similarity(cosine).of(wanted, found).score == score


def test_arguments_and_matchers():
    near, far = similarity(0.9), similarity(0.1)
    assert differences({"a": 1, "b": "x"}, {"a": 1.0, "b": "x", "c": 2}, far) == {}
    assert set(differences({"a": 1, "b": "x"}, {"a": 2}, far)) == {"a", "b"}
    assert differences({"a": "red"}, {"a": "crimson"}, near, by_meaning=True) == {}
    assert "a" in differences({"a": "red"}, {"a": "crimson"}, near)

    def matcher(kind, value):
        return {"a": {"$matchType": kind, "$matchValue": value}}

    assert differences(matcher("semantic", "red"), {"a": "crimson"}, near) == {}
    assert differences(matcher("semantic", "red"), {"a": "crimson"}, far)
    assert differences(matcher("contains", "red"), {}, far)
    assert differences(matcher("contains", "2"), {"a": [1, 2]}, far) == {}
    assert differences(matcher("regexp", "(a+)+$"), {"a": "a" * 60 + "b"}, far)
    assert "must be one of" in matcher_problem(matcher("fuzzy", ""))
    assert "1,000 are allowed" in matcher_problem(matcher("regexp", "a" * 1_001))
    assert "no regular expression" in matcher_problem(matcher("regexp", "["))
    assert matcher_problem({"b": {"x": 1}, **matcher("regexp", "x")}) == ""


def call(tool, **args):
    return {"role": "Agent", "chunks": [{"toolCall": {"tool": f"a/tools/{tool}", "args": args}}]}


def expected(tool, **args):
    return {"expectation": {"toolCall": {"tool": f"a/tools/{tool}", "args": args}}}


def test_calls_go_to_the_nearest_expectation_and_their_order_is_counted():
    seen = Seen(messages=[call("b"), call("a", x=2), call("a", x=1)])
    turn = {"steps": [expected("a", x=1), expected("b"), expected("a", x=2)]}
    result, passed = turn_result(turn, seen, Thresholds(), similarity(0.0))
    assert passed
    assert [item["outcome"] for item in result["expectationOutcome"]] == ["PASS"] * 3
    assert result["toolInvocationScore"] == 1.0
    assert result["toolOrderedInvocationScore"] == pytest.approx(2 / 3)


def test_texts_go_to_expectations_in_order_and_the_last_takes_the_rest():
    def text(words):
        return {"expectation": {"agentResponse": {"chunks": [{"text": words}]}}}

    said = [{"role": "Agent", "chunks": [{"text": words}]} for words in ("one", "two", "three")]
    turn = {"steps": [text("one"), text("two three")]}
    result, passed = turn_result(turn, Seen(messages=said), Thresholds(), similarity(0.0))
    assert passed
    assert result["semanticSimilarityResult"]["score"] == 4
    assert not turn_result(turn, Seen(), Thresholds(), similarity(0.0))[1]


def test_thresholds_are_laid_over_each_other():
    settings = {
        "goldenEvaluationMetricsThresholds": {
            "turnLevelMetricsThresholds": {
                "semanticSimilaritySuccessThreshold": 1,
                "overallToolInvocationCorrectnessThreshold": 0.5,
            },
            "toolMatchingSettings": {"extraToolCallBehavior": "ALLOW"},
        },
        "goldenHallucinationMetricBehavior": "ENABLED",
    }
    found = Thresholds().with_settings(settings)
    assert (found.similarity, found.tools, found.parameters) == (1, 0.5, 1.0)
    assert (found.extra_calls_fail, found.hallucination_fails) == (False, True)
    again = found.with_settings({"goldenHallucinationMetricBehavior": "DISABLED"})
    assert (again.extra_calls_fail, again.hallucination_fails) == (False, False)
    span = {"attributes": {"hallucination": {"score": 0, "label": "l", "explanation": "e"}}}
    turn = {"steps": []}
    assert not turn_result(turn, Seen(span=span), found, similarity(0.0))[1]
    assert turn_result(turn, Seen(span=span), again, similarity(0.0))[1]
