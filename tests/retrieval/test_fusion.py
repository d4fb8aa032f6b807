"""Fusion: hand-computed scores, ties, absent documents, bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.retrieval.fusion import above_worst, fuse_scores, reciprocal_rank_fusion


def test_reciprocal_ranks_add_up():
    fused = dict(reciprocal_rank_fusion([["a", "b", "c"], ["b", "d"]]))
    assert fused == pytest.approx({"b": 1 / 62 + 1 / 61, "a": 1 / 61, "d": 1 / 62, "c": 1 / 63})
    assert [key for key, _ in reciprocal_rank_fusion([["a", "b", "c"], ["b", "d"]])] == list("badc")


def test_a_weight_turns_the_order():
    rankings = [["a", "b"], ["b", "a"]]
    assert reciprocal_rank_fusion(rankings, weights=[2, 1])[0][0] == "a"
    assert reciprocal_rank_fusion(rankings, weights=[1, 2])[0][0] == "b"


def test_ties_keep_the_order_of_the_first_search():
    assert [k for k, _ in reciprocal_rank_fusion([["x", "y"], ["y", "x"]])] == ["x", "y"]
    assert [k for k, _ in fuse_scores([{"x": 1.0}, {"y": 1.0}], weights=[1, 1])] == ["x", "y"]


def test_scores_of_different_scales_are_scaled_before_they_are_added():
    words = {"a": 20.0, "b": 12.0, "c": 4.0}  # standard deviation 8 * sqrt(2 / 3)
    vectors = {"c": 0.9, "b": 0.5, "d": 0.1}  # 0.4 * sqrt(2 / 3)
    one = 1.5**0.5
    fused = dict(fuse_scores([words, vectors], weights=[0.75, 0.25]))
    assert fused == pytest.approx({"a": 0.75 * 2 * one, "b": one, "c": 0.25 * 2 * one, "d": 0.0})


def test_scale_and_shift_of_a_search_do_not_matter():
    words, vectors = {"a": 9.0, "b": 5.0, "c": 1.0}, {"c": 0.8, "a": 0.3, "d": 0.2}
    shifted = {key: 100 * value - 7 for key, value in words.items()}
    plain = fuse_scores([words, vectors], weights=[0.5, 0.5])
    moved = fuse_scores([shifted, vectors], weights=[0.5, 0.5])
    assert [k for k, _ in plain] == [k for k, _ in moved]
    assert [v for _, v in plain] == pytest.approx([v for _, v in moved])


def test_one_search_alone_keeps_its_order():
    words = {"a": 3.0, "b": 2.0, "c": -1.0}
    assert [k for k, _ in fuse_scores([words, {}], weights=[0.3, 0.7])] == ["a", "b", "c"]


def test_nothing_found_is_nothing_fused():
    assert reciprocal_rank_fusion([[], []]) == []
    assert fuse_scores([{}, {}], weights=[1, 1]) == []


def test_as_many_weights_as_searches():
    with pytest.raises(ValueError, match=r"shorter|longer"):
        reciprocal_rank_fusion([["a"], ["b"]], weights=[1.0])
    with pytest.raises(ValueError, match=r"shorter|longer"):
        fuse_scores([{"a": 1.0}], weights=[1.0, 2.0])


@given(st.lists(st.floats(-1e6, 1e6), max_size=20))
def test_scaled_scores_start_at_0_and_keep_their_order(values):
    scaled = above_worst(np.array(values, dtype=np.float64))
    assert np.isfinite(scaled).all()
    assert (scaled >= 0).all()
    for i, value in enumerate(values):
        for j, other in enumerate(values):
            if value < other:
                assert scaled[i] <= scaled[j]


@given(st.lists(st.permutations(range(6)), min_size=1, max_size=4))
def test_a_document_ahead_everywhere_is_ahead(rankings):
    order = [key for key, _ in reciprocal_rank_fusion(rankings)]
    for a in range(6):
        for b in range(6):
            if all(r.index(a) < r.index(b) for r in rankings):
                assert order.index(a) < order.index(b)
