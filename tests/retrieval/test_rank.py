"""Ranking of records: order, ties, limits; then with the embedded models."""

from __future__ import annotations

import numpy as np
import pytest

from toulmin.errors import Cancelled, InvalidArgument
from toulmin.models.embedder import Embedder
from toulmin.models.reader_model import ReaderModel
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.retrieval.rank import MOST_RECORDS, Record, rank_records, rounded
from toulmin.retrieval.rerank import Reranker
from toulmin.work import Work

PLANETS = [
    Record(id="venus", content="Venus is the second planet from the Sun."),
    Record(id="mars", title="Mars", content="It is called the red planet because of iron oxide."),
    Record(id="soup", content="Add salt and pepper to the soup."),
]


class BlueEmbedder:
    """Texts with "blue" lie in one direction, all others in the other; counts what it embeds."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def embed(self, texts, *, work):
        work.check()
        self.seen += texts
        rows = [[1.0, 0.0] if "blue" in text else [0.0, 1.0] for text in texts]
        return np.array(rows, dtype=np.float32)

    def embed_queries(self, texts, *, work):
        return self.embed(texts, work=work)


def test_equal_records_keep_their_order_and_are_embedded_once():
    embedder = BlueEmbedder()
    records = [Record(content=text) for text in ("grey", "blue", "grey", "blue", "grey")]
    ranked = rank_records("blue", records, embedder=embedder)
    assert [index for index, _ in ranked] == [1, 3, 0, 2, 4]
    assert ranked[0][1] == ranked[1][1] > ranked[2][1] == ranked[4][1]
    assert embedder.seen == ["blue", "grey", "blue"]
    assert all(0.0 <= score <= 1.0 for _, score in ranked)


def test_title_and_content_both_count():
    records = [Record(content="grey"), Record(title="blue"), Record(title="x", content="blue")]
    ranked = rank_records("blue", records, embedder=BlueEmbedder())
    assert {index for index, _ in ranked[:2]} == {1, 2}


def test_no_records_no_ranking():
    embedder = BlueEmbedder()
    assert rank_records("blue", [], embedder=embedder) == []
    assert embedder.seen == []


def test_an_empty_query_ranks_all_the_same():
    ranked = rank_records("", PLANETS, embedder=BlueEmbedder())
    assert sorted(index for index, _ in ranked) == [0, 1, 2]


def test_limits_are_named():
    embedder = BlueEmbedder()
    with pytest.raises(InvalidArgument, match="201 records, the limit is 200"):
        rank_records("q", [Record(content="a")] * (MOST_RECORDS + 1), embedder=embedder)
    with pytest.raises(InvalidArgument, match=r"records\[1\].*neither a title nor content"):
        rank_records("q", [Record(content="a"), Record(id="b", content=" ")], embedder=embedder)
    assert len(rank_records("q", [Record(content="a")] * MOST_RECORDS, embedder=embedder)) == 200


def test_a_caller_that_is_gone_ends_the_work():
    with pytest.raises(Cancelled):
        rank_records("q", PLANETS, embedder=BlueEmbedder(), work=Work(is_gone=lambda: True))


@pytest.mark.parametrize(
    ("score", "shown"),
    [(0.98765, 0.9877), (0.00004, 0.00001), (0.0, 0.00001), (0.00006, 0.0001), (1.0, 1.0)],
)
def test_scores_are_rounded_as_the_api_does(score, shown):
    assert rounded(score) == shown


@pytest.mark.model
def test_the_embedded_models_put_the_answer_first():
    embedder = Embedder(workers=1)
    model = ReaderModel(EMBEDDED_WEIGHTS / "reader", workers=1)
    query = "Which planet is known as the red planet?"
    without = rank_records(query, PLANETS, embedder=embedder)
    again = rank_records(query, PLANETS, embedder=embedder)
    read = rank_records(query, PLANETS, embedder=embedder, reranker=Reranker(model))
    embedder.close()
    model.close()
    assert [PLANETS[index].id for index, _ in without] == ["mars", "venus", "soup"]
    assert without == again
    assert PLANETS[read[0][0]].id == "mars"
    assert PLANETS[read[2][0]].id == "soup"
    assert read[2][1] < 0.05 < read[0][1]


@pytest.mark.model
def test_as_many_records_as_are_allowed():
    embedder = Embedder(workers=2)
    records = [Record(content=f"Item {i} of the list of things.") for i in range(MOST_RECORDS)]
    ranked = rank_records("item 17", records, embedder=embedder)
    embedder.close()
    assert len(ranked) == MOST_RECORDS
