# ruff: noqa: SIM905 - lists of words.
"""True claims with a number, and the same with another number, as packs.

    python training/grounding_model/swapped.py --packs RUN/written.jsonl.gz \
        --packs RUN/contrasts.jsonl.gz --sentences RUN/ledger.jsonl.gz \
        --most 900 --seed 1 --out RUN/swapped.jsonl.gz

What overlap alone gives away is not learnt from claims that are hard in other ways: after those,
"Admission costs 12 euros" over "Admission is 12 euros; open from 10 to 6" was a contradiction to
the model (docs/decisions/0050). So: claims that are borne out and have a number, a weekday or a
month that stands in the evidence, too, each beside itself with another one of its kind, mostly one
that the evidence has elsewhere. Where a bound or "about" is near the claim may hold with another
number, so such ones are left out. With `--sentences`, sentences of squad1_part's paragraphs are
claims, too.
"""

from __future__ import annotations

import argparse
import random
import re
from dataclasses import replace
from pathlib import Path

from packs import CONTRADICTION, SUPPORT, Pack, Query, read_packs, write_packs

KIND = "swapped"
SENTENCES_OF = "squad1_part"
FROM_EVIDENCE = 0.7
"""Share of the numbers put in that stand in the evidence elsewhere, where there is one."""
LONGEST = 30
"""Words of a sentence that is taken as a claim."""
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
# "May" is a word of its own, too.
_MONTHS = (
    "January February March April June July August September October November December".split()
)
_TENS = "twenty thirty forty fifty sixty"
_WORDS = f"two three four five six seven eight nine ten eleven twelve {_TENS}".split()
_LISTS = {"weekday": _WEEKDAYS, "month": _MONTHS, "word": _WORDS}
_VALUE = re.compile(
    r"(?<![\w.,:/-])(?:(?P<clock>\d{1,2}:\d{2})|(?P<year>1[5-9]\d\d|20\d\d)(?![.,:/-]?\w)"
    r"|(?P<decimal>\d+[.,]\d{1,2})(?![.,:/-]?\w)|(?P<number>\d{1,3}(?:,\d{3})+|\d{1,7})(?![.,:/-]?\w)"
    rf"|(?P<weekday>{'|'.join(_WEEKDAYS)})s?\b|(?P<month>{'|'.join(_MONTHS)})\b"
    rf"|(?P<word>{'|'.join(_WORDS)})\b)"
)
_BOUND = re.compile(
    r"\b(?:at least|at most|more|less|fewer|over|under|up to|no later|about|around|nearly|almost"
    r"|some|roughly|before|after|since|until|till|by|between|within|from|or|maximum|minimum|above"
    r"|below|exceed\w*|only|not|never|no|n't|without|early|late|already|still|can|(?-i:may)|could|might)\b",
    re.IGNORECASE,
)
_LEANING = re.compile(
    r"(?:It|He|She|They|This|That|These|Those|Its|His|Her|Their|The (?:latter|former))\b"
)
_SENTENCE = re.compile(r"(?<=[.!?]) +(?=[A-Z])")


def swapped(packs: list[Pack], most: int, seed: int) -> list[Pack]:
    """Return up to `most` packs, each a true claim, itself with another value, and its evidence."""
    rng = random.Random(seed)
    made = []
    for pack in packs:
        queries: list[Query] = []
        for query in pack.queries:
            if query.label == SUPPORT and (twin := twin_of(query, pack.evidence, rng)):
                queries += [replace(query, kind=KIND), twin]
        if queries:
            made.append(Pack(pack.evidence, queries[:8], KIND))
    return rng.sample(made, min(most, len(made)))


def twin_of(query: Query, evidence: str, rng: random.Random) -> Query | None:
    """Return the claim with one value changed; None where it has none that can be."""
    if _BOUND.search(query.text):
        return None
    found = [m for m in _VALUE.finditer(query.text) if _stands_in(m[0], evidence)]
    if not found:
        return None
    match = rng.choice(found)
    kind, value = match.lastgroup or "", match[match.lastgroup or 0]
    other = _other(kind, value, query.text, evidence, rng)
    if other is None:
        return None
    start, end = match.span(kind)
    text = query.text[:start] + other + query.text[end:]
    places = [
        m.span(kind) for m in _VALUE.finditer(evidence) if m.lastgroup == kind and m[kind] == value
    ]
    return replace(
        query,
        text=text,
        kind=KIND,
        label=CONTRADICTION,
        spans=[],
        wrong=[(start, start + len(other))],
        conflict=places[:1] if len(places) == 1 else None,
    )


def _other(kind: str, value: str, claim: str, evidence: str, rng: random.Random) -> str | None:
    """Return another value of the same kind that the claim does not have."""
    near = {m[kind] for m in _VALUE.finditer(evidence) if m.lastgroup == kind}
    near -= {m[kind] for m in _VALUE.finditer(claim) if m.lastgroup == kind}
    if near and rng.random() < FROM_EVIDENCE:
        return rng.choice(sorted(near))
    if kind in _LISTS:
        return rng.choice([word for word in _LISTS[kind] if word != value and word not in claim])
    if kind == "clock":
        hour, minute = value.split(":")
        return f"{(int(hour) + rng.choice((1, 2, 3, -1))) % 24}:{minute}"
    if kind == "year":
        return str(int(value) + rng.choice((-21, -9, -4, -2, -1, 1, 2, 5, 10, 30)))
    digits = list(value)
    places = [i for i, digit in enumerate(digits) if digit.isdigit()]
    place = rng.choice(places)
    digits[place] = rng.choice([d for d in "123456789" if d != digits[place]])
    return "".join(digits)


def _stands_in(value: str, evidence: str) -> bool:
    return any(match[0] == value for match in _VALUE.finditer(evidence))


def sentence_packs(packs: list[Pack]) -> list[Pack]:
    """Return the sentences of each paragraph that stand by themselves, as claims about it."""
    texts = sorted({pack.evidence for pack in packs if pack.kind == SENTENCES_OF})
    made = []
    for text in texts:
        claims = [
            sentence
            for sentence in _SENTENCE.split(text)
            if 5 <= len(sentence.split()) <= LONGEST and not _LEANING.match(sentence)
        ]
        made.append(Pack(text, [Query(claim, KIND, label=SUPPORT) for claim in claims], KIND))
    return made


def short(packs: list[Pack], words: int) -> list[Pack]:
    return [pack for pack in packs if len(pack.evidence.split()) <= words]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packs", type=Path, action="append", default=[])
    parser.add_argument("--sentences", type=Path, help="packs whose paragraphs are cut")
    parser.add_argument("--most", type=int, required=True, help="packs of either")
    parser.add_argument("--longest", type=int, default=150, help="words of evidence")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    packs = [p for path in args.packs for p in read_packs(path)]
    found = swapped(short(packs, args.longest), args.most, args.seed)
    if args.sentences:
        packs = short(sentence_packs(read_packs(args.sentences)), args.longest)
        found += swapped(packs, args.most, args.seed)
    random.Random(args.seed).shuffle(found)
    write_packs(args.out, found)
    print(len(found), "packs", sum(len(pack.queries) for pack in found), "claims")


if __name__ == "__main__":
    main()
