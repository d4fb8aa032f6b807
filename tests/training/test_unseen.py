"""Which claims a run of train.py saw: what it left out and in which order it read."""

import json

from data.rows import SUPPORT, Row, is_kept_out, write_rows
from unseen import claim_of, trained_claims


def test_a_run_saw_all_but_the_kept_out_claims(tmp_path):
    rows = [Row("evidence", f"Claim number {i}", SUPPORT, "made") for i in range(60)]
    write_rows(tmp_path / "rows.jsonl.gz", rows)
    facts = {"rows": [str(tmp_path / "rows.jsonl.gz")], "seed": 1}
    (tmp_path / "run.json").write_text(json.dumps(facts))
    (tmp_path / "log.jsonl").write_text(json.dumps({"rows": 10}) + "\n")
    kept_out = {claim_of(row) for row in rows if is_kept_out(row.claim)}
    assert kept_out
    assert trained_claims(tmp_path) == {claim_of(row) for row in rows} - kept_out
