"""Compare the float32 and int8 embedders: vectors, rankings, nDCG@10, batches, speed.

    PYTHONPATH=src:. python training/embedder/evaluate.py --data DATA \
        --float32 RUN/model.float32.onnx --weights WEIGHTS [--sample 300]

A sample of the SQuAD 2.0 half: questions, the contexts they were asked about, and as many again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from pathlib import Path

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

SEED = 4


def open_session(path: Path) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run(session: ort.InferenceSession, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    return session.run(["embedding"], feed)[0]


def embed(session: ort.InferenceSession, rows: list[list[int]]) -> tuple[np.ndarray, float]:
    """Vectors, one text a run, and processor milliseconds a text."""
    began = time.process_time()
    ids = [np.array([row], dtype=np.int64) for row in rows]
    vectors = np.concatenate([run(session, row, np.ones_like(row)) for row in ids])
    return vectors, 1000 * (time.process_time() - began) / len(rows)


def batched(session: ort.InferenceSession, rows: list[list[int]], size: int) -> np.ndarray:
    """Vectors in padded batches."""
    result = []
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        ids = np.zeros((len(part), max(map(len, part))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(part):
            ids[i, : len(row)] = row
            mask[i, : len(row)] = 1
        result.append(run(session, ids, mask))
    return np.concatenate(result)


def sample(data: Path, count: int) -> tuple[list[str], list[str], np.ndarray]:
    """Questions, contexts, and the place of each question's context."""
    with gzip.open(data / "qa" / "dev" / "squad2_half.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    rng = random.Random(SEED)
    asked = rng.sample([r for r in rows if r["answerable"]], count)
    own = {r["context"] for r in asked}
    rest = sorted({r["context"] for r in rows} - own)
    contexts = sorted(own) + rng.sample(rest, min(len(rest), len(own)))
    place = {c: i for i, c in enumerate(contexts)}
    return [r["question"] for r in asked], contexts, np.array([place[r["context"]] for r in asked])


def ndcg(scores: np.ndarray, right: np.ndarray) -> float:
    """nDCG@10 with one relevant context a question."""
    ranks = (scores > scores[np.arange(len(right)), right][:, None]).sum(axis=1)
    return float(np.where(ranks < 10, 1 / np.log2(ranks + 2), 0).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--float32", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=300)
    args = parser.parse_args()

    spec = json.loads((args.weights / "spec.json").read_text())
    tokenizer = Tokenizer.from_file(str(args.weights / spec["tokenizer"]))
    tokenizer.no_padding()
    tokenizer.enable_truncation(spec["max_tokens"])
    questions, contexts, right = sample(args.data, args.sample)
    texts = [tokenizer.encode(t).ids for t in [*questions, *contexts]]
    small_session = open_session(args.weights / "model.onnx")
    full, full_ms = embed(open_session(args.float32), texts)
    small, small_ms = embed(small_session, texts)
    cosines = (full * small).sum(axis=1)
    n = len(questions)
    scores = [v[:n] @ v[n:].T for v in (full, small)]
    tops = [np.argsort(-s, axis=1, kind="stable")[:, :10] for s in scores]
    shared = [len(set(a) & set(b)) / 10 for a, b in zip(*map(np.ndarray.tolist, tops), strict=True)]
    few = texts[: n // 2] + texts[n : n + n // 2]
    alone = np.concatenate([small[: n // 2], small[n : n + n // 2]])
    moved = 1 - (batched(small_session, few, 16) * alone).sum(axis=1)
    print(
        json.dumps(
            {
                "questions, contexts": [n, len(contexts)],
                "cosine float32 to int8: mean, least": [
                    round(float(cosines.mean()), 4),
                    round(float(cosines.min()), 4),
                ],
                "same first context": round(float((tops[0][:, 0] == tops[1][:, 0]).mean()), 4),
                "first ten shared": round(float(np.mean(shared)), 4),
                "nDCG@10 float32, int8": [round(ndcg(s, right), 4) for s in scores],
                "1 - cosine, int8 in batches of 16 to alone: mean, most": [
                    round(float(moved.mean()), 5),
                    round(float(moved.max()), 5),
                ],
                "processor ms a text, float32, int8": [round(full_ms, 1), round(small_ms, 1)],
                "tokens a text": round(float(np.mean([len(t) for t in texts])), 1),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
