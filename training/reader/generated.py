"""Questions made by rules: from sentences of passages, and from claims about their evidence."""
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations

import random
import re

from cloze import question
from data.entities import Entity, entities
from data.rewriting import rewrite
from question_rows import Example, QuestionRow, budget, cut, sentence_spans


def from_passage(text: str, rng: random.Random, most: int) -> list[Example]:
    """Up to `most` questions about a passage, each asking for a name or number of one sentence."""
    found: list[Example] = []
    spans = list(sentence_spans(text))
    rng.shuffle(spans)
    for start, end in spans:
        sentence = text[start:end]
        if not 6 <= len(sentence.split()) <= 35:
            continue
        options = entities(sentence)
        rng.shuffle(options)
        for entity in options[:3]:
            made = _reworded(sentence, entity, rng)
            if made and entity.text.lower() not in made.lower():
                answer = (start + entity.start, start + entity.end)
                found.append(Example(text, made, [answer], "cloze"))
                break
        if len(found) == most:
            break
    return found


def from_claim(record: dict, rng: random.Random) -> QuestionRow | None:
    """A question from a claim that somebody wrote about the evidence.

    A true claim asks for a name that the evidence gives; the claim's own wording makes the
    question differ from the evidence. A claim that is false or not stated asks for a name that
    the evidence gives too, but what is said of it there is something else; or for one that the
    evidence lacks and only when nothing of it is stated: both cannot be answered.
    """
    claim, premise = record["claim"], record["premise"]
    if len(claim.split()) > 28:
        return None
    options = entities(f"  {claim}")
    first = _first_name(claim)
    if first and not any(e.start == 2 for e in options):
        options.insert(0, Entity(first, 2, 2 + len(first), "name1"))
    rng.shuffle(options)
    for found in options:
        entity = Entity(found.text, found.start - 2, found.end - 2, found.kind)
        spans = [m.span() for m in re.finditer(rf"\b{re.escape(entity.text)}\b", premise)]
        true = record["label"] == 1
        if (true or record["contradiction"]) and not spans:
            continue
        made = question(claim, entity, rng)
        if made is None or entity.text.lower() in made.lower():
            continue
        low, high = cut(premise, spans[0] if spans else (0, 1), budget(rng), rng)
        answers = [(s - low, e - low) for s, e in spans if s >= low and e <= high]
        if true:
            return QuestionRow(premise[low:high], made, answers, "claim_true")
        kind = "claim_false" if record["contradiction"] else "claim_unstated"
        return QuestionRow(premise[low:high], made, [], kind)
    return None


def _first_name(claim: str) -> str:
    """A name at the start of a claim, where capitals tell less."""
    match = re.match(r"[A-Z][\w'’-]*(?: (?:(?:of|the|and|in) )?[A-Z][\w'’-]*)*", claim)
    found = match.group() if match else ""
    return "" if found.split(" ")[0] in ("The", "There", "A", "An", "It", "In", "This") else found


def _reworded(sentence: str, entity: Entity, rng: random.Random) -> str | None:
    made = question(sentence, entity, rng)
    if made is None:
        return None
    return rewrite(made, rng, 0.3) if rng.random() < 0.4 else made


def noisy(row: QuestionRow, rng: random.Random) -> QuestionRow:
    """The question as people type it: lower case, no question mark, or key words alone."""
    asked = row.question
    choice = rng.random()
    if choice < 0.5:
        asked = asked.rstrip("?").lower()
    elif choice < 0.8:
        asked = asked.rstrip("?")
    else:
        kept = [w for w in asked.rstrip("?").split() if w.lower() not in _FUNCTION_WORDS]
        asked = " ".join(kept) if len(kept) >= 3 else asked
    return QuestionRow(row.evidence, asked, row.answers, row.kind)


_FUNCTION_WORDS = frozenset(
    "what which is are was were did do does the a an of in on at to for by with has have".split()
)
