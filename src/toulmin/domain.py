"""Nouns that two rooms or more speak of: frozen, no behaviour beyond validation.

Offsets are 0-based character positions, end exclusive. Bytes exist only at the wire.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Fact:
    """A text to check against, with what is known about it (author, title, ...)."""

    text: str
    attributes: Mapping[str, str] = field(default_factory=lambda: _NO_ATTRIBUTES)


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer.

    Attributes:
        text: The sentence, verbatim: `answer[start:end]`.
        start: First character in the answer.
        end: One past the last character in the answer.
        needs_check: False when the sentence states nothing that a fact could support.
        context: Earlier text of the answer that the sentence leans on ("It was released in
            1997." leans on what "it" is); empty when the sentence stands alone.
    """

    text: str
    start: int
    end: int
    needs_check: bool = True
    context: str = ""


@dataclass(frozen=True, slots=True)
class FactChunk:
    """A verbatim part of a fact: `facts[fact_index].text[start:end] == text`."""

    fact_index: int
    start: int
    end: int
    text: str
