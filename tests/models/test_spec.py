"""Where models are found, and what is refused."""

import json

import pytest

from toulmin.errors import FailedPrecondition
from toulmin.models.spec import EMBEDDED_WEIGHTS, MODEL_PACKAGES, load_spec, packaged_weights


def package_of_weights(folder, name):
    package = folder / name
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('weights are not imported')\n")
    return package


@pytest.mark.parametrize("name", sorted(MODEL_PACKAGES))
def test_the_models_of_a_checkout_are_among_the_others(name):
    assert packaged_weights(name) == EMBEDDED_WEIGHTS / name


def test_the_grounding_model_of_the_second_wheel_is_found(tmp_path, monkeypatch):
    package = package_of_weights(tmp_path, "weights_of_a_test")
    monkeypatch.syspath_prepend(tmp_path)
    assert (
        packaged_weights("grounding", tmp_path / "none", {"grounding": "weights_of_a_test"})
        == package
    )


def test_weights_of_the_checkout_go_before_those_of_the_wheel(tmp_path, monkeypatch):
    package_of_weights(tmp_path, "other_weights_of_a_test")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "grounding").mkdir()
    packages = {"grounding": "other_weights_of_a_test"}
    assert packaged_weights("grounding", tmp_path, packages) == tmp_path / "grounding"


def test_without_the_second_wheel_there_is_no_folder(tmp_path):
    packages = {"grounding": "a_package_that_nobody_has"}
    assert not packaged_weights("grounding", tmp_path, packages).exists()


def test_an_altered_file_is_refused(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"other")
    spec = {"name": "m", "version": "1", "files": {"model.onnx": "0" * 64}}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    with pytest.raises(FailedPrecondition, match="SHA-256"):
        load_spec(tmp_path)
