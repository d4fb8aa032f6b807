"""What transfer rules make of a turn: who speaks, and to whom the planner may hand over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toulmin.conversation.acts import Acts
from toulmin.conversation.conditions import ConditionError
from toulmin.conversation.transfer_rules import TransferRule

_RULES: Final = "transferRules"


class Ruled(Acts):
    """The acts of a turn, with the transfer rules of the app. `Acts` has its arguments."""

    _left_by_rule: frozenset[str] = frozenset()
    """Agents that a rule took the turn from: rules that contradict each other come to an end."""

    def _obey_rules(self) -> bool:
        """Hand over as long as a rule says so; return whether one did.

        Nothing is handed over while a tool response is awaited: it is for the agent that called.

        Raises:
            FailedPrecondition: A rule's Python failed, or the operator does not allow Python.
            Unimplemented: The agent that is to take over is run by another service.
            Cancelled: Nobody waits any more.
        """
        obeyed = False
        while rule := self._rule_that_holds():
            noted = {"rule": rule.name, "target": rule.target}
            self.log.attributes.setdefault(_RULES, []).append(noted)
            self._left_by_rule |= {self.state.agent}
            self.state.drop_plans()
            self._transfer(self._app.agents[rule.target])
            obeyed = True
        return obeyed

    def _rule_that_holds(self) -> TransferRule | None:
        if self.state.ended or any(not call.asynchronous for call in self.state.waiting):
            return None
        for rule in self._rules(bars=False):
            if rule.target not in self._left_by_rule and self._holds(rule):
                return rule
        return None

    def _barred(self) -> frozenset[str]:
        """Return the names of the agents that the planner may not hand over to now."""
        found = [rule for rule in self._rules(bars=True) if self._holds(rule)]
        return frozenset(rule.target for rule in found)

    def _rules(self, *, bars: bool) -> Iterator[TransferRule]:
        """Yield the rules about the agent that speaks: its own, then those of the one above."""
        for name in (self.state.agent, self._agent.parent):
            if name in self._app.agents:
                for rule in self._app.agents[name].rules:
                    if rule.bars == bars and rule.source == self.state.agent:
                        yield rule

    def _holds(self, rule: TransferRule) -> bool:
        """Return whether a rule's condition is true; one that cannot be answered is noted."""
        if rule.target not in self._app.agents:
            return False
        if rule.python:
            self._callbacks.watch(self.state.variables, self.log.messages)
            return self._callbacks.transfers(rule, self._agent)
        problem = rule.problem
        if rule.condition is not None:
            try:
                return rule.condition.holds(self.state.variables)
            except ConditionError as error:
                problem = str(error)
        noted = {"rule": rule.name, "problem": problem}
        of_turn = self.log.attributes.setdefault(_RULES, [])
        if noted not in of_turn:
            of_turn.append(noted)
        return False
