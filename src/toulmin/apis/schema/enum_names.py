"""Names of the values of enums, for code: `discoveryengine_pb2.Session.State.IN_PROGRESS`.

`discoveryengine_pb2` and its like have types for mypy in a `.pyi`, written by `make schema`, and at
run time only these names, which are read from the descriptors when somebody asks. A handler serves
all versions, so a name is that of whichever has it. Messages are not made by these modules, since
only a call knows its version: `CallContext.new_message`, `Schema.message_class`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, EnumDescriptor
from google.protobuf.message import Message

from toulmin.apis.schema import load_schema

VERSIONS: Final = ("v1", "v1beta", "v1alpha")
PACKAGES: Final = {
    "ces": "google.cloud.ces",
    "discoveryengine": "google.cloud.discoveryengine",
    "generativelanguage": "google.ai.generativelanguage",
}
"""What the packages of an API are called before the version, by its short name."""


def names_in(api: str) -> Callable[[str], SimpleNamespace]:
    """Return the `__getattr__` of a module: the enums of an API by name, or what they lie in.

    Args:
        api: Its short name, "discoveryengine".
    """

    def named(name: str) -> SimpleNamespace:
        if name.startswith("__"):  # the import system asks for __path__ and the like
            raise AttributeError(name)
        found = list(_versions(f"{PACKAGES[api]}.{{version}}.{name}"))
        if not found:
            raise AttributeError(f"no version of {api} has a type {name}")
        return _names(found)

    return named


def _versions(name: str) -> Iterable[Any]:
    pool = load_schema().pool
    for version in VERSIONS:
        for find in (pool.FindMessageTypeByName, pool.FindEnumTypeByName):
            try:
                yield find(name.format(version=version))
            except KeyError:
                continue


class _Enum(SimpleNamespace):
    """Numbers by name, as attributes."""

    def Value(self, name: str) -> int:  # noqa: N802 - as protobuf's enums have it
        """Return the number of a name; ValueError: no version has it."""
        if name not in vars(self):
            raise ValueError(f"no version has {name}")
        return int(vars(self)[name])


def enum_of(message: Message, field: str) -> EnumDescriptor:
    """Return the enum of a field, as the message's version has it.

    Raises:
        TypeError: The field is of another type.
    """
    found = message.DESCRIPTOR.fields_by_name[field].enum_type
    if not isinstance(found, EnumDescriptor):
        raise TypeError(f"{message.DESCRIPTOR.full_name}.{field} is no enum")
    return found


def value_name(message: Message, field: str) -> str:
    """Return the name of an enum field's value; "" for a number that has none in its version."""
    found = enum_of(message, field).values_by_number.get(getattr(message, field))
    return found.name if found else ""


def _names(versions: Sequence[object]) -> SimpleNamespace:
    """Return numbers by name for an enum; for a message, what is in it."""
    enums = [version for version in versions if isinstance(version, EnumDescriptor)]
    if enums:
        return _Enum(**{value.name: value.number for enum in enums for value in enum.values})
    inner: dict[str, list[object]] = {}
    for version in versions:
        if isinstance(version, Descriptor):
            for item in (*version.enum_types, *version.nested_types):
                inner.setdefault(item.name, []).append(item)
    return SimpleNamespace(**{name: _names(items) for name, items in inner.items()})
