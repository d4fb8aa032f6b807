"""The fields of check grounding that no published client has, added to Google's descriptors.

Two kinds of number. Fields that some API version publishes have Google's own number and are added
where a version lacks them. The withdrawn features (anti-citations, helpfulness, `prompt`,
`groundingSource`) and our own (`enableExplanations`, `enableCorrections`,
`enableFactConflicts`) have numbers from 50,001,
so that they never meet one of Google's; a client that does not know a field ignores it.

Positions are UTF-8 bytes, as everywhere in this message: `start_pos` and `end_pos` of a span or a
replacement in the answer candidate, `fact_start_pos` and `fact_end_pos`, and those of a
side of a conflict, in the text of the fact that `source` names by its index in the request.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)

_PACKAGE_PREFIX: Final = "google.cloud.discoveryengine."
_MARKER: Final = "CheckGroundingSpec"  # top-level message of the one file to extend

_OPTIONAL: Final = "optional"  # an explicit 0 or false is written
_SINGULAR: Final = "singular"
_REPEATED: Final = "repeated"


class _Field(NamedTuple):
    message: str
    name: str
    number: int
    type_name: str
    presence: str


_MESSAGES: Final = (
    "CheckGroundingRequest.GroundingSource",
    "CheckGroundingResponse.ClaimSpan",
    "CheckGroundingResponse.ClaimReplacement",
    "CheckGroundingResponse.FactConflict",
    "CheckGroundingResponse.ConflictSide",
)

_FIELDS: Final = (
    # published in v1 and v1beta
    _Field("CheckGroundingSpec", "enable_claim_level_score", 4, "bool", _OPTIONAL),
    _Field("CheckGroundingResponse.Claim", "score", 7, "double", _OPTIONAL),
    # withdrawn
    _Field("CheckGroundingSpec", "enable_anti_citations", 50_001, "bool", _SINGULAR),
    _Field("CheckGroundingSpec", "anti_citation_threshold", 50_002, "double", _OPTIONAL),
    _Field("CheckGroundingSpec", "enable_helpfulness_score", 50_003, "bool", _SINGULAR),
    _Field("CheckGroundingRequest", "prompt", 50_001, "string", _SINGULAR),
    _Field(
        "CheckGroundingRequest",
        "grounding_source",
        50_002,
        "CheckGroundingRequest.GroundingSource",
        _SINGULAR,
    ),
    _Field("CheckGroundingRequest.GroundingSource", "search_source", 1, "string", _SINGULAR),
    _Field("CheckGroundingResponse", "contradiction_score", 50_001, "float", _OPTIONAL),
    _Field("CheckGroundingResponse", "helpfulness_score", 50_002, "float", _OPTIONAL),
    _Field("CheckGroundingResponse.Claim", "anti_citation_indices", 50_001, "int32", _REPEATED),
    # ours, written only when the request has enable_explanations
    _Field("CheckGroundingSpec", "enable_explanations", 50_004, "bool", _SINGULAR),
    _Field("CheckGroundingResponse.Claim", "contradiction_score", 50_002, "double", _OPTIONAL),
    _Field(
        "CheckGroundingResponse.Claim",
        "spans",
        50_003,
        "CheckGroundingResponse.ClaimSpan",
        _REPEATED,
    ),
    _Field("CheckGroundingResponse.ClaimSpan", "start_pos", 1, "int32", _OPTIONAL),
    _Field("CheckGroundingResponse.ClaimSpan", "end_pos", 2, "int32", _OPTIONAL),
    _Field("CheckGroundingResponse.ClaimSpan", "supported", 3, "bool", _OPTIONAL),
    _Field("CheckGroundingResponse.ClaimSpan", "source", 4, "string", _SINGULAR),
    _Field("CheckGroundingResponse.ClaimSpan", "fact_start_pos", 5, "int32", _OPTIONAL),
    _Field("CheckGroundingResponse.ClaimSpan", "fact_end_pos", 6, "int32", _OPTIONAL),
    # ours, written only when the request has enable_corrections
    _Field("CheckGroundingSpec", "enable_corrections", 50_005, "bool", _SINGULAR),
    _Field("CheckGroundingResponse.Claim", "corrected_text", 50_004, "string", _SINGULAR),
    _Field("CheckGroundingResponse.Claim", "corrected_score", 50_005, "double", _OPTIONAL),
    _Field(
        "CheckGroundingResponse.Claim",
        "replacements",
        50_006,
        "CheckGroundingResponse.ClaimReplacement",
        _REPEATED,
    ),
    _Field("CheckGroundingResponse.ClaimReplacement", "start_pos", 1, "int32", _OPTIONAL),
    _Field("CheckGroundingResponse.ClaimReplacement", "end_pos", 2, "int32", _OPTIONAL),
    _Field("CheckGroundingResponse.ClaimReplacement", "text", 3, "string", _SINGULAR),
    _Field("CheckGroundingResponse.ClaimReplacement", "source", 4, "string", _SINGULAR),
    _Field("CheckGroundingResponse.ClaimReplacement", "fact_start_pos", 5, "int32", _OPTIONAL),
    _Field("CheckGroundingResponse.ClaimReplacement", "fact_end_pos", 6, "int32", _OPTIONAL),
    # ours, written only when the request has enable_fact_conflicts
    _Field("CheckGroundingSpec", "enable_fact_conflicts", 50_006, "bool", _SINGULAR),
    _Field("CheckGroundingResponse.Claim", "fact_conflict_indices", 50_007, "int32", _REPEATED),
    _Field(
        "CheckGroundingResponse",
        "fact_conflicts",
        50_003,
        "CheckGroundingResponse.FactConflict",
        _REPEATED,
    ),
    _Field("CheckGroundingResponse.FactConflict", "differing", 1, "string", _SINGULAR),
    _Field(
        "CheckGroundingResponse.FactConflict",
        "sides",
        2,
        "CheckGroundingResponse.ConflictSide",
        _REPEATED,
    ),
    _Field("CheckGroundingResponse.ConflictSide", "source", 1, "string", _SINGULAR),
    _Field("CheckGroundingResponse.ConflictSide", "sentence", 2, "string", _SINGULAR),
    _Field("CheckGroundingResponse.ConflictSide", "start_pos", 3, "int32", _OPTIONAL),
    _Field("CheckGroundingResponse.ConflictSide", "end_pos", 4, "int32", _OPTIONAL),
    _Field("CheckGroundingResponse.ConflictSide", "value", 5, "string", _SINGULAR),
    _Field("CheckGroundingResponse.ConflictSide", "value_start_pos", 6, "int32", _OPTIONAL),
    _Field("CheckGroundingResponse.ConflictSide", "value_end_pos", 7, "int32", _OPTIONAL),
)


def extend_file(file: FileDescriptorProto) -> None:
    """Add to one file of the contract, in place, the messages and fields above that it lacks.

    Does nothing to any file but the one of check grounding.
    """
    top_level = {message.name: message for message in file.message_type}
    if not file.package.startswith(_PACKAGE_PREFIX) or _MARKER not in top_level:
        return
    for path in _MESSAGES:
        parent, _, name = path.rpartition(".")
        _find(top_level, parent).nested_type.add(name=name)
    for field in _FIELDS:
        message = _find(top_level, field.message)
        if field.name not in {known.name for known in message.field}:
            _add_field(message, field, package=file.package)


def _find(top_level: dict[str, DescriptorProto], path: str) -> DescriptorProto:
    head, *rest = path.split(".")
    message = top_level[head]
    for name in rest:
        message = next(nested for nested in message.nested_type if nested.name == name)
    return message


def _add_field(message: DescriptorProto, field: _Field, *, package: str) -> None:
    added = message.field.add(name=field.name, number=field.number)
    repeated = field.presence == _REPEATED
    added.label = (
        FieldDescriptorProto.LABEL_REPEATED if repeated else FieldDescriptorProto.LABEL_OPTIONAL
    )
    if "." in field.type_name:
        added.type = FieldDescriptorProto.TYPE_MESSAGE
        added.type_name = f".{package}.{field.type_name}"
    else:
        added.type = FieldDescriptorProto.Type.Value(f"TYPE_{field.type_name.upper()}")
    if field.presence == _OPTIONAL:
        added.proto3_optional = True
        added.oneof_index = len(message.oneof_decl)
        message.oneof_decl.add(name=f"_{field.name}")
