"""Means, verdicts and kept scores of the quality benchmark."""

import pytest

from tests.benchmarks.modules import load
from toulmin.domain import Fact
from toulmin.evaluation.examples import Example
from toulmin.evaluation.overlap import WordCounts
from toulmin.evaluation.report import Setup
from toulmin.evaluation.runner import Aggregate, ScoredExample

quality = load("quality.__main__")

SETUP = Setup(
    command="", toulmin="", models={}, calibration="", aggregate=Aggregate.MEAN, threshold=0.6
)


def item(label, contradiction, support, against, line=1):
    example = Example("f", line, str(line), (Fact("x"),), "y", label, contradiction)
    return ScoredExample(example, (support,), (against,), (), 2.0, WordCounts(1.0, 1))


ITEMS = [
    item(True, False, 0.9, 0.05, 1),
    item(True, False, 0.55, 0.1, 2),
    item(False, True, 0.1, 0.8, 3),
    item(False, True, 0.7, 0.1, 4),
    item(False, False, 0.2, 0.1, 5),
    item(False, False, 0.1, 0.2, 6),
]


def test_plain_accuracy_is_at_the_default_threshold():
    assert quality.plain_accuracy(ITEMS) == pytest.approx(4 / 6)


def test_the_likeliest_of_three_is_the_verdict():
    assert quality.three_way_accuracy(ITEMS) == pytest.approx(5 / 6)
    assert quality.three_way_accuracy(ITEMS[:4]) is None
    assert quality.three_way_accuracy([*ITEMS, item(False, None, 0.1, 0.1)]) is None


def test_contradiction_is_told_from_neutral_only():
    value, _ = quality.contradiction_interval(ITEMS)
    assert value == pytest.approx((1 + 1 + 0.5 + 0) / 4)
    assert quality.contradiction_interval(ITEMS[:3]) is None


def test_means_are_over_sets_and_name_them():
    names = ("healthver.dev", "mnli_mm_1k.test", "jsick_ja.test")
    found = quality.summarise(dict.fromkeys(names, ITEMS), SETUP)
    assert found["mean"]["sets"] == ["healthver.dev", "mnli_mm_1k.test"]
    assert found["mean"]["items"] == 12
    assert found["contradiction"]["sets"] == ["mnli_mm_1k.test", "healthver.dev"]
    assert set(found["languages"]) == {"en", "ja"}
    set_figures = found["sets"]["healthver.dev"]
    assert found["mean"]["balanced_accuracy"] == pytest.approx(
        set_figures["balanced_accuracy"], abs=1e-6
    )
    best = found["mean"]["balanced_accuracy_best_common"]
    assert found["mean"]["short_of_best_common"] == pytest.approx(
        best - found["mean"]["balanced_accuracy"], abs=1e-6
    )


def test_kept_scores_come_back_only_for_the_same_weights(tmp_path):
    path, examples = tmp_path / "set.json", [scored.example for scored in ITEMS]
    quality.save_scores(path, {"models": {"m": "1"}}, ITEMS)
    assert quality.load_scores(path, {"models": {"m": "1"}}, examples) == ITEMS
    assert quality.load_scores(path, {"models": {"m": "2"}}, examples) is None
    assert quality.load_scores(path, {"models": {"m": "1"}}, examples[:3]) is None
    assert quality.load_scores(tmp_path / "none.json", {}, examples) is None
