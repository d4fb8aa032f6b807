"""What claimed and read values are worth together."""

import json

import pytest

from toulmin.grounding.asking.agreement import Agreement, AskingWeights, agreement_of, load_weights
from toulmin.grounding.asking.answers import Answer
from toulmin.grounding.asking.values import asked_values

TEXT = "The tower is 214 metres tall; its platform is at 180 metres."


def found(claim, *answers, evidence=TEXT):
    return agreement_of(list(zip(asked_values(claim), answers, strict=True)), evidence)


def test_the_same_value_agrees_as_surely_as_the_evidence_answers():
    assert found("It is 214 metres tall.", Answer("214 metres", 0.9)) == Agreement(
        agrees=pytest.approx(0.81)
    )


def test_a_value_that_stands_elsewhere_differs():
    assert found("It is 180 metres tall.", Answer("214 metres", 1.0)) == Agreement(differs=1.0)


def test_a_value_that_does_not_stand_there_differs_in_another_way():
    assert found("It is 99 metres tall.", Answer("214 metres", 1.0)) == Agreement(differs_new=1.0)


def test_one_value_of_two_that_differs_leaves_no_agreement():
    claim = "The tower is 214 metres tall and its platform is at 99 metres."
    both = found(claim, Answer("214 metres", 1.0), Answer("180 metres", 0.5))
    assert both == Agreement(differs_new=0.25)


@pytest.mark.parametrize("answer", [Answer("Queen Ingrid", 1.0), Answer("21 days", 1.0)])
def test_what_cannot_be_compared_says_nothing(answer):
    assert found("It is 99 metres tall.", answer) == Agreement()


def test_a_unit_is_read_behind_the_answer_too():
    answer = Answer("21", 1.0, " days of rain")
    assert found("It is 99 metres tall.", answer) == Agreement()


def test_a_claim_without_values_says_nothing():
    assert agreement_of([], TEXT) == Agreement()


def test_weights_move_log_odds():
    weights = AskingWeights((1.0, -2.0, -1.0), (-1.0, 2.0, 1.0))
    assert weights.applied(0.3, 0.2, Agreement()) == (0.3, 0.2)
    support, contradiction = weights.applied(0.5, 0.5, Agreement(differs=1.0))
    assert support == pytest.approx(0.1192, abs=1e-4)
    assert contradiction == pytest.approx(0.8808, abs=1e-4)
    assert weights.applied(0.0, 1.0, Agreement(agrees=1.0))[0] < 0.001


def test_a_folder_without_weights_asks_nothing(tmp_path):
    assert load_weights(tmp_path / "asking.json") is None
    (tmp_path / "asking.json").write_text(
        json.dumps({"support": [1, -2, -1], "contradiction": [0, 2, 1]})
    )
    assert load_weights(tmp_path / "asking.json") == AskingWeights((1, -2, -1), (0, 2, 1))
