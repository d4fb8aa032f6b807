"""References say the page where the words are, and give data in whatever form they came."""

from __future__ import annotations

import itertools
import json

import pytest

from tests.apis.discoveryengine.answer_backend import ask
from tests.ingestion.files import pdf, text_at

pytestmark = pytest.mark.client

PAGES = [
    "The Orr Bridge was opened in 1871 by Ada Holm.",
    "The bridge is 90 metres long and has three arches.",
    "Its paint is renewed every twelve years by the city.",
]

_NUMBERS = itertools.count()
"""A process may come back to this file, and then fills the same library again."""


@pytest.fixture(scope="module")
def bridges(library):
    """A data store with a PDF of three pages that is one chunk."""
    name = f"bridges{next(_NUMBERS)}"
    store = library.clients.make_data_store(name, content_config="CONTENT_REQUIRED").name
    content = {
        "mime_type": "application/pdf",
        "raw_bytes": pdf([text_at(60, 700, line) for line in PAGES]),
    }
    library.add(store, [{"id": "orr", "content": content}])
    return store


@pytest.fixture(scope="module")
def goods(library):
    """A data store of data that came as JSON text."""
    name = f"goods{next(_NUMBERS)}"
    store = library.clients.make_data_store(name, content_config="NO_CONTENT").name
    body = {"title": "Cast pan", "body": "The cast pan weighs three kilograms.", "price": 49}
    library.add(store, [{"id": "pan", "json_data": json.dumps(body)}])
    return store


QUESTIONS = [
    ("When was the Orr Bridge opened?", "1871", "1"),
    ("How long is the bridge?", "90 metres", "2"),
    ("How often is the paint renewed?", "twelve years", "3"),
]


@pytest.mark.parametrize(("question", "words", "page"), QUESTIONS)
def test_the_page_where_the_words_are(reader, bridges, question, words, page):
    cited = {"answer_generation_spec": {"include_citations": True}}
    answer, _ = ask(reader, bridges, question, **cited)
    assert words in answer["answerText"]
    (content,) = answer["references"][0]["unstructuredDocumentInfo"]["chunkContents"]
    assert all(line in content["content"] for line in PAGES)  # it is one chunk
    assert content["pageIdentifier"] == page
    chunks = {"search_spec": {"search_params": {"search_result_mode": "CHUNKS"}}}
    answer, _ = ask(reader, bridges, question, **cited, **chunks)
    metadata = answer["references"][0]["chunkInfo"]["documentMetadata"]
    assert metadata["pageIdentifier"] == page


def test_the_page_of_an_extractive_answer(reader, bridges):
    request = {
        "serving_config": f"{bridges}/servingConfigs/default_search",
        "query": "How often is the paint renewed?",
        "content_search_spec": {"extractive_content_spec": {"max_extractive_answer_count": 1}},
    }
    (result,) = reader.search.search(request)
    (found,) = result.document.derived_struct_data["extractive_answers"]
    assert "twelve years" in found["content"]
    assert found["pageNumber"] == "3"


def test_data_that_came_as_json_text(readers, goods):
    answer, _ = ask(readers, goods, "How much does the cast pan weigh?")
    assert "three kilograms" in answer["answerText"]
    assert answer["references"][0]["structuredDocumentInfo"]["structData"]["price"] == 49
    step = next(step for step in answer["steps"] if step["description"] == "Search for passages.")
    (found,) = step["actions"][0]["observation"]["searchResults"]
    assert found["structData"]["title"] == "Cast pan"
