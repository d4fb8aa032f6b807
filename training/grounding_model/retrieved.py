"""Questions with a passage that a search finds for them and that is not theirs, as packs.

    python training/grounding_model/retrieved.py --packs RUN/written.jsonl.gz --most 900 \
        --seed 1 --out RUN/retrieved.jsonl.gz

What is read for an answer is mostly such a passage: of another text, with words in common. The
passages are invented one by one, so a question that names somebody or something is answered by its
own alone: its nearest other passage is taken. A question without a name ("Can I bring my cat?")
could be answered by a near one, so one further down is taken. Beside each stands the question with
its own passage. Nearness is the cosine of TF-IDF vectors of words.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path

import numpy as np
from packs import NONE, Pack, Query, read_packs, write_packs
from sklearn.feature_extraction.text import TfidfVectorizer

KIND = "retrieved"
NEAREST = range(3)
"""Places, in the order of nearness, of passages for questions that name something."""
FURTHER = range(3, 10)
"""The same for those that do not."""
_NAME = re.compile(r"(?<=[a-z,] )[A-Z]|\d|\"")


def retrieved(packs: list[Pack], most: int, seed: int) -> list[Pack]:
    """Return up to `most` questions, each with another's passage (no answer) and with its own."""
    rng = random.Random(seed)
    asked = [
        (pack, query)
        for pack in packs
        for query in pack.queries
        if query.answer not in (None, NONE)
    ]
    asked = rng.sample(asked, min(most, len(asked)))
    passages = sorted({pack.evidence for pack in packs})
    vectors = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit(passages)
    nearness = vectors.transform([q.text for _, q in asked]) @ vectors.transform(passages).T
    made = []
    for (pack, query), row in zip(asked, nearness, strict=True):
        order = np.argsort(-row.toarray()[0], kind="stable")
        others = [passages[i] for i in order[: FURTHER.stop + 1] if passages[i] != pack.evidence]
        place = rng.choice(NEAREST if _NAME.search(query.text) else FURTHER)
        made.append(Pack(others[place], [Query(query.text, KIND, answer=NONE)], KIND))
        made.append(Pack(pack.evidence, [query], KIND))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packs", type=Path, required=True, help="written packs to train on")
    parser.add_argument("--most", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    made = retrieved(read_packs(args.packs), args.most, args.seed)
    write_packs(args.out, made)
    print(len(made), "packs")


if __name__ == "__main__":
    main()
