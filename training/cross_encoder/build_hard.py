"""Rows for the last stage: rows that no stage has seen yet, and claims that say two things.

python training/cross_encoder/build_hard.py --data DATA --unseen UNSEEN --out RUN/rows.jsonl.gz
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path

from data.compounds import (
    compound_row,
    fused_row,
    lookalike_row,
    misattributed_row,
    number_row,
    quoted_row,
    relation_row,
)
from data.entities import Pools
from data.framing import random_prefix
from data.profiles import foreign_row
from data.rows import SUPPORT, Row, read_rows, usable, write_rows
from data.synthetic import made, passages_of

COUNTS = {
    "compound": 3000,
    "relation": 1500,
    "number": 1800,
    "lookalike": 2200,
    "fused": 4500,
    "near": 1500,
    "quoted": 1000,
    "foreign": 1500,
}


def hard_rows(data: Path, unseen: list[Row], seed: int) -> list[Row]:
    """The generated rows; a fifth of them get attributes that do not matter."""

    def rng(name: str) -> random.Random:
        return random.Random(f"{seed}-hard-{name}")

    passages = passages_of(data)
    rng("passages").shuffle(passages)
    pools = Pools()
    for text in passages[:3000]:
        pools.add(text)
    true = [
        r
        for r in unseen
        if r.label == SUPPORT and r.kind in ("kept", "qa_kept", "fever_dev.dev", "profile_fact")
    ]
    rows = made(compound_row, COUNTS["compound"], rng("compound"))
    rows += made(lookalike_row, COUNTS["lookalike"], rng("lookalike"))
    rows += made(foreign_row, COUNTS["foreign"], rng("foreign"))
    rows += made(relation_row, COUNTS["relation"], rng("relation"))
    rows += made(number_row, COUNTS["number"], rng("number"))
    rows += made(
        lambda r: fused_row(r.choice(passages), pools, passages, r), COUNTS["fused"], rng("fused")
    )
    rows += made(lambda r: quoted_row(r.choice(true), r), COUNTS["quoted"], rng("quoted"))
    prefixed = rng("prefix")
    rows = [random_prefix(r, prefixed) if prefixed.random() < 0.2 else r for r in rows]
    return rows + made(lambda r: misattributed_row(r.choice(true), r), COUNTS["near"], rng("near"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--unseen", type=Path, required=True, help="what unseen.py wrote")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--keep", type=int, default=6000, help="unseen rows to leave for calibration"
    )
    parser.add_argument("--most", type=int, default=15000, help="unseen rows to train on")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    unseen = read_rows(args.unseen)[args.keep :][: args.most]
    rows = [r for r in unseen + hard_rows(args.data, unseen, args.seed) if usable(r)]
    random.Random(f"{args.seed}-hard-order").shuffle(rows)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    write_rows(args.out, rows)
    print(len(rows), "rows;", Counter(row.label for row in rows))


if __name__ == "__main__":
    main()
