# ruff: noqa: RUF001 - apostrophes are a subject of this file.
"""Question and answer together -> the statement that is made by giving that answer to it.

"How long does the scan take?" answered with "15 minutes" states "The scan does take 15 minutes".
The statement is only checked, never said, so that its grammar need not be perfect.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from toulmin.answering.compose.language import shared_words, words_of
from toulmin.answering.compose.yes_no import statement_of

_ASKS = re.compile(
    r"(?P<before>(?:(?:in|at|on|by|from|to|for|with|under|within|during|since|until|after|before|of)"
    r" )?)(?P<word>what|which|who|whom|whose|when|where|how)\b\s*",
    re.IGNORECASE,
)
_SHORT = re.compile(
    r"\b(who|what|when|where|how)['’]?s\b(?! \w+ (?:is|are|was|were|has)\b)", re.IGNORECASE
)
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must)\b",
    re.IGNORECASE,
)
_DOES = frozenset(["do", "does", "did"])
_IS = frozenset(["is", "are", "was", "were"])
_NO_STATEMENT = re.compile(
    r"why\b|how (?!many\b|much\b|long\b|\w+ly\b|often\b|old\b|far\b|high\b|tall\b)", re.IGNORECASE
)
_PARTICIPLE = re.compile(
    r"\w+(?:ed|ing)|built|made|held|sold|found|led|won|born|kept|paid|sent|written|known|given|taken"
)
_OWNED = re.compile(r"(?:['’]s|s['’]) [\w-]+\Z| of (?:the |an? )?[A-Z][\w-]* \d[\w.]*\Z")
"""The end of what has no predicate behind it: an owner's thing, a name with a number."""
_MOST_HEAD = 5


def asserted(query: str, answer: str, texts: Sequence[str]) -> str:
    """Return what an English question and a few words that answer it state; empty: not plain.

    Args:
        query: The question.
        answer: The words that answer, such as a name or a figure.
        texts: Passages; the subject ends where the words that stand in them do.
    """
    plain = _SHORT.sub(lambda match: f"{match[1]} is", query.strip().rstrip("?. "))
    asks = _ASKS.match(plain)
    answer = answer.strip().rstrip(".")
    if asks is None or not answer or _NO_STATEMENT.match(plain):
        return ""
    rest = plain[asks.end() :]
    verb = _AUXILIARY.search(rest)
    head = rest[: verb.start()].strip() if verb else ""
    if verb is None or len(head.split()) > _MOST_HEAD:
        return _sentence(f"{answer} {rest}") if asks["word"].lower() in {"who", "what"} else ""
    after, word = rest[verb.end() :].strip(), verb[0].lower()
    answer = _counted(asks["word"], head, answer)
    if word not in _DOES and not asks["before"] and _asks_for_subject(asks["word"], head, after):
        return _sentence(f"{answer} {word} {after}")  # "Who will play?", "How many were in it?"
    if word in _IS and not head and not any(map(_PARTICIPLE.fullmatch, after.split())):
        return _sentence(f"{after} {word} {answer}")  # "Who is the CEO?"
    if word in _IS and asks["word"].lower() == "how" and _OWNED.search(after):
        return _sentence(f"{after} {word} {answer}")  # "How long is the pump's delivery?"
    stated = statement_of(f"{verb[0]} {after}?", "en", texts).rstrip(".")
    return _sentence(f"{stated} {asks['before'].lower()}{answer}") if stated else ""


def _asks_for_subject(word: str, head: str, after: str) -> bool:
    """Return whether the verb is followed by no subject, so that the answer is one."""
    first = after.split(" ", 1)[0]
    folded = first.casefold()
    words = words_of("en")
    if not first or words is None:
        return True
    named = not first[0].islower() or folded in shared_words("pronouns") | shared_words("articles")
    if named or folded in {"this", "that", "these", "those"}:
        return False
    if folded in words.stops or _PARTICIPLE.fullmatch(folded):
        return True
    return word.lower() == "who" and not head


def _counted(word: str, head: str, answer: str) -> str:
    """Return "5 days" for "how many days" and "5", else the answer."""
    many = re.match(r"(?:many|much)\s+(.+)", head, re.IGNORECASE)
    if word.lower() == "how" and many and many[1].split()[-1].lower() not in answer.lower():
        return f"{answer} {many[1]}"
    return answer


def _sentence(text: str) -> str:
    plain = " ".join(text.split()).rstrip(" .?!")
    return f"{plain[:1].upper()}{plain[1:]}." if plain else ""
