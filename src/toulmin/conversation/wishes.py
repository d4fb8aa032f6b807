"""Several wishes in one text: "Book a room in Oslo and tell me where order 4711 is".

Or one with two values: "Set the bedroom to 19.5 and the kitchen to 21".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from toulmin.conversation.day_patterns import DATE
from toulmin.conversation.numerals import numerals_in

_JOINTS: Final = re.compile(r"\s*(?:[;.?!]\s+|,?\s+(?:and|then)\s+|,\s+)(?:also\s+|then\s+)?", re.I)
_ASKS: Final = re.compile(
    r"^\W*(?:please\s+|could you\s+|can you\s+|i (?:want|need|would like|'d like) to\s+)*"
    r"(?:what|when|where|who|which|how|is|are|can|could|do|does|tell|show|find|get|give|send|pay"
    r"|book|reserve|order|buy|cancel|refund|return|change|move|make|open|close|start|stop|report"
    r"|check|look|call|create|add|remove|delete|renew|extend|track|transfer|schedule)\b",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(
    r"\b(?:\d{1,2}:\d{2}|\d{1,2}(?:[.:]\d{2})?\s*[ap]\.?m\b\.?)", re.IGNORECASE
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


def second_values(said: str, value: Any) -> Sequence[str]:
    """Return the parts of a text that have a number of their own beside the one that was taken.

    Args:
        said: The text.
        value: The number.
    """
    parts = [part.strip() for part in _JOINTS.split(said)]
    numbers = [
        {one.number for one in numerals_in(_CLOCK.sub(" ", DATE.sub(" ", part))) if one.number}
        for part in parts
    ]
    if not any(value in inside for inside in numbers):
        return ()
    return tuple(
        part
        for part, inside in zip(parts, numbers, strict=True)
        if inside and value not in inside and len(part.split()) > 1
    )
