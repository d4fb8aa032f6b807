import json

import pytest

from toulmin.errors import InvalidArgument
from toulmin.evaluation.gate import parse_bound, shortfalls
from toulmin.evaluation.report import DEFAULT_THRESHOLD, FIGURES, Setup, as_json, build_report
from toulmin.evaluation.runner import Aggregate
from toulmin.evaluation.text import render_text
from toulmin.grounding.check import CITATION_THRESHOLD


def setup(**changes):
    values = {
        "command": "toulmin evaluate a.jsonl",
        "toulmin": "0",
        "models": {"m": "1"},
        "calibration": "",
        "aggregate": Aggregate.MEAN,
        "threshold": 0.6,
    }
    return Setup(**{**values, **changes})


def test_the_default_threshold_is_the_products():
    assert DEFAULT_THRESHOLD == CITATION_THRESHOLD


def test_aggregates(scored):
    item = scored(0, [0.9, 0.3], [0.1, 0.5])
    assert item.support(Aggregate.MEAN) == pytest.approx(0.6)
    assert item.support(Aggregate.MIN) == 0.3
    assert item.contradiction(Aggregate.MEAN) == pytest.approx(0.3)
    assert item.contradiction(Aggregate.MIN) == 0.5
    nothing = scored(0, [])
    assert nothing.support(Aggregate.MIN) == nothing.support(Aggregate.MEAN) == 1
    assert nothing.contradiction(Aggregate.MIN) == 0


def test_the_aggregate_decides_what_passes(scored):
    items = {"a": [scored(0, [0.9, 0.5]), scored(1, 0.8)]}
    assert build_report(items, setup()).mean["false_pass_rate"] == 1
    assert build_report(items, setup(aggregate=Aggregate.MIN)).mean["false_pass_rate"] == 0


def test_contradiction_is_judged_where_it_is_known(scored):
    items = [
        scored(0, 0.1, [0.7], contradiction=True),
        scored(0, 0.1, [0.2], contradiction=False),
        scored(0, 0.1, [0.9], contradiction=None),
        scored(1, 0.9, [0.8]),
    ]
    figures = build_report({"a": items}, setup()).mean
    assert figures["contradiction_auroc"] == 1, "above the only one known not to be"
    assert figures["contradiction_auroc_all"] == 0.5, "below the supported one"


def test_the_mean_is_over_files_that_have_the_figure(scored):
    both = [scored(1, 0.9), scored(0, 0.1)]
    wrong = [scored(1, 0.1), scored(0, 0.9)]
    only_false = [scored(0, 0.9)]
    report = build_report({"a": both, "b": wrong, "c": only_false}, setup())
    assert [s.figures["auroc"] for s in report.files] == [1, 0, None]
    assert report.mean["auroc"] == 0.5
    assert report.mean["false_pass_rate"] == pytest.approx(2 / 3)
    assert report.pooled.items == 5
    assert report.mean["contradiction_auroc"] is None


def test_one_threshold_for_all_files(scored):
    a = [scored(1, 0.9), scored(0, 0.35)]
    b = [scored(1, 0.5), scored(0, 0.1)]
    report = build_report({"a": a, "b": b}, setup())
    assert report.best_common_threshold == (0.5, 1.0)
    assert build_report({"a": [scored(1, 0.5)]}, setup()).best_common_threshold is None


def test_json_has_everything_and_is_the_same_twice(scored):
    items = {"a.jsonl": [scored(1, [0.9, 0.8]), scored(0, 0.1, [0.5], contradiction=True)]}
    text = json.dumps(as_json(build_report(items, setup())))
    assert text == json.dumps(as_json(build_report(items, setup())))
    content = json.loads(text)
    assert content["format"] == 1
    [section] = content["files"]
    assert set(section["figures"]) == {figure.name for figure in FIGURES}
    assert section["intervals"]["balanced_accuracy"]["low"] < 1
    assert len(section["sweep"]) == 101
    assert content["scores"][0]["supports"] == [0.9, 0.8]
    assert content["scores"][1]["contradiction"] is True


def test_latency(scored):
    items = [scored(1, 0.9, milliseconds=float(n)) for n in range(1, 101)]
    figures = build_report({"a": items}, setup()).mean
    assert figures["latency_mean_ms"] == 50.5
    assert figures["latency_p50_ms"] == 50.5
    assert figures["latency_p95_ms"] == pytest.approx(95.05)


def test_text_shows_every_figure_of_one_file(scored):
    text = render_text(build_report({"a": [scored(1, 0.9), scored(0, [])]}, setup()))
    for figure in FIGURES:
        assert figure.title in text
    assert "1 items state nothing to check" in text
    assert "0.500" in text


def test_text_has_a_row_for_each_file_and_the_mean(scored):
    items = [scored(1, 0.9), scored(0, 0.1)]
    text = render_text(build_report({"x/one.jsonl.gz": items, "x/two.jsonl": items}, setup()))
    lines = text.splitlines()
    assert any(line.startswith("one ") for line in lines)
    assert any(line.startswith("two ") for line in lines)
    assert any(line.startswith("mean of files") for line in lines)


@pytest.mark.parametrize(
    ("bound", "sentence"),
    [
        ("auroc=0.8", "auroc is 0.7500, 0.0500 below 0.8"),
        ("auroc=0.75", None),
        ("ece=0.1", "ece is 0.2000, 0.1000 above 0.1"),
        ("ece=0.2", None),
        ("brier=0", "brier is not known"),
    ],
)
def test_the_gate(bound, sentence):
    figures = {"auroc": 0.75, "ece": 0.2, "brier": None}
    found = list(shortfalls(figures, [parse_bound(bound)]))
    assert len(found) == (sentence is not None)
    if sentence:
        assert found[0].startswith(sentence)


@pytest.mark.parametrize("text", ["auroc", "auroc=", "auroc=x", "auroc=nan", "best_threshold=0.5"])
def test_a_bound_that_is_none_is_refused(text):
    with pytest.raises(InvalidArgument, match="--fail-under"):
        parse_bound(text)
    with pytest.raises(InvalidArgument, match="balanced_accuracy_best"):
        parse_bound("accuracy=0.5")
