"""A sentence that is about to be said -> its claims, how well passages bear them out, and which.

Each sentence is checked before it leaves, in the light of the sentence before it, which a pronoun
may lean on: against the passages that it quotes, and against all where these do not bear it out.
What a language model says of its sources is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.answering.compose.language import yes_no_words
from toulmin.answering.passages import Passage, fact_of
from toulmin.answering.quoting import quoted_at
from toulmin.domain import Fact
from toulmin.grounding.check import MAX_FACTS, CheckSpec, GroundingChecker
from toulmin.grounding.report import GroundingReport
from toulmin.grounding.verbatim import SUPPORT
from toulmin.work import UNLIMITED, Work

_MARK = re.compile(r"\s*(?:- |\d{1,2}\. )?\s*")
LEAST_QUOTED = 0.3
"""Support from which on a passage that a sentence quotes is cited for it."""


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim of an answer with what bears it out.

    Attributes:
        start: First character in the answer's text so far.
        end: One past the last.
        score: Support in [0, 1]; None: nothing to check.
        passages: Places of the passages that bear it out, best first.
        positions: Where in the text of each of them the words that do begin.
    """

    start: int
    end: int
    score: float | None
    passages: tuple[int, ...]
    positions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Checked:
    """A check's report, and the place of the passage that each of its facts is."""

    report: GroundingReport
    places: Sequence[int]


class Citer:
    """Checks an answer sentence by sentence against the same passages.

    Args:
        checker: The grounding checker.
        passages: What the answer may rest on; the first 200 are read.
        statement_checker: Checks what is no part of the answer; None: `checker`.
        work: Asked before every run of a model.
    """

    def __init__(
        self,
        checker: GroundingChecker,
        passages: Sequence[Passage],
        *,
        statement_checker: GroundingChecker | None = None,
        work: Work = UNLIMITED,
    ) -> None:
        self._checker = checker
        self._statement_checker = statement_checker or checker
        self._passages = passages
        self._places = [i for i, passage in enumerate(passages) if passage.text.strip()]
        self._places = self._places[:MAX_FACTS]
        self._facts = [fact_of(passages[i]) for i in self._places]
        self._work = work.part()
        self._said = ""
        self._last = 0
        self._read: tuple[str, _Checked] | None = None

    def corrected(self, text: str) -> str:
        """Return `text`, which may come next, with what the passages say in its wrong details.

        Only what the check proves is replaced (`grounding/correcting`); what is borne out stays.

        Args:
            text: A sentence, with the white space before it.

        Raises:
            Cancelled: Nobody waits any more.
        """
        if not text.strip():
            return text
        before = self._said[self._last :]
        checked = self._checked(before, text, self._places, corrections=True)
        self._read = (before + text, checked)
        report = checked.report
        parts, position = [], 0
        for claim in report.claims:
            if claim.correction is not None and claim.start >= len(before):
                start = claim.start - len(before)
                parts += [text[position:start], claim.correction.text]
                position = claim.end - len(before)
        return "".join([*parts, text[position:]])

    def _against_sources(self, before: str, text: str, quoted: Sequence[int]) -> _Checked:
        """Return what the check says of `text`; what comes before has been checked already.

        A sentence that its own source bears out is cited from there, whatever the other passages
        say, so that these are only read where it does not.
        """
        if self._read is not None and self._read[0] == before + text:
            return self._read[1]
        sources = [place for place in self._places if place in quoted]
        if sources:
            found = self._checked(before, text, sources, trusts_quotes=True)
            if all(claim.citations or claim.score is None for claim in found.report.claims):
                return found
        return self._checked(before, text, self._places)

    def _checked(
        self,
        before: str,
        text: str,
        places: Sequence[int],
        *,
        corrections: bool = False,
        trusts_quotes: bool = False,
    ) -> _Checked:
        """Return what the check says of `text` against the passages at these places."""
        report = self._checker.check(
            before + text,
            self._facts_at(places),
            CheckSpec(corrections=corrections, trusts_quotes=trusts_quotes, context=len(before)),
            facts_required=False,
            work=self._work,
        )
        return _Checked(report, places)

    def _facts_at(self, places: Sequence[int]) -> list[Fact]:
        known = zip(self._places, self._facts, strict=True)
        return [fact for place, fact in known if place in places]

    def check(self, text: str, *, quoted: Sequence[int] = ()) -> list[CheckedClaim]:
        """Return the claims of `text`, which comes next after what was checked before.

        Args:
            text: A sentence, with the white space before it.
            quoted: Places of passages that it is known to quote. Of what bears it out they are
                cited alone, and they are cited, too, when the check finds nothing and does not
                doubt them. With them, a bare "Yes." or "No."
                is not checked: without its question it states nothing, and with it the composer
                had it checked.

        Raises:
            Cancelled: Nobody waits any more.
        """
        start = len(self._said)
        before = self._said[self._last :]
        self._said += text
        self._last = start
        words = text.strip()
        if not words:
            return []
        if quoted and words in yes_no_words():
            begin = start + text.index(words)
            return [CheckedClaim(begin, begin + len(words), None, tuple(quoted))]
        if in_form := self._in_form(text, start, quoted):
            return [in_form]
        checked = self._against_sources(before, text, quoted)
        report = checked.report
        shift = start - len(before)
        claims = []
        for claim in report.claims:
            if claim.end <= len(before):
                continue
            cited = [report.cited_chunks[index].fact_index for index in claim.citations]
            places = tuple(dict.fromkeys(checked.places[index] for index in cited))
            # Beside the sentence's own source the check cites what bears out the sentence before.
            places = tuple(place for place in places if place in quoted) or places
            if not places and claim.score is not None and claim.score >= LEAST_QUOTED:
                places = tuple(quoted)
            first, end = max(claim.start + shift, start), claim.end + shift
            first += len(self._said[first:end]) - len(self._said[first:end].lstrip())
            texts = [report.cited_chunks[index].text for index in claim.citations]
            positions = self._positions(places, [self._said[first:end], *texts])
            claims.append(CheckedClaim(first, end, claim.score, places, positions))
        return claims

    def _in_form(self, text: str, start: int, quoted: Sequence[int]) -> CheckedClaim | None:
        """Return a row or labelled line of a quoted passage as a claim that it bears out."""
        mark = _MARK.match(text)
        begin = mark.end() if mark else 0
        words = text[begin:].rstrip()
        for place in quoted:
            at = quoted_at(words, self._passages[place])
            if at is not None:
                first = start + begin
                return CheckedClaim(first, first + len(words), SUPPORT, (place,), (at,))
        return None

    def note(self, text: str, places: Sequence[int]) -> list[CheckedClaim]:
        """Return a sentence of the composer's own about its sources as a claim that is not checked.

        Args:
            text: The sentence, with the white space before it.
            places: Places of the passages that it is about; they are cited.
        """
        begin = len(self._said) + len(text) - len(text.lstrip())
        self._last = len(self._said)
        self._said += text
        return [CheckedClaim(begin, len(self._said), None, tuple(places))]

    def support(self, statement: str, places: Sequence[int]) -> float:
        """Return how well the passages at these places bear a statement out, in [0, 1].

        It is no part of the answer. A statement that needs no check has a support of 1.

        Raises:
            Cancelled: Nobody waits any more.
        """
        report = self._statement_checker.check(
            statement,
            self._facts_at(places),
            CheckSpec(),
            facts_required=False,
            work=self._work,
        )
        scores = [claim.score for claim in report.claims if claim.score is not None]
        return min(scores, default=1.0)

    def _positions(self, places: Sequence[int], texts: Sequence[str]) -> tuple[int, ...]:
        """Return where in each passage the first of the texts begins that stands in it; 0: none."""
        return tuple(
            next((at for text in texts if (at := self._passages[place].text.find(text)) >= 0), 0)
            for place in places
        )
