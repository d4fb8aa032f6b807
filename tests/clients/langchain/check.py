"""LangChain's grounding wrapper, retrievers, ranker and summaries: only the exported variables.

Google's client, by environment as well, puts the documents there that the retriever finds.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import documents
from checks import (
    EXAMPLES,
    GUIDE,
    Reply,
    ReplyClaim,
    expect,
    expect_equal,
    expect_example,
    expect_words,
    run_checks,
)
from google.api_core import exceptions
from google.cloud import discoveryengine_v1
from langchain_core.documents import Document
from langchain_google_community import (
    VertexAICheckGroundingWrapper,
    VertexAIMultiTurnSearchRetriever,
    VertexAIRank,
    VertexAISearchRetriever,
    VertexAISearchSummaryTool,
)

DOCUMENTS = [
    Document(page_content=fact["text"], metadata=fact["attributes"]) for fact in GUIDE["facts"]
]


def check(
    answer: str, documents: list[Document]
) -> VertexAICheckGroundingWrapper.CheckGroundingResponse:
    """Return what the wrapper returns."""
    wrapper = VertexAICheckGroundingWrapper(project_id="demo")
    return wrapper.invoke(answer, config={"configurable": {"documents": documents}})


def example(example_id: str) -> None:
    """Check one example of the guide."""
    response = check(EXAMPLES[example_id]["answer"], DOCUMENTS)
    sources = [DOCUMENTS.index(chunk["source"]) for chunk in response.cited_chunks]
    claims = [
        ReplyClaim(
            claim["claim_text"], claim["start_pos"], claim["end_pos"], claim["citation_indices"]
        )
        for claim in response.claims
    ]
    chunks = [chunk["chunk_text"] for chunk in response.cited_chunks]
    expect_example(example_id, Reply(response.support_score, claims, sources, chunks))


def inline_citations() -> None:
    """The text with citations is the answer with a number behind what is supported."""
    response = check(EXAMPLES["A4"]["answer"], DOCUMENTS)
    wanted = "Titanic was directed by James Cameron.[0] It starred Brad Pitt and Kate Winslet"
    expect_equal(response.answer_with_citations, wanted, "answer with citations")


def too_many_documents() -> None:
    """The server's refusal reaches the user of the wrapper."""
    documents = [Document(page_content=f"Room {number}.") for number in range(201)]
    try:
        check("Room 7.", documents)
    except RuntimeError as error:
        expect_words(str(error), "400", "facts", "200", "201")
    else:
        raise AssertionError("not refused")


def as_a_runnable() -> None:
    """It works at the end of a chain, too."""
    wrapper = VertexAICheckGroundingWrapper(project_id="demo", citation_threshold=0.9)
    bound = wrapper.with_config(configurable={"documents": DOCUMENTS})
    response = bound.invoke(EXAMPLES["A1"]["answer"])
    expect(response.support_score >= 0.9, f"support {response.support_score}")


TEXTS, ROWS = "langchain-texts", "langchain-rows"


def make_data_stores() -> None:
    """Make a data store of texts and one of data."""

    def make_client(service: str) -> Any:
        return getattr(discoveryengine_v1, f"{service}Client")()

    for id_, rows in ((TEXTS, documents.texts()), (ROWS, documents.rows())):
        documents.make_data_store(discoveryengine_v1, make_client, id_, rows)


def retrieve(query: str, store: str = TEXTS, **options: Any) -> list[Document]:
    """Return what the retriever finds."""
    retriever = VertexAISearchRetriever(project_id="demo", data_store_id=store, **options)
    return retriever.invoke(query)


def segments() -> None:
    """Extractive segments, the retriever's default: content, source with page, neighbours."""
    first, *others = retrieve(
        "When was the lift of Albatross House added?", return_extractive_segment_score=True
    )
    expect("Swedish firm" in first.page_content, first)
    expect_equal(first.metadata["id"], "house", "id")
    expect_equal(first.metadata["kind"], "house", "data")
    expect_equal(first.metadata["source"], "https://example.org/house.pdf#page=1", "source")
    expect(0 < first.metadata["relevance_score"] <= 1, first.metadata)
    expect("next_segments" in first.metadata, first.metadata)
    expect_equal({document.metadata["id"] for document in others}, {"towers"}, "others")


def answers(*, beta: bool) -> None:
    """Extractive answers, in both versions that the retriever knows."""
    first = retrieve(
        "When is the last ascent of the lighthouse?",
        get_extractive_answers=True,
        max_documents=1,
        beta=beta,
    )[0]
    expect("five in the evening" in first.page_content, first)
    expect_equal(first.metadata["source"], "https://example.org/towers", "source")


def websites() -> None:
    """As data of websites, which asks for snippets, too."""
    first = retrieve("granite lighthouse", engine_data_type=2, get_extractive_answers=True)[0]
    expect("granite" in first.page_content, first)
    expect_equal(first.metadata["source"], "https://example.org/towers", "source")


def structured() -> None:
    """Data comes back as JSON."""
    first = retrieve("How long does the ferry take?", ROWS, engine_data_type=1)[0]
    expect_equal(json.loads(first.page_content)["title"], "Ferry", "title")
    expect_equal(first.metadata["id"], "ferry", "id")
    expect(first.metadata["name"].endswith("/documents/ferry"), first.metadata)


def filtered() -> None:
    """Filter, order and number of documents reach the server, and so does what is wrong."""
    found = retrieve("built", filter='kind: ANY("tower")')
    expect_equal({document.metadata["id"] for document in found}, {"towers"}, "filtered")
    found = retrieve("built", order_by="kind desc", max_documents=1)
    expect_equal({document.metadata["id"] for document in found}, {"towers"}, "ordered")
    try:
        retrieve("built", filter="kind ANY")
    except exceptions.InvalidArgument as error:
        expect_words(error.message, "filter", "column")
    else:
        raise AssertionError("a wrong filter was taken")


def meaning() -> None:
    """The retriever's DISABLED query expansion does not turn off the search by meaning."""
    found = retrieve("elevator", max_documents=2)
    expect_equal(found[0].metadata["id"], "house", "first document")


def rank() -> None:
    """The ranker puts the document that answers in front, with a score."""
    given = [
        Document(page_content="The ferry crosses in ten minutes.", metadata={"id": "a"}),
        Document(page_content="The lighthouse was built in 1872.", metadata={"id": "b"}),
        Document(page_content="Granite is a hard stone.", metadata={"id": "c"}),
    ]
    ranker = VertexAIRank(
        project_id="demo", location_id="global", ranking_config="default_ranking_config", top_n=2
    )
    ranked = ranker.compress_documents(given, "When was the lighthouse built?")
    expect_equal(len(ranked), 2, "documents")
    expect_equal(ranked[0].page_content, given[1].page_content, "first document")
    scores = [document.metadata["relevance_score"] for document in ranked]
    expect(1 >= scores[0] > scores[1] > 0, scores)


WHEN = "When was the lighthouse built?"


def summarise(question: str, **options: Any) -> str:
    """Return what the summary tool says to a question."""
    tool = VertexAISearchSummaryTool(
        name="summary",
        description="Sums up what is known of the port.",
        project_id="demo",
        data_store_id=TEXTS,
        **options,
    )
    return tool.run(question)


def summary_tool(*, beta: bool) -> None:
    """A summary with the numbers of its sources, in both versions that the tool knows."""
    summary = summarise(WHEN, beta=beta)
    expect("1872 from granite" in summary, summary)
    expect("[1]" in summary, summary)
    options = {"summary_include_citations": False, "summary_prompt": "Be brief."}
    summary = summarise(WHEN, beta=beta, **options)
    expect("1872 from granite" in summary, summary)
    expect("[1]" not in summary, summary)


def summary_of_answers() -> None:
    """With extractive answers, and of a language and relevance of the caller's choice."""
    summary = summarise(WHEN, get_extractive_answers=True, summary_result_count=1)
    expect("1872" in summary, summary)
    options = {"language_code": "es", "ignore_low_relevant_content": True}
    summary = summarise("Which enzyme copies messenger RNA?", summary_spec_kwargs=options)
    expect(summary.startswith("No se pudo generar un resumen"), summary)


def summary_refused() -> None:
    """A count out of range is refused with its field."""
    try:
        summarise(WHEN, summary_result_count=11)
    except exceptions.InvalidArgument as error:
        expect_words(error.message, "summary_result_count", 11, 10)
    else:
        raise AssertionError("eleven results were summed up")


def multi_turn(*, beta: bool) -> None:
    """Two turns of one conversation, which Google's client has begun."""
    client = discoveryengine_v1.ConversationalSearchServiceClient()
    parent = f"{documents.COLLECTION}/dataStores/{TEXTS}"
    made = client.create_conversation(
        parent=parent, conversation=discoveryengine_v1.Conversation(user_pseudo_id="guide")
    )
    retriever = VertexAIMultiTurnSearchRetriever(
        project_id="demo",
        data_store_id=TEXTS,
        conversation_id=made.name.rpartition("/")[2],
        beta=beta,
    )
    first = retriever.invoke(WHEN)[0]
    expect("1872" in first.page_content, first)
    expect_equal(first.metadata["source"], "https://example.org/towers", "source")
    second = retriever.invoke("How high is it?")[0]
    expect("forty metres" in second.page_content, second)
    kept = client.get_conversation(name=made.name)
    asked = [item.user_input.input for item in kept.messages if "user_input" in item]
    expect_equal(asked, [WHEN, "How high is it?"], "questions")


def multi_turn_alone() -> None:
    """Without an id every question begins a conversation; as websites, too."""
    for kind in (0, 2):
        retriever = VertexAIMultiTurnSearchRetriever(
            project_id="demo", data_store_id=TEXTS, engine_data_type=kind
        )
        found = retriever.invoke("When was the lift of Albatross House added?")
        expect("1934" in found[0].page_content, found[0])
        expect_equal(found[0].metadata["id"], "house", "id")


def main() -> None:
    """Run all checks."""
    run_checks(
        "environment",
        {
            **{
                f"example {name}": partial(example, name)
                for name in ("A1", "A2", "A3", "A4", "A1-ja")
            },
            "inline citations": inline_citations,
            "too many documents": too_many_documents,
            "as a runnable": as_a_runnable,
        },
    )
    run_checks(
        "documents",
        {
            "import documents": make_data_stores,
            "retriever: segments": segments,
            "retriever: answers": partial(answers, beta=False),
            "retriever: answers, v1beta": partial(answers, beta=True),
            "retriever: websites": websites,
            "retriever: structured": structured,
            "retriever: filter and order": filtered,
            "retriever: meaning": meaning,
            "ranker": rank,
        },
    )
    run_checks(
        "answers",
        {
            "summary tool": partial(summary_tool, beta=False),
            "summary tool, v1beta": partial(summary_tool, beta=True),
            "summary tool: answers and options": summary_of_answers,
            "summary tool: refusal": summary_refused,
            "multi-turn retriever": partial(multi_turn, beta=False),
            "multi-turn retriever, v1beta": partial(multi_turn, beta=True),
            "multi-turn retriever: alone": multi_turn_alone,
        },
    )


if __name__ == "__main__":
    main()
