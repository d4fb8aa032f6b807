"""A correction is offered only where the check proves it, alone and in its place."""

from toulmin.domain import Fact, FactChunk
from toulmin.grounding.claims import split_claims
from toulmin.grounding.correcting.correct import correct_claims
from toulmin.grounding.correcting.proving import Verdict
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.support import PairScore

FACT = "The Elbe Bridge opened in May 1998 and is 312 metres long."
CLAIM = "The Elbe Bridge opened in May 1973."
RIGHT = "The Elbe Bridge opened in May 1998."


def corrections(answer, support, *, was=0.1, against=0.0, fact=FACT):
    """Correct with a check that gives each text the support that is named for it, or .1."""
    claims = split_claims(answer)
    chunk = FactChunk(0, 0, len(fact), fact)
    scores = [
        [PairScore(Evidence((chunk,)), support.get(claim.text, was), against, 1.0, None)]
        for claim in claims
    ]

    def check(changed):
        return [Verdict(support.get(claim.text, 0.1), against) for claim in changed]

    return correct_claims(answer, claims, scores, [Fact(fact)], check=check, threshold=0.6)


def test_what_the_check_proves_is_offered_with_its_places_in_the_answer():
    first, second = corrections(f"Rivers have bridges. {CLAIM}", {RIGHT: 0.9})
    assert first is None
    assert second.text == RIGHT
    assert second.score == 0.9
    (change,) = second.replacements
    answer = f"Rivers have bridges. {CLAIM}"
    assert answer[change.start : change.end] == "1973"
    assert FACT[change.fact_start : change.fact_end] == change.text == "1998"


def test_below_the_threshold_or_the_margin_nothing_is_offered():
    assert corrections(CLAIM, {RIGHT: 0.59}) == [None]
    assert corrections(CLAIM, {RIGHT: 0.62}, was=0.5) == [None]


def test_a_contradicted_text_is_not_offered():
    assert corrections(CLAIM, {RIGHT: 0.9}, against=0.4) == [None]


def test_a_claim_that_is_borne_out_is_left_alone():
    assert corrections(CLAIM, {CLAIM: 0.7, RIGHT: 0.99}) == [None]


def test_two_texts_that_change_the_same_words_otherwise_prove_neither():
    fact = "The Elbe Bridge opened in May 1998. The Elbe Bridge opened in May 1994."
    other = "The Elbe Bridge opened in May 1994."
    assert corrections(CLAIM, {RIGHT: 0.9, other: 0.85}, fact=fact) == [None]
    (offered,) = corrections(CLAIM, {RIGHT: 0.95, other: 0.7}, fact=fact)
    assert offered.text == RIGHT


def test_no_more_is_changed_than_the_check_asks_for():
    claim = "The Elbe Bridge opened in June 1998 and is 321 metres long."
    one = "The Elbe Bridge opened in May 1998 and is 321 metres long."
    both = "The Elbe Bridge opened in May 1998 and is 312 metres long."
    (offered,) = corrections(claim, {one: 0.9, both: 0.95})
    assert offered.text == one
    (offered,) = corrections(claim, {one: 0.3, both: 0.95})
    assert offered.text == both


def test_nothing_is_offered_that_costs_another_claim_its_support():
    answer = f"{CLAIM} It was a wet day."
    verdicts = {RIGHT: 0.9, "It was a wet day.": 0.8}
    assert corrections(answer, verdicts)[0] is not None

    claims = split_claims(answer)
    chunk = FactChunk(0, 0, len(FACT), FACT)
    scores = [
        [PairScore(Evidence((chunk,)), verdicts.get(claim.text, 0.1), 0.0, 1.0, None)]
        for claim in claims
    ]

    def check(changed):
        return [Verdict(0.9 if claim.text == RIGHT else 0.2, 0.0) for claim in changed]

    assert correct_claims(answer, claims, scores, [Fact(FACT)], check=check, threshold=0.6) == [
        None,
        None,
    ]
