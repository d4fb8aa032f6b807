"""`toulmin.integrations.haystack` in pipelines of Haystack's own, against a running server."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "src"))

import samples
from checks import expect, expect_equal, run_checks
from haystack import Document, Pipeline
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

from toulmin.errors import InvalidArgument, NotFound, Unavailable
from toulmin.integrations.haystack import (
    GroundednessEvaluator,
    GroundingCheck,
    ToulminRetriever,
)

SERVER = f"http://{os.environ['CLIENT_HTTP']}"
STORE = "haystack-native"
QUERY = "When did the Elbe Bridge open?"
TRUE, FALSE = "The Elbe Bridge opened in 1998.", "It is 450 metres long."
FACTS = [Document(content=samples.TEXT)]


def documents_are_retrieved() -> None:
    found = ToulminRetriever(SERVER, STORE, top_k=3).run(query=QUERY)["documents"]
    expect("1998" in found[0].content, found)
    expect_equal(found[0].meta["title"], "The Elbe Bridge", "title")
    expect(f"/dataStores/{STORE}/" in found[0].id, found[0].id)
    expect(0 < found[0].score <= 1, found[0].score)


def a_missing_store_is_said() -> None:
    try:
        ToulminRetriever(SERVER, "nowhere").run(query=QUERY)
    except NotFound as error:
        expect("nowhere" in error.message, error.message)
    else:
        raise AssertionError("a store that is not there was searched")


def replies_are_parted() -> None:
    replies = [TRUE, f"{TRUE} {FALSE}"]
    for given in (replies, [ChatMessage.from_assistant(reply) for reply in replies]):
        said = GroundingCheck(SERVER).run(replies=given, documents=FACTS)
        expect_equal(said["grounded"], [TRUE], "grounded")
        expect_equal(said["ungrounded"], [f"{TRUE} {FALSE}"], "ungrounded")
        expect(FALSE in said["faults"][0] and TRUE not in said["faults"][0], said["faults"])


def no_document_is_refused() -> None:
    try:
        GroundingCheck(SERVER).run(replies=[TRUE], documents=[])
    except InvalidArgument as error:
        expect("facts" in error.message, error.message)
    else:
        raise AssertionError("there was nothing to check by, and it was grounded")


def a_server_that_is_not_there_is_said() -> None:
    try:
        GroundingCheck("http://127.0.0.1:9").run(replies=[TRUE], documents=FACTS)
    except Unavailable as error:
        expect("127.0.0.1:9" in error.message, error.message)
    else:
        raise AssertionError("nobody checked, and the text went through")


def answers_are_evaluated() -> None:
    evaluated = GroundednessEvaluator(SERVER).run(
        questions=[QUERY, QUERY],
        contexts=[[samples.TEXT], [samples.TEXT]],
        predicted_answers=[TRUE, f"{TRUE} {FALSE}"],
    )
    good, bad = evaluated["individual_scores"]
    expect(good > 0.6 > bad, evaluated)
    expect_equal(evaluated["score"], (good + bad) / 2, "mean")
    expect_equal(evaluated["results"][1]["statements"], [TRUE, FALSE], "statements")
    low = evaluated["results"][1]["statement_scores"]
    expect(low[0] > 0.6 > low[1], low)
    try:
        GroundednessEvaluator(SERVER).run(questions=[], contexts=[], predicted_answers=[])
    except ValueError as error:
        expect("at least one" in str(error), error)
    else:
        raise AssertionError("a mean of nothing")


def a_pipeline_runs_and_is_kept() -> None:
    """Retrieve and check in a pipeline, also in one that was written to YAML and read again."""
    os.environ["TOULMIN_TEST_KEY"] = "any-key-at-all"
    key = Secret.from_env_var("TOULMIN_TEST_KEY")
    pipeline = Pipeline()
    pipeline.add_component("retriever", ToulminRetriever(SERVER, STORE, top_k=3, api_key=key))
    pipeline.add_component("check", GroundingCheck(SERVER, min_support=0.5))
    pipeline.connect("retriever.documents", "check.documents")
    written = pipeline.dumps()
    expect("any-key-at-all" not in written, "the key stands in the pipeline's file")
    read = Pipeline.loads(written, allowed_modules=["toulmin.integrations.haystack"])
    expect_equal(read.get_component("check").min_support, 0.5, "min_support")
    for one in (pipeline, read):
        said = one.run({"retriever": {"query": QUERY}, "check": {"replies": [TRUE, FALSE]}})
        expect_equal(said["check"]["grounded"], [TRUE], "grounded")
        expect_equal(said["check"]["ungrounded"], [FALSE], "ungrounded")


def the_pages_example_runs() -> None:
    said = samples.run_example("haystack", SERVER, STORE)
    expect_equal(said, "['It is 330 metres tall.'] ['It is 450 metres tall.']\n", "printed")


def main() -> None:
    """Run all checks."""
    samples.fill(SERVER, STORE)
    run_checks(
        "native",
        {
            "retriever": documents_are_retrieved,
            "retriever: missing store": a_missing_store_is_said,
            "check: replies": replies_are_parted,
            "check: nothing to check by": no_document_is_refused,
            "check: no server": a_server_that_is_not_there_is_said,
            "evaluator": answers_are_evaluated,
            "pipeline, written and read": a_pipeline_runs_and_is_kept,
            "example": the_pages_example_runs,
        },
    )


if __name__ == "__main__":
    main()
