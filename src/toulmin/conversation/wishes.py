"""Several wishes in one text: "Book a room in Oslo and tell me where order 4711 is"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

_JOINTS: Final = re.compile(r"\s*(?:[;.?!]\s+|,?\s+(?:and|then)\s+|,\s+)(?:also\s+|then\s+)?", re.I)
_ASKS: Final = re.compile(
    r"^\W*(?:please\s+|could you\s+|can you\s+|i (?:want|need|would like|'d like) to\s+)*"
    r"(?:what|when|where|who|which|how|is|are|can|could|do|does|tell|show|find|get|give|send|pay"
    r"|book|reserve|order|buy|cancel|refund|return|change|move|make|open|close|start|stop|report"
    r"|check|look|call|create|add|remove|delete|renew|extend|track|transfer|schedule)\b",
    re.IGNORECASE,
)
_SHORTEST: Final = 3
"""Words of a wish."""


def other_wishes(said: str, leads_to: Callable[[str], str], target: str) -> Sequence[str]:
    """Return the parts of a text that ask for something else than what it leads to as a whole.

    Args:
        said: The text.
        leads_to: Returns the name of what a text plainly leads to; empty: nothing.
        target: The name of what the whole leads to.
    """
    parts = [part.strip() for part in _JOINTS.split(said)]
    wishes = [part for part in parts if len(part.split()) >= _SHORTEST and _ASKS.match(part)]
    if len(wishes) < 2:
        return ()
    led = [(part, leads_to(part)) for part in wishes]
    if all(name != target for _, name in led):
        return ()
    return tuple(part for part, name in led if name and name != target)
