"""A search index that anyone can check: Python dictionaries, BM25 by its formula, numpy.

It knows two things about the embedded index: chunks that were removed or replaced still count in
the statistics of words until a rebuild, and vectors are rounded to 8 bits.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections import Counter
from datetime import UTC, datetime

import numpy as np

from toulmin.errors import FailedPrecondition
from toulmin.stores.index.predicate import EVERYTHING, matches
from toulmin.stores.index.protocol import Counts, FacetValue, Hit, Hits, Put, Query, Selected

K1, B = 1.2, 0.75
TITLE_WEIGHT = 1.0
WORD = re.compile(r"[^\W_]+")
SPELT = re.compile("[a-zäöüßа-я]{4,32}")
CJK = re.compile("[\u3041-\u30ff\u4e00-\u9fff]+")


def terms(text, *, asked):
    """Return the terms of each kind; plain lower-case words that no stemmer shortens."""
    runs = CJK.findall(text)
    grams = []
    for run in runs:
        pairs = [run[i : i + 2] for i in range(len(run) - 1)]
        grams += (pairs or [run]) if asked else [*run, *pairs]
    return re.findall(r"[a-z0-9]+", CJK.sub(" ", text)), grams


class Words:
    """BM25 over everything that was ever added."""

    def __init__(self):
        self.documents = []  # for each: field -> Counter of terms
        self.surfaces = []  # for each: its words

    def add(self, chunk):
        title, title_grams = terms(chunk.title, asked=False)
        text, grams = terms(chunk.text, asked=False)
        fields = {"text": text, "title": title, "grams": title_grams + grams}
        self.surfaces.append(
            {word for part in (chunk.title, chunk.text) for word in map(lower, WORD.findall(part))}
        )
        self.documents.append({name: Counter(found) for name, found in fields.items()})
        return len(self.documents) - 1

    def score(self, query):
        """Return the score of every document that has a term of `query`."""
        words, grams = (list(dict.fromkeys(part)) for part in terms(query, asked=True))
        scores = Counter()
        for field, weight, wanted in (
            ("text", 1.0, words),
            ("title", TITLE_WEIGHT, words),
            ("grams", 1.0, grams),
        ):
            lengths = [d[field].total() for d in self.documents]
            average = sum(lengths) / max(1, len(lengths))
            for term in wanted:
                having = [i for i, d in enumerate(self.documents) if term in d[field]]
                n = len(having)
                idf = math.log(1 + (len(lengths) - n + 0.5) / (n + 0.5))
                for i in having:
                    assert lengths[i] <= 40  # longer ones are rounded by tantivy
                    tf = self.documents[i][field][term]
                    norm = K1 * (1 - B + B * lengths[i] / average)
                    scores[i] += weight * idf * (K1 + 1) * tf / (tf + norm)
        return scores


class OracleIndex:
    """A `SearchIndex` in memory."""

    def __init__(self):
        self.position = 0
        self.chunks = {}  # key -> (chunk, number of its document in the words)
        self.words = Words()

    def apply(self, changes, *, up_to):
        last = {c.chunk.key if isinstance(c, Put) else c.key: c for c in changes}
        for key, change in sorted(last.items()):
            if isinstance(change, Put):
                self.chunks[key] = (change.chunk, self.words.add(change.chunk))
            else:
                self.chunks.pop(key, None)
        self.position = max(self.position, up_to)

    def allowed(self, predicate):
        return [pair for pair in self.chunks.values() if matches(predicate, pair[0].fields)]

    def search(self, query: Query):
        allowed = self.allowed(query.filter)
        lexical, dense = [], []
        if query.text:
            scores = self.words.score(query.text)
            lexical = [(c, round(scores[at], 4)) for c, at in allowed if at in scores]
        if query.vector is not None:
            dense = [
                (c, cosine(c.vector, query.vector)) for c, _ in allowed if c.vector is not None
            ]
            if query.by_parts:
                dense = by_parts(dense, lexical, query)
        return Hits(ranked(lexical, query), ranked(dense, query), self.position)

    def count(self, predicate=EVERYTHING):
        chunks = [chunk for chunk, _ in self.allowed(predicate)]
        return Counts(len(chunks), len({chunk.document for chunk in chunks}))

    def facet(self, field, predicate=EVERYTHING):
        found = {
            (value, chunk.document)
            for chunk, _ in self.allowed(predicate)
            for value in chunk.fields.get(field, ())
            if isinstance(value, str)
        }
        counted = Counter(value for value, _ in found)
        return tuple(FacetValue(value, counted[value]) for value in sorted(counted))

    def select(self, selection):
        documents = {}
        for chunk, _ in self.allowed(selection.filter):
            documents.setdefault(chunk.document, []).append(chunk)
        listed = sorted(documents)
        for order in reversed(selection.order_by):  # sorting is stable
            counts = {number: counting(documents[number], order) for number in listed}
            having = [number for number in listed if counts[number] is not None]
            having.sort(key=counts.get, reverse=order.descending)
            # Reversed sorting keeps equal ones in order, too.
            listed = having + [number for number in listed if counts[number] is None]
        page = listed[selection.offset : selection.offset + selection.limit]
        hits = [Hit(min(c.key for c in documents[number]), number, 0.0) for number in page]
        return Selected(tuple(hits), len(listed), self.position)

    def values(self, keys, field):
        found = {}
        for key in set(keys) & set(self.chunks):
            values = self.chunks[key][0].fields.get(field, ())
            by_kind = sorted(values, key=lambda value: typed(value)[0])
            if by_kind:
                found[key] = tuple(typed(value)[1] for value in by_kind)
        return found

    def correct(self, text):
        text = unicodedata.normalize("NFC", text)
        words = [word for word in WORD.findall(text) if SPELT.fullmatch(lower(word))]
        wrong = [word for word in words if not self.occurs(lower(word))]
        if len(words) > 32 or len(set(map(lower, wrong))) > 8:
            return ""
        known = Counter(word for words in self.words.surfaces for word in words)
        right = {word: nearest(lower(word), known, self.occurs) for word in wrong}
        corrected = WORD.sub(lambda match: right.get(match.group()) or match.group(), text)
        return corrected if any(right.values()) else ""

    def occurs(self, word):
        """Whether a living chunk has it; plain words that no stemmer shortens."""
        return any(word in self.words.surfaces[at] for _, at in self.chunks.values())

    def rebuild(self):
        return OracleRebuild(self)

    def close(self):
        pass


class OracleRebuild(OracleIndex):
    def __init__(self, index):
        super().__init__()
        self.index = index

    def swap(self):
        if self.position < self.index.position:
            raise FailedPrecondition("behind")
        self.index.position = self.position
        self.index.chunks, self.index.words = self.chunks, self.words

    def abandon(self):
        pass


def typed(value):
    """Return the place of the value's kind among kinds, and the value as the index gives it."""
    match value:
        case bool():
            return 2, value
        case int() | float():
            return 0, float(value)
        case datetime():
            return 1, value.astimezone(UTC)
        case str():
            return 3, value


def counting(chunks, order):
    """Return the value of a document that counts for an order, None if it has none."""
    values = [typed(value) for chunk in chunks for value in chunk.fields.get(order.field, ())]
    if any(kind == 1 for kind, _ in values):
        values = [pair for pair in values if pair[0] != 3]
    return (max if order.descending else min)(values, default=None)


def lower(word):
    return unicodedata.normalize("NFKC", word).lower()


def nearest(word, known, occurs):
    """Return the word to put in the place of `word`, None if there is none."""
    most = 2 if len(word) > 7 else 1
    near = [
        (distance(word, other), -count, other)
        for other, count in known.items()
        if LETTERS.fullmatch(other)
        and abs(len(other) - len(word)) <= most
        and distance(word, other) <= most
        and occurs(other)
    ]
    return min(near)[2] if near else None


LETTERS = re.compile("[a-zäöüßа-я]{3,32}")


@functools.cache
def distance(a, b):
    """Letters added, left out, changed, and neighbours exchanged from `a` to `b`, by recursion."""
    if not a or not b:
        return len(a) + len(b)
    if a[-1] == b[-1]:
        return distance(a[:-1], b[:-1])
    least = 1 + min(distance(a[:-1], b), distance(a, b[:-1]), distance(a[:-1], b[:-1]))
    if a[-2:] == b[-2:][::-1] and len(a) > 1 < len(b):
        least = min(least, 1 + distance(a[:-2], b[:-2]))
    return least


def cosine(a, b):
    (small_a, scale_a), (small_b, scale_b) = small(a), small(b)
    product = int(small_a.astype(np.int64) @ small_b.astype(np.int64))
    return float(np.clip(product * float(scale_a) * float(scale_b), -1.0, 1.0))


def by_parts(dense, lexical, query):
    """Look at the parts of what words or whole vectors find first."""
    wanted = query.offset + query.limit
    order = sorted(dense, key=lambda pair: (-pair[1], pair[0].key))[: 5 * wanted]
    worded = sorted(lexical, key=lambda pair: (-pair[1], pair[0].key))[:wanted]
    chosen = {chunk.key for chunk, _ in (*order, *worded)}
    return [(c, nearest_part(c, whole, query)) for c, whole in dense if c.key in chosen]


def nearest_part(chunk, whole, query):
    if chunk.parts is None:
        return whole
    asked, scale = small(query.vector)
    lengths = np.linalg.norm(chunk.parts.astype(np.float64), axis=1)
    cosines = chunk.parts.astype(np.int64) @ asked.astype(np.int64) / lengths * float(scale)
    return float(np.clip((cosines.max() + 0.3 * whole) / 1.3, -1.0, 1.0))


def small(vector):
    scale = np.abs(vector).max() / np.float32(127)
    return np.rint(vector / scale), scale


def ranked(scored, query):
    order = sorted(scored, key=lambda pair: (-pair[1], pair[0].key))
    page = order[query.offset : query.offset + query.limit]
    return tuple(Hit(chunk.key, chunk.document, score) for chunk, score in page)
