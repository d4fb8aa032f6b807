"""Pairs that people (or, for ConjNLI, a model) labelled: the ledger's train lines."""

from __future__ import annotations

import random
from pathlib import Path

from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, UNSUPPORTED, Row, read_jsonl
from data.text import best_evidence, clean

# file -> (most rows to take, times to repeat)
SHARES: dict[str, tuple[int, int]] = {
    "snli.dev": (3500, 1),
    "cad_snli.train": (4000, 1),
    "cad_snli.dev": (1000, 1),
    "conjnli.train": (5500, 1),
    "fever_dev.dev": (13301, 1),
    "foolmetwice.dev": (1169, 2),
    "expertqa_domain.val": (924, 2),
    "expertqa_domain.test": (1092, 2),
    "factcg_doc.train": (2068, 2),
    "factcg_musique.train": (800, 1),
    "factcheckgpt_stance.all": (3305, 1),
    "halueval_qa_1k.all": (2000, 1),
    "halueval_qa_small.all": (1487, 1),
    "faithdial_audit.all": (2191, 1),
    "begin_wow.dev": (430, 1),
    "begin_wow.test": (3607, 1),
    "mnli_m.dev": (9815, 1),
    "wice_partial.train": (374, 2),
    "breaking_nli.test": (2000, 1),
    "indonli_id.train": (3500, 1),
    "jsick_ja.train": (1500, 1),
    "jnli_ja.dev": (1500, 1),
    "semiauto_nli_wiki.train": (5500, 1),
}


def label_of(record: dict) -> int:
    if record["label"] == 1:
        return SUPPORT
    if record["contradiction"] is None:
        return UNSUPPORTED
    return CONTRADICTION if record["contradiction"] else NEUTRAL


def ledger_rows(data: Path, rng: random.Random) -> list[Row]:
    """The natural pairs, long premises cut to the chunks that overlap the claim most.

    Repeated rows are cut differently each time.
    """
    rows: list[Row] = []
    for name, (most, times) in SHARES.items():
        records = read_jsonl(data / "grounding" / "train" / f"{name}.jsonl.gz")
        rng.shuffle(records)
        rows += [_row(record, name, rng) for record in records[:most] * times]
    return rows


def _row(record: dict, name: str, rng: random.Random) -> Row:
    premise = record["premise"]
    if rng.random() < 0.8:
        premise = clean(premise)
    claim = record["claim"]
    if rng.random() < 0.5:
        claim = clean(claim)
    size, count = rng.choice([(90, 1), (40, 2), (30, 3), (90, 1), (40, 2), (60, 3)])
    evidence = best_evidence(claim, premise, size, count)
    label = label_of(record)
    fine = [] if label == SUPPORT else None
    return Row(evidence, claim, label, name, claim_wrong=fine, evidence_wrong=fine)
