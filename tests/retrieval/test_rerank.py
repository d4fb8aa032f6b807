"""Relevance and reranking: made-up models and logits, then the fitted and embedded ones."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from toulmin.errors import Cancelled, FailedPrecondition
from toulmin.models.reader_model import ReaderModel, SpanLogits
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.retrieval.relevance import (
    Calibration,
    RelevanceModel,
    coverage,
    load_record_relevance,
    load_relevance,
    logit,
    read_weights,
    sigmoid,
)
from toulmin.retrieval.rerank import (
    PassageWindow,
    Reranker,
    RerankWeights,
    _margin,
    load_rerank_weights,
)
from toulmin.work import Work

CALIBRATION = Calibration(bias=0.0, slope=1.0, lead=1.0)
HALF = RerankWeights(prior=1.0, margin=0.5, calibration=Calibration(bias=0.0, slope=1.0, lead=0.0))


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(EMBEDDED_WEIGHTS / "cross_encoder" / "tokenizer.json"))


class SaffronModel:
    """Sees an answer at the word "saffron" and nowhere else: margin 6 there, -6 elsewhere."""

    max_tokens = 256

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.seen: list[PassageWindow] = []
        self._word = tokenizer.encode("saffron", add_special_tokens=False).ids[0]

    def run_spans(self, sequences: Sequence[PassageWindow], *, work: Work) -> list[SpanLogits]:
        work.check()
        self.seen += sequences
        return [self._logits(window) for window in sequences]

    def _logits(self, window: PassageWindow) -> SpanLogits:
        heads = np.full(len(window.ids), -3.0, dtype=np.float32)
        heads[0] = 0.0
        passage = window.ids[1 : window.tokens + 1]
        heads[1 : window.tokens + 1][np.array(passage) == self._word] = 3.0
        # The query may hold the word too; it is no answer.
        heads[window.tokens + 1 :] = 9.0
        nothing = np.zeros(3, dtype=np.float32)
        return SpanLogits(heads, heads, nothing, np.zeros(len(window.ids), dtype=np.float32))


def test_a_passage_with_an_answer_passes_one_without(tokenizer):
    reranker = Reranker(SaffronModel(tokenizer), HALF)
    found = reranker.rerank(
        "What makes saffron rice yellow?",
        ["rice is cooked in water", "it is saffron"],
        np.array([0.5, 0.4]),
    )
    # Logit of the prior plus half the margin.
    assert found == pytest.approx(sigmoid(logit(np.array([0.5, 0.4])) + np.array([-3.0, 3.0])))
    assert found[1] > found[0]


def test_what_is_not_read_stays_behind_in_the_order_of_the_prior(tokenizer):
    model = SaffronModel(tokenizer)
    prior = np.array([0.2, 0.9, 0.1, 0.8, 0.3])
    passages = ["saffron", "rice", "saffron", "water", "saffron"]
    found = Reranker(model, HALF, depth=2).rerank("q", passages, prior)
    assert sorted(window.passage for window in model.seen) == [0, 1]  # of the two that are read
    assert np.argsort(-found, kind="stable").tolist() == [1, 3, 4, 0, 2]
    assert np.all((found >= 0) & (found <= 1))
    assert prior.tolist() == [0.2, 0.9, 0.1, 0.8, 0.3]


def test_long_passages_are_read_in_overlapping_windows_up_to_three(tokenizer):
    model = SaffronModel(tokenizer)
    reranker = Reranker(model, HALF)
    within = "rice " * 560 + "saffron"
    beyond = "rice " * 2000 + "saffron"
    assert reranker.margins("where?", [within, beyond]).tolist() == [6.0, -6.0]
    assert [window.passage for window in model.seen] == [0, 0, 0, 1, 1, 1]
    assert max(len(window.ids) for window in model.seen) == 256
    for window in model.seen:
        assert len(window.ids) == len(window.types)
        assert window.types.count(0) == window.tokens + 2


def test_a_long_query_leaves_room_for_the_passage(tokenizer):
    model = SaffronModel(tokenizer)
    Reranker(model, HALF).margins("why " * 1000, ["rice " * 100])
    assert [window.tokens for window in model.seen] == [100]


def test_nothing_to_read(tokenizer):
    reranker = Reranker(SaffronModel(tokenizer), HALF)
    assert reranker.rerank("q", [], np.zeros(0)).shape == (0,)
    assert reranker.margins("q", ["", "rice"]).tolist() == [-6.0, -6.0]
    assert reranker.margins("q", ["", " "]).tolist() == [0.0, 0.0]


def test_a_caller_that_is_gone_ends_the_work(tokenizer):
    reranker = Reranker(SaffronModel(tokenizer), HALF)
    with pytest.raises(Cancelled):
        reranker.rerank("q", ["rice"], np.array([0.5]), work=Work(is_gone=lambda: True))


@given(st.integers(1, 80), st.integers(0, 2**32 - 1))
def test_the_margin_is_that_of_the_best_span_of_at_most_30_tokens(tokens, seed):
    rng = np.random.default_rng(seed)
    start, end = rng.normal(size=(2, tokens + 5)).astype(np.float32)
    heads = SpanLogits(start, end, np.zeros(3, dtype=np.float32), start)
    best = max(
        float(start[i]) + float(end[j])
        for i in range(1, tokens + 1)
        for j in range(i, min(i + 30, tokens + 1))
    )
    assert _margin(heads, tokens) == pytest.approx(best - float(start[0]) - float(end[0]))


def test_probabilities_keep_the_order_and_fall_with_the_distance_from_the_best():
    found = CALIBRATION.probabilities(np.array([1.0, 0.0, -1.0]))
    assert found == pytest.approx(sigmoid(np.array([1.0, -1.0, -3.0])))
    assert CALIBRATION.probabilities(np.zeros(0)).shape == (0,)
    # The same candidate twice is as good as once.
    assert CALIBRATION.probabilities(np.array([1.0, 1.0])) == pytest.approx([found[0]] * 2)


def test_relevance_is_a_weighted_sum():
    model = RelevanceModel(dense=2.0, coverage=1.0, lexical=0.5, calibration=CALIBRATION)
    scores = model.scores(np.array([2.0, 0.0]), np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    assert scores.tolist() == [3.0, 1.0]
    assert model.predict(
        np.array([2.0, 0.0]), np.array([0.5, 0.5]), np.array([1.0, 0.0])
    ) == pytest.approx(sigmoid(np.array([3.0, -1.0])))


@pytest.mark.parametrize("model", [load_relevance(), load_record_relevance()])
def test_the_fitted_model_never_falls_as_a_feature_rises(model):
    steps = np.linspace(0.0, 1.0, 11)
    half, none = np.full(11, 0.5), np.zeros(11)
    rising = [
        model.predict(10 * half, steps, half),
        model.predict(10 * half, half, steps),
        model.predict(40 * steps, half, half),
    ]
    for values in rising[:2]:
        assert np.all(np.diff(values) > 0)
    assert np.all(np.diff(rising[2]) >= 0)
    assert 0.0 < model.predict(none, none, none).max() < 0.05
    assert model.predict(60 + none, 1 + none, 1 + none).min() > 0.8


def test_the_fitted_reranking_rises_with_prior_and_margin():
    weights = load_rerank_weights()
    assert weights.prior > 0
    assert weights.margin > 0
    assert weights.calibration.slope >= 0
    assert weights.calibration.lead >= 0


def test_rare_words_count_for_more():
    query = "what is the capital of Uzbekistan"
    both, rare, common, other = coverage(
        query,
        [
            "The capital of Uzbekistan, what is it?",
            "Uzbekistan",
            "what is the one of",
            "a village",
        ],
    )
    assert both == pytest.approx(1.0)
    assert both > rare > common > other == 0.0


def test_words_are_compared_as_the_index_does():
    assert coverage("Résumés running", ["He runs; a resume"]).tolist() == [1.0]
    assert coverage("東京の天気", ["今日の東京の天気は晴れ"]).tolist() == [1.0]
    assert coverage("東京の天気", ["大阪"]).tolist() == [0.0]
    assert coverage("?!", ["a"]).tolist() == [0.0]
    assert coverage("a", []).shape == (0,)


def test_a_file_without_the_weights_is_refused(tmp_path):
    path = tmp_path / "relevance.json"
    with pytest.raises(FailedPrecondition, match="found"):
        read_weights("found", path)
    path.write_text(json.dumps({"given": {}}))
    with pytest.raises(FailedPrecondition, match="found"):
        read_weights("found", path)


@pytest.mark.model
def test_the_embedded_reader_finds_the_passage_with_the_answer():
    model = ReaderModel(EMBEDDED_WEIGHTS / "reader", workers=1)
    passages = [
        "The bridge over the river is a stone arch of the town's early years.",
        "Plans for a bridge were drawn up in 1889 and given up again for want of money.",
        "The bridge was finally opened on 4 May 1903 by the mayor.",
    ]
    found = Reranker(model).rerank(
        "When was the bridge opened?", passages, np.array([0.3, 0.3, 0.3])
    )
    model.close()
    assert int(found.argmax()) == 2
    assert found[2] > 2 * found[0]
