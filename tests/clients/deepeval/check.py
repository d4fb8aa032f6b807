"""`toulmin.integrations.deepeval` in DeepEval's own runner, against a running server."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "src"))

import samples
from checks import expect, expect_equal, run_checks
from deepeval import assert_test, evaluate
from deepeval.errors import MissingTestCaseParamsError
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.test_case import LLMTestCase

from toulmin.errors import Unavailable
from toulmin.integrations.deepeval import GroundednessMetric

SERVER = f"http://{os.environ['CLIENT_HTTP']}"
TRUE, FALSE = "The Elbe Bridge opened in 1998.", "It is 450 metres long."


def case(said: str, context: list[str] | None = None) -> LLMTestCase:
    """Return a test case as people write them."""
    return LLMTestCase(
        input="Tell me about the bridge.",
        actual_output=said,
        retrieval_context=[samples.TEXT] if context is None else context,
    )


def what_is_grounded_succeeds() -> None:
    metric = GroundednessMetric(SERVER)
    score = metric.measure(case(TRUE))
    expect(score > 0.6 and metric.success and metric.is_successful(), score)
    expect_equal(metric.score_breakdown.keys(), {TRUE}, "sentences")


def what_is_not_fails() -> None:
    metric = GroundednessMetric(SERVER)
    score = asyncio.run(metric.a_measure(case(f"{TRUE} {FALSE}")))
    expect(score < 0.6 and metric.success is False, score)
    expect_equal(score, metric.score_breakdown[FALSE], "the weakest sentence")
    expect(FALSE in metric.reason and TRUE not in metric.reason, metric.reason)


def a_missing_context_is_refused() -> None:
    try:
        GroundednessMetric(SERVER).measure(LLMTestCase(input="x", actual_output=TRUE))
    except MissingTestCaseParamsError as error:
        expect("retrieval_context" in str(error), error)
    else:
        raise AssertionError("there was nothing to check by, and it was measured")


def a_server_that_is_not_there_is_said() -> None:
    try:
        GroundednessMetric("http://127.0.0.1:9").measure(case(TRUE))
    except Unavailable as error:
        expect("127.0.0.1:9" in error.message, error.message)
    else:
        raise AssertionError("nobody checked, and there is a score")


def the_runner_takes_it() -> None:
    for is_async in (True, False):
        results = evaluate(
            [case(TRUE), case(FALSE)],
            [GroundednessMetric(SERVER)],
            async_config=AsyncConfig(run_async=is_async),
            display_config=DisplayConfig(show_indicator=False, print_results=False),
            cache_config=CacheConfig(write_cache=False),
        ).test_results
        passed = {result.actual_output: result.success for result in results}
        expect_equal(passed, {TRUE: True, FALSE: False}, f"async {is_async}")


def a_test_fails_with_it() -> None:
    assert_test(case(TRUE), [GroundednessMetric(SERVER)])
    try:
        assert_test(case(FALSE), [GroundednessMetric(SERVER)])
    except AssertionError as error:
        expect("Groundedness" in str(error) and FALSE in str(error), error)
    else:
        raise RuntimeError("a false sentence passed")


def the_pages_example_runs() -> None:
    said = samples.run_example("deepeval", SERVER, "")
    expect("not grounded" in said and "450" in said, said)


def main() -> None:
    """Run all checks, where DeepEval may leave its files."""
    os.chdir(tempfile.mkdtemp())
    checks = {
        "metric: grounded": what_is_grounded_succeeds,
        "metric: not grounded": what_is_not_fails,
        "metric: nothing to check by": a_missing_context_is_refused,
        "metric: no server": a_server_that_is_not_there_is_said,
        "metric: evaluate()": the_runner_takes_it,
        "metric: assert_test()": a_test_fails_with_it,
        "example": the_pages_example_runs,
    }
    run_checks("native", checks)


if __name__ == "__main__":
    main()
