"""Where the verb of a simple statement is, and the statement with and without "not"."""
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from data.grammar import COMMON_VERBS, past
from data.marks import CLOSE, OPEN

_REGULAR = (
    "abandon absorb accompany accuse acknowledge advance agree aid aim allow alter amend appoint "
    "approve arrest assist attract award ban bomb calculate campaign cancel capture carry cause "
    "celebrate challenge charge check claim clear climb collapse collect comment commission "
    "commit compare compete compose condemn conduct confirm connect control cross crash criticize "
    "damage date debate declare decline decrease dedicate defend delay deliver demand demonstrate "
    "deny deploy destroy detain determine divide dominate donate double earn edit elect eliminate "
    "employ enable encourage end endorse enforce engage enjoy escape estimate evacuate evolve "
    "examine exceed exchange execute expand experience explain explore export express extend fail "
    "fear finance fire force found gain grant guarantee guide handle head honor hope host ignore "
    "imply import impose improve increase inform inherit injure insist inspire install invent "
    "invest investigate invite issue judge kick kidnap kill land last launch link list load lower "
    "maintain manage manufacture mark match measure mention merge migrate murder negotiate "
    "nominate note obtain occupy oppose order oversee perform persuade pioneer place plant please "
    "praise predict press pressure print promote protest prove publish pull punish push qualify "
    "question raise rank realize rebuild recall recognize recommend recover recruit reduce regain "
    "regard register regulate relate relocate rely remove rename renew renovate repair repeat "
    "report represent rescue resemble resign resist resolve respond restore result resume retain "
    "return reveal review revive rob rule save score secure separate settle shape shift shoot sign "
    "soar solve spark specialize sponsor star stay strengthen struggle submit succeed suffer "
    "supply support surrender survive suspend switch target tend test threaten tour train transfer "
    "transform transport treat trigger uncover unite unveil urge value view violate visit vow wait "
    "walk warn weaken welcome widen witness yield"
).split()
PAST = {past(v): v for v in [*_REGULAR, *sorted(COMMON_VERBS)] if v not in ("be", "have", "do")}
for _same in ("cut", "put", "set", "hit", "let", "read", "cost", "hurt", "split", "shut", "spread"):
    PAST.pop(_same, None)
PAST.pop("lay", None)
PAST.pop("found", None)
PRESENT = {
    "contains": "contain", "includes": "include", "consists": "consist", "becomes": "become",
    "provides": "provide", "allows": "allow", "requires": "require", "occurs": "occur",
    "belongs": "belong", "covers": "cover", "serves": "serve", "remains": "remain",
    "produces": "produce", "receives": "receive", "collects": "collect", "tells": "tell",
    "stars": "star", "takes": "take", "gives": "give", "makes": "make", "comes": "come",
    "begins": "begin", "follows": "follow", "describes": "describe", "offers": "offer",
    "has": "have", "lives": "live", "owns": "own", "supports": "support", "lies": "lie",
    "prevents": "prevent", "causes": "cause", "reduces": "reduce", "increases": "increase",
    "plays": "play", "holds": "hold", "depends": "depend", "improves": "improve",
    "affects": "affect", "publishes": "publish", "exists": "exist", "runs": "run",
}  # fmt: skip
AUXILIARIES = set(
    "is are was were has have had will would can could may might must should does do did".split()
)
_PLURAL = re.compile(r"\b(?:they|we|you|i|\w+[^s\W]s)$", re.IGNORECASE)
_STOPS = re.compile(r"[,;:()\"“”]|\b(?:who|which|that|where|when|whose|whom|if|whether)\b")
_ADJECTIVE_SPOT = re.compile(
    r"(?:\b(?:other|newly|recently|a|an|the|of|in|most|so|many|few|his|her|its|their|\w+ly|by|with|"
    r"for|to|from|on|at|and|or)|-) $",
    re.IGNORECASE,
)
_FRONTED = re.compile(r"(?:In|On|At|From|By|With|During|For|Of|Among|After|Since|To|Under|As)\b")
_SHARED = re.compile(
    r"\b(?:and|but|or) (?:\w+ly )?(?:is|are|was|were|has|have|had|does|did|will)\b"
)
_AFTER_PARTICIPLE = set("by in at to as with on for from of and under during".split())
_NEGATIVE = re.compile(
    r"\b(?:not|never|no|nor|none|neither|without|cannot|nothing|nobody|hardly|unable|failed|"
    r"only|unless|except)\b|n't\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Verb:
    """The verb at text[start:end]; `base` is "" for an auxiliary."""

    start: int
    end: int
    text: str
    base: str


def main_verb(text: str) -> Verb | None:
    """The finite verb of a statement whose subject comes first and has no clause of its own."""
    for match in re.finditer(r"[A-Za-z]+", text):
        if match.start() == 0:
            continue
        before = text[: match.start()]
        if _STOPS.search(before):
            return None
        word = match.group()
        if text[match.start() - 1] == "-" or text[match.end() : match.end() + 1] == "-":
            continue
        if word in AUXILIARIES:
            return Verb(match.start(), match.end(), word, _own_base(word, text[match.end() :]))
        if word in PAST:
            after = re.match(r" ([a-z]+)", text[match.end() :])
            if _ADJECTIVE_SPOT.search(before):
                continue
            doubtful = word.endswith("ed") and after and after.group(1) in _AFTER_PARTICIPLE
            if doubtful and _later_verb(text[match.end() :]):
                return None
            return Verb(match.start(), match.end(), word, PAST[word])
        if word in PRESENT:
            return Verb(match.start(), match.end(), word, PRESENT[word])
    return None


def _own_base(word: str, rest: str) -> str:
    """ "have" or "do" where the auxiliary is the verb itself, else ""."""
    if word not in ("has", "have", "had", "does", "do", "did"):
        return ""
    after = re.match(r" ([a-z]+)", rest)
    if after and (after.group(1) in ("been", "not", "also") or _participle(after.group(1))):
        return ""
    return "do" if word.startswith("d") else "have"


def _participle(word: str) -> bool:
    return word.endswith("ed") or word in (
        "become won made taken given known seen gone held built written led lost found sold shown "
        "sent kept left grown fallen risen begun spread been had done come run"
    ).split()  # fmt: skip


def _later_verb(rest: str) -> bool:
    clause = re.split(r"[,;]| and | but | that | which | who | when | where | while ", rest)[0]
    return any(w in AUXILIARIES or w in PAST or w in PRESENT for w in clause.split())


def is_negative(text: str) -> bool:
    """Whether a word of the text takes something back ("not", "without", "only", ...)."""
    return bool(_NEGATIVE.search(text))


def negated(text: str, rng: random.Random) -> tuple[str, tuple[int, int]] | None:
    """The statement denied, its new words in marks, and the range of the old verb."""
    verb = main_verb(text)
    if verb is None or is_negative(text) or _FRONTED.match(text) or _SHARED.search(text):
        return None
    if verb.text in PAST and re.search(r" (?:and|but) (?:[a-z]+ed|\w+ly)\b", text[verb.end :]):
        return None
    if re.search(r"\b(?:some|several|also|still|already|both|too)\b", text, re.IGNORECASE):
        return None
    subject = text[: verb.start].strip()
    if verb.base == "":
        options = [f"{verb.text} not"] * 4 + [f"{verb.text} never"]
        if verb.text in ("is", "are", "was", "were", "has", "had", "does", "did", "could", "would"):
            options += [f"{verb.text}n't"] * 2
        if verb.text in ("is", "are"):
            options.append(f"{verb.text} no longer")
        new = rng.choice(options)
    elif verb.text in PRESENT or verb.text in ("has", "have", "do", "does"):
        helper = "do" if verb.text in ("have", "do") or _PLURAL.search(subject) else "does"
        new = rng.choice([f"{helper} not {verb.base}"] * 2 + [f"{helper}n't {verb.base}"])
    else:
        plain = [f"did not {verb.base}"] * 4 + [f"didn't {verb.base}", f"never {verb.text}"]
        if verb.base in _TRYING and re.match(r"[A-Z]|He|She", subject):
            plain.append(f"failed to {verb.base}")
        new = rng.choice(plain)
    return f"{text[: verb.start]}{OPEN}{new}{CLOSE}{text[verb.end :]}", (verb.start, verb.end)


_TRYING = set(
    "win reach find gain earn recover complete qualify capture secure defeat pass".split()
)
_UNDO = (
    (re.compile(r"\b(is|are|was|were|has|have|had|will|would|can|could|may|might|should) not\b"),
     r"\1"),
    (re.compile(r"\bcannot\b"), "can"),
    (re.compile(r"\b(is|are|was|were|has|have|had|would|could|should)n't\b"), r"\1"),
    (re.compile(r"\bnever (?=[a-z]+ed\b)"), ""),
    (re.compile(r"\b(is|are|was|were) unable to\b"), r"\1 able to"),
    (re.compile(r"\bwithout (?=(?:a|an|the|any) )"), "with "),
    (re.compile(r"\bno longer "), "still "),
)  # fmt: skip
_DID_NOT = re.compile(r"\b(?:did not|didn't|failed to) ([a-z]+)\b")


def affirmed(text: str) -> tuple[str, tuple[int, int]] | None:
    """The statement without its "not", in marks, and the range of what was there."""
    if len(_NEGATIVE.findall(text)) != 1 or re.search(
        r"\b(?:until|any|yet|but|either|[Ii]f)\b", text
    ):
        return None
    match = _DID_NOT.search(text)
    if match and (match.group(1) in PAST.values()):
        new = past(match.group(1))
        return f"{text[: match.start()]}{OPEN}{new}{CLOSE}{text[match.end() :]}", match.span()
    for pattern, form in _UNDO:
        match = pattern.search(text)
        if match:
            new = match.expand(form)
            if not new.strip():
                following = re.match(r"\w+", text[match.end() :])
                end = match.end() + (following.end() if following else 0)
                if end == match.end():
                    return None
                word = text[match.end() : end]
                return f"{text[: match.start()]}{OPEN}{word}{CLOSE}{text[end:]}", (
                    match.start(), end,
                )  # fmt: skip
            bare = new.rstrip()
            tail = new[len(bare) :]
            return (
                f"{text[: match.start()]}{OPEN}{bare}{CLOSE}{tail}{text[match.end() :]}",
                match.span(),
            )
    return None
