"""A hook of mkdocs: puts every decision at the end of the navigation, oldest first."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    """Return the configuration with the decisions in its `nav`; called by mkdocs."""
    docs = Path(config["docs_dir"])
    decisions = sorted((docs / "decisions").glob("*.md"))
    config["nav"].append({"Decisions": [str(page.relative_to(docs)) for page in decisions]})
    return config
