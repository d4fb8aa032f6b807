import numpy as np
import pytest

from tests.models.onnx_models import write_model
from toulmin.domain import Claim, Fact, FactChunk
from toulmin.errors import Cancelled, FailedPrecondition
from toulmin.grounding.check import CheckSpec, GroundingChecker
from toulmin.grounding.classifier_scorer import (
    ClassifierScorer,
    Verdict,
    label_probabilities,
    read_labels,
)
from toulmin.grounding.evidence import Evidence
from toulmin.models.hub import find_model
from toulmin.models.pool import ModelPool
from toulmin.models.sequence_classifier import SequenceClassifier
from toulmin.models.static_embedder import StaticEmbedder
from toulmin.work import Work

SUPPORT, CONTRADICTION, NEITHER = Verdict.SUPPORT, Verdict.CONTRADICTION, Verdict.NEITHER
FACTS = [Fact("The pump runs at three bar."), Fact("The lake is deep.", {"title": "River"})]


@pytest.fixture
def pool():
    pool = ModelPool(workers=2)
    yield pool
    pool.close()


def scorer_of(folder, pool, *, setting=(), **options):
    model = SequenceClassifier(find_model(str(write_model(folder, **options))))
    return ClassifierScorer(model, pool, labels=setting)


def evidence_of(*indices):
    return Evidence(tuple(FactChunk(i, 0, len(FACTS[i].text), FACTS[i].text) for i in indices))


def claim_of(text, **options):
    return Claim(text, 0, len(text), **options)


def score(scorer, text, *items):
    (scores,) = scorer.score([claim_of(text)], [items or [evidence_of(0)]], FACTS)
    return scores


@pytest.mark.parametrize(
    ("names", "verdicts"),
    [
        (["entailment", "neutral", "contradiction"], [SUPPORT, NEITHER, CONTRADICTION]),
        (["CONTRADICTION", "ENTAILMENT", "NEUTRAL"], [CONTRADICTION, SUPPORT, NEITHER]),
        (["Contradicts", "Neutral", "Entails"], [CONTRADICTION, NEITHER, SUPPORT]),
        (["REFUTES", "NOT ENOUGH INFO", "SUPPORTS"], [CONTRADICTION, NEITHER, SUPPORT]),
        (["not_entailment", "entailment"], [NEITHER, SUPPORT]),
        (["non-entailment", "entailment"], [NEITHER, SUPPORT]),
        (["Unsupported", "Supported"], [NEITHER, SUPPORT]),
        (["hallucinated", "consistent"], [NEITHER, SUPPORT]),
        (["contradiction", "entailment"], [CONTRADICTION, SUPPORT]),
        (["LABEL_0"], [SUPPORT]),
        (["supported"], [SUPPORT]),
    ],
)
def test_labels_are_read_in_any_order_case_and_spelling(names, verdicts):
    assert read_labels(names) == verdicts


@pytest.mark.parametrize(
    "names",
    [
        ["LABEL_0", "LABEL_1"],
        ["LABEL_0", "LABEL_1", "LABEL_2"],
        ["entailment", "neutral", "other"],
        ["contradiction", "neutral"],
        ["hallucinated"],
        ["positive", "negative"],
    ],
)
def test_labels_that_cannot_be_read_are_refused_with_the_setting_that_names_them(names):
    with pytest.raises(FailedPrecondition) as caught:
        read_labels(names)
    for part in (*names, f"set support_model_labels to {len(names)} of support, contradiction"):
        assert part in caught.value.message


def test_the_setting_names_the_labels_instead():
    names = ["LABEL_0", "LABEL_1"]
    assert read_labels(names, instead=["neither", "support"]) == [NEITHER, SUPPORT]
    with pytest.raises(FailedPrecondition, match=r"names 3 labels .* has 2"):
        read_labels(names, instead=["neither", "support", "neither"])
    with pytest.raises(FailedPrecondition, match="other"):
        read_labels(names, instead=["other", "support"])


def test_probabilities_are_softmax_or_logistic():
    logits = np.log([1.0, 2.0, 5.0])
    assert label_probabilities(logits, multi_label=False) == pytest.approx([1 / 8, 2 / 8, 5 / 8])
    assert label_probabilities(logits, multi_label=True) == pytest.approx([1 / 2, 2 / 3, 5 / 6])
    assert label_probabilities(np.log([3.0]), multi_label=False) == pytest.approx([3 / 4])
    for multi_label in (False, True):
        extreme = label_probabilities(np.array([900.0, -900.0]), multi_label=multi_label)
        assert extreme == pytest.approx([1, 0])


@pytest.mark.parametrize(
    ("options", "speaks_of_contradiction"),
    [
        ({}, True),
        (
            {
                "labels": ("CONTRADICTION", "ENTAILMENT", "NEUTRAL"),
                "heads": ("contradiction", "support", "neither"),
            },
            True,
        ),
        ({"labels": ("unsupported", "supported"), "heads": ("neither", "support")}, False),
        ({"labels": ("LABEL_0",), "heads": ("support",)}, False),
    ],
    ids=["three", "three in another order", "two", "one"],
)
def test_models_of_one_two_and_three_labels_score(tmp_path, pool, options, speaks_of_contradiction):
    scorer = scorer_of(tmp_path, pool, **options)
    (stated,) = score(scorer, "The pump runs.")
    (denied,) = score(scorer, "The pump runs not at three bar.")
    (unknown,) = score(scorer, "The lake is cold.")
    assert stated.support > 0.9
    assert max(denied.support, unknown.support, stated.contradiction) < 0.1
    assert unknown.contradiction < 0.1
    assert (denied.contradiction > 0.9) is speaks_of_contradiction
    assert stated.reading is None
    assert stated.coverage == pytest.approx(1.0)
    assert unknown.coverage < stated.coverage


def test_the_setting_decides_what_unnamed_labels_mean(tmp_path, pool):
    options = {"labels": (), "heads": ("support", "neither")}
    with pytest.raises(FailedPrecondition, match="LABEL_0, LABEL_1"):
        scorer_of(tmp_path, pool, **options)
    scorer = scorer_of(tmp_path, pool, setting=("support", "neither"), **options)
    assert score(scorer, "The pump runs.")[0].support > 0.9


def test_the_evidence_comes_first_with_its_attributes_and_its_chunks_joined(tmp_path, pool):
    scorer = scorer_of(tmp_path, pool)
    assert score(scorer, "River", evidence_of(1))[0].support > 0.9
    both = "The pump runs at three bar, the lake is deep."
    alone, joined = score(scorer, both, evidence_of(0), evidence_of(0, 1))
    assert joined.support > alone.support


def test_scores_come_back_with_their_claim_and_evidence(tmp_path, pool):
    scorer = scorer_of(tmp_path, pool)
    claims = [
        claim_of("The lake is deep."),
        claim_of("Hello!", needs_check=False),
        claim_of("Pump."),
    ]
    items = [[evidence_of(0), evidence_of(1)], [], [evidence_of(0)]]
    timings = {}
    scores = scorer.score(claims, items, FACTS, work=Work(timings=timings))
    assert [[pair.evidence for pair in pairs] for pairs in scores] == items
    assert scores[0][1].support > 0.9 > scores[0][0].support
    assert timings["infer_ms"] > 0


def test_a_caller_who_is_gone_is_not_computed_for(tmp_path, pool):
    scorer = scorer_of(tmp_path, pool)
    with pytest.raises(Cancelled):
        scorer.score(
            [claim_of("Pump.")], [[evidence_of(0)]], FACTS, work=Work(is_gone=lambda: True)
        )


@pytest.mark.model
def test_a_whole_check_stands_on_a_model_from_elsewhere(tmp_path, pool):
    checker = GroundingChecker(scorer=scorer_of(tmp_path, pool), embedder=StaticEmbedder())
    answer = "The pump runs at three bar. The lake is not deep. Thank you!"
    report = checker.check(answer, FACTS, CheckSpec(anti_citations=True, explanations=True))
    stated, denied, thanks = report.claims
    assert stated.score > 0.9 > 0.1 > denied.score
    assert [report.cited_chunks[i].fact_index for i in stated.citations] == [0]
    assert [report.cited_chunks[i].fact_index for i in denied.anti_citations] == [1]
    assert (thanks.needs_check, thanks.score) == (False, None)
    assert [span.supported for span in stated.spans] == [True]
    assert denied.spans == (), "no words are marked, so none are explained"
    assert report == checker.check(answer, FACTS, CheckSpec(anti_citations=True, explanations=True))
