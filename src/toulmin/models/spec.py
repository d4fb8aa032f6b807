"""What a model folder holds, and that it holds what it says.

A model is a folder with a `spec.json` that names its files and their SHA-256; nothing is inferred
from a folder's or a model's name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toulmin.errors import FailedPrecondition

EMBEDDED_WEIGHTS = Path(__file__).parent / "weights"


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
