"""Questions and answers turned into statements, by rules; None where no rule fits well."""
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations

import random
import re

from data.edits import CLOSE, OPEN, rewrite, surround, unmark, window
from data.entities import Entity, Pools, entities, name_kind, other_value
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, Row
from data.text import sentences
from data.vocabulary import MONTHS

_IRREGULAR = dict(
    pair.split("/")
    for pair in (
        "become/became begin/began break/broke bring/brought build/built buy/bought catch/caught "
        "choose/chose come/came cut/cut deal/dealt die/died do/did draw/drew drive/drove eat/ate "
        "fall/fell feel/felt fight/fought find/found fly/flew forget/forgot get/got "
        "give/gave go/went "
        "grow/grew have/had hear/heard hit/hit hold/held keep/kept know/knew lead/led "
        "learn/learned "
        "leave/left lend/lent let/let lie/lay lose/lost make/made mean/meant meet/met "
        "pay/paid put/put "
        "read/read ride/rode rise/rose run/ran say/said see/saw seek/sought sell/sold "
        "send/sent set/set "
        "show/showed shut/shut sing/sang sit/sat sleep/slept speak/spoke spend/spent split/split "
        "spread/spread stand/stood steal/stole strike/struck swim/swam take/took "
        "teach/taught tell/told "
        "think/thought throw/threw understand/understood wear/wore win/won "
        "withdraw/withdrew write/wrote "
        "be/was cost/cost feed/fed hurt/hurt swear/swore tear/tore wake/woke bear/bore "
        "bid/bid bind/bound"
    ).split()
)
_COMMON_VERBS = set(_IRREGULAR) | set(
    "release start end join move live work play call name use create receive claim "
    "believe announce "
    "open close attend publish record perform found establish decide attack invade "
    "marry visit sign "
    "record produce introduce adopt declare want help add allow offer serve refer "
    "happen occur include "
    "consider support contain describe represent try suggest state contribute return "
    "arrive develop "
    "discover design direct host premiere launch finish complete graduate retire "
    "appear study travel "
    "defeat conquer replace rule govern cover reach earn gain collaborate debut purchase acquire "
    "form organize donate require need say apply change convert display employ enter "
    "estimate exist "
    "feature focus follow gather ask argue identify influence last look occupy order originate own "
    "pass place possess prefer prevent promise propose provide rank reject remain "
    "share stop switch "
    "turn vote charge collect share protect process store disclose".split()
)
_PARTICIPLE = re.compile(
    r"\b(\w+ed|built|born|held|made|written|known|given|found|taken|sold|shown|sent|won|led|lost|set|"
    r"put|cut|chosen|drawn|driven|broken|spoken|worn|grown|seen|thought|told|paid|kept|left|bought|"
    r"brought|caught|fought|begun|become|spent|split|located|hit|struck|stolen|thrown)\b"
)
_BE = r"(?:is|are|was|were)"


def past(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("e"):
        return verb + "d"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    if verb in ("stop", "plan", "drop", "permit", "occur", "refer", "prefer", "admit", "ban"):
        return verb + verb[-1] + "ed"
    return verb + "ed"


def present(verb: str) -> str:
    if verb in ("have", "do", "go"):
        return {"have": "has", "do": "does", "go": "goes"}[verb]
    if re.search(r"(?:s|x|z|ch|sh)$", verb):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


def _split_verb(rest: str, inflect: str) -> tuple[str, str, str] | None:
    """(subject, inflected verb, remainder) of "Beyoncé release Dangerously in Love"."""
    tokens = rest.split(" ")
    for i, token in enumerate(tokens[1:], start=1):
        if token in _COMMON_VERBS:
            verb = (
                past(token) if inflect == "did" else present(token) if inflect == "does" else token
            )
            if verb == "was" and tokens[i - 1].endswith("s"):
                verb = "were"
            return " ".join(tokens[:i]), verb, " ".join(tokens[i + 1 :])
    return None


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
    if m := re.match(rf"(?:who|whom) ({_BE}) (.+)$", q):
        be, rest = m.groups()
        part = _PARTICIPLE.search(rest)
        if part and not re.match(r"(?:the|a|an|one|his|her|its) ", rest) and rest.endswith("by"):
            subject = rest[: part.start()].strip()
            return _join(subject, be, rest[part.start() :], marked) if subject else None
        if re.match(r"(?:the|a|an|one|his|her|its|[A-Z].*'s) ?", rest):
            return _join(marked, be, rest)
        if part and rest.startswith(part.group()):
            return _join(marked, be, rest)
        return _join(marked, be, rest) if len(rest.split()) > 3 and not rest[0].isupper() else None
    if m := re.match(r"(?:who|whom) (did|does|do) (.+)$", q):
        split = _split_verb(m[2], m[1])
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
        split = _split_verb(m[2], m[1])
        return _join(split[0], split[1], split[2], phrase) if split else None
    if m := re.match(rf"({_BE}) (.+)$", rest):
        parts = list(_PARTICIPLE.finditer(m[2]))
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
        split = _split_verb(n[3], n[2])
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
        split = _split_verb(m[3], m[2])
        return _join(split[0], split[1], marked, split[2]) if split and not split[2] else None
    if m := re.match(
        rf"(?:which|what) ((?:[\w'-]+ ){{1,3}}?)({_BE}|has|have|had|won|became|wrote|used|made|led|"
        r"began|took|gave|can|could|will|would|\w+ed) (.+)$",
        q,
    ):
        if m[1].split()[-1] in ("of", "the", "a", "in", "to", "for"):
            return None
        body = m[3]
        if re.search(r" (?:in|on|at|to|for|from|with|by|of|as)$", body):
            return None
        if re.match(rf"{_BE}$", m[2]) and body[0].isupper():
            return None
        return _join(marked, m[2], body)
    return None


def _what(q: str, _a: str, marked: str) -> str | None:
    if m := re.match(rf"(?:what|which) ({_BE}) (.+)$", q):
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
            part = _PARTICIPLE.search(rest)
            if part and part.end() == len(rest):
                return None
            return _join(rest, be, marked)
        return None
    if m := re.match(r"what (did|does|do) (.+)$", q):
        split = _split_verb(m[2], m[1])
        return _join(split[0], split[1], marked, split[2]) if split else None
    if m := re.match(r"what ([a-z]+(?:ed|s|d)) (.+)$", q):
        return _join(marked, m[1], m[2]) if m[1] not in ("is", "was", "does", "years") else None
    return None


def answer_entity(answer: str) -> Entity:
    """The answer as an entity, so that another of its kind can be found."""
    whole = [e for e in entities(f"xx {answer} xx") if len(e.text) >= 0.6 * len(answer)]
    if whole:
        e = whole[0]
        return (
            Entity(answer, 0, len(answer), e.kind)
            if e.text != answer and e.kind not in ("year", "number", "date")
            else Entity(e.text, 0, len(e.text), e.kind)
        )
    kind = name_kind(answer) if answer[:1].isupper() else "phrase"
    return Entity(answer, 0, len(answer), kind)


def qa_row(
    record: dict,
    answers: dict[str, list[str]],
    others: list[dict],
    pools: Pools,
    distractors: list[str],
    rng: random.Random,
) -> Row | None:
    """One row from a question with its answer: supported, contradicted or not addressed."""
    context, question = record["context"], record["question"]
    answer = record["answers"][0]["text"].strip().rstrip(".,;")
    raw = rng.random() < 0.12
    marked = (
        f"{question.rstrip('? ')}? {OPEN}{answer}{CLOSE}" if raw else statement(question, answer)
    )
    if marked is None or len(answer) < 2:
        return None
    choice = rng.random()
    evidence, at = answer_window(record, answer, rng)
    if evidence is None:
        return None
    if choice < 0.2:
        return _unanswered(record, marked, answer, others, rng)
    if choice < 0.58:
        new = _replacement(answer, context, answers, pools, rng)
        if new is None:
            return None
        claim = marked.replace(f"{OPEN}{answer}{CLOSE}", f"{OPEN}{new}{CLOSE}")
        if f"{OPEN}{answer}{CLOSE}" not in marked:
            return None
        unmarked = unmark(rewrite(claim, rng, 0.2))
        if unmarked is None:
            return None
        joined, shift = surround(evidence, distractors, rng)
        conflict = [(at + shift, at + shift + len(answer))]
        return Row(joined, unmarked[0], CONTRADICTION, "qa_swapped", "", unmarked[1], conflict)
    unmarked = unmark(marked)
    if unmarked is None:
        return None
    claim = rewrite(unmarked[0], rng, rng.choice([0.0, 0.3]))
    joined, _ = surround(evidence, distractors, rng)
    return Row(joined, claim, SUPPORT, "qa_kept", "", [], [])


def answer_window(record: dict, answer: str, rng: random.Random) -> tuple[str | None, int]:
    """Sentences around the answer and where the answer is in them."""
    context, start = record["context"], record["answers"][0]["start"]
    found = sentences(context)
    position = 0
    for i, sentence in enumerate(found):
        where = context.find(sentence, position)
        if where < 0:
            return None, 0
        if where <= start < where + len(sentence):
            low, high = window(found, i, rng.choice([50, 80, 110]), rng)
            text = " ".join(found[low:high])
            before = sum(len(s) + 1 for s in found[low:i])
            at = before + start - where
            return (text, at) if text[at : at + len(answer)] == answer else (None, 0)
        position = where + len(sentence)
    return None, 0


def _replacement(
    answer: str, context: str, answers: dict[str, list[str]], pools: Pools, rng: random.Random
) -> str | None:
    entity = answer_entity(answer)
    if entity.kind == "phrase" or (rng.random() < 0.35 and answers.get(context)):
        pool = [
            x
            for x in answers[context]
            if answer_entity(x).kind == entity.kind
            and abs(len(x.split()) - len(answer.split())) <= 3
            and x.lower() not in answer.lower()
            and answer.lower() not in x.lower()
        ]
        if pool:
            return rng.choice(pool)
        if entity.kind == "phrase":
            return None
    if entity.text != answer:
        new = other_value(entity, context, pools, rng)
        return answer.replace(entity.text, new) if new else None
    return other_value(entity, context, pools, rng)


def _unanswered(
    record: dict, marked: str, answer: str, others: list[dict], rng: random.Random
) -> Row | None:
    """The claim with a passage (of the same article where it can be) that lacks the answer."""
    for _ in range(6):
        other = rng.choice(others)
        found = sentences(other["context"])
        if (
            not found
            or other["context"] == record["context"]
            or answer.lower() in other["context"].lower()
        ):
            continue
        low, high = window(found, rng.randrange(len(found)), rng.choice([50, 80, 110]), rng)
        unmarked = unmark(marked)
        return (
            Row(" ".join(found[low:high]), unmarked[0], NEUTRAL, "qa_other") if unmarked else None
        )
    return None
