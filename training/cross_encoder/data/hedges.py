"""Sentences of passages planned, tried, managed, failed, alleged, denied; and claims on them."""
# ruff: noqa: E501  (tables of sentences are easier to read one entry a line)

from __future__ import annotations

import random
import re
from collections.abc import Callable

from data.contrast import Texts, evidence_with, told_by
from data.profiles import person
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, UNSUPPORTED, Row
from data.shorter import NAME, PRONOUN, fluent, sound, statements_of
from data.verbs import PAST, is_negative, main_verb

S, C, N, U = SUPPORT, CONTRADICTION, NEUTRAL, UNSUPPORTED
_DONE = ("managed to", "was able to", "went on to", "was forced to")
_NOT_DONE = (
    "failed to",
    "refused to",
    "declined to",
    "was unable to",
    "decided not to",
    "forgot to",
)
_OPEN = ("planned to", "hoped to", "wanted to", "was expected to", "tried to", "intended to",
         "was asked to", "promised to", "was preparing to", "was said to", "offered to",
         "threatened to", "agreed to")  # fmt: skip
_KIN = {
    "planned to": ("intended to", "had plans to"), "intended to": ("planned to", "meant to"),
    "hoped to": ("had the hope to", "wanted to"), "wanted to": ("wished to", "had a wish to"),
    "was expected to": ("was supposed to",), "tried to": ("attempted to", "made an attempt to"),
    "was asked to": ("received a request to", "was requested to"), "promised to": ("pledged to",),
    "was preparing to": ("was getting ready to",), "offered to": ("made an offer to",),
    "threatened to": ("made a threat to",), "agreed to": ("consented to",),
    "was said to": ("was reported to",), "managed to": ("was able to", "succeeded and did"),
    "was able to": ("managed to",), "went on to": ("then did",), "was forced to": ("had to",),
    "failed to": ("did not", "didn't"), "refused to": ("would not", "was unwilling to"),
    "declined to": ("refused to", "was not willing to"), "was unable to": ("could not", "was not able to"),
    "decided not to": ("chose not to",), "forgot to": ("did not remember to",),
}  # fmt: skip
_SPEECH: tuple[tuple[str, tuple[str, ...], int], ...] = (
    ("alleged that", ("claimed that", "made the allegation that"), N),
    ("denied that", ("rejected the claim that", "disputed that"), U),
    ("suspected that", ("had the suspicion that",), N), ("doubted that", ("was not convinced that",), N),
    ("speculated that", ("suggested that perhaps",), N), ("hoped that", ("expressed the hope that",), N),
    ("confirmed that", ("acknowledged that",), S), ("revealed that", ("made public that",), S),
    ("proved that", ("showed that", "demonstrated that"), S), ("discovered that", ("found out that",), S),
    ("feared that", ("was afraid that",), N), ("predicted that", ("forecast that",), N),
    ("falsely claimed that", ("wrongly said that",), C), ("found no proof that", ("saw no evidence that",), N),
)  # fmt: skip
_OTHER_SPEECH = ("confirmed that", "denied that", "admitted that", "warned that", "proved that")


def _statement(texts: Texts, rng: random.Random) -> tuple[int, int, str] | None:
    """(passage, sentence, a short true statement in the past tense about somebody)."""
    at = rng.randrange(len(texts.passages))
    found = texts.passages[at]
    spot = rng.randrange(len(found))
    if not 6 <= len(found[spot].split()) <= 40:
        return None
    options = [*statements_of(found[spot], rng), found[spot]]
    claim = rng.choice(options)
    if len(claim.split()) > 22 or not sound(claim) or not fluent(claim) or is_negative(claim):
        return None
    if PRONOUN.match(claim) or re.search(r"[\"“”:;()]", claim):
        return None
    return at, spot, claim


Made = tuple[str, str, int, str]
"""(evidence sentence, claim, label, kind)."""
Form = Callable[[str], str]


def hedge_row(texts: Texts, rng: random.Random) -> Row | None:
    """The statement's sentence is rewritten in the evidence; the claim asserts more, less, or it."""
    drawn = _statement(texts, rng)
    if drawn is None:
        return None
    at, spot, claim = drawn
    made = _deed(claim, rng) if rng.random() < 0.93 else _saying(claim, rng)
    if made is None:
        return None
    told, said, label, kind = made
    found = [s for i, s in enumerate(texts.passages[at]) if i == spot or not told_by(claim, s)]
    passages = Texts([[told if s == texts.passages[at][spot] else s for s in found]], texts.pools)
    if told not in passages.passages[0]:
        return None
    evidence = evidence_with(passages, 0, passages.passages[0].index(told), rng)
    return Row(evidence, said, label, f"hedge_{kind}")


def _deed(claim: str, rng: random.Random) -> Made | None:
    verb = main_verb(claim)
    if verb is None or verb.text not in PAST or not re.match(r"[A-Z]", claim):
        return None
    subject, rest = claim[: verb.start], claim[verb.end :]
    if re.search(r" and [a-z]+ed\b", rest) or subject.split()[-1].endswith("ly"):
        return None
    if not re.match(r"(?:[A-Z][\w'’-]+ ){1,4}$|The [a-z]+ $", subject):
        return None  # a person, a body or a thing that can plan
    plural = re.search(r" and |[a-z]s $", subject) is not None

    def form(how: str) -> str:
        if plural:
            how = re.sub(r"^was\b", "were", how)
        if how in ("then did", "succeeded and did"):
            return f"{subject}{'then ' if how == 'then did' else ''}{verb.text}{rest}"
        return f"{subject}{how} {verb.base}{rest}"

    sort = rng.choices(("open", "done", "not"), (50, 20, 30))[0]
    how = rng.choice({"open": _OPEN, "done": _DONE, "not": _NOT_DONE}[sort])
    choice = rng.random()
    if choice < 0.36:
        return form(how), form(rng.choice(_KIN[how])), SUPPORT, f"{sort}_same"
    make = {"open": _opened, "done": _managed, "not": _failed}[sort]
    return make(claim, how, form, choice, rng)


def _opened(claim: str, how: str, form: Form, choice: float, rng: random.Random) -> Made | None:
    """Planned or tried: whether it was done is not told."""
    if choice < 0.78:
        rest = rng.choice([*_DONE[:2], "failed to", "did not"])
        return form(how), claim if rng.random() < 0.7 else form(rest), NEUTRAL, "open_asserted"
    against = _AGAINST.get(how)
    return (form(how), form(against), CONTRADICTION, "open_denied") if against else None


def _managed(claim: str, how: str, form: Form, choice: float, rng: random.Random) -> Made | None:
    if choice < 0.62:
        return form(how), claim, SUPPORT, "done_asserted"
    against = rng.choice(("failed to", "did not", "was unable to"))
    return form(how), form(against), CONTRADICTION, "done_denied"


def _failed(claim: str, how: str, form: Form, choice: float, rng: random.Random) -> Made | None:
    if choice < 0.75:
        said = claim if rng.random() < 0.7 else form(rng.choice(_DONE[:2]))
        return form(how), said, CONTRADICTION, "not_asserted"
    if choice < 0.87:
        return form(how), form("did not"), SUPPORT, "not_denied"
    return claim, form(how), CONTRADICTION, "not_for_done"


_AGAINST = {
    "planned to": "had no plans to", "intended to": "did not intend to",
    "wanted to": "did not want to", "hoped to": "had no wish to", "tried to": "never tried to",
    "was asked to": "was never asked to", "promised to": "did not promise to",
    "offered to": "did not offer to", "agreed to": "refused to",
    "was expected to": "was not expected to", "threatened to": "did not threaten to",
}  # fmt: skip


_OPENERS = ("The", "A", "An", "Many", "Some", "Most")


def _saying(claim: str, rng: random.Random) -> Made | None:
    first = claim.split(" ")[0]
    if first not in _OPENERS:
        verb = main_verb(claim)
        if verb is None or not re.fullmatch(rf"{NAME} ", claim[: verb.start]):
            return None
    body = claim[0].lower() + claim[1:] if first in _OPENERS else claim
    who, other = person(rng), person(rng)
    if set(who.split()) & set(other.split()):
        return None
    how, kin, label = rng.choice(_SPEECH)
    told = f"{who} {how} {body}"
    choice = rng.random()
    if choice < 0.4:
        return told, claim, label, "said_asserted"
    if choice < 0.72:
        return told, f"{who} {rng.choice(kin)} {body}", SUPPORT, "said_same"
    if choice < 0.86:
        return told, f"{other} {how} {body}", UNSUPPORTED, "said_other"
    against = rng.choice([f for f in _OTHER_SPEECH if f != how])
    clash = {how, against} in ({"confirmed that", "denied that"}, {"denied that", "admitted that"})
    if how in ("confirmed that", "revealed that", "proved that", "discovered that") and not clash:
        return None
    return told, f"{who} {against} {body}", CONTRADICTION if clash else UNSUPPORTED, "said_how"
