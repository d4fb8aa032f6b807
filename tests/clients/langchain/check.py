"""LangChain's VertexAICheckGroundingWrapper, unmodified: only the three exported variables."""

from __future__ import annotations

from functools import partial

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
from langchain_core.documents import Document
from langchain_google_community import VertexAICheckGroundingWrapper

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


if __name__ == "__main__":
    main()
