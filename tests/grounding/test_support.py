import json

import numpy as np
import pytest

from toulmin.domain import Claim, Fact, FactChunk
from toulmin.errors import FailedPrecondition
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.inputs import PairText
from toulmin.grounding.support import (
    Calibration,
    EncoderScorer,
    feature_names,
    load_calibration,
    margins,
    pair_features,
    pieces_of,
)
from toulmin.models.cross_encoder import CrossEncoder
from toulmin.models.encoder_pool import EncoderPool
from toulmin.models.spec import EMBEDDED_WEIGHTS


def chunk_of(facts, index):
    return FactChunk(index, 0, len(facts[index].text), facts[index].text)


def test_margins_are_log_odds_of_each_class_against_the_rest():
    logits = np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [50.0, 0.0, -50.0]])
    expected = 2.0 - np.log(2.0)
    result = margins(logits)
    assert result[0, 0] == pytest.approx(expected)
    assert result[1] == pytest.approx(np.full(3, -np.log(2.0)))
    assert np.isfinite(result).all(), "a certain model gives a large margin, not infinity"


def test_features_have_a_name_each_and_nothing_gives_an_empty_table():
    features = pair_features([PairText("It opened in 1998.", "It opened.")], np.zeros((1, 3)))
    assert features.shape == (1, len(feature_names()))
    assert pair_features([], np.zeros((0, 3))).shape == (0, len(feature_names()))


def test_a_calibration_for_other_features_is_refused(tmp_path):
    path = tmp_path / "calibration.json"
    side = {"weights": [1.0], "bias": 0.0}
    path.write_text(json.dumps({"features": ["x"], "support": side, "contradiction": side}))
    with pytest.raises(FailedPrecondition, match="fit the calibration again"):
        load_calibration(path)


def test_probabilities_stay_in_range_however_large_the_features():
    width = len(feature_names())
    calibration = Calibration(np.ones(width), 0.0, -np.ones(width), 0.0)
    support, contradiction = calibration.probabilities(np.array([[1e9] * width, [-1e9] * width]))
    assert support.tolist() == pytest.approx([1.0, 0.0])
    assert contradiction.tolist() == pytest.approx([0.0, 1.0])


def test_a_facts_attributes_are_read_once():
    facts = [Fact("One. Two.", {"author": "A"}), Fact("Three.", {"author": "B"})]
    joined = Evidence((FactChunk(0, 0, 4, "One."), FactChunk(0, 5, 9, "Two."), chunk_of(facts, 1)))
    assert [bool(attributes) for _, attributes in pieces_of(joined, facts)] == [True, False, True]


@pytest.fixture(scope="module")
def scorer():
    pool = EncoderPool(CrossEncoder(EMBEDDED_WEIGHTS / "cross_encoder"), workers=2)
    yield EncoderScorer(pool, load_calibration())
    pool.close()


@pytest.mark.model
def test_scores_come_back_with_their_claim_and_evidence(scorer):
    facts = [Fact("The lake is 30 metres deep."), Fact("The tower was built in 1860.")]
    claims = [
        Claim("The tower was built in 1860.", 0, 28),
        Claim("Hello!", 29, 35, needs_check=False),
        Claim("The lake is 30 metres deep.", 36, 63),
    ]
    both = [Evidence((chunk_of(facts, 0),)), Evidence((chunk_of(facts, 1),))]
    scores = scorer.score(claims, [both, [], both], facts)
    assert [len(pairs) for pairs in scores] == [2, 0, 2]
    assert [[pair.evidence for pair in pairs] for pairs in scores] == [both, [], both]
    assert scores[0][1].support > 0.5 > scores[0][0].support
    assert scores[2][0].support > 0.5 > scores[2][1].support


@pytest.mark.model
def test_evidence_longer_than_the_encoder_reads_is_cut_not_refused(scorer):
    fact = Fact("word " * 2000)
    (pairs,) = scorer.score([Claim("A word.", 0, 7)], [[Evidence((chunk_of([fact], 0),))]], [fact])
    assert 0 <= pairs[0].support <= 1


@pytest.mark.model
def test_a_pairs_score_does_not_depend_on_the_other_pairs(scorer):
    facts = [Fact("The lake is 30 metres deep."), Fact("The tower was built in 1860. " * 12)]
    claim = Claim("The lake is 35 metres deep.", 0, 27)
    lake, tower = Evidence((chunk_of(facts, 0),)), Evidence((chunk_of(facts, 1),))
    ((alone,),) = scorer.score([claim], [[lake]], facts)
    ((first, _),) = scorer.score([claim], [[lake, tower]], facts)
    assert first.support == pytest.approx(alone.support, abs=1e-9)
    assert first.contradiction == pytest.approx(alone.contradiction, abs=1e-9)
