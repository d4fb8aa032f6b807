"""Make rows of every labelled pair in the ledger, with turned-round and embedded copies.

    python training/cross_encoder/build_labelled.py --data DATA --out RUN/labelled.jsonl.gz \
        --without RUN/calibration_rows.jsonl.gz

Unlike build.py, which samples, this takes each source nearly whole. Contradictions of the
semi-automatic set are often merely unrelated, so they count as "not supported".
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

from data.ledger import label_of
from data.rows import (
    CONTRADICTION,
    NEUTRAL,
    SUPPORT,
    UNSUPPORTED,
    Row,
    is_kept_out,
    read_jsonl,
    read_rows,
    usable,
    write_rows,
)
from data.text import best_evidence, clean
from unseen import claim_of

# file -> (most rows to take, times to repeat)
SHARES: dict[str, tuple[int, int]] = {
    "snli.dev": (9842, 1),
    "cad_snli.train": (8330, 1),
    "cad_snli.dev": (1000, 1),
    "mnli_m.dev": (9815, 2),
    "conjnli.train": (7000, 1),
    "fever_dev.dev": (13301, 1),
    "foolmetwice.dev": (1169, 3),
    "expertqa_domain.val": (924, 2),
    "expertqa_domain.test": (1092, 2),
    "factcg_doc.train": (2068, 3),
    "factcg_musique.train": (1042, 1),
    "factcheckgpt_stance.all": (3305, 2),
    "halueval_qa_1k.all": (2000, 1),
    "halueval_qa_small.all": (1487, 1),
    "faithdial_audit.all": (2191, 1),
    "begin_wow.dev": (430, 1),
    "begin_wow.test": (3607, 1),
    "wice_partial.train": (374, 3),
    "breaking_nli.test": (2000, 1),
    "indonli_id.train": (1000, 1),
    "jsick_ja.train": (800, 1),
    "jnli_ja.dev": (500, 1),
    "semiauto_nli_wiki.train": (5000, 1),
}
TURNED = ("snli.dev", "mnli_m.dev", "cad_snli.train")
EMBEDDED = ("mnli_m.dev", "fever_dev.dev", "foolmetwice.dev")


def labelled_rows(data: Path, seed: int) -> list[Row]:
    rows: list[Row] = []
    for name, (most, times) in SHARES.items():
        rng = random.Random(f"{seed}-labelled-{name}")
        records = read_jsonl(data / "grounding" / "train" / f"{name}.jsonl.gz")
        rng.shuffle(records)
        records = [record for record in records if not is_kept_out(record["claim"])][:most]
        rows += [_row(record, name, rng) for record in records * times]
        if name in TURNED:
            rows += [_turned(record, name, rng) for record in records if rng.random() < 0.35]
        if name in EMBEDDED:
            rows += [_embedded(record, records, name, rng) for record in records]
    return [row for row in rows if row is not None]


def _row(record: dict, name: str, rng: random.Random) -> Row:
    premise, claim = _texts(record, rng)
    # What the product joins for one reading: up to about 110 words, often of several chunks.
    size, count = rng.choice([(110, 1), (55, 2), (40, 3), (40, 3), (60, 1), (60, 2)])
    evidence = best_evidence(claim, premise, size, count)
    label = label_of(record)
    if name.startswith("semiauto") and label == CONTRADICTION:
        label = UNSUPPORTED
    fine = [] if label == SUPPORT else None
    return Row(evidence, claim, label, name, claim_wrong=fine, evidence_wrong=fine)


def _turned(record: dict, name: str, rng: random.Random) -> Row | None:
    """The claim as evidence: contradictions stay, a support rarely holds the other way round."""
    premise, claim = _texts(record, rng)
    label = label_of(record)
    if label == SUPPORT:
        # Nearly the same words: such a pair often does support both ways.
        if len(set(premise.lower().split()) - set(claim.lower().split())) < 4:
            return None
        label = NEUTRAL
    return Row(claim, premise, label, f"{name}_turned")


def _embedded(record: dict, others: list[dict], name: str, rng: random.Random) -> Row:
    """The evidence among that of two or three other claims, in any order."""
    premise, claim = _texts(record, rng)
    pieces = [best_evidence(claim, premise, 60, 1)]
    pieces += [
        best_evidence(claim, clean(other["premise"]), 45, 1)
        for other in rng.sample(others, rng.choice((1, 2, 3)))
        if other["premise"] != record["premise"]
    ]
    rng.shuffle(pieces)
    label = label_of(record)
    fine = [] if label == SUPPORT else None
    evidence = rng.choice((" ", " | ")).join(pieces)
    return Row(evidence, claim, label, f"{name}_embedded", claim_wrong=fine, evidence_wrong=fine)


def _texts(record: dict, rng: random.Random) -> tuple[str, str]:
    premise, claim = record["premise"], record["claim"]
    if rng.random() < 0.85:
        premise = clean(premise)
    if rng.random() < 0.6:
        claim = clean(claim)
    return premise, claim


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--without", type=Path, help="rows whose claims are kept for calibration")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    kept = {claim_of(row) for row in read_rows(args.without)} if args.without else set()
    rows = [
        replace(row, evidence=row.evidence.strip()) for row in labelled_rows(args.data, args.seed)
    ]
    rows = [row for row in rows if usable(row) and claim_of(row) not in kept]
    random.Random(f"{args.seed}-labelled-order").shuffle(rows)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    write_rows(args.out, rows)
    table = Counter((row.kind, row.label) for row in rows)
    for kind in sorted({row.kind for row in rows}):
        print(f"{kind:28}", *(f"{table[kind, label]:7}" for label in range(4)))
    print(len(rows), "rows")


if __name__ == "__main__":
    main()
