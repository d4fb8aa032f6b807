"""Who is "it"? Puts the subject of an earlier sentence in the place of a leading pronoun.

"Titanic was directed by James Cameron. It was released in 1997." becomes "Titanic was released in
1997.". The encoder reads that more surely than a pronoun with its context beside it. Only plain
English cases are resolved; in all others the claim is read together with its context.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from toulmin.domain import Claim
from toulmin.grounding.typed_words import MONTHS, WEEKDAYS

_PRONOUN = re.compile(r"(It|He|She|They|Its|His|Their)\b(?!['\u2019])")
_POSSESSIVE = frozenset({"Its", "His", "Their"})
_NAME_WORD = re.compile(r"[A-Z0-9][\w.&'\u2019-]*")
_LINKS = frozenset({"of", "the", "de", "del", "der", "van", "von", "and", "for", "in"})
_VERB = re.compile(
    r"(is|was|are|were|has|had|have|can|may|will|would|should|must|did|does|became|won|began|grew"
    r"|[a-z]{3,}(ed|s))\b"
)
_OPENERS = re.compile(
    r"(The|A|An|In|On|At|By|For|From|To|With|And|But|Or|As|If|When|While|After|Before|This|That"
    r"|These|Those|There|It|He|She|They|We|I|You|Its|His|Her|Their|Our|My|Your)$"
)
_PERSONS = frozenset({"He", "She", "His"})
_CAPITALISED = re.compile(
    r"(?:(?P<before>[\w'\u2019-]+),? +)?(?P<name>[A-Z][\w&'\u2019-]*(?: +[A-Z][\w&'\u2019-]*)*)"
)
# What these lead to is a place or a time, and nobody's "he" or "she".
_NO_PERSON_AFTER = frozenset({"in", "at", "on", "near", "from", "into", "during", "since", "until"})
_EXPLETIVE = re.compile(
    r"It\s+(?:(?:is|was)\s+)?(?:rain|snow|hail|pour)(?:ed|ing|s)\b"
    r"|It\s+(?:takes|took|seems|seemed|appears|appeared|turned\s+out|turns\s+out)\b"
    r"|It\s+(?:is|was|will\s+be)\s+(?:not\s+)?(?:\w+\s+){1,2}(?:that|whether)\b"
    r"|It\s+(?:is|was|will\s+be)\s+(?:not\s+|very\s+|too\s+)?(?:possible|impossible|important"
    r"|necessary|easy|hard|difficult|common|clear|likely|unlikely|best|better|wise|illegal"
    r"|forbidden|allowed|safe|useful|late|early|dark|cold|warm|hot|sunny)\b"
)
"""An "it" that stands for nothing."""
_LONGEST_SUBJECT = 60


@dataclass(frozen=True, slots=True)
class ResolvedClaim:
    """A claim whose first word was replaced.

    Attributes:
        text: The claim with the subject in place of the pronoun.
        subject_length: Characters of the subject, at the start of `text`.
        pronoun_length: Characters of the pronoun that it replaces.
    """

    text: str
    subject_length: int
    pronoun_length: int

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the claim as it was that a range of `text` stands for."""
        shift = self.pronoun_length - self.subject_length
        return (
            start + shift if start >= self.subject_length else 0,
            end + shift if end > self.subject_length else self.pronoun_length,
        )


def spell_out(claim: Claim) -> Claim:
    """Return the claim as it is to be read: its subject spelt out, or unchanged.

    Its range stays that of the sentence in the answer.
    """
    resolved = resolve_subject(claim.text, claim.context)
    return replace(claim, text=resolved.text, context="") if resolved else claim


def resolve_subject(claim: str, context: str) -> ResolvedClaim | None:
    """Return the claim with its subject spelt out, or None where that is not plain.

    Args:
        claim: A sentence that begins with "It", "He", "She", "They" or a possessive of these.
        context: Earlier sentences; the subject is the name that begins the first of them. "He" and
            "she" may be any other that they name: "Marie Curie married Pierre Curie. He died ...".
    """
    pronoun = _PRONOUN.match(claim)
    if pronoun is None or _EXPLETIVE.match(claim):
        return None
    subject = _leading_name(context)
    if not subject or (pronoun[0] in _PERSONS and _names_somebody(context[len(subject) :])):
        return None
    if pronoun[0] in _POSSESSIVE:
        subject += "'" if subject.endswith("s") else "'s"
    return ResolvedClaim(subject + claim[pronoun.end() :], len(subject), pronoun.end())


def _names_somebody(text: str) -> bool:
    """Return whether a text behind the subject has a name that may be a person's."""
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        for found in _CAPITALISED.finditer(sentence.lstrip()):
            begins = found.start("name") == 0 and not found["before"]
            if begins and (_OPENERS.match(found["name"]) or _PRONOUN.match(found["name"])):
                continue
            if (found["before"] or "").lower() in _NO_PERSON_AFTER or _is_time(found["name"]):
                continue
            return True
    return False


def _is_time(word: str) -> bool:
    return word.lower() in MONTHS or word.lower() in WEEKDAYS


def _leading_name(context: str) -> str:
    """Return the capitalised words before the first verb, or "" where they are no name."""
    words = context[: 2 * _LONGEST_SUBJECT].split(" ")
    taken: list[str] = []
    for word in words:
        if taken and _VERB.fullmatch(word):
            break
        if not (_NAME_WORD.fullmatch(word) or (taken and word in _LINKS)):
            return ""
        taken.append(word)
    else:
        return ""
    subject = " ".join(taken)
    has_name = any(
        _NAME_WORD.fullmatch(w) and not _OPENERS.match(w) and not _is_time(w) for w in taken
    )
    starts_well = not _OPENERS.match(taken[0]) or taken[0] == "The"
    return subject if has_name and starts_well and len(subject) <= _LONGEST_SUBJECT else ""
