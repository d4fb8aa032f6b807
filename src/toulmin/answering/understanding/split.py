"""A question that asks two things -> questions that ask one each and stand alone.

"What does the pump cost and how long is its delivery?" asks what it costs, and how long the pump's
delivery is: the second part is understood as a follow-up of the first. A bare "and when?" asks that
of the whole first part: "Who founded it?" becomes "When was it founded?". English, and Japanese in
a file of its own; a question that is not plainly of two parts stays whole.
"""

from __future__ import annotations

import re

from toulmin.answering.question import Exchange
from toulmin.answering.understanding.phrases import phrases, tokens
from toulmin.answering.understanding.rephrase import rephrase
from toulmin.answering.understanding.split_japanese import japanese_parts
from toulmin.answering.understanding.word_lists import words_of

_WORD = r"(?:who|whom|whose|what|which|when|where|why|how)"
_ASKS = rf"(?:(?:in|at|on|by|from|to|for|with|of|until|since) )?{_WORD}\b"
_AUXILIARY = r"(?:is|are|was|were|do|does|did|can|could|may|must|will|would)"
_ASKS_WHETHER = rf"{_AUXILIARY} (?:the|a|an|my|our|your|it|he|she|they|we|i|you|there|[a-z]+s)\b"
_JOINED = re.compile(rf"(?:[,;]|(?<!\s))\s++and\s++(?={_ASKS}|{_ASKS_WHETHER} \w)", re.IGNORECASE)
_WHETHER = re.compile(_ASKS_WHETHER, re.IGNORECASE)
_HAS_VERB = re.compile(rf"\b(?:{_AUXILIARY}|has|have|had)\b", re.IGNORECASE)
_WHO_IS_THE = re.compile(r"(?i:(?P<asks>who|what) (?:is|are|was|were) the )[^A-Z\d]+")
_BOTH = re.compile(
    rf"(?P<first>{_WORD})\s+and\s+(?P<second>{_WORD})\s+(?P<rest>\w.*)", re.IGNORECASE
)
_BARE = re.compile(rf"{_WORD}[?.\s]*", re.IGNORECASE)
_BEGINS = re.compile(rf"{_ASKS}", re.IGNORECASE)
_ADVERB = re.compile(r"(?:when|where|why)\b(?!['\u2019])", re.IGNORECASE)
_LOOSE = frozenset({"else", "again"})
_ENDS_ASKING = re.compile(rf"{_WORD}\s*\Z", re.IGNORECASE)
_TIMES = frozenset({"time", "day", "year", "month", "date"})
_SUBJECTS = {"it": "it", "him": "he", "her": "she", "them": "they", "us": "we", "you": "you"}
_PLURALS = frozenset({"them", "us", "you"})
_LIKE_PAST = words_of("en", "participles_like_past")
_PARTICIPLES = dict(pair.split("/") for pair in words_of("en", "participles"))
"""Past forms with the participles that differ from them: "wrote", "written"."""
_LEAST_WORDS = 3
_TOPIC = re.compile(r"\s\([^()]*\)\s*\?\Z")
_KANA = re.compile("[\u3041-\u30fa]")
MOST_PARTS = 3


def parts_of(question: str) -> tuple[str, ...]:
    """Return what a question asks, one question for each thing, at most three; usually itself."""
    if _KANA.search(question):
        return japanese_parts(question)
    if both := _BOTH.match(question.strip()):
        return f"{both['first']} {both['rest']}", f"{both['second']} {both['rest']}"
    first, *others = _JOINED.split(question.strip())
    if not others or len(others) >= MOST_PARTS or len(first.split()) < _LEAST_WORDS:
        return (question,)
    if not _BEGINS.match(first) or not all(_asks(other) for other in others):
        return (question,)
    whether = any(_WHETHER.match(other) for other in others)
    if whether and not _HAS_VERB.search(first):  # "how to sort and do the laundry"
        return (question,)
    whole = [part for part in (first, *others[:-1]) if not _BARE.fullmatch(part)]
    if any(_ENDS_ASKING.search(part) for part in whole):  # "between what and which"
        return (question,)
    found = [_ended(first)]
    for other in others:
        if _are_alike(found[0], other):
            found.append(_ended(other))
        elif _BARE.fullmatch(other):  # "Who founded it and when?"
            found.append(_ended(_asked_of(other.strip(" ?."), found[0].rstrip("?"))))
        else:
            found.append(_ended(rephrase(other, [Exchange(found[0], "")])))
    return tuple(found)


def without_topic(part: str) -> str:
    """Return a part in its own words, without the topic that was put behind it in brackets."""
    return _ended(_TOPIC.sub("", part)) if _TOPIC.search(part) else part


def _asks(part: str) -> bool:
    """Return whether a part that begins with an asking word asks: not "when necessary"."""
    if _BARE.fullmatch(part) or _ADVERB.match(part) is None:
        return True
    behind = [t for t in tokens(part)[1:] if t.folded not in _LOOSE and t.folded[-2:] != "ly"]
    return bool(behind) and behind[0].kind == "a"


def _are_alike(first: str, other: str) -> bool:
    """Return whether two parts ask the same of two things that neither names.

    "Who is the head of production and who is the managing director?": the second is not of the
    first one's.
    """
    one, two = _WHO_IS_THE.fullmatch(first), _WHO_IS_THE.fullmatch(other)
    return bool(one and two and one["asks"].casefold() == two["asks"].casefold())


def _asked_of(word: str, first: str) -> str:
    """Return what "when" asks of a first part: its clause, turned round where "who" is its subject.

    Where that is not sure the clause goes in brackets, as in other follow-ups.
    """
    words = tokens(first)
    begins = next((n for n, token in enumerate(words) if token.kind == "w"), 0)
    at = next((n for n, token in enumerate(words) if n > begins and token.kind in "av"), None)
    if at is not None and words[at].kind == "v" and words[at + 1 : at + 2]:
        at += words[at + 1].kind == "a"  # "which plan does it need"
    if at is None:
        return f"{word} ({_BEGINS.sub('', first, count=1).strip()})"
    if words[at].kind == "a" and at + 1 < len(words) and words[at + 1].kind != "v":
        thing = first[words[begins].end : words[at].start].strip()
        named = words[begins].folded != "how" and words[at - 1].folded not in _TIMES
        clause = f"{'' if words[at].glued else ' '}{first[words[at].start :]}"
        return f"{word}{clause}" + (f" ({thing})" if thing and named else "")
    turned = _passive(words[at].folded, first[words[at].end :].strip())
    return f"{word} {turned or '(' + first[words[at].start :] + ')'}"


def _passive(verb: str, rest: str) -> str:
    """Return "was it founded" for "founded" and "it"; empty: the verb has no object, or no past."""
    participle = _PARTICIPLES.get(verb, verb)
    is_past = verb in _PARTICIPLES or verb in _LIKE_PAST or verb.endswith("ed")
    thing = next(iter(phrases(rest)), None)
    if not is_past or not rest or not (rest in _SUBJECTS or (thing and thing.start == 0)):
        return ""
    plural = rest in _PLURALS or (thing is not None and thing.plural and not thing.name)
    return f"{'were' if plural else 'was'} {_SUBJECTS.get(rest, rest)} {participle}"


def _ended(question: str) -> str:
    text = question.strip().rstrip("?., ")
    return f"{text[:1].upper()}{text[1:]}?"
