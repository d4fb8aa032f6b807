"""The same claims with and without the sentence that decides them.

A claim is taken from a sentence of a passage (shortened, turned round or as it stands) and kept,
altered, denied, or denied after it was altered. With the sentence in the evidence the label is
support or contradiction; the same claims without it are neutral, whatever was altered.
"""
# ruff: noqa: E501  (tables of sentences are easier to read one entry a line)
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from data.edits import Edit, edit_list, oppose, replace_value, swap_roles
from data.entities import Entity, Pools, entities, other_value
from data.marks import CLOSE, OPEN, mark, unmark
from data.rewriting import rewrite
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, UNSUPPORTED, Row, Spans
from data.shorter import PRONOUN, fluent, sound, statements_of
from data.text import content_words, sentences
from data.verbs import affirmed, is_negative, negated


@dataclass(frozen=True)
class Texts:
    """Passages in the order of their sources, so that neighbours are about related things."""

    passages: list[list[str]]
    """Sentences of each passage."""
    pools: Pools


def texts_of(passages: list[str], pools: Pools) -> Texts:
    split = [sentences(p[:3000]) for p in passages]
    return Texts([s for s in split if len(s) > 1], pools)


_ONCE = re.compile(
    r"\b(?:born|died|founded|opened|established|released|built|completed|premiered|created|began|"
    r"ended|introduced|invented|discovered|named|appointed|elected|formed|launched|published|"
    r"assassinated|signed|adopted|inaugurated|incorporated|graduated|retired|married|debuted|"
    r"killed|dissolved|abolished|started|became|joined|left)\b"
)
_GIVEN = re.compile(r"\b(?:is|are|was|were|has|had|have|cost|costs|contains)\b")


def denial_row(texts: Texts, rng: random.Random) -> Row | None:
    """A row whose claim says "not": mostly one that is true because its value was altered too."""
    return contrast_row(texts, rng, denials=True)


def contrast_row(texts: Texts, rng: random.Random, *, denials: bool = False) -> Row | None:
    """One row; see the module. None where the drawn sentence does not suit."""
    at = rng.randrange(len(texts.passages))
    found = texts.passages[at]
    spot = rng.randrange(len(found))
    sentence = found[spot]
    if not 6 <= len(sentence.split()) <= 45 or len(sentence) > 320:
        return None
    if is_negative(sentence) is False and rng.random() < 0.25:  # negation is rare in the texts
        return None
    claim, context = _claim(found, spot, rng)
    if claim is None or (not claim.isascii() and rng.random() < 0.5):
        return None
    if denials:
        make = _twice if rng.random() < 0.9 else _corrected
        edit = make(claim, " ".join(found), texts.pools, rng)
    else:
        edit = _edit(claim, " ".join(found), texts.pools, rng)
    if edit is None:
        return None
    unmarked = unmark(edit.claim)
    if unmarked is None or (edit.label != SUPPORT and not unmarked[1]):
        return None
    if not fluent(unmarked[0]):
        return None
    if rng.random() < (0.34 if edit.label == SUPPORT else 0.3):
        return _without(texts, at, spot, claim, (unmarked[0], context, edit.kind), rng)
    evidence = evidence_with(texts, at, spot, rng)
    wrong = [] if edit.label == SUPPORT else unmarked[1]
    against = _conflicts(claim, edit, sentence, evidence.index(sentence))
    return Row(evidence, unmarked[0], edit.label, f"with_{edit.kind}", context, wrong, against)


def _conflicts(claim: str, edit: Edit, sentence: str, start: int) -> Spans | None:
    """Where the words that the edit replaced lie in the evidence; None when that is not clear."""
    known: Spans = []
    for text in [claim[s:e] for s, e in edit.conflicts] if edit.label != SUPPORT else []:
        if sentence.count(text) != 1:
            return None
        where = start + sentence.find(text)
        known.append((where, where + len(text)))
    return known


def _claim(found: list[str], spot: int, rng: random.Random) -> tuple[str | None, str]:
    """(a true statement of the sentence, the context that its pronoun needs)."""
    sentence = found[spot]
    options = statements_of(sentence, rng)
    if options and rng.random() < 0.85:
        claim = rng.choice(options)
        if rng.random() < 0.3:
            claim = rewrite(claim, rng, 0.4)
    else:
        claim = rewrite(sentence, rng, rng.choice([0.0, 0.3, 0.7]))
    if not sound(claim):
        return None, ""
    if PRONOUN.match(claim):
        if spot == 0:
            return None, ""
        return claim, found[spot - 1] if rng.random() < 0.8 else ""
    return claim, ""


def evidence_with(texts: Texts, at: int, spot: int, rng: random.Random) -> str:
    """Evidence that holds the sentence whole, within its first 165 words."""
    found = texts.passages[at]
    size = rng.choice([0, 0, 40, 60, 80, 100, 130, 150])
    low, high = _around(found, spot, size, rng)
    text = " ".join(found[low:high])
    room = 165 - len(text.split())
    if size < 40 or rng.random() < 0.45 or room < 40:
        return text
    pieces = [text, *_neighbours(texts, at, room, rng)]
    rng.shuffle(pieces)
    return " | ".join(pieces)


def _around(found: list[str], spot: int, size: int, rng: random.Random) -> tuple[int, int]:
    low, high = spot, spot + 1
    used = len(found[spot].split())
    while True:
        sides = [i for i in (low - 1, high) if 0 <= i < len(found)]
        sides = [i for i in sides if used + len(found[i].split()) <= size]
        if not sides:
            return low, high
        side = rng.choice(sides)
        used += len(found[side].split())
        low, high = min(low, side), max(high, side + 1)


def _neighbours(texts: Texts, at: int, room: int, rng: random.Random) -> list[str]:
    """One or two pieces of nearby passages, of at most `room` words together."""
    own = set(texts.passages[at])
    out: list[str] = []
    for _ in range(rng.choice([1, 2])):
        other = texts.passages[(at + rng.choice([-3, -2, -1, 1, 2, 3])) % len(texts.passages)]
        if own & set(other):
            continue
        low, high = _around(other, rng.randrange(len(other)), min(room, 60), rng)
        text = " ".join(other[low:high])
        if 6 <= len(text.split()) <= room:
            out.append(text)
            room -= len(text.split())
    return out


def _without(
    texts: Texts, at: int, spot: int, true: str, made: tuple[str, str, str], rng: random.Random
) -> Row | None:
    """The claim with evidence that lacks its sentence: neutral."""
    claim, context, kind = made
    found = texts.passages[at]
    size = rng.choice([25, 40, 60, 80, 100, 130, 150])
    low, high = _around(found, spot, size + len(found[spot].split()), rng)
    rest = [found[i] for i in range(low, high) if i != spot]
    if not rest:
        rest = [s for i, s in enumerate(found) if abs(i - spot) == 1][:1]
    told = any(told_by(true, s) for s in rest)
    if not rest or told or len(" ".join(rest).split()) > 190:
        return None
    pieces = [" ".join(rest)]
    room = 165 - len(pieces[0].split())
    if size >= 40 and rng.random() < 0.5 and room >= 40:
        pieces += [n for n in _neighbours(texts, at, room, rng) if not told_by(true, n)]
        rng.shuffle(pieces)
    return Row(" | ".join(pieces), claim, NEUTRAL, f"without_{kind}", context)


def told_by(claim: str, text: str) -> bool:
    """Whether a text may say the same: it shares most of the claim's content words."""
    asked, given = set(content_words(claim)), set(content_words(text))
    return len(asked & given) > 0.5 * len(asked)


def _edit(claim: str, passage: str, pools: Pools, rng: random.Random) -> Edit | None:
    choice = rng.random()
    if is_negative(claim):
        choice = rng.choice([0.1, 0.1, 0.1, 0.38, 0.38, 0.3])
    for bound, make in (
        (0.19, lambda: Edit(claim, SUPPORT, "kept", [])),
        (0.34, lambda: _value(claim, passage, pools, rng)),
        (0.41, lambda: _denied(claim, rng)),
        (0.68, lambda: _twice(claim, passage, pools, rng)),
        (0.76, lambda: oppose(claim, rng)),
        (0.83, lambda: _quantity(claim, rng)),
        (0.86, lambda: swap_roles(claim)),
        (0.89, lambda: edit_list(claim, pools, rng)),
    ):
        if choice < bound:
            return make()
    return _corrected(claim, passage, pools, rng)


def _value(claim: str, passage: str, pools: Pools, rng: random.Random) -> Edit | None:
    edit = replace_value(claim, passage, pools, rng)
    if edit and edit.conflicts[0][0] < 5 and edit.kind not in ("edit_year", "edit_date"):
        edit.label = UNSUPPORTED  # another subject: it may hold of both
    return edit


def _denied(claim: str, rng: random.Random) -> Edit | None:
    changed = affirmed(claim) if is_negative(claim) else negated(claim, rng)
    if changed is None:
        if rng.random() < 0.25:
            said = _false_that(claim, rng)
            return said and Edit(
                mark(said, 0, said.index(" that") + 5, said.split(" that")[0] + " that"),
                CONTRADICTION,
                "false_that",
                [],
            )
        return None
    return Edit(changed[0], CONTRADICTION, "denied", [changed[1]])


def _false_that(claim: str, rng: random.Random) -> str | None:
    """A short claim after "It is not true that"; None for a long one or an opening phrase."""
    first = claim.split(" ")[0]
    if len(claim.split()) > 18 or not (
        first in _SMALL or re.match(r"[A-Z][\w'’]* (?:[A-Z]|[a-z]+s |was |is )", claim)
    ):
        return None
    if first in ("In", "On", "At"):
        return None
    lead = rng.choice(["It is not true that", "It is not the case that", "It is false that"])
    return f"{lead} {_low(claim)}"


def _low(text: str) -> str:
    first = text.split(" ")[0]
    names = re.match(r"[A-Z][\w'’-]* [A-Z]", text)
    small = first in _SMALL and not (names and first not in ("The", "A", "An"))
    return text[0].lower() + text[1:] if small else text


_SMALL = set(
    "The A An He She It They This That These Those In On At His Her Its Their There Some Many Most "
    "All Both Several".split()
)


def _settled(claim: str, rng: random.Random) -> Entity | None:
    """A date, number or place that excludes any other value."""
    found = [
        e
        for e in entities(claim)
        if e.start > 5
        and (
            (e.kind in ("year", "date") and _ONCE.search(claim[: e.start]))
            or (e.kind == "number" and _GIVEN.search(claim[: e.start]) and len(e.text) > 1)
            or (e.kind == "place" and re.search(r"\b(?:born|died|located|founded)\b", claim))
        )
    ]
    return rng.choice(found) if found else None


def _twice(claim: str, passage: str, pools: Pools, rng: random.Random) -> Edit | None:
    """Another value, or an antonym, and then denied: true again."""
    if len(claim.split()) > 17:  # in a long claim the denial may not reach the changed word
        return None
    entity = _settled(claim, rng)
    if entity is None:
        edit = oppose(claim, rng)
        if edit is None or not re.search(r"\b(?:is|was|are|were) ", claim):
            return None
        plain = edit.claim.replace(OPEN, "").replace(CLOSE, "")
        at = edit.conflicts[0][0]
        if at < 8 or re.search(r",|\b(?:who|which|that|and|while)\b", claim[:at]):
            return None
        changed = negated(plain, rng)
        if changed is None or "never" in changed[0] or "longer" in changed[0]:
            return None
        word = claim[slice(*edit.conflicts[0])]
        return Edit(_bare(changed[0]), SUPPORT, "twice_word", []) if word in _STRICT else None
    new = other_value(entity, passage, pools, rng)
    if new is None or new in claim or (re.match(r"[A-Za-z]+ \d", new) and entity.kind == "number"):
        return None
    if re.search(r",|\b(?:who|which|that|and|while)\b", claim[: entity.start]):
        return None
    plain = claim[: entity.start] + new + claim[entity.end :]
    if rng.random() < 0.25:
        said = _false_that(plain, rng)
        return Edit(said, SUPPORT, "twice_false_that", []) if said else None
    changed = negated(plain, rng)
    if changed is None or "longer" in changed[0]:
        return None
    return Edit(_bare(changed[0]), SUPPORT, "twice_value", [])


_STRICT = set(
    "largest smallest biggest highest lowest oldest youngest longest shortest increased decreased "
    "higher lower larger smaller greater older younger before after above below legal illegal "
    "possible impossible first last northern southern eastern western male female earlier later "
    "successful unsuccessful public private".split()
)


def _bare(text: str) -> str:
    return text.replace(OPEN, "").replace(CLOSE, "")


def _corrected(claim: str, passage: str, pools: Pools, rng: random.Random) -> Edit | None:
    """ "in 1990, not in 1985" (true) and "in 1985, not in 1990" (false)."""
    found = [e for e in entities(claim) if e.start > 5 and claim[e.end : e.end + 1] in (".", ",")]
    if not found:
        return None
    entity = rng.choice(found)
    new = other_value(entity, passage, pools, rng)
    before = claim[: entity.start].rstrip().split(" ")[-1].lower()
    if entity.kind.startswith("name") and before not in (
        "by",
        "with",
        "of",
        "in",
        "from",
        "at",
        "and",
    ):
        return None
    if new is None or new in claim or before in ("and", "or", ",") or "and" in entity.text.split():
        return None
    if claim[: entity.start].rstrip().endswith(",") or re.search(
        r"\b[A-Z]\w+ $", claim[: entity.start]
    ):
        return None
    form = rng.choice(["{a}, not {b}", "{a} rather than {b}", "not {b} but {a}", "{a} and not {b}"])
    if form.startswith("not") and before not in ("is", "are", "was", "were"):
        form = "{a}, not {b}"
    right = rng.random() < 0.5
    a, b = (entity.text, new) if right else (new, entity.text)
    text = form.format(a=a, b=b)
    if right:
        return Edit(claim[: entity.start] + text + claim[entity.end :], SUPPORT, "corrected", [])
    return Edit(
        mark(claim, entity.start, entity.end, text), CONTRADICTION, "corrected",
        [(entity.start, entity.end)],
    )  # fmt: skip


_QUANTITIES: tuple[tuple[str, str, int], ...] = (
    ("all of the", "some of the", SUPPORT), ("all", "most", SUPPORT),
    ("all of the", "none of the", CONTRADICTION), ("some of the", "all of the", UNSUPPORTED),
    ("some of the", "none of the", CONTRADICTION), ("most of the", "some of the", SUPPORT),
    ("most of the", "all of the", UNSUPPORTED), ("most of the", "few of the", CONTRADICTION),
    ("most", "all", UNSUPPORTED), ("most", "few", CONTRADICTION), ("many", "few", CONTRADICTION),
    ("many", "all", UNSUPPORTED), ("many", "some", SUPPORT), ("several", "all", UNSUPPORTED),
    ("several", "no", CONTRADICTION), ("several", "some", SUPPORT), ("several", "dozens of", UNSUPPORTED),
    ("some", "all", UNSUPPORTED), ("some", "no", CONTRADICTION), ("one of the", "the only one of the", UNSUPPORTED),
    ("often", "always", UNSUPPORTED), ("often", "sometimes", SUPPORT), ("often", "rarely", CONTRADICTION),
    ("usually", "always", UNSUPPORTED), ("usually", "seldom", CONTRADICTION), ("usually", "often", SUPPORT),
    ("always", "usually", SUPPORT), ("always", "never", CONTRADICTION), ("sometimes", "always", UNSUPPORTED),
    ("sometimes", "never", CONTRADICTION), ("generally", "always", UNSUPPORTED),
    ("may", "will certainly", UNSUPPORTED), ("might", "will certainly", UNSUPPORTED), ("may", "cannot", CONTRADICTION),
    ("could", "could not", CONTRADICTION), ("may", "could", SUPPORT), ("might", "may", SUPPORT),
    ("will", "may", SUPPORT), ("will", "will not", CONTRADICTION), ("must", "may", UNSUPPORTED),
    ("must", "does not have to", CONTRADICTION), ("can", "cannot", CONTRADICTION), ("can", "is able to", SUPPORT),
    ("at least", "exactly", UNSUPPORTED), ("at least", "fewer than", CONTRADICTION), ("more than", "fewer than", CONTRADICTION),
    ("over", "fewer than", CONTRADICTION), ("nearly", "more than", CONTRADICTION), ("nearly", "almost", SUPPORT),
    ("up to", "more than", CONTRADICTION), ("about", "around", SUPPORT), ("about", "roughly", SUPPORT),
    ("plans to", "has already agreed to", UNSUPPORTED), ("plans to", "intends to", SUPPORT),
    ("is expected to", "will definitely", UNSUPPORTED), ("is expected to", "is likely to", SUPPORT),
    ("is expected to", "is not expected to", CONTRADICTION), ("reportedly", "demonstrably", UNSUPPORTED),
    ("allegedly", "provably", UNSUPPORTED), ("allegedly", "reportedly", SUPPORT),
    ("half of", "all of", CONTRADICTION), ("half of", "50 percent of", SUPPORT), ("likely", "certainly", UNSUPPORTED),
    ("probably", "certainly", UNSUPPORTED), ("possibly", "certainly", UNSUPPORTED), ("each", "only one", CONTRADICTION),
    ("every", "hardly any", CONTRADICTION), ("only", "not only", CONTRADICTION), ("majority of", "minority of", CONTRADICTION),
    ("a few", "very many", CONTRADICTION), ("(?<!a )few", "many", CONTRADICTION),
)  # fmt: skip


def _quantity(claim: str, rng: random.Random) -> Edit | None:
    """Another quantity word, frequency or certainty, in either direction of strength."""
    spots = []
    for old, new, label in _QUANTITIES:
        for match in re.finditer(rf"\b{old}\b(?! not\b)", claim, re.IGNORECASE):
            follows = re.match(r" [\d$£€]", claim[match.end() :])
            needs = old in ("over", "nearly", "about", "up to", "more than", "at least")
            if needs == bool(follows) and not (
                old in ("most", "all") and re.match(r" (?:of|the|\w+ly)\b", claim[match.end() :])
            ):
                spots.append((match, new, label))
    if not spots or (is_negative(claim) and not any(s[0].group() == "only" for s in spots)):
        return None
    match, new, label = rng.choice(spots)
    new = new[0].upper() + new[1:] if match.group()[0].isupper() else new
    if match.group() == "may" and match.start() == 0:
        return None
    if label == SUPPORT:
        return Edit(claim[: match.start()] + new + claim[match.end() :], SUPPORT, "quantity", [])
    return Edit(mark(claim, *match.span(), new), label, "quantity", [match.span()])
