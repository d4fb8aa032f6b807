"""`toulmin check --fix`: what the files say instead, line against line, and the text then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from toulmin.cli.terminal import Paint, printable, wrapped
from toulmin.domain import Fact

if TYPE_CHECKING:
    from toulmin.grounding.correcting.correct import Correction
    from toulmin.grounding.report import CheckedClaim, GroundingReport

_INDENT: Final = "    "
_OLD, _NEW = "31", "32"


def describe_fixed(
    report: GroundingReport, answer: str, facts: Sequence[tuple[str, Fact]], paint: Paint
) -> Iterator[str]:
    """Yield the lines for a person: each corrected claim before and after, then the whole text.

    Args:
        report: What a check with corrections found.
        answer: The text that was checked.
        facts: What it was checked against, each with its label.
        paint: Colours; without them the changed words stand in [-brackets-] and {+braces+}.
    """
    yield ""
    fixed = [claim for claim in report.claims if claim.correction is not None]
    if not fixed:
        yield "No correction is proven by the check."
        return
    for claim in fixed:
        if claim.correction is not None:
            yield from _describe(claim, claim.correction, facts, paint)
    yield ""
    yield from wrapped(printable(corrected(report, answer)))


def corrected(report: GroundingReport, answer: str) -> str:
    """Return the text with every corrected claim in the place of its claim."""
    parts, position = [], 0
    for claim in report.claims:
        if claim.correction is not None:
            parts += [answer[position : claim.start], claim.correction.text]
            position = claim.end
    return "".join([*parts, answer[position:]])


def _describe(
    claim: CheckedClaim,
    correction: Correction,
    facts: Sequence[tuple[str, Fact]],
    paint: Paint,
) -> Iterator[str]:
    yield from wrapped(f"{paint(_OLD, '-')} {_before(claim, correction, paint)}", _INDENT)
    yield from wrapped(f"{paint(_NEW, '+')} {_after(claim, correction, paint)}", _INDENT)
    sources = dict.fromkeys(facts[change.fact_index][0] for change in correction.replacements)
    scores = f"{claim.score or 0.0:.2f} -> {correction.score:.2f}"
    yield from wrapped(paint("2", f"{_INDENT}{scores}, from {', '.join(sources)}"), _INDENT)


def _before(claim: CheckedClaim, correction: Correction, paint: Paint) -> str:
    changes = [(c.start, c.end, claim.text[c.start - claim.start : c.end - claim.start])
               for c in correction.replacements]  # fmt: skip
    return _marked(claim, changes, paint, _OLD, "[-{}-]")


def _after(claim: CheckedClaim, correction: Correction, paint: Paint) -> str:
    changes = [(c.start, c.end, c.text) for c in correction.replacements]
    return _marked(claim, changes, paint, _NEW, "{{+{}+}}")


def _marked(
    claim: CheckedClaim,
    changes: Sequence[tuple[int, int, str]],
    paint: Paint,
    style: str,
    plain: str,
) -> str:
    """Return the claim's text with words in the places of the changes, marked."""
    parts, position = [], claim.start
    for start, end, text in changes:
        parts.append(_one_line(claim.text[position - claim.start : start - claim.start]))
        words = _one_line(text.strip())
        if words:
            marked = paint(f"4;{style}", words) if paint.on else plain.format(words)
            parts += [marked, " " * (len(text) - len(text.rstrip()))]
        position = end
    return "".join([*parts, _one_line(claim.text[position - claim.start :])])


def _one_line(text: str) -> str:
    return printable(text).replace("\n", " ")
