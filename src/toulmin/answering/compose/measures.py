"""Does a text give the measure that "How tall ...?" asks for, whatever its words are?

"It measures 330 metres" has the height without saying "tall": it counts as having the word, as it
would for whoever reads it.
"""

from __future__ import annotations

import functools
import re
from typing import Final

from toulmin.grounding.quantities.reading import read_quantities
from toulmin.text.words import fold_text

_LENGTH: Final = ("metre",)
_DURATION: Final = ("second", "month")
_MEASURES: Final = {
    **dict.fromkeys(("tall", "high", "deep", "wide", "thick", "far"), _LENGTH),
    "long": _LENGTH + _DURATION,
    "heavy": ("gram",),
    "fast": ("metre/second", "metre/minute", "metre/hour"),
}
"""What an adjective asks for, by the dimensions of quantities."""
_OF_COLUMNS: Final = {**_MEASURES, "old": _DURATION}
"""The same of columns: "3 years" in a sentence is hardly ever an age, under "Bridge" it is."""
_ASKS: Final = re.compile(rf"\bhow\s+({'|'.join(_MEASURES)})\b", re.IGNORECASE)


def measured(query: str, text: str) -> str:
    """Return the adjective of a question ("how tall") if a text gives such a measure, else ""."""
    adjective = _asked(query)
    wanted = _MEASURES.get(adjective, ())
    gives = wanted and any(found.dimension in wanted for found in read_quantities(text))
    return adjective if gives else ""


@functools.lru_cache(maxsize=1024)  # all rows of a table have the same columns
def is_unit_of(adjective: str, name: str) -> bool:
    """Return whether a column's name is a unit of what an adjective asks for, and nothing else.

    "Year", "day" and "hour" in the singular say which one, and not how long.
    """
    unit = name.strip(" ().:").removeprefix("in ")
    found = read_quantities(f"2 {unit}")
    return (
        len(found) == 1
        and found[0].end == len(f"2 {unit}")
        and found[0].dimension in _OF_COLUMNS.get(adjective, ())
        and not (found[0].measure == "duration" and unit.casefold() == found[0].unit)
    )


@functools.lru_cache(maxsize=64)  # all pieces of all passages are asked the same question
def _asked(query: str) -> str:
    found = _ASKS.search(fold_text(query))
    return found[1] if found else ""
