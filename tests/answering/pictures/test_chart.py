import xml.etree.ElementTree as ET

import pytest

from toulmin.answering.pictures.chart import draw_chart
from toulmin.answering.pictures.number_table import MOST_BARS, NumberTable, number_of, number_tables
from toulmin.ingestion.parsing.builder import render_row

YEARS = """Figures of the company.

| Year | Revenue | Profit |
| --- | --- | --- |
| 2015 | $12.5 | $1.1 |
| 2016 | $14 | n/a |
| 2017 | $13.2 | $-0.8 |

Text goes on."""
REGIONS = "| Region | Share |\n| North | 12 % |\n| South & <b> | 45.5 % |\n| Total | 57.5 % |"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("1,234.5", (1234.5, "")),
        ("1.234.567", (1234567.0, "")),
        ("1.234,5", (1234.5, "")),
        ("3,5", (3.5, "")),
        ("1,250", (1250.0, "")),
        ("12 %", (12.0, "%")),
        ("$3.50", (3.5, "$")),
        ("−8 km", (-8.0, "km")),
        ("**7**[2]", (7.0, "")),
        ("1 234", (1234.0, "")),
        ("2019-2020", None),
        ("n/a", None),
        ("", None),
        ("10.0.0.1", None),
        ("about 5", None),
    ],
)
def test_numbers_of_cells(cell: str, expected: tuple[float, str] | None) -> None:
    assert number_of(cell) == expected


def test_a_table_over_time() -> None:
    (table,) = number_tables(YEARS)
    assert table.in_time
    assert table.labels == ("2015", "2016", "2017")
    assert [s.name for s in table.series] == ["Revenue", "Profit"]
    assert table.series[1].values == (1.1, None, -0.8)
    assert table.series[0].unit == "$"


def test_years_that_fall_are_turned() -> None:
    (table,) = number_tables("| Year | Sold |\n| 2003 | 3 |\n| 2002 | 2 |\n| 2001 | 1 |")
    assert table.labels == ("2001", "2002", "2003")
    assert table.series[0].values == (1.0, 2.0, 3.0)
    assert table.in_time


def test_totals_are_no_bar() -> None:
    (table,) = number_tables(REGIONS)
    assert table.labels == ("North", "South & <b>")
    assert not table.in_time


def test_the_column_that_is_asked_for() -> None:
    (table,) = number_tables(YEARS, "How did the profit develop?")
    assert [s.name for s in table.series] == ["Profit"]


def test_columns_of_another_size_or_unit_are_left_out() -> None:
    text = (
        "| City | People | Area (km) | Rate |\n| A | 500000 | 12 | 3 % |\n| B | 90000 | 30 | 4 % |"
    )
    (table,) = number_tables(text)
    assert [s.name for s in table.series] == ["People"]


@pytest.mark.parametrize(
    "text",
    [
        "No table | here",
        "| Name | Colour |\n| A | red |\n| B | blue |",
        "| Name | Count |\n| A | 1 |",
        "| A | 1 |\n| B | 2 |\n| C | 3 |",
        "| x | y |\n| 1 | 2 |\n| 2 | 4 |",
        "| Name | Count |\n| A | 1 |\n| A | 2 |",
        "| Name | Count |\n| A | 0 |\n| B | 0 |",
        "| Name | Count |\n" + "\n".join(f"| N{i}x | {i} |" for i in range(MOST_BARS + 1)),
        "| Name | Price |\n| A | $1 |\n| B | €2 |",
        "||\n||\n|-|",
    ],
)
def test_tables_that_are_not_drawn(text: str) -> None:
    assert number_tables(text) == []


def test_cells_are_read_as_ingestion_renders_them() -> None:
    rows = [["Name", "Count"], ["a | b", "3"], ["c", "4"]]
    (table,) = number_tables("\n".join(render_row(row) for row in rows))
    assert table.labels == ("a | b", "c")


def drawn(text: str, title: str = "") -> tuple[NumberTable, ET.Element]:
    (table,) = number_tables(text)
    return table, ET.fromstring(draw_chart(table, title))


SVG = "{http://www.w3.org/2000/svg}"


def test_bars_have_labels_values_and_the_axis_of_the_header() -> None:
    _, root = drawn(REGIONS, "Shares <1>")
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert {"Shares <1>", "North", "South & <b>", "12", "45.5", "Share (%)"} <= set(words)
    bars = [float(e.get("width", "0")) for e in root.iter(f"{SVG}rect")][1:]
    assert bars[1] / bars[0] == pytest.approx(45.5 / 12, rel=0.01)


def test_lines_break_where_a_value_is_missing() -> None:
    _, root = drawn(YEARS)
    assert len(list(root.iter(f"{SVG}polyline"))) == 1  # the profit of 2016 is missing
    assert len(list(root.iter(f"{SVG}circle"))) == 5
    words = {element.text for element in root.iter(f"{SVG}text")}
    assert {"2015", "2016", "2017", "Year", "Revenue", "Profit"} <= words


def test_everything_lies_within_the_picture() -> None:
    for text in (YEARS, REGIONS, "| K | V |\n| loss | -5 |\n| gain | 7,000,000 |"):
        _, root = drawn(text, "T" * 200)
        width, height = float(root.get("width", "0")), float(root.get("height", "0"))
        for element in root.iter():
            for name, most in (("x", width), ("cx", width), ("y", height), ("cy", height)):
                if element.get(name) is not None:
                    assert 0 <= float(element.get(name, "")) <= most


def test_the_bytes_are_the_same_each_time_and_hold_no_script() -> None:
    (table,) = number_tables(REGIONS)
    first, second = draw_chart(table, "<script>\x00\ud800"), draw_chart(table, "<script>\x00\ud800")
    assert first == second
    assert b"<script" not in first
    ET.fromstring(first)
