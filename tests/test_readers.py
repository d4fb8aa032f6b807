"""Which model reads questions beside the one that judges claims."""

import json
from pathlib import Path

import numpy as np
import pytest

from toulmin.answering.reading.open_reader import ANSWERABILITY
from toulmin.errors import FailedPrecondition
from toulmin.grounding.packs import PackLimits, encode_questions
from toulmin.models.grounding_encoder import GroundingEncoder
from toulmin.models.spec import packaged_weights
from toulmin.services import build_services, model_versions, reader_versions
from toulmin.services.readers import reader_folder
from toulmin.settings import load_settings

MULTILINGUAL = packaged_weights("multilingual")
WORDS = ("words.npy", "word_scales.npy", "tokenizer.json")
pytestmark = pytest.mark.model


@pytest.fixture
def reader(tmp_path) -> Path:
    """A reader with the graph of the multilingual model, and words of its folder above."""
    judge = tmp_path / "judge"
    folder = judge / "reader"
    folder.mkdir(parents=True)
    for name in (*WORDS, "model.onnx", "spec.json"):
        (judge / name).symlink_to(MULTILINGUAL / name)
    (folder / "model.onnx").symlink_to(MULTILINGUAL / "model.onnx")
    spec = json.loads((MULTILINGUAL / "spec.json").read_text())
    spec["name"] = "a-reader"
    spec["words"] = {name: spec["files"].pop(name) for name in WORDS}
    del spec["tokenizer"]
    (folder / "spec.json").write_text(json.dumps(spec))
    return folder


def test_a_reader_has_the_words_of_the_model_beside_it(reader):
    question = ("How long is the bridge?", "The bridge is 312 metres long.")
    found = []
    for encoder in (
        GroundingEncoder(MULTILINGUAL, workers=1),
        GroundingEncoder(reader, words_of=reader.parent, workers=1),
    ):
        packs = encode_questions(encoder.tokenizer, [question], PackLimits())
        found.append(encoder.run(packs)[0].answer)
        encoder.close()
    assert np.array_equal(*found)


def test_other_words_than_it_was_made_for_are_refused(reader):
    spec = json.loads((reader / "spec.json").read_text())
    spec["words"]["words.npy"] = "0" * 64
    (reader / "spec.json").write_text(json.dumps(spec))
    with pytest.raises(FailedPrecondition, match=r"a-reader .* another words\.npy"):
        GroundingEncoder(reader, words_of=reader.parent)


def test_a_folder_without_a_reader_reads_itself(reader, tmp_path):
    assert reader_folder(reader.parent) == reader
    (tmp_path / "other").mkdir()
    assert reader_folder(tmp_path / "other") == tmp_path / "other"


def test_questions_go_to_the_reader_and_claims_do_not(reader):
    for file in (ANSWERABILITY, "calibration.json"):
        source = reader_folder(MULTILINGUAL) if file == ANSWERABILITY else MULTILINGUAL
        target = reader if file == ANSWERABILITY else reader.parent
        (target / file).symlink_to(source / file)
    settings = load_settings(environment={"TOULMIN_SUPPORT_MODEL": str(reader.parent)})
    assert list(reader_versions(settings)) == ["a-reader"]
    assert "a-reader" not in model_versions(settings)
    services = build_services(settings)
    try:
        read = services.reader().read("How long is it?", ["The bridge is 312 metres long."])
        assert "312" in read.answers[0].text
        assert services.grounding_encoder(reader.parent).spec.name != "a-reader"
    finally:
        services.close()
