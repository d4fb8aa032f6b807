"""Texts as they are read."""

from __future__ import annotations

from toulmin.conversation.words import without_long_blanks


def test_a_text_keeps_its_blanks_but_for_very_many_in_a_row():
    assert without_long_blanks("to  Ann,\n\n 20 euros ") == "to  Ann,\n\n 20 euros "
    assert without_long_blanks(f"to{' ' * 100_000}Ann") == f"to{' ' * 40}Ann"
    assert without_long_blanks(" \n" * 1_000 + "Ann") == " \n" * 20 + "Ann"
