import numpy as np
import pytest

from toulmin.domain import Claim, FactChunk
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.inputs import EncodedPair
from toulmin.grounding.report import compose_report
from toulmin.grounding.support import PairReading, PairScore

NOTHING_READ = PairReading(EncodedPair([], [], 1, [], 0, []), (), np.zeros(0, np.float32))
CHUNKS = [FactChunk(i, 0, 4, f"fct{i}") for i in range(4)]


def pair(*chunks, support=0.0, contradiction=0.0, coverage=1.0):
    evidence = Evidence(tuple(CHUNKS[i] for i in chunks))
    return PairScore(evidence, support, contradiction, coverage, NOTHING_READ)


def report_on(*pairs_of_claims, citation=0.6, anti=None, needs_check=None):
    needs = needs_check or [True] * len(pairs_of_claims)
    claims = [
        Claim(f"claim {i}.", 10 * i, 10 * i + 8, needs_check=need) for i, need in enumerate(needs)
    ]
    return compose_report(
        claims,
        pairs_of_claims,
        [() for _ in claims],
        citation_threshold=citation,
        anti_citation_threshold=anti,
    )


def test_a_claim_without_support_cites_nothing():
    report = report_on([pair(0, support=0.59), pair(1, support=0.1)])
    assert report.claims[0].citations == ()
    assert report.cited_chunks == ()
    assert report.support_score == pytest.approx(0.59)


def test_every_fact_that_supports_a_claim_alone_is_cited_best_first():
    report = report_on([pair(2, support=0.7), pair(0, support=0.9), pair(1, support=0.2)])
    assert [c.fact_index for c in report.cited_chunks] == [0, 2]
    assert report.claims[0].citations == (0, 1)


def test_facts_that_support_a_claim_only_together_are_cited_together():
    report = report_on([pair(0, support=0.3), pair(1, support=0.4), pair(0, 1, support=0.8)])
    assert [c.fact_index for c in report.cited_chunks] == [0, 1]


def test_a_joined_pair_adds_no_citation_where_a_fact_supports_alone():
    report = report_on([pair(0, support=0.9), pair(0, 1, support=0.93)])
    assert [c.fact_index for c in report.cited_chunks] == [0]
    assert report.claims[0].score == pytest.approx(0.93)


def test_a_claim_above_the_threshold_cites_what_says_most_of_it():
    report = report_on([pair(0, support=0.55), pair(1, support=0.58), pair(1, 2, support=0.64)])
    assert report.claims[0].score == pytest.approx(0.64)
    assert [c.fact_index for c in report.cited_chunks] == [1]
    none = report_on([pair(1, support=0.58), pair(1, 2, support=0.64)], citation=0.65)
    assert none.cited_chunks == ()


def test_a_second_source_that_lacks_a_word_must_be_about_as_sure():
    best = pair(0, support=0.95)
    assert len(report_on([best, pair(1, support=0.8, coverage=0.8)]).cited_chunks) == 1
    assert len(report_on([best, pair(1, support=0.94, coverage=0.8)]).cited_chunks) == 2
    assert len(report_on([best, pair(1, support=0.8, coverage=1.0)]).cited_chunks) == 2


def test_a_chunk_cited_by_two_claims_is_listed_once():
    report = report_on([pair(1, support=0.9)], [pair(1, support=0.8), pair(0, support=0.7)])
    assert [c.fact_index for c in report.cited_chunks] == [1, 0]
    assert report.claims[1].citations == (0, 1)


def test_claims_that_state_nothing_have_no_score_and_do_not_count():
    report = report_on([], [pair(0, support=0.9)], needs_check=[False, True])
    assert report.claims[0].score is None
    assert report.claims[0].citations == ()
    assert report.support_score == pytest.approx(0.9)


def test_an_answer_that_states_nothing_has_nothing_unsupported():
    assert report_on([], needs_check=[False]).support_score == 1.0


def test_a_claim_without_evidence_has_no_support():
    assert report_on([]).claims[0].score == 0.0


def test_anti_citations_appear_only_when_asked_for_and_share_the_list():
    pairs = [pair(0, support=0.05, contradiction=0.9), pair(1, support=0.0, contradiction=0.1)]
    assert report_on(pairs).contradiction_score is None
    report = report_on([pair(2, support=0.9)], pairs, anti=0.8)
    assert [c.fact_index for c in report.cited_chunks] == [2, 0]
    assert report.claims[1].anti_citations == (1,)
    assert report.claims[1].citations == ()
    assert report.claims[1].contradiction_score == pytest.approx(0.8953, abs=0.001)


def test_a_claim_that_one_fact_states_is_hardly_contradicted_by_another():
    pairs = [pair(0, support=0.97), pair(1, support=0.02, contradiction=0.6)]
    (claim,) = report_on(pairs, anti=0.5).claims
    assert claim.contradiction_score < 0.05
    assert claim.anti_citations == ()
    (claim,) = report_on([pair(1, support=0.02, contradiction=0.6)], anti=0.5).claims
    assert len(claim.anti_citations) == 1


def test_thresholds_are_inclusive_and_a_higher_one_never_adds_a_citation():
    pairs = [pair(i, support=s) for i, s in enumerate([0.2, 0.6, 0.8, 0.95])]
    pairs.append(pair(0, 1, support=0.99))
    before = None
    for threshold in [0.0, 0.2, 0.6, 0.8, 0.95, 1.0]:
        cited = {c.fact_index for c in report_on(pairs, citation=threshold).cited_chunks}
        assert before is None or cited <= before
        before = cited
    assert [c.fact_index for c in report_on(pairs[:4], citation=0.95).cited_chunks] == [3]
