"""Rows as token ids and word targets, grouped by length so that little padding is computed."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from data.rows import Row, Spans
from tokenizers import Tokenizer
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from toulmin.grounding.inputs import EncodedPair, PairText, encode_pairs, pad_batch

TOKENS = 2400
MOST_ROWS = 48
NO_TARGET = -1.0
NO_SPAN = -1


@dataclass
class Batch:
    ids: Tensor
    mask: Tensor
    types: Tensor
    labels: Tensor
    words: Tensor
    spans: Tensor
    index: list[int]


def encode_rows(tokenizer: Tokenizer, rows: list[Row], rng: random.Random) -> list[EncodedPair]:
    """Most rows are cut to 176 tokens, one in four may be as long as serving allows."""
    limits = [256 if rng.random() < 0.25 else 176 for _ in rows]
    encoded: list[EncodedPair] = [None] * len(rows)  # type: ignore[list-item]
    for limit in (176, 256):
        for start in range(0, len(rows), 4096):
            index = [i for i in range(start, min(start + 4096, len(rows))) if limits[i] == limit]
            pairs = [PairText(rows[i].evidence, rows[i].claim, rows[i].context) for i in index]
            for i, pair in zip(index, encode_pairs(tokenizer, pairs, limit), strict=True):
                pair.ids[:] = np.asarray(pair.ids, dtype=np.int32).tolist()
                encoded[i] = pair
    return encoded


def word_targets(row: Row, pair: EncodedPair) -> list[float]:
    """1 for a wrong word, 0 for a right one, -1 where the row does not say."""
    targets = [NO_TARGET] * len(pair.ids)
    sides = (
        (row.evidence_wrong, pair.evidence_start, pair.evidence_offsets),
        (row.claim_wrong, pair.claim_start, pair.claim_offsets),
    )
    for wrong, first, offsets in sides:
        if wrong is None:
            continue
        for i, (start, end) in enumerate(offsets):
            targets[first + i] = 1.0 if _touches(wrong, start, end) else 0.0
    return targets


def span_target(row: Row, pair: EncodedPair) -> tuple[int, int]:
    """First and last token of the answer; 0, 0 where there is none; -1, -1 for a claim.

    Of several answers the first that the sequence holds whole counts.
    """
    if row.answers is None:
        return NO_SPAN, NO_SPAN
    for start, end in row.answers:
        inside = [i for i, (a, b) in enumerate(pair.evidence_offsets) if a < end and b > start]
        if inside and pair.evidence_offsets[-1][1] >= end:
            return pair.evidence_start + inside[0], pair.evidence_start + inside[-1]
    return 0, 0


def batches(
    rows: list[Row], encoded: list[EncodedPair], order: list[int], rng: random.Random
) -> Iterator[Batch]:
    """Batches of about 2,400 tokens; lengths are sorted within pools of 2,048 rows."""
    for start in range(0, len(order), 2048):
        pool = sorted(order[start : start + 2048], key=lambda i: len(encoded[i].ids))
        groups: list[list[int]] = [[]]
        for i in pool:
            full = (len(groups[-1]) + 1) * len(encoded[i].ids) > TOKENS
            if groups[-1] and (full or len(groups[-1]) >= MOST_ROWS):
                groups.append([])
            groups[-1].append(i)
        rng.shuffle(groups)
        for index in groups:
            yield _batch(rows, encoded, index)


def _batch(rows: list[Row], encoded: list[EncodedPair], index: list[int]) -> Batch:
    ids, mask, types = pad_batch([encoded[i] for i in index])
    words = np.full(ids.shape, NO_TARGET, dtype=np.float32)
    for row, i in enumerate(index):
        targets = word_targets(rows[i], encoded[i])
        words[row, : len(targets)] = targets
    return Batch(
        torch.from_numpy(ids),
        torch.from_numpy(mask),
        torch.from_numpy(types),
        torch.tensor([rows[i].label for i in index]),
        torch.from_numpy(words),
        torch.tensor([span_target(rows[i], encoded[i]) for i in index]),
        index,
    )


def _touches(spans: Spans, start: int, end: int) -> bool:
    return any(start < b and end > a for a, b in spans)
