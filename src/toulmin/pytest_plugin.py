"""A pytest plugin: `assert_grounded(text, facts)`, as a function and as a fixture.

pytest loads it in every run where Toulmin is installed, so it imports nothing of Toulmin until an
assertion is made; the models load with the first one and stay for the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

__all__ = ["assert_grounded"]


def assert_grounded(
    text: str, facts: Sequence[str | Mapping[str, object]], *, min_support: float = 0.6
) -> None:
    """Fail the test unless the facts support every sentence of a text that states something.

    Args:
        text: What was said, at most 4,096 tokens.
        facts: 1 to 200 facts: strings, or mappings with "text" and optionally "attributes".
        min_support: Least support of each sentence, in [0, 1].

    Raises:
        AssertionError: A sentence has less; the message names each, with its support.
        InvalidArgument: A limit is exceeded.
    """
    __tracebackhide__ = True
    from toulmin import check_grounding

    report = check_grounding(text, facts, anti_citations=True)
    weak = [claim for claim in report.claims if claim.needs_check and _support(claim) < min_support]
    if not weak:
        return
    lines = [f"not grounded: {len(weak)} of {len(report.claims)} sentences below {min_support:g}"]
    for claim in weak:
        lines.append(f"  {_support(claim):.2f}  {claim.text}")
        against = (report.cited_chunks[index].text for index in claim.anti_citations)
        lines.extend(f"        contradicted by: {text}" for text in against)
    raise AssertionError("\n".join(lines))


def _support(claim: Any) -> float:
    return float(claim.score or 0.0)


@pytest.fixture(name="assert_grounded")
def _fixture() -> Callable[..., None]:
    """Return `assert_grounded`, for tests that import nothing."""
    return assert_grounded
