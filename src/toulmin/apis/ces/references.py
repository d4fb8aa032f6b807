"""What resources of an app say of each other by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from google.protobuf.message import Message

from toulmin.agents import Agent, AppVersion, Evaluation, Guardrail, Tool, Toolset
from toulmin.domain import Resource

DRAFT: Final = "-"
"""Id by which a deployment names the app as it is now, instead of a version."""
_FIELDS: Final[dict[str, tuple[tuple[str, type[Resource]], ...]]] = {
    "App": (("root_agent", Agent), ("guardrails", Guardrail)),
    "Agent": (
        ("tools", Tool),
        ("child_agents", Agent),
        ("toolsets.toolset", Toolset),
        ("guardrails", Guardrail),
        ("transfer_rules.child_agent", Agent),
    ),
    "Tool": (("agent_tool.agent", Agent),),
    "Example": (("entry_agent", Agent),),
    "Guardrail": (("action.transfer_agent.agent", Agent),),
    "Deployment": (("app_version", AppVersion),),
    "EvaluationDataset": (("evaluations", Evaluation),),
}
"""Fields that hold names, by message; a part of a path may be repeated."""


def references(message: Message) -> Iterator[tuple[str, str, type[Resource]]]:
    """Yield what a message of an app's resource refers to: path of the field, name, kind."""
    for path, kind in _FIELDS.get(message.DESCRIPTOR.name, ()):
        for place, name in _names(message, path.split("."), ""):
            yield place, name, kind


def without_reference(message: Message, name: str) -> bool:
    """Take every reference to a resource out of a message; return whether there was one.

    An agent loses the toolset and a guardrail the action that names it.
    """
    before = message.SerializeToString()
    for path, _ in _FIELDS.get(message.DESCRIPTOR.name, ()):
        first, _, rest = path.partition(".")
        value = getattr(message, first)
        if not _is_repeated(message, first):
            if any(found == name for _, found in _names(message, path.split("."), "")):
                message.ClearField(first)
            continue
        kept = [item for item in value if (getattr(item, rest) if rest else item) != name]
        del value[:]
        value.extend(kept)
    return bool(before != message.SerializeToString())


def _names(message: Message, path: list[str], place: str) -> Iterator[tuple[str, str]]:
    first, *rest = path
    value = getattr(message, first)
    items = (
        [(f"{place}{first}[{number}]", item) for number, item in enumerate(value)]
        if _is_repeated(message, first)
        else [(f"{place}{first}", value)]
    )
    for where, item in items:
        if rest:
            yield from _names(item, rest, f"{where}.")
        elif item:
            yield where, item


def _is_repeated(message: Message, field: str) -> bool:
    return bool(message.DESCRIPTOR.fields_by_name[field].is_repeated)
