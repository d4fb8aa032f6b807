"""Train the grounding model on one core, for a given time, able to go on after an interruption.

    python training/grounding_model/train.py --packs RUN/a.jsonl.gz --base BASE --out RUN \
        --minutes 60 --threads 1

The learning rate warms up, stays, and falls linearly to `--last` times its top over the run; a
later run with `--init` goes on from its weights.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path

import torch
import torch.nn.functional as F
from batching import PackBatch, batches
from model import GroundingModel, Output, load_base, trained_in
from packs import SPAN, UNSUPPORTED, encode_all, read_packs, token_range
from tokenizer import plain_tokenizer
from torch import Tensor

from toulmin.grounding.packs import special_ids

SMOOTHING = 0.02
POSITIVE_WEIGHT = 4.0
WEIGHTS = {"pair": 1.0, "answer": 0.7, "span": 0.6, "wrong": 0.25, "conflict": 0.15}


def losses(out: Output, batch: PackBatch) -> dict[str, tuple[Tensor, int]]:
    """Sum and count of each part of the loss."""
    queries = batch.queries
    claims = [i for i, query in enumerate(queries) if query.label is not None]
    asked = [i for i, query in enumerate(queries) if query.answer is not None]
    found = {}
    if claims:
        labels = torch.tensor([queries[i].label for i in claims])
        found["pair"] = (pair_loss(out.pair[claims], labels), len(claims))
    if asked:
        answers = torch.tensor([queries[i].answer for i in asked])
        loss = F.cross_entropy(
            out.answer[asked], answers, label_smoothing=SMOOTHING, reduction="sum"
        )
        found["answer"] = (loss, len(asked))
    pointed = span_targets(batch)
    if pointed:
        index, first, last = (torch.tensor(column) for column in zip(*pointed, strict=True))
        rows = torch.tensor([out.asked.index(i) for i in index.tolist()])
        loss = F.cross_entropy(out.spans[rows, :, 0], first, reduction="sum")
        loss = (loss + F.cross_entropy(out.spans[rows, :, 1], last, reduction="sum")) / 2
        found["span"] = (loss, len(pointed))
    for name, scores, targets in (
        ("wrong", out.wrong, wrong_targets(batch)),
        ("conflict", out.conflict, conflict_targets(batch)),
    ):
        known = targets >= 0
        if known.any():
            loss = F.binary_cross_entropy_with_logits(
                scores[known], targets[known], pos_weight=scores.new_tensor(POSITIVE_WEIGHT)
            )
            rows = int(known.any(1).sum())
            found[name] = (loss * rows, rows)
    return found


def pair_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy, summed; -log(1 - p(support)) where only "not supported" is known."""
    known = labels < UNSUPPORTED
    loss = logits.new_zeros(())
    if known.any():
        loss = loss + F.cross_entropy(
            logits[known], labels[known], label_smoothing=SMOOTHING, reduction="sum"
        )
    if not known.all():
        rest = torch.log_softmax(logits[~known], dim=1)[:, 1:]
        loss = loss - torch.logsumexp(rest, dim=1).sum()
    return loss


def span_targets(batch: PackBatch) -> list[tuple[int, int, int]]:
    """(query, first token, last token) of answers.

    Whether there is one is the answer head's to say. The evidence of a yes or no is not pointed
    at: only what answers a question by itself.
    """
    found, at = [], 0
    for pack in batch.encoded:
        for query in pack.queries:
            if query.answer == SPAN:
                ranges = [token_range(pack.tokens.offsets, span) for span in query.spans]
                first = next((r for r in ranges if r is not None), None)
                if first is not None:
                    found.append((at, first[0] + 1, first[1] + 1))
            at += 1
    return found


def wrong_targets(batch: PackBatch) -> Tensor:
    targets = torch.full(batch.ids.shape, -1.0)
    for row, pack in enumerate(batch.encoded):
        for query, place in zip(pack.queries, pack.tokens.places, strict=True):
            if query.wrong is not None:
                for i, span in enumerate(place.offsets):
                    targets[row, place.start + i] = float(_touches(query.wrong, span))
    return targets


def conflict_targets(batch: PackBatch) -> Tensor:
    targets = torch.full((len(batch.query_pack), batch.ids.shape[1]), -1.0)
    at = 0
    for pack in batch.encoded:
        for query in pack.queries:
            if query.conflict is not None:
                for i, span in enumerate(pack.tokens.offsets):
                    targets[at, i + 1] = float(_touches(query.conflict, span))
            at += 1
    return targets


def _touches(spans: list, place: tuple[int, int]) -> bool:
    return any(place[0] < b and place[1] > a for a, b in spans)


def freeze(model: GroundingModel, layers: int) -> None:
    """Word vectors, positions and the lowest layers stay as pretraining left them."""
    parts = [model.words, model.position, *model.layers[:layers]]
    if layers:
        parts.append(model.norm)
    if model.size.relative_buckets:
        parts.append(model.relative)
    for part in parts:
        part.requires_grad_(requires_grad=False)


def groups(model: GroundingModel, rate: float) -> list[dict]:
    """Weight decay on matrices only; heads learn faster than the trunk."""
    decayed, plain, heads, readers = [], [], [], []
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            side = decayed if parameter.ndim > 1 else plain
            if "head" in name:
                side = readers if "span_head" in name else heads
            side.append(parameter)
    return [
        {"params": decayed, "weight_decay": 0.01, "top": rate},
        {"params": plain, "weight_decay": 0.0, "top": rate},
        {"params": heads, "weight_decay": 0.01, "top": 5 * rate},
        {"params": readers, "weight_decay": 0.01, "top": 8 * rate},
    ]


def schedule(share: float, warm: float, last: float) -> float:
    """Factor on the top learning rate when `share` of the run has passed."""
    return min(share / warm if warm else 1.0, 1.0 - (1.0 - last) * share)


class Run:
    """One training run: model, optimiser, progress, files."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.out = args, args.out
        self.model = load_base(args.base)
        if args.init:
            given = torch.load(args.init, weights_only=True)["model"]
            self.model.load_state_dict({**self.model.state_dict(), **given})
        freeze(self.model, args.freeze)
        self.optimiser = torch.optim.AdamW(
            groups(self.model, args.rate), lr=0.0, fused=True, betas=(0.9, 0.98)
        )
        self.dtype = trained_in()
        self.step, self.queries, self.tokens, self.spent = 0, 0, 0, 0.0
        self.sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        if args.resume and (self.out / "checkpoint.pt").exists():
            state = torch.load(self.out / "checkpoint.pt", weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimiser.load_state_dict(state["optimiser"])
            self.step, self.queries, self.tokens, self.spent = state["progress"]
        elif args.init and args.keep_moments:
            self.optimiser.load_state_dict(torch.load(args.init, weights_only=True)["optimiser"])

    def share(self) -> float:
        return self.spent / (60 * self.args.minutes)

    def learn(self, batch: PackBatch) -> None:
        factor = schedule(self.share(), self.args.warm, self.args.last)
        for group in self.optimiser.param_groups:
            group["lr"] = group["top"] * factor
        found = losses(self.model(batch, self.dtype), batch)
        total = sum(
            WEIGHTS[name] * value / max(len(batch.query_pack), 1)
            for name, (value, _) in found.items()
        )
        self.optimiser.zero_grad(set_to_none=True)
        total.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        for name, (value, count) in found.items():
            self.sums[name][0] += value.item()
            self.sums[name][1] += count
        self.step += 1
        self.queries += len(batch.query_pack)
        self.tokens += int((batch.segments >= 0).sum())

    def log(self) -> None:
        means = {name: round(total / count, 4) for name, (total, count) in self.sums.items()}
        self.sums.clear()
        line = {
            "step": self.step,
            "queries": self.queries,
            "tokens": self.tokens,
            "minutes": round(self.spent / 60, 1),
            **means,
        }
        with (self.out / "log.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(json.dumps(line), flush=True)

    def save(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "progress": (self.step, self.queries, self.tokens, self.spent),
            "size": asdict(self.model.size),
        }
        torch.save(state, self.out / "checkpoint.tmp")
        (self.out / "checkpoint.tmp").replace(self.out / "checkpoint.pt")


def main() -> None:
    args = arguments()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer = plain_tokenizer(args.base)
    packs = [pack for path in args.packs for pack in read_packs(path)]
    encoded = encode_all(tokenizer, packs, open_questions=args.open_questions)
    pad = special_ids(tokenizer)[2]
    facts = {**{k: str(v) for k, v in vars(args).items()}, "packs_read": len(encoded)}
    (args.out / "run.json").write_text(json.dumps(facts, indent=1))
    run = Run(args)
    epoch, began = 0, time.monotonic() - run.spent
    last_log = last_save = run.spent
    skip = run.queries
    while run.share() < 1:
        rng = random.Random(f"{args.seed}-{epoch}")
        order = list(range(len(encoded)))
        if not args.in_order:
            rng.shuffle(order)
        for batch in batches(encoded, order, args.tokens, pad, rng):
            if skip > 0:
                skip -= len(batch.query_pack)
                continue
            run.learn(batch)
            run.spent = time.monotonic() - began
            if run.spent - last_log > 60:
                run.log()
                last_log = run.spent
            if run.spent - last_save > 60 * args.save_minutes:
                run.save()
                last_save = run.spent
            if run.share() >= 1:
                break
        epoch += 1
    run.save()
    run.log()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packs", type=Path, action="append", required=True, help="repeat to mix")
    parser.add_argument("--base", type=Path, required=True, help="folder of the base encoder")
    parser.add_argument("--out", type=Path, required=True, help="folder of this run")
    parser.add_argument("--init", type=Path, help="checkpoint of an earlier run to start from")
    parser.add_argument("--keep-moments", action="store_true", help="the optimiser's, with --init")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=4e-5)
    parser.add_argument("--warm", type=float, default=0.06, help="share of the run")
    parser.add_argument("--last", type=float, default=0.0, help="factor on the rate at the end")
    parser.add_argument("--tokens", type=int, default=2400, help="of a batch")
    parser.add_argument("--freeze", type=int, default=0, help="lowest layers not trained")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--save-minutes", type=float, default=10.0)
    parser.add_argument(
        "--open-questions", action="store_true", help="read each alone; its evidence sees it"
    )
    parser.add_argument("--in-order", action="store_true", help="do not shuffle the packs")
    parser.add_argument("--resume", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
