"""What a user takes for granted that this session knows to be otherwise.

"Since my order 12 was delivered yesterday, ..." states something on the way to something else. It
is compared with what tools returned, documents and variables say, by the check, and only what it
is nearly sure of counts: to be told that one is wrong when one is right is worse than not to be
told. Statuses, days and amounts are compared as such, since the check reads sentences, not
"Status: SHIPPED". English alone is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from toulmin.conversation.saying import facts_of, output_of, results_of
from toulmin.conversation.stages import Call, status_denies
from toulmin.conversation.unlike import said_instead
from toulmin.conversation.words import words_of
from toulmin.domain import Fact, JsonObject
from toulmin.grounding.check import MAX_FACT_CHARACTERS, CheckSpec, GroundingChecker
from toulmin.grounding.report import CheckedClaim
from toulmin.text.sentences import split_sentences
from toulmin.work import UNLIMITED, Work

CONTRADICTED: Final = 0.9
"""Contradiction from which on a statement is called wrong."""
DOUBTED: Final = 0.3
"""The same over all that is known, from which on each line is asked about."""
CHANGED: Final = 0.7
"""The same of a statement by itself with the other day or amount in it."""
BORNE_OUT: Final = 0.5
"""Support from which on nothing more is asked: something bears it out."""
MOST: Final = 3
"""Statements of one message that are looked at."""
MOST_READ: Final = 20
"""Lines and sentences that are asked about one by one."""
MOST_KNOWN: Final = 30
"""Responses that are looked at, the latest."""
_LONGEST_SHOWN: Final = 200

_CLAUSE: Final = re.compile(
    r"\b(?:since|because|as|now that|given that|seeing (?:that|as)|considering that"
    r"|(?:even )?though|although)\s+([^,;?!\n]{3,300}?)\s*(?=[,;?!\n]|\.\s|\.?\Z)",
    re.IGNORECASE,
)
_SUBJECT: Final = re.compile(
    r"(?:my|our|the|this|that|these|those|it|i|we|he|she|they|there|its|his|her|their)\b"
    r"|(?:[a-z]+ )?#?[\w-]*\d[\w-]* |(?-i:[A-Z]\w+ )",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(r"(?:what|when|where|who|whom|why|which|how)\b", re.IGNORECASE)
_FINITE: Final = re.compile(
    r"\b(?:is|are|am|was|were|has|have|had|did|does|do|came|got|cost|said|went|left|\w{2,}(?:ed|es))"
    r"\b|\b(?:it|he|she|order|parcel|\w+)\s+\w{3,}s\b|'s\b|'ve\b|'m\b|'re\b",
    re.IGNORECASE,
)
_NO_STATEMENT: Final = re.compile(
    r"\b(?:if|whether|would|could|should|might|may|maybe|perhaps|probably|supposed|expect\w*|think"
    r"|thought|believe\w*|guess|assume\w*|hope\w*|heard|seems?|apparently|sure|almost|nearly|about"
    r"|will|going to|want\w*|need\w*|wish\w*|like|wonder\w*|prefer|please|can|cannot|can't|must|let"
    r"|told|says?|said|sorry|afraid|worried|looking|trying)\b|'d\b|'ll\b",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(r"\b(?:not|never|no|none|nothing|without)\b|n't\b", re.IGNORECASE)
_LEAST_WORDS: Final = 3


@dataclass(frozen=True, slots=True)
class Known:
    """What the session was told by one call, one passage or its variables.

    Attributes:
        lines: What it says, a line for each value or sentence: "Status: SHIPPED".
        args: What the tool was called with.
        tool: The tool's display name; empty: it is no tool's.
    """

    lines: tuple[str, ...]
    args: tuple[tuple[str, str], ...] = ()
    tool: str = ""


@dataclass(frozen=True, slots=True)
class FalsePremise:
    """A statement of the user's and what is known instead.

    Attributes:
        stated: What the user wrote, verbatim.
        known: What contradicts it, verbatim.
    """

    stated: str
    known: str

    def in_words(self) -> str:
        """Return the sentence that names it."""
        return f'You wrote "{self.stated}", but what I have says otherwise: "{self.known}".'


def statements_in(said: str) -> list[str]:
    """Return what a message states, as it stands there: whole sentences, and reasons in others."""
    found: list[str] = []
    for start, end in split_sentences(said):
        sentence = said[start:end].strip()
        clauses = [match[1].strip() for match in _CLAUSE.finditer(sentence)]
        stated = [clause for clause in clauses if _states(clause)]
        if not (stated or sentence.endswith("?")):
            stated = [text] if _states(text := sentence.rstrip(".! ")) else []
        found += stated
    return found[:MOST]


def known_from(messages: Sequence[JsonObject], variables: JsonObject) -> list[Known]:
    """Return what a session knows: the latest response of each call, and its variables.

    Args:
        messages: The API's `Message`s as JSON, oldest first.
        variables: The session's variables.
    """
    called: dict[str, JsonObject] = {}
    latest: dict[tuple[str, tuple[tuple[str, str], ...]], Known] = {}
    for message in messages:
        for chunk in message.get("chunks", ()):
            if "toolCall" in chunk:
                called[chunk["toolCall"].get("id", "")] = chunk["toolCall"]
            elif "toolResponse" in chunk:
                answer = chunk["toolResponse"]
                call = called.get(answer.get("id", ""), {})
                known = _of_response(call, answer)
                latest.pop((known.tool, known.args), None)
                latest[known.tool, known.args] = known
    lines = [line for line in facts_of(variables) if not line.startswith("_")]
    found = [*latest.values(), Known(tuple(lines))]
    return [known for known in found if known.lines][-MOST_KNOWN:]


def false_premises(
    said: str,
    known: Sequence[Known],
    passages: Sequence[str],
    *,
    checker: Callable[[], GroundingChecker],
    work: Work = UNLIMITED,
) -> list[FalsePremise]:
    """Return what a message states that is known to be otherwise.

    Args:
        said: The message.
        known: What the session knows.
        passages: Texts that the turn's answer was made from.
        checker: Returns the check.
        work: Asked before every run of the model.

    Raises:
        Cancelled: Nobody waits any more.
    """
    found = []
    latest = next((item for item in reversed(known) if item.tool), None)
    for stated in statements_in(said):
        about = [item for item in known if _is_about(item, stated, known)]
        if not (about or passages):
            continue

        def check(facts: Sequence[str], stated: str = stated) -> CheckedClaim:
            spec = CheckSpec(anti_citations=True, anti_citation_threshold=CONTRADICTED)
            report = checker().check(
                f"{stated[:1].upper()}{stated[1:]}.",
                [Fact(fact[:MAX_FACT_CHARACTERS]) for fact in facts],
                spec,
                facts_required=False,
                work=work.part(),
            )
            return report.claims[0]

        if other := _otherwise(stated, about, passages, check, latest=latest):
            found.append(FalsePremise(stated, other[:_LONGEST_SHOWN]))
    return found


def _otherwise(
    stated: str,
    about: Sequence[Known],
    passages: Sequence[str],
    check: Callable[[Sequence[str]], CheckedClaim],
    *,
    latest: Known | None,
) -> str:
    """Return what is known instead of a statement; empty: nothing is, or it is borne out."""
    lines = [line for item in about for line in item.lines]
    sentences = [_sentence(line) for line in lines]
    facts = [*("\n".join(item.lines) for item in about), *sentences, *passages]
    claim = check(facts)
    if (claim.score or 0.0) >= BORNE_OUT or not claim.needs_check:
        return ""
    if not _NEGATED.search(stated):
        of_calls = [v for item in about for _, v in item.args]
        for item, line in ((known, line) for known in about for line in known.lines):
            if status_denies(line, stated, _call_of(item, latest=item is latest)):
                return line
            changed = said_instead(stated, line, without=of_calls)
            if changed and (check([changed]).contradiction_score or 0.0) >= CHANGED:
                return line
    if (claim.contradiction_score or 0.0) < DOUBTED:
        return ""
    told = (*zip(sentences, lines, strict=True), *_sentences_of(passages))
    for text, shown in told[:MOST_READ]:
        if (check([text]).contradiction_score or 0.0) >= CONTRADICTED:
            return shown
    return ""


def _states(text: str) -> bool:
    return (
        len(text.split()) >= _LEAST_WORDS
        and _SUBJECT.match(text) is not None
        and _ASKS.match(text) is None
        and _FINITE.search(text) is not None
        and _NO_STATEMENT.search(text) is None
    )


def _of_response(call: JsonObject, answer: JsonObject) -> Known:
    output = output_of(answer.get("response", {}))
    value: Any = None if output.error else output.value
    args = tuple(sorted((name, str(item)) for name, item in call.get("args", {}).items()))
    lines = tuple(results_of(value)) if value is not None else ()
    return Known(lines, args, str(answer.get("displayName", "")))


def _call_of(item: Known, *, latest: bool) -> Call | None:
    if not item.tool:
        return None
    names = [item.tool, *(name for name, _ in item.args)]
    ids = (value.lower() for _, value in item.args if any(char.isdigit() for char in value))
    return Call(
        frozenset(word for name in names for word in words_of(name)), frozenset(ids), latest
    )


def _is_about(item: Known, stated: str, known: Sequence[Known]) -> bool:
    """Return whether what is known may be about the thing that is spoken of.

    "My order 12" is not what a call about order 13 returned; "my order" is, where there is one.
    """
    ids = [value for _, value in item.args if any(char.isdigit() for char in value)]
    if not ids:
        return True
    tokens = re.findall(r"[\w-]+", stated.lower())
    if any(value.lower() in tokens for value in ids):
        return True
    named = {word for name, _ in item.args for word in words_of(name)}
    numbered = any(
        word in named and any(char.isdigit() for char in after) for word, after in pairwise(tokens)
    )
    alone = sum(other.tool == item.tool for other in known) == 1
    return alone and not numbered


def _sentence(line: str) -> str:
    """Return a line as a sentence: "Plan: basic" is "The plan is basic."."""
    name, colon, value = line.partition(": ")
    if not colon or len(name.split()) > _LEAST_WORDS:
        return line
    return f"The {name.lower()} is {value}{'' if value.endswith('.') else '.'}"


def _sentences_of(passages: Sequence[str]) -> Iterator[tuple[str, str]]:
    for passage in passages:
        for start, end in split_sentences(passage[:MAX_FACT_CHARACTERS]):
            sentence = " ".join(passage[start:end].split())
            if sentence:
                yield sentence, sentence
