"""How well an exported grounding model tells labels apart by itself, uncalibrated.

    PYTHONPATH=src python training/grounding_model/measure.py --model RUN/model \
        --claims DATA/grounding/dev/written.jsonl.gz --packs RUN/kept.jsonl.gz \
        --questions DATA/qa/dev/squad2_half.jsonl.gz=300

`--claims` are labelled claims in the form of the development sets, each read against its whole
premise with the others about it; `--packs` are kept-out packs of build.py. Prints AUROC of
support, of contradicted against neutral claims, and of questions with an answer; of claims by
whether they and their premise are in English. `--questions` are questions with a passage each, of
which so many English ones are drawn and read alone, as the product reads them: AUROC of the log
odds that there is an answer, and F1 of the best span (as SQuAD's, without articles).
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from packs import CONTRADICTION, NEUTRAL, NONE, SUPPORT, UNSUPPORTED, read_packs
from scipy.special import softmax
from sklearn.metrics import roc_auc_score
from sources import label_of, read_jsonl

from toulmin.answering.reading.answerability import Answerability
from toulmin.answering.reading.open_reader import OPEN_FEATURES, OpenReader
from toulmin.grounding.packs import PackLimits, QueryText, encode_packs
from toulmin.models.grounding_encoder import GroundingEncoder

LIMITS = PackLimits(pack=4000)
Item = tuple[str, str, int | None, bool | None, str]  # evidence, text, label, answered, group


def labelled_claims(path: Path) -> Iterator[Item]:
    for record in read_jsonl(path):
        english = record.get("lang", "en") == record.get("claim_lang", "en") == "en"
        group = "claims, English" if english else "claims, others"
        yield record["premise"], record["claim"], label_of(record), None, group


def packed(path: Path) -> Iterator[Item]:
    for pack in read_packs(path):
        for query in pack.queries:
            answered = None if query.answer is None else query.answer != NONE
            yield pack.evidence, query.text, query.label, answered, "packs"


def read(encoder: GroundingEncoder, items: list[Item]) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the verdicts, shape (items, 3), and of the answers, shape (items, 4)."""
    about: dict[str, list[int]] = defaultdict(list)
    for index, item in enumerate(items):
        about[item[0]].append(index)
    verdicts, answers = np.zeros((len(items), 3)), np.zeros((len(items), 4))
    for evidence, indices in about.items():
        left = indices
        while left:
            texts = [QueryText(items[i][1]) for i in left]
            (pack,) = encode_packs(encoder.tokenizer, [(evidence, texts)], LIMITS)
            (found,) = encoder.run([pack])
            fitted = left[: len(pack.places)]
            verdicts[fitted] = softmax(found.pair[: len(fitted)], axis=1)
            answers[fitted] = softmax(found.answer[: len(fitted)], axis=1)
            left = left[len(fitted) :]
    return verdicts, answers


def asked_alone(encoder: GroundingEncoder, path: Path, most: int) -> tuple[float, float]:
    """AUROC of there being an answer, and mean F1 of the best span where a span answers."""
    records = read_jsonl(path)
    random.Random(3).shuffle(records)
    records = [record for record in records if record.get("lang", "en") == "en"][:most]
    reader = OpenReader(encoder, Answerability(np.zeros(len(OPEN_FEATURES)), 0.0))
    truth, odds, shared = [], [], []
    for record in records:
        found = reader.examine(record["question"], [record["context"]])
        truth.append(bool(record["answerable"]))
        odds.append(found.odds[0])
        if record["answerable"] and not record.get("yes_no"):
            best = found.ranked[0]
            said = record["context"][best.start : best.end]
            shared.append(max(span_f1(said, answer["text"]) for answer in record["answers"]))
    return float(roc_auc_score(truth, odds)), float(np.mean(shared))


def span_f1(said: str, gold: str) -> float:
    """F1 of the words of a span, without case and articles."""
    one, other = (
        Counter(word for word in re.findall(r"\w+", text.lower()) if word not in ("a", "an", "the"))
        for text in (said, gold)
    )
    both = sum((one & other).values())
    return 2 * both / (sum(one.values()) + sum(other.values())) if both else 0.0


def auroc(name: str, truth: np.ndarray, scores: np.ndarray) -> None:
    if len(set(truth.tolist())) > 1:
        print(f"{name:50} {len(truth):6} {roc_auc_score(truth, scores):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--claims", type=Path, action="append", default=[])
    parser.add_argument("--packs", type=Path, action="append", default=[])
    parser.add_argument("--questions", action="append", default=[], metavar="FILE=MOST")
    parser.add_argument("--words-of", type=Path, help="model whose words a reader has")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()

    encoder = GroundingEncoder(args.model, words_of=args.words_of, workers=args.threads)
    for given in args.questions:
        name, _, most = given.rpartition("=")
        found, f1 = asked_alone(encoder, Path(name), int(most))
        print(f"{Path(name).name:50} {most:>6} {found:.3f} F1 {f1:.3f}")
    if not args.claims and not args.packs:
        return
    items = [item for path in args.claims for item in labelled_claims(path)]
    items += [item for path in args.packs for item in packed(path)]
    verdicts, answers = read(encoder, items)
    labels = np.array([UNSUPPORTED + 1 if item[2] is None else item[2] for item in items])
    groups = np.array([item[4] for item in items])
    for group in dict.fromkeys(groups.tolist()):
        inside = groups == group
        known = inside & (labels <= UNSUPPORTED)
        auroc(f"{group}: support", labels[known] == SUPPORT, verdicts[known, SUPPORT])
        apart = inside & np.isin(labels, (CONTRADICTION, NEUTRAL))
        share = verdicts[apart, CONTRADICTION] / verdicts[apart][:, (CONTRADICTION, NEUTRAL)].sum(1)
        auroc(f"{group}: contradicted, not neutral", labels[apart] == CONTRADICTION, share)
    asked = [i for i, item in enumerate(items) if item[3] is not None]
    auroc(
        "questions: there is an answer",
        np.array([items[i][3] for i in asked]),
        1 - answers[asked, NONE],
    )


if __name__ == "__main__":
    main()
