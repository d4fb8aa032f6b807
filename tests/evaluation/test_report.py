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


def swapped(scored, *, kind="role", language="en", premise="Ada wrote to Ben.", count=10):
    """Claims whose words are all in the premise, right or wrong; and some by another word."""
    items = [
        scored(1, 0.9, claim="Ada wrote to Ben.", premise=premise, kind=kind, language=language)
    ] * count
    wrong = {"contradiction": True, "premise": premise, "kind": kind, "language": language}
    items += [scored(0, 0.1, [0.8], claim="Ben wrote to Ada.", **wrong)] * count
    wrong["contradiction"] = False
    items += [scored(0, 0.1, [0.1], claim="Ada wrote poems.", **wrong)] * count
    return items


def test_json_has_groups_and_the_overlap_baseline(scored):
    content = as_json(build_report({"a": swapped(scored)}, setup()))
    for section in (content["files"][0], content["pooled"]):
        assert [(g["grouping"], g["name"]) for g in section["groups"]] == [
            ("kind", "role"),
            ("language", "en"),
            ("length", "short (under 100 words)"),
            ("facts", "1 fact"),
        ]
        # Ten supported claims tie with ten and win over ten of the unsupported.
        assert section["overlap"]["words"]["auroc"] == 0.75
        assert section["groups"][0]["overlap"]["words"]["auroc"] == 0.75
        assert section["groups"][0]["figures"]["auroc"] == 1
        assert section["contradiction_overlap"]["words"]["auroc"] == 1
        assert len(section["verdicts"]) == 2
    score = content["scores"][-1]
    assert (score["words_found"], score["premise_words"]) == (pytest.approx(2 / 3), 4)
    assert (score["kind"], score["language"]) == ("role", "en")
    json.dumps(content)


def test_text_has_the_verdicts_the_baseline_and_the_groups(scored):
    items = swapped(scored)
    for kind in ("one", "two"):
        items += [scored(0, 0.1, kind=kind, language="es") for _ in range(20)]
    items += [scored(0, 0.1, kind="rare", language="fr")] * 3 + [scored(0, 0.1)] * 4
    text = render_text(build_report({"a": items}, setup()))
    lines = text.splitlines()
    flat = " ".join(text.split())
    assert "at telling contradicted from neutral: this file hardly tests understanding." in flat
    [row] = [line for line in lines if line.startswith("kind role ")]
    assert row.split()[2:6] == ["30", "AUROC", "0.75", "1.00"]
    assert row.split()[6] == "+0.25"
    [row] = [line for line in lines if line.startswith("kind one ")]
    assert "judged rightly" in row
    [row] = [line for line in lines if line.startswith("role ")]
    assert row.split()[1:4] == ["30", "10", "1.00"]
    [row] = [line for line in lines if line.startswith("one ")]
    assert row.endswith("1.00 (0.84 to 1.00)")
    assert "Too small for figures (under 20 items): rare 3." in lines
    assert lines.count("Of 4 items the file does not say it.") == 2
    assert "by number of facts" in lines
    assert "All items: 1 fact." in lines
    assert max(map(len, lines)) <= 125


def test_several_files_have_a_verdict_each_and_groups_together(scored):
    files = {"x/one.jsonl": swapped(scored), "x/two.jsonl": swapped(scored, kind="order")}
    lines = render_text(build_report(files, setup())).splitlines()
    for name in ("one", "two"):
        assert any(line.startswith(f"{name}: Counting words gets 0.75 here") for line in lines)
        assert any(line.startswith(f"{name}, supported against unsupported") for line in lines)
    assert any(line.startswith("all items, contradicted against neutral ") for line in lines)
    assert any(line.startswith("role  ") for line in lines)
    assert any(line.startswith("order  ") for line in lines)


def test_names_of_groups_are_shortened_counted_and_aligned(scored):
    items = [scored(0, 0.1, kind=f"kind {n}") for n in range(40)]
    items += [scored(n % 2, 0.9, kind="x" * 50) for n in range(20)]
    items += [scored(n % 2, 0.9, kind="役割の交換") for n in range(20)]
    text = render_text(build_report({"a": items}, setup()))
    assert "x" * 39 + "…" in text
    assert "x" * 40 not in text
    assert "and 10 more." in text
    rows = [line for line in text.splitlines() if line.startswith(("xxx", "役割"))]
    assert len(rows[0]) == len(rows[1]) + len("役割の交換"), "wide characters take two columns"


def test_a_perfect_file_is_not_certain(scored):
    items = {"a": [scored(1, 0.9)] * 5 + [scored(0, 0.1)] * 5}
    report = build_report(items, setup())
    assert report.mean["auroc"] == 1
    assert report.mean_intervals["auroc"].low == report.files[0].intervals["auroc"].low < 0.9
