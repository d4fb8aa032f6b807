"""What every index does: the embedded one and the oracle."""

import threading
import time

import numpy as np
import pytest

from tests.patience import PATIENCE_S
from tests.stores.index.chunks import DIMENSIONS, Random
from tests.stores.index.oracle import OracleIndex
from toulmin.errors import FailedPrecondition, InvalidArgument, Unavailable
from toulmin.stores.index.predicate import AnyOf
from toulmin.stores.index.protocol import (
    Counts,
    FacetValue,
    Hits,
    IndexedChunk,
    Put,
    Query,
    Remove,
    SearchIndex,
)


@pytest.fixture(params=["embedded", "oracle"])
def index(request, open_index) -> SearchIndex:
    return open_index() if request.param == "embedded" else OracleIndex()


def chunk(key, text, **rest):
    return IndexedChunk(key, document=key // 10, text=text, **rest)


def axis(number):
    return np.eye(DIMENSIONS, dtype=np.float32)[number]


def keys(hits):
    return [hit.key for hit in hits]


def test_empty_index(index):
    assert index.search(Query("w1", axis(0))) == Hits((), (), 0)
    assert index.count() == Counts(0, 0)
    assert index.facet("colour") == ()
    assert index.position == 0


def test_words_vectors_fields_and_updates(index):
    index.apply(
        [
            Put(chunk(11, "w1 w2 w3 w4", vector=axis(0), fields={"colour": ("red",)})),
            Put(chunk(12, "w1 w5 w6 w7", vector=axis(1), fields={"colour": ("red", "blue")})),
            Put(chunk(23, "w9 w8 w7", title="w1", vector=axis(0), fields={"colour": ("red",)})),
        ],
        up_to=3,
    )
    found = index.search(Query("w2 w5", axis(0)))
    assert keys(found.lexical) == [11, 12]  # the same score: by key
    assert found.lexical[0].score == found.lexical[1].score > 0
    assert keys(found.dense) == [11, 23, 12]
    assert [hit.score for hit in found.dense] == pytest.approx([1, 1, 0])
    assert found.dense[1].document == 2
    assert keys(index.search(Query("w1")).lexical) == [23, 11, 12]  # the title counts
    assert keys(index.search(Query("w1", filter=AnyOf("colour", ("blue",)))).lexical) == [12]
    assert keys(index.search(Query(vector=axis(0), limit=1, offset=1)).dense) == [23]
    assert index.search(Query("w1", axis(0), limit=0)) == Hits((), (), 3)
    assert index.facet("colour") == (FacetValue("blue", 1), FacetValue("red", 2))

    index.apply([Put(chunk(11, "w20", vector=axis(2))), Remove(23), Remove(99)], up_to=5)
    assert keys(index.search(Query("w1 w2 w9")).lexical) == [12]
    assert keys(index.search(Query("w20", axis(0))).lexical) == [11]
    assert keys(index.search(Query("w20", axis(2))).dense) == [11, 12]
    assert index.count() == Counts(2, 1)
    assert index.position == 5

    index.apply([Put(chunk(7, "w2")), Remove(7), Remove(8), Put(chunk(8, "w2"))], up_to=6)
    assert keys(index.search(Query("w2")).lexical) == [8]
    assert keys(index.search(Query("w2", axis(0))).dense) == [11, 12]  # 8 has no vector


def test_scripts_without_spaces(index):
    index.apply(
        [
            Put(chunk(1, "w1 東京都の天気")),
            Put(chunk(2, "w1 京都の寺")),
            Put(chunk(3, "w1 日本", title="本")),
        ],
        up_to=1,
    )
    assert keys(index.search(Query("京都")).lexical) == [2, 1]
    assert keys(index.search(Query("東京")).lexical) == [1]
    assert keys(index.search(Query("本")).lexical) == [3]
    assert keys(index.search(Query("寺 w2")).lexical) == [2]


def test_many_equal_scores_are_cut_by_key(index):
    for last in (180, 120, 60):  # the lowest keys come in last
        chunks = [chunk(k, "w1 w2", vector=axis(0)) for k in range(last - 59, last + 1)]
        index.apply([Put(one) for one in chunks], up_to=200 - last)
    found = index.search(Query("w2", axis(0), limit=10, offset=20))
    assert keys(found.lexical) == keys(found.dense) == list(range(21, 31))


def test_rare_filter_on_common_words(index):
    index.apply(
        [
            Put(
                chunk(
                    k, "w1" if k % 40 else "w1 w2 w3 w4 w5", fields={"c": ("x" if k % 40 else "y",)}
                )
            )
            for k in range(200)
        ],
        up_to=1,
    )
    assert keys(index.search(Query("w1", filter=AnyOf("c", ("y",)))).lexical) == [
        0,
        40,
        80,
        120,
        160,
    ]


def test_a_change_with_nothing_in_it_moves_on(open_index):
    index = open_index()
    index.apply([Put(chunk(1, "w2"))], up_to=6)
    index.apply([], up_to=9)
    assert index.position == 9


def test_searches_while_writing_see_whole_changes(open_index):
    index = open_index()
    stop, wrong, searches = threading.Event(), [], [0]

    def read():
        while not stop.is_set():
            found = index.search(Query("w1", axis(0), limit=100))
            searches[0] += 1
            if not keys(found.lexical) == sorted(keys(found.dense)) == list(range(found.position)):
                wrong.append(found)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for step in range(1, 12):
            index.apply([Put(chunk(k, "w1", vector=axis(0))) for k in range(step)], up_to=step)
            time.sleep(0.01)
    finally:
        stop.set()
        reader.join(PATIENCE_S)
    assert not wrong
    assert searches[0]


def test_rebuild_beside(index):
    index.apply([Put(chunk(1, "w1"))], up_to=4)
    rebuild = index.rebuild()
    rebuild.apply([Put(chunk(2, "w1"))], up_to=3)
    assert keys(index.search(Query("w1")).lexical) == [1]
    with pytest.raises(FailedPrecondition):
        rebuild.swap()
    rebuild.apply([Put(chunk(3, "w1"))], up_to=4)
    rebuild.swap()
    assert keys(index.search(Query("w1")).lexical) == [2, 3]
    assert index.position == 4


def test_rebuild_is_thrown_away(open_index, tmp_path):
    index = open_index()
    rebuild = index.rebuild()
    with pytest.raises(FailedPrecondition, match="already"):
        index.rebuild()
    rebuild.apply([Put(chunk(2, "w1"))], up_to=3)
    rebuild.abandon()
    with pytest.raises(FailedPrecondition, match="over"):
        rebuild.swap()
    index.rebuild()  # not finished: gone with the index
    index.close()
    assert [path.name for path in (tmp_path / "index").glob("build-*")] == ["build-0000000001"]


def test_vector_of_wrong_length_is_refused(open_index):
    index = open_index()
    with pytest.raises(InvalidArgument, match=r"chunk 5 has shape \(3,\)"):
        index.apply([Put(chunk(5, "w1", vector=np.ones(3, dtype=np.float32)))], up_to=1)
    assert index.position == 0


def test_closed_index_takes_no_changes(open_index):
    index = open_index()
    index.close()
    index.close()
    with pytest.raises(Unavailable):
        index.apply([], up_to=1)


def test_eight_bits_are_close_to_the_cosine(open_index, tmp_path):
    from toulmin.stores.index.embedded import EmbeddedIndex

    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(500, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = EmbeddedIndex(tmp_path / "wide", lineage="a")
    index.apply([Put(chunk(k, "", vector=vectors[k])) for k in range(500)], up_to=1)
    near = vectors[:20] + 0.05 * rng.normal(size=(20, 384)).astype(np.float32)
    for query in near / np.linalg.norm(near, axis=1, keepdims=True):
        exact = vectors @ query
        hits = index.search(Query(vector=query, limit=500)).dense
        assert max(abs(hit.score - exact[hit.key]) for hit in hits) < 0.01
        assert hits[0].key == int(exact.argmax())
    index.close()


def test_same_changes_same_answers(open_index, tmp_path):
    answers = []
    for name in ("one", "two"):
        random, index = Random(9), open_index(tmp_path / name)
        for step in range(1, 5):
            index.apply(random.changes(20, keys=40), up_to=step)
        answers.append([index.search(random.query()) for _ in range(10)])
    assert answers[0] == answers[1]
