"""Make the reader's training rows: questions, the text to answer them from, the answers.

python training/reader/build.py --data DATA --out RUN/rows.jsonl.gz [--seed 1] [--large]
    [--held-out RUN/held_out.jsonl.gz]

About half of the rows cannot be answered. Whole articles (the last twentieth of each file) are
left out of the rows; `--held-out` writes rows made from them in the same way, for the calibration.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cross_encoder"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from data.entities import Pools
from data.rewriting import rewrite
from generated import from_claim, from_passage, noisy
from question_rows import Example, QuestionRow, beside, budget, cut, usable, windowed, write_rows
from sources import FILES, HELD_OUT, Passages, claims, load, split
from unanswerable import (
    elsewhere,
    passage_entity,
    question_entity,
    question_opposed,
    question_word,
    removed,
    retrieved,
)

POLICY_QUESTIONS = 2000
JAPANESE_QUESTIONS = 750
CLAIM_FILES = ("fever_dev.dev", "foolmetwice.dev")
NOISY, REWRITTEN, JOINED = 0.08, 0.12, 0.10
UNANSWERABLE = (
    ("elsewhere", 0.22),
    ("retrieved", 0.06),
    ("removed", 0.12),
    ("question_entity", 0.22),
    ("question_word", 0.14),
    ("question_opposed", 0.14),
    ("passage_entity", 0.10),
)


class Builder:
    """Rows from a set of questions; passages and names come from the same set."""

    def __init__(self, examples: list[Example], rng: random.Random) -> None:
        self.examples = examples
        self.rng = rng
        self.passages = Passages(examples)
        self.pools = Pools()
        for text in self.passages.texts:
            self.pools.add(text)

    def human(self, views: int) -> list[QuestionRow]:
        """Each question answered and unanswered, `views` times, with other windows and edits."""
        rows: list[QuestionRow] = []
        for example in self.examples:
            for _ in range(views):
                rows.append(self.answered(example))
                rows += filter(None, [self.unanswered(example)])
            if self.rng.random() < 0.25:
                both = passage_entity(example, self.pools, self.rng, consistent=True)
                rows += [both] if both else []
        return rows

    def generated(self, each: int) -> list[QuestionRow]:
        """Questions from the passages' sentences, half of them made unanswerable."""
        rows: list[QuestionRow] = []
        for text in self.passages.texts:
            for example in from_passage(text, self.rng, each):
                self.passages.questions[text].append(example)
                made = self.answered(example)
                if self.rng.random() < 0.5:
                    lost = self.unanswered(example)
                    made = (
                        QuestionRow(lost.evidence, lost.question, [], "cloze_" + lost.kind)
                        if (lost)
                        else made
                    )
                rows.append(made)
        return rows

    def answered(self, example: Example) -> QuestionRow:
        """The question with a window around its answer, now and then a strange passage beside."""
        evidence, answers = windowed(example, self.rng)
        if self.rng.random() < JOINED:
            near = self.passages.near(example.context)
            found = self.passages.ranked(example.question, 4) if self.rng.random() < 0.3 else near
            others = [t for t in found if t != example.context]
            if others:
                other = self.rng.choice(others)
                low, high = cut(other, (0, 1), budget(self.rng) // 2, self.rng)
                evidence, answers = beside(evidence, answers, other[low:high], self.rng)
        return QuestionRow(evidence, example.question, answers, example.source)

    def unanswered(self, example: Example) -> QuestionRow | None:
        """A row without an answer; None when four tries find none."""
        names = [name for name, _ in UNANSWERABLE]
        weights = [weight for _, weight in UNANSWERABLE]
        for _ in range(8):
            row = self._lose(self.rng.choices(names, weights)[0], example)
            if row is not None:
                return row
        return elsewhere(example, self.passages, self.rng)

    def _lose(self, how: str, example: Example) -> QuestionRow | None:
        plain = {
            "elsewhere": elsewhere,
            "retrieved": retrieved,
            "removed": removed,
            "question_word": question_word,
            "question_opposed": question_opposed,
        }
        if how in plain:
            return plain[how](example, self.passages, self.rng)
        if how == "question_entity":
            return question_entity(example, self.passages, self.pools, self.rng)
        return passage_entity(example, self.pools, self.rng, consistent=False)


def build(data: Path, seed: int, *, large: bool) -> tuple[list[QuestionRow], list[QuestionRow]]:
    """(rows to train on, rows from held-out articles)."""
    made: tuple[list[QuestionRow], list[QuestionRow]] = ([], [])
    for name in (*FILES, "jaquad"):
        examples = load(data, name)
        rng = random.Random(f"{seed}-{name}")
        for part, rows, side in zip(split(examples), made, ("train", "held out"), strict=True):
            limit = {"policyqa": POLICY_QUESTIONS, "jaquad": JAPANESE_QUESTIONS}.get(name)
            kept = part
            if limit is not None:
                contexts = list(dict.fromkeys(e.context for e in part))
                kept = part[:limit] if name == "jaquad" else rng.sample(part, min(limit, len(part)))
                kept = kept[: max(1, round(limit * (1.0 if side == "train" else 0.05)))]
                kept = [e for e in kept if e.context in set(contexts)]
            builder = Builder(kept, rng)
            rows += _source_rows(builder, name, large=large)
    for name in CLAIM_FILES:
        rng = random.Random(f"{seed}-{name}")
        records = claims(data, name, rng)
        premises = sorted({record["premise"] for record in records})
        held = set(rng.sample(premises, round(len(premises) * HELD_OUT)))
        kept = [record for record in records if record["premise"] not in held]
        made[0].extend(_claim_rows(kept, rng, 2 if large else 1))
        lost = [record for record in records if record["premise"] in held]
        made[1].extend(_claim_rows(lost, rng, 1))
    return (
        _finished(made[0], random.Random(f"{seed}-train")),
        _finished(made[1], random.Random(f"{seed}-held")),
    )


def _source_rows(builder: Builder, name: str, *, large: bool) -> list[QuestionRow]:
    if name == "jaquad":
        return [
            QuestionRow(r.evidence, r.question, r.answers, f"ja_{r.kind}")
            for example in builder.examples
            for r in (builder.answered(example), elsewhere(example, builder.passages, builder.rng))
            if r is not None
        ]
    rows = builder.human(2 if large and name != "policyqa" else 1)
    if name != "policyqa":
        rows += builder.generated(6 if large else 3)
    return rows


def _claim_rows(records: list[dict], rng: random.Random, times: int) -> Iterable[QuestionRow]:
    made = (from_claim(record, rng) for record in records * times)
    return filter(None, made)


def _finished(rows: list[QuestionRow], rng: random.Random) -> list[QuestionRow]:
    """Noise in the questions' form, on both sides alike; broken and double rows out; shuffled."""
    finished: dict[tuple[str, str], QuestionRow] = {}
    for row in rows:
        made = row
        if not row.kind.startswith("ja_"):
            if rng.random() < REWRITTEN:
                asked = rewrite(row.question, rng, 0.6)
                made = QuestionRow(row.evidence, asked, row.answers, row.kind)
            if rng.random() < NOISY:
                made = noisy(made, rng)
        if usable(made):
            finished.setdefault((made.evidence, made.question), made)
    out = list(finished.values())
    rng.shuffle(out)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--held-out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", action="store_true")
    args = parser.parse_args()

    began = time.monotonic()
    rows, held_out = build(args.data, args.seed, large=args.large)
    write_rows(args.out, rows)
    if args.held_out:
        write_rows(args.held_out, held_out)
    for title, part in (("rows", rows), ("held out", held_out)):
        answered = sum(bool(r.answers) for r in part)
        print(f"{title}: {len(part):,}, {answered:,} with an answer")
        counts = Counter((r.kind, bool(r.answers)) for r in part)
        for (kind, answer), n in sorted(counts.items(), key=lambda item: -item[1]):
            print(f"  {n:7,}  {'answer' if answer else 'none  '}  {kind}")
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
