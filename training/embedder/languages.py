"""Find what of the multilingual embedder's vectors says only in which language a text is.

    PYTHONPATH=src:training/embedder python training/embedder/languages.py --data DATA \
        --model RUN/plain --out RUN/languages.npy

The passages written for Toulmin are of the same kinds in every language, so the means of their
vectors differ by the language alone. What the differences span is weakened in every vector
(`export_multilingual.py`): else a question finds whatever is in its own language before what
answers it in another one. The idea is Yang et al., "A Simple and Effective Method To Eliminate the
Self Language Bias in Multilingual Representations", EMNLP 2021.

`--model` is the folder of an export without `--languages`. Only train lines are read.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from pathlib import Path

import numpy as np

from toulmin.models.embedder import Embedder

LANGUAGES = ("en", "es", "it", "ja", "fr", "de")
MOST = 40
SEED = 8


def passages(data: Path) -> dict[str, list[str]]:
    """Some written passages of each language."""
    found: dict[str, set[str]] = {language: set() for language in LANGUAGES}
    for part, key in (
        ("qa/train/written_questions", "context"),
        ("grounding/train/written", "premise"),
    ):
        with gzip.open(data / f"{part}.jsonl.gz", "rt", encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                if row["lang"] in found:
                    found[row["lang"]].add(row[key])
    rng = random.Random(SEED)
    return {
        language: rng.sample(sorted(texts), min(MOST, len(texts)))
        for language, texts in found.items()
    }


def directions(means: np.ndarray) -> np.ndarray:
    """Orthonormal rows that span the differences of the means, shape (languages - 1, width)."""
    _, _, rows = np.linalg.svd(means - means.mean(0), full_matrices=False)
    return rows[: len(means) - 1].astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    embedder = Embedder(args.model, workers=1)
    texts = passages(args.data)
    print({language: len(found) for language, found in texts.items()})
    means = np.stack([embedder.embed(found).mean(0) for found in texts.values()])
    np.save(args.out, directions(means))


if __name__ == "__main__":
    main()
