"""Changes to packs that keep their labels true: strange text beside the evidence, attributes in
front of it, its own sentences as claims, claims with a context, word salads.
"""

from __future__ import annotations

import difflib
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from packs import CONTRADICTION, NEUTRAL, NONE, SUPPORT, UNSUPPORTED, Pack, Query, Span

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cross_encoder"))
from data.text import sentences

BESIDE, ATTRIBUTES, VERBATIM, SALAD, CONTEXT, FOREIGN = 0.22, 0.06, 0.35, 0.12, 0.5, 0.25
TWO_SENTENCES = 0.4
"""Share of the verbatim claims that are two neighbouring sentences."""
MOST_QUERIES = 12
LONGEST_BESIDE = 90
# What is asked, quoted or denied is not asserted by standing there; a table row is no sentence.
NOT_ASSERTED = (
    '"',
    "\u201c",
    "\u00ab",
    "\u300c",
    "?",
    "|",
    "if ",
    "myth",
    "not true",
    "false",
    "http",
)


def augmented(packs: Sequence[Pack], rng: random.Random, *, written: bool) -> list[Pack]:
    """One changed copy of each pack."""
    made = []
    for pack in packs:
        queries = with_marks(pack) if written else list(pack.queries)
        if len(queries) > MOST_QUERIES:
            queries = rng.sample(queries, MOST_QUERIES)
        queries = [with_context(query, rng) for query in queries]
        queries += verbatim(pack, rng)
        queries += salad(queries, rng)
        other = rng.choice(packs)
        if other.kind == pack.kind and other.evidence != pack.evidence:
            queries += foreign(other, rng, written=written)
        evidence = pack.evidence
        if rng.random() < BESIDE and len(evidence.split()) < 200:
            evidence, queries = beside(evidence, queries, rng.choice(packs).evidence, rng)
        if rng.random() < ATTRIBUTES:
            evidence, queries = with_attributes(evidence, queries, rng)
        rng.shuffle(queries)
        made.append(Pack(evidence, queries, pack.kind))
    return made


def shifted(query: Query, by: int) -> Query:
    def moved(spans: list[Span]) -> list[Span]:
        return [(start + by, end + by) for start, end in spans]

    conflict = None if query.conflict is None else moved(query.conflict)
    return replace(query, spans=moved(query.spans), conflict=conflict)


def beside(
    evidence: str, queries: list[Query], other: str, rng: random.Random
) -> tuple[str, list[Query]]:
    """Part of a strange text before or after the evidence, as selection joins them."""
    words = other.split(" ")
    size = rng.randint(15, LONGEST_BESIDE)
    at = rng.randint(0, max(0, len(words) - size))
    part = " ".join(words[at : at + size])
    if rng.random() < 0.6:
        return f"{evidence} | {part}", queries
    joined = f"{part} | "
    return joined + evidence, [shifted(query, len(joined)) for query in queries]


def with_attributes(
    evidence: str, queries: list[Query], rng: random.Random
) -> tuple[str, list[Query]]:
    key, values = rng.choice(
        (
            ("author", ("Wikipedia", "Reuters", "the operations team", "M. Okafor")),
            ("title", ("Handbook", "Annual report", "Notes", "FAQ")),
            ("url", ("https://example.com/a", "https://intranet.example/page")),
            ("date", ("2024-03-01", "12 May 2021")),
        )
    )
    front = f"{key}: {rng.choice(values)} | "
    return front + evidence, [shifted(query, len(front)) for query in queries]


def verbatim(pack: Pack, rng: random.Random) -> list[Query]:
    """Now and then a sentence of the evidence itself, or two, as a supported claim."""
    if rng.random() > VERBATIM or all(query.label is None for query in pack.queries):
        return []
    lowered = pack.evidence.lower()
    if any(mark in lowered for mark in NOT_ASSERTED):
        return []
    fit = [s for s in sentences(pack.evidence) if 5 <= len(s.split()) <= 45 and s[-1] in ".!\u3002"]
    pairs = [f"{a} {b}" for a, b in pairwise(fit) if f"{a} {b}" in pack.evidence]
    short = [pair for pair in pairs if len(pair.split()) <= 45]
    if short and rng.random() < TWO_SENTENCES:
        fit = short
    return [Query(rng.choice(fit), "verbatim", SUPPORT, wrong=[])] if fit else []


def salad(queries: Sequence[Query], rng: random.Random) -> list[Query]:
    """Now and then a claim's words in any order: it says nothing, so nothing supports it."""
    long = [q for q in queries if q.label is not None and len(q.text.split()) >= 7]
    if not long or rng.random() > SALAD:
        return []
    words = rng.choice(long).text.rstrip(".").split()
    shuffled = rng.sample(words, len(words))
    return [Query(" ".join(shuffled) + ".", "salad", UNSUPPORTED)]


def with_context(query: Query, rng: random.Random) -> Query:
    """A supported claim of two sentences as context and claim: both parts hold."""
    if query.label != SUPPORT or query.context or rng.random() > CONTEXT:
        return query
    parts = sentences(query.text)
    if len(parts) != 2 or min(len(part) for part in parts) < 15:
        return query
    return replace(query, context=parts[0], text=parts[1], kind="second_sentence")


def foreign(other: Pack, rng: random.Random, *, written: bool) -> list[Query]:
    """A claim or question about another text: these facts say nothing of it."""
    if rng.random() > FOREIGN or not other.queries:
        return []
    query = rng.choice(other.queries)
    if query.label is not None:
        # A paraphrase of common knowledge may hold for both; only written texts are all different.
        return (
            [replace(query, label=NEUTRAL, kind="foreign", wrong=None, conflict=None)]
            if written
            else []
        )
    return [replace(query, answer=NONE, spans=[], kind="foreign_question")] if written else []


LEAST_ALIKE = 0.75
MOST_CHANGED = 5


def with_marks(pack: Pack) -> list[Query]:
    """The queries, with the words marked in which a false claim differs from a true twin.

    A twin is a supported claim or a sentence of the evidence with nearly the same words.
    """
    sentences_at = list(_sentence_spans(pack.evidence))
    true = [query.text for query in pack.queries if query.label == SUPPORT]
    marked = []
    for query in pack.queries:
        if query.label == SUPPORT:
            query = replace(query, wrong=[], conflict=[])
        elif query.label in (CONTRADICTION, NEUTRAL) and not query.context:
            twins = [_differences(query.text, text) for text in true]
            twins = [twin for twin in twins if twin]
            for start, end in sentences_at:
                twin = _differences(query.text, pack.evidence[start:end])
                if twin:
                    moved = [(a + start, b + start) for a, b in twin[1]]
                    told = moved if query.label == CONTRADICTION and moved else None
                    query = replace(query, wrong=twin[0], conflict=told)
                    break
            else:
                if twins:
                    query = replace(query, wrong=min(twins, key=lambda t: len(t[0]))[0])
        marked.append(query)
    return marked


def _sentence_spans(text: str) -> Iterator[Span]:
    at = 0
    for sentence in sentences(text):
        start = text.find(sentence, at)
        if start >= 0:
            at = start + len(sentence)
            yield start, at


def _differences(claim: str, other: str) -> tuple[list[Span], list[Span]] | None:
    """Character ranges of the words that differ, on both sides; None unless few do."""
    ours, theirs = list(re.finditer(r"\w+", claim)), list(re.finditer(r"\w+", other))
    matcher = difflib.SequenceMatcher(
        None, [w[0].lower() for w in ours], [w[0].lower() for w in theirs], autojunk=False
    )
    if not ours or matcher.quick_ratio() < LEAST_ALIKE or matcher.ratio() < LEAST_ALIKE:
        return None
    changed: list[Span] = []
    against: list[Span] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        if b - a > MOST_CHANGED or d - c > MOST_CHANGED:
            return None
        if b > a:
            changed.append((ours[a].start(), ours[b - 1].end()))
        if d > c:
            against.append((theirs[c].start(), theirs[d - 1].end()))
    return (changed, against) if changed else None
