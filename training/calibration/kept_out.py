"""Read the claims that no training stage saw with the product's own evidence selection.

    python training/calibration/kept_out.py --data DATA --out RUN/kept_out.npz \
        --model src/toulmin/models/weights/cross_encoder

One claim in ten of the ledger's train lines is kept out of every training stage (`is_kept_out`
in training/cross_encoder/data/rows.py). Here each meets its whole premise as a user's answer meets
its facts: split, searched, several pieces read. What is written: for every piece read its
features, the item it belongs to, and the item's label and set.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

import numpy as np

from toulmin.cli.check import split_paragraphs
from toulmin.domain import Fact
from toulmin.grounding.claims import split_claims
from toulmin.grounding.evidence import select_evidence
from toulmin.grounding.inputs import PairText, encode_pairs, evidence_text
from toulmin.grounding.subjects import spell_out
from toulmin.grounding.support import pair_features, pieces_of
from toulmin.models.cross_encoder import CrossEncoder
from toulmin.models.encoder_pool import EncoderPool
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.models.static_embedder import StaticEmbedder

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cross_encoder"))

from data.ledger import label_of
from data.rows import is_kept_out, read_jsonl

# Sources with labels worth calibrating on, and the most claims of each; labels that a program
# made (ConjNLI, semi-automatic NLI, BreakingNLI) are left out or few.
MOST = {
    "snli.dev": 400,
    "cad_snli.train": 250,
    "mnli_m.dev": 900,
    "fever_dev.dev": 900,
    "foolmetwice.dev": 200,
    "conjnli.train": 150,
    "expertqa_domain.val": 400,
    "expertqa_domain.test": 400,
    "factcg_doc.train": 400,
    "factcg_musique.train": 60,
    "factcheckgpt_stance.all": 350,
    "halueval_qa_1k.all": 200,
    "halueval_qa_small.all": 120,
    "faithdial_audit.all": 220,
    "begin_wow.dev": 60,
    "begin_wow.test": 350,
    "wice_partial.train": 60,
}
MOST_FACTS = 200


def facts_of(premise: str) -> list[Fact]:
    parts = [premise] if len(premise) <= 10_000 else list(split_paragraphs(premise))
    return [Fact(part) for part in parts[:MOST_FACTS] if part.strip()]


def read_item(
    record: dict, encoder: CrossEncoder, pool: EncoderPool, embedder: StaticEmbedder
) -> np.ndarray | None:
    """Features of each piece read, shape (pieces, features); None unless it is one claim."""
    facts = facts_of(record["premise"])
    claims = [claim for claim in split_claims(record["claim"]) if claim.needs_check]
    if len(claims) != 1 or not facts:
        return None
    claim = spell_out(claims[0])
    (items,) = select_evidence([claim], facts, embedder=embedder)
    if not items:
        return None
    pairs = [
        PairText(evidence_text(pieces_of(item, facts)), claim.text, claim.context) for item in items
    ]
    encoded = encode_pairs(encoder.tokenizer, pairs, max_tokens=encoder.max_tokens)
    return pair_features(pairs, np.array([output.classes for output in pool.run(encoded)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()

    encoder = CrossEncoder(args.model)
    pool = EncoderPool(encoder, workers=args.threads)
    embedder = StaticEmbedder(EMBEDDED_WEIGHTS / "static_embedder")
    features, owner, labels, sets = [], [], [], []
    for name, most in MOST.items():
        records = read_jsonl(args.data / "grounding" / "train" / f"{name}.jsonl.gz")
        records = [record for record in records if is_kept_out(record["claim"])]
        random.Random(f"1-{name}").shuffle(records)
        before = len(labels)
        for record in records[:most]:
            found = read_item(record, encoder, pool, embedder)
            if found is None:
                continue
            features.append(found)
            owner += [len(labels)] * len(found)
            labels.append(label_of(record))
            sets.append(name)
        print(f"{name:26} {len(labels) - before:5}", flush=True)
    pool.close()
    np.savez_compressed(
        args.out,
        features=np.concatenate(features),
        owner=np.array(owner),
        labels=np.array(labels),
        sets=np.array(sets),
    )


if __name__ == "__main__":
    main()
