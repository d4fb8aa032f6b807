"""What the parameters of a recommendation ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toulmin.errors import InvalidArgument, Unimplemented

if TYPE_CHECKING:
    from google.protobuf.struct_pb2 import Value

_BOOLEANS: Final = (
    "returnDocument",
    "returnScore",
    "strictFiltering",
    "attributeFilteringSyntax",
)
_DIVERSITY: Final = "diversityLevel"
_DIVERSITY_TYPE: Final = "diversityType"
_LEVELS: Final = (
    "",
    "no-diversity",
    "low-diversity",
    "medium-diversity",
    "high-diversity",
    "auto-diversity",
)


@dataclass(frozen=True, slots=True)
class Params:
    """What is asked for.

    Attributes:
        returns_documents: Whether results have their documents.
        filters_by_attributes: Whether the filter may be about any field.
    """

    returns_documents: bool = False
    filters_by_attributes: bool = False


def params_of(values: Mapping[str, Value]) -> Params:
    """Return what `RecommendRequest.params` ask for.

    Raises:
        InvalidArgument: One is unknown or of another kind.
        Unimplemented: They ask for what likeness alone cannot give.
    """
    known = (*_BOOLEANS, _DIVERSITY, _DIVERSITY_TYPE)
    for name in sorted(values):
        if name not in known:
            raise InvalidArgument.of_field(
                f"params.{name[:100]}", f"is none; there are {', '.join(known)}"
            )
    flags = {name: _flag(values, name) for name in _BOOLEANS}
    if flags["returnScore"]:
        raise Unimplemented(
            "params.returnScore is not implemented in this version of Toulmin: how probable a"
            " conversion is, it does not know; results are in the order of likeness"
        )
    if "strictFiltering" in values and not flags["strictFiltering"]:
        raise Unimplemented(
            "params.strictFiltering = false is not implemented in this version of Toulmin; a filter"
            " is always strict"
        )
    _check_diversity(values)
    return Params(flags["returnDocument"], flags["attributeFilteringSyntax"])


def _flag(values: Mapping[str, Value], name: str) -> bool:
    if name not in values:
        return False
    if values[name].WhichOneof("kind") != "bool_value":
        raise InvalidArgument.of_field(f"params.{name}", "must be true or false")
    return bool(values[name].bool_value)


def _check_diversity(values: Mapping[str, Value]) -> None:
    if _DIVERSITY_TYPE in values:
        raise Unimplemented(
            f"params.{_DIVERSITY_TYPE} is not implemented in this version of Toulmin"
        )
    if _DIVERSITY not in values:
        return
    value = values[_DIVERSITY]
    level = value.string_value
    if value.WhichOneof("kind") != "string_value" or level not in _LEVELS:
        raise InvalidArgument.of_field(
            f"params.{_DIVERSITY}", f'"{level[:100]}" must be one of {", ".join(_LEVELS[1:])}'
        )
    if level not in _LEVELS[:2]:
        raise Unimplemented(
            f'params.{_DIVERSITY} "{level}" is not implemented in this version of Toulmin; give'
            ' "no-diversity" or nothing'
        )
