"""A question that asks two things -> questions that ask one each and stand alone.

"What does the pump cost and how long is its delivery?" asks what it costs, and how long the pump's
delivery is: the second part is understood as a follow-up of the first. English, and Japanese in
a file of its own; a question that is not plainly of two parts stays whole.
"""

from __future__ import annotations

import re

from toulmin.answering.question import Exchange
from toulmin.answering.understanding.rephrase import rephrase
from toulmin.answering.understanding.split_japanese import japanese_parts

_WORD = r"(?:who|whom|whose|what|which|when|where|why|how)"
_ASKS = rf"(?:(?:in|at|on|by|from|to|for|with|of|until|since) )?{_WORD}\b"
_JOINED = re.compile(rf"[,;]?\s+and\s+(?={_ASKS})", re.IGNORECASE)
_BOTH = re.compile(
    rf"(?P<first>{_WORD})\s+and\s+(?P<second>{_WORD})\s+(?P<rest>\w.*)", re.IGNORECASE
)
_BARE = re.compile(rf"{_WORD}[?.\s]*", re.IGNORECASE)
_BEGINS = re.compile(rf"{_ASKS}", re.IGNORECASE)
_LEAST_WORDS = 3
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
    if not _BEGINS.match(first):
        return (question,)
    found = [_ended(first)]
    for other in others:
        if _BARE.fullmatch(other):  # "Who founded it and when?"
            rest = _BEGINS.sub("", found[0], count=1).strip()
            found.append(_ended(f"{other.strip(' ?.')} {rest}"))
        else:
            found.append(_ended(rephrase(other, [Exchange(found[0], "")])))
    return tuple(found)


def _ended(question: str) -> str:
    text = question.strip().rstrip("?., ")
    return f"{text[:1].upper()}{text[1:]}?"
