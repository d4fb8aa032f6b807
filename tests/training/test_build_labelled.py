"""Labelled pairs as they are, turned round, and among other evidence."""

import gzip
import json
import random

import build_labelled
import pytest
from build_labelled import _embedded, _turned, labelled_rows
from data.rows import (
    CONTRADICTION,
    NEUTRAL,
    SUPPORT,
    UNSUPPORTED,
    Row,
    is_kept_out,
    read_rows,
    write_rows,
)

LABELS = [(1, False), (0, True), (0, False), (0, None)]


def record(n, label, contradiction, premise="A woman of {} paints a tall green house by the sea."):
    claim = f"Somebody of {n} paints."
    return {
        "premise": premise.format(n),
        "claim": claim,
        "label": label,
        "contradiction": contradiction,
    }


@pytest.fixture
def data(tmp_path):
    for name in build_labelled.SHARES:
        path = tmp_path / "grounding/train" / f"{name}.jsonl.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(path, "wt", encoding="utf-8") as file:
            for n in range(40):
                file.write(json.dumps(record(f"{name}-{n}", *LABELS[n % 4])) + "\n")
    return tmp_path


def test_same_seed_same_rows(data):
    assert labelled_rows(data, 1) == labelled_rows(data, 1)
    assert labelled_rows(data, 1) != labelled_rows(data, 2)


def test_no_claim_is_one_that_is_kept_out(data):
    plain = [row for row in labelled_rows(data, 1) if not row.kind.endswith("_turned")]
    assert plain
    assert not any(is_kept_out(row.claim) for row in plain)


def test_every_source_is_taken_as_often_as_its_share_says(data):
    rows = labelled_rows(data, 1)
    for name, (_, times) in build_labelled.SHARES.items():
        kept = [n for n in range(40) if not is_kept_out(f"Somebody of {name}-{n} paints.")]
        assert sum(row.kind == name for row in rows) == times * len(kept)
        embedded = len(kept) if name in build_labelled.EMBEDDED else 0
        assert sum(row.kind == f"{name}_embedded" for row in rows) == embedded
        turned = sum(row.kind == f"{name}_turned" for row in rows)
        assert bool(turned) is (name in build_labelled.TURNED)


def test_the_most_of_a_source_is_a_limit(data, monkeypatch):
    monkeypatch.setattr(build_labelled, "SHARES", {"conjnli.train": (7, 2)})
    assert len(labelled_rows(data, 1)) == 14


def test_contradictions_of_the_semi_automatic_set_are_only_unsupported(data):
    rows = labelled_rows(data, 1)
    semi = {row.label for row in rows if row.kind.startswith("semiauto")}
    assert semi == {SUPPORT, NEUTRAL, UNSUPPORTED}
    assert CONTRADICTION in {row.label for row in rows if row.kind == "conjnli.train"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((1, False), NEUTRAL),
        ((0, True), CONTRADICTION),
        ((0, False), NEUTRAL),
        ((0, None), UNSUPPORTED),
    ],
)
def test_turned_pairs(given, expected):
    row = _turned(record(1, *given), "snli.dev", random.Random(1))
    assert (row.evidence, row.label, row.kind) == (
        "Somebody of 1 paints.",
        expected,
        "snli.dev_turned",
    )
    assert row.claim == "A woman of 1 paints a tall green house by the sea."
    assert row.claim_wrong is None


def test_a_support_in_nearly_the_same_words_is_not_turned():
    near = record(1, 1, contradiction=False, premise="Somebody of {} often paints.")
    against = record(1, 0, contradiction=True, premise="Somebody of {} often paints.")
    assert _turned(near, "snli.dev", random.Random(1)) is None
    assert _turned(against, "snli.dev", random.Random(1)).label == CONTRADICTION


def test_embedded_pairs_hold_their_evidence_and_that_of_others():
    others = [record(n, 1, contradiction=False) for n in range(9)]
    separators = set()
    for seed in range(30):
        row = _embedded(others[4], others, "mnli_m.dev", random.Random(seed))
        assert "A woman of 4 paints" in row.evidence
        found = row.evidence.count("A woman of")
        assert 1 <= found <= 4
        assert row.evidence.count("A woman of 4 paints") == 1
        assert (row.label, row.claim_wrong, row.evidence_wrong) == (SUPPORT, [], [])
        separators.add(" | " in row.evidence)
    assert separators == {True, False}


def test_the_file_leaves_out_claims_of_the_calibration(data, tmp_path, monkeypatch):
    without, out = tmp_path / "without.gz", tmp_path / "made" / "rows.gz"
    name = "conjnli.train"
    n = next(n for n in range(40) if not is_kept_out(f"Somebody of {name}-{n} paints."))
    claim = f"Somebody of {name}-{n} paints."
    write_rows(without, [Row("Text.", claim.upper(), SUPPORT, "kept")])
    arguments = ["x", "--data", str(data), "--out", str(out), "--without", str(without)]
    monkeypatch.setattr("sys.argv", arguments)
    build_labelled.main()
    claims = {row.claim for row in read_rows(out)}
    assert claim not in claims
    assert len(claims) > 300
