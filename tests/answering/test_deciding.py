"""The rules by which a question or an answer is refused, each at its edge."""

from __future__ import annotations

import pytest

from toulmin.answering import deciding
from toulmin.answering.answer import SkippedReason
from toulmin.answering.passages import Passage
from toulmin.answering.question import BlockThreshold, FilteringLevel, UnderstoodClass
from toulmin.safety.ratings import HarmCategory, HarmProbability, SafetyRating


def passage(relevance: float | None) -> Passage:
    return Passage(text="Words.", relevance=relevance)


def rating(category: HarmCategory, probability: HarmProbability, score: float) -> SafetyRating:
    return SafetyRating(category=category, probability=probability, score=score)


@pytest.mark.parametrize(
    ("relevances", "answerable", "reasons"),
    [
        ([0.9, 0.01], 0.41, ()),
        ([0.9], 0.39, (SkippedReason.NO_RELEVANT_CONTENT,)),
        ([0.05], 0.41, ()),
        ([0.049, 0.0], 0.69, (SkippedReason.OUT_OF_DOMAIN_QUERY_IGNORED,)),
        ([0.049], 0.71, ()),
        ([0.0], 0.1, (SkippedReason.OUT_OF_DOMAIN_QUERY_IGNORED,)),
        ([0.0, None], 0.69, ()),
        ([None], 0.1, (SkippedReason.NO_RELEVANT_CONTENT,)),
    ],
)
def test_what_was_found_answers_or_not(
    relevances: list[float | None], answerable: float, reasons: tuple[SkippedReason, ...]
) -> None:
    found = [passage(relevance) for relevance in relevances]
    assert deciding.reasons_of_search(found, answerable) == reasons


@pytest.mark.parametrize(
    ("relevance", "answerable", "reasons"),
    [
        (0.01, 0.5, ()),
        (0.9, 0.45, ()),
        (0.01, 0.49, (SkippedReason.OUT_OF_DOMAIN_QUERY_IGNORED,)),
        (0.9, 0.44, (SkippedReason.NO_RELEVANT_CONTENT,)),
    ],
)
def test_judged_passages_have_thresholds_of_their_own(
    relevance: float, answerable: float, reasons: tuple[SkippedReason, ...]
) -> None:
    found = deciding.reasons_of_search([passage(relevance)], answerable, judged=True)
    assert found == reasons


def test_only_ignored_classes_are_reasons() -> None:
    found = [
        (UnderstoodClass.ADVERSARIAL, True),
        (UnderstoodClass.CHIT_CHAT, True),
        (UnderstoodClass.JAILBREAK, False),
    ]
    ignored = frozenset({UnderstoodClass.CHIT_CHAT, UnderstoodClass.JAILBREAK})
    assert deciding.reasons_of_classes(found, ignored) == (
        SkippedReason.NON_ANSWER_SEEKING_QUERY_IGNORED,
    )


@pytest.mark.parametrize(
    ("text", "phrase", "held"),
    [
        ("What is PROJECT\n Nightingale?", "project  nightingale", True),
        ("What is project night?", "project nightingale", False),
        ("anything", "  ", False),
        ("STRASSE", "straße", True),
    ],
)
def test_phrases_are_found_whatever_their_case_and_blanks(
    text: str, phrase: str, *, held: bool
) -> None:
    assert deciding.holds_phrase(text, [phrase]) is held


@pytest.mark.parametrize(
    ("threshold", "blocked_from"),
    [
        (BlockThreshold.LOW_AND_ABOVE, HarmProbability.LOW),
        (BlockThreshold.MEDIUM_AND_ABOVE, HarmProbability.MEDIUM),
        (BlockThreshold.ONLY_HIGH, HarmProbability.HIGH),
        (None, HarmProbability.MEDIUM),
    ],
)
def test_thresholds_block_from_their_level_on(
    threshold: BlockThreshold | None, blocked_from: HarmProbability
) -> None:
    category = HarmCategory.HARASSMENT
    thresholds = {} if threshold is None else {category: threshold}
    for level in (HarmProbability.NEGLIGIBLE, HarmProbability.LOW, HarmProbability.MEDIUM):
        (item,) = deciding.rated([rating(category, level, 0.5)], thresholds)
        assert item.blocked is (level >= blocked_from)


@pytest.mark.parametrize("threshold", [BlockThreshold.NONE, BlockThreshold.OFF])
def test_nothing_blocks_where_that_is_asked(threshold: BlockThreshold) -> None:
    category = HarmCategory.HATE_SPEECH
    found = [rating(category, HarmProbability.HIGH, 1.0)]
    assert not deciding.rated(found, {category: threshold})[0].blocked


def test_the_worse_of_two_ratings_is_shown() -> None:
    hate, harassment = HarmCategory.HATE_SPEECH, HarmCategory.HARASSMENT
    first = deciding.rated(
        [
            rating(hate, HarmProbability.LOW, 0.3),
            rating(harassment, HarmProbability.HIGH, 0.9),
        ],
        {},
    )
    second = deciding.rated([rating(hate, HarmProbability.LOW, 0.4)], {})
    assert [item.rating.score for item in deciding.worst(first, second)] == [0.4, 0.9]


@pytest.mark.parametrize(
    ("level", "score", "bad"),
    [
        (FilteringLevel.NONE, 0.0, False),
        (FilteringLevel.LOW, 0.29, True),
        (FilteringLevel.LOW, 0.3, False),
        (FilteringLevel.HIGH, 0.59, True),
        (FilteringLevel.HIGH, 0.6, False),
    ],
)
def test_grounding_is_judged_by_its_level(
    level: FilteringLevel, score: float, *, bad: bool
) -> None:
    assert deciding.is_badly_grounded(score, level) is bad


def test_a_passage_with_the_words_of_a_question_is_in_the_domain_however_low_its_relevance() -> (
    None
):
    passage = Passage(text="If your laptop is lost, call us.", title="IT", relevance=0.01)
    assert deciding.covers("What do I do: lost my laptop?", [passage])
    assert not deciding.covers("What do I do: lost my passport?", [passage])
    assert not deciding.covers("What do I do?", [passage])
    assert not deciding.covers("laptop", [])
    low = deciding.reasons_of_search([passage], 0.5)
    assert low == (SkippedReason.OUT_OF_DOMAIN_QUERY_IGNORED,)
    assert deciding.reasons_of_search([passage], 0.5, covers=True) == ()
