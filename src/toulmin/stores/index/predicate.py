"""Filters as data: what the grammar is parsed to, and what each kind means for one chunk.

A field has any number of values, each a string, a number, a boolean or a point in time. A condition
holds when at least one value of its own kind fulfils it; so a chunk without the field fulfils no
condition, and `Not` turns that round.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

FieldValue = str | bool | int | float | datetime
Fields = Mapping[str, Sequence[FieldValue]]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A string of the field is one of `values`, letter by letter."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InRange:
    """A number of the field lies between two bounds."""

    field: str
    low: float = -math.inf
    high: float = math.inf
    low_included: bool = True
    high_included: bool = True


@dataclass(frozen=True, slots=True)
class During:
    """A time of the field lies in [start, end), in microseconds since 1970; None: no bound."""

    field: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Is:
    """A boolean of the field is `value`."""

    field: str
    value: bool


@dataclass(frozen=True, slots=True)
class Not:
    """`operand` does not hold."""

    operand: Predicate


@dataclass(frozen=True, slots=True)
class And:
    """All of `operands` hold; none: everything."""

    operands: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One of `operands` holds; none: nothing."""

    operands: tuple[Predicate, ...]


Condition = AnyOf | InRange | During | Is
Predicate = Condition | Not | And | Or

EVERYTHING = And(())


def matches(predicate: Predicate, fields: Fields) -> bool:
    """Return whether a chunk with these fields fulfils `predicate`."""
    match predicate:
        case And(operands):
            return all(matches(operand, fields) for operand in operands)
        case Or(operands):
            return any(matches(operand, fields) for operand in operands)
        case Not(operand):
            return not matches(operand, fields)
        case AnyOf() | InRange() | During() | Is():
            return any(_fulfils(predicate, value) for value in fields.get(predicate.field, ()))


def field_names(predicate: Predicate) -> frozenset[str]:
    """Return the fields that `predicate` asks about."""
    match predicate:
        case And(operands) | Or(operands):
            return frozenset().union(*(field_names(operand) for operand in operands))
        case Not(operand):
            return field_names(operand)
        case AnyOf() | InRange() | During() | Is():
            return frozenset([predicate.field])


def without_fields(predicate: Predicate, names: frozenset[str]) -> Predicate:
    """Return `predicate` as if every condition on `names` held: what facets may leave out."""
    match predicate:
        case And(operands):
            return And(tuple(without_fields(operand, names) for operand in operands))
        case Or(operands):
            return Or(tuple(without_fields(operand, names) for operand in operands))
        case Not(operand):
            # A condition that is left out must not turn into its contrary.
            return EVERYTHING if field_names(operand) & names else predicate
        case AnyOf() | InRange() | During() | Is():
            return EVERYTHING if predicate.field in names else predicate


def microseconds(moment: datetime) -> int:
    """Return the microseconds from 1970 (UTC) to `moment`; without a zone it is taken as UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MICROSECOND


def moment(since_1970: int) -> datetime:
    """Return the moment, in UTC, so many microseconds after 1970."""
    return _EPOCH + since_1970 * _MICROSECOND


def _fulfils(condition: Condition, value: FieldValue) -> bool:
    match condition, value:
        case Is(_, wanted), bool():
            return value is wanted
        case AnyOf(_, values), str():
            return value in values
        case During(_, start, end), datetime():
            at = microseconds(value)
            return (start is None or at >= start) and (end is None or at < end)
        case InRange(), int() | float() if not isinstance(value, bool):
            return _inside(condition, float(value))
        case _:
            return False


def _inside(bounds: InRange, number: float) -> bool:
    above = number >= bounds.low if bounds.low_included else number > bounds.low
    below = number <= bounds.high if bounds.high_included else number < bounds.high
    return above and below
