"""Rows survive their file, and what is kept out of training never changes."""

import gzip
import json

import pytest
from data.rows import QUESTION, SUPPORT, Row, is_kept_out, read_jsonl, read_rows, usable, write_rows

# Every calibration relies on this split: a change of rule would let trained claims into it.
KEPT_OUT = [8, 9, 16, 18, 19, 22, 34, 35, 41, 45, 73]


def test_what_is_kept_out_is_fixed():
    assert [n for n in range(80) if is_kept_out(f"Claim number {n}.")] == KEPT_OUT


def test_what_is_kept_out_depends_on_the_words_alone():
    for n in range(80):
        expected = n in KEPT_OUT
        assert is_kept_out(f"CLAIM  number\n{n}. ") is expected
        assert is_kept_out(f"\tclaim number {n}.") is expected


def test_one_claim_in_ten_is_kept_out():
    share = sum(is_kept_out(f"The town of {n} lies on a river.") for n in range(5000)) / 5000
    assert 0.09 < share < 0.115


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (Row("The lake is deep.", "It is deep.", SUPPORT, "kept"), True),
        (Row("The lake is deep.", "No", SUPPORT, "kept"), False),
        (Row(" \n", "It is deep.", SUPPORT, "kept"), False),
        (Row("The Titanic sank.", "It sank.", SUPPORT, "kept"), False),
        (Row("The ship sank.", "The TITANIC sank.", SUPPORT, "kept"), False),
        (Row("The ship sank.", "It sank.", SUPPORT, "kept", "The Titanic was a ship."), False),
    ],
)
def test_broken_rows_and_acceptance_examples_are_left_out(row, expected):
    assert usable(row) is expected


def test_rows_survive_their_file(tmp_path):
    rows = [
        Row('É 雪 is "snow".', "雪 is snow.", SUPPORT, "kept", "Before.", [], [(0, 1)]),
        Row("Nothing is known.", "It is known.", 1, "made", "", None, None),
        Row("Ann came in 1990.", "When?", QUESTION, "asked", answers=[(12, 16)]),
        Row("Ann came.", "When?", QUESTION, "asked", answers=[]),
    ]
    write_rows(tmp_path / "rows.gz", rows)
    found = read_rows(tmp_path / "rows.gz")
    assert [row.answers for row in found] == [None, None, [[12, 16]], []]
    assert [(r.evidence, r.claim, r.label, r.kind, r.context) for r in found] == [
        (r.evidence, r.claim, r.label, r.kind, r.context) for r in rows
    ]
    assert [tuple(s) for s in found[0].evidence_wrong] == [(0, 1)]
    assert (found[0].claim_wrong, found[1].claim_wrong) == ([], None)


def test_question_rows_of_the_reader_are_read_as_questions(tmp_path):
    import question_rows

    made = question_rows.QuestionRow("Ann came in 1990.", "When did Ann come?", [(12, 16)], "asked")
    question_rows.write_rows(tmp_path / "rows.gz", [made])
    expected = Row(made.evidence, made.question, QUESTION, "asked", answers=[(12, 16)])
    assert read_rows(tmp_path / "rows.gz") == [expected]
    assert question_rows.read_rows(tmp_path / "rows.gz") == [made]


def test_data_files_are_lines_of_json(tmp_path):
    with gzip.open(tmp_path / "set.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps({"claim": "Å"}) + "\n")
    assert read_jsonl(tmp_path / "set.jsonl.gz") == [{"claim": "Å"}]
    with pytest.raises(SystemExit, match="--data names the folder"):
        read_jsonl(tmp_path / "absent.jsonl.gz")
