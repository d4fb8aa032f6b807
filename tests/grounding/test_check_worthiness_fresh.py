"""Sentences written without sight of the rules: what they miss must be empty talk, not statements."""

import json
from pathlib import Path

from toulmin.grounding.check_worthiness import needs_check

CASES = json.loads(
    (Path(__file__).parent / "data" / "check_worthiness_fresh.json").read_text(encoding="utf-8")
)


def test_every_statement_is_checked():
    statements = [case["text"] for case in CASES if case["needs_check"] is True]
    assert len(statements) >= 60
    assert [text for text in statements if not needs_check(text)] == []


def test_hedged_statements_are_checked():
    hedged = [case["text"] for case in CASES if case["needs_check"] is None]
    assert len(hedged) >= 8
    assert all(map(needs_check, hedged))


def test_most_empty_sentences_are_not():
    empty = [case["text"] for case in CASES if case["needs_check"] is False]
    assert len(empty) >= 60
    assert sum(not needs_check(text) for text in empty) / len(empty) >= 0.75  # measured: 0.764
