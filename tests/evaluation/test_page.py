import re
import xml.etree.ElementTree as ET

import pytest

from toulmin.evaluation.page import render_page
from toulmin.evaluation.report import Setup, build_report
from toulmin.evaluation.runner import Aggregate

EVIL = "<script>alert('&')</script>\"quoted\""


def page(files):
    setup = Setup(
        command=f"toulmin evaluate '{EVIL}'",
        toulmin="0",
        models={"m": "1"},
        calibration="c.json",
        aggregate=Aggregate.MEAN,
        threshold=0.6,
    )
    return render_page(build_report(files, setup))


@pytest.fixture
def mistakes(scored):
    return [
        scored(0, 0.95, claim=f"Passed {EVIL}", premise=EVIL * 200, evidence=[EVIL], line=4),
        scored(1, 0.05, claim=f"Stripped {EVIL}", file=EVIL),
        scored(1, 0.9),
        scored(0, 0.1),
    ]


def parsed(html):
    """The page is written so that XML parsers read it too."""
    return ET.fromstring(html.removeprefix("<!DOCTYPE html>\n"))


def test_the_page_is_well_formed_and_escapes_every_text(mistakes):
    html = page({EVIL: mistakes, "b.jsonl": mistakes})
    root = parsed(html)
    assert root.tag == "html"
    assert "<script" not in html
    text = "".join(root.itertext())
    assert f"Passed {EVIL}" in text
    assert f"Stripped {EVIL}" in text
    assert text.count(EVIL) > 150, "the premise is there, up to 3,000 characters"


def test_the_page_needs_nothing_else(mistakes):
    html = page({"a.jsonl": mistakes})
    assert not re.findall(r"(?:src|href|url|@import|https?:)", html)
    assert "prefers-color-scheme: dark" in html


def test_every_colour_of_a_plot_is_defined_for_light_and_dark(mistakes):
    html = page({"a.jsonl": mistakes})
    style = html.split("</style>")[0]
    light, dark = style.split("prefers-color-scheme")
    for name in set(re.findall(r"var\((--\w+)\)", html)):
        assert f"{name}:" in light, name
        assert f"{name}:" in dark, name


def test_worst_mistakes_come_first_and_the_rest_is_counted(scored):
    items = [scored(0, 0.61 + n / 100, claim=f"claim {n}", line=n) for n in range(15)]
    html = page({"a": [*items, scored(1, 0.9)]})
    assert "15 unsupported, yet passing; the first 10" in html
    shown = [int(number) for number in re.findall(r"</span>claim (\d+)</p>", html)]
    assert shown == [14, 13, 12, 11, 10, 9, 8, 7, 6, 5]
    assert "0 supported, yet not passing" in html


def test_three_plots_each_with_as_many_marks_as_data(mistakes):
    root = parsed(page({"a.jsonl": mistakes}))
    plots = root.findall(".//svg")
    assert [plot.get("aria-label") for plot in plots] == [
        "Reliability",
        "Scores by label",
        "Errors against the threshold",
    ]
    assert len(plots[0].findall("circle")) == 3, "0.90 and 0.95 share a bin"
    assert len(plots[1].findall("rect")) == 40
    assert len(plots[2].findall("polyline")) == 3
    several = parsed(page({"a.jsonl": mistakes, "b.jsonl": mistakes}))
    assert len(several.findall(".//svg")) == 9


def test_plots_stay_inside_their_frame(mistakes):
    for plot in parsed(page({"a.jsonl": mistakes})).iter("svg"):
        _, _, width, height = (float(value) for value in plot.get("viewBox").split())
        for mark in plot.iter("circle"):
            assert 0 <= float(mark.get("cx")) <= width
            assert 0 <= float(mark.get("cy")) <= height
        for bar in plot.iter("rect"):
            assert float(bar.get("height")) >= 0
            assert 0 <= float(bar.get("y")) <= height


@pytest.mark.parametrize("label", [0, 1])
def test_a_file_with_one_label_has_a_page_too(scored, label):
    root = parsed(page({"a": [scored(label, 0.7), scored(label, 0.2)]}))
    assert "-" in [cell.text for cell in root.iter("td")]


def test_the_page_has_the_baseline_and_the_groups(scored):
    items = [scored(n % 2, 0.9 - n / 100, kind=EVIL, language="en") for n in range(24)]
    items += [scored(0, 0.2, kind="role", language="en") for _ in range(20)]
    items += [scored(0, 0.2, kind=f"rare {EVIL}", language="es")]
    html = page({"a": items})
    root = parsed(html)
    assert "<script" not in html
    headings = [heading.text for heading in [*root.iter("h2"), *root.iter("h3")]]
    assert "What would counting words get?" in headings
    assert "By kind of claim" in headings
    text = "".join(root.itertext())
    assert "Counting words gets 0.50 here: words are not clearly better than guessing." in text
    shortened = EVIL if len(EVIL) <= 40 else EVIL[:39] + "…"
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in root.iter("tr")}
    assert rows[shortened][:2] == ["24", "12"]
    assert rows[f"kind {shortened}"][1] == "AUROC"
    assert rows["role"][-1] == "1.00 (0.84 to 1.00)"
    assert "Too small for figures (under 20 items): rare <script>" in text
    for table in root.iter("table"):
        assert len({len(row) for row in table.iter("tr")}) == 1, "every row has every column"
