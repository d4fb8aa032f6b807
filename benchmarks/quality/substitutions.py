"""Claims that differ from a passage in known words: the set that benchmarks/quality/spans.py measures on.

A claim is a sentence of a passage in which one or two words were replaced by others of the same
kind, so both the wrong words and the fact's words they conflict with are known by their place.
Claims that say only what the passage says (the sentence as it is, without its leading phrase,
without an adjunct) are in the set too, so that false marks are counted. Everything is seeded.

What the kinds cannot promise: no parser was used, so a replaced noun or verb may by chance still
be true (a few in a hundred), and names are matched by the word before them, not by what they name.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.quality.substitution_words import ANTONYMS, DAYS, MONTHS, NATIONALITIES, NUMBERS

Span = tuple[int, int]

WORD = re.compile(r"\d[\d,.]*\d|\w+(?:['\u2019]\w+)*")
_STOP = r"(?<=[a-z]{3}[.!?] )|(?<=\d{2}[.!?] )|(?<=\)[.!?] )"
_SENTENCE = re.compile(
    rf"(?:^|{_STOP})[A-Z](?:[^.!?:;\n\"]|\.(?=\d))+(?:(?<=[a-z]{{3}})|(?<=\d{{2}})|(?<=\)))\.(?= |$)"
)
_LEAST_WORDS, _MOST_WORDS = 8, 30
_LEAST_SENTENCES = 3

_AUXILIARY = r"(?:is|are|was|were|has|have|had|can|could|will|would|did|does|do|may|should|must)"
# A name: capitalised words within the sentence, and the word before them.
_NAME = re.compile(r"(?<=[a-z,] )((?:[A-Z][a-z]+)(?: [A-Z][a-z]+){0,2})\b(?! [A-Z])")
_NOUN = re.compile(
    r"\b(?:the|a|an|its|their|his|this) ([a-z]{4,})(?= (?:of|in|was|is|were|are|has|had|to|and|for)\b|[,.])"
)
# What stands in a noun's place without being one, or is not told apart by its "s".
_NO_NOUN = re.compile(r"(?:est|east|west|ly|ing|ed|ss|us|is)$")
_VERB = re.compile(r"\b(was|is|were|are|been|be|had|has|have) ([a-z]{3,}ed)\b")
_LEAD = re.compile(
    r"^(?:In|On|At|After|During|By|Since|With|From|Following|However|Furthermore|Also|Moreover"
    r"|Therefore|Thus|Today|Despite|Although|While|Additionally)\b[^,()]{0,70}, "
    r"(?=(?:the|a|an|there|many|some|most|several|[A-Z][a-z]+) )"
)
_ADJUNCT = re.compile(
    r" \([^()]{2,60}\)|, (?:which|who|including|such as|especially|particularly|known as|located)"
    r" [^,]{4,80},(?= (?:was|is|were|are|has|had|have|and)\b)"
    r"|, (?:including|such as|especially|particularly) [^,.]{4,60}(?=\.$)"
    r"| (?:in|during|since) \d{4}(?=\.$)"
)
_FREQUENCY_RATIO = 3
_TRIES = 30


@dataclass(frozen=True)
class Claim:
    """One claim about a passage.

    Attributes:
        kind: What was done to the sentence.
        passage: The fact.
        text: The claim.
        wrong: Ranges of the claim's words that the passage does not bear out; empty when it bears
            out all of them.
        conflicting: Ranges of the passage's words that they stand in place of.
        either: Ranges of the claim that may be marked or not ("was" of "was not").
        either_fact: The same in the passage.
        sentence: The sentence that it was made of, where words were replaced.
    """

    kind: str
    passage: str
    text: str
    wrong: tuple[Span, ...] = ()
    conflicting: tuple[Span, ...] = ()
    either: tuple[Span, ...] = ()
    either_fact: tuple[Span, ...] = ()
    sentence: str = ""


@dataclass(frozen=True)
class Edit:
    """A replacement in a sentence: `sentence[start:end]` becomes `new`.

    `wrong` and `either` are ranges in `new`; `conflicting` and `either_fact` are ranges in
    `sentence[start:end]`. By default all of both is wrong and conflicting.
    """

    start: int
    end: int
    new: str
    wrong: tuple[Span, ...] | None = None
    conflicting: tuple[Span, ...] | None = None
    either: tuple[Span, ...] = ()
    either_fact: tuple[Span, ...] = ()


@dataclass
class Pool:
    """Words of all passages by the slot that they stand in, to be drawn as replacements."""

    names: dict[tuple[str, int], list[str]] = field(default_factory=lambda: defaultdict(list))
    nouns: dict[bool, list[str]] = field(default_factory=lambda: defaultdict(list))
    verbs: dict[bool, list[str]] = field(default_factory=lambda: defaultdict(list))
    frequency: Counter[str] = field(default_factory=Counter)


def sentences(passage: str) -> list[Span]:
    """Return the ranges of sentences that every splitter would take for one, of 8 to 30 words."""
    found = [match.span() for match in _SENTENCE.finditer(passage)]
    return [
        (start, end)
        for start, end in found
        if _LEAST_WORDS <= len(WORD.findall(passage[start:end])) <= _MOST_WORDS
    ]


def build_pool(passages: Sequence[str]) -> Pool:
    """Return the replacement words of all passages."""
    pool = Pool()
    for passage in passages:
        pool.frequency.update({word.lower() for word in WORD.findall(passage)})
        for before, name in _names(passage):
            pool.names[before, name.count(" ")].append(name)
        for match in _NOUN.finditer(passage):
            if not _NO_NOUN.search(match[1]) and match[1] not in ANTONYMS:
                pool.nouns[match[1].endswith("s")].append(match[1])
        for match in _VERB.finditer(passage):
            pool.verbs[_is_have(match[1])].append(match[2])
    pool.names = {key: sorted(set(names)) for key, names in pool.names.items()}
    pool.nouns = {key: sorted(set(nouns)) for key, nouns in pool.nouns.items()}
    pool.verbs = {key: sorted(set(verbs)) for key, verbs in pool.verbs.items()}
    return pool


def _names(text: str) -> Iterator[tuple[str, str]]:
    for match in _NAME.finditer(text):
        first = match[1].split()[0]
        if first not in MONTHS and first not in DAYS and first not in NATIONALITIES:
            yield _word_before(text, match.start()), match[1]


def _word_before(text: str, position: int) -> str:
    words = WORD.findall(text[max(0, position - 25) : position])
    return words[-1].lower() if words else ""


def _is_have(auxiliary: str) -> bool:
    return auxiliary in {"had", "has", "have"}


def _absent(word: str, passage: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", passage, re.IGNORECASE) is None


# --- One function a kind: the edits that a sentence allows -------------------------------------

_Maker = Callable[[str, str, Pool, random.Random], Iterator[Edit]]


def _swaps(
    sentence: str, passage: str, found: Sequence[tuple[Span, Sequence[str]]], rng: random.Random
) -> Iterator[Edit]:
    """Yield for each place the first of its shuffled replacements that the passage lacks."""
    for (start, end), choices in found:
        for new in rng.sample(list(choices), min(len(choices), _TRIES)):
            if new.lower() != sentence[start:end].lower() and _absent(new, passage):
                yield Edit(start, end, new)
                break


def _listed(words: Sequence[str]) -> _Maker:
    pattern = re.compile(rf"\b(?:{'|'.join(words)})\b")

    def make(sentence: str, passage: str, pool: Pool, rng: random.Random) -> Iterator[Edit]:
        del pool
        found = [(match.span(), words) for match in pattern.finditer(sentence)]
        return _swaps(sentence, passage, found, rng)

    return make


def _number(sentence: str, passage: str, pool: Pool, rng: random.Random) -> Iterator[Edit]:
    del pool
    found: list[tuple[Span, Sequence[str]]] = []
    for match in re.finditer(r"(?<![\w.,\u2013-])\d[\d,]*(?:\.\d+)?(?![\w\u2013-])", sentence):
        text = match[0].rstrip(",")
        if not re.fullmatch(r"1\d{3}|20\d{2}", text):
            span = (match.start(), match.start() + len(text))
            found.append((span, [_other_digits(text, rng) for _ in range(_TRIES)]))
    spelt = re.finditer(rf"\b(?:{'|'.join(NUMBERS)})\b", sentence)
    found.extend((match.span(), NUMBERS) for match in spelt)
    return _swaps(sentence, passage, found, rng)


def _other_digits(text: str, rng: random.Random) -> str:
    """Return a number of the same shape with another first digit."""
    first = rng.choice([digit for digit in "123456789" if digit != text[0]])
    return first + "".join(rng.choice("0123456789") if c.isdigit() else c for c in text[1:])


def _year(sentence: str, passage: str, pool: Pool, rng: random.Random) -> Iterator[Edit]:
    del pool
    found = []
    for match in re.finditer(
        r"(?<![\w.,\u2013-])(?:1\d{3}|20[0-2]\d)(?![\w.,\u2013-]\w|\w)", sentence
    ):
        year = int(match[0])
        found.append((match.span(), [str(year + d) for d in range(-60, 61) if abs(d) > 1]))
    return _swaps(sentence, passage, found, rng)


def _name(sentence: str, passage: str, pool: Pool, rng: random.Random) -> Iterator[Edit]:
    found: list[tuple[Span, Sequence[str]]] = []
    for match in _NAME.finditer(sentence):
        key = (_word_before(sentence, match.start()), match[1].count(" "))
        if match[1] in pool.names.get(key, ()):
            found.append((match.span(), pool.names[key]))
    return _swaps(sentence, passage, found, rng)


def _antonym(sentence: str, passage: str, pool: Pool, rng: random.Random) -> Iterator[Edit]:
    del pool
    found = [
        (match.span(), [ANTONYMS[match[0]]])
        for match in re.finditer(r"\b[a-z]+\b", sentence)
        if match[0] in ANTONYMS
    ]
    return _swaps(sentence, passage, found, rng)


def _as_frequent(word: str, pool: Pool, words: Sequence[str]) -> list[str]:
    mine = pool.frequency[word]
    low, high = mine / _FREQUENCY_RATIO, mine * _FREQUENCY_RATIO
    vowel = word[0] in "aeiou"  # "an" stands before one
    return [
        other
        for other in words
        if low <= pool.frequency[other] <= high and (other[0] in "aeiou") == vowel
    ]


def _noun(sentence: str, passage: str, pool: Pool, rng: random.Random) -> Iterator[Edit]:
    found = [
        (match.span(1), _as_frequent(match[1], pool, pool.nouns.get(match[1].endswith("s"), ())))
        for match in _NOUN.finditer(sentence)
        if match[1] in pool.nouns.get(match[1].endswith("s"), ())
    ]
    return _swaps(sentence, passage, found, rng)


def _verb(sentence: str, passage: str, pool: Pool, rng: random.Random) -> Iterator[Edit]:
    found = [
        (match.span(2), _as_frequent(match[2], pool, pool.verbs.get(_is_have(match[1]), ())))
        for match in _VERB.finditer(sentence)
    ]
    return _swaps(sentence, passage, found, rng)


def _negated(sentence: str, passage: str, pool: Pool, rng: random.Random) -> Iterator[Edit]:
    """Insert "not": wrong is "not"; the fact's auxiliary is what it conflicts with."""
    del passage, pool, rng
    for match in re.finditer(rf"\b({_AUXILIARY})\b(?! (?:not|never|no)\b)(?= [a-z]+)", sentence):
        word = match[0]
        size = len(word)
        yield Edit(
            match.start(), match.end(), f"{word} not",
            wrong=((size + 1, size + 4),), either=((0, size),),
        )  # fmt: skip


def _affirmed(sentence: str, passage: str, pool: Pool, rng: random.Random) -> Iterator[Edit]:
    """Drop "not": wrong is the auxiliary that now stands alone; the conflict is "not"."""
    del passage, pool, rng
    for match in re.finditer(rf"\b({_AUXILIARY}) not\b", sentence):
        size = len(match[1])
        yield Edit(
            match.start(), match.end(), match[1],
            conflicting=((size + 1, size + 4),), either_fact=((0, size),),
        )  # fmt: skip


SINGLE: Mapping[str, _Maker] = {
    "number": _number,
    "year": _year,
    "month": _listed(MONTHS),
    "name": _name,
    "nationality": _listed(NATIONALITIES),
    "antonym": _antonym,
    "noun": _noun,
    "verb": _verb,
    "negation inserted": _negated,
    "negation removed": _affirmed,
}
TWO = "two words"
UNTOUCHED = ("as it stands", "leading phrase dropped", "adjunct dropped")
KINDS = (*SINGLE, TWO, *UNTOUCHED)


def apply_edits(kind: str, passage: str, sentence: Span, edits: Sequence[Edit]) -> Claim:
    """Return the claim that the edits make of a sentence; they must not overlap."""
    start, end = sentence
    text, position, parts = passage[start:end], 0, ""
    wrong: list[Span] = []
    conflicting: list[Span] = []
    either: list[Span] = []
    either_fact: list[Span] = []
    for edit in sorted(edits, key=lambda edit: edit.start):
        parts += text[position : edit.start]
        here, there = len(parts), start + edit.start
        size = edit.end - edit.start
        wrong += _moved(((0, len(edit.new)),) if edit.wrong is None else edit.wrong, here)
        conflicting += _moved(((0, size),) if edit.conflicting is None else edit.conflicting, there)
        either += _moved(edit.either, here)
        either_fact += _moved(edit.either_fact, there)
        parts += edit.new
        position = edit.end
    return Claim(
        kind, passage, parts + text[position:],
        tuple(wrong), tuple(conflicting), tuple(either), tuple(either_fact),
        passage[start:end],
    )  # fmt: skip


def _moved(spans: Sequence[Span], by: int) -> list[Span]:
    return [(start + by, end + by) for start, end in spans]


def untouched_claim(kind: str, passage: str, sentence: Span) -> Claim | None:
    """Return the claim of an untouched kind, None where the sentence has nothing to drop."""
    text = passage[slice(*sentence)]
    if kind == UNTOUCHED[0]:
        return Claim(kind, passage, text)
    pattern = _LEAD if kind == UNTOUCHED[1] else _ADJUNCT
    shorter = pattern.sub("", text, count=1)
    if shorter == text or len(WORD.findall(shorter)) < _LEAST_WORDS - 2:
        return None
    return Claim(kind, passage, shorter[0].upper() + shorter[1:])


def make_claims(passages: Sequence[str], count: int, *, seed: int) -> list[Claim]:
    """Return `count` claims, as evenly over `KINDS` as the passages allow, at most one a sentence.

    Args:
        passages: Texts; those with less than three sentences are not used for claims.
        count: Claims wanted; fewer when the passages do not allow so many.
        seed: Of every choice.
    """
    rng = random.Random(seed)
    pool = build_pool(passages)
    places = [
        (passage, place)
        for passage in passages
        if len(spans := sentences(passage)) >= _LEAST_SENTENCES
        for place in spans
    ]
    rng.shuffle(places)
    chosen: dict[str, list[Claim]] = {kind: [] for kind in KINDS}
    # Rare kinds choose first, so that common ones do not use up their sentences.
    waiting = dict.fromkeys(places)
    for kind in _rarest_first(places, pool, seed):
        done = sum(len(claims) for claims in chosen.values())
        left = sum(not claims for claims in chosen.values())
        quota = (count - done + left - 1) // left if left else 0
        for place in list(waiting):
            if len(chosen[kind]) >= quota:
                break
            claim = _claim_of(kind, *place, pool, rng)
            if claim is not None:
                chosen[kind].append(claim)
                del waiting[place]
    return [claim for kind in KINDS for claim in chosen[kind]]


def _rarest_first(places: Sequence[tuple[str, Span]], pool: Pool, seed: int) -> list[str]:
    sample = places[:1000]
    rng = random.Random(seed)
    able = {
        kind: sum(_claim_of(kind, *place, pool, rng) is not None for place in sample)
        for kind in KINDS
    }
    return sorted(KINDS, key=lambda kind: able[kind])


def _claim_of(kind: str, passage: str, place: Span, pool: Pool, rng: random.Random) -> Claim | None:
    if kind in UNTOUCHED:
        return untouched_claim(kind, passage, place)
    sentence = passage[slice(*place)]
    if kind != TWO:
        edits = list(SINGLE[kind](sentence, passage, pool, rng))
        return apply_edits(kind, passage, place, [rng.choice(edits)]) if edits else None
    makers = [_number, _year, _name, _antonym, _noun, _verb]
    found = [edits for make in makers if (edits := list(make(sentence, passage, pool, rng)))]
    if len(found) < 2:
        return None
    first, second = (rng.choice(edits) for edits in rng.sample(found, 2))
    if first.start < second.end and second.start < first.end:
        return None
    return apply_edits(kind, passage, place, [first, second])
