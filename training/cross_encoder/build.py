"""Make the training rows: the ledger's pairs and the generated ones, shuffled, seeded.

python training/cross_encoder/build.py --data DATA --out RUN/rows.jsonl.gz [--only-ledger]
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from pathlib import Path

from data.ledger import ledger_rows
from data.rows import Row, usable, write_rows


def build(data: Path, seed: int, *, only_ledger: bool) -> list[Row]:
    rows = ledger_rows(data, random.Random(f"{seed}-ledger"))
    if not only_ledger:
        from data.synthetic import synthetic_rows

        rows += synthetic_rows(data, seed)
    rows = [row for row in rows if usable(row)]
    random.Random(f"{seed}-order").shuffle(rows)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only-ledger", action="store_true")
    args = parser.parse_args()

    began = time.monotonic()
    rows = build(args.data, args.seed, only_ledger=args.only_ledger)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    write_rows(args.out, rows)
    table = Counter((row.kind, row.label) for row in rows)
    for kind in sorted({row.kind for row in rows}):
        print(f"{kind:28}", *(f"{table[kind, label]:7}" for label in range(4)))
    print(f"{len(rows)} rows in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
