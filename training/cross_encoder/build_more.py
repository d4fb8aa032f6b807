"""Rows on what the model gets wrong: denial, roles, missing evidence, hedges, studies, amounts.

python training/cross_encoder/build_more.py --data DATA --out RUN/more.jsonl.gz [--seed N]
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from data.amounts import amount_row
from data.asked import asked_of, asked_row
from data.contrast import contrast_row, denial_row, texts_of
from data.crossed import crossed_row
from data.documents import document_row, labelled_of
from data.entities import Pools
from data.hedges import hedge_row
from data.roles import role_row
from data.rows import Row, usable, write_rows
from data.studies import study_row
from data.synthetic import made, passages_of

COUNTS = {
    "contrast": 24000,
    "denials": 2400,
    "crossed": 6000,
    "asked": 6000,
    "documents": 8000,
    "roles": 5000,
    "studies": 7000,
    "hedges": 4000,
    "amounts": 3500,
}


def more_rows(data: Path, seed: int, only: list[str]) -> list[Row]:
    """All rows, each once, in an order that depends on the seed alone."""
    passages = passages_of(data)
    pools = Pools()
    for text in passages[::5]:
        pools.add(text)
    texts, asked, labelled = texts_of(passages, pools), asked_of(data), labelled_of(data)
    makers: dict[str, Callable[[random.Random], Row | None]] = {
        "contrast": lambda r: contrast_row(texts, r),
        "denials": lambda r: denial_row(texts, r),
        "asked": lambda r: asked_row(asked, pools, r),
        "documents": lambda r: document_row(labelled, texts.passages, r),
        "crossed": lambda r: crossed_row(texts, r),
        "roles": role_row,
        "studies": study_row,
        "hedges": lambda r: hedge_row(texts, r),
        "amounts": lambda r: amount_row(texts, r),
    }
    rows: dict[tuple[str, str], Row] = {}
    for name, make in makers.items():
        if only and name not in only:
            continue
        for row in made(make, COUNTS[name], random.Random(f"{seed}-more-{name}")):
            if usable(row):
                rows.setdefault((row.evidence, row.claim), row)
    rng = random.Random(f"{seed}-more-longer")
    drawn = list(rows.values())
    out = [longer(row, drawn, rng) for row in drawn]
    random.Random(f"{seed}-more-order").shuffle(out)
    return out


def longer(row: Row, others: list[Row], rng: random.Random) -> Row:
    """Half of the rows with short evidence get pieces of other rows' evidence around it."""
    if len(row.evidence.split()) > 70 or rng.random() < 0.45:
        return row
    before, evidence, after = "", row.evidence, ""
    for _ in range(rng.choice([1, 2])):
        piece = rng.choice(others).evidence.split(" | ")[0]
        size = len(f"{before} {evidence} {after} {piece}".split())
        if size > 165 or len(piece.split()) < 12 or piece in evidence:
            continue
        if rng.random() < 0.5:
            before = f"{piece} | {before}"
        else:
            after = f"{after} | {piece}"
    wrong = row.evidence_wrong
    moved = wrong and [(a + len(before), b + len(before)) for a, b in wrong]
    return replace(row, evidence=before + evidence + after, evidence_wrong=moved)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], help="some generators, for looking at")
    args = parser.parse_args()

    began = time.monotonic()
    rows = more_rows(args.data, args.seed, args.only)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    write_rows(args.out, rows)
    table = Counter((row.kind, row.label) for row in rows)
    for kind in sorted({row.kind for row in rows}):
        print(f"{kind:28}", *(f"{table[kind, label]:7}" for label in range(4)))
    print(f"{'all':28}", *(f"{sum(r.label == n for r in rows):7}" for n in range(4)))
    print(f"{len(rows)} rows in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
