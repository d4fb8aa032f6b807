"""Whether a text says what a statement says, but of another subject.

"Ada is the director, and Bo chairs the board" does not say that Bo is the director; nor does "Since
2016 Ada Poe has been the director. Bo Lind chairs the board". "Unlike the pump, the valve can be
locked" says that the pump cannot. The grounding model overlooks all of this now and then.
"""

from __future__ import annotations

import re

from toulmin.answering.compose.language import shared_words
from toulmin.retrieval.coverage import QueryWords
from toulmin.text.sentences import split_sentences

_VERB = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|may|must)\b"
)
_IS_THE = re.compile(r"(?:is|are|was|were)\s+(?:the|our|its|their)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;]\s+(?:and|but|while|whereas|though)\s+|;\s+", re.IGNORECASE)
_SET_APART = re.compile(
    r"\b(?:unlike|as opposed to|in contrast (?:to|with)|contrary to)\s+", re.IGNORECASE
)
_DENIES = re.compile(r"\b(?:not|no|never|none|cannot|without|\w+n['\u2019]t)\b", re.IGNORECASE)
_NAME = r"(?<!\w)(?P<name>[^\W\d_a-z][\w'\u2019-]++(?: [^\W\d_a-z][\w'\u2019-]++)*+)"
_HOLDS = r"(?i:is|was|are|were|became|(?:has|have|had) been|(?:serve|act)(?:s|d|ed)? as)"
_HOLDER = re.compile(
    rf"{_NAME},? {_HOLDS}\b"
    rf"|\b(?:is|was|are|were) {_NAME.replace('name', 'behind')}"
)
_ARTICLES = 1


def says_of_another(statement: str, text: str, around: str = "") -> bool:
    """Return whether a text has the predicate of an English statement without its subject.

    Args:
        statement: "Bo Lind is the director."
        text: What is thought to say so.
        around: The passage that it is of: who is the director, another sentence may say.
    """
    parts = _parts(statement)
    if parts is None:
        return False
    subject, predicate = parts
    for start, end in split_sentences(text):
        clauses = [clause for clause in _CLAUSE.split(text[start:end]) if clause.strip()]
        of_subject = [share >= 1 for share in subject.coverage(clauses).tolist()]
        of_predicate = [share >= 1 for share in predicate.coverage(clauses).tolist()]
        if any(map(all, zip(of_subject, of_predicate, strict=True))):
            return False
        if any(of_subject) and any(of_predicate):
            return True
    return _is_held_by_another(statement, subject, predicate, around)


def is_set_apart(statement: str, text: str) -> bool:
    """Return whether a text denies an English statement: "unlike" its subject, another is so."""
    parts = _parts(statement)
    if parts is None or _DENIES.search(statement):
        return False
    subject, predicate = parts
    verb = _VERB.search(statement)
    words = len(statement[: verb.start()].split()) + _ARTICLES if verb else 0
    for start, end in split_sentences(text):
        said = text[start:end]
        found = _SET_APART.search(said)
        if found is None:
            continue
        other = re.match(rf"(?:[^\s,]+\s*){{1,{words}}}", said[found.end() :])
        if other is None:
            continue
        rest = f"{said[: found.start()]} {said[found.end() + other.end() :]}"
        apart = subject.coverage([other[0], rest]).tolist()
        if apart[0] >= 1 > apart[1] and predicate.coverage([rest])[0] >= 1:
            return _DENIES.search(rest) is None
    return False


def _parts(statement: str) -> tuple[QueryWords, QueryWords] | None:
    """Return the telling words of subject and predicate; None: no verb parts them."""
    verb = _VERB.search(statement)
    if verb is None:
        return None
    return _telling(statement[: verb.start()]), _telling(statement[verb.end() :])


def _is_held_by_another(
    statement: str, subject: QueryWords, predicate: QueryWords, around: str
) -> bool:
    """Return whether a passage says of somebody else by name that it is "the" one, and not of it.

    A clause that begins with a pronoun may well be about the subject.
    """
    verb = _VERB.search(statement)
    if verb is None or _IS_THE.match(statement, verb.start()) is None:
        return False
    known = set(re.findall(r"\w+", statement.casefold()))
    other = False
    for start, end in split_sentences(around):
        for clause in _CLAUSE.split(around[start:end]):
            if predicate.coverage([clause])[0] < 1:
                continue
            first = next(iter(re.findall(r"\w+", clause.casefold())), "")
            if subject.coverage([clause])[0] >= 1 or first in shared_words("pronouns"):
                return False
            other = other or _names_another(clause, known)
    return other


def _names_another(clause: str, known: set[str]) -> bool:
    """Return whether a name stands by the verb of a clause, none of whose words are `known`."""
    return any(
        not known & set(re.findall(r"\w+", name.casefold()))
        for found in _HOLDER.finditer(clause)
        if (name := found["name"] or found["behind"])
    )


def _telling(text: str) -> QueryWords:
    """Return the words of a text without articles, prepositions and the like."""
    grammar = shared_words("grammar")
    return QueryWords(" ".join(w for w in re.findall(r"\w+", text) if w.casefold() not in grammar))
