"""Several wishes in one text: "Book a room in Oslo and tell me where order 4711 is".

Or one with two values: "Set the bedroom to 19.5 and the kitchen to 21".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toulmin.conversation.day_patterns import DATE
from toulmin.conversation.numerals import numerals_in, parts_between
from toulmin.conversation.repairs import NO_LABELS, counted, measure_of

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
_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_NAME_BEHIND: Final = re.compile(r"\s+[A-ZÀ-Þ]")
_BESIDE: Final = frozenset(
    {"about", "around", "only", "just", "exactly", "another", "then", "also"}
)
"""Words before a number that say nothing of what it is for."""
_LOOK: Final = 80
"""Characters beside a number that are looked at."""
_LABEL: Final = 2
"""Words of what a number is for, with an article."""


@dataclass(frozen=True, slots=True)
class _Number:
    """A number of a clause.

    Attributes:
        value: The number.
        before: The words before it.
        behind: What it counts or measures, which stands behind it.
        has_name: Whether a name follows, as in "14 Mill Road".
    """

    value: float
    before: tuple[str, ...]
    behind: tuple[str, ...]
    has_name: bool


def other_wishes(said: str, leads_to: Callable[[str], str], target: str) -> Sequence[str]:
    """Return the parts of a text that ask for something else than what it leads to as a whole.

    Args:
        said: The text.
        leads_to: Returns the name of what a text plainly leads to; empty: nothing.
        target: The name of what the whole leads to.
    """
    parts = [part.strip() for part in parts_between(_JOINTS, said)]
    wishes = [part for part in parts if len(part.split()) >= _SHORTEST and _ASKS.match(part)]
    if len(wishes) < 2:
        return ()
    led = [(part, leads_to(part)) for part in wishes]
    if all(name != target for _, name in led):
        return ()
    return tuple(part for part, name in led if name and name != target)


def second_values(said: str, value: Any) -> Sequence[str]:
    """Return the parts of a text with a second number where there is one for the one taken.

    It is said as the first one is: "A to 4.50 and B to 12.95", "50 to Anna and 60 to Bert". The
    number of a house or a room in a further clause is none.

    Args:
        said: The text.
        value: The number that was taken.
    """
    parts = [part.strip() for part in parts_between(_JOINTS, said)]
    numbers = [_numbers(_CLOCK.sub(" ", DATE.sub(" ", part))) for part in parts]
    taken = [one for inside in numbers for one in inside if one.value == value]
    if not taken:
        return ()
    first = next(at for at, inside in enumerate(numbers) if taken[0] in inside)
    return tuple(
        part
        for at, (part, inside) in enumerate(zip(parts, numbers, strict=True))
        if all(one.value != value for one in inside)
        and any(
            _said_alike(taken[0], one) if first < at else _said_alike(one, taken[0])
            for one in inside
        )
        and len(part.split()) > 1
    )


def _numbers(part: str) -> list[_Number]:
    found = []
    for one in numerals_in(part):
        if one.number:
            before = _WORD.findall(part, max(0, one.start - _LOOK), one.start)
            words = tuple(word for word in before if word.lower() not in _BESIDE)
            behind = tuple(counted(part[one.end : one.end + _LOOK]))
            named = bool(_NAME_BEHIND.match(part, one.end))
            found.append(_Number(one.number, words, behind, named))
    return found


def _said_alike(one: _Number, other: _Number) -> bool:
    """Return whether two numbers are said in the same way, so that both may be for one thing.

    The second may leave out what the first one counts: "20 euros to Ann and 30 to Bob".
    """
    left_out = bool(one.behind) and not other.behind
    if measure_of(one.behind) != measure_of(other.behind) and not left_out:
        return False
    if one.has_name != other.has_name:
        return False
    if not one.before or not other.before:
        return not other.before  # "order 2 pizzas and 3 salads"
    last, own = one.before[-1], other.before[-1]
    if last.lower() == own.lower():
        return True
    labels = last.lower() not in NO_LABELS and own.lower() not in NO_LABELS
    return labels and len(other.before) <= _LABEL  # "the bedroom 19, the kitchen 21"
