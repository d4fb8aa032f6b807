"""Invented things with known properties, told in many ways: the exact label of any claim is known.

A profile is a subject and its facts. Each fact can be told by several templates; evidence and
claim take theirs independently, so that they paraphrase each other. From profiles come partly
wrong lists, pronouns that need a context, numbers told roughly, evidence spread over pieces, and
the same in other languages.
"""
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations

import random
from dataclasses import dataclass, field

from data.domains import AND, CJK, DOMAINS, FOREIGN
from data.edits import join_list
from data.entities import approximations
from data.marks import CLOSE, OPEN, unmark
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, UNSUPPORTED, Row
from data.vocabulary import FIRST_NAMES, LAST_NAMES, MONTHS, NATIONS, PLACES

_ADJECTIVES = (
    "Silent Crimson Broken Golden Last Hidden Distant Burning Frozen Quiet Endless Savage Hollow "
    "Bright Wild Lonely Electric Paper Iron Velvet Midnight Northern Lost Second Perfect"
).split()
_NOUNS = (
    "Harbor River Garden Mirror Empire Winter Letter Horizon Kingdom Shadow Bridge Station Summer "
    "Orchard Witness Promise Lantern Crossing Valley Signal Island Machine Circus Memory Road"
).split()
_SYLLABLES = "ver tan sol mar quen del nor bri cal zen lum ark tri vel ox fen gal ris".split()


def person(rng: random.Random) -> str:
    return f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"


def title(rng: random.Random) -> str:
    return rng.choice(
        [
            f"The {rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)}",
            f"{rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)}",
            f"{rng.choice(_NOUNS)} of {rng.choice(PLACES)}",
            rng.choice(_NOUNS),
        ]
    )


def company(rng: random.Random) -> str:
    name = "".join(rng.sample(_SYLLABLES, rng.choice([2, 2, 3]))).capitalize()
    return name + rng.choice(["", "", " Systems", " Group", " Industries", " Foods", " Media"])


def date(rng: random.Random) -> str:
    m, d, y = rng.choice(MONTHS), rng.randint(1, 28), rng.randint(1850, 2023)
    return rng.choice([f"{m} {d}, {y}", f"{m} {d}, {y}", f"{d} {m} {y}"])


def count(rng: random.Random) -> str:
    n = rng.choice([rng.randint(3, 40), rng.randint(40, 999), rng.randint(1000, 90000)])
    return f"{n:,}" if rng.random() < 0.7 else str(n)


def year(rng: random.Random) -> str:
    return str(rng.randint(1850, 2023))


VALUES = {
    "person": person,
    "title": title,
    "company": company,
    "date": date,
    "count": count,
    "year": year,
    "place": lambda r: r.choice(PLACES),
    "nation": lambda r: r.choice(NATIONS),
    "percent": lambda r: f"{r.choice([r.randint(2, 98), round(r.uniform(1, 30), 1)])}%",
    "small": lambda r: r.choice("two three four five six seven eight nine eleven twelve".split()),
    "money": lambda r: f"${r.randint(2, 900)} {r.choice(['million', 'million', 'billion'])}",
}


@dataclass
class Fact:
    kind: str
    templates: list[str]
    values: list[str]
    listed: bool = False
    language: str = "en"


@dataclass
class Profile:
    subject: str
    pronoun: str
    noun: str
    facts: list[Fact] = field(default_factory=list)


def value(kind: str, rng: random.Random, language: str = "en") -> str:
    if language in ("zh", "ja") and kind in CJK:
        return rng.choice(CJK[kind])
    return VALUES[kind](rng)


def fact(kind: str, templates: list[str], rng: random.Random, language: str = "en") -> Fact:
    listed = kind.startswith("list:")
    kind = kind.removeprefix("list:")
    wanted = rng.choice([2, 2, 3]) if listed else 1
    values: list[str] = []
    while len(values) < wanted:
        new = value(kind, rng, language)
        if not any(set(new.split()) & set(v.split()) for v in values):
            values.append(new)
    return Fact(kind, templates, values, listed, language)


def profile(rng: random.Random) -> Profile:
    kind, pronoun, noun, facts = rng.choice(DOMAINS)
    if kind == "person" and rng.random() < 0.5:
        pronoun = rng.choice(["She", "He", "They"])
    subject = VALUES[kind](rng)
    chosen = rng.sample(facts, rng.randint(2, min(5, len(facts))))
    return Profile(subject, pronoun, noun, [fact(k, t, rng) for k, t in chosen])


def tell(
    item: Fact, subject: str, values: list[str], rng: random.Random, *, lead: bool = False
) -> str:
    """A sentence; `lead` asks for one that begins with the subject (where there is one)."""
    options = [t for t in item.templates if not lead or t.startswith("{s}")] or item.templates
    template = rng.choice(options)
    if item.language == "en":
        listed = join_list(values)
        if template.startswith("{l}") is False and rng.random() < 0.2:
            listed = ", ".join(values) if len(values) > 2 else listed
    else:
        listed = (
            AND[item.language].join(
                [("、" if item.language in ("zh", "ja") else ", ").join(values[:-1]), values[-1]]
            )
            if len(values) > 1
            else values[0]
        )
    text = template.replace("{s}", subject).replace("{0}", values[0]).replace("{l}", listed)
    return text[0].upper() + text[1:]


def _wrong(item: Fact, own: Profile, rng: random.Random) -> str | None:
    taken = {v for f in own.facts for v in f.values} | {own.subject}
    pool = [v for f in own.facts if f.kind == item.kind and f is not item for v in f.values]
    for _ in range(6):
        new = (
            rng.choice(pool)
            if pool and rng.random() < 0.3
            else value(item.kind, rng, item.language)
        )
        if new not in item.values and (new in pool or new not in taken):
            return new
    return None


def _claim(item: Fact, own: Profile, rng: random.Random) -> tuple[list[str], int, list[str]] | None:
    """(values to claim, label, evidence values in conflict); changed values are marked."""
    values = item.values[:]
    choice = rng.random()
    if item.listed and choice < 0.5:
        rng.shuffle(values)
        return (values if choice < 0.25 else values[: rng.randint(1, len(values) - 1)]), SUPPORT, []
    if choice < 0.42:
        if item.kind == "count" and item.language == "en" and rng.random() < 0.4:
            number = values[0].replace(",", "")
            forms = [
                *approximations(values[0], values[0], float(number)),
                number,
                f"{int(number):,}",
            ]
            values = [rng.choice(forms)]
        if item.kind == "date" and rng.random() < 0.4:
            values = [values[0].replace(",", "")]
        return values, SUPPORT, []
    new = _wrong(item, own, rng)
    if new is None:
        return None
    at = rng.randrange(len(values))
    old = values[at]
    if item.listed and rng.random() < 0.25:
        values.insert(at, f"{OPEN}{new}{CLOSE}")
        return values, UNSUPPORTED, []
    values[at] = f"{OPEN}{new}{CLOSE}"
    rng.shuffle(values)
    return values, CONTRADICTION, [old]


def profile_row(rng: random.Random) -> Row | None:
    """One row: evidence of several sentences of one or two profiles, and a claim on one fact."""
    own = profile(rng)
    item = rng.choice(own.facts)
    told = [tell(f, own.subject, f.values, rng) for f in own.facts]
    if rng.random() < 0.5:
        told = [told[0]] + [
            t.replace(own.subject, own.pronoun if rng.random() < 0.6 else own.noun, 1)
            if t.startswith(own.subject)
            else t
            for t in told[1:]
        ]
    missing = rng.random() < 0.22
    sentences = [t for f, t in zip(own.facts, told, strict=True) if not (missing and f is item)]
    if rng.random() < 0.3:
        other = profile(rng)
        extra = [tell(f, other.subject, f.values, rng) for f in other.facts[:3]]
        joined = [" ".join(sentences), " ".join(extra)]
        rng.shuffle(joined)
        evidence = " | ".join(joined)
    else:
        evidence = rng.choice([" ", " ", " | "]).join(sentences)
    if missing:
        return _missing_row(own, item, evidence, rng)
    planned = _claim(item, own, rng)
    return _claimed_row(own, item, evidence, planned, rng) if planned else None


def _with_context(
    own: Profile, item: Fact, values: list[str], rng: random.Random
) -> tuple[str, str]:
    """(context, claim): half the time the claim names its subject by pronoun after a context."""
    if rng.random() < 0.5:
        return "", tell(item, own.subject, values, rng)
    others = [f for f in own.facts if f is not item]
    intro = rng.choice(others) if others else item
    stated = intro.values if rng.random() < 0.6 else [value(intro.kind, rng) for _ in intro.values]
    context = tell(intro, own.subject, stated, rng)
    sentence = tell(item, "\ue002", values, rng, lead=True)
    if sentence.startswith("\ue002"):
        name = rng.choice([own.pronoun, own.pronoun, own.noun])
    else:
        name = rng.choice(["it" if own.pronoun == "It" else own.noun.lower(), own.noun.lower()])
    return context, sentence.replace("\ue002", name, 1)


def _missing_row(own: Profile, item: Fact, evidence: str, rng: random.Random) -> Row:
    context, claim = _with_context(own, item, item.values, rng)
    return Row(evidence, claim, NEUTRAL, "profile_missing", context)


def _claimed_row(
    own: Profile,
    item: Fact,
    evidence: str,
    planned: tuple[list[str], int, list[str]],
    rng: random.Random,
) -> Row | None:
    values, label, old = planned
    context, marked = _with_context(own, item, values, rng)
    unmarked = unmark(marked)
    if unmarked is None:
        return None
    claim, wrong = unmarked
    if rng.random() < 0.1:
        claim = claim.rstrip(".")
    against = []
    for text in old:
        at = evidence.find(text)
        if at >= 0:
            against.append((at, at + len(text)))
    kind = f"profile_{'list' if item.listed else 'fact'}{'_context' if context else ''}"
    return Row(evidence, claim, label, kind, context, wrong, against)


def foreign_row(rng: random.Random) -> Row | None:
    """The same in Spanish, Italian, French, German, Chinese or Japanese."""
    language = rng.choice(["es", "es", "it", "it", "fr", "de", "zh", "zh", "ja", "ja"])
    subject = (
        rng.choice(CJK["title"]) if language in ("zh", "ja") else rng.choice([title, company])(rng)
    )
    chosen = rng.sample(FOREIGN[language], min(len(FOREIGN[language]), rng.randint(2, 4)))
    own = Profile(subject, "", "", [fact(k, t, rng, language) for k, _, t in chosen])
    item = rng.choice(own.facts)
    missing = rng.random() < 0.2
    told = [tell(f, subject, f.values, rng) for f in own.facts if not (missing and f is item)]
    evidence = ("" if language in ("zh", "ja") else " ").join(told)
    planned = (item.values, NEUTRAL, []) if missing else _claim(item, own, rng)
    if planned is None:
        return None
    values, label, old = planned
    unmarked = unmark(tell(item, subject, values, rng))
    if unmarked is None:
        return None
    claim, wrong = unmarked
    against = [(evidence.find(t), evidence.find(t) + len(t)) for t in old if t in evidence]
    known = not missing
    return Row(
        evidence,
        claim,
        label,
        f"foreign_{language}",
        "",
        wrong if known else None,
        against if known else None,
    )
