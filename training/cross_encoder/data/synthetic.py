"""The generated rows: how many of each, and from which texts."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from pathlib import Path

from data.entities import Pools
from data.framing import (
    about_attribute,
    attributed,
    context_rows,
    foreign_edit,
    meta,
    neutral_rows,
    random_prefix,
)
from data.ledger import SHARES, ledger_rows
from data.passages import passage_rows
from data.profiles import foreign_row, profile_row
from data.questions import qa_row
from data.rows import NEUTRAL, Row, read_jsonl
from data.text import clean, sentences

QA = ("squad1_part", "adversarial_qa_part", "qed_nq", "policyqa")
PASSAGE_SETS = (
    "halueval_qa_1k.all",
    "factcg_doc.train",
    "wice_partial.train",
    "factcheckgpt_stance.all",
    "expertqa_domain.val",
    "expertqa_domain.test",
    "fever_dev.dev",
)
COUNTS = {
    "passages": 24000,
    "qa": 15000,
    "profiles": 11000,
    "foreign_profiles": 2500,
    "foreign_edits": 3500,
    "context": 4000,
    "other": 3500,
    "hard_other": 4500,
    "attributed": 5500,
    "about_attribute": 1000,
    "meta": 2500,
}


def passages_of(data: Path) -> list[str]:
    """English passages of at least 25 words, each once, in a fixed order."""
    texts = [
        clean(r["context"])
        for name in QA
        for r in read_jsonl(data / "qa" / "train" / f"{name}.jsonl.gz")
    ]
    for name in PASSAGE_SETS:
        texts += [
            clean(r["premise"][:6000])
            for r in read_jsonl(data / "grounding" / "train" / f"{name}.jsonl.gz")
        ]
    return [t for t in dict.fromkeys(texts) if len(t.split()) >= 25 and "(meta data)" not in t[:40]]


def synthetic_rows(data: Path, seed: int) -> list[Row]:
    """All generated rows; a fifth of them get attributes that do not matter."""

    def rng(name: str) -> random.Random:
        return random.Random(f"{seed}-{name}")

    passages = passages_of(data)
    rng("passages-order").shuffle(passages)
    pools = Pools()
    for text in passages[:3000]:
        pools.add(text)
    rows = _from_passages(passages, pools, rng("passages"))
    rows += _from_questions(data, pools, passages, rng("qa"))
    rows += made(profile_row, COUNTS["profiles"], rng("profiles"))
    rows += made(foreign_row, COUNTS["foreign_profiles"], rng("foreign"))
    rows += _foreign_edits(data, pools, rng("foreign-edits"))
    natural = [r for r in ledger_rows(data, rng("ledger")) if r.kind in SHARES]
    fever = [r for r in natural if r.kind.startswith("fever")]
    rows += context_rows(fever, rng("context"), COUNTS["context"])
    english = [r for r in rows if not r.kind.startswith("foreign")] + fever
    sample = rng("framing").sample(english, len(english))
    rows += neutral_rows(sample[:20000], rng("other"), COUNTS["other"], hard=False)
    rows += neutral_rows(sample[:20000], rng("hard"), COUNTS["hard_other"], hard=True)
    plain = [r for r in sample if not r.context and len(r.claim.split()) > 3]
    frame = rng("frames")
    rows += [attributed(r, frame) for r in plain[: COUNTS["attributed"]]]
    rows += [about_attribute(r, frame) for r in plain[-COUNTS["about_attribute"] :]]
    rows += [meta(r, frame) for r in plain[-COUNTS["meta"] - 1500 : -1500]]
    return [_maybe_prefixed(r, frame) for r in rows]


def _maybe_prefixed(row: Row, rng: random.Random) -> Row:
    framed = row.kind.startswith(("attributed", "about"))
    return random_prefix(row, rng) if not framed and rng.random() < 0.2 else row


def made(make, count: int, rng: random.Random) -> list[Row]:
    rows: list[Row] = []
    while len(rows) < count:
        row = make(rng)
        if row is not None:
            rows.append(row)
    return rows


def _from_passages(passages: list[str], pools: Pools, rng: random.Random) -> list[Row]:
    rows: list[Row] = []
    while len(rows) < COUNTS["passages"]:
        for text in passages:
            rows += passage_rows(text, pools, passages, rng, 3)
    return rng.sample(rows, COUNTS["passages"])


def _from_questions(data: Path, pools: Pools, passages: list[str], rng: random.Random) -> list[Row]:
    records: list[dict] = []
    for name in QA:
        records += read_jsonl(data / "qa" / "train" / f"{name}.jsonl.gz")
    answers: dict[str, list[str]] = defaultdict(list)
    for record in records:
        if record["answers"]:
            answers[record["context"]].append(record["answers"][0]["text"])
    rows: list[Row] = []
    while len(rows) < COUNTS["qa"]:
        for i, record in enumerate(records):
            if record["answers"]:
                near = records[max(0, i - 60) : i + 60]
                row = qa_row(record, answers, near, pools, passages, rng)
                if row is not None:
                    rows.append(row)
    return rng.sample(rows, COUNTS["qa"])


def _foreign_edits(data: Path, pools: Pools, rng: random.Random) -> list[Row]:
    contexts = list(
        dict.fromkeys(r["context"] for r in read_jsonl(data / "qa" / "train" / "jaquad.jsonl.gz"))
    )
    premises = [
        r["premise"] for r in read_jsonl(data / "grounding" / "train" / "indonli_id.train.jsonl.gz")
    ]
    texts = rng.sample(contexts, 2500) + rng.sample(premises, 2500)
    katakana = sorted(set(re.findall(r"[ァ-ヴー]{3,}", "".join(contexts[:600]))))
    rows: list[Row] = []
    while len(rows) < COUNTS["foreign_edits"]:
        found = sentences(rng.choice(texts))
        if not found:
            continue
        at = rng.randrange(len(found))
        if not 8 <= len(found[at]) <= 160:
            continue
        near = found[max(0, at - 1) : at + 2]
        joined = "".join(near) if ord(found[at][0]) > 0x2E80 else " ".join(near)
        if rng.random() < 0.15 and len(near) > 1:
            rest = [s for s in near if s != found[at]]
            rows.append(Row("".join(rest) or joined, found[at], NEUTRAL, "foreign_removed"))
            continue
        row = foreign_edit(found[at], joined, pools, katakana, rng)
        if row is not None:
            rows.append(row)
    return rows
