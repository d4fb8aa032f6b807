"""The line of dashes of a Markdown table."""

import pytest

from toulmin.text.tables import is_table_rule


@pytest.mark.parametrize("line", ["|---|", "|:--|:-:|--:|", "| - | - |", "|---|---"])
def test_dashes_between_bars_are_a_rule(line):
    assert is_table_rule(line)


@pytest.mark.parametrize("line", ["---", "| a | - |", "||", "| |", "", "a |---|"])
def test_what_has_words_or_no_bar_first_or_no_dash_is_none(line):
    assert not is_table_rule(line)
