"""The same claims with and without the sentence that decides them."""

import random
import re

import pytest
from data.contrast import contrast_row, denial_row, evidence_with, told_by
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, UNSUPPORTED
from data.verbs import is_negative

from tests.training.passages import check_rows, draw, texts

TEXTS = texts()
ROWS = draw(lambda rng: contrast_row(TEXTS, rng), 240)
DENIALS = draw(lambda rng: denial_row(TEXTS, rng), 70)


def test_same_seed_same_rows():
    assert draw(lambda rng: contrast_row(texts(), rng), 15) == ROWS[:15]
    assert draw(lambda rng: contrast_row(TEXTS, rng), 15, seed=8) != ROWS[:15]


def test_rows_are_whole():
    check_rows(ROWS)
    assert {row.label for row in ROWS} == {SUPPORT, CONTRADICTION, NEUTRAL, UNSUPPORTED}


def test_claims_without_their_sentence_are_neutral_whatever_was_altered():
    without = [row for row in ROWS if row.kind.startswith("without_")]
    with_it = [row for row in ROWS if row.kind.startswith("with_")]
    assert len(without) + len(with_it) == len(ROWS)
    assert all(row.label == NEUTRAL for row in without)
    assert all(row.label != NEUTRAL for row in with_it)
    assert {"without_kept", "without_twice_value"} <= {row.kind for row in without}


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("with_kept", SUPPORT), ("with_twice_value", SUPPORT), ("with_twice_word", SUPPORT),
        ("with_denied", CONTRADICTION), ("with_edit_antonym", CONTRADICTION),
        ("with_false_that", CONTRADICTION),
    ],
)  # fmt: skip
def test_the_label_follows_the_edit(kind, label):
    found = [row for row in ROWS if row.kind == kind]
    assert found or kind == "with_false_that"
    assert {row.label for row in found} <= {label}


def test_kept_claims_say_what_a_sentence_of_the_evidence_says():
    for row in ROWS:
        if row.kind == "with_kept":
            assert told_by(row.claim, row.evidence), row
        if row.kind == "without_kept":
            assert row.claim not in row.evidence
            assert not any(told_by(row.claim, s) for s in row.evidence.split(" | ")[0].split(". "))


def test_only_wrong_claims_have_wrong_words():
    for row in ROWS:
        if row.label == SUPPORT:
            assert row.claim_wrong == []
        elif row.label == NEUTRAL:
            assert row.claim_wrong is None
        else:
            assert row.claim_wrong


def test_changed_values_are_marked_in_claim_and_evidence():
    checked = 0
    for row in ROWS:
        if re.fullmatch(r"with_edit_(year|date|numb|plac|pers|name|org)", row.kind):
            (span,) = row.claim_wrong
            for start, end in row.evidence_wrong or []:
                assert row.evidence[start:end] != row.claim[slice(*span)]
                checked += 1
    assert checked > 10


def test_denials_of_altered_claims_are_true_or_not_told():
    check_rows(DENIALS)
    kinds = {row.kind for row in DENIALS}
    assert {"with_twice_value", "with_twice_word", "with_corrected"} <= kinds
    for row in DENIALS:
        assert is_negative(row.claim) or "false" in row.claim or "rather" in row.claim
        if row.kind.startswith("with_twice"):
            assert row.label == SUPPORT


def test_a_correction_is_true_when_it_takes_back_what_the_evidence_lacks():
    found = [row for row in DENIALS if row.kind == "with_corrected"]
    assert {row.label for row in found} == {SUPPORT, CONTRADICTION}
    for row in found:
        for start, end in row.evidence_wrong:
            old = row.evidence[start:end]
            said = row.claim[slice(*row.claim_wrong[0])]
            assert said.endswith(old) or said.startswith(f"not {old} but "), row
        kept = re.search(r"(\d{4})(?:,? and not|, not| rather than) \d{4}", row.claim)
        if kept and row.label == SUPPORT:
            assert kept[1] in row.evidence, row


def test_evidence_holds_the_sentence_whole():
    for seed in range(60):
        rng = random.Random(seed)
        at = rng.randrange(len(TEXTS.passages))
        spot = rng.randrange(len(TEXTS.passages[at]))
        found = evidence_with(TEXTS, at, spot, rng)
        assert TEXTS.passages[at][spot] in found
        assert len(found.split()) <= 175
