"""Calibration in steps gives what `toulmin calibrate` gives, and says what is wrong with a request."""

import json

import pytest

from tests.evaluation.test_fitting import examples
from toulmin.errors import FailedPrecondition, InvalidArgument
from toulmin.evaluation.calibrating import MAX_EXAMPLES, Calibrator, example_in, recalibration_of
from toulmin.evaluation.fitting import fit_recalibration
from toulmin.grounding.recalibration import load_recalibration

MODELS = {"encoder": "1", "embedder": "2"}


@pytest.fixture
def calibrator():
    return Calibrator(lambda: pytest.fail("nothing is checked here"), lambda: dict(MODELS))


def asked(items):
    return {
        "models": MODELS,
        "examples": [
            {
                "label": int(item.example.label),
                "contradiction": item.example.contradiction,
                "supports": list(item.supports),
                "contradictions": list(item.contradictions),
            }
            for item in items
        ],
    }


@pytest.mark.parametrize("known", [False, True])
def test_the_fit_of_kept_scores_is_that_of_the_command(scored, calibrator, tmp_path, known):
    items = examples(scored, 120, seed=3, known=known)
    fitted = fit_recalibration(items, default_threshold=0.6)
    said = calibrator.fit(json.loads(json.dumps(asked(items))))
    assert said["file"] == recalibration_of(fitted, models=MODELS).to_json()
    assert said["citationThreshold"] == fitted.citation_threshold
    path = tmp_path / "calibration.json"
    path.write_text(said["file"])
    assert load_recalibration(path, models=MODELS).support == fitted.support
    assert (said["curves"]["contradiction"] is not None) is known


def test_the_curves_are_of_every_example_and_nearer_to_the_diagonal_after(scored, calibrator):
    curves = calibrator.fit(asked(examples(scored, 400, seed=3)))["curves"]["support"]
    off = {}
    for when, bins in curves.items():
        assert sum(one["count"] for one in bins) == 400
        assert all(0 <= one["share"] <= 1 and 0 <= one["mean"] <= 1 for one in bins)
        off[when] = sum(one["count"] * abs(one["mean"] - one["share"]) for one in bins) / 400
    assert off["after"] < off["before"] / 2


def test_examples_that_state_nothing_are_left_out(scored, calibrator):
    request = asked(examples(scored, 60, seed=3))
    request["examples"].append(
        {"label": 1, "contradiction": None, "supports": [], "contradictions": []}
    )
    assert calibrator.fit(request)["examples"] == 60


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"examples": None}, "examples"),
        ({"examples": [{}] * (MAX_EXAMPLES + 1)}, "examples"),
        ({"examples": [7]}, "examples[0]"),
        ({"examples": [{"label": 2}]}, "examples[0].label"),
        ({"examples": [{"label": 0, "contradiction": 1}]}, "examples[0].contradiction"),
        ({"examples": [{"label": 1, "supports": [1.2]}]}, "examples[0].supports"),
        ({"examples": [{"label": 1, "supports": [True]}]}, "examples[0].supports"),
        ({"examples": [{"label": 1, "supports": [float("nan")]}]}, "examples[0].supports"),
        (
            {"examples": [{"label": 1, "supports": [0.2], "contradictions": []}]},
            "examples[0].contradictions",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_field_is_named(calibrator, change, field):
    with pytest.raises(InvalidArgument) as refused:
        calibrator.fit({"models": MODELS, **change})
    assert [one.field for one in refused.value.violations] == [field]


def test_too_few_examples_are_refused(scored, calibrator):
    with pytest.raises(InvalidArgument, match="at least 50 are needed"):
        calibrator.fit(asked(examples(scored, 40, seed=3)))


def test_scores_of_other_models_are_refused(scored, calibrator):
    request = asked(examples(scored, 60, seed=3)) | {"models": {"encoder": "0"}}
    with pytest.raises(FailedPrecondition, match="other models"):
        calibrator.fit(request)


def test_an_example_is_read_as_a_line_of_a_file_is():
    example = example_in({"premise": ["It opened in 1998."], "claim": "It did.", "label": 0})
    assert (example.label, example.contradiction, len(example.facts)) == (False, None, 1)
    with pytest.raises(InvalidArgument) as refused:
        example_in({"premise": [" "], "claim": "It did.", "label": 0})
    assert [one.field for one in refused.value.violations] == ["premise[0]"]
    with pytest.raises(InvalidArgument, match="must be a JSON object"):
        example_in([1])
