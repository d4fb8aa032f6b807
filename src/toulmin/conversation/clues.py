"""What speaks for a tool or an agent beside the meaning of its phrases.

Words that stand in what it says of itself, an allowed value of one of its arguments, and an
identifier where one of its arguments is one. The weights are those that were best on the turns of
the half `tuning` of benchmarks/conversations; its README has the figures of the other half.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.words import words_of
from toulmin.domain import JsonObject
from toulmin.retrieval.coverage import QueryWords

WORDS: Final = 0.2
"""For all of what was said standing in the target's own words; less for less of it."""
VALUE: Final = 0.2
"""For an allowed value of one of its arguments; shared by the targets that have it."""
IDENTIFIER: Final = 0.1
"""For an identifier, where one of its arguments must be one."""
_PLACES: Final = frozenset({"street", "address"})
IDENTIFYING: Final = frozenset({"id", "identifier", "number", "no", "code", "sku", "reference"})
"""Words in the name or description of an argument that is an identifier."""

_IDENTIFIER: Final = re.compile(r"(?<![\w-])(?=[\w-]*\d)#?([A-Za-z0-9][\w-]{2,})(?![\w:-])")
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Target:
    """What is known of a target.

    Attributes:
        text: Everything that is said of it.
        values: Allowed values of its arguments, lower case.
        is_identified: Whether a call of it must have an identifier.
    """

    text: str
    values: frozenset[str]
    is_identified: bool


def target_of(texts: Sequence[str], tools: Sequence[ToolSpec]) -> Target:
    """Return what is known of a target.

    Args:
        texts: Its phrases.
        tools: The tool, or the tools that an agent and those below it have.
    """
    properties = [
        (name, schema, name in tool.required)
        for tool in tools
        for name, schema in tool.properties.items()
    ]
    said = [
        f"{name.replace('_', ' ')} {schema.get('description', '')}"
        for name, schema, _ in properties
    ]
    values = {
        _plain(str(choice)) for _, schema, _ in properties for choice in schema.get("enum", ())
    }
    return Target(
        "\n".join([*texts, *said]),
        frozenset(value for value in values if value),
        any(needed and is_identifier(name, schema) for name, schema, needed in properties),
    )


def clues(said: str, targets: Sequence[Target]) -> NDArray[np.float64]:
    """Return what is to be added to the cosine of each target, shape (targets,)."""
    found = WORDS * QueryWords(said).coverage([target.text for target in targets])
    plain = f" {_plain(said)} "
    held = [{value for value in target.values if f" {value} " in plain} for target in targets]
    has_identifier = bool(_IDENTIFIER.search(said))
    for place, target in enumerate(targets):
        if held[place]:
            found[place] += VALUE / min(
                sum(value in other for other in held) for value in held[place]
            )
        if has_identifier and target.is_identified:
            found[place] += IDENTIFIER
    return found


def is_identifier(name: str, schema: JsonObject) -> bool:
    """Return whether an argument is an identifier, by its name or its short description."""
    if schema.get("type", "STRING") != "STRING" or schema.get("enum"):
        return False
    words = set(words_of(name))
    if words & _PLACES:  # "street and house number"
        return False
    about = words | set(_WORD.findall(str(schema.get("description", "")).lower()))
    return bool(words & IDENTIFYING or (about & IDENTIFYING and len(about) <= 4))


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower().replace("_", " ")))
