"""A sentence that is about to be said -> its claims, how well passages bear them out, and which.

Each sentence is checked against all passages before it leaves, in the light of the sentence before
it, which a pronoun may lean on. What a language model says of its sources is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from toulmin.answering.compose.language import yes_no_words
from toulmin.answering.passages import Passage
from toulmin.domain import Fact
from toulmin.grounding.check import MAX_FACT_CHARACTERS, MAX_FACTS, CheckSpec, GroundingChecker

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
    """

    start: int
    end: int
    score: float | None
    passages: tuple[int, ...]


class Citer:
    """Checks an answer sentence by sentence against the same passages.

    Args:
        checker: The grounding checker.
        passages: What the answer may rest on; the first 200 are read.
        should_stop: Asked before every run of a model.
    """

    def __init__(
        self,
        checker: GroundingChecker,
        passages: Sequence[Passage],
        *,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._checker = checker
        self._places = [i for i, passage in enumerate(passages) if passage.text.strip()]
        self._places = self._places[:MAX_FACTS]
        self._facts = [_fact(passages[i]) for i in self._places]
        self._should_stop = should_stop
        self._said = ""
        self._last = 0

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
            Cancelled: The caller is gone.
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
        report = self._checker.check(
            before + text,
            self._facts,
            CheckSpec(),
            facts_required=False,
            should_stop=self._should_stop,
        )
        shift = start - len(before)
        claims = []
        for claim in report.claims:
            if claim.end <= len(before):
                continue
            cited = [report.cited_chunks[index].fact_index for index in claim.citations]
            places = tuple(dict.fromkeys(self._places[index] for index in cited))
            # Beside the sentence's own source the check cites what bears out the sentence before.
            places = tuple(place for place in places if place in quoted) or places
            if not places and claim.score is not None and claim.score >= LEAST_QUOTED:
                places = tuple(quoted)
            first, end = max(claim.start + shift, start), claim.end + shift
            first += len(self._said[first:end]) - len(self._said[first:end].lstrip())
            claims.append(CheckedClaim(first, end, claim.score, places))
        return claims


def _fact(passage: Passage) -> Fact:
    attributes = {"title": passage.title, "section": " > ".join(passage.headings)}
    named = {key: value for key, value in attributes.items() if value}
    return Fact(passage.text[:MAX_FACT_CHARACTERS], named)
