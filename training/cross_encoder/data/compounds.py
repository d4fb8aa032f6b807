"""Claims that say two things, turn a relation round, compare a number, or name a speaker.

These are what the first run was weakest at: one wrong half makes a claim wrong, however much of
the rest is right.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace

from data.domains import DOMAINS
from data.edits import negate, oppose, replace_value
from data.entities import Pools, entities
from data.framing import attribute, embed, moved, speaker, with_prefix
from data.marks import CLOSE, OPEN, unmark
from data.passages import surround, window
from data.profiles import (
    Fact,
    Profile,
    company,
    fact,
    person,
    profile,
    tell,
    title,
    value,
)
from data.rewriting import rewrite
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, UNSUPPORTED, Row, Spans
from data.text import sentences
from data.vocabulary import PLACES

_JOINS = (" and ", " and ", ", and ", "; ", ". ", ", while ")
_VERB = re.compile(r"^(?:is|was|has|won|stars|starred|came|premiered|earned|grossed|made|employs|"
                   r"acquired|bought|reported|died|married|painted|sold|appeared|features|received|"
                   r"lived|hosted|charges|accepts|keeps|limits|worked|left)\b")  # fmt: skip


def compound_row(rng: random.Random) -> Row | None:
    """Two facts of a profile in one claim: right, half wrong, or half without evidence."""
    own = profile(rng)
    if len(own.facts) < 2:
        return None
    pair = rng.sample(own.facts, 2)
    fate = rng.choices(("right", "wrong", "missing"), (42, 38, 20))[0]
    target = rng.choice(pair)
    told = [
        tell(f, own.subject, f.values, rng)
        for f in own.facts
        if not (fate == "missing" and f is target)
    ]
    claimed: dict[int, list[str]] = {id(f): f.values for f in pair}
    if fate == "wrong":
        new = value(target.kind, rng)
        if new in {v for f in own.facts for v in f.values}:
            return None
        at = rng.randrange(len(target.values))
        claimed[id(target)] = [
            f"{OPEN}{new}{CLOSE}" if i == at else v for i, v in enumerate(target.values)
        ]
    made = _two_facts(own, pair, claimed, rng)
    unmarked = unmark(made)
    if unmarked is None:
        return None
    evidence = _spread(told, rng)
    label = {"right": SUPPORT, "wrong": CONTRADICTION, "missing": NEUTRAL}[fate]
    known = fate != "missing"
    against = _places(evidence, target.values) if fate == "wrong" else []
    if fate == "wrong" and len(target.values) > 1:
        against = against[:1] if len(against) == 1 else []
    return Row(
        evidence, unmarked[0], label, f"compound_{fate}", "",
        unmarked[1] if known else None, against if known else None,
    )  # fmt: skip


def _two_facts(
    own: Profile, pair: list[Fact], claimed: dict[int, list[str]], rng: random.Random
) -> str:
    first = tell(pair[0], own.subject, claimed[id(pair[0])], rng).rstrip(".")
    second = tell(pair[1], "\ue002", claimed[id(pair[1])], rng, lead=True).rstrip(".")
    join = rng.choice(_JOINS)
    rest = second.removeprefix("\ue002 ")
    if join == " and " and first.startswith(own.subject) and _VERB.match(rest) and rest != second:
        return f"{first} and {rest}."
    name = own.pronoun if join == ". " else own.pronoun.lower()
    second = second.replace("\ue002", name, 1)
    return f"{first}{join}{second}."


def _spread(told: list[str], rng: random.Random) -> str:
    """Sentences in any order, now and then in two pieces."""
    rng.shuffle(told)
    if len(told) > 1 and rng.random() < 0.4:
        cut = rng.randint(1, len(told) - 1)
        return f"{' '.join(told[:cut])} | {' '.join(told[cut:])}"
    return " ".join(told)


def _places(evidence: str, values: list[str]) -> Spans:
    found = [(evidence.find(v), v) for v in values]
    return [(at, at + len(v)) for at, v in found if at >= 0]


_RELATIONS = (
    (person, "{a} defeated {b}.", "{b} was defeated by {a}.", "{b} lost to {a}."),
    (person, "{a} succeeded {b} as chairman.", "{b} was succeeded by {a} as chairman."),
    (person, "{a} taught {b}.", "{b} was taught by {a}.", "{b} was a student of {a}."),
    (person, "{a} is older than {b}.", "{b} is younger than {a}."),
    (person, "{a} is the father of {b}.", "{b} is a child of {a}.", "{b}'s father is {a}."),
    (person, "{a} sued {b}.", "{b} was sued by {a}.", "A lawsuit against {b} was filed by {a}."),
    (person, "{a} replaced {b}.", "{b} was replaced by {a}."),
    (person, "{a} was hired by {b}.", "{b} hired {a}.", "{b} gave {a} a job."),
    (company, "{a} acquired {b}.", "{b} was acquired by {a}.", "{b} was sold to {a}."),
    (company, "{a} is larger than {b}.", "{b} is smaller than {a}."),
    (company, "{a} supplies parts to {b}.", "{b} gets parts from {a}."),
    (company, "{a} owns {b}.", "{b} is owned by {a}.", "{b} belongs to {a}."),
    (company, "{a} is a subsidiary of {b}.", "{b} is the parent company of {a}."),
    (lambda r: r.choice(PLACES), "{a} lies north of {b}.", "{b} lies south of {a}."),
    (lambda r: r.choice(PLACES), "{a} beat {b} in the final.", "{b} lost the final to {a}."),
    (lambda r: r.choice(PLACES), "{a} exports grain to {b}.", "{b} imports grain from {a}."),
    (lambda r: r.choice(PLACES), "{a} has more inhabitants than {b}.",
     "Fewer people live in {b} than in {a}."),
    (title, "{a} was released before {b}.", "{b} came out after {a}."),
    (title, "{a} is based on {b}.", "{b} is the basis of {a}."),
)  # fmt: skip
_EVEN = (
    (person, "{a} married {b}.", "{b} is married to {a}.", "{a} and {b} are married."),
    (person, "{a} met {b}.", "{b} met {a}.", "{a} and {b} met."),
    (company, "{a} merged with {b}.", "{b} merged with {a}.", "{a} and {b} merged."),
    (company, "{a} competes with {b}.", "{b} competes with {a}."),
    (lambda r: r.choice(PLACES), "{a} borders {b}.", "{b} borders {a}."),
)


def relation_row(rng: random.Random) -> Row | None:
    """ "A defeated B": told from either side (true) or turned round (false)."""
    even = rng.random() < 0.2
    make, *forms = rng.choice(_EVEN if even else _RELATIONS)
    a, b = make(rng), make(rng)
    if set(a.split()) & set(b.split()):
        return None
    other = profile(rng)
    told = [rng.choice(forms).format(a=a, b=b)]
    told += [tell(f, other.subject, f.values, rng) for f in other.facts[: rng.randint(0, 2)]]
    evidence = _spread(told, rng)
    form = rng.choice(forms)
    if rng.random() < 0.5 or even:
        return Row(evidence, form.format(a=a, b=b), SUPPORT, "relation_kept", "", [], [])
    unmarked = unmark(form.format(a=f"{OPEN}{b}{CLOSE}", b=f"{OPEN}{a}{CLOSE}"))
    if unmarked is None:
        return None
    against = _places(evidence, [a, b])
    return Row(
        evidence, unmarked[0], CONTRADICTION, "relation_turned", "", unmarked[1], against
    )  # fmt: skip


_COUNTED = (
    "{s} employs {n} people.", "{s} has {n} members.", "The fire in {s} killed {n} people.",
    "{n} people attended the concert in {s}.", "{s} sold {n} tickets.", "{s} covers {n} hectares.",
    "The bridge in {s} is {n} metres long.", "{n} students are enrolled at {s}.",
    "The accident near {s} caused the death of {n} people.", "{s} paid {n} dollars.",
)  # fmt: skip
_REWORDED = {
    "killed {n} people": ("led to the death of {n} people", "cost the lives of {n} people"),
    "caused the death of {n} people": ("killed {n} people", "left {n} people dead"),
    "employs {n} people": ("has {n} employees", "has a staff of {n}"),
    "{n} people attended the concert": ("The audience was {n} people at the concert",),
}


def number_row(rng: random.Random) -> Row | None:
    """A number against "more than", "about", "at least", "fewer than" another one."""
    n = rng.choice([rng.randint(30, 99), rng.randint(100, 999), rng.randint(1000, 99999)])
    step = 10 ** (len(str(n)) - 2)
    low, high = n // step * step, (n // step + 1) * step
    told = rng.choice(["{x:,}", "{x}", "{x:,}"])
    hedge = rng.random() < 0.35
    shown = (
        f"{rng.choice(['over', 'more than'])} {told.format(x=low)}" if hedge else told.format(x=n)
    )
    base = low if hedge else n
    right = [f"{told.format(x=base)}", f"more than {told.format(x=max(1, low - step))}",
             f"at least {told.format(x=low)}", f"about {told.format(x=low)}"]  # fmt: skip
    if not hedge:
        right += [f"fewer than {told.format(x=high + step)}", f"nearly {told.format(x=high)}"]
        right += [f"over {told.format(x=low)}"] if low < n else []
    wrong = [f"{told.format(x=base * 2)}", f"{told.format(x=base // 2)}",
             f"more than {told.format(x=high * 2)}", f"about {told.format(x=base * 3)}",
             f"fewer than {told.format(x=max(1, low - step))}",
             f"at least {told.format(x=high * 3)}",
             f"less than {told.format(x=max(1, low // 2))}"]  # fmt: skip
    ok = rng.random() < 0.5
    pattern = rng.choice(_COUNTED)
    subject = rng.choice([company(rng), rng.choice(PLACES)])
    evidence = pattern.format(s=subject, n=shown)
    claim_pattern = pattern
    for old, new in _REWORDED.items():
        if old in pattern and rng.random() < 0.5:
            claim_pattern = pattern.replace(old, rng.choice(new))
    said = rng.choice(right if ok else wrong)
    claim = claim_pattern.format(s=subject, n=said)
    claim, evidence = claim[0].upper() + claim[1:], evidence[0].upper() + evidence[1:]
    at, against = claim.lower().find(said), evidence.lower().find(shown)
    if at < 0 or against < 0:
        return None
    if rng.random() < 0.5:
        evidence = f"{evidence} {title(rng)} is a book by {person(rng)}."
    return Row(
        evidence, claim, SUPPORT if ok else CONTRADICTION, "number_compared", "",
        [] if ok else [(at, at + len(said))], [] if ok else [(against, against + len(shown))],
    )  # fmt: skip


def fused_row(passage: str, pools: Pools, distractors: list[str], rng: random.Random) -> Row | None:
    """Two neighbouring sentences in one claim; one may be changed or lack its evidence."""
    found = sentences(passage)
    spots = [
        i
        for i in range(len(found) - 1)
        if 5 <= len(found[i].split()) <= 22 and 5 <= len(found[i + 1].split()) <= 22
    ]
    if not spots:
        return None
    at = rng.choice(spots)
    low, high = window(found, at, rng.choice([45, 70, 100]), rng)
    if high < at + 2:
        high = at + 2
    halves = [found[at], found[at + 1]]
    fate = rng.choices(("right", "wrong", "missing"), (42, 38, 20))[0]
    which = rng.randrange(2)
    text = " ".join(found[low:high])
    against: Spans = []
    if fate == "wrong":
        make = rng.choice((replace_value, replace_value, negate, oppose))
        edit = (
            make(halves[which], text, pools, rng)
            if make is replace_value
            else make(halves[which], rng)
        )
        if edit is None:
            return None
        shift = text.find(halves[which])
        against = [(a + shift, b + shift) for a, b in edit.conflicts]
        halves[which] = edit.claim
    if fate == "missing":
        text = " ".join(s for i, s in enumerate(found[low:high], start=low) if i != at + which)
    halves = [rewrite(h, rng, rng.choice([0.0, 0.4])) for h in halves]
    unmarked = unmark(_fuse(halves, rng))
    if unmarked is None or (fate == "wrong" and not unmarked[1]):
        return None
    evidence, by = surround(text, distractors, rng)
    label = {"right": SUPPORT, "wrong": CONTRADICTION, "missing": NEUTRAL}[fate]
    known = fate != "missing"
    return Row(
        evidence, unmarked[0], label, f"fused_{fate}", "",
        unmarked[1] if known else None, moved(against, by) if known else None,
    )  # fmt: skip


def _fuse(halves: list[str], rng: random.Random) -> str:
    first, second = halves
    join = rng.choice((" ", " ", " and ", "; "))
    if join == " ":
        return f"{first} {second}"
    return f"{first.rstrip('.!? ')}{join}{embed(second)}"


_NEARBY = ("Government of {p}", "{p} City Council", "University of {p}", "{p} Times",
           "Ministry of {p}", "Bank of {p}", "Museum of {p}")  # fmt: skip


def misattributed_row(row: Row, rng: random.Random) -> Row | None:
    """A true claim put in the mouth of somebody that the claim itself suggests."""
    names = [
        e.text
        for e in entities(f"x {row.claim}")
        if e.kind in ("place", "person", "name1", "name2", "org")
    ]
    if row.label != SUPPORT or row.context or not names:
        return None
    name = rng.choice(names)
    said = name if rng.random() < 0.3 else rng.choice(_NEARBY).format(p=name)
    named = speaker(rng)
    right = rng.random() < 0.45
    who = named if right else said
    lead = rng.choice([f"{who} {verb} " for verb in
                       ("says that", "claims that", "states that", "reports that", "cites that")]
                      + [f"According to {who}, "])  # fmt: skip
    at = lead.index(who)
    made = replace(
        row, claim=lead + embed(row.claim), label=SUPPORT if right else NEUTRAL,
        kind=f"misattributed_{'not' if right else 'near'}",
        claim_wrong=[] if right else [(at, at + len(who))], evidence_wrong=[],
    )  # fmt: skip
    extra = [("title", attribute("title", rng))] if rng.random() < 0.3 else []
    return with_prefix(
        made, [(rng.choice(("author", "source", "publisher", "Author")), named), *extra]
    )


_SPOKE = ("said", "told reporters", "said on Monday", "explained", "added", "argued", "announced")


def quoted_row(row: Row, rng: random.Random) -> Row | None:
    """Somebody says a sentence in the evidence; the claim is that he, or somebody else, said it."""
    if row.label != SUPPORT or row.context or not 4 <= len(row.claim.split()) <= 25:
        return None
    who, other = person(rng), person(rng)
    if set(who.split()) & set(other.split()):
        return None
    body = embed(row.claim.rstrip(".!? "))
    bystander = (
        f"{other} attended the meeting." if rng.random() < 0.6 else f"{other} declined to comment."
    )
    quote = rng.choice([f"{who} {rng.choice(_SPOKE[:1])} that {body}.",
                        f'"{row.claim.rstrip(".!? ")}," {who} {rng.choice(_SPOKE)}.',
                        f"According to {who}, {body}."])  # fmt: skip
    told = [quote, bystander] if rng.random() < 0.7 else [bystander, quote]
    right = rng.random() < 0.5
    named = who if right else other
    short = named.split()[-1] if rng.random() < 0.4 else named
    claim = rng.choice([f"{short} said that {body}.", f"According to {short}, {body}."])
    at = claim.index(short)
    return Row(
        " ".join(told), claim, SUPPORT if right else UNSUPPORTED, "quoted", "",
        [] if right else [(at, at + len(short))], [] if right else _places(" ".join(told), [who]),
    )  # fmt: skip


_KIN = {"date": "time", "year": "time", "count": "amount", "small": "amount", "money": "amount"}


def _family(item: Fact) -> str:
    return _KIN.get(item.kind, item.kind)


def lookalike_row(rng: random.Random) -> Row | None:
    """A claim on one fact while the evidence has only another of the same sort: not addressed.

    The evidence says when a film was set and the claim when it came out; or the evidence names
    the director and the claim says that this person plays in it.
    """
    kind, pronoun, noun, templates = rng.choice(DOMAINS)
    own = Profile(value(kind, rng), pronoun, noun, [fact(k, t, rng) for k, t in templates])
    item = rng.choice(own.facts)
    alike = [f for f in own.facts if f is not item and _family(f) == _family(item)]
    if not alike:
        return None
    told = [rng.choice(alike)]
    others = [f for f in own.facts if f is not item and f not in told]
    told += rng.sample(others, min(len(others), rng.randint(0, 2)))
    evidence = _spread([tell(f, own.subject, f.values, rng) for f in told], rng)
    values = item.values
    if rng.random() < 0.5 and alike[0].kind == item.kind:
        values = alike[0].values[: len(item.values)]
    if rng.random() < 0.5:
        return Row(evidence, tell(item, own.subject, values, rng), NEUTRAL, "lookalike")
    context = tell(told[0], own.subject, told[0].values, rng)
    claim = tell(item, "\ue002", values, rng, lead=True)
    name = rng.choice([pronoun, noun]) if claim.startswith("\ue002") else noun.lower()
    return Row(evidence, claim.replace("\ue002", name, 1), NEUTRAL, "lookalike", context)
