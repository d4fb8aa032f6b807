"""`toulmin.integrations.langchain` in chains of LangChain's own, against a running server."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "src"))

import samples
from checks import expect, expect_equal, run_checks
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from toulmin.errors import NotFound, Unavailable
from toulmin.integrations.langchain import (
    GroundingCheck,
    NotGrounded,
    ToulminRetriever,
)

SERVER = f"http://{os.environ['CLIENT_HTTP']}"
STORE = "langchain-native"
RETRIEVER = ToulminRetriever(server=SERVER, store=STORE, k=3)
CHECK = GroundingCheck(server=SERVER)
QUERY = "When did the Elbe Bridge open?"
TRUE, FALSE = "The Elbe Bridge opened in 1998.", "It is 450 metres long."


def documents_are_retrieved() -> None:
    found = RETRIEVER.invoke(QUERY)
    expect("1998" in found[0].page_content, found)
    expect_equal(found[0].metadata["title"], "The Elbe Bridge", "title")
    expect(f"/dataStores/{STORE}/" in found[0].metadata["name"], found[0].metadata)
    scores = [document.metadata["score"] for document in found]
    expect(scores == sorted(scores, reverse=True), scores)
    expect(len(RETRIEVER.model_copy(update={"k": 1}).invoke("bridge")) == 1, "k")


def a_key_is_not_shown() -> None:
    expect("hidden" not in repr(ToulminRetriever(api_key="hidden-key")), "repr shows the key")


def a_missing_store_is_said() -> None:
    try:
        ToulminRetriever(server=SERVER, store="nowhere").invoke(QUERY)
    except NotFound as error:
        expect("nowhere" in error.message, error.message)
    else:
        raise AssertionError("a store that is not there was searched")


def a_server_that_is_not_there_is_said() -> None:
    try:
        GroundingCheck(server="http://127.0.0.1:9").invoke({"text": TRUE, "documents": ["x"]})
    except Unavailable as error:
        expect("127.0.0.1:9" in error.message, error.message)
    else:
        raise AssertionError("nobody checked, and the text went through")


def what_is_grounded_goes_through() -> None:
    expect_equal(CHECK.invoke({"text": TRUE, "documents": [samples.TEXT]}), TRUE, "text")


def what_is_not_is_held_back() -> None:
    try:
        CHECK.invoke({"text": f"{TRUE} {FALSE}", "documents": RETRIEVER.invoke(QUERY)})
    except NotGrounded as error:
        expect_equal([sentence.text for sentence in error.weak], [FALSE], "weak sentences")
        expect(error.weak[0].against, "no fact speaks against it")
        expect_equal(error.llm_output, f"{TRUE} {FALSE}", "text")
        expect(FALSE in str(error), error)
    else:
        raise AssertionError("a false sentence went through")


def a_chain_falls_back() -> None:
    """Retrieve, say something wrong, check it, and say something else instead."""
    model = RunnableLambda(lambda _given: AIMessage(FALSE))
    chain = {"documents": RETRIEVER, "text": RunnablePassthrough() | model} | CHECK
    safe = chain.with_fallbacks(
        [RunnableLambda(lambda _given: "I do not know.")], exceptions_to_handle=(NotGrounded,)
    )
    expect_equal(safe.invoke(QUERY), "I do not know.", "said")
    expect_equal(safe.batch([QUERY, QUERY]), ["I do not know."] * 2, "said in a batch")


def the_pages_example_runs() -> None:
    said = samples.run_example("langchain", SERVER, STORE)
    expect_equal(said, "It is 330 metres tall.\nI do not know.\n", "printed")


def main() -> None:
    """Run all checks."""
    samples.fill(SERVER, STORE)
    run_checks(
        "native",
        {
            "retriever": documents_are_retrieved,
            "retriever: key": a_key_is_not_shown,
            "retriever: missing store": a_missing_store_is_said,
            "check: grounded": what_is_grounded_goes_through,
            "check: not grounded": what_is_not_is_held_back,
            "check: no server": a_server_that_is_not_there_is_said,
            "check: chain": a_chain_falls_back,
            "example": the_pages_example_runs,
        },
    )


if __name__ == "__main__":
    main()
