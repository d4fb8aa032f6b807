"""Each claim goes to the model that knows its language and that of its evidence.

In: claims, evidence and facts. Out: their scores, by the English grounding model where both are
English, by the multilingual one where either is not, and by the small model where the letters are
of a script that neither was trained on. A claim that stands in a fact word for word has one more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from toulmin.domain import Claim, Fact
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.support import PairScore, SupportScorer
from toulmin.grounding.verbatim import add_verbatim
from toulmin.text.languages import find_language
from toulmin.text.scripts import HAN_LETTERS, KANA_LETTERS, LATIN
from toulmin.work import UNLIMITED, Work

ENGLISH, MULTILINGUAL, OTHER = "english", "multilingual", "other"
_LATIN = re.compile(f"[{LATIN}]")
_READ_BY_MULTILINGUAL = re.compile(f"[{LATIN}{HAN_LETTERS}{KANA_LETTERS}]")


class ScorerByLanguage:
    """Scores evidence with the scorer for its language.

    Args:
        english: Scores English claims over English evidence.
        multilingual: Scores claims where either is in another language with Latin, Chinese or
            Japanese letters; None leaves those in Latin letters to `english`.
        other_scripts: Scores the rest.
    """

    def __init__(
        self,
        english: SupportScorer,
        multilingual: SupportScorer | None,
        other_scripts: SupportScorer,
    ) -> None:
        self._scorers: Mapping[str, SupportScorer] = {
            ENGLISH: english,
            MULTILINGUAL: multilingual or english,
            OTHER: other_scripts,
        }
        self._reads_others = multilingual is not None

    def score(
        self,
        claims: Sequence[Claim],
        evidence: Sequence[Sequence[Evidence]],
        facts: Sequence[Fact],
        *,
        work: Work = UNLIMITED,
    ) -> list[list[PairScore]]:
        """Return the scores of each claim's evidence, in the order of the evidence.

        Raises:
            Cancelled: Nobody waits any more.
        """
        sides = [
            self._side(claim, items) if items else ENGLISH
            for claim, items in zip(claims, evidence, strict=True)
        ]
        found: list[list[PairScore]] = [[] for _ in claims]
        for side, scorer in self._scorers.items():
            places = [place for place, chosen in enumerate(sides) if chosen == side]
            scores = scorer.score(
                [claims[place] for place in places],
                [evidence[place] for place in places],
                facts,
                work=work,
            )
            for place, pairs in zip(places, scores, strict=True):
                found[place] = pairs
        return add_verbatim(claims, facts, found)

    def _side(self, claim: Claim, items: Sequence[Evidence]) -> str:
        """Return which scorer reads a claim and its evidence."""
        if not self._reads_others:
            return ENGLISH if _is_written_in(_LATIN, claim.text) else OTHER
        text = " ".join(chunk.text for item in items for chunk in item.chunks)
        around = find_language(text)
        is_english = around == find_language(claim.text, fallback=around) == "en"
        # A language that is not among those known by their words counts as English.
        if is_english and all(_is_written_in(_LATIN, part) for part in (claim.text, text)):
            return ENGLISH
        known = _is_written_in(_READ_BY_MULTILINGUAL, claim.text)
        return MULTILINGUAL if known else OTHER


def _is_written_in(script: re.Pattern[str], text: str) -> bool:
    """Return whether half of the letters at least are of `script`; true without letters."""
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(script.match(character) is not None for character in letters) >= len(letters)
