"""What one sentence says of its subject, said of another sentence's subject.

Summaries go wrong this way: every word is in the text, but the wrong person did it. For each pair
of sentences of one passage, "X did P." and "Y did Q.", the true claims "X did P." and "Y did Q."
and the false ones "Y did P.", "X did Q.", "Y, who did P, did Q." come from the same words, so word
overlap says nothing.
"""

from __future__ import annotations

import functools
import random
import re
from itertools import pairwise

from data.contrast import Texts
from data.rows import SUPPORT, UNSUPPORTED, Row
from data.shorter import statements_of
from data.verbs import main_verb

_PRONOUN = re.compile(
    r"(?:He|She|It|They|We|I|You|This|That|These|Those|There|His|Her|Its|Their|Our|My|Here|What)\b"
)
_FRONTED = re.compile(
    r"(?:In|On|At|From|By|With|During|For|Of|Among|After|Since|To|Under|As|Before|Because|While|When"
    r"|Although|If|And|But|Or|So|However|Also|Then|Thus|Later|According|Despite)\b"
)
_PLURAL_BE = ("are", "were", "have", "do")
_SINGULAR_BE = ("is", "was", "has", "does")
_PERSON = re.compile(
    r"(?:(?:Mr|Mrs|Ms|Dr|Sir|Lord|President|King|Queen)\.? )?[A-Z][\w.'-]+(?: [A-Z][\w.'-]+)*$"
)


@functools.cache
def split_statement(sentence: str) -> tuple[str, str] | None:
    """Subject and predicate (verb first) of a plain statement; None where that is not plain."""
    verb = main_verb(sentence)
    if verb is None or not sentence.endswith("."):
        return None
    subject, predicate = sentence[: verb.start].strip(), sentence[verb.start :].rstrip(".")
    words = subject.split()
    if not 1 <= len(words) <= 7 or _PRONOUN.match(subject) or _FRONTED.match(subject):
        return None
    if "," in subject or not subject[0].isupper() or words[-1] in ("and", "or", "also", "not"):
        return None
    if words[-1].endswith("ly"):
        return None
    return (subject, predicate) if 2 <= len(predicate.split()) <= 28 else None


def _agree(mine: str, other: str) -> bool:
    """Whether the subject of one predicate can take the other: number and kind of thing."""
    first, second = mine.split()[0], other.split()[0]
    if first in _PLURAL_BE or second in _PLURAL_BE:
        return first in _PLURAL_BE and second in _PLURAL_BE
    if first.endswith("s") and first not in _SINGULAR_BE:
        return second.endswith("s")
    return True


def crossed_row(texts: Texts, rng: random.Random) -> Row | None:
    """A true or a crossed claim about two sentences of a passage, with both in the evidence."""
    found = rng.choice(texts.passages)
    parts = {i: part for i, s in enumerate(found) if (part := split_statement(s))}
    if len(parts) < 2:
        return None
    one = rng.choice(list(parts))
    near = [i for i in parts if i != one and abs(i - one) <= 5]
    if not near:
        return None
    two = rng.choice(near)
    (x, p), (y, q) = parts[one], parts[two]
    if not _agree(p, q) or _same(x, y) or x.lower() in q.lower() or y.lower() in p.lower():
        return None
    if bool(_PERSON.match(x)) != bool(_PERSON.match(y)) and rng.random() < 0.6:
        return None
    evidence = _evidence(found, one, two, rng)
    kind = rng.random()
    if kind < 0.42:  # true, as it stands or shortened
        claim = f"{x} {p}."
        shorter = statements_of(claim, rng)
        if shorter and rng.random() < 0.6:
            claim = rng.choice(shorter)
        return Row(evidence, claim, SUPPORT, "crossed_true", claim_wrong=[], evidence_wrong=[])
    if kind < 0.54 and p.split()[0] in ("was", "is", "had", "has") and len(q.split()) < 16:
        claim = f"{x}, who {p}, {q}." if _PERSON.match(x) else f"{x}, which {p}, {q}."
        return Row(evidence, claim, UNSUPPORTED, "crossed_joined")
    claim = f"{x} {q}."
    shorter = [s for s in statements_of(claim, rng) if s.startswith(x)]
    if shorter and rng.random() < 0.5:
        claim = rng.choice(shorter)
    at = evidence.find(y)
    return Row(
        evidence,
        claim,
        UNSUPPORTED,
        "crossed_false",
        claim_wrong=[(0, len(x))],
        evidence_wrong=[(at, at + len(y))] if at >= 0 else None,
    )


def _same(x: str, y: str) -> bool:
    """Whether two subjects may be one: a shared telling word, or "the film" after its name."""
    telling = [{w.lower() for w in s.split() if len(w) > 3} for s in (x, y)]
    if telling[0] & telling[1]:
        return True
    # "The film" and "Casablanca" may be the same; two names or two descriptions rarely are.
    described = [s.split()[0] in ("The", "A", "An") for s in (x, y)]
    return described[0] != described[1]


def _evidence(found: list[str], one: int, two: int, rng: random.Random) -> str:
    """Both sentences with what lies between and around them, up to about 120 words."""
    first, last = min(one, two), max(one, two)
    chosen = list(range(first, last + 1))
    if sum(len(found[i].split()) for i in chosen) > 130:
        chosen = [first, last]
    room = 130 - sum(len(found[i].split()) for i in chosen)
    for i in (first - 1, last + 1):
        if 0 <= i < len(found) and len(found[i].split()) < room and rng.random() < 0.6:
            chosen.append(i)
            room -= len(found[i].split())
    chosen.sort()
    if rng.random() < 0.25:
        rng.shuffle(chosen)
        return " | ".join(found[i] for i in chosen)
    out = found[chosen[0]]
    for before, now in pairwise(chosen):
        out += (" " if now == before + 1 else " | ") + found[now]
    return out
