"""The check as a Python function: no server, no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from toulmin.domain import Fact
from toulmin.errors import InvalidArgument
from toulmin.grounding.check import ANTI_CITATION_THRESHOLD, CITATION_THRESHOLD, CheckSpec
from toulmin.services.wiring import Services, build_services
from toulmin.settings import load_settings

if TYPE_CHECKING:
    from toulmin.grounding.report import GroundingReport


@cache
def _default_services() -> Services:
    return build_services(load_settings())


def check_grounding(  # noqa: PLR0913 - one keyword for each option of the contract
    answer: str,
    facts: Sequence[str | Fact | Mapping[str, object]],
    *,
    citation_threshold: float = CITATION_THRESHOLD,
    anti_citations: bool = False,
    anti_citation_threshold: float = ANTI_CITATION_THRESHOLD,
    prompt: str | None = None,
    explanations: bool = False,
    corrections: bool = False,
    conflicts: bool = False,
) -> GroundingReport:
    """Return which sentences of `answer` the facts support or contradict, and where.

    Runs in this process with the embedded models, no server, no network, unless settings in the
    environment (`TOULMIN_SUPPORT_MODEL`) name another model.

    Args:
        answer: The text to check, at most 4,096 tokens (words and sentence-ending stops).
        facts: 1 to 200 facts of at most 10,000 characters: strings, `Fact`s, or mappings with
            "text" and optionally "attributes" (string to string).
        citation_threshold: Least support in [0, 1] at which a chunk is cited.
        anti_citations: Whether to report what contradicts a claim.
        anti_citation_threshold: Least contradiction in [0, 1] at which a chunk is anti-cited.
        prompt: The question that the answer was given to; adds a helpfulness score.
        explanations: Whether to report which words are not borne out.
        corrections: Whether to report what the facts say instead of a claim that is not borne out,
            where the check proves it.
        conflicts: Whether to report facts that cannot both be right, and which claims rest on one.

    Raises:
        InvalidArgument: A limit is exceeded or a value is out of range.

    Example:
        >>> report = check_grounding("Water boils at 50 °C.", ["Water boils at 100 °C."])
        >>> report.claims[0].citations
        ()
    """
    spec = CheckSpec(
        citation_threshold=citation_threshold,
        anti_citations=anti_citations,
        anti_citation_threshold=anti_citation_threshold,
        prompt=prompt,
        explanations=explanations,
        corrections=corrections,
        conflicts=conflicts,
    )
    return _default_services().checker().check(answer, as_facts(facts), spec)


def as_facts(values: Sequence[str | Fact | Mapping[str, object]]) -> list[Fact]:
    """Return `Fact`s of strings, mappings with "text" and "attributes", or `Fact`s.

    Raises:
        InvalidArgument: A value is none of these, the message names its index; or `values` is one
            fact and no list.
    """
    if isinstance(values, str | Mapping | Fact):
        raise InvalidArgument.of_field(
            "facts", f"is a {type(values).__name__}; it must be a list of facts, such as [fact]"
        )
    return [fact_of(value, field=f"facts[{index}]") for index, value in enumerate(values)]


def fact_of(value: object, *, field: str) -> Fact:
    """Return the `Fact` that `value` states.

    Raises:
        InvalidArgument: It states none; the message starts with `field`.
    """
    if isinstance(value, Fact):
        return value
    if isinstance(value, str):
        return Fact(value)
    if not isinstance(value, Mapping):
        raise InvalidArgument.of_field(
            field, f"is a {type(value).__name__}; it must be a string or an object with `text`"
        )
    text = value.get("text", value.get("factText", value.get("fact_text")))
    if not isinstance(text, str):
        raise InvalidArgument.of_field(f"{field}.text", "is missing or not a string")
    attributes = value.get("attributes") or {}
    if not isinstance(attributes, Mapping) or not all(
        isinstance(item, str) for pair in attributes.items() for item in pair
    ):
        raise InvalidArgument.of_field(
            f"{field}.attributes", "must be an object with string keys and string values"
        )
    return Fact(text, dict(sorted(attributes.items())))
