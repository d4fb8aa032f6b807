"""`StreamAssistRequest` -> question, answer -> `AssistAnswer`. Offsets become UTF-8 bytes here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from toulmin.answering.answer import Answer, AnswerState, SkippedReason
from toulmin.answering.passages import Passage
from toulmin.answering.question import Exchange, Question, UnderstoodClass
from toulmin.apis.aip.operations import set_time
from toulmin.apis.discoveryengine.convert.offsets import ByteOffsets
from toulmin.apis.discoveryengine.convert.questions import (
    DEFAULT_RESULTS,
    LANGUAGE,
    query_text,
)
from toulmin.apis.discoveryengine.convert.search_requests import LONGEST_QUERY, scopes_of
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.errors import InvalidArgument, Unimplemented
from toulmin.retrieval.filters import parse_filter
from toulmin.retrieval.query import SearchQuery

State: Final = pb.AssistAnswer.State
_Skipped: Final = pb.AssistAnswer.AssistSkippedReason
_SKIPPED: Final = {
    SkippedReason.NON_ANSWER_SEEKING_QUERY_IGNORED: _Skipped.NON_ASSIST_SEEKING_QUERY_IGNORED,
    SkippedReason.NON_ANSWER_SEEKING_QUERY_IGNORED_V2: _Skipped.NON_ASSIST_SEEKING_QUERY_IGNORED,
    SkippedReason.CUSTOMER_POLICY_VIOLATION: _Skipped.CUSTOMER_POLICY_VIOLATION,
}
"""The API has no reason for the others."""
_BLOCK: Final = pb.AssistAnswer.CustomerPolicyEnforcementResult.Verdict.BLOCK
_IGNORED: Final = frozenset(
    {UnderstoodClass.ADVERSARIAL, UnderstoodClass.JAILBREAK, UnderstoodClass.CHIT_CHAT}
)
_SEARCH: Final = "vertex_ai_search_spec"
_MODEL: Final = "model"


def assist_question(
    request: pb.StreamAssistRequest,
    data_stores: Sequence[str],
    *,
    owner: str,
    history: Sequence[Exchange],
) -> Question:
    """Return the question of a `StreamAssistRequest` of any version.

    Args:
        request: The request.
        data_stores: Canonical names of the engine's data stores.
        owner: The engine, for errors.
        history: The session's earlier questions.

    Raises:
        InvalidArgument: A value is wrong; names field, limit and value.
        Unimplemented: A field asks for what this version does not do.
    """
    _refuse_unimplemented(request)
    text = query_text(request.query, field="query")
    if not text.strip():
        raise InvalidArgument.of_field("query.text", "is empty; send the question")
    if len(text) > LONGEST_QUERY:
        raise InvalidArgument.of_field(
            "query.text", f"has {len(text):,} characters; at most {LONGEST_QUERY:,} are allowed"
        )
    language = request.user_metadata.preferred_language_code
    if language and not LANGUAGE.match(language):
        raise InvalidArgument.of_field(
            "user_metadata.preferred_language_code",
            f'"{language[:100]}" is no BCP 47 language code, such as en or pt-BR',
        )
    spec, field = request.tools_spec.vertex_ai_search_spec, f"tools_spec.{_SEARCH}"
    return Question(
        text=text,
        history=tuple(history),
        search=SearchQuery(
            text=text,
            scopes=scopes_of(spec, data_stores, owner=owner, prefix=f"{field}."),
            filter=parse_filter(spec.filter, field=f"{field}.filter"),
            page_size=DEFAULT_RESULTS,
        ),
        language=language,
        ignore=_IGNORED,
        with_citations=True,
        with_supports=True,
    )


def fill_reply(answer: pb.AssistAnswer, whole: Answer, before: Answer, *, at: datetime) -> bool:
    """Add to an `AssistAnswer` what an answer has more than an earlier state of it.

    A reply is whole in itself: its segments are bytes of its own text, and their references are
    places in its own list.

    Args:
        answer: The message, with its state.
        whole: The answer as it is now.
        before: As it was when the last reply was sent.
        at: The time of the reply, in UTC.

    Returns:
        Whether there was anything to add.
    """
    begun = len(before.text)
    text = whole.text[begun:]
    if not text:
        return False
    reply = answer.replies.add()
    set_time(reply.create_time, at)
    content = reply.grounded_content
    content.content.role, content.content.text = _MODEL, text
    offsets, places = ByteOffsets(text), dict[int, int]()
    for support in whole.supports:
        if support.start < begun or not support.needs_check:
            continue
        start, end = support.start - begun, support.end - begun
        segment = content.text_grounding_metadata.segments.add(
            start_index=offsets.at(start), end_index=offsets.at(end), text=text[start:end]
        )
        if support.score is not None:
            segment.grounding_score = support.score
        for source in support.sources:
            segment.reference_indices.append(places.setdefault(source, len(places)))
    for source in places:
        _fill_reference(content.text_grounding_metadata.references.add(), whole.references[source])
    return True


def fill_end(answer: pb.AssistAnswer, whole: Answer, *, name: str) -> None:
    """Write into an `AssistAnswer` what came of it in the end: state, reasons, name."""
    answer.name = name
    answer.state = State.SKIPPED if whole.skipped else State.SUCCEEDED
    if whole.state is AnswerState.FAILED:
        answer.state = State.FAILED
    reasons = [_SKIPPED[reason] for reason in whole.skipped if reason in _SKIPPED]
    answer.assist_skipped_reasons.extend(dict.fromkeys(reasons))
    if _Skipped.CUSTOMER_POLICY_VIOLATION in reasons:
        answer.customer_policy_enforcement_result.verdict = _BLOCK


def nothing_of(answer: Answer) -> Answer:
    """Return the answer as it was before anything of it was said."""
    return replace(answer, text="", supports=(), references=())


def _fill_reference(
    message: pb.AssistantGroundedContent.TextGroundingMetadata.Reference, passage: Passage
) -> None:
    message.content = passage.text
    metadata = message.document_metadata
    for name, value in (
        ("document", passage.document),
        ("uri", passage.uri),
        ("title", passage.title),
        ("page_identifier", passage.page),
    ):
        if value:
            setattr(metadata, name, value)


def _refuse_unimplemented(request: pb.StreamAssistRequest) -> None:
    """Refuse what an assistant without a language model and without other services cannot do."""
    for name in ("agents_spec", "action_spec"):
        if name in request.DESCRIPTOR.fields_by_name and request.HasField(name):
            raise _not_built(name)
    if request.generation_spec.model_id:
        raise _not_built("generation_spec.model_id")
    for field, _ in request.tools_spec.ListFields():
        if field.name != _SEARCH:
            raise _not_built(f"tools_spec.{field.name}")


def _not_built(path: str) -> Unimplemented:
    return Unimplemented(
        f"{path} is not implemented in this version of Toulmin; the assistant answers from the"
        f" engine's data stores (tools_spec.{_SEARCH})"
    )
