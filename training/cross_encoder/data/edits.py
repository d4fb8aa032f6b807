"""Claims made from a sentence of a passage by one change in a known place."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import pairwise

from data.entities import Pools, entities, other_value
from data.marks import CLOSE, OPEN, mark
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, UNSUPPORTED, Spans
from data.vocabulary import ANTONYMS

_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|have|had|will|would|can|could|may|might|must|should|does|do|did)\b"
    r"(?! not\b|n't)(?= [a-z])"
)
_NEGATION = re.compile(
    r"\b(is|are|was|were|has|have|had|will|would|can|could|should|does|do|did) not\b"
)
_LIST = re.compile(
    r"(?P<a>[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*){0,3})"
    r"(?P<mid>(?:, [A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3})*)"
    r",? and (?P<b>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3})"
)
_SYMMETRIC = re.compile(r"\b(and|or|met|married|with|between|both|like|,)\b|,")


@dataclass
class Edit:
    """A claim in which OPEN..CLOSE wraps the changed words, and what they conflict with."""

    claim: str
    label: int
    kind: str
    conflicts: Spans
    """Character ranges in the original sentence."""


def replace_value(sentence: str, passage: str, pools: Pools, rng: random.Random) -> Edit | None:
    """Another number, date or name of the same kind."""
    found = entities(sentence)
    rng.shuffle(found)
    if rng.random() < 0.5:  # names outnumber the rest
        found.sort(key=lambda e: e.kind not in ("number", "year", "date", "place", "person"))
    for entity in found[:3]:
        new = other_value(entity, passage, pools, rng)
        if new is not None:
            claim = mark(sentence, entity.start, entity.end, new)
            return Edit(
                claim, CONTRADICTION, f"edit_{entity.kind[:4]}", [(entity.start, entity.end)]
            )
    return None


def negate(sentence: str, rng: random.Random) -> Edit | None:
    removal = _NEGATION.search(sentence)
    if removal:
        verb = removal.group(1)
        claim = mark(sentence, removal.start(), removal.end(), verb)
        return Edit(claim, CONTRADICTION, "edit_negation", [removal.span()])
    match = _AUXILIARY.search(sentence)
    if match is None:
        return None
    verb = match.group(1)
    new = rng.choice([f"{verb} not", f"{verb} not", f"{verb} never", f"{verb} no longer"])
    if (
        verb in ("is", "are", "was", "were", "has", "have", "had", "does", "did")
        and rng.random() < 0.3
    ):
        new = f"{verb}n't"
    return Edit(mark(sentence, *match.span(), new), CONTRADICTION, "edit_negation", [match.span()])


def oppose(sentence: str, rng: random.Random) -> Edit | None:
    """An antonym for one word."""
    spots = [m for m in re.finditer(r"\b[a-z]+\b", sentence) if m.group() in ANTONYMS]
    if not spots:
        return None
    spot = rng.choice(spots)
    new = rng.choice(ANTONYMS[spot.group()])
    return Edit(mark(sentence, *spot.span(), new), CONTRADICTION, "edit_antonym", [spot.span()])


def swap_roles(sentence: str) -> Edit | None:
    """Two names of one kind change places: "X defeated Y", "Y defeated X"."""
    names = [
        e for e in entities(sentence) if e.kind in ("person", "name1", "name2", "place", "org")
    ]
    for a, b in pairwise(names):
        between = sentence[a.end : b.start]
        if a.kind != b.kind or a.text == b.text or _SYMMETRIC.search(between):
            continue
        if len(between.split()) > 6 or not re.search(r"[a-z]{2,}(?:ed|s|d|t|n|w) ", between):
            continue
        claim = (
            f"{sentence[: a.start]}{OPEN}{b.text}{CLOSE}{between}{OPEN}{a.text}{CLOSE}"
            f"{sentence[b.end :]}"
        )
        return Edit(claim, CONTRADICTION, "edit_roles", [(a.start, a.end), (b.start, b.end)])
    return None


def edit_list(sentence: str, pools: Pools, rng: random.Random) -> Edit | None:
    """A list of names: reordered or shortened (still true), one replaced or added (not true)."""
    match = _LIST.search(sentence)
    if match is None or "between" in sentence[: match.start()].lower()[-12:]:
        return None
    items = [match["a"], *[i for i in match["mid"].split(", ") if i], match["b"]]
    if any(len(i) < 3 for i in items) or re.search(r"\b(both|respectively)\b", sentence):
        return None
    before, after = sentence[: match.start()], sentence[match.end() :]
    choice = rng.random()
    if choice < 0.25:
        mixed = items[:]
        rng.shuffle(mixed)
        return Edit(f"{before}{join_list(mixed)}{after}", SUPPORT, "list_order", [])
    if choice < 0.45 and not re.match(r"\s+(?:are|were|have|do)\b", after):
        kept = rng.sample(items, rng.randint(1, len(items) - 1))
        return Edit(f"{before}{join_list(kept)}{after}", SUPPORT, "list_part", [])
    at = rng.randrange(len(items))
    kind = entities(f"and {items[at]} too")
    new = pools.pick(kind[0].kind if kind else "person", rng)
    if new in sentence:
        return None
    start = match.start() + match.group().index(items[at])
    conflict = [(start, start + len(items[at]))]
    marked = f"{OPEN}{new}{CLOSE}"
    if choice < 0.85:
        mixed = [marked if i == at else item for i, item in enumerate(items)]
        rng.shuffle(mixed)
        return Edit(f"{before}{join_list(mixed)}{after}", CONTRADICTION, "list_replace", conflict)
    mixed = [*items, marked]
    rng.shuffle(mixed)
    return Edit(f"{before}{join_list(mixed)}{after}", UNSUPPORTED, "list_add", [])


def join_list(items: list[str]) -> str:
    if len(items) == 1:
        return items[0]
    comma = "," if len(items) > 2 else ""
    return f"{', '.join(items[:-1])}{comma} and {items[-1]}"


_DETAILS = (
    "in {year}",
    "in {place}",
    "in {month}",
    "with {person}",
    "according to {person}",
    "by {person}",
    "near {place}",
    "for {number} years",
    "after {number} months",
    "together with {person}",
    "in front of {number} people",
    "for {number} million dollars",
    "because of a lack of money",
    "despite strong protests",
    "for the second time",
    "at the request of {person}",
    "in cooperation with {org}",
    "against the advice of {person}",
)


def add_detail(sentence: str, passage: str, pools: Pools, rng: random.Random) -> Edit | None:
    """A detail at the end that the passage does not give."""
    values = {
        "year": str(rng.randint(1820, 2023)),
        "place": pools.pick("place", rng),
        "month": rng.choice(["January", "March", "May", "June", "August", "October"]),
        "person": pools.pick("person", rng),
        "org": pools.pick("org", rng),
        "number": str(rng.randint(2, 60)),
    }
    pattern = rng.choice(_DETAILS)
    detail = pattern.format(**values)
    if any(v in passage for k, v in values.items() if "{" + k + "}" in pattern):
        return None
    body = sentence.rstrip(".!? ")
    if "year" in pattern and re.search(r"\b(?:1[0-9]|20)\d\d\b", body):
        return None
    return Edit(f"{body} {OPEN}{detail}{CLOSE}.", NEUTRAL, "detail_added", [])
