"""Counts terms in the ledger's training text; writes how much each frequent one tells.

    PYTHONPATH=src python training/static_embedder/term_weights.py \
        --data <folder of the ledger> --out src/toulmin/grounding/data/term_weights.json
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from pathlib import Path

from pairs import read_texts

from toulmin.grounding.terms import STOPWORDS, to_term
from toulmin.text.words import scan_words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds LEDGER.md")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--at-least", type=int, default=60, help="texts a term must occur in")
    options = parser.parse_args()
    texts = read_texts(options.data)
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({to_term(word) for word in scan_words(text).words()})
    top = math.log(len(texts))
    weights = {
        term: round(max(0.05, math.log(len(texts) / count) / top), 2)
        for term, count in sorted(counts.items())
        if count >= options.at_least and term not in STOPWORDS
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(
        json.dumps(weights, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8"
    )
    print(f"{len(texts)} texts, {len(counts)} terms, {len(weights)} written")


if __name__ == "__main__":
    main()
