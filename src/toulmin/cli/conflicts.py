"""`toulmin check --conflicts`: what two facts say of one thing, and the claims that rest on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from toulmin.cli.terminal import Paint, printable, wrapped
from toulmin.domain import Fact

if TYPE_CHECKING:
    from toulmin.grounding.conflicting.conflicts import Side
    from toulmin.grounding.report import GroundingReport

_INDENT: Final = "    "


def describe_conflicts(
    report: GroundingReport, facts: Sequence[tuple[str, Fact]], paint: Paint
) -> Iterator[str]:
    """Yield the lines for a person: each conflict with both sentences, and the claims on it.

    Args:
        report: What a check with conflicts found.
        facts: What it was checked against, each with its label.
        paint: Colours; without them the differing words stand in [brackets].
    """
    yield ""
    if not report.conflicts:
        yield "No two facts are found that cannot both be right."
        return
    for place, conflict in enumerate(report.conflicts):
        yield f"Two facts differ in a {conflict.kind}:"
        for side in (conflict.one, conflict.other):
            label = facts[side.sentence.fact_index][0]
            yield from wrapped(f"{_INDENT}{label}: {_marked(side, paint)}", _INDENT * 2)
        for claim in report.claims:
            if place in claim.conflicts:
                line = f"{_INDENT}rests on one of them: {_one_line(claim.text)}"
                yield from wrapped(paint("33", line), _INDENT * 2)


def _marked(side: Side, paint: Paint) -> str:
    text, start = side.sentence.text, side.start - side.sentence.start
    words = _one_line(side.text)
    marked = paint("4;31", words) if paint.on else f"[{words}]"
    behind = _one_line(text[start + len(side.text) :])
    return f"{_one_line(text[:start])}{marked}{behind}"


def _one_line(text: str) -> str:
    return printable(text).replace("\n", " ")
