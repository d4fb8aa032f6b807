"""Is what the agent said borne out by what its tools returned?

The metric is that of the API's `HallucinationResult`: 1 justified, 0 not justified, -1 there is no
claim to assess.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from toulmin import metrics
from toulmin.conversation.saying import facts_of, output_of
from toulmin.domain import Fact, JsonObject
from toulmin.grounding.check import (
    CITATION_THRESHOLD,
    MAX_FACT_CHARACTERS,
    MAX_FACTS,
    CheckSpec,
    GroundingChecker,
)
from toulmin.grounding.report import SCORE_DECIMALS
from toulmin.grounding.tokens import MAX_ANSWER_TOKENS, count_tokens
from toulmin.work import UNLIMITED, Work

_LABELS: Final = {1: "Justified", 0: "Not Justified", -1: "No Claim To Assess"}
_LONGEST_SHOWN: Final = 200
_LONGEST_FACT: Final = 2_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """How well a turn's text is borne out.

    Attributes:
        score: 1, 0 or -1.
        explanation: Which sentence is not borne out, or why there is nothing to assess.
        support: Mean support of the claims, in [0, 1]; None: there are none.
    """

    score: int
    explanation: str
    support: float | None = None

    def to_json(self) -> JsonObject:
        """Return it as the API's `HallucinationResult`, with the support beside it."""
        found = {"score": self.score, "label": _LABELS[self.score], "explanation": self.explanation}
        return found if self.support is None else found | {"support": self.support}


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A text that was checked where it was made.

    Attributes:
        text: The text.
        claims: What it states, each with its support in [0, 1].
    """

    text: str
    claims: tuple[tuple[str, float], ...]


def check_turn(  # noqa: PLR0913 - what bears a text out, by name
    text: str,
    responses: Sequence[JsonObject],
    cited: Sequence[JsonObject],
    *,
    checker: Callable[[], GroundingChecker],
    work: Work = UNLIMITED,
    others: Sequence[str] = (),
    checked: CheckedText | None = None,
    taken: Sequence[str] = (),
) -> Verdict:
    """Return how well a text is borne out by tool responses and cited chunks.

    Args:
        text: What the agent said in the turn, without questions and phrases that state nothing.
        responses: What its tools returned.
        cited: The API's `CitedChunk`s as JSON.
        checker: Returns the check.
        work: Asked before every run of the model.
        others: What else may bear it out.
        checked: A text that was checked against the same; it is not checked again.
        taken: Lines that were taken from the responses as they stand, or say that a call is done
            or failed, as it did; a model is not asked whether they are borne out.

    Raises:
        Cancelled: Nobody waits any more.
    """
    if not text.strip():
        return Verdict(-1, "The agent stated nothing.")
    if checked is not None and checked.text == text:
        return _verdict(checked.claims)
    known = set(taken)
    lines = text.splitlines()
    plain = [(line, 1.0) for line in lines if line in known]
    text = "\n".join(line for line in lines if line not in known)
    if not text.strip():
        return _verdict(plain)
    if count_tokens(text) > MAX_ANSWER_TOKENS:
        return Verdict(-1, f"The text is longer than the {MAX_ANSWER_TOKENS:,} tokens of a check.")
    facts = _facts(responses, cited, others)
    report = checker().check(text, facts, CheckSpec(), facts_required=False, work=work.part())
    return _verdict(
        plain + [(claim.text, claim.score or 0.0) for claim in report.claims if claim.needs_check]
    )


def _verdict(claims: Sequence[tuple[str, float]]) -> Verdict:
    """Return the verdict of claims, each with its support."""
    if not claims:
        return Verdict(-1, "The agent stated nothing.")
    support = round(sum(score for _, score in claims) / len(claims), SCORE_DECIMALS)
    metrics.note_support("conversation", support)
    weak = [(text, score) for text, score in claims if score < CITATION_THRESHOLD]
    if not weak:
        return Verdict(1, "Every sentence is borne out by what the tools returned.", support)
    shown, score = weak[0]
    more = f" and {len(weak) - 1} more" if len(weak) > 1 else ""
    return Verdict(
        0,
        f'Not borne out by what the tools returned: "{shown[:_LONGEST_SHOWN]}"'
        f" (support {score:.2f}){more}.",
        support,
    )


def weak_sentences(
    text: str,
    responses: Sequence[JsonObject],
    cited: Sequence[JsonObject],
    others: Sequence[str],
    *,
    checker: Callable[[], GroundingChecker],
    work: Work = UNLIMITED,
) -> list[tuple[int, int]]:
    """Return where in a text the sentences stand that nothing bears out, as (start, end).

    Args:
        text: What an agent is about to say.
        responses: What tools returned.
        cited: The API's `CitedChunk`s as JSON.
        others: What else may bear it out.
        checker: Returns the check.
        work: Asked before every run of the model.

    Raises:
        Cancelled: Nobody waits any more.
    """
    if not text.strip() or count_tokens(text) > MAX_ANSWER_TOKENS:
        return []
    report = checker().check(
        text,
        _facts(responses, cited, others),
        CheckSpec(),
        facts_required=False,
        work=work.part(),
    )
    return [
        (claim.start, claim.end)
        for claim in report.claims
        if claim.needs_check and (claim.score or 0.0) < CITATION_THRESHOLD
    ]


def _facts(
    responses: Sequence[JsonObject], cited: Sequence[JsonObject], others: Sequence[str]
) -> list[Fact]:
    texts = [str(item.get("text", "")) for item in cited]
    for response in responses:
        output = output_of(response)
        lines = list(facts_of(output.value)) if output.value is not None else []
        if output.error:
            lines.append(output.error)
        texts += _packed(lines)
    texts += others
    return [Fact(text[:MAX_FACT_CHARACTERS]) for text in texts if text.strip()][:MAX_FACTS]


def _packed(lines: Sequence[str]) -> list[str]:
    """Return lines joined into facts that are not too long to be read at once."""
    packed: list[str] = []
    for line in lines:
        if packed and len(packed[-1]) + len(line) < _LONGEST_FACT:
            packed[-1] += f"\n{line}"
        else:
            packed.append(line)
    return packed
