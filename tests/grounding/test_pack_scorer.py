"""The scorer around the grounding model, with the model that is shipped."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from toulmin.domain import Claim, Fact, FactChunk
from toulmin.errors import Cancelled
from toulmin.grounding.asking.agreement import AskingWeights
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.pack_scorer import (
    PACK_CALIBRATION,
    PACK_FEATURES,
    PackScorer,
    SecondReading,
    heeded,
)
from toulmin.grounding.packs import QueryText, encode_packs
from toulmin.grounding.support import load_calibration, margins
from toulmin.models.cross_encoder import CrossEncoder
from toulmin.models.encoder_pool import EncoderPool
from toulmin.models.grounding_encoder import GroundingEncoder
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.work import Work

# Not shipped yet (decision 0019): made by training/grounding_model.
GROUNDING = Path(os.environ.get("TOULMIN_GROUNDING_MODEL", EMBEDDED_WEIGHTS / "grounding"))
MULTILINGUAL = EMBEDDED_WEIGHTS / "multilingual"
pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(not (GROUNDING / "words.npy").exists(), reason="no grounding model here"),
]

FACTS = [
    Fact("The Varn Bridge was opened by Queen Ingrid on 3 May 1932.", {"author": "Osk Gazette"}),
    Fact("The bakery of Thomas Okoye in Leeds sold 1,200 loaves a day."),
]


def evidence_of(*indices):
    return Evidence(tuple(FactChunk(i, 0, len(FACTS[i].text), FACTS[i].text) for i in indices))


def claim_of(text, **fields):
    return Claim(text, 0, len(text), **fields)


def odds(probability):
    return np.log(probability / (1 - probability))


@pytest.fixture(scope="module")
def scorer():
    encoder = GroundingEncoder(GROUNDING, workers=2)
    small = EncoderPool(CrossEncoder(EMBEDDED_WEIGHTS / "cross_encoder"), workers=1)
    calibration = load_calibration(GROUNDING / PACK_CALIBRATION, PACK_FEATURES)
    yield PackScorer(encoder, small, calibration)
    encoder.close()
    small.close()


def test_a_small_model_can_doubt_but_not_raise_what_the_other_does_not_find_borne_out():
    opinion = np.array([[2.0, -1.0, -3.0], [2.0, -1.0, -3.0], [-2.0, 1.0, 3.0]])
    found = heeded(opinion, np.array([4.0, -4.0, -4.0]))
    assert found[0] == pytest.approx(opinion[0], abs=0.01)
    assert found[1] == pytest.approx([0, 0, 0], abs=0.01)
    assert found[2] == pytest.approx(opinion[2])


def test_scores_come_in_the_order_of_claims_and_evidence(scorer):
    claims = [claim_of("Queen Ingrid opened the Varn Bridge."), claim_of("Okoye sold bread.")]
    evidence = [[evidence_of(0), evidence_of(1), evidence_of(0, 1)], [evidence_of(1)]]
    found = scorer.score(claims, evidence, FACTS)
    assert [[pair.evidence for pair in pairs] for pairs in found] == evidence
    assert found[0][0].support > found[0][1].support
    assert all(0 <= p.support <= 1 and 0 <= p.contradiction <= 1 for ps in found for p in ps)


def test_more_claims_than_a_pack_holds_are_all_scored(scorer):
    text = "Queen Ingrid opened the Varn Bridge on a day in May of the year 1932, the paper says."
    claims = [claim_of(f"{text} {number}.") for number in range(40)]
    found = scorer.score(claims, [[evidence_of(0)]] * len(claims), FACTS)
    assert [len(pairs) for pairs in found] == [1] * len(claims)


def test_marks_point_into_claim_and_evidence(scorer):
    claim = claim_of("Queen Ingrid closed the Varn Bridge.")
    ((pair,),) = scorer.score([claim], [[evidence_of(0)]], FACTS)
    encoded = pair.reading.encoded
    assert len(pair.reading.word_logits) == encoded.claim_start + len(encoded.claim_offsets)
    assert claim.text[slice(*encoded.claim_offsets[0])] == "Queen"
    assert pair.reading.piece_spans == ((len("author: Osk Gazette | "), 79),)


def test_a_quantity_is_read_as_the_evidence_writes_it_and_marked_as_the_claim_does(scorer):
    claim = claim_of("Okoye's bakery sold fifty dozen loaves a day.")
    text = "Okoye's bakery sold 600 loaves a day."
    evidence = Evidence((FactChunk(0, 0, len(text), text),))
    ((pair,),) = scorer.score([claim], [[evidence]], [Fact(text)])
    (same,) = scorer.score([claim_of(text)], [[evidence]], [Fact(text)])
    assert (pair.support, pair.contradiction) == (same[0].support, same[0].contradiction)
    read = [claim.text[slice(*span)] for span in pair.reading.encoded.claim_offsets]
    assert "fifty dozen" in read
    assert "600" not in read


def test_a_value_that_the_evidence_gives_to_something_else_is_told_by_asking(scorer):
    text = "The Varn Tower is 214 metres tall. Visitors go up to a platform at 180 metres."
    evidence = Evidence((FactChunk(0, 0, len(text), text),))
    claims = [claim_of(f"The Varn Tower is {n} metres tall.") for n in (214, 180)]
    asking = PackScorer(
        scorer._encoder, scorer._small, scorer._calibration, AskingWeights((1, -2, -1), (0, 2, 1))
    )
    (true,), (false,) = asking.score(claims, [[evidence]] * 2, [Fact(text)])
    (true_before,), (false_before,) = scorer.score(claims, [[evidence]] * 2, [Fact(text)])
    assert true.support > true_before.support
    assert false.support < false_before.support
    assert false.contradiction > false_before.contradiction


@pytest.mark.skipif(not MULTILINGUAL.exists(), reason="no multilingual model here")
def test_a_second_reading_of_long_evidence_adds_its_margin_to_support(scorer):
    other = GroundingEncoder(MULTILINGUAL, workers=1)
    both = PackScorer(
        scorer._encoder, scorer._small, scorer._calibration, second=SecondReading(other, 0.5)
    )
    text = " ".join(f"{FACTS[1].text} Page {number} of the paper says so." for number in range(9))
    facts = [FACTS[0], Fact(f"{text} {FACTS[0].text}")]
    claim = claim_of("Queen Ingrid opened the Varn Bridge.")
    short, long = (Evidence((FactChunk(i, 0, len(f.text), f.text),)) for i, f in enumerate(facts))
    (pack,) = encode_packs(other.tokenizer, [(facts[1].text, [QueryText(claim.text)])])
    margin = margins(other.run([pack])[0].pair.astype(np.float64))[0, 0]
    found, before = (s.score([claim], [[short, long]], facts)[0] for s in (both, scorer))
    other.close()
    assert found[0] == replace(before[0], reading=found[0].reading), "short evidence is not read"
    assert odds(found[1].support) - odds(before[1].support) == pytest.approx(0.5 * margin)
    assert found[1].contradiction == before[1].contradiction


def test_nothing_to_score(scorer):
    assert scorer.score([], [], FACTS) == []
    assert scorer.score([claim_of("It rained.")], [[]], FACTS) == [[]]


def test_a_caller_who_is_gone_ends_the_work(scorer):
    with pytest.raises(Cancelled):
        scorer.score(
            [claim_of("It rained.")], [[evidence_of(0)]], FACTS, work=Work(is_gone=lambda: True)
        )
