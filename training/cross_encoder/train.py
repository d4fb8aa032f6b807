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
from data.rows import UNSUPPORTED, read_rows
from evaluate import quick_figures
from model import CrossEncoder, load_base
from tokenizers import Tokenizer
from torch import Tensor

HOLD_OUT = 3000
POSITIVE_WEIGHT = 4.0
WORD_LOSS = 0.35
SMOOTHING = 0.04


def pair_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy; -log(1 - p(support)) where only "not supported" is known."""
    known = labels != UNSUPPORTED
    loss = logits.new_zeros(())
    if known.any():
        loss = loss + F.cross_entropy(
            logits[known], labels[known], label_smoothing=SMOOTHING, reduction="sum"
        )
    if (~known).any():
        rest = torch.log_softmax(logits[~known], dim=1)[:, 1:]
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


def forward(model: CrossEncoder, batch: Batch) -> tuple[Tensor, Tensor]:
    with torch.autocast("cpu", torch.bfloat16):
        logits, word_logits = model(batch.ids, batch.mask, batch.types)
    return logits.float(), word_logits.float()


def groups(model: CrossEncoder, rate: float) -> list[dict]:
    """Weight decay on matrices only; heads learn faster than the trunk."""
    decayed, plain, heads = [], [], []
    for name, parameter in model.named_parameters():
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
            self.model.load_state_dict(torch.load(args.init, weights_only=True)["model"])
        self.optimiser = torch.optim.AdamW(groups(self.model, args.rate), lr=0.0, fused=True)
        self.step, self.seen, self.spent = 0, 0, 0.0
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
        logits, word_logits = forward(self.model, batch)
        pair, word = pair_loss(logits, batch.labels), word_loss(word_logits, batch.words)
        self.optimiser.zero_grad(set_to_none=True)
        ((pair + WORD_LOSS * word) / 32).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.losses["pair"].append(pair.item() / len(batch.labels))
        self.losses["word"].append(word.item() / len(batch.labels))
        self.step += 1
        self.seen += len(batch.labels)


def held_out(model: CrossEncoder, rows: list, encoded: list) -> dict[str, float]:
    """Accuracy by generator on rows that were never trained on."""
    right: dict[str, list[bool]] = defaultdict(list)
    model.eval()
    with torch.inference_mode():
        for batch in batches(rows, encoded, list(range(len(rows))), random.Random(0)):
            logits, _ = forward(model, batch)
            for i, guess, label in zip(
                batch.index, logits.argmax(1).tolist(), batch.labels.tolist(), strict=True
            ):
                ok = guess != 0 if label == UNSUPPORTED else guess == label
                right[rows[i].kind].append(ok)
    model.train()
    return {kind: round(float(np.mean(v)), 3) for kind, v in sorted(right.items())}


def main() -> None:
    args = arguments()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(args.base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    rows = read_rows(args.rows)
    encoded = encode_rows(tokenizer, rows, random.Random(args.seed))
    held, held_encoded = rows[:HOLD_OUT], encoded[:HOLD_OUT]
    facts = {"rows": str(args.rows), "seed": args.seed, "hold_out": HOLD_OUT}
    (args.out / "run.json").write_text(json.dumps(facts))
    run = Run(args)
    run.model.train()
    epoch, last_log, last_save, began = 0, run.spent, run.spent, time.monotonic() - run.spent
    skip = run.seen
    while run.share() < 1:
        order = list(range(HOLD_OUT, len(rows)))
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
    parser.add_argument("--rows", type=Path, required=True, help="what build.py wrote")
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
