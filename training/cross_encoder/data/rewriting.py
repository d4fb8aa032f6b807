"""Light rewriting of a claim that keeps its meaning."""

from __future__ import annotations

import random
import re

from data.entities import Entity, entities, restate
from data.marks import CLOSE, OPEN
from data.vocabulary import SYNONYMS


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
