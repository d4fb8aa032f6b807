"""Rows made from other rows: attributes, attribution, context, meta openings, foreign evidence."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from data.entities import Pools, entities
from data.profiles import company, date, person, title
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, UNSUPPORTED, Row, Spans
from data.text import content_words

SOURCES = (
    "Wikipedia",
    "Simple Wikipedia",
    "Reuters",
    "The Guardian",
    "BBC News",
    "Associated Press",
    "The New York Times",
    "World Health Organization",
    "Encyclopaedia Britannica",
    "Nature",
    "Ministry of Health",
    "Government of Canada",
    "Rotten Tomatoes",
    "Le Monde",
    "El País",
    "National Geographic",
    "The Economist",
    "Bureau of Statistics",
    "European Commission",
    "City Council",
    "Annual Report",
    "Employee Handbook",
    "Financial Times",
    "NASA",
)
KEYS = (
    "author",
    "title",
    "source",
    "publisher",
    "url",
    "date",
    "Author",
    "publication",
    "name",
    "section",
    "category",
    "language",
    "id",
)
SPEAKERS = ("author", "Author", "source", "publisher", "publication")
_SAYS = (
    "says",
    "says that",
    "states that",
    "claims that",
    "reports that",
    "cites that",
    "writes that",
    "notes that",
    "confirms that",
    "argues that",
    "mentions that",
)
_META = (
    "I found that {c}",
    "The document says that {c}",
    "According to the text, {c}",
    "It is true that {c}",
    "The sources say {c}",
    "Based on the provided information, {c}",
    "In short, {c}",
    "As the passage explains, {c}",
    "Yes, {c}",
    "Sure! {c}",
    "To answer the question, {c}",
    "The facts show that {c}",
    "In summary, {c}",
    "Note that {c}",
)
_LOWERED = re.compile(
    r"^(?:The|A|An|In|On|It|He|She|They|There|This|These|His|Her|Its|At|For|Some|Many) "
)


def embed(sentence: str) -> str:
    """A sentence as it reads after "that"."""
    return sentence[0].lower() + sentence[1:] if _LOWERED.match(sentence) else sentence


def moved(spans: Spans | None, by: int) -> Spans | None:
    return None if spans is None else [(s + by, e + by) for s, e in spans]


def speaker(rng: random.Random) -> str:
    return rng.choice([rng.choice(SOURCES), person(rng), company(rng)])


def attribute(key: str, rng: random.Random) -> str:
    low = key.lower()
    if low in ("author", "name"):
        return speaker(rng)
    if low == "title":
        return title(rng)
    if low == "date":
        return date(rng)
    if low == "url":
        host = f"www.{company(rng).split()[0].lower()}.{rng.choice(['com', 'org', 'net'])}"
        return f"https://{host}/{rng.randint(1, 999)}"
    if low == "language":
        return rng.choice(["en", "English", "es", "ja"])
    if low in ("id", "section"):
        return str(rng.randint(1, 400))
    return rng.choice(SOURCES)


def with_prefix(row: Row, attributes: Sequence[tuple[str, str]]) -> Row:
    prefix = "".join(f"{k}: {v} | " for k, v in attributes)
    return replace(
        row, evidence=prefix + row.evidence, evidence_wrong=moved(row.evidence_wrong, len(prefix))
    )


def random_prefix(row: Row, rng: random.Random) -> Row:
    """Attributes in front that do not matter."""
    keys = rng.sample(KEYS, rng.choice([1, 1, 2, 3]))
    return with_prefix(row, [(k, attribute(k, rng)) for k in keys])


def attributed(row: Row, rng: random.Random) -> Row:
    """ "X says that C": holds only if C does and X is who the attributes name."""
    named = speaker(rng)
    other = speaker(rng)
    attributes = [(rng.choice(SPEAKERS), named)]
    if rng.random() < 0.4:
        key = rng.choice(("date", "title", "url", "section"))
        attributes.insert(rng.randint(0, 1), (key, attribute(key, rng)))
    right = rng.random() < 0.5 or set(other.split()) & set(named.split())
    said = named if right else other
    absent = not right and rng.random() < 0.3
    base = random_prefix(row, rng) if absent and rng.random() < 0.5 else row
    body = embed(row.claim)
    lead = rng.choice(
        [
            f"{said} {rng.choice(_SAYS)} ",
            f"According to {said}, ",
            f"As {said} puts it, ",
            f"In the words of {said}, ",
        ]
        if rng.random() < 0.4
        else [f"{said} {rng.choice(_SAYS)} "]
    )
    label = row.label
    wrong = moved(row.claim_wrong, len(lead))
    if not right:
        label = NEUTRAL if row.label in (SUPPORT, NEUTRAL) else UNSUPPORTED
        at = lead.index(said)
        wrong = None if wrong is None else [(at, at + len(said)), *wrong]
    made = replace(
        row,
        claim=lead + body,
        label=label,
        kind=f"attributed_{'right' if right else 'wrong'}",
        claim_wrong=wrong,
    )
    if absent:
        return replace(made, evidence=base.evidence, evidence_wrong=base.evidence_wrong)
    return with_prefix(made, attributes)


_ABOUT = {
    "author": (
        "The author of this text is {v}.",
        "This was written by {v}.",
        "{v} is the author.",
        "The text was written by {v}.",
    ),
    "title": ("The title is {v}.", "The document is called {v}.", "This text is titled {v}."),
    "publisher": ("The publisher is {v}.", "{v} published this.", "It was published by {v}."),
    "date": (
        "The document is dated {v}.",
        "The date of the text is {v}.",
        "It was published on {v}.",
    ),
    "source": ("The source is {v}.", "This comes from {v}.", "The information is from {v}."),
}


def about_attribute(row: Row, rng: random.Random) -> Row:
    """A claim on an attribute itself: true, or with another value."""
    key = rng.choice(list(_ABOUT))
    value, other = attribute(key, rng), attribute(key, rng)
    attributes = [(key, value)]
    if rng.random() < 0.5:
        second = rng.choice([k for k in _ABOUT if k != key])
        attributes.insert(rng.randint(0, 1), (second, attribute(second, rng)))
    right = rng.random() < 0.5 or bool(set(value.split()) & set(other.split()))
    claim = rng.choice(_ABOUT[key]).format(v=value if right else other)
    at = claim.index(value if right else other)
    wrong = [] if right else [(at, at + len(other))]
    made = replace(
        row,
        claim=claim,
        context="",
        label=SUPPORT if right else CONTRADICTION,
        kind="about_attribute",
        claim_wrong=wrong,
        evidence_wrong=None,
    )
    return with_prefix(made, attributes)


def meta(row: Row, rng: random.Random) -> Row:
    """A claim behind an opening that adds nothing."""
    pattern = rng.choice(_META)
    lead = pattern.split("{c}")[0]
    return replace(
        row,
        claim=lead + embed(row.claim),
        kind=row.kind,
        claim_wrong=moved(row.claim_wrong, len(lead)),
    )


def context_rows(rows: list[Row], rng: random.Random, count: int) -> list[Row]:
    """Claims on one subject: one becomes the context of another that says "it"."""
    by_subject: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        subject = leading_name(row.claim)
        if subject:
            by_subject[subject].append(row)
    grouped = [(s, g) for s, g in sorted(by_subject.items()) if len(g) > 1]
    made: list[Row] = []
    while len(made) < count and grouped:
        subject, group = rng.choice(grouped)
        row, other = rng.sample(group, 2)
        if row.claim == other.claim or not row.claim.startswith(subject):
            continue
        rest = row.claim[len(subject) :]
        if rest.startswith(("'s", "’s")):
            name, rest = rng.choice(["Its", "His", "Their"]), rest[2:]
        else:
            name = rng.choice(["It", "It", "He", "She", "They", "This"])
        made.append(
            replace(row, claim=name + rest, context=other.claim, kind="context", claim_wrong=None)
        )
        if rng.random() < 0.25:
            stranger = rng.choice(rows)
            made[-1] = replace(
                made[-1],
                evidence=stranger.evidence,
                label=NEUTRAL,
                kind="context_other",
                evidence_wrong=None,
            )
    return made


def leading_name(claim: str) -> str:
    found = re.match(r"(?:The )?[A-Z][\w'’.-]*(?: (?:[A-Z][\w'’.-]*|of|the|and|for|in))*", claim)
    if not found:
        return ""
    name = (
        re.sub(r" (?:of|the|and|for|in)$", "", found.group()).removesuffix("'s").removesuffix("’s")
    )
    return (
        name
        if len(name) > 3 and (" " in name or claim[len(name) : len(name) + 4] in (" is ", " was"))
        else ""
    )


def neutral_rows(rows: list[Row], rng: random.Random, count: int, *, hard: bool) -> list[Row]:
    """Claims with the evidence of another row: any, or one with many words in common."""
    made: list[Row] = []
    index = _index(rows) if hard else {}
    while len(made) < count:
        row = rng.choice(rows)
        other = _similar(row, rows, index, rng) if hard else rng.choice(rows)
        if other is not None and other.evidence != row.evidence:
            kind, context = ("hard_other", "") if hard else ("other", row.context)
            made.append(Row(other.evidence, row.claim, NEUTRAL, kind, context))
    return made


def _index(rows: list[Row]) -> dict[str, list[int]]:
    """Rows by the content words of their evidence."""
    index: dict[str, list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        for word in sorted(set(content_words(row.evidence))):
            index[word].append(i)
    return index


def _similar(
    row: Row, rows: list[Row], index: dict[str, list[int]], rng: random.Random
) -> Row | None:
    """A row on another passage that shares rare words with the claim."""
    votes: dict[int, float] = defaultdict(float)
    for word in sorted(set(content_words(row.claim))):
        found = index.get(word, [])
        if 1 < len(found) < 200:
            for i in found:
                votes[i] += 1 / len(found)
    ranked = sorted(votes, key=lambda i: -votes[i])[:40]
    ranked = [i for i in ranked if not _shared(rows[i].evidence, row.evidence)]
    return rows[ranked[rng.randrange(min(3, len(ranked)))]] if ranked else None


def _shared(a: str, b: str) -> bool:
    """Whether two evidences are (nearly) the same passage."""
    x, y = set(content_words(a)), set(content_words(b))
    return len(x & y) > 0.5 * min(len(x), len(y))


_KATAKANA = re.compile(r"[ァ-ヴー]{3,}")
_DIGITS = re.compile(r"\d+")


def foreign_edit(
    sentence: str, window: str, pools: Pools, katakana: list[str], rng: random.Random
) -> Row | None:
    """A sentence of a text in any language: kept, or with another number or name."""
    if rng.random() < 0.42:
        return Row(window, sentence, SUPPORT, "foreign_kept", "", [], [])
    spots = [(m.start(), m.end(), "digits") for m in _DIGITS.finditer(sentence)]
    spots += [(m.start(), m.end(), "kana") for m in _KATAKANA.finditer(sentence)]
    if not re.search(r"[\u3040-\u30ff]", sentence):
        spots += [
            (e.start, e.end, e.kind)
            for e in entities(sentence)
            if e.kind not in ("date", "year", "number")
        ]
    shift = window.find(sentence)
    if not spots or shift < 0:
        return None
    start, end, kind = rng.choice(spots)
    old = sentence[start:end]
    if kind == "digits":
        new = str(max(1, int(old) + rng.choice([-10, -2, -1, 1, 2, 3, 10, 25])))
    else:
        new = rng.choice(katakana) if kind == "kana" else pools.pick(kind, rng)
    if new in window or old in new:
        return None
    claim = sentence[:start] + new + sentence[end:]
    return Row(
        window,
        claim,
        CONTRADICTION,
        "foreign_edit",
        "",
        [(start, start + len(new))],
        [(shift + start, shift + end)],
    )
