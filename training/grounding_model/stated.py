# ruff: noqa: SIM905 - lists of words.
"""Questions with their answers as claims, true and with another answer, as packs.

    python training/grounding_model/stated.py --packs RUN/ledger.jsonl.gz \
        --packs RUN/written.jsonl.gz --without policyqa --most 3000 --out RUN/stated.jsonl.gz

"When was it built?" over a paragraph in which 1932 answers gives "It was built in 1932.",
supported, and, with another year of the paragraph, one that is not. All words of the false claim
stand in the evidence, and most of the question's words come from another hand than the evidence's:
what decides is what belongs to what. Where a number, a weekday or a month is exchanged the claim is
contradicted; another name or phrase may be true of another thing, too, so such a claim is only not
supported; nor is one that is said of another thing that the evidence names.

A question answered by yes or no gives what it states and its denial, by the product's own rule
(so this runs in the product's environment, with lemminflect).

Of sixty claims drawn at random fifty read well; ten are clumsy ("The quake was 10 km."). Questions
on privacy policies (policyqa) give the worst ones, hence `--without`.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from pathlib import Path

from packs import (
    CONTRADICTION,
    NO,
    SPAN,
    SUPPORT,
    UNSUPPORTED,
    YES,
    Pack,
    Query,
    read_packs,
    write_packs,
)
from statements import statement_of, without_do
from swapped import twin_of

from toulmin.answering.compose import yes_no

KIND = "stated"
MOST_CLAIMS = 10
"""Claims of one pack."""
SHARE_OF_ANOTHER = 0.5
"""Of the true claims with a name that is not the answer: how many are said of another, too."""
_NAME = re.compile(r"(?:[A-Z][\w'.-]+)(?: (?:of |the |de |von )?[A-Z][\w'.-]+)+")
_INNER_NAME = re.compile(
    r"(?<=[a-z,;] )(?!I\b|I')[A-Z][\w'-]+(?: (?:of |the |de |von )?[A-Z][\w'-]+)*(?<!'s)"
)
"""A name inside a sentence."""
_OPENERS = set(
    "The In On At For From By To With As After Before When While This These It He She".split()
)
_WORD = re.compile(r"[^\W_]+")
_WH = re.compile(r"\b(who|whom|where|when|how many|how much|how long|what|which)\b", re.IGNORECASE)
_COORDINATED = re.compile(r"\W*(?:,|and|or|&|as well as|,? and)\W*")


def stated(packs: list[Pack], most: int, seed: int) -> list[Pack]:
    """Return up to `most` packs, each of claims about one evidence, about half of them true."""
    rng = random.Random(seed)
    by_text: dict[str, list[Query]] = {}
    for pack in packs:
        known = by_text.setdefault(pack.evidence, [])
        known += [q for q in pack.queries if q.answer in (SPAN, YES, NO) and q not in known]
    made = []
    for evidence, asked in by_text.items():
        spans = [q for q in asked if q.answer == SPAN and q.spans]
        claims = claims_about(evidence, spans, rng)
        claims += polar([q for q in asked if q.answer in (YES, NO)], evidence)
        if claims:
            made.append(Pack(evidence, rng.sample(claims, min(len(claims), MOST_CLAIMS)), KIND))
    return rng.sample(made, min(most, len(made)))


def claims_about(evidence: str, asked: list[Query], rng: random.Random) -> list[Query]:
    """Return the claims that the questions give, each true one with its false twin behind it."""
    claims: list[Query] = []
    for query in rng.sample(asked, len(asked)):
        start, end = query.spans[0]
        words = _WORD.findall(evidence[max(0, start - 20) : start])
        before, answer = words[-1] if words else "", evidence[start:end]
        text = statement_of(query.text, answer, before)
        if text is None or query.context:
            continue
        true = Query(text, KIND, label=SUPPORT)
        false = _with_another(true, query, evidence, asked, rng, before)
        if false is None:
            if rng.random() < 0.4:
                claims.append(true)
            continue
        claims += [true, false]
        if (other := _of_another(true, evidence, answer, rng)) is not None:
            claims.append(other)
    return claims


def polar(asked: list[Query], evidence: str) -> list[Query]:
    """Return what yes/no questions state, and its denial: one supported, one contradicted."""
    claims = []
    for query in asked:
        for denied in (False, True):
            text = yes_no.statement_of(query.text, "en", [evidence], denied=denied)
            label = SUPPORT if (query.answer == YES) != denied else CONTRADICTION
            if text and not query.context:
                claims.append(Query(without_do(_as_told(text)), KIND, label=label))
    return claims


def _as_told(text: str) -> str:
    """Return what somebody asks of himself as it is told him."""
    text = re.sub(r"\bI\b", "you", re.sub(r"\bmy\b", "your", text.replace("can not", "cannot")))
    return text[:1].upper() + text[1:]


def _of_another(true: Query, evidence: str, answer: str, rng: random.Random) -> Query | None:
    """Return the claim with a name that is not the answer exchanged for another of the evidence."""
    named = [m for m in _INNER_NAME.finditer(evidence) if m[0].split()[0] not in _OPENERS]
    names = sorted({m[0] for m in named})
    own = [name for name in names if name in true.text and name not in answer]
    if not own or rng.random() > SHARE_OF_ANOTHER:
        return None
    name = max(own, key=len)
    said = {w.lower() for w in _WORD.findall(true.text)}
    others = [o for o in names if not said & {w.lower() for w in _WORD.findall(o)}]
    if not others:
        return None
    other = rng.choice(others)
    start = true.text.index(name)
    text = true.text.replace(name, other, 1)
    return Query(text, KIND, label=UNSUPPORTED, wrong=[(start, start + len(other))])


def _with_another(
    true: Query, query: Query, evidence: str, asked: list[Query], rng: random.Random, before: str
) -> Query | None:
    start, end = query.spans[0]
    answer = evidence[start:end]
    if any(c.isdigit() for c in answer):
        return twin_of(true, evidence, rng)
    others = [o for o in _others(query, evidence, asked) if _is_apart(o, answer, query, evidence)]
    if not others:
        return None
    other = rng.choice(others)
    text = statement_of(query.text, other, before)
    if text is None or text == true.text:
        return None
    at = text.lower().find(other.lower())
    wrong = [(at, at + len(other))] if at >= 0 else None
    return Query(text, KIND, label=UNSUPPORTED, wrong=wrong)


def _others(query: Query, evidence: str, asked: list[Query]) -> list[str]:
    """Return what could be taken for an answer: what answers a question of the same kind, names."""
    start, end = query.spans[0]
    answer, kind = evidence[start:end], _kind(query.text)
    found = [
        evidence[o.spans[0][0] : o.spans[0][1]]
        for o in asked
        if o is not query and _kind(o.text) == kind
    ]
    is_name = answer[:1].isupper()
    found = [other for other in found if other[:1].isupper() == is_name]
    if is_name and kind in ("who", "where", "which", "what"):
        found += [name for name in _NAME.findall(evidence) if name.split()[0] not in _OPENERS]
    low, high = len(answer.split()) / 3, 3 * len(answer.split()) + 1
    return sorted({o for o in found if low <= len(o.split()) <= high and not re.search(r"\d", o)})


def _is_apart(other: str, answer: str, query: Query, evidence: str) -> bool:
    """Whether the other is not the answer in other words, nor named in one breath with it."""
    words = {w.lower() for w in _WORD.findall(other) if len(w) > 2}
    if not words or words & {w.lower() for w in _WORD.findall(f"{answer} {query.text}")}:
        return False
    start, end = query.spans[0]
    around = evidence[max(0, start - 80) : end + 80]
    place = around.find(other)
    if place < 0:
        return True
    here = start - max(0, start - 80)
    between = (
        around[place + len(other) : here] if place < here else around[here + end - start : place]
    )
    return not _COORDINATED.fullmatch(between)


def _kind(question: str) -> str:
    match = _WH.search(question)
    return match[1].lower().replace("whom", "who") if match else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packs", type=Path, action="append", required=True)
    parser.add_argument(
        "--without", action="append", default=[], help="kinds of packs to leave out"
    )
    parser.add_argument("--most", type=int, required=True, help="packs")
    parser.add_argument("--longest", type=int, default=260, help="words of evidence")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    packs = [p for path in args.packs for p in read_packs(path)]
    packs = [
        p for p in packs if len(p.evidence.split()) <= args.longest and p.kind not in args.without
    ]
    found = stated(packs, args.most, args.seed)
    write_packs(args.out, found)
    print(len(found), "packs", Counter(q.label for pack in found for q in pack.queries))


if __name__ == "__main__":
    main()
