"""Which words of a claim does a text hold? For finding evidence, and as features for scoring it.

Finding (`ClaimTerms`): only the claims' own terms are looked for, so that two million characters of
facts cost tens of milliseconds. Scoring (`lexical_features`): twelve numbers for one pair.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from toulmin.grounding.terms import (
    NEGATIONS,
    irregular_words,
    is_number,
    prior_weight,
    to_term,
)
from toulmin.text.scripts import FIRST_EAST_ASIAN, is_katakana
from toulmin.text.words import WordStream, hash_words, scan_words

TELLING_WEIGHT = 0.15  # terms below it are grammar: they match everything

FEATURE_NAMES = (
    "terms_found",  # share of the claim's terms found in the evidence, by weight; 1 if it has none
    "pairs_found",  # share of the claim's neighbouring telling terms that are neighbours there too
    "numbers_found",  # share of the claim's numbers found; 1 if it has none
    "names_found",  # share of the claim's names found; 1 if it has none
    "numbers_missing",  # count of numbers not found, capped at 4, divided by 4
    "names_missing",  # count of names not found, capped at 4, divided by 4
    "heaviest_missing",  # weight of the most telling term not found, in [0, 1]
    "longest_run",  # longest run of the claim's words that the evidence has too, as a share
    "claim_share",  # terms of the claim over terms of the evidence, capped at 1
    "negation_differs",  # 1 if only one of claim and the evidence near it is negated
    "claim_length",  # telling terms of the claim, capped at 40, divided by 40
    "tightness",  # share of its telling terms found in the best stretch of twice its length
)

_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_DECIMAL = re.compile(r"\d+(\.\d+)?")
_SENTENCE_OPENERS = frozenset(".!?:\n。\uff01\uff1f\uff1a")
_BEFORE_START = " \t\"'“”\u2018«¿¡([「『"
_RARE_WEIGHT = 0.6
_ENDS = frozenset(".!?|\n。\uff01\uff1f")
_NEAR = 4  # words


class ClaimTerms:
    """The terms of all texts of one request that evidence is looked for, numbered.

    Attributes:
        terms: Every distinct term, by number.
        priors: Weight of each term before any fact is seen, shape (terms,), in (0, 1].
        texts: For each text, the numbers of its terms in reading order, with repeats.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        numbers: dict[str, int] = {}
        priors: list[float] = []
        self.texts: list[NDArray[np.int64]] = []
        self._pair_hashes: dict[int, int] = {}
        for text in texts:
            stream = scan_words(text)
            unspaced = stream.unspaced.tolist()
            sequence: list[int] = []
            for at, word in enumerate(stream.words()):
                term = word if unspaced[at] else to_term(word)
                number = numbers.setdefault(term, len(numbers))
                if number == len(priors):
                    priors.append(prior_weight(term, unspaced=unspaced[at]))
                if unspaced[at]:
                    self._pair_hashes[int(stream.hashes[at])] = number
                sequence.append(number)
            self.texts.append(np.array(sequence, dtype=np.int64))
        self.terms = list(numbers)
        self.priors = np.array(priors, dtype=np.float32)
        self._numbers = numbers
        spaced = [t for t in numbers if t] or [""]
        self._prefixes = np.unique(hash_words(spaced)[1])
        self._irregular = np.unique(hash_words(irregular_words())[0])

    def match(self, stream: WordStream) -> NDArray[np.int64]:
        """Return the number of each word's term, -1 where no text has it, shape (words,)."""
        where = stream.distinct
        hashes, unspaced = stream.hashes[where], stream.unspaced[where]
        found = np.full(len(where), -1, dtype=np.int64)
        maybe = np.isin(stream.prefixes[where], self._prefixes)
        maybe |= stream.numeric[where] | np.isin(hashes, self._irregular)
        for at in np.flatnonzero(maybe & ~unspaced).tolist():
            found[at] = self._numbers.get(to_term(stream.word(where[at])), -1)
        if self._pair_hashes:
            for at in np.flatnonzero(unspaced).tolist():
                found[at] = self._pair_hashes.get(int(hashes[at]), -1)
        matched: NDArray[np.int64] = found[stream.identity]
        return matched


@dataclass(frozen=True, slots=True)
class _Words:
    """One text of a pair, as terms."""

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    telling: tuple[str, ...]
    held: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    negations: tuple[int, ...]
    sentences: tuple[int, ...]


def lexical_features(claim: str, evidence: str) -> NDArray[np.float64]:
    """Return the features of `FEATURE_NAMES` for one pair, shape (12,), each in [0, 1].

    Args:
        claim: The sentence to check.
        evidence: What `evidence_text` made of the chunks, attributes included.
    """
    said, known = _read(claim), _read(evidence)
    weighed = dict(zip(said.terms, said.weights, strict=True))
    total = sum(weighed.values())
    missing = [w for t, w in weighed.items() if t not in known.held]
    numbers_missing = len(said.numbers - known.held)
    names_missing = len(said.names - known.held)
    telling = {t: w for t, w in weighed.items() if w > TELLING_WEIGHT}
    first, last, weight = _best_stretch(telling, known.terms, 2 * len(said.terms) + 4)
    return np.array(
        (
            1.0 - sum(missing) / total if total else 1.0,
            _pairs_found(said.telling, known.telling),
            1.0 - numbers_missing / len(said.numbers) if said.numbers else 1.0,
            1.0 - names_missing / len(said.names) if said.names else 1.0,
            min(numbers_missing, 4) / 4,
            min(names_missing, 4) / 4,
            max(missing, default=0.0),
            _longest_run(said.terms, known.terms),
            min(len(said.terms) / max(len(known.terms), 1), 1.0),
            float(bool(said.negations) != _is_negated(known, first, last)),
            min(len(said.telling), 40) / 40,
            weight / sum(telling.values()) if telling else 1.0,
        )
    )


@functools.lru_cache(maxsize=2048)
def _read(text: str) -> _Words:
    stream = scan_words(text)
    unspaced = stream.unspaced.tolist()
    words = stream.words()
    terms = tuple(w if u else to_term(w) for w, u in zip(words, unspaced, strict=True))
    weights = tuple(prior_weight(t, unspaced=u) for t, u in zip(terms, unspaced, strict=True))
    numbers = _numbers(words, terms)
    return _Words(
        terms=terms,
        weights=weights,
        telling=tuple(t for t, w in zip(terms, weights, strict=True) if w > TELLING_WEIGHT),
        held=numbers.union(terms),
        numbers=numbers,
        names=_names(text, stream, terms, weights),
        negations=tuple(
            at
            for at, word in enumerate(words)
            if word in NEGATIONS or (word == "t" and at and words[at - 1][-1] == "n")
        ),
        sentences=_sentence_starts(text, stream),
    )


def _sentence_starts(text: str, stream: WordStream) -> tuple[int, ...]:
    """Return the indices of words that come after the end of a sentence or of a piece."""
    gaps = zip(stream.ends.tolist(), stream.starts[1:].tolist(), strict=False)
    return tuple(
        at
        for at, (end, start) in enumerate(gaps, start=1)
        if start > end and not _ENDS.isdisjoint(text[end:start])
    )


def _is_negated(known: _Words, first: int, last: int) -> bool:
    """Return whether a negation stands in the stretch, or near it in the same sentence."""
    low = max((at for at in known.sentences if at <= first), default=0)
    high = min((at for at in known.sentences if at >= last), default=len(known.terms))
    return any(max(low, first - _NEAR) <= at < min(high, last + _NEAR) for at in known.negations)


def _numbers(words: Sequence[str], terms: Sequence[str]) -> frozenset[str]:
    """Return the numbers of a text; "1.5 million" is 1500000 as well as 1.5."""
    found: set[str] = set()
    for at, term in enumerate(terms):
        if not is_number(term):
            continue
        found.add(term)
        scale = _SCALES.get(words[at + 1]) if at + 1 < len(words) else None
        if scale is not None and _DECIMAL.fullmatch(term):
            whole, _, part = term.partition(".")
            if len(part) <= scale:
                found.add((whole + part.ljust(scale, "0")).lstrip("0") or "0")
    return frozenset(found)


def _names(
    text: str, stream: WordStream, terms: Sequence[str], weights: Sequence[float]
) -> frozenset[str]:
    """Return the terms that look like names.

    A name has a capital inside a sentence (at its start only if the word is rare), or is in
    katakana, or is a Latin word among characters of a script without spaces.
    """
    found: set[str] = set()
    mixed = bool(stream.unspaced.any())
    rows = zip(stream.starts.tolist(), stream.ends.tolist(), terms, weights, strict=True)
    for start, end, term, weight in rows:
        word = text[start:end]
        if weight <= TELLING_WEIGHT or is_number(term):
            continue
        if word.islower() or (word[0] >= FIRST_EAST_ASIAN and not is_katakana(word)):
            if mixed and word.isascii() and len(word) > 1:
                found.add(term)
        elif word != word.lower():
            if weight >= _RARE_WEIGHT or not _opens_sentence(text, start):
                found.add(term)
        elif is_katakana(word):
            found.add(term)
    return frozenset(found)


def _opens_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 4) : start].rstrip(_BEFORE_START)
    return before[-1:] in _SENTENCE_OPENERS if before else start <= 4


def _pairs_found(telling: Sequence[str], there: Sequence[str]) -> float:
    """Return the share of neighbours in `telling` that are neighbours in `there` as well."""
    pairs = set(pairwise(telling))
    if not pairs:
        return 1.0
    return len(pairs.intersection(pairwise(there))) / len(pairs)


def _longest_run(terms: Sequence[str], others: Sequence[str]) -> float:
    """Return the longest run of `terms` that `others` has too, over the number of `terms`."""
    places: dict[str, list[int]] = {}
    for at, term in enumerate(others):
        places.setdefault(term, []).append(at)
    longest = 0
    runs: dict[int, int] = {}
    for term in terms:
        runs = {at: runs.get(at - 1, 0) + 1 for at in places.get(term, ())}
        longest = max(longest, max(runs.values(), default=0))
    return longest / len(terms) if terms else 1.0


def _best_stretch(
    weights: Mapping[str, float], terms: Sequence[str], size: int
) -> tuple[int, int, float]:
    """Return the stretch of at most `size` terms with the most weight, each term counted once.

    Returns:
        Its first index, one past its last, and its weight; (0, 0, 0.0) if no term has weight.
    """
    hits = [(at, term) for at, term in enumerate(terms) if term in weights]
    inside: dict[str, int] = {}
    best, weight, tail = (0, 0, 0.0), 0.0, 0
    for at, term in hits:
        inside[term] = inside.get(term, 0) + 1
        if inside[term] == 1:
            weight += weights[term]
        while at - hits[tail][0] >= size:
            leaving = hits[tail][1]
            tail += 1
            inside[leaving] -= 1
            if not inside[leaving]:
                weight -= weights[leaving]
        if weight > best[2] + 1e-9:
            best = (hits[tail][0], at + 1, weight)
    return best
