"""LangChain's GenAIAqa, alone and behind GoogleVectorStore."""

from __future__ import annotations

from checks import expect, expect_equal
from google.ai.generativelanguage import GenerateAnswerRequest, HarmCategory, SafetySetting
from langchain_google_genai import AqaInput, AqaOutput, GenAIAqa, GoogleVectorStore

PASSAGES = [
    "The kettle boils one litre of water in three minutes.",
    "The lamp uses a battery that lasts for forty hours.",
    "The tent sleeps four people and weighs nine kilograms.",
]
HOW_LONG = "How long does the battery of the lamp last?"


def invoke(prompt: str, **options: object) -> AqaOutput:
    """Return what the runnable answers from the passages."""
    return GenAIAqa(**options).invoke(AqaInput(prompt=prompt, source_passages=PASSAGES))


def passages() -> None:
    """Answer, the passage that it is from, and a probability."""
    found = invoke(HOW_LONG)
    expect("forty hours" in found.answer, found)
    expect_equal(found.attributed_passages, [PASSAGES[1]], "attributed passages")
    expect(0.5 < found.answerable_probability <= 1, found)
    other = invoke("Who wrote Don Quixote?")
    expect(other.answerable_probability < 0.5, other)


def options() -> None:
    """Style, temperature and safety settings reach the server."""
    style = GenerateAnswerRequest.AnswerStyle.EXTRACTIVE
    setting = SafetySetting(category=HarmCategory.HARM_CATEGORY_HARASSMENT, threshold=4)
    brief = invoke(HOW_LONG, answer_style=style, temperature=0.1, safety_settings=[setting])
    expect(brief.answer in PASSAGES[1], brief)
    expect(len(brief.answer) < len(invoke(HOW_LONG).answer), brief)


def behind_a_store() -> None:
    """A corpus as a chain: a question in, an answer with its passages out."""
    GoogleVectorStore.create_corpus(corpus_id="aqa")
    store = GoogleVectorStore.create_document(corpus_id="aqa", document_id="goods")
    store.add_texts(PASSAGES)
    found = GoogleVectorStore(corpus_id="aqa").as_aqa().invoke(HOW_LONG)
    expect("forty hours" in found.answer, found)
    expect_equal(found.attributed_passages, [PASSAGES[1]], "attributed passages")
    store.delete(["corpora/aqa"])


CHECKS = {
    "aqa: passages": passages,
    "aqa: options": options,
    "aqa: behind a store": behind_a_store,
}
