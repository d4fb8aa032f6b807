# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""Questions that can be answered with yes or no: what they would state, and whether it is so.

"Is the Varn Bridge open?" states "the Varn Bridge is open". The statement is only checked, never
said, so that its grammar need not be perfect ("Ada did build it").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from toulmin.answering.compose.language import shared_words, words_of
from toulmin.answering.passages import Passage
from toulmin.domain import Fact
from toulmin.grounding.check import MAX_FACT_CHARACTERS, CheckSpec, GroundingChecker

LEAST_SUPPORT = 0.8
"""Support from which on the answer is yes."""
LEAST_CONTRADICTION = 0.8
"""Contradiction from which on it is no."""
_MOST_FACTS = 5
_LONGEST_SUBJECT = 8
_ASIAN_END = re.compile(r"(?:(?<=[すたん])か|[吗嗎])?[?？。\s]*$")
_PARTICIPLE = re.compile(
    r"\w+(?:ed|ing|en)|built|made|held|sold|found|led|lost|won|born|kept|paid|sent|set|cut|put"
)
_FRENCH_INVERTED = re.compile(r"-t?-?(?:il|elle|ils|elles|on)\b")
_FRENCH_ASKS = re.compile(r"est-ce qu(?:e\s|['’])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether what a question states is so.

    Attributes:
        yes: Whether it is.
        passage: Place of the passage that says so.
        start: First character there of what says so.
        end: One past the last.
        probability: That it is so, in [0, 1].
    """

    yes: bool
    passage: int
    start: int
    end: int
    probability: float


def judge(
    query: str,
    language: str,
    passages: Sequence[Passage],
    checker: GroundingChecker,
    *,
    should_stop: Callable[[], bool] = lambda: False,
) -> Verdict | None:
    """Return whether passages bear out or contradict what a question states; None: neither.

    Args:
        query: A question that can be answered with yes or no.
        language: Code of its language.
        passages: The first 5 are read.
        checker: What says so.
        should_stop: Asked before every run of the model.

    Raises:
        Cancelled: `should_stop()` became true.
    """
    read = [(i, p) for i, p in enumerate(passages) if p.text.strip()][:_MOST_FACTS]
    statement = statement_of(query, language, [passage.text for _, passage in read])
    if not statement or not read:
        return None
    facts = [
        Fact(p.text[:MAX_FACT_CHARACTERS], {"title": p.title} if p.title else {}) for _, p in read
    ]
    spec = CheckSpec(
        citation_threshold=LEAST_SUPPORT,
        anti_citations=True,
        anti_citation_threshold=LEAST_CONTRADICTION,
    )
    report = checker.check(statement, facts, spec, should_stop=should_stop)
    claims = [claim for claim in report.claims if claim.needs_check]
    if len(claims) != 1:
        return None
    claim = claims[0]
    places = claim.citations or claim.anti_citations
    if not places:
        return None
    chunk = report.cited_chunks[places[0]]
    probability = claim.score if claim.citations else claim.contradiction_score
    return Verdict(
        yes=bool(claim.citations),
        passage=read[chunk.fact_index][0],
        start=chunk.start,
        end=chunk.end,
        probability=probability or 0.0,
    )


def statement_of(query: str, language: str, texts: Sequence[str]) -> str:
    """Return what a yes/no question states, as a sentence; empty: it cannot be told.

    Args:
        query: The question.
        language: Code of its language.
        texts: Passages; the subject ends where the words that stand in them do.
    """
    plain = query.strip()
    if language in {"ja", "zh"}:
        return f"{_ASIAN_END.sub('', plain)}。"
    words = words_of(language)
    if words is None:
        return ""
    plain = plain.strip("¿? \u00a0\t\n")
    if language == "fr":
        plain = _FRENCH_ASKS.sub("", plain)
    auxiliary = words.auxiliary.match(plain + " ")
    if auxiliary is None:
        stated = _FRENCH_INVERTED.sub("", plain, count=1) if language == "fr" else plain
        return "" if language == "en" else _sentence(stated.split())
    rest = plain[auxiliary.end() :].split()
    if len(rest) < 2:
        return ""
    verb = re.sub(r"n['’]t$", "", auxiliary[1].lower())
    verb = {"ca": "can", "wo": "will"}.get(verb, verb)
    at = _subject_length(rest, words.stops, texts, verb)
    return _sentence([*rest[:at], verb, *rest[at:]])


def _subject_length(
    words: Sequence[str], stops: frozenset[str], texts: Sequence[str], verb: str
) -> int:
    """Return how many words the subject takes: as many as stand in a passage in one run.

    If none do, it ends before a stop, or before the verb in front of that.
    """
    if words[0].casefold() in shared_words("pronouns"):
        return 1
    first = 1 + (words[0].casefold() in shared_words("articles"))
    limit = min(len(words) - 1, _LONGEST_SUBJECT)
    for place in range(first, limit):
        links = words[place - 1 : place + 1]
        if words[place].casefold() in stops and not shared_words("links").intersection(links):
            limit = place
            break
    folded = [" ".join(re.findall(r"[\w'’-]+", text.casefold())) for text in texts]
    for length in range(limit, first - 1, -1):
        run = " ".join(re.findall(r"[\w'’-]+", " ".join(words[:length]).casefold()))
        if any(re.search(rf"(?<!\w){re.escape(run)}(?!\w)", text) for text in folded):
            return length
    before_stop = limit < min(len(words) - 1, _LONGEST_SUBJECT)
    if before_stop and (verb in {"do", "does", "did"} or _PARTICIPLE.fullmatch(words[limit - 1])):
        limit -= 1
    return max(first, limit) if limit > 0 else 1


def _sentence(words: Sequence[str]) -> str:
    text = " ".join(words).rstrip(" .?!")
    return f"{text[:1].upper()}{text[1:]}." if text else ""
