"""Rows from questions and their answers, by way of statements."""

from __future__ import annotations

import random

from data.entities import Entity, Pools, entities, name_kind, other_value
from data.marks import CLOSE, OPEN, unmark
from data.passages import surround, window
from data.rewriting import rewrite
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, Row
from data.statements import statement
from data.text import sentences


def answer_entity(answer: str) -> Entity:
    """The answer as an entity, so that another of its kind can be found."""
    whole = [e for e in entities(f"xx {answer} xx") if len(e.text) >= 0.6 * len(answer)]
    if whole:
        e = whole[0]
        return (
            Entity(answer, 0, len(answer), e.kind)
            if e.text != answer and e.kind not in ("year", "number", "date")
            else Entity(e.text, 0, len(e.text), e.kind)
        )
    kind = name_kind(answer) if answer[:1].isupper() else "phrase"
    return Entity(answer, 0, len(answer), kind)


def qa_row(
    record: dict,
    answers: dict[str, list[str]],
    others: list[dict],
    pools: Pools,
    distractors: list[str],
    rng: random.Random,
) -> Row | None:
    """One row from a question with its answer: supported, contradicted or not addressed."""
    context, question = record["context"], record["question"]
    answer = record["answers"][0]["text"].strip().rstrip(".,;")
    raw = rng.random() < 0.12
    marked = (
        f"{question.rstrip('? ')}? {OPEN}{answer}{CLOSE}" if raw else statement(question, answer)
    )
    if marked is None or len(answer) < 2:
        return None
    choice = rng.random()
    evidence, at = answer_window(record, answer, rng)
    if evidence is None:
        return None
    if choice < 0.2:
        return _unanswered(record, marked, answer, others, rng)
    if choice < 0.58:
        new = _replacement(answer, context, answers, pools, rng)
        if new is None:
            return None
        claim = marked.replace(f"{OPEN}{answer}{CLOSE}", f"{OPEN}{new}{CLOSE}")
        if f"{OPEN}{answer}{CLOSE}" not in marked:
            return None
        unmarked = unmark(rewrite(claim, rng, 0.2))
        if unmarked is None:
            return None
        joined, shift = surround(evidence, distractors, rng)
        conflict = [(at + shift, at + shift + len(answer))]
        return Row(joined, unmarked[0], CONTRADICTION, "qa_swapped", "", unmarked[1], conflict)
    unmarked = unmark(marked)
    if unmarked is None:
        return None
    claim = rewrite(unmarked[0], rng, rng.choice([0.0, 0.3]))
    joined, _ = surround(evidence, distractors, rng)
    return Row(joined, claim, SUPPORT, "qa_kept", "", [], [])


def answer_window(record: dict, answer: str, rng: random.Random) -> tuple[str | None, int]:
    """Sentences around the answer and where the answer is in them."""
    context, start = record["context"], record["answers"][0]["start"]
    found = sentences(context)
    position = 0
    for i, sentence in enumerate(found):
        where = context.find(sentence, position)
        if where < 0:
            return None, 0
        if where <= start < where + len(sentence):
            low, high = window(found, i, rng.choice([50, 80, 110]), rng)
            text = " ".join(found[low:high])
            before = sum(len(s) + 1 for s in found[low:i])
            at = before + start - where
            return (text, at) if text[at : at + len(answer)] == answer else (None, 0)
        position = where + len(sentence)
    return None, 0


def _replacement(
    answer: str, context: str, answers: dict[str, list[str]], pools: Pools, rng: random.Random
) -> str | None:
    entity = answer_entity(answer)
    if entity.kind == "phrase" or (rng.random() < 0.35 and answers.get(context)):
        pool = [
            x
            for x in answers[context]
            if answer_entity(x).kind == entity.kind
            and abs(len(x.split()) - len(answer.split())) <= 3
            and x.lower() not in answer.lower()
            and answer.lower() not in x.lower()
        ]
        if pool:
            return rng.choice(pool)
        if entity.kind == "phrase":
            return None
    if entity.text != answer:
        new = other_value(entity, context, pools, rng)
        return answer.replace(entity.text, new) if new else None
    return other_value(entity, context, pools, rng)


def _unanswered(
    record: dict, marked: str, answer: str, others: list[dict], rng: random.Random
) -> Row | None:
    """The claim with a passage (of the same article where it can be) that lacks the answer."""
    for _ in range(6):
        other = rng.choice(others)
        found = sentences(other["context"])
        if (
            not found
            or other["context"] == record["context"]
            or answer.lower() in other["context"].lower()
        ):
            continue
        low, high = window(found, rng.randrange(len(found)), rng.choice([50, 80, 110]), rng)
        unmarked = unmark(marked)
        return (
            Row(" ".join(found[low:high]), unmarked[0], NEUTRAL, "qa_other") if unmarked else None
        )
    return None
