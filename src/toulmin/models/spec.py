"""What a model folder holds, and that it holds what it says.

A model is a folder with a `spec.json` that names its files and their SHA-256; nothing is inferred
from a folder's or a model's name.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toulmin.errors import FailedPrecondition

EMBEDDED_WEIGHTS = Path(__file__).parent / "weights"
SPEC_FILE = "spec.json"
# Packages that have the larger models where Toulmin was installed from wheels, by the folder that
# they are in here: one wheel with all models would be larger than what package registries take.
MODEL_PACKAGES: Mapping[str, str] = {
    "grounding": "toulmin_grounding_model",
    "multilingual": "toulmin_multilingual_model",
    "grounding/reader": "toulmin_reader_model",
}


def packaged_weights(
    name: str,
    embedded: Path = EMBEDDED_WEIGHTS,
    packages: Mapping[str, str] = MODEL_PACKAGES,
) -> Path:
    """Return the folder of a model that came with Toulmin, one of `MODEL_PACKAGES`.

    It is among the others in a source checkout, and in a wheel of its own elsewhere. Where neither
    is installed, the folder that is returned is not there.

    Args:
        name: Name of the model's folder.
        embedded: Folder of the models in this package.
        packages: Names of the packages that such wheels install.
    """
    folder = embedded / name
    if folder.is_dir():
        return folder
    found = importlib.util.find_spec(packages[name])
    if found is None or found.origin is None:
        return folder
    return Path(found.origin).parent


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """The contents of `spec.json`.

    Attributes:
        folder: Where the model's files are.
        name: Name and version, as in the model card.
        version: Changes whenever a score may change.
        files: SHA-256 of each file, by file name.
        details: Everything else in `spec.json` (labels, longest input, ...).
    """

    folder: Path
    name: str
    version: str
    files: Mapping[str, str]
    details: Mapping[str, Any]

    @property
    def tokenizer(self) -> Path:
        """The tokenizer's file; models that share a vocabulary share one, in another folder."""
        return self.folder / str(self.details.get("tokenizer", "tokenizer.json"))


def load_spec(folder: Path) -> ModelSpec:
    """Return the spec of the model in `folder`, after checking every file's hash.

    Raises:
        FailedPrecondition: The folder is not a model folder, or a file is missing or altered.
    """
    try:
        raw = json.loads((folder / SPEC_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FailedPrecondition(f"{folder} holds no readable spec.json: {error}") from error
    for name, expected in raw["files"].items():
        try:
            actual = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        except OSError as error:
            raise FailedPrecondition(f"model file {folder / name} is missing") from error
        if actual != expected:
            raise FailedPrecondition(
                f"model file {folder / name} has SHA-256 {actual}, spec.json says {expected}: "
                "install the package again, or the model of your own"
            )
    details = {k: v for k, v in raw.items() if k not in {"name", "version", "files"}}
    return ModelSpec(folder, raw["name"], raw["version"], raw["files"], details)
