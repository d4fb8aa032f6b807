"""An import that takes over only some fields of documents that are there already."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from toulmin.domain import Document
from toulmin.errors import InvalidArgument

_DATA = frozenset({"struct_data", "json_data"})  # one oneof: who sets one clears the other
_FIELDS = _DATA | {"content", "schema_id", "parent_document_id"}
_CAPITAL = re.compile("[A-Z]")


def read_update_mask(paths: Sequence[str]) -> frozenset[str]:
    """Return the fields that a mask names, in snake case; empty: all fields.

    Raises:
        InvalidArgument: It names what no import can set.
    """
    named = {_CAPITAL.sub(lambda match: f"_{match[0].lower()}", path) for path in paths}
    if "*" in named:
        return frozenset()
    if unknown := sorted(named - _FIELDS):
        raise InvalidArgument.of_field(
            "update_mask",
            f"names {', '.join(map(repr, unknown))}; it may name {', '.join(sorted(_FIELDS))}.",
        )
    return frozenset(named)


def merge(old: Document, new: Document, mask: frozenset[str]) -> Document:
    """Return the new document with the old one's values where the mask is silent.

    Args:
        old: The document as stored, with its bytes.
        new: The document as given now.
        mask: What `read_update_mask` returned, not empty.
    """
    kept = _FIELDS - mask
    if not kept >= _DATA:
        kept -= _DATA
    return dataclasses.replace(new, **{name: getattr(old, name) for name in kept})
