"""The labels that a caller puts on a request: checked, then not used for anything."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Final

from toulmin.errors import InvalidArgument

MOST_LABELS: Final = 64
LONGEST_LABEL: Final = 63
"""Characters of a key, and of a value."""


def check_user_labels(labels: Mapping[str, str], *, field: str = "user_labels") -> None:
    """Raise unless labels are as the API wants them.

    Source: comment of `SearchRequest.user_labels` and of the other requests that have them.

    Raises:
        InvalidArgument: There are too many, or one is too long or has other characters.
    """
    if len(labels) > MOST_LABELS:
        raise InvalidArgument.of_field(
            field, f"has {len(labels)} labels; at most {MOST_LABELS} are allowed"
        )
    for key in sorted(labels):
        if not 1 <= len(key) <= LONGEST_LABEL or not key[0].isalpha() or not _is_plain(key):
            raise InvalidArgument.of_field(
                field,
                f'"{key[:200]}" is no key of a label: 1 to {LONGEST_LABEL} lower-case letters,'
                ' digits, "_" and "-", the first a letter',
            )
        if len(labels[key]) > LONGEST_LABEL or not _is_plain(labels[key]):
            raise InvalidArgument.of_field(
                f"{field}.{key}",
                f'"{labels[key][:200]}" is no value of a label: at most {LONGEST_LABEL} lower-case'
                ' letters, digits, "_" and "-"',
            )


def _is_plain(text: str) -> bool:
    """Return whether a text has only what labels may have; scripts without case are in."""
    return text == text.lower() and all(
        char in "_-" or unicodedata.category(char)[0] in "LMN" for char in text
    )
