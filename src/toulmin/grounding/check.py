"""The check: is every sentence of this answer borne out by these facts?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from toulmin.domain import Claim, Fact
from toulmin.errors import InvalidArgument
from toulmin.grounding.claims import split_claims
from toulmin.grounding.conflicting.conflicts import Conflict, find_conflicts
from toulmin.grounding.correcting.correct import correct_claims
from toulmin.grounding.correcting.proving import Verdict
from toulmin.grounding.evidence import (
    DEFAULT_BUDGET,
    Evidence,
    EvidenceBudget,
    select_evidence,
)
from toulmin.grounding.helpfulness import helpfulness
from toulmin.grounding.pace import Pace
from toulmin.grounding.report import (
    GroundingReport,
    compose_report,
    verdict_of,
    with_conflicts,
    with_corrections,
)
from toulmin.grounding.spans import explain_claims
from toulmin.grounding.subjects import spell_out
from toulmin.grounding.support import PairScore, SupportScorer
from toulmin.grounding.tokens import MAX_ANSWER_TOKENS, count_tokens
from toulmin.grounding.verbatim import quoted
from toulmin.models.static_embedder import StaticEmbedder
from toulmin.text.sentences import split_sentences
from toulmin.work import UNLIMITED, Work

MAX_CLAIMS = 600
"""Sentences of an answer: 4,096 tokens can be 2,000 of two, and each costs a run of the model."""
MAX_FACTS = 200
MAX_FACT_CHARACTERS = 10_000
CITATION_THRESHOLD = 0.6
ANTI_CITATION_THRESHOLD = 0.8


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """What to report.

    Attributes:
        citation_threshold: Least support of a cited chunk, in [0, 1].
        anti_citations: Whether to report what contradicts a claim.
        anti_citation_threshold: Least contradiction of an anti-cited chunk, in [0, 1].
        prompt: The question that the answer was given to; asks for a helpfulness score.
        explanations: Whether to report word spans.
        corrections: Whether to look for what the facts say instead of a claim that is not borne
            out; each look costs what up to eight claims cost.
        conflicts: Whether to look for facts that cannot both be right.
        trusts_quotes: Whether a claim that a fact states word for word is borne out without being
            read, for whoever took it from there; what contradicts it is not looked for.
        context: How many characters of the answer are there for the rest only, which may lean on
            them: claims that end in them are reported without a score.
    """

    citation_threshold: float = CITATION_THRESHOLD
    anti_citations: bool = False
    anti_citation_threshold: float = ANTI_CITATION_THRESHOLD
    prompt: str | None = None
    explanations: bool = False
    corrections: bool = False
    conflicts: bool = False
    trusts_quotes: bool = False
    context: int = 0


class GroundingChecker:
    """Checks answers against facts; one instance serves all threads.

    Args:
        scorer: Says how well evidence supports a claim.
        embedder: The word vectors that evidence is found by.
        budget: How much the scorer reads for each of so many claims.
    """

    def __init__(
        self,
        *,
        scorer: SupportScorer,
        embedder: StaticEmbedder,
        budget: Callable[[int], EvidenceBudget] = lambda _claims: DEFAULT_BUDGET,
    ) -> None:
        self._scorer = scorer
        self._embedder = embedder
        self._budget = budget
        self._pace = Pace()

    def with_scorer(self, scorer: SupportScorer) -> GroundingChecker:
        """Return a checker that asks another scorer, with the tables and the budget of this one."""
        return GroundingChecker(scorer=scorer, embedder=self._embedder, budget=self._budget)

    @property
    def embedder(self) -> StaticEmbedder:
        """The word vectors that evidence is found by; helpfulness needs them, too."""
        return self._embedder

    def check(
        self,
        answer: str,
        facts: Sequence[Fact],
        spec: CheckSpec,
        *,
        facts_required: bool = True,
        work: Work = UNLIMITED,
    ) -> GroundingReport:
        """Return which claims of `answer` the facts support or contradict, and where.

        Args:
            answer: The text to check, at most 4,096 tokens by the guide's rule (`tokens.py`) and
                600 sentences.
            facts: 1 to 200 facts of at most 10,000 characters.
            spec: What to report, from which thresholds.
            facts_required: False: no facts at all support nothing; true: they are an error.
            work: Asked before every run of the model; the steps are timed into it.

        Raises:
            InvalidArgument: A limit is exceeded; the message names field, limit and value.
            ResourceExhausted: It would take far longer than there is time, as checks go now.
            Cancelled: Nobody waits any more.
        """
        validate(answer, facts, spec, facts_required=facts_required)
        with work.timed("claims_ms"):
            claims = [
                replace(claim, needs_check=False) if claim.end <= spec.context else claim
                for claim in split_claims(answer)
            ]
        asked = _Asked(facts, self._budget(_checked(claims)), work)
        scores = self._score_but_quotes(claims, asked, work, trusts=spec.trusts_quotes)
        report = _report(claims, scores, facts, spec)
        if spec.corrections:
            with work.timed("correct_ms"):
                found = correct_claims(
                    answer,
                    claims,
                    scores,
                    facts,
                    check=lambda changed: self._verdicts(changed, asked),
                    threshold=spec.citation_threshold,
                )
            report = with_corrections(report, found)
        if spec.conflicts:
            with work.timed("conflicts_ms"):
                report = with_conflicts(report, self._conflicts(asked))
        if spec.prompt is None:
            return report
        with work.timed("helpfulness_ms"):
            score = helpfulness(spec.prompt, answer, embedder=self._embedder)
        return replace(report, helpfulness_score=score)

    def check_each(
        self,
        statements: Sequence[str],
        facts: Sequence[Fact],
        spec: CheckSpec,
        *,
        work: Work = UNLIMITED,
    ) -> list[GroundingReport]:
        """Return what `check` says of each statement alone; what they share is read once for all.

        Args:
            statements: Texts as for `check`.
            facts: 1 to 200 facts of at most 10,000 characters.
            spec: Thresholds; corrections, conflicts and helpfulness are those of a whole answer.
            work: Asked before every run of the model; the steps are timed into it.

        Raises:
            InvalidArgument: A limit is exceeded; the message names field, limit and value.
            ResourceExhausted: It would take far longer than there is time, as checks go now.
            Cancelled: Nobody waits any more.
        """
        for statement in statements:
            validate(statement, facts, spec)
        each = [split_claims(statement) for statement in statements]
        budget = self._budget(max(map(_checked, each), default=0))
        claims = [claim for own in each for claim in own]
        scores = iter(self._score(claims, _Asked(facts, budget, work), work))
        return [_report(own, [next(scores) for _ in own], facts, spec) for own in each]

    def _score_but_quotes(
        self, claims: Sequence[Claim], asked: _Asked, work: Work, *, trusts: bool
    ) -> list[list[PairScore]]:
        """Return the scores of each claim; what is quoted is not read if that `trusts` it."""
        known = quoted(claims, asked.facts) if trusts else [None] * len(claims)
        left = [claim for claim, pair in zip(claims, known, strict=True) if pair is None]
        read = iter(self._score(left, asked, work) if left else ())
        return [next(read) if pair is None else [pair] for pair in known]

    def _score(self, claims: Sequence[Claim], asked: _Asked, work: Work) -> list[list[PairScore]]:
        """Return the scores of each claim's evidence; its steps are timed into `work`."""
        with work.timed("select_ms"):
            read = [spell_out(claim) for claim in claims]
            evidence = select_evidence(
                read,
                asked.facts,
                embedder=self._embedder,
                budget=asked.budget,
                work=work,
            )
        pairs = sum(map(len, evidence))
        self._pace.refuse_if_too_long(pairs, asked.work.seconds_left)
        with work.timed("score_ms"), self._pace.measured(pairs):
            return self._scorer.score(read, evidence, asked.facts, work=work)

    def _conflicts(self, asked: _Asked) -> tuple[Conflict, ...]:
        """Return the facts that cannot both be right."""

        def score(
            claims: Sequence[Claim], evidence: Sequence[Sequence[Evidence]]
        ) -> list[list[PairScore]]:
            self._pace.refuse_if_too_long(len(claims), asked.work.seconds_left)
            with self._pace.measured(len(claims)):
                return self._scorer.score(claims, evidence, asked.facts, work=asked.work.part())

        return find_conflicts(asked.facts, score=score, work=asked.work)

    def _verdicts(self, claims: Sequence[Claim], asked: _Asked) -> list[Verdict]:
        """Return what a check says of claims; for those that need none, that they are borne out."""
        scores = self._score(claims, asked, asked.work.part())
        return [
            Verdict(*verdict_of(pairs)) if claim.needs_check else Verdict(1.0, 0.0)
            for claim, pairs in zip(claims, scores, strict=True)
        ]


def _report(
    claims: Sequence[Claim],
    scores: Sequence[Sequence[PairScore]],
    facts: Sequence[Fact],
    spec: CheckSpec,
) -> GroundingReport:
    """Return what the scores of the claims of one text come to."""
    return compose_report(
        claims,
        scores,
        explain_claims(claims, scores, facts, explain=spec.explanations),
        citation_threshold=spec.citation_threshold,
        anti_citation_threshold=spec.anti_citation_threshold if spec.anti_citations else None,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What claims of one request are checked against, and how."""

    facts: Sequence[Fact]
    budget: EvidenceBudget
    work: Work


def _checked(claims: Sequence[Claim]) -> int:
    return sum(claim.needs_check for claim in claims)


def validate(
    answer: str, facts: Sequence[Fact], spec: CheckSpec, *, facts_required: bool = True
) -> None:
    """Raise `InvalidArgument` for the first limit that the request exceeds."""
    if not answer.strip():
        raise InvalidArgument.of_field("answer", "is empty; send the text to check")
    _validate_unicode("answer", answer)
    if not facts and facts_required:
        raise InvalidArgument.of_field("facts", "is empty; send 1 to 200 facts")
    if len(facts) > MAX_FACTS:
        raise InvalidArgument.of_field(
            "facts", f"has {len(facts)} facts; at most {MAX_FACTS} are allowed"
        )
    for index, fact in enumerate(facts):
        if len(fact.text) > MAX_FACT_CHARACTERS:
            raise InvalidArgument.of_field(
                f"facts[{index}].text",
                f"has {len(fact.text):,} characters; at most {MAX_FACT_CHARACTERS:,} are allowed",
            )
        if not fact.text.strip():
            raise InvalidArgument.of_field(f"facts[{index}].text", "is empty")
        _validate_unicode(f"facts[{index}].text", fact.text)
    tokens = count_tokens(answer)
    if tokens > MAX_ANSWER_TOKENS:
        raise InvalidArgument.of_field(
            "answer", f"has {tokens:,} tokens; at most {MAX_ANSWER_TOKENS:,} are allowed"
        )
    claims = len(split_sentences(answer))
    if claims > MAX_CLAIMS:
        raise InvalidArgument.of_field(
            "answer",
            f"has {claims:,} sentences; at most {MAX_CLAIMS:,} are allowed, so split it",
        )
    _validate_threshold("citation_threshold", spec.citation_threshold)
    _validate_threshold("anti_citation_threshold", spec.anti_citation_threshold)
    if spec.prompt is not None and not spec.prompt.strip():
        raise InvalidArgument.of_field(
            "prompt", "is empty; a helpfulness score needs the question that was asked"
        )


def _validate_unicode(field: str, text: str) -> None:
    """Refuse lone surrogates: they are no characters and cannot be sent anywhere."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgument.of_field(
            field, f"is not valid Unicode: lone surrogate at character {error.start}"
        ) from error


def _validate_threshold(name: str, value: float) -> None:
    if math.isnan(value) or not 0 <= value <= 1:
        raise InvalidArgument.of_field(name, f"is {value:g}; it must be in [0, 1]")
