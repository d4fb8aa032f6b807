"""LlamaIndex's GoogleTextSynthesizer, alone and as the query engine of GoogleIndex."""

from __future__ import annotations

from checks import expect, expect_equal
from llama_index.core import Document
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.indices.managed.google import GoogleIndex
from llama_index.response_synthesizers.google import GoogleTextSynthesizer

PASSAGES = [
    "The kettle boils one litre of water in three minutes.",
    "The lamp uses a battery that lasts for forty hours.",
    "The tent sleeps four people and weighs nine kilograms.",
]
HOW_LONG = "How long does the battery of the lamp last?"
EXTRACTIVE = 2


def synthesizer() -> None:
    """Answer, attributed passages and probability; first as texts, then as nodes."""
    made = GoogleTextSynthesizer.from_defaults(temperature=0.2)
    found = made.get_response(HOW_LONG, PASSAGES)
    expect("forty hours" in found.answer, found)
    expect_equal(found.attributed_passages, [PASSAGES[1]], "attributed passages")
    expect(0.5 < found.answerable_probability <= 1, found)
    nodes = [NodeWithScore(node=TextNode(text=text), score=0.5) for text in PASSAGES]
    response = made.synthesize(HOW_LONG, nodes)
    expect("forty hours" in response.response, response)
    expect_equal(response.source_nodes[0].text, PASSAGES[1], "first source")
    expect_equal(len(response.source_nodes), 4, "sources")
    brief = GoogleTextSynthesizer.from_defaults(answer_style=EXTRACTIVE)
    said = brief.get_response(HOW_LONG, PASSAGES).answer
    expect(said in PASSAGES[1] and len(said) < len(found.answer), said)


def query_engine() -> None:
    """An index as a query engine: retrieval, answer and attribution in one call."""
    index = GoogleIndex.create_corpus(corpus_id="li-answers")
    index.insert_documents(
        [Document(text=text, id_=f"answers-{number}") for number, text in enumerate(PASSAGES)]
    )
    response = index.as_query_engine(temperature=0.3).query(HOW_LONG)
    expect("forty hours" in response.response, response)
    expect("forty hours" in response.source_nodes[0].text, response.source_nodes)
    expect(response.metadata["answerable_probability"] > 0.5, response.metadata)


CHECKS = {"synthesizer": synthesizer, "query engine": query_engine}
