"""`CheckGroundingRequest` to facts and a spec, and the report to `CheckGroundingResponse`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from toulmin.apis.discoveryengine.convert.documents import title_of, uri_of
from toulmin.apis.discoveryengine.convert.offsets import ByteOffsets
from toulmin.apis.discoveryengine.names import chunk_name
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import Branch, Fact
from toulmin.errors import FieldViolation, InvalidArgument
from toulmin.grounding.check import CheckSpec
from toulmin.grounding.conflicting.conflicts import Conflict
from toulmin.grounding.correcting.correct import Correction
from toulmin.grounding.report import CheckedClaim, GroundingReport
from toulmin.grounding.spans import ClaimSpan
from toulmin.retrieval.results import FoundChunk

if TYPE_CHECKING:
    _Sourced: TypeAlias = (
        pb.CheckGroundingResponse.ClaimSpan
        | pb.CheckGroundingResponse.ClaimReplacement
        | pb.CheckGroundingResponse.ConflictSide
    )

# Our name of a request field -> its path on the wire.
_WIRE_FIELDS = (
    (re.compile(r"^answer$"), "answer_candidate"),
    (re.compile(r"^facts\[(\d+)\]\.text$"), r"facts[\1].fact_text"),
    (re.compile(r"^citation_threshold$"), "grounding_spec.citation_threshold"),
    (re.compile(r"^anti_citation_threshold$"), "grounding_spec.anti_citation_threshold"),
)


def check_request(request: pb.CheckGroundingRequest) -> tuple[str, list[Fact], CheckSpec]:
    """Return answer, facts and spec of a `CheckGroundingRequest` of any version.

    Raises:
        InvalidArgument: A helpfulness score is asked for without a prompt.
    """
    spec = request.grounding_spec
    wants_helpfulness = spec.enable_helpfulness_score
    if wants_helpfulness and not request.prompt:
        raise InvalidArgument.of_field(
            "prompt", "is empty; grounding_spec.enable_helpfulness_score needs the question asked"
        )
    defaults = CheckSpec()
    return (
        request.answer_candidate,
        [Fact(fact.fact_text, dict(sorted(fact.attributes.items()))) for fact in request.facts],
        CheckSpec(
            citation_threshold=_given(spec, "citation_threshold", defaults.citation_threshold),
            anti_citations=spec.enable_anti_citations,
            anti_citation_threshold=_given(
                spec, "anti_citation_threshold", defaults.anti_citation_threshold
            ),
            prompt=request.prompt if wants_helpfulness else None,
            explanations=spec.enable_explanations,
            corrections=spec.enable_corrections,
            conflicts=spec.enable_fact_conflicts,
        ),
    )


def _given(
    spec: pb.CheckGroundingSpec,
    field: Literal["citation_threshold", "anti_citation_threshold"],
    default: float,
) -> float:
    return float(getattr(spec, field)) if spec.HasField(field) else default


def in_wire_terms(error: InvalidArgument) -> InvalidArgument:
    """Return the same error with field paths as the request has them."""
    violations = [
        FieldViolation(_wire_field(violation.field), violation.description)
        for violation in error.violations
    ]
    message = "; ".join(f"{item.field}: {item.description}" for item in violations)
    return InvalidArgument(message or error.message, violations=violations, reason=error.reason)


def _wire_field(field: str) -> str:
    for pattern, replacement in _WIRE_FIELDS:
        if pattern.match(field):
            return pattern.sub(replacement, field)
    return field


def fill_check_response(
    response: pb.CheckGroundingResponse,
    report: GroundingReport,
    *,
    answer: str,
    facts: Sequence[Fact],
    with_claim_scores: bool,
) -> None:
    """Write `report` into an empty `CheckGroundingResponse` of any version.

    Args:
        response: The message to fill.
        report: What the check found.
        answer: The text that was checked.
        facts: The facts that it was checked against.
        with_claim_scores: Whether each claim shows its score.
    """
    response.support_score = report.support_score
    if report.contradiction_score is not None:
        response.contradiction_score = report.contradiction_score
    if report.helpfulness_score is not None:
        response.helpfulness_score = report.helpfulness_score
    for chunk in report.cited_chunks:
        response.cited_chunks.add(chunk_text=chunk.text, source=str(chunk.fact_index))
        response.cited_facts.add(chunk_text=chunk.text)  # as older clients read them
    answer_bytes = ByteOffsets(answer)
    for claim in report.claims:
        _fill_claim(response.claims.add(), claim, answer_bytes, with_score=with_claim_scores)
        for span in claim.spans:
            _fill_span(response.claims[-1].spans.add(), span, answer_bytes, facts)
        if claim.spans and claim.contradiction_score is not None:
            response.claims[-1].contradiction_score = claim.contradiction_score
        if claim.correction is not None:
            _fill_correction(response.claims[-1], claim.correction, answer_bytes, facts)
        response.claims[-1].fact_conflict_indices.extend(claim.conflicts)
    for conflict in report.conflicts:
        _fill_conflict(response.fact_conflicts.add(), conflict, facts)


def name_sources(response: pb.CheckGroundingResponse, found: Sequence[FoundChunk]) -> None:
    """Say of each cited chunk which chunk of which document it is, instead of its fact's index.

    Args:
        response: A `CheckGroundingResponse` made with the texts of `found` as facts.
        found: The chunks, in the order of the facts.
    """
    for cited in response.cited_chunks:
        chunk = found[int(cited.source)]
        branch = Branch(chunk.data_store, chunk.branch)
        cited.source = chunk_name(branch, chunk.document.id, chunk.chunk.id)
        cited.uri = uri_of(chunk.document)
        cited.title = title_of(chunk.document)
        page = chunk.chunk.page_at(max(0, chunk.chunk.content.find(cited.chunk_text)))
        if page is not None:
            cited.source_metadata["page_identifier"] = str(page)
    spans = [span for claim in response.claims for span in claim.spans]
    replacements = [item for claim in response.claims for item in claim.replacements]
    sides = [side for conflict in response.fact_conflicts for side in conflict.sides]
    named: tuple[_Sourced, ...] = (*spans, *replacements, *sides)
    for item in named:
        if item.source:
            chunk = found[int(item.source)]
            branch = Branch(chunk.data_store, chunk.branch)
            item.source = chunk_name(branch, chunk.document.id, chunk.chunk.id)


def _fill_claim(
    message: pb.CheckGroundingResponse.Claim,
    claim: CheckedClaim,
    answer_bytes: ByteOffsets,
    *,
    with_score: bool,
) -> None:
    message.start_pos = answer_bytes.at(claim.start)
    message.end_pos = answer_bytes.at(claim.end)
    message.claim_text = claim.text
    message.grounding_check_required = claim.needs_check
    message.citation_indices.extend(claim.citations)
    message.anti_citation_indices.extend(claim.anti_citations)
    if with_score and claim.score is not None:
        message.score = claim.score


def _fill_span(
    message: pb.CheckGroundingResponse.ClaimSpan,
    span: ClaimSpan,
    answer_bytes: ByteOffsets,
    facts: Sequence[Fact],
) -> None:
    message.start_pos = answer_bytes.at(span.start)
    message.end_pos = answer_bytes.at(span.end)
    message.supported = span.supported
    if span.fact_index is None:
        return
    fact_bytes = ByteOffsets(facts[span.fact_index].text)
    message.source = str(span.fact_index)
    message.fact_start_pos = fact_bytes.at(span.fact_start)
    message.fact_end_pos = fact_bytes.at(span.fact_end)


def _fill_correction(
    message: pb.CheckGroundingResponse.Claim,
    correction: Correction,
    answer_bytes: ByteOffsets,
    facts: Sequence[Fact],
) -> None:
    message.corrected_text = correction.text
    message.corrected_score = correction.score
    for change in correction.replacements:
        fact_bytes = ByteOffsets(facts[change.fact_index].text)
        message.replacements.add(
            start_pos=answer_bytes.at(change.start),
            end_pos=answer_bytes.at(change.end),
            text=change.text,
            source=str(change.fact_index),
            fact_start_pos=fact_bytes.at(change.fact_start),
            fact_end_pos=fact_bytes.at(change.fact_end),
        )


def _fill_conflict(
    message: pb.CheckGroundingResponse.FactConflict, conflict: Conflict, facts: Sequence[Fact]
) -> None:
    message.differing = conflict.kind
    for side in (conflict.one, conflict.other):
        fact_bytes = ByteOffsets(facts[side.sentence.fact_index].text)
        message.sides.add(
            source=str(side.sentence.fact_index),
            sentence=side.sentence.text,
            start_pos=fact_bytes.at(side.sentence.start),
            end_pos=fact_bytes.at(side.sentence.end),
            value=side.text,
            value_start_pos=fact_bytes.at(side.start),
            value_end_pos=fact_bytes.at(side.end),
        )
