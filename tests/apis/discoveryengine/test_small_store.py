"""A data store of three documents: the right one is plainly relevant, and nothing off topic is."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.client

TEXTS = {
    "leave": "Employees get 28 days of paid leave a year. Unused days expire on 31 March.",
    "travel": "Trips are booked with the travel desk. Hotels cost at most 140 euros a night.",
    "remote": "Working from home is possible on three days a week. The office pays for internet.",
}
ASKED = [
    ("How many vacation days do I get?", "leave"),
    ("Can I work remotely?", "remote"),
    ("hotel price limit", "travel"),
    ("paid leave", "leave"),
    ("What is the capital of France?", ""),
    ("How do I reset my password?", ""),
]


@pytest.fixture(scope="module")
def handbook(library):
    store = library.clients.make_data_store("handbook", content_config="CONTENT_REQUIRED").name
    content = {
        id_: {"mime_type": "text/plain", "raw_bytes": text.encode()} for id_, text in TEXTS.items()
    }
    library.add(store, [{"id": id_, "content": given} for id_, given in content.items()])
    return store


@pytest.mark.parametrize(("question", "right"), ASKED)
def test_relevance(reader, handbook, question, right):
    request = {
        "serving_config": f"{handbook}/servingConfigs/default_search",
        "query": question,
        "relevance_score_spec": {"return_relevance_score": True},
    }
    scores = {
        result.id: result.model_scores["relevance_score"].values[0]
        for result in reader.search.search(request)
    }
    if right:
        assert scores.pop(right) > 0.25
        request["relevance_threshold"] = "LOW"
        assert [result.id for result in reader.search.search(request)] == [right]
    assert max(scores.values(), default=0.0) < 0.1
