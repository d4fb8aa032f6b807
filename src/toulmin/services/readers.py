"""Settings -> which models read questions, beside those that judge claims."""

from __future__ import annotations

import hashlib
from pathlib import Path

from toulmin.answering.compose.certainty import CERTAINTY_FILE
from toulmin.answering.reading.open_reader import ANSWERABILITY
from toulmin.models.spec import SPEC_FILE, load_spec, packaged_weights
from toulmin.services.support import grounding_folder, multilingual_folder
from toulmin.settings import Settings


def reader_folder(grounding: Path) -> Path:
    """Return the folder of the model that reads questions where `grounding` judges claims.

    A model that is trained further on questions reads better and judges worse (decision 0069), so
    there is one for each; a folder without a second model does both.
    """
    folder = grounding / "reader"
    if grounding == packaged_weights("grounding"):
        folder = packaged_weights("grounding/reader")
    return folder if (folder / SPEC_FILE).is_file() else grounding


def reader_versions(settings: Settings) -> dict[str, str]:
    """Return name and version of the models that read questions, calibration included.

    Empty where the small span reader does, which comes with Toulmin.
    """
    versions = {}
    for folder in (grounding_folder(settings), multilingual_folder(settings)):
        if folder is None or not (file := reader_folder(folder) / ANSWERABILITY).is_file():
            continue
        read = file.read_bytes()
        if (certainty := file.with_name(CERTAINTY_FILE)).is_file():
            read += certainty.read_bytes()
        spec = load_spec(file.parent)
        digest = hashlib.sha256(read).hexdigest()
        versions[spec.name] = f"{spec.version}, calibration {digest[:12]}"
    return versions
