"""Read the model's verdicts on a handful of pairs, with the words it marks.

    python training/cross_encoder/sanity.py --weights WEIGHTS [--pairs FILE]

FILE holds JSON lines {"evidence", "claim", "context", "expected"}; without it a few built-in
pairs are read. None of them is trained on.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from export import session
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from toulmin.grounding.inputs import EncodedPair, PairText, encode_pairs, pad_batch

FACT = (
    "author: Simple Wikipedia | Titanic is a 1997 American epic romantic disaster movie. It was "
    "directed, written, and co-produced by James Cameron. The movie is about the 1912 sinking of "
    "the RMS Titanic. It stars Kate Winslet and Leonardo DiCaprio. The movie was released on "
    "December 19, 1997. It received positive critical reviews. The movie won 11 Academy Awards, "
    "and was nominated for fourteen total Academy Awards."
)
SHIP = (
    'author: Simple Wikipedia | James Cameron\'s "Titanic" is an epic, action-packed romance '
    "set against the ill-fated maiden voyage of the R.M.S. Titanic; the pride and joy of the White "
    "Star Line and, at the time, the largest moving object ever built. She was the most luxurious "
    'liner of her era -- the "ship of dreams" -- which ultimately carried over 1,500 people to '
    "their death in the ice cold waters of the North Atlantic in the early hours of April 15, 1912."
)
NAMED = "Titanic was directed by James Cameron."
GOOGLE = "Google was founded on September 4, 1998, by Larry Page and Sergey Brin."
TORONTO = "author: Wikipedia | Toronto is the capital city of the Canadian province of Ontario."
PAIRS = [
    (FACT, NAMED, "", "support"),
    (FACT, "It was released in 1997.", NAMED, "support"),
    (FACT, "It starred Kate Winslet and Leonardo DiCaprio.", NAMED, "support"),
    (FACT, "It starred Leonardo DiCaprio and Kate Winslet.", NAMED, "support"),
    (FACT, "It starred Brad Pitt and Kate Winslet", NAMED, "contradiction"),
    (
        f"{FACT} | {SHIP}",
        "It was based on the sinking of the RMS Titanic that led to the death of 1500 people.",
        NAMED,
        "support",
    ),
    (SHIP, NAMED, "", "support"),
    (SHIP, "It was released in 1997.", NAMED, "neutral"),
    (SHIP, "It starred Brad Pitt and Kate Winslet", NAMED, "neutral"),
    (FACT, "The movie won 12 Academy Awards.", "", "contradiction"),
    (TORONTO, "Toronto is the capital of Ontario", "", "support"),
    (TORONTO, "Wikipedia cites that Toronto is the capital of Ontario", "", "support"),
    (TORONTO, "Government of Ontario claims that Toronto is the capital of Ontario", "", "neutral"),
    (GOOGLE, "Google was founded by Larry Page and Sergey Brin in 1998", "", "support"),
    (GOOGLE, "Google was founded by Larry Page and Sergey Brin in 1975", "", "contradiction"),
    ("Titanic fue dirigida por James Cameron.", "James Cameron dirigió Titanic.", "", "support"),
    (
        "タイタニックはジェームズ・キャメロンが監督した。",
        "タイタニックの監督はジェームズ・キャメロンです。",
        "",
        "support",
    ),
]


def marked(text: str, pair: EncodedPair, logits: np.ndarray, *, claim: bool) -> str:
    """The words with a "wrong" probability above one half."""
    first = pair.claim_start if claim else pair.evidence_start
    offsets = pair.claim_offsets if claim else pair.evidence_offsets
    return " ".join(text[a:b] for i, (a, b) in enumerate(offsets) if logits[first + i] > 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--pairs", type=Path)
    args = parser.parse_args()

    pairs = PAIRS
    if args.pairs:
        records = [json.loads(line) for line in args.pairs.read_text().splitlines() if line]
        pairs = [
            (r["evidence"], r["claim"], r.get("context", ""), r.get("expected", ""))
            for r in records
        ]
    tokenizer = Tokenizer.from_file(str(args.weights / "tokenizer.json"))
    run = session(args.weights / "model.onnx")
    for evidence, claim, context, expected in pairs:
        encoded = encode_pairs(tokenizer, [PairText(evidence, claim, context)])
        ids, mask, types = pad_batch(encoded)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        logits, words = run.run(["logits", "word_logits"], feed)
        powers = np.exp(logits[0] - logits[0].max())
        shares = " ".join(f"{p:.3f}" for p in powers / powers.sum())
        wrong = marked(claim, encoded[0], words[0], claim=True)
        against = marked(evidence, encoded[0], words[0], claim=False)
        print(f"{expected:14} {shares}  {claim!r}  wrong: {wrong!r}  against: {against!r}")


if __name__ == "__main__":
    main()
