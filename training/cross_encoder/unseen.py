"""Rows of a build that no training run has seen: what a calibration may be fitted on.

    python training/cross_encoder/unseen.py --rows RUN/rows.jsonl.gz \
        --seen RUN0 --seen RUN1 --out RUN/unseen.jsonl.gz

A run's folder says which rows it read (`run.json`) and how many (`log.jsonl`). A row is left out
when its claim was trained on, whatever its evidence was.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from pathlib import Path

from data.rows import Row, is_kept_out, read_rows, write_rows


def trained_claims(run: Path) -> set[str]:
    """Claims of the rows that a run has trained on."""
    facts = json.loads((run / "run.json").read_text())
    last = json.loads((run / "log.jsonl").read_text().splitlines()[-1])
    rows = [row for path in facts["rows"] for row in read_rows(Path(path))]
    random.Random(f"{facts['seed']}-order").shuffle(rows)
    rows = [row for row in rows if not is_kept_out(row.claim)]
    order = list(range(len(rows)))
    random.Random(f"{facts['seed']}-0").shuffle(order)
    # Batches are drawn from pools of 2,048 rows, so the last pool counts as seen whole.
    return {claim_of(rows[i]) for i in order[: last["rows"] + 2048]}


def claim_of(row: Row) -> str:
    return " ".join(row.claim.lower().split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--seen", type=Path, action="append", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    seen: set[str] = set().union(*(trained_claims(run) for run in args.seen))
    rows = [row for row in read_rows(args.rows) if claim_of(row) not in seen]
    write_rows(args.out, rows)
    print(len(rows), "rows;", Counter(row.label for row in rows))


if __name__ == "__main__":
    main()
