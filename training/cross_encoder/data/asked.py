"""Answered questions as statements: true, with another answer, denied; with, without evidence."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from data.contrast import told_by
from data.entities import Pools
from data.marks import CLOSE, OPEN, unmark
from data.questions import _replacement, answer_entity, answer_window
from data.rewriting import rewrite
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, Row, Spans, read_jsonl
from data.shorter import fluent, sound
from data.statements import statement
from data.text import clean, sentences
from data.verbs import negated

_SETS = ("squad1_part", "adversarial_qa_part")


@dataclass
class Asked:
    """The questions, and their contexts in the order of the articles."""

    records: list[dict] = field(default_factory=list)
    contexts: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    answers: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def asked_of(data: Path) -> Asked:
    asked = Asked()
    for name in _SETS:
        for record in read_jsonl(data / "qa" / "train" / f"{name}.jsonl.gz"):
            if record["answers"]:
                asked.records.append(record)
                asked.answers[record["context"]].append(record["answers"][0]["text"])
    asked.contexts = list(dict.fromkeys(r["context"] for r in asked.records))
    asked.places = {c: i for i, c in enumerate(asked.contexts)}
    return asked


def asked_row(asked: Asked, pools: Pools, rng: random.Random) -> Row | None:
    """One of true, other answer, denied, denied other answer; a third without its evidence."""
    record = rng.choice(asked.records)
    answer = record["answers"][0]["text"].strip().rstrip(".,;")
    marked = statement(record["question"], answer)
    if marked is None or len(answer) < 2 or f"{OPEN}{answer}{CLOSE}" not in marked:
        return None
    form = rng.choices(("true", "other", "denied", "denied_other"), (32, 32, 13, 23))[0]
    unmarked = _said(asked, record, marked, answer, form, pools, rng)
    if unmarked is None:
        return None
    if rng.random() < 0.35:
        true = _bare(marked)
        return _unanswered(asked, record, true, answer, unmarked[0], form, rng)
    evidence, at = answer_window(record, answer, rng)
    if evidence is None:
        return None
    before = ""
    if rng.random() < 0.5:
        near = _near(asked, record["context"], 160 - len(evidence.split()), rng)
        if near and rng.random() < 0.5:
            before = f"{near} | "
        elif near:
            evidence = f"{evidence} | {near}"
    at += len(before)
    label = SUPPORT if form in ("true", "denied_other") else CONTRADICTION
    wrong = [] if label == SUPPORT else unmarked[1]
    against = [(at, at + len(answer))] if form == "other" else [] if label == SUPPORT else None
    return Row(before + evidence, unmarked[0], label, f"asked_{form}", "", wrong, against)


def _bare(text: str) -> str:
    return text.replace(OPEN, "").replace(CLOSE, "")


def _said(
    asked: Asked, record: dict, marked: str, answer: str, form: str, pools: Pools,
    rng: random.Random,
) -> tuple[str, Spans] | None:  # fmt: skip
    """The claim of that form and its changed words; None where the rules do not fit."""
    sort = answer_entity(answer).kind
    if sort == "phrase" or (
        form == "denied_other" and sort not in ("year", "date", "number", "place")
    ):
        return None
    claim = marked
    if form in ("other", "denied_other"):
        new = _replacement(answer, record["context"], asked.answers, pools, rng)
        if new is None:
            return None
        claim = marked.replace(f"{OPEN}{answer}{CLOSE}", f"{OPEN}{new}{CLOSE}")
    if form.startswith("denied"):
        changed = negated(_bare(claim), rng)
        if changed is None or (form == "denied_other" and "longer" in changed[0]):
            return None
        claim = changed[0]
    else:
        claim = rewrite(claim, rng, rng.choice([0.0, 0.2]))
    unmarked = unmark(claim)
    if unmarked is None or not unmarked[1] or not fluent(unmarked[0]):
        return None
    return None if unmarked[0][0].islower() or not sound(unmarked[0]) else unmarked


def _near(asked: Asked, context: str, room: int, rng: random.Random) -> str:
    """Sentences of a neighbouring context, "" when there is no room."""
    place = asked.places[context] + rng.choice([-4, -3, -2, -1, 1, 2, 3, 4])
    found = sentences(clean(asked.contexts[place % len(asked.contexts)]))
    if room < 20 or not found:
        return ""
    low = rng.randrange(len(found))
    out: list[str] = []
    for sentence in found[low:]:
        if len(" ".join([*out, sentence]).split()) > min(room, 80):
            break
        out.append(sentence)
    return " ".join(out)


def _unanswered(
    asked: Asked, record: dict, true: str, answer: str, claim: str, form: str, rng: random.Random
) -> Row | None:
    found = sentences(record["context"])
    rest = [s for s in found if answer.lower() not in s.lower() and not told_by(true, s)]
    if not 0 < len(rest) < len(found):
        return None
    low = rng.randrange(len(rest))
    text: list[str] = []
    limit = rng.choice([30, 60, 90, 120])
    for sentence in rest[low:] + rest[:low]:
        if text and len(" ".join([*text, sentence]).split()) > limit:
            break
        text.append(sentence)
    evidence = clean(" ".join(text))
    near = _near(asked, record["context"], 160 - len(evidence.split()), rng)
    if near and rng.random() < 0.5 and not told_by(true, near) and answer not in near:
        parts = [evidence, near]
        rng.shuffle(parts)
        evidence = " | ".join(parts)
    if len(evidence.split()) > 200:
        return None
    return Row(evidence, claim, NEUTRAL, f"unasked_{form}")
