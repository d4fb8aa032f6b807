"""Claims made from a sentence of a passage: kept, restated, or changed in one known place.

The changed words are wrapped in two private-use marks while later rewriting runs, so that their
place is still known at the end.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import pairwise

from data.entities import Entity, Pools, entities, other_value, restate
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, UNSUPPORTED, Row, Spans
from data.text import sentences
from data.vocabulary import ANTONYMS, SYNONYMS

OPEN, CLOSE = "\ue000", "\ue001"
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


def mark(text: str, start: int, end: int, new: str) -> str:
    return f"{text[:start]}{OPEN}{new}{CLOSE}{text[end:]}"


def unmark(text: str) -> tuple[str, Spans] | None:
    """The text without marks and where they were; None when a rewrite tore a pair apart."""
    out, spans, start = [], [], None
    length = 0
    for piece in re.split(f"([{OPEN}{CLOSE}])", text):
        if piece == OPEN:
            if start is not None:
                return None
            start = length
        elif piece == CLOSE:
            if start is None:
                return None
            spans.append((start, length))
            start = None
        else:
            out.append(piece)
            length += len(piece)
    return None if start is not None else ("".join(out), spans)


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


def rewrite(claim: str, rng: random.Random, strength: float) -> str:
    """Light rewriting that keeps the meaning; marked stretches are left alone."""
    steps = (
        _drop_opening,
        _drop_parentheses,
        _drop_relative,
        _restate_value,
        _synonym,
        _move_date,
        _shorten,
    )
    for step in steps:
        if rng.random() < strength:
            claim = step(claim, rng)
    if claim and claim[0].islower():
        claim = claim[0].upper() + claim[1:]
    return claim


def _free(claim: str, start: int, end: int) -> bool:
    """Whether a stretch lies outside all marks."""
    inside = claim.count(OPEN, 0, start) > claim.count(CLOSE, 0, start)
    return not inside and OPEN not in claim[start:end] and CLOSE not in claim[start:end]


def _cut(claim: str, match: re.Match | None, new: str = "") -> str:
    if match is None or not _free(claim, *match.span()):
        return claim
    return claim[: match.start()] + new + claim[match.end() :]


def _drop_opening(claim: str, _rng: random.Random) -> str:
    return _cut(
        claim,
        re.match(
            r"(?:However|Also|Additionally|Furthermore|Moreover|In addition|Nevertheless|Therefore"
            r"|Thus|Subsequently|As a result|For example|For instance|Meanwhile|Finally|Indeed|And"
            r"|But), ",
            claim,
        ),
    )


def _drop_parentheses(claim: str, _rng: random.Random) -> str:
    return _cut(claim, re.search(r" \([^()]{2,60}\)", claim))


def _drop_relative(claim: str, _rng: random.Random) -> str:
    return _cut(claim, re.search(r", (?:which|who|whose|where) [^,]{5,80},(?= )", claim), "")


def _restate_value(claim: str, rng: random.Random) -> str:
    for entity in entities(claim):
        if _free(claim, entity.start, entity.end) and OPEN not in claim[max(0, entity.start - 1) :]:
            new = restate(entity, rng)
            if new and _fits(claim, entity, new):
                return claim[: entity.start] + new + claim[entity.end :]
    return claim


def _fits(claim: str, entity: Entity, new: str) -> bool:
    """Keeps "over about 1,500" and "on 1997" from being written."""
    before = claim[: entity.start].rstrip().split(" ")[-1].lower()
    if entity.kind == "date":
        return before != "on" or bool(re.search(r"\b\d{1,2}\b", new))
    vague = not new[0].isdigit()
    hedged = before in (
        "over",
        "than",
        "about",
        "around",
        "nearly",
        "almost",
        "approximately",
        "the",
        "least",
        "exactly",
        "only",
        "to",
        "and",
        "up",
        "or",
    )
    return not (vague and hedged)


def _synonym(claim: str, rng: random.Random) -> str:
    spots = [
        (m, w)
        for w in SYNONYMS
        for m in re.finditer(rf"\b{re.escape(w)}\b", claim)
        if _free(claim, *m.span())
    ]
    if not spots:
        return claim
    match, word = rng.choice(spots)
    return claim[: match.start()] + rng.choice(SYNONYMS[word]) + claim[match.end() :]


def _move_date(claim: str, _rng: random.Random) -> str:
    """ "In 1990, X did Y." to "X did Y in 1990." and back."""
    if OPEN in claim:
        return claim
    front = re.match(r"(In|On|During|By) ((?:\w+ )?(?:\d{1,2}, )?\d{4}), ", claim)
    if front and claim.count(",") <= 2:
        body = claim[front.end() :].rstrip(".")
        return f"{body} {front.group(1).lower()} {front.group(2)}."
    back = re.search(r" (in|on) ((?:[A-Z]\w+ )?(?:\d{1,2}, )?\d{4})\.$", claim)
    if back and " and " not in claim and claim[:3] not in ("The", "He ", "She", "It "):
        return f"{back.group(1).capitalize()} {back.group(2)}, {claim[: back.start()]}."
    return claim


def _shorten(claim: str, rng: random.Random) -> str:
    """Cuts after a clause; never before the marks, and not inside a comparison or condition."""
    spots = [
        m.start()
        for m in re.finditer(
            r", (?:and|but|while|which|who|where|with|although|after|before"
            r"|when|because|since|as) |; | (?:because|while|although) ",
            claim,
        )
        if m.start() > 30
        and CLOSE not in claim[m.start() :]
        and not re.search(
            r"\b(?:if|not|no|either|neither|unless|only)\b", claim[: m.start()].lower()
        )
    ]
    return claim[: rng.choice(spots)].rstrip(",; ") + "." if spots else claim


def window(all_sentences: list[str], at: int, budget: int, rng: random.Random) -> tuple[int, int]:
    """A run of whole sentences around one, of at most about `budget` words."""
    low = high = at
    used = len(all_sentences[at].split())
    while True:
        sides = [s for s in (low - 1, high + 1) if 0 <= s < len(all_sentences)]
        sides = [s for s in sides if used + len(all_sentences[s].split()) <= budget]
        if not sides:
            return low, high + 1
        side = rng.choice(sides)
        used += len(all_sentences[side].split())
        low, high = min(low, side), max(high, side)


def passage_rows(
    passage: str, pools: Pools, distractors: list[str], rng: random.Random, count: int
) -> list[Row]:
    """Up to `count` rows from one passage, each from a sentence of its own where possible."""
    found = sentences(passage)
    usable = [i for i, s in enumerate(found) if 6 <= len(s.split()) <= 45]
    rng.shuffle(usable)
    rows = [passage_row(found, i, pools, distractors, rng) for i in usable[:count]]
    return [row for row in rows if row is not None]


def passage_row(
    found: list[str], at: int, pools: Pools, distractors: list[str], rng: random.Random
) -> Row | None:
    """One row from sentence `at`: kept, changed, extended, or its sentence taken away."""
    low, high = window(found, at, rng.choice([25, 45, 70, 100]), rng)
    sentence, passage = found[at], " ".join(found[low:high])
    choice = rng.random()
    if choice < 0.13:
        return _without(found, at, low, high, distractors, rng)
    edit = _choose(sentence, passage, pools, rng, choice)
    if edit is None:
        return None
    edit.claim = rewrite(edit.claim, rng, rng.choice([0.0, 0.35, 0.7]))
    return finish(edit, sentence, passage, distractors, rng)


def finish(
    edit: Edit, sentence: str, passage: str, distractors: list[str], rng: random.Random
) -> Row | None:
    """The row of an edit, with other passages around its evidence now and then."""
    unmarked = unmark(edit.claim)
    if unmarked is None or (edit.label != SUPPORT and not unmarked[1]):
        return None
    claim, wrong = unmarked
    shift = passage.find(sentence)
    if shift < 0:
        return None
    evidence_wrong = [(s + shift, e + shift) for s, e in edit.conflicts]
    evidence, moved = surround(passage, distractors, rng)
    evidence_wrong = [(s + moved, e + moved) for s, e in evidence_wrong]
    return Row(evidence, claim, edit.label, edit.kind, "", wrong, evidence_wrong)


def surround(passage: str, distractors: list[str], rng: random.Random) -> tuple[str, int]:
    """The passage with an unrelated one before or after it (a third of the time)."""
    if rng.random() > 0.33 or not distractors:
        return passage, 0
    other = " ".join(sentences(rng.choice(distractors))[: rng.choice([1, 2, 3])])
    other = " ".join(other.split(" ")[:50])
    if rng.random() < 0.5:
        return f"{passage} | {other}", 0
    return f"{other} | {passage}", len(other) + 3


def _choose(
    sentence: str, passage: str, pools: Pools, rng: random.Random, choice: float
) -> Edit | None:
    if choice < 0.22:
        edit = add_detail(sentence, passage, pools, rng)
    elif choice < 0.50:
        edit = replace_value(sentence, passage, pools, rng)
    elif choice < 0.56:
        edit = negate(sentence, rng)
    elif choice < 0.64:
        edit = oppose(sentence, rng)
    elif choice < 0.69:
        edit = swap_roles(sentence)
    elif choice < 0.77:
        edit = edit_list(sentence, pools, rng)
    else:
        edit = None
    return edit or (Edit(sentence, SUPPORT, "kept", []) if choice > 0.75 else None)


def _without(
    found: list[str], at: int, low: int, high: int, distractors: list[str], rng: random.Random
) -> Row | None:
    rest = [found[i] for i in range(low, high) if i != at]
    if not rest:
        rest = [s for i, s in enumerate(found) if i != at][:2]
    if not rest:
        return None
    claim = unmark(rewrite(found[at], rng, 0.3))
    evidence, _ = surround(" ".join(rest), distractors, rng)
    return Row(evidence, claim[0], NEUTRAL, "removed") if claim else None
