"""Read the claims that no training stage saw with the product's own evidence selection.

    python training/calibration/kept_out.py --data DATA --out RUN/kept_out.npz \
        --model RUN/model --packs RUN/kept_packs.jsonl.gz

`--model` is the folder of a grounding model or that of the small cross-encoder. With `--other` a
second grounding model reads every piece, and its margin of support, as far as it counts, is one
more column, for fit_second_reading.py. With `--elsewhere` Japanese pairs come in, and written
claims in other languages first.
`--packs` are the kept-out written passages (training/grounding_model/build.py): each claim meets
its passage alone and, in a second item, among others. One claim in ten of the ledger's train lines
is kept out of every training stage (`is_kept_out` in training/cross_encoder/data/rows.py). Here
each meets its whole premise as a user's answer meets its facts: split, searched, several pieces
read. What is written: for every piece read its features, the item it belongs to, and the item's
label and set.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from toulmin.cli.check import split_paragraphs
from toulmin.domain import Fact
from toulmin.grounding.claims import split_claims
from toulmin.grounding.evidence import (
    DEFAULT_BUDGET,
    EvidenceBudget,
    budget_of_packs,
    select_evidence,
)
from toulmin.grounding.inputs import PairText, encode_pairs
from toulmin.grounding.pack_scorer import pack_features, pair_text, small_weights
from toulmin.grounding.packs import QueryText, encode_packs
from toulmin.grounding.subjects import spell_out
from toulmin.grounding.support import margins, pair_features, pieces_of
from toulmin.models.cross_encoder import CrossEncoder
from toulmin.models.encoder_pool import EncoderPool
from toulmin.models.grounding_encoder import GroundingEncoder
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.models.static_embedder import StaticEmbedder
from toulmin.text.languages import find_language

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
MOST_ELSEWHERE = {"jnli_ja.dev": 250, "jsick_ja.train": 250, "janli_ja.train": 80}
MOST_FACTS = 200
WRITTEN, AMONG, CONTRASTS = "written", "written_among", "contrasts"


def facts_of(premise: str) -> list[Fact]:
    parts = [premise] if len(premise) <= 10_000 else list(split_paragraphs(premise))
    return [Fact(part) for part in parts[:MOST_FACTS] if part.strip()]


class Model:
    """The grounding model or the small cross-encoder: logits of pairs."""

    def __init__(self, folder: Path, threads: int, other: Path | None = None) -> None:
        self.other = GroundingEncoder(other, workers=threads) if other else None
        self.packed = (folder / "words.npy").exists()
        if self.packed:
            self.encoder = GroundingEncoder(folder, workers=threads)
            folder = EMBEDDED_WEIGHTS / "cross_encoder"
        self.cross_encoder = CrossEncoder(folder)
        self.pool = EncoderPool(self.cross_encoder, workers=threads)

    def features(self, pairs: list[PairText]) -> np.ndarray:
        small = self.small_logits(pairs)
        if not self.packed:
            return pair_features(pairs, small)
        features = pack_features(pairs, verdicts(self.encoder, pairs), small)
        if self.other is None:
            return features
        second = margins(verdicts(self.other, pairs).astype(np.float64))[:, 0]
        return np.column_stack([features, second * (1.0 - small_weights(pairs))])

    def small_logits(self, pairs: list[PairText]) -> np.ndarray:
        tokenizer, most = self.cross_encoder.tokenizer, self.cross_encoder.max_tokens
        encoded = encode_pairs(tokenizer, pairs, max_tokens=most)
        return np.array([output.classes for output in self.pool.run(encoded)])

    def budget(self, claims: int) -> EvidenceBudget:
        return budget_of_packs(claims) if self.packed else DEFAULT_BUDGET


def verdicts(encoder: GroundingEncoder, pairs: list[PairText]) -> np.ndarray:
    """Logits of each pair, shape (pairs, 3)."""
    texts = [(pair.evidence, [QueryText(pair.claim, pair.context)]) for pair in pairs]
    return np.array(
        [found.pair[0] for found in encoder.run(encode_packs(encoder.tokenizer, texts))]
    )


def read_item(
    claim: str, facts: list[Fact], model: Model, embedder: StaticEmbedder
) -> np.ndarray | None:
    """Features of each piece read, shape (pieces, features); None if there is nothing to read.

    Of a claim that is split into several sentences, only a single one is read.
    """
    claims = [found for found in split_claims(claim) if found.needs_check]
    if len(claims) != 1 or not facts:
        return None
    read = spell_out(claims[0])
    (items,) = select_evidence([read], facts, embedder=embedder, budget=model.budget(1))
    if not items:
        return None
    pairs = [pair_text(read, pieces_of(item, facts))[0] for item in items]
    return model.features(pairs)


def ledger_items(data: Path, sources: dict[str, int]) -> Iterator[tuple[str, int, str, list[Fact]]]:
    """(set, label, claim, facts) of the ledger's kept-out claims."""
    for name, most in sources.items():
        records = read_jsonl(data / "grounding" / "train" / f"{name}.jsonl.gz")
        records = [record for record in records if is_kept_out(record["claim"])]
        random.Random(f"1-{name}").shuffle(records)
        for record in records[:most]:
            yield name, label_of(record), record["claim"], facts_of(record["premise"])


def written_items(path: Path) -> Iterator[tuple[str, int, str, list[Fact]]]:
    """The same of kept-out written passages, alone and among five others."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        packs = [json.loads(line) for line in file]
    rng = random.Random(1)
    for pack in packs:
        others = [other["evidence"] for other in rng.sample(packs, min(6, len(packs)))]
        around = [text for text in others if text != pack["evidence"]][:5]
        around.insert(rng.randint(0, len(around)), pack["evidence"])
        for query in pack["queries"]:
            if query["label"] is not None:
                texts, claim, label = [Fact(t) for t in around], query["text"], query["label"]
                english = find_language(pack["evidence"]) == find_language(claim) == "en"
                language = "" if english else "_elsewhere"
                yield WRITTEN + language, label, claim, [Fact(pack["evidence"])]
                yield AMONG + language, label, claim, texts


def contrast_items(path: Path) -> Iterator[tuple[str, int, str, list[Fact]]]:
    """The same of kept-out contrast sets: every claim over every context of its set."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            pack = json.loads(line)
            for query in pack["queries"]:
                yield CONTRASTS, query["label"], query["text"], [Fact(pack["evidence"])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--other", type=Path, help="another grounding model that reads as well")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--packs", type=Path, help="kept-out written passages")
    parser.add_argument("--contrasts", type=Path, help="kept-out contrast sets")
    parser.add_argument("--most", type=int, default=10_000, help="claims of the ledger")
    parser.add_argument("--most-written", type=int, default=10_000, help="of the written ones")
    parser.add_argument("--most-contrasts", type=int, default=10_000, help="of their pairs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--elsewhere", action="store_true", help="for the multilingual model")
    args = parser.parse_args()

    model = Model(args.model, args.threads, args.other)
    embedder = StaticEmbedder(EMBEDDED_WEIGHTS / "static_embedder")
    features, owner, labels, sets = [], [], [], []
    items = list(ledger_items(args.data, MOST | MOST_ELSEWHERE if args.elsewhere else MOST))
    random.Random(2).shuffle(items)
    items = items[: args.most]
    if args.packs:
        written = list(written_items(args.packs))
        random.Random(3).shuffle(written)
        if args.elsewhere:
            written.sort(key=lambda item: item[0] in (WRITTEN, AMONG))
        items += written[: args.most_written]
    if args.contrasts:
        pairs = list(contrast_items(args.contrasts))
        random.Random(4).shuffle(pairs)
        items += pairs[: args.most_contrasts]
    for name, label, claim, facts in items:
        found = read_item(claim, facts, model, embedder)
        if found is None:
            continue
        features.append(found)
        owner += [len(labels)] * len(found)
        labels.append(label)
        sets.append(name)
    print(dict(Counter(sets)))
    np.savez_compressed(
        args.out,
        features=np.concatenate(features),
        owner=np.array(owner),
        labels=np.array(labels),
        sets=np.array(sets),
    )


if __name__ == "__main__":
    main()
