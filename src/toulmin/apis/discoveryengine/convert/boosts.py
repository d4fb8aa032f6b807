"""`BoostSpec` messages to boosts."""

from __future__ import annotations

import math
import re
from typing import Final

from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.errors import InvalidArgument
from toulmin.retrieval.filters import parse_filter
from toulmin.retrieval.query import AttributeBoost, Boost, ControlPoint

MOST_BOOSTS: Final = 100
_Control: Final = pb.SearchRequest.BoostSpec.ConditionBoostSpec.BoostControlSpec
_NUMBER: Final = r"(\d+(?:\.\d+)?)"
_DURATION: Final = re.compile(
    rf"P?(?:{_NUMBER}D)?T?(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?", re.ASCII | re.IGNORECASE
)
"""Days, hours, minutes, seconds: the API's `[nD][T[nH][nM][nS]]`, with or without P and T."""
_SECONDS: Final = (86_400.0, 3_600.0, 60.0, 1.0)


def boosts_of(spec: pb.SearchRequest.BoostSpec, *, field: str) -> tuple[Boost, ...]:
    """Return the boosts of a `BoostSpec`.

    Raises:
        InvalidArgument: A condition or a number is wrong.
    """
    specs = spec.condition_boost_specs
    path = f"{field}.condition_boost_specs"
    if len(specs) > MOST_BOOSTS:
        raise InvalidArgument.of_field(
            path, f"has {len(specs)} boosts; at most {MOST_BOOSTS} are allowed"
        )
    return tuple(_boost(item, f"{path}[{number}]") for number, item in enumerate(specs))


def _boost(item: pb.SearchRequest.BoostSpec.ConditionBoostSpec, path: str) -> Boost:
    condition = parse_filter(item.condition, field=f"{path}.condition")
    if item.HasField("boost_control_spec"):
        return Boost(
            condition=condition,
            attribute=_attribute(item.boost_control_spec, f"{path}.boost_control_spec"),
        )
    return Boost(condition=condition, boost=_boost_value(item.boost, f"{path}.boost"))


def _attribute(
    spec: pb.SearchRequest.BoostSpec.ConditionBoostSpec.BoostControlSpec, path: str
) -> AttributeBoost:
    if not spec.field_name:
        raise InvalidArgument.of_field(f"{path}.field_name", "is missing")
    if not spec.control_points:
        raise InvalidArgument.of_field(f"{path}.control_points", "is empty; give one or more")
    is_age = spec.attribute_type == _Control.AttributeType.FRESHNESS
    points = [
        ControlPoint(
            _attribute_value(
                point.attribute_value,
                f"{path}.control_points[{number}].attribute_value",
                is_age=is_age,
            ),
            _boost_value(point.boost_amount, f"{path}.control_points[{number}].boost_amount"),
        )
        for number, point in enumerate(spec.control_points)
    ]
    points.sort(key=lambda point: point.value)
    return AttributeBoost(field=spec.field_name, is_age=is_age, points=tuple(points))


def _attribute_value(text: str, path: str, *, is_age: bool) -> float:
    """Return a number, or the seconds of a duration such as `7D` or `P2DT3H`."""
    try:
        return attribute_value(text, is_age=is_age)
    except ValueError:
        kind = "a duration such as 7D, 24H or P1DT12H" if is_age else "a number"
        raise InvalidArgument.of_field(path, f'"{text}" is not {kind}') from None


def attribute_value(text: str, *, is_age: bool) -> float:
    """Return a number, or the seconds of a duration.

    Raises:
        ValueError: It is neither, or not finite.
    """
    value = _duration(text) if is_age else float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _duration(text: str) -> float:
    found = _DURATION.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        raise ValueError(text)
    return sum(
        float(number) * seconds
        for number, seconds in zip(found.groups(), _SECONDS, strict=True)
        if number
    )


def _boost_value(value: float, path: str) -> float:
    if not -1 <= value <= 1:  # also NaN
        raise InvalidArgument.of_field(path, f"{value:g} is outside [-1, 1]")
    return float(value)
