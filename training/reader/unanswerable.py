"""Questions that their passage does not answer although it is about the same things."""
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations

import random
import re
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt
from data.entities import Entity, Pools, entities, other_value
from data.text import content_words, overlap
from data.vocabulary import ANTONYMS
from question_rows import Example, QuestionRow, Span, beside, budget, cut, sentence_spans, windowed
from sources import Passages

from toulmin.models.static_embedder import StaticEmbedder

_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|have|had|will|would|can|could|should|does|do|did)\b"
)
_WORD = re.compile(r"\b[a-z]{4,}\b")
_QUESTION_WORDS = frozenset(
    "what which when where whose whom does were have with that this from many much year years "
    "name type kind been into about long often city country state people person other than".split()
)
_WORD_TABLE = StaticEmbedder()
_SAME = 0.75
_SUFFIXES = ("ing", "ed", "ly", "tion", "ment", "ity", "er", "al", "ic", "ous", "s")


@lru_cache(maxsize=20_000)
def names_in(text: str) -> tuple[Entity, ...]:
    """The names, numbers and dates of a text, looked for once."""
    return tuple(entities(text))


def holds(answer: str, text: str) -> bool:
    """Whether a text holds an answer; for longer answers, most of its words."""
    if answer.lower() in text.lower():
        return True
    wanted = set(content_words(answer))
    return len(wanted) > 2 and len(wanted & set(content_words(text))) >= 0.75 * len(wanted)


def elsewhere(example: Example, passages: Passages, rng: random.Random) -> QuestionRow | None:
    """The question with the paragraph of its article that shares most words with it."""
    texts = [t for t in passages.near(example.context) if not holds(example.answer(), t)]
    if not texts:
        return None
    shares = overlap(example.question, texts)
    order = sorted(range(len(texts)), key=lambda i: -shares[i])
    text = texts[rng.choice(order[:3])]
    return QuestionRow(_around(example.question, text, rng), example.question, [], "elsewhere")


def retrieved(example: Example, passages: Passages, rng: random.Random) -> QuestionRow | None:
    """The question with what BM25 finds in all passages, the right one left out."""
    found = [
        t
        for t in passages.ranked(example.question, 12)
        if t != example.context and not holds(example.answer(), t)
    ]
    if not found:
        return None
    text = _around(example.question, rng.choice(found[:4]), rng)
    return QuestionRow(text, example.question, [], "retrieved")


def removed(example: Example, passages: Passages, rng: random.Random) -> QuestionRow | None:
    """The question with its passage, the answer's sentence taken out."""
    text = example.context
    gone = [(s, e) for s, e in sentence_spans(text) if _touches(example.answers, s, e)]
    low, high = cut(text, example.answers[0], budget(rng) + 30, rng)
    kept = [(s, e) for s, e in sentence_spans(text) if s >= low and e <= high]
    rest = " ".join(text[s:e] for s, e in kept if (s, e) not in gone)
    if len(rest) < 80 or holds(example.answer(), rest):
        return None
    if rng.random() < 0.3 and (others := passages.near(text)):
        other = _around(example.question, rng.choice(others), rng, 60)
        if not holds(example.answer(), other):
            rest, _ = beside(rest, [], other, rng)
    return QuestionRow(rest, example.question, [], "removed")


def question_entity(
    example: Example, passages: Passages, pools: Pools, rng: random.Random
) -> QuestionRow | None:
    """A name, number or date of the question becomes another of its kind.

    Half of the time it is one that the passage mentions, as people do who write such questions.
    """
    found = [e for e in entities(f"  {example.question}") if e.start >= 2]
    if not found:
        return None
    entity = rng.choice(found)
    evidence, _ = windowed(example, rng)
    same = [
        e.text
        for e in names_in(evidence)
        if e.kind == entity.kind and not _same(e.text, example.question, example.answer())
    ]
    near = passages.near(example.context)
    nearby = [
        e.text
        for other in rng.sample(near, min(4, len(near)))
        for e in names_in(other)
        if e.kind == entity.kind and e.text not in evidence and e.text not in example.question
    ]
    if same and rng.random() < 0.4:
        new: str | None = rng.choice(same)
    elif nearby and rng.random() < 0.8:
        new = rng.choice(nearby)
    else:
        new = other_value(entity, example.context, pools, rng)
    if new is None or new == entity.text:
        return None
    question = replaced(f"  {example.question}", entity, new).strip()
    return QuestionRow(evidence, question, [], "question_entity")


def question_word(example: Example, passages: Passages, rng: random.Random) -> QuestionRow | None:
    """A plain word of the question becomes another from the same article's questions."""
    spots = [m for m in _WORD.finditer(example.question) if m.group() not in _QUESTION_WORDS]
    if not spots:
        return None
    spot = rng.choice(spots)
    evidence, _ = windowed(example, rng)
    seen = set(content_words(evidence))
    near = passages.near(example.context)
    pool = [
        m.group()
        for text in [*rng.sample(near, min(6, len(near))), example.context]
        for other in passages.questions[text]
        for m in _WORD.finditer(other.question)
        if _shape(m.group()) == _shape(spot.group())
        and m.group() not in _QUESTION_WORDS
        and m.group()[:4] != spot.group()[:4]
        and m.group() not in example.question
    ]
    if rng.random() < 0.7:
        pool = [w for w in pool if w not in seen]
    if not pool:
        return None
    new = rng.choice(_kindred(spot.group(), pool))
    question = example.question[: spot.start()] + new + example.question[spot.end() :]
    return QuestionRow(evidence, question, [], "question_word")


def question_opposed(
    example: Example, _passages: Passages, rng: random.Random
) -> QuestionRow | None:
    """A word of the question becomes its opposite, or the question is negated."""
    question = example.question
    spots = [m for m in re.finditer(r"\b[a-z]+\b", question) if m.group() in ANTONYMS]
    evidence, _ = windowed(example, rng)
    if spots:
        spot = rng.choice(spots)
        new = rng.choice(ANTONYMS[spot.group()])
        question = question[: spot.start()] + new + question[spot.end() :]
        return QuestionRow(evidence, question, [], "question_antonym")
    match = _AUXILIARY.search(question)
    if match is None or rng.random() < 0.75:
        return None
    if rng.random() < 0.6 and match.group() not in ("can", "will"):
        question = f"{question[: match.end()]}n't{question[match.end() :]}"
    else:
        words = question[match.end() :].split(" ")
        at = min(len(words), rng.choice([2, 3]))
        rest = " ".join([*words[:at], rng.choice(["not", "never"]), *words[at:]])
        question = question[: match.end()] + rest
    return QuestionRow(evidence, question, [], "question_negated")


def passage_entity(
    example: Example, pools: Pools, rng: random.Random, *, consistent: bool
) -> QuestionRow | None:
    """A name or number that question and passage share becomes another, in the passage.

    With `consistent` it becomes the same one in the question too, and the answer stays right:
    that an unfamiliar name was put in is then no sign of an unanswerable question.
    """
    evidence, answers = windowed(example, rng)
    shared = [
        e
        for e in entities(f"  {example.question}")
        if e.start >= 2
        and len(e.text) > 2
        and e.text in evidence
        and not _same(e.text, "", example.answer())
    ]
    if not shared or not answers:
        return None
    entity = rng.choice(shared)
    new = other_value(entity, example.context, pools, rng)
    if new is None or new in evidence or new in example.question:
        return None
    edited, moved = replace_all(evidence, entity.text, new, answers)
    if moved is None:
        return None
    question = example.question
    if consistent:
        question = question.replace(entity.text, new)
        return QuestionRow(edited, question, moved, "both_entity")
    if any(part in edited for part in entity.text.split() if len(part) > 3 and part[0].isupper()):
        return None
    return QuestionRow(edited, question, [], "passage_entity")


def replace_all(
    text: str, old: str, new: str, answers: list[Span]
) -> tuple[str, list[Span] | None]:
    """Replace a name everywhere; None for the answers when one of them holds the name."""
    pieces: list[str] = []
    moved = list(answers)
    position = shift = 0
    for match in re.finditer(rf"\b{re.escape(old)}\b", text):
        if any(match.start() < e and match.end() > s for s, e in answers):
            return text, None
        pieces += [text[position : match.start()], new]
        moved = [
            (m[0] + len(new) - len(old), m[1] + len(new) - len(old)) if a[0] >= match.end() else m
            for a, m in zip(answers, moved, strict=True)
        ]
        position = match.end()
        shift += 1
    if not shift:
        return text, None
    return "".join([*pieces, text[position:]]), moved


def replaced(text: str, entity: Entity, new: str) -> str:
    return text[: entity.start] + new + text[entity.end :]


def _around(question: str, text: str, rng: random.Random, most: int = 0) -> str:
    """The part of a passage that shares most words with the question."""
    spans = sentence_spans(text)
    shares = overlap(question, [text[s:e] for s, e in spans])
    best = max(range(len(spans)), key=lambda i: shares[i])
    low, high = cut(text, spans[best], most or budget(rng), rng)
    return text[low:high]


@cache
def _vector(word: str) -> npt.NDArray[np.float32]:
    return _WORD_TABLE.embed([word])[0]


def _kindred(word: str, pool: list[str]) -> list[str]:
    """The words of the pool that are nearest in meaning, short of meaning the same."""
    likeness = {w: float(_vector(w) @ _vector(word)) for w in sorted(set(pool))}
    order = sorted((w for w in likeness if likeness[w] < _SAME), key=lambda w: -likeness[w])
    return order[:3] or pool


def _shape(word: str) -> str:
    return next((s for s in _SUFFIXES if word.endswith(s)), "")


def _same(text: str, question: str, answer: str) -> bool:
    return text in question or text in answer or answer in text


def _touches(spans: list[Span], start: int, end: int) -> bool:
    return any(start < e and end > s for s, e in spans)
