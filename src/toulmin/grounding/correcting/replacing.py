"""Words of a claim, and words of a fact in their place: the claim so changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.domain import FactChunk


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """A change of a claim.

    Attributes:
        start: First character in the claim of what is replaced.
        end: One past the last; equal to `start` where words are only put in.
        text: What stands in its place; empty where words are only left out.
        fact_index: The fact whose words these are; the one that has no such words where `text` is
            empty.
        fact_start: First character of them in that fact.
        fact_end: One past the last.
    """

    start: int
    end: int
    text: str
    fact_index: int
    fact_start: int
    fact_end: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a claim could have been.

    Attributes:
        text: The changed claim.
        replacements: What was changed, in order of place.
        aligned: Whether the fact says the rest in the claim's own words, so that the place of the
            change is plain.
        source: The sentence of the fact that the words come from.
    """

    text: str
    replacements: tuple[Replacement, ...]
    aligned: bool
    source: FactChunk


def replaced(claim: str, changes: Sequence[Replacement]) -> str:
    """Return the claim with these changes, which must be in order and not overlap."""
    parts, position = [], 0
    for change in changes:
        parts += [claim[position : change.start], change.text]
        position = change.end
    return "".join([*parts, claim[position:]])
