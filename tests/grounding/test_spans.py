from dataclasses import replace

import numpy as np

from toulmin.domain import Claim, Fact, FactChunk
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.inputs import EncodedPair
from toulmin.grounding.spans import explain_claims
from toulmin.grounding.support import PairReading, PairScore

FACT = "It stars Leonardo DiCaprio."
CLAIM = "It starred Brad Pitt."
ANSWER_START = 40


def words(text):
    """Return the character range of each space-separated word."""
    ranges, start = [], 0
    for word in text.split(" "):
        ranges.append((start, start + len(word)))
        start += len(word) + 1
    return ranges


def score(*, support, contradiction, wrong=(), against=()):
    """Return a pair whose encoder marked the claim's words `wrong` and the fact's `against`."""
    evidence, claim = words(FACT), words(CLAIM)
    claim_start = 1 + len(evidence) + 1
    logits = np.full(claim_start + len(claim) + 1, -5.0, np.float32)
    logits[[1 + i for i in against]] = 3.0
    logits[[claim_start + i for i in wrong]] = 3.0
    encoded = EncodedPair([0] * len(logits), [0] * len(logits), 1, evidence, claim_start, claim)
    chunk = FactChunk(0, 0, len(FACT), FACT)
    reading = PairReading(encoded, ((0, len(FACT)),), logits)
    return PairScore(Evidence((chunk,)), support, contradiction, 1.0, reading)


def explain(*pairs, explain=True):
    claim = Claim(CLAIM, ANSWER_START, ANSWER_START + len(CLAIM))
    (spans,) = explain_claims([claim], [pairs], [Fact(FACT)], explain=explain)
    return spans


def said(span):
    return CLAIM[span.start - ANSWER_START : span.end - ANSWER_START]


def test_nothing_is_explained_unless_asked_for():
    assert explain(score(support=0.1, contradiction=0.9, wrong=[2, 3]), explain=False) == ()


def test_neighbouring_wrong_words_are_one_span_with_the_words_they_conflict_with():
    (span,) = explain(score(support=0.1, contradiction=0.9, wrong=[2, 3], against=[2, 3]))
    assert said(span) == "Brad Pitt."
    assert not span.supported
    assert FACT[span.fact_start : span.fact_end] == "Leonardo DiCaprio."


def test_a_supported_claim_is_one_span_on_its_chunk():
    (span,) = explain(score(support=0.9, contradiction=0.0))
    assert said(span) == CLAIM
    assert span.supported
    assert (span.fact_index, span.fact_start, span.fact_end) == (0, 0, len(FACT))


def test_words_that_no_fact_speaks_of_conflict_with_nothing():
    (span,) = explain(score(support=0.2, contradiction=0.1, wrong=[3], against=[2]))
    assert said(span) == "Pitt."
    assert span.fact_index is None


def test_an_unsupported_claim_without_a_marked_word_is_unsupported_as_a_whole():
    (span,) = explain(score(support=0.2, contradiction=0.1))
    assert said(span) == CLAIM
    assert not span.supported


def test_a_scorer_that_marks_no_words_explains_no_words():
    marked = score(support=0.1, contradiction=0.9, wrong=[2, 3], against=[2, 3])
    assert explain(replace(marked, reading=None)) == ()
    (span,) = explain(replace(marked, support=0.9, contradiction=0.0, reading=None))
    assert span.supported, "which chunk bears a whole claim out is known without word marks"


def test_a_claim_without_evidence_has_no_spans():
    assert explain() == ()
