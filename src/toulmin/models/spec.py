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
# The package that has the largest model where Toulmin was installed from wheels, since one wheel
# with all models would be larger than what package registries take.
GROUNDING_PACKAGE = "toulmin_grounding_model"


def grounding_weights(embedded: Path = EMBEDDED_WEIGHTS, package: str = GROUNDING_PACKAGE) -> Path:
    """Return the folder of the grounding model that came with Toulmin.

    It is among the others in a source checkout, and in the second wheel elsewhere. Where neither is
    installed, the folder that is returned is not there.

    Args:
        embedded: Folder of the models in this package.
        package: Name of the package that the second wheel installs.
    """
    folder = embedded / "grounding"
    if folder.is_dir():
        return folder
    found = importlib.util.find_spec(package)
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
        raw = json.loads((folder / "spec.json").read_text(encoding="utf-8"))
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
