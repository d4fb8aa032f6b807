"""`toulmin.integrations.ragas` in Ragas' own runner, against a running server."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "src"))

import samples
from checks import expect, expect_equal, run_checks
from ragas import EvaluationDataset, SingleTurnSample, evaluate

from toulmin.errors import InvalidArgument, Unavailable
from toulmin.integrations.ragas import Groundedness

SERVER = f"http://{os.environ['CLIENT_HTTP']}"
TRUE, FALSE = "The Elbe Bridge opened in 1998.", "It is 450 metres long."


def sample(said: str, contexts: list[str] | None = None) -> SingleTurnSample:
    """Return a sample as people write them."""
    return SingleTurnSample(
        user_input="Tell me about the bridge.",
        response=said,
        retrieved_contexts=[samples.TEXT] if contexts is None else contexts,
    )


def score(said: str, **options: str) -> float:
    metric = Groundedness(server=options.get("server", SERVER))
    return asyncio.run(metric.single_turn_ascore(sample(said)))


def the_weakest_sentence_counts() -> None:
    expect(score(TRUE) > 0.6, "what is grounded")
    weak = score(FALSE)
    expect(weak < 0.6, weak)
    expect(score(f"{TRUE} {FALSE}") < 0.6, "one weak sentence among others")


def nothing_to_check_by_is_an_error() -> None:
    try:
        asyncio.run(Groundedness(server=SERVER).single_turn_ascore(sample(TRUE, [])))
    except (InvalidArgument, ValueError) as error:
        expect("fact" in str(error) or "retrieved_contexts" in str(error), error)
    else:
        raise AssertionError("there was nothing to check by, and it has a score")


def a_server_that_is_not_there_is_said() -> None:
    try:
        score(TRUE, server="http://127.0.0.1:9")
    except Unavailable as error:
        expect("127.0.0.1:9" in error.message, error.message)
    else:
        raise AssertionError("nobody checked, and there is a score")


def the_runner_takes_it() -> None:
    dataset = EvaluationDataset(samples=[sample(TRUE), sample(FALSE)])
    found = evaluate(dataset, [Groundedness(server=SERVER)], show_progress=False)
    first, second = found["groundedness"]
    expect(first > 0.6 > second, found["groundedness"])
    expect_equal(len(found.scores), 2, "rows")


def the_pages_example_runs() -> None:
    said = samples.run_example("ragas", SERVER, "sample")
    expect("groundedness" in said, said)


if __name__ == "__main__":
    run_checks(
        "native",
        {
            "metric: score": the_weakest_sentence_counts,
            "metric: nothing to check by": nothing_to_check_by_is_an_error,
            "metric: no server": a_server_that_is_not_there_is_said,
            "metric: evaluate()": the_runner_takes_it,
            "example": the_pages_example_runs,
        },
    )
