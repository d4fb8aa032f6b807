"""The page says what the results say."""

import json

import pytest

from tests.benchmarks.modules import ROOT, load

page = load("quality.page")
quality = load("quality.__main__")

SET = {
    "balanced_accuracy": 0.60,
    "balanced_accuracy_best": 0.70,
    "auroc": 0.80,
    "false_pass_rate": 0.2,
    "false_strip_rate": 0.6,
    "ece": 0.05,
    "contradiction_auroc": None,
}
RESULTS = {
    "sets": {"bump.all": SET, "snli.test": {**SET, "balanced_accuracy": 0.7, "auroc": 0.9}},
    "mean": {"ece": 0.12},
    "contradiction": {"auroc": 0.8},
    "languages": {"en": {"auroc": 0.85}},
}


def test_the_page_is_made_of_the_results():
    assert page.PAGE.read_text(encoding="utf-8") == page.render(ROOT / "benchmarks" / "results")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("bump.all.auroc", 0.80),
        ("mean.ece", 0.12),
        ("contradiction.auroc", 0.8),
        ("languages.en.auroc", 0.85),
        ("languages.ja.auroc", None),
        ("med.test.auroc", None),
    ],
)
def test_a_path_names_a_figure(path, value):
    assert page.lookup(RESULTS, path) == value


def test_a_remark_is_shown_only_while_it_is_true():
    assert page.holds(RESULTS, "bump.all.balanced_accuracy<0.65")
    assert not page.holds(RESULTS, "snli.test.balanced_accuracy<0.65")
    assert not page.holds(RESULTS, "med.test.auroc<0.70")
    assert page.holds(RESULTS, "mean.ece>0.1")


def test_a_remark_cites_the_figures():
    assert page.fill(RESULTS, "{bump.all.auroc} and {med.test.auroc}") == ".800 and not measured"


def test_what_is_bad_is_found_by_rule():
    found = dict(page.bad_sets(RESULTS))
    low = next(sets for sentence, sets in found.items() if "under .65" in sentence)
    assert low == [("bump.all", 0.60)]
    threshold = next(sets for sentence, sets in found.items() if "does not fit" in sentence)
    assert [name for name, _ in threshold] == ["bump.all"]
    assert not any("AUROC under .70" in sentence for sentence in found)


def test_every_remark_is_about_a_set_and_a_figure_that_are_measured():
    known = {*quality.SETS, "mean", "contradiction", "languages.en", "languages.ja"}
    for condition, text in page.REMARKS:
        for path in [
            condition.split("<")[0].split(">")[0],
            *page.re.findall(r"\{([\w.]+)\}", text),
        ]:
            assert path.rpartition(".")[0] in known, path


def test_published_figures_are_about_our_sets_and_sourced():
    entries = json.loads(page.PUBLISHED.read_text(encoding="utf-8"))["figures"]
    assert entries
    for entry in entries:
        assert entry["set"] in {*quality.SETS, "contradiction", "calibration", "spans", "reader"}
        assert 0 < entry["value"] < 1
        assert entry["source"]
        assert entry["differs"]
        assert entry["metric"] in page._METRICS
