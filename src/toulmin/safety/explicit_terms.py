"""How sexually explicit does a text read? By a short word list: no corpus was there to learn from.

`explicit_weight` adds up the weights of the terms that a text holds. A term that only ever
means sexual content weighs 3, a term that often does weighs 2, a term that needs company weighs 1.
Words of medicine, law, teaching and filtering take 2 off: "How do I block porn?" is no request.
Measured on 55 sentences of our own (training/safety/CARD.md), so not a calibrated probability.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_TERMS: dict[str, list[str]] = tomllib.loads(
    (Path(__file__).parent / "data" / "explicit_terms.toml").read_text(encoding="utf-8")
)


def _any_of(key: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(_TERMS[key])})\b", re.IGNORECASE)


_WEIGHED = ((3, _any_of("always")), (2, _any_of("often")), (1, _any_of("sometimes")))
_SOBER = _any_of("sober")


def explicit_weight(text: str) -> int:
    """Return the summed weight of the distinct explicit terms in `text`, at least 0."""
    weight = 0
    for each, pattern in _WEIGHED:
        weight += each * len({found.lower() for found in pattern.findall(text)})
    if weight and _SOBER.search(text):
        weight -= 2
    return max(weight, 0)
