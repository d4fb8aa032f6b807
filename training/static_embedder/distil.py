"""Makes the static embedder's table: distil, reduce, weight, tune, quantise, write.

    PYTHONPATH=src python training/static_embedder/distil.py \
        --base <folder of all-MiniLM-L6-v2> --data <folder of the ledger> \
        --out src/toulmin/models/weights/static_embedder

Seeded. Tuning (`--epochs 1`) is not measured yet.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from base import BaseEncoder
from pairs import read_pairs, read_texts
from torch import Tensor, nn

from toulmin.models.static_embedder import PieceSplitter
from toulmin.text.words import scan_words

VERSION = "1"
SIF_A = 1e-3


def split_texts(splitter: PieceSplitter, texts: list[str]) -> list[Tensor]:
    """Return the piece ids of each text, split as at run time."""
    found = []
    for text in texts:
        stream = scan_words(text)
        ids, _ = splitter.split(stream, np.arange(len(stream)))
        found.append(torch.from_numpy(ids))
    return found


def reduce_width(rows: Tensor, dim: int) -> Tensor:
    """Return `rows` centred and turned to their `dim` widest directions."""
    centred = rows - rows.mean(0)
    _, vectors = torch.linalg.eigh(centred.T @ centred)
    return centred @ vectors.flip(1)[:, :dim]


def rarity(ids: list[Tensor], pieces: int) -> Tensor:
    """Return a / (a + p) for each piece, p being its share of the training text (SIF, 2017)."""
    counts = torch.bincount(torch.cat(ids), minlength=pieces).float()
    return SIF_A / (SIF_A + (counts + 0.5) / counts.sum())


def bag(ids: list[Tensor]) -> tuple[Tensor, Tensor]:
    lengths = torch.tensor([len(i) for i in ids])
    return torch.cat(ids), torch.cat((torch.zeros(1, dtype=torch.long), lengths.cumsum(0)[:-1]))


def tune(
    table: Tensor, left: list[Tensor], right: list[Tensor], *, epochs: int, batch: int, seed: int
) -> Tensor:
    """Return the table after drawing pairs together and the rest of each batch apart (InfoNCE)."""
    bags = nn.EmbeddingBag.from_pretrained(table.clone(), freeze=False, mode="sum")
    optimiser = torch.optim.Adam(bags.parameters(), lr=3e-3)
    steps = epochs * (len(left) // batch)
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.05, total_iters=steps)
    generator = torch.Generator().manual_seed(seed)
    began, target = time.monotonic(), torch.arange(batch)
    for epoch in range(epochs):
        order = torch.randperm(len(left), generator=generator).tolist()
        total = 0.0
        for start in range(0, len(order) - batch + 1, batch):
            at = order[start : start + batch]
            a = F.normalize(bags(*bag([left[i] for i in at])), dim=1)
            b = F.normalize(bags(*bag([right[i] for i in at])), dim=1)
            scores = a @ b.T / 0.05
            loss = (F.cross_entropy(scores, target) + F.cross_entropy(scores.T, target)) / 2
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item()
        mean = total / (len(order) // batch)
        print(f"epoch {epoch} loss {mean:.4f} {time.monotonic() - began:.0f} s", flush=True)
    return bags.weight.detach()


def quantise(table: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Return (int8 rows, float16 scale of each row)."""
    scales = (table.abs().amax(1).clamp_min(1e-6) / 127).half()
    rows = (table / scales.float()[:, None]).round().clamp(-127, 127).to(torch.int8)
    return rows.numpy(), scales.numpy()


def write(folder: Path, table: Tensor, tokenizer: Path, details: dict) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows, scales = quantise(table)
    np.save(folder / "table.npy", rows)
    np.save(folder / "scales.npy", scales)
    shutil.copyfile(tokenizer, folder / "tokenizer.json")
    names = ("table.npy", "scales.npy", "tokenizer.json")
    files = {n: hashlib.sha256((folder / n).read_bytes()).hexdigest() for n in names}
    spec = {"name": "toulmin-static-embedder", "version": VERSION, "files": files} | details
    (folder / "spec.json").write_text(json.dumps(spec, indent=2) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--data", type=Path, required=True, help="folder that holds LEDGER.md")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=0, help="of tuning on pairs; 0: none")
    parser.add_argument("--pairs", type=int, default=40_000, help="pairs to tune on, at most")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    base = BaseEncoder(options.base)
    splitter = PieceSplitter(base.tokenizer.get_vocab())
    table = reduce_width(base.embed_vocabulary(), options.dim)
    ids = split_texts(splitter, read_texts(options.data))
    table = table * rarity(ids, len(table))[:, None]
    table = table / table.norm(dim=1).mean()
    if options.epochs:
        pairs = read_pairs(options.data, options.seed)[: options.pairs]
        left = split_texts(splitter, [a for a, _ in pairs])
        right = split_texts(splitter, [b for _, b in pairs])
        both = [i for i in range(len(pairs)) if len(left[i]) and len(right[i])]
        table = tune(
            table,
            [left[i] for i in both],
            [right[i] for i in both],
            epochs=options.epochs,
            batch=256,
            seed=options.seed,
        )
    details = {
        "vocabulary": "tokenizer.json",
        "dim": options.dim,
        "base": "sentence-transformers/all-MiniLM-L6-v2",
        "licence": "Apache-2.0",
    }
    write(options.out, table, options.base / "tokenizer.json", details)


if __name__ == "__main__":
    main()
