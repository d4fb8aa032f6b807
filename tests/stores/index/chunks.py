"""Random chunks, changes, filters and queries, all from a seed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np

from toulmin.stores.index.predicate import EVERYTHING, And, AnyOf, During, InRange, Is, Not, Or
from toulmin.stores.index.protocol import IndexedChunk, Order, Put, Query, Remove, Selection
from toulmin.stores.index.vectors import quantized

DIMENSIONS = 16
WORDS = [f"w{number}" for number in range(60)]
RUNS = ["東京", "京都", "東京都", "日本", "本"]
COLOURS = ["red", "green", "blue", "blue 'n' \"grey\"", "größe", ""]
SPELT = [
    "bkm",
    "bkmo",
    "bomo",
    "bommo",
    "bokmo",
    "kombo",
    "komobo",
    "mobokom",
    "mobkokom",
    "mookobkombok",
    "mobokombok",
]
START = datetime(2024, 1, 1, tzinfo=UTC)


class Random:
    """Draws whatever the tests need."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def among(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def vector(self):
        vector = self.rng.normal(size=DIMENSIONS).astype(np.float32)
        return vector / np.linalg.norm(vector)

    def parts(self):
        rows = np.stack([self.vector() for _ in range(int(self.rng.integers(2, 6)))])
        return quantized(rows)[0]

    def text(self, longest):
        # Low numbers far more often, so that some words are everywhere and some are rare.
        ranks = (self.rng.random(int(self.rng.integers(1, longest))) ** 2 * len(WORDS)).astype(int)
        parts = [WORDS[rank] for rank in ranks]
        if self.rng.random() < 0.3:
            parts.insert(0, self.among(RUNS))
        if self.rng.random() < 0.3:
            parts.append(self.among(SPELT))
        return " ".join(parts)

    def fields(self):
        fields = {}
        if self.rng.random() < 0.8:
            count = int(self.rng.integers(1, 3))
            fields["colour"] = tuple({self.among(COLOURS): None for _ in range(count)})
        if self.rng.random() < 0.7:
            fields["size.width"] = (float(self.rng.integers(0, 10)), 0.5)[
                : int(self.rng.integers(1, 3))
            ]
        if self.rng.random() < 0.5:
            fields["day"] = (START + timedelta(hours=int(self.rng.integers(0, 2000))),)
        fields["new"] = (bool(self.rng.random() < 0.5),)
        if self.rng.random() < 0.2:  # of several kinds
            fields["mixed"] = ("1", 1, True, START)
        fields["various"] = (self.among(["a", "b", 1, 2.5, True, START, "c"]),)
        return fields

    def chunk(self, keys):
        key = int(self.rng.integers(keys))
        return IndexedChunk(
            key=key,
            document=key // 3,
            text=self.text(25),
            title=self.text(4) if self.rng.random() < 0.5 else "",
            vector=self.vector() if self.rng.random() < 0.9 else None,
            parts=self.parts() if self.rng.random() < 0.6 else None,
            fields=self.fields(),
        )

    def changes(self, count, keys):
        return [
            Put(self.chunk(keys))
            if self.rng.random() < 0.75
            else Remove(int(self.rng.integers(keys)))
            for _ in range(count)
        ]

    def condition(self):
        match int(self.rng.integers(6)):
            case 0:
                return AnyOf("colour", (self.among(COLOURS), self.among(COLOURS)))
            case 1:
                low = float(self.rng.integers(0, 9))
                return InRange(
                    "size.width", low, low + 3, bool(low % 2), bool(self.rng.random() < 0.5)
                )
            case 2:
                day = 1_704_067_200_000_000 + int(self.rng.integers(0, 2000)) * 3_600_000_000
                return During("day", day, self.among([None, day + 10**12]))
            case 3:
                return Is("new", bool(self.rng.random() < 0.5))
            case 4:
                return self.among(
                    [AnyOf("mixed", ("1",)), InRange("mixed", 1, 1), Is("mixed", True)]
                )
            case _:
                return AnyOf("absent", ("x",))

    def predicate(self, depth=2):
        if depth == 0 or self.rng.random() < 0.4:
            return self.condition()
        parts = tuple(self.predicate(depth - 1) for _ in range(int(self.rng.integers(0, 3))))
        return self.among([And(parts), Or(parts), Not(self.predicate(depth - 1))])

    def query(self):
        limit, offset = int(self.rng.integers(1, 30)), int(self.among([0, 0, 3]))
        words = self.text(5)
        if self.rng.random() < 0.2:
            words += ' AND "unknown (+'
        near = bool(self.rng.random() < 0.5)
        return Query(words, self.vector(), self.predicate(), limit, offset, near)

    def misspelt(self):
        words = [self.among(WORDS)]
        for _ in range(int(self.rng.integers(1, 4))):
            word = self.among(SPELT)
            for _ in range(int(self.rng.integers(0, 4))):
                at = int(self.rng.integers(len(word)))
                letter = self.among(["b", "k", "m", "o", "x"])
                word = self.among(
                    [
                        word[:at] + letter + word[at:],
                        word[:at] + letter + word[at + 1 :],
                        word[:at] + word[at + 1 :] or "o",
                        word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
                    ]
                )
            words.append(self.among([word, word.capitalize()]))
        return self.among([" ", ", ", "-"]).join(words) + self.among(["", "?"])

    def selection(self):
        fields = ["colour", "size.width", "day", "new", "mixed", "various", "absent"]
        self.rng.shuffle(fields)
        orders = (Order(name, bool(self.rng.random() < 0.5)) for name in fields)
        return Selection(
            self.predicate() if self.rng.random() < 0.5 else EVERYTHING,
            tuple(orders)[: int(self.rng.integers(0, 4))],
            limit=int(self.among([0, 1, 4, 100])),
            offset=int(self.among([0, 0, 2, 7])),
        )
