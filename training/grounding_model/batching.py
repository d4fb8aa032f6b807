"""Packs as padded tensors, grouped by length so that little padding is computed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from packs import Encoded, Query
from torch import Tensor


@dataclass
class PackBatch:
    """Padded packs.

    Attributes:
        ids, positions, segments: Shape (packs, length); segments are 0 for evidence, then 1, 2,
            ... for the queries of a pack, -1 for padding.
        query_pack: Which pack each query is in, shape (queries,).
        query_first: Where it begins there.
        pooled: For each token the query whose claim it belongs to, else -1; (packs, length).
        encoded: What was batched.
    """

    ids: Tensor
    positions: Tensor
    segments: Tensor
    query_pack: Tensor
    query_first: Tensor
    pooled: Tensor
    encoded: list[Encoded]

    @property
    def queries(self) -> list[Query]:
        return [query for pack in self.encoded for query in pack.queries]


def batch_packs(encoded: Sequence[Encoded], pad: int) -> PackBatch:
    length = max(pack.length for pack in encoded)

    def padded(rows: list[list[int]], value: int) -> Tensor:
        return torch.tensor([row + [value] * (length - len(row)) for row in rows])

    pooled = torch.full((len(encoded), length), -1)
    packs, firsts = [], []
    for row, pack in enumerate(encoded):
        for place in pack.tokens.places:
            pooled[row, place.start : place.end] = len(packs)
            packs.append(row)
            firsts.append(place.first)
    return PackBatch(
        padded([pack.tokens.ids for pack in encoded], pad),
        padded([pack.tokens.positions for pack in encoded], 0),
        padded([pack.tokens.segments for pack in encoded], -1),
        torch.tensor(packs),
        torch.tensor(firsts),
        pooled,
        list(encoded),
    )


def batches(
    encoded: Sequence[Encoded], order: Sequence[int], tokens: int, pad: int, rng: random.Random
) -> Iterator[PackBatch]:
    """Batches of about `tokens` tokens; packs are sorted by length within pools of 256."""
    for start in range(0, len(order), 256):
        pool = sorted(order[start : start + 256], key=lambda i: encoded[i].length)
        groups: list[list[int]] = [[]]
        for i in pool:
            if groups[-1] and (len(groups[-1]) + 1) * encoded[i].length > tokens:
                groups.append([])
            groups[-1].append(i)
        rng.shuffle(groups)
        for index in groups:
            yield batch_packs([encoded[i] for i in index], pad)
