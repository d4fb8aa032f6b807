"""Filters of list methods (AIP-160): the filter language of search, and bare words as values.

`is_pinned=true AND (NOT labels:hidden)` says what `is_pinned = "true" AND NOT labels: "hidden"`
does. Only fields that the list knows may be asked for, each with values of its own kind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from toulmin.errors import InvalidArgument
from toulmin.retrieval.filters import parse_filter
from toulmin.stores.index.predicate import FieldValue, Predicate, field_names

# A string, which stays as it is, or an operator before a bare word. Possessive, and without a way
# to fail inside a string, so that it is linear in the text.
_BARE: Final = re.compile(
    r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|(?P<operator>[=:])\s*(?!(?:ANY|IN)\b)(?P<word>[A-Za-z_][\w.@-]*)',
    re.DOTALL,
)


def parse_list_filter(
    text: str, known: Mapping[str, type[FieldValue]], *, field: str = "filter"
) -> Predicate:
    """Return what a filter of a list method asks for; everything if it is blank.

    Args:
        text: The filter.
        known: Fields that it may ask about, and what their values are.
        field: Path of the request field that it stands in, for the error.

    Raises:
        InvalidArgument: It is no filter, asks about another field, or compares one with what it
            cannot be; says which there are.
    """
    predicate = parse_filter(_BARE.sub(_quoted, text), field=field, kinds=known)
    unknown = sorted(field_names(predicate) - set(known))
    if unknown:
        raise InvalidArgument.of_field(
            field, f'"{unknown[0][:200]}" must be one of {", ".join(known)}'
        )
    return predicate


def _quoted(match: re.Match[str]) -> str:
    return f'{match["operator"]} "{match["word"]}"' if match["word"] else match[0]
