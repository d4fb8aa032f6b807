"""What was planned, managed, failed or alleged, and what may be claimed of it."""

import re

import pytest
from data.hedges import _DONE, _KIN, _NOT_DONE, _OPEN, hedge_row
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT

from tests.training.passages import check_rows, draw, texts

TEXTS = texts()
ROWS = draw(lambda rng: hedge_row(TEXTS, rng), 160)


def plain(forms):
    return re.compile("|".join(re.sub(r"^was\b", "(?:was|were)", form) for form in forms))


def test_same_seed_same_rows():
    assert draw(lambda rng: hedge_row(texts(), rng), 15) == ROWS[:15]


def test_rows_are_whole():
    check_rows(ROWS)


@pytest.mark.parametrize(
    ("kind", "label", "forms"),
    [
        ("open_same", SUPPORT, _OPEN), ("done_same", SUPPORT, _DONE), ("not_same", SUPPORT, _NOT_DONE),
        ("open_asserted", NEUTRAL, _OPEN), ("done_asserted", SUPPORT, _DONE),
        ("done_denied", CONTRADICTION, _DONE), ("not_asserted", CONTRADICTION, _NOT_DONE),
        ("not_denied", SUPPORT, _NOT_DONE),
    ],
)  # fmt: skip
def test_the_label_follows_what_the_evidence_says_of_the_deed(kind, label, forms):
    rows = [row for row in ROWS if row.kind == f"hedge_{kind}"]
    assert rows
    for row in rows:
        assert row.label == label
        assert plain(forms).search(row.evidence), row
        assert row.claim not in row.evidence, row


def test_what_was_done_contradicts_that_it_was_not():
    rows = [row for row in ROWS if row.kind == "hedge_not_for_done"]
    assert rows
    for row in rows:
        assert row.label == CONTRADICTION
        assert plain(_NOT_DONE).search(row.claim)


def test_every_form_has_a_kin():
    assert set(_KIN) == {*_OPEN, *_DONE, *_NOT_DONE}
