"""Transfer rules: when an agent hands over whatever was said, and to whom the planner may not.

They stand in the agent above, for both ways between it and one of its children.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from toulmin.conversation.conditions import Condition, ConditionError, parse_condition
from toulmin.domain import JsonObject

FUNCTION: Final = "should_trigger_transfer_callback"
"""The function that Python conditions have: it takes the context and returns true or false."""
_TO_CHILD: Final = "PARENT_TO_CHILD"


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferRule:
    """A rule.

    Attributes:
        name: Where it stands, for people: "<agent> transferRules[0]".
        source: Name of the agent that hands over.
        target: Name of the agent that takes over.
        bars: Whether it keeps the planner from it, instead of doing it.
        condition: When; None: `python` says it.
        python: Source that says when; empty: `condition` does.
        problem: Why it cannot be followed; empty: it can.
    """

    name: str
    source: str
    target: str
    bars: bool
    condition: Condition | None = None
    python: str = ""
    problem: str = ""


def rules_of(agent: str, rules: list[JsonObject]) -> Iterator[TransferRule]:
    """Yield the rules that an agent's JSON states, in their order.

    Args:
        agent: Name of the agent that they stand in.
        rules: The API's `TransferRule`s; those that were kept before they were checked may have a
            `problem`.
    """
    for number, rule in enumerate(rules):
        child = str(rule.get("childAgent", ""))
        to_child = rule.get("direction") == _TO_CHILD
        bars = "disablePlannerTransfer" in rule
        body = rule.get("disablePlannerTransfer" if bars else "deterministicTransfer", {})
        python = str(body.get("pythonCodeCondition", {}).get("pythonCode", ""))
        expression = str(body.get("expressionCondition", {}).get("expression", ""))
        condition, problem = None, ""
        if not python:
            try:
                condition = parse_condition(expression)
            except ConditionError as error:
                problem = str(error)
        yield TransferRule(
            name=f"{agent} transferRules[{number}]",
            source=agent if to_child else child,
            target=child if to_child else agent,
            bars=bars,
            condition=condition,
            python=python,
            problem=problem,
        )
