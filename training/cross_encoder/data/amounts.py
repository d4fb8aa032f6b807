"""Amounts and dates said in another way: other units, words, shares, spans, centuries, notations."""
# ruff: noqa: E501  (tables of sentences are easier to read one entry a line)

from __future__ import annotations

import random

from data.contrast import Texts
from data.profiles import company, person, title
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, Row
from data.vocabulary import MONTHS, NUMBERS, PLACES, TENS

Said = tuple[str, str, str, str]
"""What the evidence says, the claim that follows, one that conflicts, one on something else."""

_UNITS = (
    ("kilometres", "miles", 0.6214), ("miles", "kilometres", 1.609), ("metres", "feet", 3.281), ("feet", "metres", 0.3048),
    ("kilograms", "pounds", 2.205), ("pounds", "kilograms", 0.4536), ("hectares", "acres", 2.471), ("acres", "hectares", 0.4047),
    ("litres", "US gallons", 0.2642), ("kilometres", "metres", 1000.0), ("tonnes", "kilograms", 1000.0), ("hours", "minutes", 60.0),
    ("minutes", "seconds", 60.0), ("weeks", "days", 7.0), ("years", "months", 12.0), ("days", "hours", 24.0),
)  # fmt: skip
_MEASURED = {
    "kilometres": "The road from {p} to the coast is {x} long.", "miles": "The trail near {p} is {x} long.",
    "metres": "The tower in {p} is {x} high.", "feet": "The monument in {p} is {x} tall.",
    "kilograms": "The bell of {p} weighs {x}.", "pounds": "The statue in {p} weighs {x}.",
    "hectares": "The park in {p} covers {x}.", "acres": "The estate near {p} covers {x}.",
    "litres": "The tank in {p} holds {x}.", "tonnes": "The ship built in {p} carries {x}.",
    "hours": "The flight to {p} takes {x}.", "minutes": "The film about {p} runs for {x}.",
    "weeks": "The course in {p} lasts {x}.", "years": "The repair of the bridge in {p} took {x}.",
    "days": "The festival in {p} goes on for {x}.",
}  # fmt: skip


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 20 else f"{value:.1f}".rstrip("0").rstrip(".")


def word(n: int) -> str:
    """A number below 100 in words."""
    if n <= 20:
        return NUMBERS[n]
    tens = {20: "twenty", **TENS}
    return tens[n // 10 * 10] + (f"-{NUMBERS[n % 10]}" if n % 10 else "")


def _converted(rng: random.Random) -> Said:
    unit, other, factor = rng.choice(_UNITS)
    value = rng.choice([rng.randint(2, 20), rng.randint(20, 400)])
    form = _MEASURED[unit].replace("{p}", rng.choice(PLACES))
    about = (
        ""
        if factor in (1000.0, 60.0, 7.0, 12.0, 24.0)
        else rng.choice(["about ", "roughly ", "some "])
    )
    right, wrong = value * factor, value * factor * rng.choice([0.3, 0.5, 2, 3, 10])
    else_form = rng.choice([f for f in _MEASURED.values() if f[:9] != form[:9]])
    return (
        form.replace("{x}", f"{value} {unit}"), form.replace("{x}", f"{about}{_number(right)} {other}"),
        form.replace("{x}", f"{about}{_number(wrong)} {other}"),
        else_form.replace("{p}", rng.choice(PLACES)).replace("{x}", f"{value} {unit}"),
    )  # fmt: skip


_SHARES = (("50%", "half of", 50), ("25%", "a quarter of", 25), ("75%", "three quarters of", 75), ("20%", "one in five of", 20),
           ("33%", "about a third of", 33), ("66%", "about two thirds of", 66), ("10%", "one tenth of", 10),
           ("52%", "just over half of", 52), ("48%", "slightly less than half of", 48), ("83%", "a large majority of", 83),
           ("12%", "a small minority of", 12), ("100%", "all of", 100), ("0%", "none of", 0))  # fmt: skip


def _share(rng: random.Random) -> Said:
    percent, words, value = rng.choice(_SHARES)
    wrong = rng.choice([w for _, w, v in _SHARES if abs(v - value) > 20])
    who = rng.choice(
        [
            "the members",
            "the voters",
            "the patients",
            "the students",
            "the staff",
            "the respondents",
            "the households",
        ]
    )
    did = rng.choice(
        [
            "supported the plan",
            "had heard of the offer",
            "returned the form",
            "were satisfied",
            "used the service",
            "owned a car",
        ]
    )
    other = rng.choice(
        [
            d
            for d in ("lived in the city", "knew the mayor", "paid in cash", "spoke two languages")
            if d != did
        ]
    )
    return (
        rng.choice([f"{percent} of {who} {did}.", f"Of {who}, {percent} {did}.", f"The survey found that {percent} of {who} {did}."]),
        f"{words} {who} {did}.", f"{wrong} {who} {did}.", f"{rng.choice([words, percent + ' of'])} {who} {other}.",
    )  # fmt: skip


def _span(rng: random.Random) -> Said:
    start, length, who = rng.randint(1880, 2005), rng.randint(2, 18), person(rng)
    post = rng.choice(
        [
            "mayor of {p}",
            "head of the school",
            "director of the museum in {p}",
            "captain of the team",
        ]
    ).replace("{p}", rng.choice(PLACES))
    wrong = rng.choice([n for n in range(2, 20) if abs(n - length) > 1])
    decade = start // 10 * 10
    told = rng.choice(
        [
            f"{who} was {post} from {start} to {start + length}.",
            f"{who} became {post} in {start} and left the post in {start + length}.",
        ]
    )
    right = [f"{who} was {post} for {rng.choice([str(length), word(length)])} years.", f"{who} became {post} in the {decade}s.",
             f"{who} became {post} after {start - rng.randint(1, 9)}.", f"{who} was no longer {post} in {start + length + rng.randint(2, 9)}.",
             f"{who} was not yet {post} in {start - rng.randint(2, 9)}."]  # fmt: skip
    false = [f"{who} was {post} for {rng.choice([str(wrong), word(wrong)])} years.", f"{who} became {post} in the {decade + rng.choice([-20, -10, 20])}s.",
             f"{who} became {post} before {start - rng.randint(1, 9)}.", f"{who} was not yet {post} in {start + 1}.",
             f"{who} was no longer {post} in {start + max(1, length // 2)}."]  # fmt: skip
    at = rng.randrange(len(right))
    other = [f"{who} was born in {start - rng.randint(25, 60)}.", f"{who} died in {start + length + rng.randint(1, 20)}.",
             f"{who} was married for {length} years.", f"{who} moved to {rng.choice(PLACES)} in {start}."]  # fmt: skip
    return told, right[at], false[at], rng.choice(other)


def _change(rng: random.Random) -> Said:
    base = rng.randint(2, 45) * 10
    factor, rise, other = rng.choice([(2, "doubled", "tripled"), (3, "tripled", "doubled"), (0.5, "halved", "doubled"), (1, "stayed the same", "doubled"),
                                      (4, "quadrupled", "halved"), (1.1, "rose by 10%", "fell by 10%"), (0.9, "fell by 10%", "rose by 10%"), (1.5, "grew by half", "stayed the same")])  # fmt: skip
    firm, thing = (
        company(rng),
        rng.choice(
            [
                "The number of branches of {f}",
                "The staff of {f}",
                "The profit of {f}, in thousands of dollars,",
                "The price of a share of {f}, in cents,",
            ]
        ),
    )
    name = thing.replace("{f}", firm)
    plain = name.replace(", in thousands of dollars,", "").replace(", in cents,", "")
    first = rng.randint(1995, 2015)
    told = rng.choice(
        [
            f"{name} went from {base} in {first} to {base * factor:.0f} in {first + 3}.",
            f"{name} was {base} in {first} and {base * factor:.0f} in {first + 3}.",
        ]
    )
    when = rng.choice(
        [f"between {first} and {first + 3}", f"from {first} to {first + 3}", "within three years"]
    )
    return (
        told,
        f"{plain} {rise} {when}.",
        f"{plain} {other} {when}.",
        f"{plain} {rng.choice([rise, other])} between {first + 4} and {first + 9}.",
    )


def _dated(rng: random.Random) -> Said:
    day, month, year = rng.randint(1, 28), rng.randrange(12), rng.randint(1700, 2023)
    name = rng.choice([title(rng), company(rng)])
    verb, other = rng.sample(
        ["was founded", "was first shown", "was sold", "was registered", "was renamed"], 2
    )
    suffix = "th" if 10 <= day <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    century = (year - 1) // 100 + 1
    forms = [
        lambda d, m, y: f"on {MONTHS[m]} {d}, {y}", lambda d, m, y: f"on {d} {MONTHS[m]} {y}", lambda d, m, y: f"on {y}-{m + 1:02}-{d:02}",
        lambda _d, m, y: f"in {MONTHS[m]} {y}", lambda _d, _m, y: f"in {y}", lambda _d, _m, y: f"in the {y // 10 * 10}s",
    ]  # fmt: skip
    told = rng.choice(
        [forms[0], forms[1], forms[0], lambda d, m, y: f"on the {d}{suffix} of {MONTHS[m]} {y}"]
    )(day, month, year)
    if rng.random() < 0.15:
        th = {21: "21st"}.get(century, f"{century}th")
        bad = {20: "21st", 21: "20th"}.get(century, f"{century + 1}th")
        return (
            f"{name} {verb} {told}.",
            f"{name} {verb} in the {th} century.",
            f"{name} {verb} in the {bad} century.",
            f"{name} {other} in the {th} century.",
        )
    form = rng.choice(forms)
    moved = [(day % 28 + 1, month, year)] if form in forms[:3] else []
    moved += [(day, (month + rng.randint(1, 11)) % 12, year)] if form in forms[:4] else []
    moved.append((day, month, year + rng.choice([-20, -10, 10, 20, 100])))
    return (
        f"{name} {verb} {told}.", f"{name} {verb} {form(day, month, year)}.", f"{name} {verb} {form(*rng.choice(moved))}.",
        f"{name} {other} {form(day, month, year)}.",
    )  # fmt: skip


def _worded(rng: random.Random) -> Said:
    n = rng.randint(2, 99)
    place, things = (
        rng.choice(PLACES),
        rng.choice(
            ["bridges", "libraries", "schools", "hotels", "stations", "churches", "clinics"]
        ),
    )
    other = rng.choice([t for t in ("parks", "theatres", "bakeries", "cinemas") if t != things])
    wrong = rng.choice([m for m in range(2, 99) if m != n])
    digits = rng.random() < 0.5
    shown = [f"{n}", "a dozen"] if n == 12 else [f"{n}"]
    said = (word(n), word(wrong)) if digits else (rng.choice(shown), str(wrong))
    told = str(n) if digits else word(n)
    form = rng.choice(["{p} has {x} {t}.", "There are {x} {t} in {p}."])

    def fill(value: str, what: str, how: str) -> str:
        return how.replace("{p}", place).replace("{x}", value).replace("{t}", what)

    again = rng.choice(
        ["{p} has {x} {t}.", "There are {x} {t} in {p}.", "The number of {t} in {p} is {x}."]
    )
    return (
        fill(told, things, form),
        fill(said[0], things, again),
        fill(said[1], things, again),
        fill(said[0], other, again),
    )


_MAKERS = (_converted, _share, _span, _change, _dated, _dated, _worded)


def amount_row(texts: Texts, rng: random.Random) -> Row | None:
    """A claim on an amount or a date of the evidence, which now and then stands in a passage."""
    maker = rng.choice(_MAKERS)
    told, right, wrong, other = maker(rng)
    label = rng.choices((SUPPORT, CONTRADICTION, NEUTRAL), (40, 36, 24))[0]
    claim = {SUPPORT: right, CONTRADICTION: wrong, NEUTRAL: other}[label]
    around: list[str] = []
    if rng.random() < 0.7:
        second = rng.choice(_MAKERS)(rng)[0]
        around.append(second)
    if rng.random() < 0.6:
        found = rng.choice(texts.passages)
        around.append(" ".join(" ".join(found[: rng.choice([1, 2, 3])]).split()[:80]))
    pieces = [told, *around]
    rng.shuffle(pieces)
    pieces = [p[0].upper() + p[1:] for p in pieces]
    claim = claim[0].upper() + claim[1:]
    return Row(" | ".join(pieces), claim, label, f"amount{maker.__name__}")
