"""Is this question answered, and is this answer given? Each refusal has its reason and its rule.

Before the search: the classes that the caller ignores, the customer's own phrases, safety. After
it: whether what was found answers, and whether any of it is relevant. After composing: phrases and
safety again, how well it is grounded, whether it helps. How the thresholds were chosen:
docs/decisions/0017-when-not-to-answer.md and 0032-contrast-sets.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from toulmin.answering.answer import BlockedRating, SkippedReason
from toulmin.answering.passages import Passage
from toulmin.answering.question import BlockThreshold, FilteringLevel, UnderstoodClass
from toulmin.grounding.prompt_intent import read_intent
from toulmin.retrieval.coverage import QueryWords
from toulmin.safety.ratings import HarmCategory, HarmProbability, SafetyRating
from toulmin.text.languages import is_elsewhere, language_cues
from toulmin.text.words import fold_text

LEAST_RELEVANCE: Final = 0.05
"""Relevance of the best passage below which a question is out of the corpus's domain, unless..."""
SURELY_ANSWERABLE: Final = 0.7
"""... the passages answer it with this probability. Relevance is calibrated on large corpora; on a
few pages a question that hardly shares a word with the passage that answers it has a low one."""
_WORD: Final = re.compile(r"\w+")
COVERS: Final = 0.8
"""Share of its telling words in one passage from which on a question is in the domain."""
LEAST_ANSWERABLE: Final = 0.4
"""Probability that the passages answer, below which they have no relevant content."""
LEAST_ACROSS: Final = 0.35
"""The same where the best of them is in another language than the question: there the reader is
less sure of what it finds (0069)."""
LEAST_CERTAIN: Final = 0.45
"""The same where the English model has read them: that what would be said answers."""
SURELY_CERTAIN: Final = 0.5
"""The same as `SURELY_ANSWERABLE` where it has."""
LEAST_GROUNDED: Final = {FilteringLevel.LOW: 0.3, FilteringLevel.HIGH: 0.6}
"""Mean support of an answer's claims below which it is held back, by level."""
LEAST_STATED: Final = 0.1
"""Support of question and answer together, as a statement, below which the answer is not given."""
LEAST_HELPFUL: Final = 0.2
"""Helpfulness (grounding/helpfulness.py) that an answer, or its beginning, must have."""

_REASONS: Final = {
    UnderstoodClass.ADVERSARIAL: SkippedReason.ADVERSARIAL_QUERY_IGNORED,
    UnderstoodClass.CHIT_CHAT: SkippedReason.NON_ANSWER_SEEKING_QUERY_IGNORED,
    UnderstoodClass.NO_CLEAR_INTENT: SkippedReason.NON_ANSWER_SEEKING_QUERY_IGNORED_V2,
    UnderstoodClass.JAILBREAK: SkippedReason.JAIL_BREAKING_QUERY_IGNORED,
    UnderstoodClass.USER_DEFINED: SkippedReason.USER_DEFINED_CLASSIFICATION_QUERY_IGNORED,
}
_LEVELS: Final = {
    BlockThreshold.LOW_AND_ABOVE: HarmProbability.LOW,
    BlockThreshold.MEDIUM_AND_ABOVE: HarmProbability.MEDIUM,
    BlockThreshold.ONLY_HIGH: HarmProbability.HIGH,
}
DEFAULT_THRESHOLD: Final = BlockThreshold.MEDIUM_AND_ABOVE


def reasons_of_classes(
    found: Sequence[tuple[UnderstoodClass, bool]], ignored: frozenset[UnderstoodClass]
) -> tuple[SkippedReason, ...]:
    """Return why a question of these classes is not answered."""
    return tuple(_REASONS[name] for name, positive in found if positive and name in ignored)


def holds_phrase(text: str, phrases: Sequence[str]) -> bool:
    """Return whether one of the customer's phrases stands in a text, capitals and blanks aside."""
    words = " ".join(text.casefold().split())
    return any(" ".join(phrase.casefold().split()) in words for phrase in phrases if phrase.strip())


def rated(
    ratings: Sequence[SafetyRating], thresholds: Mapping[HarmCategory, BlockThreshold]
) -> tuple[BlockedRating, ...]:
    """Return the ratings, each with whether it blocks the text."""
    return tuple(
        BlockedRating(rating, _blocks(rating, thresholds.get(rating.category, DEFAULT_THRESHOLD)))
        for rating in ratings
    )


def _blocks(rating: SafetyRating, threshold: BlockThreshold) -> bool:
    level = _LEVELS.get(threshold)
    return level is not None and rating.probability >= level


def worst(
    first: Sequence[BlockedRating], second: Sequence[BlockedRating]
) -> tuple[BlockedRating, ...]:
    """Return for each category the worse of two ratings, in the order of the first."""
    others = {item.rating.category: item for item in second}
    found = []
    for item in first:
        other = others.get(item.rating.category, item)
        found.append(
            max(item, other, key=lambda one: (one.rating.probability, one.rating.score or 0))
        )
    return tuple(found)


def is_relevant(passage: Passage) -> bool:
    """Return whether a passage may be relevant; one of unknown relevance may."""
    return passage.relevance is None or passage.relevance >= LEAST_RELEVANCE


def covers(query: str, passages: Sequence[Passage]) -> bool:
    """Return whether a passage has nearly all telling words of a question, by weight.

    Its title and headings count; function words and those that ask do not.
    """
    intent = read_intent(query)
    silent = language_cues()[intent.language].function_words | intent.asking_words
    telling = [word for word in _WORD.findall(query) if fold_text(word) not in silent]
    words = QueryWords(" ".join(telling))
    whole = [" ".join((p.title, *p.headings, p.text)) for p in passages]
    return max(words.coverage(whole).tolist(), default=0.0) >= COVERS


def crosses(query: str, passages: Sequence[Passage]) -> bool:
    """Return whether the best passage is in another language than the question."""
    return is_elsewhere(query, next((p.text for p in passages if p.text.strip()), ""))


def reasons_of_search(
    passages: Sequence[Passage],
    answerable: float,
    *,
    covers: bool = False,
    judged: bool = False,
    across: bool = False,
) -> tuple[SkippedReason, ...]:
    """Return why a question is not answered from these passages.

    Args:
        passages: What was found or brought. Those of unknown relevance may be relevant.
        answerable: Probability in [0, 1] that they answer.
        covers: Whether one has nearly all words of the question, so that it is not foreign.
        judged: Whether the grounding model has judged them.
        across: Whether the best of them is in another language than the question.
    """
    relevant = covers or any(map(is_relevant, passages))
    least, surely = (
        (LEAST_CERTAIN, SURELY_CERTAIN) if judged else (LEAST_ANSWERABLE, SURELY_ANSWERABLE)
    )
    if across and not judged:
        least = LEAST_ACROSS
    if answerable < surely and not relevant:
        return (SkippedReason.OUT_OF_DOMAIN_QUERY_IGNORED,)
    if answerable < least:
        return (SkippedReason.NO_RELEVANT_CONTENT,)
    return ()


def is_badly_grounded(score: float, level: FilteringLevel) -> bool:
    """Return whether an answer of this grounding score is held back."""
    return level is not FilteringLevel.NONE and score < LEAST_GROUNDED[level]
