"""Where models are found, and what is refused."""

import json

import pytest

from toulmin.errors import FailedPrecondition
from toulmin.models.spec import EMBEDDED_WEIGHTS, grounding_weights, load_spec


def package_of_weights(folder, name):
    package = folder / name
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('weights are not imported')\n")
    return package


def test_the_grounding_model_of_a_checkout_is_among_the_others():
    assert grounding_weights() == EMBEDDED_WEIGHTS / "grounding"


def test_the_grounding_model_of_the_second_wheel_is_found(tmp_path, monkeypatch):
    package = package_of_weights(tmp_path, "weights_of_a_test")
    monkeypatch.syspath_prepend(tmp_path)
    assert grounding_weights(tmp_path / "none", "weights_of_a_test") == package


def test_weights_of_the_checkout_go_before_those_of_the_wheel(tmp_path, monkeypatch):
    package_of_weights(tmp_path, "other_weights_of_a_test")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "grounding").mkdir()
    assert grounding_weights(tmp_path, "other_weights_of_a_test") == tmp_path / "grounding"


def test_without_the_second_wheel_there_is_no_folder(tmp_path):
    assert not grounding_weights(tmp_path, "a_package_that_nobody_has").exists()


def test_an_altered_file_is_refused(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"other")
    spec = {"name": "m", "version": "1", "files": {"model.onnx": "0" * 64}}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    with pytest.raises(FailedPrecondition, match="SHA-256"):
        load_spec(tmp_path)
