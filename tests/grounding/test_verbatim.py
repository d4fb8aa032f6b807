import pytest

from toulmin.domain import Claim, Fact, FactChunk
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.support import PairScore
from toulmin.grounding.verbatim import SUPPORT, add_verbatim, quoted

CLAIM = "Laptops lock after five minutes."


def claim_of(text):
    return Claim(text, 0, len(text))


def supports(claim, fact, pairs=()):
    """Return the score that was added, or None."""
    (found,) = add_verbatim([claim_of(claim)], [Fact(fact)], [list(pairs)])
    added = found[len(pairs) :]
    return added[0].support if added else None


@pytest.mark.parametrize(
    "fact",
    [
        CLAIM,
        "Rules for everyone. Laptops lock after five minutes. Doors lock at six.",
        "rules:\n- laptops  LOCK after five minutes\n- doors lock at six",
        "1. Laptops lock after five minutes.\n2. Doors lock at six.",
        "Is it strict? Not very, says the office. It is Tuesday. Laptops lock after five minutes.",
    ],
)
def test_a_sentence_that_stands_in_the_fact_is_borne_out(fact):
    assert supports(CLAIM, fact) == SUPPORT


@pytest.mark.parametrize(
    "fact",
    [
        "Do laptops lock after five minutes?",
        "Laptops lock after five minutes? Nobody knows.",
        'Myth: "Laptops lock after five minutes." They never lock.',
        "A rumour goes round. Laptops lock after five minutes. That is false.",
        "The old rule: \u201cLaptops lock after five minutes.\u201d",
        "Laptops lock after five minutes. This rule is superseded.",
        "If laptops lock after five minutes, work is lost.",
        "Laptops do not lock after five minutes.",
        "Doors lock at six.",
    ],
)
def test_what_is_asked_quoted_denied_or_replaced_is_left_to_the_model(fact):
    assert supports(CLAIM, fact) is None


def test_where_the_model_finds_the_place_contradicted_nothing_is_added():
    chunk = FactChunk(0, 0, len(CLAIM), CLAIM)
    against = PairScore(Evidence((chunk,)), 0.1, 0.9, 1.0, None)
    assert supports(CLAIM, CLAIM, [against]) is None


def test_the_chunk_is_the_sentence_itself():
    fact = "Rules.\n* Laptops lock after five minutes.\n* Doors lock at six."
    ((pair,),) = add_verbatim([claim_of(CLAIM)], [Fact("Other."), Fact(fact)], [[]])
    (chunk,) = pair.evidence.chunks
    assert (chunk.fact_index, fact[chunk.start : chunk.end]) == (1, CLAIM)
    assert chunk.text == CLAIM


def test_claims_that_need_no_check_and_short_ones_get_nothing():
    idle = Claim(CLAIM, 0, len(CLAIM), needs_check=False)
    assert add_verbatim([idle], [Fact(CLAIM)], [[]]) == [[]]
    assert supports("Yes.", "Yes.") is None


def test_what_is_quoted_needs_no_model_unless_it_is_taken_back():
    kept = "Rules for everyone. Laptops lock after five minutes. Doors lock at six."
    asked = "Do laptops lock after five minutes?"
    claims = [claim_of(CLAIM), claim_of("Doors never lock at all.")]
    score, other = quoted(claims, [Fact(asked), Fact(kept)])
    assert score is not None
    assert (score.support, score.contradiction) == (SUPPORT, 0.0)
    assert [(chunk.fact_index, chunk.text) for chunk in score.evidence.chunks] == [(1, CLAIM)]
    assert other is None
    assert quoted(claims, [Fact(asked)]) == [None, None]


def test_a_step_is_told_by_its_words_and_not_by_its_number():
    fact = "To begin:\n1. Unplug the machine.\n2. Wait for five minutes.\n"
    for step in ("2. Wait for five minutes.", "Wait for five minutes.", "3) Wait for five minutes"):
        assert supports(step, fact) == SUPPORT
    assert supports("2. Wait for ten minutes.", fact) is None
