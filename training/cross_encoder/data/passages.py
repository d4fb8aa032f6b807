"""Rows from a passage: one of its sentences is kept, changed, extended, or taken away."""

from __future__ import annotations

import random

from data.edits import (
    Edit,
    add_detail,
    edit_list,
    negate,
    oppose,
    replace_value,
    swap_roles,
)
from data.entities import Pools
from data.marks import unmark
from data.rewriting import rewrite
from data.rows import NEUTRAL, SUPPORT, Row
from data.text import sentences


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
