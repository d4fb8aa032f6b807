"""Train the support model on CPU, for a given time, able to continue after an interruption.

    python training/cross_encoder/train.py --rows RUN/rows.jsonl.gz --data DATA --base BASE \
        --out RUN --minutes 50

The learning rate follows the share of the time that has passed (or of `--steps`), so that a
slower machine sees fewer rows, not a broken schedule.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from batches import Batch, batches, encode_rows
from data.rows import QUESTION, UNSUPPORTED, is_kept_out, read_rows
from evaluate import quick_figures
from export import plain_tokenizer
from model import CrossEncoder, load_base
from tokenizers import Tokenizer
from torch import Tensor

HOLD_OUT = 3000
POSITIVE_WEIGHT = 4.0
WORD_LOSS = 0.35
SPAN_LOSS = 0.5
SMOOTHING = 0.04


def pair_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy; -log(1 - p(support)) where only "not supported" is known."""
    known = labels < UNSUPPORTED
    unsupported = labels == UNSUPPORTED
    loss = logits.new_zeros(())
    if known.any():
        loss = loss + F.cross_entropy(
            logits[known], labels[known], label_smoothing=SMOOTHING, reduction="sum"
        )
    if unsupported.any():
        rest = torch.log_softmax(logits[unsupported], dim=1)[:, 1:]
        loss = loss - torch.logsumexp(rest, dim=1).sum()
    return loss


def word_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Binary cross entropy over words with a target (others are -1), summed over rows."""
    stated = targets >= 0
    if not stated.any():
        return logits.new_zeros(())
    each = F.binary_cross_entropy_with_logits(
        logits,
        targets.clamp(min=0),
        reduction="none",
        pos_weight=logits.new_tensor(POSITIVE_WEIGHT),
    )
    each = torch.where(stated, each, 0.0)
    return (each.sum(1) / stated.sum(1).clamp(min=1)).sum()


def span_loss(logits: Tensor, targets: Tensor, batch: Batch) -> Tensor:
    """Cross entropy of the answer's first and last token over [CLS] and the evidence, summed."""
    asked = targets[:, 0] >= 0
    if not asked.any():
        return logits.new_zeros(())
    inside = (batch.types[asked] == 0) & (batch.mask[asked] == 1)
    scores = logits[asked].masked_fill(~inside[:, :, None], -1e4)
    first = F.cross_entropy(scores[:, :, 0], targets[asked, 0], reduction="sum")
    last = F.cross_entropy(scores[:, :, 1], targets[asked, 1], reduction="sum")
    return (first + last) / 2


def forward(model: CrossEncoder, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    with torch.autocast("cpu", torch.bfloat16):
        logits, word_logits, span_logits = model(batch.ids, batch.mask, batch.types)
    return logits.float(), word_logits.float(), span_logits.float()


def groups(model: CrossEncoder, rate: float) -> list[dict]:
    """Weight decay on matrices only; heads learn faster than the trunk."""
    decayed, plain, heads = [], [], []
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        if "head" in name:
            heads.append(parameter)
        else:
            (decayed if parameter.ndim > 1 and "layers" in name else plain).append(parameter)
    return [
        {"params": decayed, "weight_decay": 0.01, "top": rate},
        {"params": plain, "weight_decay": 0.0, "top": rate},
        {"params": heads, "weight_decay": 0.01, "top": 5 * rate},
    ]


def schedule(share: float, warm: float = 0.04) -> float:
    """Factor on the top learning rate when `share` of the run has passed."""
    return min(share / warm, (1.0 - share) / (1.0 - warm), 1.0) if share < 1 else 0.0


class Run:
    """One training run: model, optimiser, progress, files."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.out: Path = args.out
        self.model = load_base(args.base)
        if args.init:
            given = torch.load(args.init, weights_only=True)["model"]
            self.model.load_state_dict({**self.model.state_dict(), **given})
        # Frozen word vectors keep words that training never shows where pretraining put them, and
        # a step takes 8 % less.
        self.model.words.weight.requires_grad = False
        self.optimiser = torch.optim.AdamW(groups(self.model, args.rate), lr=0.0, fused=True)
        self.step, self.seen, self.spent, self.tokens = 0, 0, 0.0, 0
        self.losses: dict[str, list[float]] = defaultdict(list)
        if args.resume and (self.out / "checkpoint.pt").exists():
            state = torch.load(self.out / "checkpoint.pt", weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimiser.load_state_dict(state["optimiser"])
            self.step, self.seen, self.spent = state["progress"]

    def share(self) -> float:
        if self.args.steps:
            return self.step / self.args.steps
        return self.spent / (60 * self.args.minutes)

    def save(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "progress": (self.step, self.seen, self.spent),
            "size": asdict(self.model.size),
        }
        torch.save(state, self.out / "checkpoint.tmp")
        (self.out / "checkpoint.tmp").replace(self.out / "checkpoint.pt")

    def log(self, **figures: object) -> None:
        means = {k: round(float(np.mean(v)), 4) for k, v in self.losses.items()}
        self.losses.clear()
        line = {
            "step": self.step,
            "rows": self.seen,
            "tokens": self.tokens,
            "minutes": round(self.spent / 60, 1),
            **means,
            **figures,
        }
        with (self.out / "log.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(json.dumps(line), flush=True)

    def learn(self, batch: Batch) -> None:
        factor = schedule(self.share())
        for group in self.optimiser.param_groups:
            group["lr"] = group["top"] * factor
        logits, word_logits, span_logits = forward(self.model, batch)
        pair, word = pair_loss(logits, batch.labels), word_loss(word_logits, batch.words)
        span = span_loss(span_logits, batch.spans, batch)
        self.optimiser.zero_grad(set_to_none=True)
        ((pair + WORD_LOSS * word + SPAN_LOSS * span) / 32).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        questions = int((batch.labels == QUESTION).sum())
        if questions < len(batch.labels):
            self.losses["pair"].append(pair.item() / (len(batch.labels) - questions))
            self.losses["word"].append(word.item() / (len(batch.labels) - questions))
        if questions:
            self.losses["span"].append(span.item() / questions)
        self.tokens += int(batch.mask.sum())
        self.step += 1
        self.seen += len(batch.labels)


def span_hits(logits: Tensor, batch: Batch) -> list[bool]:
    """Whether the best first and the best last token are the answer's."""
    inside = (batch.types == 0) & (batch.mask == 1)
    best = logits.masked_fill(~inside[:, :, None], -1e4).argmax(1)
    return [bool(hit) for hit in (best == batch.spans).all(1)]


def held_out(model: CrossEncoder, rows: list, encoded: list) -> dict[str, float]:
    """Accuracy by generator on rows that were never trained on."""
    right: dict[str, list[bool]] = defaultdict(list)
    model.eval()
    with torch.inference_mode():
        for batch in batches(rows, encoded, list(range(len(rows))), random.Random(0)):
            logits, _, span_logits = forward(model, batch)
            found = span_hits(span_logits, batch)
            for i, guess, label in zip(
                batch.index, logits.argmax(1).tolist(), batch.labels.tolist(), strict=True
            ):
                if label == QUESTION:
                    right[rows[i].kind].append(found[batch.index.index(i)])
                    continue
                ok = guess != 0 if label == UNSUPPORTED else guess == label
                right[rows[i].kind].append(ok)
    model.train()
    return {kind: round(float(np.mean(v)), 3) for kind, v in sorted(right.items())}


def main() -> None:
    args = arguments()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_str(plain_tokenizer(args.base))
    rows = [row for path in args.rows for row in read_rows(path)]
    random.Random(f"{args.seed}-order").shuffle(rows)
    kept_out = [row for row in rows if is_kept_out(row.claim)]
    rows = [row for row in rows if not is_kept_out(row.claim)]
    held = kept_out[:HOLD_OUT]
    encoded = encode_rows(tokenizer, rows, random.Random(args.seed))
    held_encoded = encode_rows(tokenizer, held, random.Random(args.seed))
    facts = {"rows": [str(path) for path in args.rows], "seed": args.seed}
    (args.out / "run.json").write_text(json.dumps(facts))
    run = Run(args)
    run.model.train()
    epoch, last_log, last_save, began = 0, run.spent, run.spent, time.monotonic() - run.spent
    skip = run.seen
    while run.share() < 1:
        order = list(range(len(rows)))
        rng = random.Random(f"{args.seed}-{epoch}")
        rng.shuffle(order)
        for batch in batches(rows, encoded, order, rng):
            if skip > 0:
                skip -= len(batch.labels)
                continue
            run.learn(batch)
            run.spent = time.monotonic() - began
            if run.spent - last_log > 60:
                run.log()
                last_log = run.spent
            if run.spent - last_save > 60 * args.save_minutes:
                run.save()
                run.log(dev=quick_figures(run.model, tokenizer, args.data))
                last_save = run.spent
            if run.share() >= 1:
                break
        epoch += 1
    run.save()
    run.log(
        dev=quick_figures(run.model, tokenizer, args.data),
        held_out=held_out(run.model, held, held_encoded),
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path, action="append", required=True, help="repeat to mix")
    parser.add_argument("--data", type=Path, required=True, help="folder with grounding/ and qa/")
    parser.add_argument("--base", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--out", type=Path, required=True, help="folder of this run")
    parser.add_argument("--init", type=Path, help="checkpoint of an earlier run to start from")
    parser.add_argument("--minutes", type=float, default=50.0)
    parser.add_argument("--steps", type=int, default=0, help="instead of --minutes")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--save-minutes", type=float, default=10.0)
    parser.add_argument("--resume", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
