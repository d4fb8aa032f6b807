"""Batches, or one pair at a time? Pairs per second of the shipped encoder, in one run.

    python benchmarks/speed/batching.py --out benchmarks/results/batching.json

Pairs of mixed length around 120 tokens. "batched": padded batches of up to 2,048 tokens on a
session that uses all cores. "alone": one pair a run, each core running its own pairs; no padding,
and a pair's score does not depend on the others. Also the largest change of P(support) that a
pair sees when the other pairs of its batch change.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnxruntime

from toulmin.models.spec import EMBEDDED_WEIGHTS

PAIRS, ROUNDS, BUDGET = 192, 5, 2048


def session(threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    path = str(EMBEDDED_WEIGHTS / "cross_encoder" / "model.onnx")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def feed(rows):
    width = max(len(row) for row in rows)
    ids = np.zeros((len(rows), width), np.int64)
    mask, types = np.zeros_like(ids), np.zeros_like(ids)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = row
        mask[at, : len(row)] = 1
        types[at, len(row) * 4 // 5 : len(row)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def batched(run, rows):
    order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
    logits, batch = np.zeros((len(rows), 3)), []
    batches = []
    for index in order:
        if batch and (len(batch) + 1) * len(rows[batch[0]]) > BUDGET:
            batches.append(batch)
            batch = []
        batch.append(index)
    for members in [*batches, batch]:
        logits[members] = run.run(["logits"], feed([rows[i] for i in members]))[0]
    return logits


def alone(run, rows, pool):
    return np.concatenate(list(pool.map(lambda row: run.run(["logits"], feed([row]))[0], rows)))


def support(logits):
    e = np.exp(logits - logits.max(1, keepdims=True))
    return (e / e.sum(1, keepdims=True))[:, 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    cores = os.cpu_count() or 1
    rng = np.random.default_rng(0)
    rows = [rng.integers(1000, 30000, int(n)) for n in rng.integers(60, 180, PAIRS)]
    together, single = session(cores), session(1)
    with ThreadPoolExecutor(cores) as pool:
        ways = {
            "batched": lambda: batched(together, rows),
            "alone": lambda: alone(single, rows, pool),
        }
        best = dict.fromkeys(ways, float("inf"))
        for _ in range(ROUNDS):
            for name, way in ways.items():
                started = time.perf_counter()
                way()
                best[name] = min(best[name], time.perf_counter() - started)
        first = support(batched(together, rows))[: PAIRS // 2]
        second = support(batched(together, rows[: PAIRS // 2]))
        change = {"batched": float(np.abs(first - second).max()), "alone": 0.0}
    report = {
        name: {
            "pairs_per_s": round(PAIRS / best[name], 1),
            "largest_change_of_support": round(change[name], 4),
        }
        for name in ways
    }
    report["alone_over_batched"] = round(best["batched"] / best["alone"], 2)
    report["cores"] = cores
    text = json.dumps(report, indent=1)
    print(text)
    if args.out:
        args.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
