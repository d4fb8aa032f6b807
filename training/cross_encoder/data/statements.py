"""Questions and answers turned into statements, by rules; None where no rule fits well."""

from __future__ import annotations

import re

from data.grammar import BE, PARTICIPLE, split_verb
from data.marks import CLOSE, OPEN
from data.vocabulary import MONTHS


def _join(*parts: str) -> str:
    text = " ".join(p for p in parts if p).strip()
    return text[0].upper() + text[1:] + "."


def _preposition(answer: str, kind: str) -> str:
    """The answer with the preposition that a time or a place needs."""
    first = answer.split(" ")[0].lower()
    if first in (
        "in",
        "on",
        "at",
        "during",
        "from",
        "since",
        "between",
        "by",
        "near",
        "after",
        "before",
        "around",
        "until",
        "within",
        "inside",
        "over",
        "along",
        "under",
        "outside",
        "through",
        "to",
    ):
        return answer[0].lower() + answer[1:]
    if kind == "time":
        if re.match(r"^(?:[A-Z]\w+ \d{1,2}(?:,|\b(?! ?\d{4}))|\d{1,2} [A-Z])", answer) and any(
            m in answer for m in MONTHS
        ):
            return f"on {answer}"
        if (
            re.match(r"^(?:the |early |late |mid)?.*\d{3,4}s?(?: ?(?:BC|AD|CE|BCE))?$", answer)
            or answer in MONTHS
        ):
            return f"in {answer}"
        return ""
    return f"in {answer}"


def statement(question: str, answer: str) -> str | None:
    """A declarative sentence with `answer` put in marks, or None."""
    q = re.sub(r"\s+", " ", question).strip().rstrip("?. ").strip()
    a = answer.strip().rstrip(".,;")
    if not q or not a or len(a.split()) > 14 or len(q.split()) > 26:
        return None
    low = q[0].lower() + q[1:]
    marked = f"{OPEN}{a}{CLOSE}"
    for rule in (_who, _when, _where, _how_many, _which, _what):
        made = rule(low, a, marked)
        if made is not None:
            return made
    return None


def _who(q: str, _a: str, marked: str) -> str | None:
    if m := re.match(rf"(?:who|whom) ({BE}) (.+)$", q):
        be, rest = m.groups()
        part = PARTICIPLE.search(rest)
        if part and not re.match(r"(?:the|a|an|one|his|her|its) ", rest) and rest.endswith("by"):
            subject = rest[: part.start()].strip()
            return _join(subject, be, rest[part.start() :], marked) if subject else None
        if re.match(r"(?:the|a|an|one|his|her|its|[A-Z].*'s) ?", rest):
            return _join(marked, be, rest)
        if part and rest.startswith(part.group()):
            return _join(marked, be, rest)
        return _join(marked, be, rest) if len(rest.split()) > 3 and not rest[0].isupper() else None
    if m := re.match(r"(?:who|whom) (did|does|do) (.+)$", q):
        split = split_verb(m[2], m[1])
        return _join(split[0], split[1], marked, split[2]) if split else None
    if m := re.match(r"who ((?:has|have|had|will|can|could|would) )?([a-z]\w+ .+)$", q):
        return _join(marked, (m[1] or "").strip(), m[2])
    return None


def _when(q: str, a: str, marked: str) -> str | None:
    q = re.sub(
        r"^(?:in |on |during )?(?:what|which) (?:year|date|day|month|decade|century)s? ", "when ", q
    )
    if not q.startswith("when "):
        return None
    placed = _preposition(a, "time")
    if not placed:
        return None
    time = placed.replace(a, marked) if a in placed else f"{OPEN}{placed}{CLOSE}"
    return _adverbial(q.removeprefix("when "), time)


def _where(q: str, a: str, marked: str) -> str | None:
    q = re.sub(
        r"^(?:in |at )(?:what|which) (?:city|country|state|place|town|location|region|area) ",
        "where ",
        q,
    )
    if not q.startswith("where ") or q.endswith((" from", " to", " at")):
        return None
    placed = _preposition(a, "place")
    place = placed.replace(a, marked) if a in placed else f"{OPEN}{placed}{CLOSE}"
    return _adverbial(q.removeprefix("where "), place)


def _adverbial(rest: str, phrase: str) -> str | None:
    """ "did X die" + "in 1950"; "was X built" + "in Rome"; "is X" + "in Rome"."""
    if m := re.match(r"(did|does|do) (.+)$", rest):
        split = split_verb(m[2], m[1])
        return _join(split[0], split[1], split[2], phrase) if split else None
    if m := re.match(rf"({BE}) (.+)$", rest):
        parts = list(PARTICIPLE.finditer(m[2]))
        part = parts[-1] if parts else None
        if part and part.start() > 0:
            return _join(m[2][: part.start()].strip(), m[1], m[2][part.start() :], phrase)
        return _join(m[2], m[1], phrase) if len(m[2].split()) <= 8 else None
    return None


def _how_many(q: str, a: str, marked: str) -> str | None:
    m = re.match(r"(?:about |approximately )?how (?:many|much) (.+)$", q)
    if not m or not re.search(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|most|"
        r"hundreds?|thousands?|millions?)\b",
        a.lower(),
    ):
        return None
    rest = m[1]
    if n := re.match(r"((?:\S+ ){1,5}?)(?:are|were) (?:there )?(.+)$", rest):
        there = f"are there {n[2]}" in rest or f"were there {n[2]}" in rest
        noun = n[1].strip()
        counted = marked if noun.split()[-1] in a else f"{marked} {noun}"
        be = "were" if re.search(r"\bwere\b", rest) else "are"
        return _join("there", be, counted, n[2]) if there else _join(counted, be, n[2])
    if n := re.match(r"((?:\S+ ){1,5}?)(did|does|do) (.+)$", rest):
        split = split_verb(n[3], n[2])
        noun = n[1].strip()
        counted = marked if noun.split()[-1] in a else f"{marked} {noun}"
        return _join(split[0], split[1], counted, split[2]) if split else None
    if n := re.match(r"(\w+) ([a-z]+(?:ed|s)?) (.+)$", rest):
        counted = marked if n[1] in a else f"{marked} {n[1]}"
        return (
            _join(counted, n[2], n[3])
            if n[2]
            in (
                "live",
                "lived",
                "attended",
                "voted",
                "work",
                "died",
                "have",
                "had",
                "took",
                "use",
                "speak",
                "play",
            )
            else None
        )
    return None


def _which(q: str, _a: str, marked: str) -> str | None:
    """ "Which/what N VERBed ...": the answer takes the place of the noun."""
    if m := re.match(r"(?:which|what) ((?:[\w'-]+ ){1,4}?)(did|does|do) (.+)$", q):
        split = split_verb(m[3], m[2])
        return _join(split[0], split[1], marked, split[2]) if split and not split[2] else None
    if m := re.match(
        rf"(?:which|what) ((?:[\w'-]+ ){{1,3}}?)({BE}|has|have|had|won|became|wrote|used|made|led|"
        r"began|took|gave|can|could|will|would|\w+ed) (.+)$",
        q,
    ):
        if m[1].split()[-1] in ("of", "the", "a", "in", "to", "for"):
            return None
        body = m[3]
        if re.search(r" (?:in|on|at|to|for|from|with|by|of|as)$", body):
            return None
        if re.match(rf"{BE}$", m[2]) and body[0].isupper():
            return None
        return _join(marked, m[2], body)
    return None


def _what(q: str, _a: str, marked: str) -> str | None:
    if m := re.match(rf"(?:what|which) ({BE}) (.+)$", q):
        be, rest = m.groups()
        if rest.endswith(("called", "named", "known as", "nicknamed", "titled")):
            part = re.search(r"\b(?:called|named|known as|nicknamed|titled)$", rest)
            return (
                _join(rest[: part.start()].strip(), be, part.group(), marked)
                if part and part.start()
                else None
            )
        if re.match(r"(?:the|a|an|one|another|his|her|its|[A-Z])", rest) and not re.search(
            r" (?:to|for|from|with|by|in|on|at|as|doing|like|of)$", rest
        ):
            part = PARTICIPLE.search(rest)
            if part and part.end() == len(rest):
                return None
            return _join(rest, be, marked)
        return None
    if m := re.match(r"what (did|does|do) (.+)$", q):
        split = split_verb(m[2], m[1])
        return _join(split[0], split[1], marked, split[2]) if split else None
    if m := re.match(r"what ([a-z]+(?:ed|s|d)) (.+)$", q):
        return _join(marked, m[1], m[2]) if m[1] not in ("is", "was", "does", "years") else None
    return None
