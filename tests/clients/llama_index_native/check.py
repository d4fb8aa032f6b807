"""`toulmin.integrations.llama_index` in LlamaIndex's own engines, against a running server."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "src"))

import samples
from checks import expect, expect_equal, run_checks
from llama_index.core.evaluation import BatchEvalRunner
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer

from toulmin.errors import NotFound, Unavailable
from toulmin.integrations.llama_index import GroundingEvaluator, ToulminRetriever

SERVER = f"http://{os.environ['CLIENT_HTTP']}"
STORE = "llama-index-native"
RETRIEVER = ToulminRetriever(SERVER, STORE, k=3)
EVALUATOR = GroundingEvaluator(SERVER)
QUERY = "When did the Elbe Bridge open?"
TRUE, FALSE = "The Elbe Bridge opened in 1998.", "It is 450 metres long."


def nodes_are_retrieved() -> None:
    found = RETRIEVER.retrieve(QUERY)
    expect("1998" in found[0].text, found)
    expect_equal(found[0].metadata["title"], "The Elbe Bridge", "title")
    expect(f"/dataStores/{STORE}/" in found[0].node.node_id, found[0].node.node_id)
    shown = found[0].node.get_content("llm")
    expect("The Elbe Bridge" in shown and "/dataStores/" not in shown, shown)
    again = asyncio.run(RETRIEVER.aretrieve(QUERY))
    expect_equal([n.node.node_id for n in again], [n.node.node_id for n in found], "async")


def a_missing_store_is_said() -> None:
    try:
        ToulminRetriever(SERVER, "nowhere").retrieve(QUERY)
    except NotFound as error:
        expect("nowhere" in error.message, error.message)
    else:
        raise AssertionError("a store that is not there was searched")


def what_is_grounded_passes() -> None:
    result = EVALUATOR.evaluate(QUERY, TRUE, [samples.TEXT])
    expect(result.passing and result.score > 0.6, result)
    expect_equal(result.query, QUERY, "query")


def what_is_not_does_not() -> None:
    result = EVALUATOR.evaluate(QUERY, f"{TRUE} {FALSE}", [samples.TEXT])
    expect(result.passing is False, result)
    expect(FALSE in result.feedback and TRUE not in result.feedback, result.feedback)


def no_context_is_refused() -> None:
    for response, contexts in ((TRUE, []), (TRUE, None), (None, [samples.TEXT])):
        try:
            EVALUATOR.evaluate(QUERY, response, contexts)
        except ValueError as error:
            expect("contexts" in str(error), error)
        else:
            raise AssertionError("there was nothing to check, and it passed")


def a_server_that_is_not_there_is_said() -> None:
    try:
        GroundingEvaluator("http://127.0.0.1:9").evaluate(QUERY, TRUE, [samples.TEXT])
    except Unavailable as error:
        expect("127.0.0.1:9" in error.message, error.message)
    else:
        raise AssertionError("nobody checked, and the text passed")


def a_query_engines_response_is_evaluated() -> None:
    """Retrieve, synthesise, and evaluate what came out; then in a batch as the runner does it."""
    engine = RetrieverQueryEngine(
        retriever=RETRIEVER,
        response_synthesizer=get_response_synthesizer(llm=MockLLM(max_tokens=8)),
    )
    response = engine.query(QUERY)
    expect(response.source_nodes, "no source")
    response.response = FALSE
    expect(EVALUATOR.evaluate_response(response=response).passing is False, "false, and passed")
    runner = BatchEvalRunner({"grounded": EVALUATOR}, workers=2)
    results = asyncio.run(
        runner.aevaluate_response_strs(
            queries=[QUERY] * 2,
            response_strs=[TRUE, FALSE],
            contexts_list=[[samples.TEXT]] * 2,
        )
    )
    expect_equal([r.passing for r in results["grounded"]], [True, False], "batch")


def the_pages_example_runs() -> None:
    said = samples.run_example("llama-index", SERVER, STORE)
    expect(said.startswith("False not grounded: ") and "450" in said, said)


def main() -> None:
    """Run all checks."""
    samples.fill(SERVER, STORE)
    run_checks(
        "native",
        {
            "retriever": nodes_are_retrieved,
            "retriever: missing store": a_missing_store_is_said,
            "evaluator: grounded": what_is_grounded_passes,
            "evaluator: not grounded": what_is_not_does_not,
            "evaluator: nothing to check by": no_context_is_refused,
            "evaluator: no server": a_server_that_is_not_there_is_said,
            "evaluator: query engine, batch": a_query_engines_response_is_evaluated,
            "example": the_pages_example_runs,
        },
    )


if __name__ == "__main__":
    main()
