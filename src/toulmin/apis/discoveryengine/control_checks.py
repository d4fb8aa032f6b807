"""What a control must be to be stored: its action and its condition (`Control` messages)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from toulmin.apis.discoveryengine.convert import resources as convert
from toulmin.apis.discoveryengine.names import parse_data_store
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.apis.schema.enum_names import value_name
from toulmin.domain import DataStore, Engine
from toulmin.errors import InvalidArgument, Unimplemented
from toulmin.retrieval.filters import parse_filter

MAX_SYNONYMS: Final = 100
MAX_FILTER_CHARS: Final = 5_000
MAX_QUERY_TERMS: Final = 10
MAX_TIME_RANGES: Final = 10

_MAX_TERM_CHARS: Final = 5_000
_MAX_FULL_TERM_WORDS: Final = 3
_MAX_URI_CHARS: Final = 2_000
# XSD dayTimeDuration with or without its P, as far as ages need it: 5D, 3DT12H30M, T24H.
_DURATION: Final = re.compile(r"P?(?=[\dT])(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?\Z")


def check_control(message: pb.Control, owner: DataStore | Engine) -> None:
    """Raise unless a control can be stored; makes the names of data stores in it canonical.

    Args:
        message: The `Control`; a boost or filter without data store gets that of its parent.
        owner: The data store or engine that it is for.

    Raises:
        InvalidArgument: Something is wrong; says what.
        Unimplemented: It promotes links or has a `query_regex`: both are for sites only.
    """
    convert.check_display_name(message.display_name, field="control.display_name")
    convert.check_solution_type(message, field="control")
    if len(message.use_cases) > 1:
        raise InvalidArgument.of_field("control.use_cases", "has more than one use case")
    kind = message.WhichOneof("action")
    if kind is None:
        raise InvalidArgument.of_field(
            "control.boost_action",
            f"is not set; a control needs one of {', '.join(_ACTION_CHECKS)}",
        )
    if kind not in _ACTION_CHECKS:
        raise Unimplemented(
            f"control.{kind} is not implemented in this version of Toulmin; use one of"
            f" {', '.join(_ACTION_CHECKS)}"
        )
    _ACTION_CHECKS[kind](getattr(message, kind), f"control.{kind}", owner)
    if len(message.conditions) > 1:
        raise InvalidArgument.of_field("control.conditions", "has more than one condition")
    for index, condition in enumerate(message.conditions):
        _check_condition(condition, f"control.conditions[{index}]")


def _check_boost(action: pb.Control.BoostAction, field: str, owner: DataStore | Engine) -> None:
    _check_filter(action, field)
    _settle_data_store(action, field, owner)
    for name in ("boost", "fixed_boost"):
        if name in action.DESCRIPTOR.fields_by_name:
            _check_strength(getattr(action, name), f"{field}.{name}")
    if "interpolation_boost_spec" in action.DESCRIPTOR.fields_by_name and action.HasField(
        "interpolation_boost_spec"
    ):
        _check_curve(action.interpolation_boost_spec, f"{field}.interpolation_boost_spec")


def _check_curve(spec: pb.Control.BoostAction.InterpolationBoostSpec, field: str) -> None:
    if not spec.field_name:
        raise InvalidArgument.of_field(f"{field}.field_name", "is empty; it is required")
    kind = value_name(spec, "attribute_type")
    if kind not in ("NUMERICAL", "FRESHNESS"):
        raise InvalidArgument.of_field(f"{field}.attribute_type", "must be NUMERICAL or FRESHNESS")
    if not spec.control_points:
        raise InvalidArgument.of_field(f"{field}.control_points", "is empty; give one or more")
    for index, point in enumerate(spec.control_points):
        place = f"{field}.control_points[{index}]"
        _check_strength(point.boost_amount, f"{place}.boost_amount")
        value = point.attribute_value
        if not (_is_number(value) if kind == "NUMERICAL" else _DURATION.match(value)):
            form = "a number" if kind == "NUMERICAL" else "a duration such as 5D or 3DT12H30M"
            raise InvalidArgument.of_field(
                f"{place}.attribute_value", f'"{value[:100]}" must be {form}'
            )


def _check_filter_action(
    action: pb.Control.FilterAction, field: str, owner: DataStore | Engine
) -> None:
    _check_filter(action, field)
    _settle_data_store(action, field, owner)


def _check_redirect(
    action: pb.Control.RedirectAction, field: str, _owner: DataStore | Engine
) -> None:
    length = len(action.redirect_uri)
    if not 1 <= length <= _MAX_URI_CHARS:
        raise InvalidArgument.of_field(
            f"{field}.redirect_uri",
            f"has {length:,} characters; it must have 1 to {_MAX_URI_CHARS:,}",
        )


def _check_synonyms(
    action: pb.Control.SynonymsAction, field: str, _owner: DataStore | Engine
) -> None:
    terms = [term.strip().lower() for term in action.synonyms]
    place = f"{field}.synonyms"
    if not 2 <= len(terms) <= MAX_SYNONYMS:
        raise InvalidArgument.of_field(
            place, f"has {len(terms):,} terms; it must have 2 to {MAX_SYNONYMS}"
        )
    for index, term in enumerate(terms):
        if not 1 <= len(term) <= _MAX_TERM_CHARS:
            raise InvalidArgument.of_field(
                f"{place}[{index}]",
                f"has {len(term):,} characters; it must have 1 to {_MAX_TERM_CHARS:,}",
            )
        if term in terms[:index]:
            raise InvalidArgument.of_field(f"{place}[{index}]", f'"{term[:100]}" is there twice')


_ACTION_CHECKS: Final[Mapping[str, Callable[[Any, str, DataStore | Engine], None]]] = {
    "boost_action": _check_boost,
    "filter_action": _check_filter_action,
    "redirect_action": _check_redirect,
    "synonyms_action": _check_synonyms,
}


def _check_filter(action: pb.Control.BoostAction | pb.Control.FilterAction, field: str) -> None:
    place = f"{field}.filter"
    if not action.filter.strip():
        raise InvalidArgument.of_field(place, "is empty; it is required")
    if len(action.filter) > MAX_FILTER_CHARS:
        raise InvalidArgument.of_field(
            place,
            f"has {len(action.filter):,} characters; at most {MAX_FILTER_CHARS:,} are allowed",
        )
    parse_filter(action.filter, field=place)


def _settle_data_store(
    action: pb.Control.BoostAction | pb.Control.FilterAction, field: str, owner: DataStore | Engine
) -> None:
    """Make the name of the data store canonical, and refuse one that its parent does not have."""
    place = f"{field}.data_store"
    if isinstance(owner, DataStore):
        own: tuple[str, ...] = (owner.name,)
        action.data_store = action.data_store or owner.name
    else:
        own = tuple(DataStore(parent=owner.parent, id=id_).name for id_ in owner.data_store_ids)
    name = parse_data_store(action.data_store, field=place)
    if name not in own:
        raise InvalidArgument.of_field(
            place, f"{name} does not belong to {owner.name}, which has {', '.join(own)}"
        )
    action.data_store = name


def _check_strength(value: float, field: str) -> None:
    if not -1 <= value <= 1:
        raise InvalidArgument.of_field(field, f"{value:g} must be from -1 to 1")


def _check_condition(condition: pb.Condition, field: str) -> None:
    if "query_regex" in condition.DESCRIPTOR.fields_by_name and condition.query_regex:
        raise Unimplemented(
            f"{field}.query_regex is not implemented in this version of Toulmin; use query_terms"
        )
    for name, most in (("query_terms", MAX_QUERY_TERMS), ("active_time_range", MAX_TIME_RANGES)):
        count = len(getattr(condition, name))
        if count > most:
            raise InvalidArgument.of_field(
                f"{field}.{name}", f"has {count:,} items; at most {most} are allowed"
            )
    for index, term in enumerate(condition.query_terms):
        _check_term(term, f"{field}.query_terms[{index}].value")
    for index, span in enumerate(condition.active_time_range):
        start, end = span.start_time, span.end_time
        both = span.HasField("start_time") and span.HasField("end_time")
        if both and (start.seconds, start.nanos) > (end.seconds, end.nanos):
            raise InvalidArgument.of_field(
                f"{field}.active_time_range[{index}].end_time", "is before start_time"
            )


def _check_term(term: pb.Condition.QueryTerm, field: str) -> None:
    value = term.value
    if not value.strip() or len(value) > _MAX_TERM_CHARS:
        raise InvalidArgument.of_field(
            field, f"has {len(value):,} characters; it must have 1 to {_MAX_TERM_CHARS:,}"
        )
    if value != value.lower():
        raise InvalidArgument.of_field(field, f'"{value[:100]}" must be in lower case')
    if term.full_match and len(value.split()) > _MAX_FULL_TERM_WORDS:
        raise InvalidArgument.of_field(
            field,
            f"has {len(value.split())} words; with full_match it may have {_MAX_FULL_TERM_WORDS}",
        )


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)  # a NaN is not equal to itself
    except ValueError:
        return False
