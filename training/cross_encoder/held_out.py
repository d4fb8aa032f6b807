"""Accuracy by generator, and precision and recall of wrong words, on rows never trained on.

python training/cross_encoder/held_out.py --weights WEIGHTS --rows UNSEEN [--items 2500]
"""

from __future__ import annotations

import argparse
import itertools
from collections import defaultdict
from pathlib import Path

import numpy as np
from batches import word_targets
from data.rows import UNSUPPORTED, Row, read_rows
from export import session
from tokenizers import Tokenizer

from toulmin.grounding.inputs import EncodedPair, PairText, encode_pairs, pad_batch


def words_counted(row: Row, pair: EncodedPair, logits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(claim, evidence) counts of tokens: marked rightly, marked wrongly, missed."""
    targets = np.array(word_targets(row, pair))
    marked = logits[: len(targets)] > 0
    claim = np.arange(len(targets)) >= pair.claim_start
    counts = []
    for side in (claim, ~claim):
        wrong, right = side & (targets == 1), side & (targets == 0)
        found = (marked & wrong).sum()
        counts.append(np.array([found, (marked & right).sum(), wrong.sum() - found]))
    return counts[0], counts[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--rows", type=Path, required=True, help="what unseen.py wrote")
    parser.add_argument("--items", type=int, default=2500)
    args = parser.parse_args()

    tokenizer = Tokenizer.from_file(str(args.weights / "tokenizer.json"))
    run = session(args.weights / "model.onnx")
    rows = list(itertools.islice(read_rows(args.rows), args.items))
    encoded = encode_pairs(tokenizer, [PairText(r.evidence, r.claim, r.context) for r in rows])
    right: dict[str, list[bool]] = defaultdict(list)
    totals = [np.zeros(3), np.zeros(3)]
    for row, pair in zip(rows, encoded, strict=True):
        ids, mask, types = pad_batch([pair])
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        logits, words = run.run(["logits", "word_logits"], feed)
        guess = int(logits[0].argmax())
        ok = guess != 0 if row.label == UNSUPPORTED else guess == row.label
        for name in (row.kind, "all"):
            right[name].append(ok)
        if row.claim_wrong is not None and row.evidence_wrong is not None:
            for total, counted in zip(totals, words_counted(row, pair, words[0]), strict=True):
                total += counted
    for kind, values in sorted(right.items()):
        print(f"{kind:28} {len(values):5} {np.mean(values):.3f}")
    for name, (found, extra, missed) in zip(("claim", "evidence"), totals, strict=True):
        print(
            f"wrong words of the {name}: precision {found / (found + extra):.3f}, "
            f"recall {found / (found + missed):.3f}"
        )


if __name__ == "__main__":
    main()
