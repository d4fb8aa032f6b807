# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""Questions that can be answered with yes or no: what they would state, and whether it is so.

"Is the Varn Bridge open?" states "the Varn Bridge is open". The statement and its denial are only
checked, never said, so that their grammar need not be perfect ("Ada did build it"). Yes and no are
said where the check bears out the one and not the other, and the evidence does not say it of
another subject or another bound ("within 30 days" for "after 30 days").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from toulmin.answering.compose.commands import without_commands
from toulmin.answering.compose.fit import telling_words
from toulmin.answering.compose.language import shared_words, words_of
from toulmin.answering.compose.of_another import is_set_apart, says_of_another
from toulmin.answering.passages import Passage, fact_of
from toulmin.domain import Fact, FactChunk
from toulmin.grounding.check import CheckSpec, GroundingChecker
from toulmin.grounding.report import CheckedClaim
from toulmin.retrieval.coverage import QueryWords
from toulmin.text.languages import is_elsewhere
from toulmin.text.sentences import split_sentences
from toulmin.work import UNLIMITED, Work

LEAST_SUPPORT = 0.7
"""Support from which on the answer is yes."""
LEAST_CONTRADICTION = 0.8
"""Contradiction from which on it is no."""
_DID = re.compile(r"(?<=\w )did (?=[a-z])")
"""Statements are checked without it: "Ada did build it" is read as said with doubt."""
_DOUBT = 0.5
"""Support, or contradiction, of the opposite from which on neither is said."""
_MOST_FACTS = 5
_LEAST_SHARED = 0.25
"""Share of the question's telling words, by weight, that what says yes or no must have."""
_MOST_SENTENCES = 12
"""Of a stretch, that are checked one by one."""
_BOUND = re.compile(
    r"\b(?:(?P<beyond>after|over|above|beyond|exceeding|past|(?:more|longer|later|greater|older"
    r"|larger|higher) than)"
    r"|within|under|below|before|up to|until|by|inside|at most|no (?:more|later|longer) than"
    r"|(?:less|fewer|shorter|smaller|lower|younger|earlier) than)"
    r"\s+(?:the\s+|a\s+)?(?P<number>\d[\d.,]*\d|\d)",
    re.IGNORECASE,
)
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
        sentence: The range of the one sentence of it that says so; all of it where none does.
        probability: That it is so, in [0, 1].
    """

    yes: bool
    passage: int
    start: int
    end: int
    sentence: tuple[int, int]
    probability: float


def judge(
    query: str,
    language: str,
    passages: Sequence[Passage],
    checker: GroundingChecker,
    *,
    work: Work = UNLIMITED,
) -> Verdict | None:
    """Return whether passages bear out or contradict what a question states; None: neither.

    Args:
        query: A question that can be answered with yes or no.
        language: Code of its language.
        passages: The first 5 are read.
        checker: What says so.
        work: Asked before every run of the model.

    Raises:
        Cancelled: Nobody waits any more.
    """
    read = [(i, p) for i, p in enumerate(passages) if p.text.strip()][:_MOST_FACTS]
    texts = [passage.text for _, passage in read]
    statement = statement_of(query, language, texts)
    if not statement or not read:
        return None
    read = [
        (i, replace(p, text=without_commands(within_bounds(statement, p.text)))) for i, p in read
    ]
    read = [(i, p) for i, p in read if p.text.strip()]
    if not read:
        return None
    facts = [fact_of(passage) for _, passage in read]
    denial = statement_of(query, language, texts, denied=True)
    stated = [_DID.sub("", statement, count=1), *([denial] if denial else [])]
    found, *others = _checked(stated, facts, checker, work)
    if found is None:
        return None
    denied = others[0] if others else None
    claim, chunks = found
    against = denied[0].score or 0.0 if denied else 0.0
    told = stated[0]
    if claim.citations and against < _DOUBT and (claim.contradiction_score or 0.0) < _DOUBT:
        yes, probability, chunk = True, claim.score, chunks[claim.citations[0]]
    elif claim.anti_citations and (claim.score or 0.0) < _DOUBT:
        yes, probability = False, claim.contradiction_score
        chunk = chunks[claim.anti_citations[0]]
    elif denied and denied[0].citations and (claim.score or 0.0) < _DOUBT:
        yes, probability, chunk = False, against, denied[1][denied[0].citations[0]]
        told = denial
    else:
        return None
    passage = read[chunk.fact_index][1]
    said = passage.text[chunk.start : chunk.end]
    apart = yes and is_set_apart(statement, said)
    if yes and not apart and says_of_another(statement, said, passage.text):
        return None
    sentence = _sentence_that_says(told, passage, (chunk.start, chunk.end), checker, work)
    if not _is_about(query, passages[read[chunk.fact_index][0]], *sentence):
        return None
    return Verdict(
        yes=yes and not apart,
        passage=read[chunk.fact_index][0],
        start=chunk.start,
        end=chunk.end,
        sentence=sentence,
        probability=probability or 0.0,
    )


def _is_about(query: str, passage: Passage, start: int, end: int) -> bool:
    """Return whether a stretch has something of what is asked about, title and headings included.

    A check is of a statement and may be wrong by chance; of five passages one may well contradict
    what it says nothing of. Of another language nothing is demanded: it has other words for it.
    """
    telling = telling_words(query)
    if not telling or is_elsewhere(query, passage.text):
        return True
    said = " ".join((*passage.headings, passage.text[start:end]))
    return float(QueryWords(" ".join(telling)).coverage([said])[0]) >= _LEAST_SHARED


def _sentence_that_says(
    statement: str,
    passage: Passage,
    stretch: tuple[int, int],
    checker: GroundingChecker,
    work: Work,
) -> tuple[int, int]:
    """Return the sentence of a stretch that bears a statement out, or contradicts it, by itself.

    What none does stays the whole stretch: its sentences say it together.
    """
    start, end = stretch
    sentences = [(start + a, start + b) for a, b in split_sentences(passage.text[start:end])]
    if not 1 < len(sentences) <= _MOST_SENTENCES:
        return stretch
    facts = [fact_of(replace(passage, text=passage.text[a:b])) for a, b in sentences]
    spec = CheckSpec(citation_threshold=_DOUBT, anti_citations=True, anti_citation_threshold=_DOUBT)
    (report,) = checker.check_each([statement], facts, spec, work=work.part())
    claim = next((claim for claim in report.claims if claim.needs_check), None)
    if claim is None:
        return stretch
    found = claim.citations or claim.anti_citations
    return sentences[report.cited_chunks[found[0]].fact_index] if found else stretch


def _checked(
    statements: Sequence[str],
    facts: Sequence[Fact],
    checker: GroundingChecker,
    work: Work,
) -> Iterator[tuple[CheckedClaim, Sequence[FactChunk]] | None]:
    """Yield what the check says of each statement; None: it is not one claim."""
    spec = CheckSpec(
        citation_threshold=LEAST_SUPPORT,
        anti_citations=True,
        anti_citation_threshold=LEAST_CONTRADICTION,
    )
    for report in checker.check_each(statements, facts, spec, work=work.part()):
        claims = [claim for claim in report.claims if claim.needs_check]
        yield (claims[0], report.cited_chunks) if len(claims) == 1 else None


def within_bounds(statement: str, text: str) -> str:
    """Return a text with blanks for sentences with a number of the statement on its other side.

    "Within 30 days" and "after 30 days" are the two sides of a bound. Offsets stay what they are.
    """
    asked = {match["number"]: _side(match) for match in _BOUND.finditer(statement)}
    kept = text
    for start, end in split_sentences(text) if asked else ():
        sides = {m["number"]: _side(m) for m in _BOUND.finditer(text[start:end])}
        if any(sides.get(number, side) is not side for number, side in asked.items()):
            kept = kept[:start] + " " * (end - start) + kept[end:]
    return kept


def on_asked_side(query: str, passages: Sequence[Passage]) -> list[Passage]:
    """Return passages without sentences on the other side of a bound that the question names.

    They stay where no sentence is on its own side: then they are the nearest to an answer.
    """
    asked = {(match["number"], _side(match)) for match in _BOUND.finditer(query)}
    if not any((m["number"], _side(m)) in asked for p in passages for m in _BOUND.finditer(p.text)):
        return list(passages)
    return [replace(p, text=within_bounds(query, p.text)) for p in passages]


def _side(match: re.Match[str]) -> bool:
    """Return whether a bound leaves what is beyond it: "after", "more than"."""
    return match["beyond"] is not None


def statement_of(query: str, language: str, texts: Sequence[str], *, denied: bool = False) -> str:
    """Return what a yes/no question states, as a sentence; empty: it cannot be told.

    Args:
        query: The question.
        language: Code of its language.
        texts: Passages; the subject ends where the words that stand in them do.
        denied: Return its denial, in English alone.
    """
    if denied and language != "en":
        return ""
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
    return _sentence([*rest[:at], verb, *(["not"] if denied else []), *rest[at:]])


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
