"""What a wheel of Toulmin has that is not under src/: the sample documents of `toulmin demo`.

An editable install is left alone: there, `toulmin demo` reads them where they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SAMPLES = {"docs": "**/*.md", "examples/library": "*", ".": "README.md"}


class SampleDocuments(BuildHookInterface[Any]):
    """Puts the files that `make run` imports into `toulmin/samples/`."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files, unless the install is editable."""
        if version != "standard":
            return
        root = Path(self.root)
        for folder, pattern in SAMPLES.items():
            for path in sorted((root / folder).glob(pattern)):
                if path.is_file():
                    inside = path.relative_to(root).as_posix()
                    build_data["force_include"][str(path)] = f"toulmin/samples/{inside}"
