"""Toulmin: does this text follow from these facts, sentence by sentence?

>>> from toulmin import check_grounding
>>> check_grounding("Water boils at 100 °C.", ["Water boils at 100 °C."]).support_score > 0.5
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toulmin.domain import Fact
    from toulmin.grounding.report import CheckedClaim, GroundingReport
    from toulmin.services import check_grounding

__version__ = "0.1.0"

__all__ = ["CheckedClaim", "Fact", "GroundingReport", "__version__", "check_grounding"]

_HOMES = {
    "CheckedClaim": "toulmin.grounding.report",
    "Fact": "toulmin.domain",
    "GroundingReport": "toulmin.grounding.report",
    "check_grounding": "toulmin.services",
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use, so that `import toulmin` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
