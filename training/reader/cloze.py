"""Questions made from statements: one name, number or date is asked for.

After the idea of unsupervised question answering by cloze translation (Lewis et al. 2019); the
rules are our own: ask for the subject, turn the auxiliary around ("When was X built?"), use "did"
with a past tense, or ask in place ("X was built in what year?").
"""
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations

import random
import re

from data.entities import Entity
from data.text import content_words

_AUXILIARY = re.compile(r" (is|are|was|were|has|had|have|can|will|would|could) (?!to\b)")
_PREPOSITION = re.compile(r"\b(in|on|at|by|from|since|until|during|for|with|of|to|near) (?:the )?$")
_STARTS_VERB = re.compile(
    r"\s+(?:(?:also|first|later|then|once|currently|originally|often|never) )?"
    r"(is|are|was|were|has|had|have|can|will|would|could|did|does|\w+ed|\w{3,}s|"
    r"made|wrote|won|led|began|became|took|gave|held|came|went|found|built|sold|left|met|said)\b"
)
_PERSON_VERB = re.compile(
    r"\b(born|wrote|married|said|sang|starred|acted|actor|actress|singer|writer|author|player|"
    r"politician|he|she|his|her|died|studied|directed|played|president|king|queen|mayor)\b"
)
_DETERMINERS = frozenset(
    "The A An This That These Those In On At By From It He She They His Her Its Their There Some "
    "Many Most Several Both Each All".split()
)
_NO_SUBJECT = frozenset("In On At By From It He She They There This".split())
IRREGULAR = dict(
    pair.split("/")
    for pair in (
        "became/become began/begin built/build bought/buy brought/bring came/come chose/choose "
        "did/do drew/draw fell/fall fought/fight found/find gave/give got/get grew/grow had/have "
        "held/hold kept/keep knew/know led/lead left/leave lost/lose made/make met/meet paid/pay "
        "ran/run received/receive rose/rise said/say sang/sing saw/see sent/send sold/sell "
        "spent/spend spoke/speak stood/stand taught/teach told/tell took/take thought/think "
        "went/go won/win wore/wear wrote/write broke/break drove/drive ate/eat"
    ).split()
)


def question(statement: str, entity: Entity, rng: random.Random) -> str | None:
    """Ask for `entity` of a one-sentence statement; None where no rule gives a clean question."""
    text = statement.rstrip(". ")
    before, after = text[: entity.start], text[entity.end :]
    if re.match(r" (?:and|or|&|/)\b", after) or re.search(r"\b(?:and|or),? (?:the )?$", before):
        return None
    makers = (_subject, _turned, _with_did, _in_place)
    for maker in makers:
        if maker is _in_place and rng.random() < 0.5:
            return None
        made = maker(before, after, entity, rng)
        if made and _clean(made):
            made = re.sub(r"\s+", " ", made).strip(" ,;")
            return f"{made[0].upper()}{made[1:]}?"
    return None


def asked(entity: Entity, text: str, rng: random.Random) -> str:
    """The words that ask for a thing of this kind."""
    person = entity.kind == "person" or (
        entity.kind.startswith("name") and _PERSON_VERB.search(text)
    )
    if person:
        return "who"
    return rng.choice(
        {
            "year": ["what year", "which year"],
            "date": ["what date", "which day"],
            "number": ["what number"],
            "place": ["what place", "which place", "what location"],
            "nation": ["what nationality"],
            "org": ["what organization", "which organization", "which group"],
        }.get(entity.kind, ["what"])
    )


def _subject(before: str, after: str, entity: Entity, rng: random.Random) -> str | None:
    """ "X wrote it in 1950" -> "Who wrote it in 1950?"."""
    if before not in ("", "The ") or not _STARTS_VERB.match(after):
        return None
    if entity.kind in ("number", "year", "date", "nation"):
        return None
    return asked(entity, after, rng) + _clause(after)


def _turned(before: str, after: str, entity: Entity, rng: random.Random) -> str | None:
    """ "X was built by Y in 1950" -> "When was X built by Y?"."""
    match = _AUXILIARY.search(before)
    if match is None:
        return None
    subject, verb = before[: match.start()], match.group(1)
    asking = _asking(before[match.end() :], after, entity, rng)
    if asking is None or not _short(subject):
        return None
    words, rest = asking
    return f"{words} {verb} {_lowered(subject)} {rest}"


def _with_did(before: str, after: str, entity: Entity, rng: random.Random) -> str | None:
    """ "X wrote it in 1950" -> "When did X write it?"."""
    words = before.split(" ")
    for i, word in enumerate(words[1:6], start=1):
        base = past_to_base(word)
        if base is None:
            continue
        subject = " ".join(words[:i])
        asking = _asking(" ".join(words[i + 1 :]), after, entity, rng)
        if asking is None or not _short(subject):
            return None
        asks, rest = asking
        return f"{asks} did {_lowered(subject)} {base} {rest}"
    return None


def _in_place(before: str, after: str, entity: Entity, rng: random.Random) -> str | None:
    """ "X was built in 1950" -> "X was built in what year?"."""
    whole = re.search(
        r"\b(in|on|at|by|from|since|until|with|to|is|was|were|are|named|called) $", before
    )
    if len(before.split()) < 3 or "," in before[:-1] or not whole:
        return None
    words = asked(entity, before + after, rng)
    if entity.kind == "number":
        words = "how many" if re.match(r" [a-z]+s\b", after) else "how much"
    if words == "who" and _PREPOSITION.search(before):
        words = "whom"
    return f"{_lowered(before)}{words}{_clause(after)}"


def _asking(middle: str, after: str, entity: Entity, rng: random.Random) -> tuple[str, str] | None:
    """(question words, rest of the clause without what is asked for)."""
    middle = f"{middle} " if middle and not middle.endswith(" ") else middle
    match = _PREPOSITION.search(middle)
    rest = _clause(after)
    if entity.kind == "number":
        counted = re.match(r" ((?:[a-z]+ )?[a-z]+s)\b", after)
        if counted is None or match:
            return None
        return f"how many {counted.group(1)}", middle + _clause(after[counted.end() :])
    if match is None:
        return asked(entity, middle + after, rng), middle + rest
    stem, word = middle[: match.start()], match.group(1)
    if entity.kind in ("year", "date") and word in ("in", "on", "during"):
        return rng.choice(["when", "when", f"{word} {asked(entity, '', rng)}"]), stem + rest
    if entity.kind == "place" and word in ("in", "at", "near", "on"):
        return rng.choice(["where", f"{word} {asked(entity, '', rng)}"]), stem + rest
    words = asked(entity, middle + after, rng)
    if rng.random() < 0.5:
        return f"{word} {'whom' if words == 'who' else words}", stem + rest
    return words, f"{stem}{rest.rstrip()} {word}"


def past_to_base(word: str) -> str | None:
    """ "played" -> "play"; None for what is no past tense."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if not re.fullmatch(r"[a-z]{2,}ed", word) or word in ("indeed", "need", "named", "called"):
        return None
    stem = word[:-2]
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    if re.search(r"(?:[^aeiou][aeiou](?:[dkmstv]|r)|at|[^aeiou][lt]l|[cgsuvz]|[aeiou]nc)$", stem):
        short = re.search(r"(?:it|er|en|et|ss|sh|ck|isit|op)$", stem)
        return stem if short else f"{stem}e"
    return stem


def _clean(made: str) -> bool:
    """Whether a question is short, whole, and about something that can be told apart."""
    words = made.split()
    telling = len(set(content_words(made)))
    return (
        4 <= len(words) <= 20
        and telling >= 3
        and not re.search(r"[\"“”()\[\]:;]|\b(?:the|a|an|of|and|or|his|her|their|its) ?$", made)
        and not re.search(r"\b(?:he|she|they|it|this|these|those)\b", made, re.IGNORECASE)
    )


def _clause(after: str) -> str:
    """The text up to the end of its clause."""
    cut = re.search(
        r"[;:(—]| [-–] |, (?:and|but|which|who|where|while|when|although|after) ", after
    )
    text = after[: cut.start()] if cut else after
    comma = text.find(",")
    return text[:comma] if comma >= 0 and len(text.split()) > 14 else text


def _short(subject: str) -> bool:
    words = subject.split()
    return (
        0 < len(words) <= 8
        and not re.search(r"[,;:()\"]", subject)
        and words[0]
        not in ("In", "On", "At", "By", "From", "It", "He", "She", "They", "There", "This")
    )


def _lowered(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text[0].lower() + text[1:] if first in _DETERMINERS else text
