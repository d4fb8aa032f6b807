import json

import numpy as np
import pytest

from toulmin.domain import Claim, Fact, FactChunk
from toulmin.errors import FailedPrecondition
from toulmin.grounding.evidence import Evidence
from toulmin.grounding.recalibration import (
    LogitMap,
    RecalibratedScorer,
    Recalibration,
    load_recalibration,
)
from toulmin.grounding.support import PairScore
from toulmin.work import Work

MODELS = {"encoder": "1", "embedder": "2"}


def recalibration(**changes):
    values = {
        "support": LogitMap(0.5, -0.25),
        "contradiction": LogitMap(1.5, 0.5),
        "models": MODELS,
        "examples": 60,
        "citation_threshold": 0.45,
        "figures": {"support": {"ece": [0.2, 0.1]}},
    }
    return Recalibration(**{**values, **changes})


def write(tmp_path, content):
    path = tmp_path / "calibration.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_a_map_by_hand():
    # Odds 4 to the power of a half, times e to the 0.5.
    odds = 4**0.5 * np.exp(0.5)
    assert LogitMap(0.5, 0.5)(0.8) == pytest.approx(odds / (1 + odds))
    assert LogitMap()(0.123456789) == 0.123456789


@pytest.mark.parametrize("map_", [LogitMap(0.05, 0), LogitMap(1, -3), LogitMap(4, 4)])
def test_a_map_rises_and_stays_in_range(map_):
    mapped = map_.of(np.linspace(0, 1, 1001))
    assert (np.diff(mapped) >= 0).all()
    assert (np.diff(mapped[1:-1]) > 0).all()
    assert mapped[0] >= 0
    assert mapped[-1] <= 1


@pytest.mark.parametrize("slope", [0, -1, float("nan"), float("inf")])
def test_a_map_that_does_not_rise_is_refused(slope):
    with pytest.raises(ValueError, match="slope"):
        LogitMap(slope, 0.0)


def test_the_file_gives_back_what_was_written(tmp_path):
    path = write(tmp_path, recalibration().to_json())
    assert load_recalibration(path, models=MODELS) == recalibration()
    assert json.loads(path.read_text())["format"] == 1


def test_a_file_for_other_models_is_refused_with_both_versions(tmp_path):
    path = write(tmp_path, recalibration().to_json())
    with pytest.raises(FailedPrecondition) as caught:
        load_recalibration(path, models={"encoder": "1", "embedder": "3", "new": "1"})
    assert "embedder 2 there, 3 in use" in caught.value.message
    assert "new (none) there, 1 in use" in caught.value.message
    assert "encoder" not in caught.value.message
    assert str(path) in caught.value.message


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "no calibration file"),
        ("[]", "no calibration file"),
        ("{}", "'format' is missing"),
        ({"format": 2}, "has format 2, this version of Toulmin reads 1"),
        ({"format": 1}, "'support' is missing"),
        ({**json.loads(recalibration().to_json()), "support": {"slope": -1, "bias": 0}}, "slope"),
        ({**json.loads(recalibration().to_json()), "models": []}, "no calibration file"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, content, complaint):
    with pytest.raises(FailedPrecondition, match=complaint):
        load_recalibration(write(tmp_path, content), models=MODELS)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FailedPrecondition, match=r"nowhere\.json: No such file"):
        load_recalibration(tmp_path / "nowhere.json", models=MODELS)


class FixedScorer:
    def score(self, claims, evidence, facts, *, work):
        work.add("infer_ms", 1.0)
        return [[PairScore(item, 0.8, 0.2, 0.7, None) for item in items] for items in evidence]


def test_a_scorer_is_recalibrated_pair_by_pair():
    evidence = Evidence((FactChunk(0, 0, 2, "a."),))
    timings = {}
    [first, second] = RecalibratedScorer(FixedScorer(), recalibration()).score(
        [Claim("a.", 0, 2), Claim("b.", 3, 5)],
        [[evidence], []],
        [Fact("a.")],
        work=Work(timings=timings),
    )
    assert second == []
    assert first[0].support == pytest.approx(LogitMap(0.5, -0.25)(0.8))
    assert first[0].contradiction == pytest.approx(LogitMap(1.5, 0.5)(0.2))
    assert (first[0].coverage, first[0].evidence) == (0.7, evidence)
    assert timings == {"infer_ms": 1.0}
