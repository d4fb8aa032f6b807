"""Guardrails: what must not be said, by the user or by an agent, and what happens then.

A content filter is words; a code callback is the app's Python, which `callbacks` runs. The kinds
that ask a language model (`policies`) are refused where there is none, unless the guardrail itself
says that it may be passed over when no model answers (`failOpen`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toulmin.agents import Guardrail
from toulmin.domain import NO_FIELDS, JsonObject
from toulmin.errors import Unimplemented

MATCH_TYPES: Final = ("SIMPLE_STRING_MATCH", "WORD_BOUNDARY_STRING_MATCH", "REGEXP_MATCH")
LONGEST_BANNED: Final = 1_000
REFUSAL: Final = "I cannot help with that."
"""What is said when a guardrail without an action is triggered."""
_KINDS: Final = ("contentFilter", "codeCallback", "llmPromptSecurity", "llmPolicy", "modelSafety")
_SIDES: Final = {"input": "bannedContentsInUserInput", "response": "bannedContentsInAgentResponse"}
_NOT_RUN: Final = "is not implemented in this version of Toulmin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A guardrail that is enabled.

    Attributes:
        name: Its resource name.
        display_name: What it is called.
        kind: The API's name of its type: "contentFilter", "codeCallback", ...
        body: What its type says of it, as the API's JSON.
        action: The API's `TriggerAction` as JSON; empty: there is none.
    """

    name: str
    display_name: str
    kind: str
    body: JsonObject = field(default_factory=lambda: NO_FIELDS)
    action: JsonObject = field(default_factory=lambda: NO_FIELDS)

    def matched(self, text: str, side: str) -> str:
        """Return the banned phrase that a text has; empty: none of them, or it is no filter.

        Args:
            text: What was said.
            side: Who said it: "input" or "response".
        """
        if self.kind != "contentFilter":
            return ""
        at_word_ends = self.body.get("matchType") == "WORD_BOUNDARY_STRING_MATCH"
        plain = bool(self.body.get("disregardDiacritics"))
        said = _folded(text, plain=plain)
        phrases = [*self.body.get("bannedContents", ()), *self.body.get(_SIDES[side], ())]
        for phrase in phrases:
            if _stands_in(_folded(phrase, plain=plain), said, at_word_ends=at_word_ends):
                return str(phrase)
        return ""

    def callback(self, kind: str) -> str:
        """Return its Python for a moment ("before_model", ...); empty: it has none."""
        moment, _, what = kind.partition("_")
        found = self.body.get(f"{moment}{what.capitalize()}Callback", {})
        return "" if found.get("disabled") else str(found.get("pythonCode", ""))

    def response(self) -> str:
        """Return what is said when it is triggered.

        The API draws one of the responses; here it is the first one, the same every time.
        """
        responses = self.action.get("respondImmediately", {}).get("responses", ())
        texts = [item.get("text", "") for item in responses if not item.get("disabled")]
        return next((str(text) for text in texts if text), REFUSAL)


def guard_of(guardrail: Guardrail) -> Guard | None:
    """Return a guardrail as it runs; None when it is not enabled."""
    if not guardrail.fields.get("enabled"):
        return None
    kind = next((kind for kind in _KINDS if kind in guardrail.fields), "")
    return Guard(
        name=guardrail.name,
        display_name=guardrail.display_name,
        kind=kind,
        body=guardrail.fields.get(kind, {}),
        action=guardrail.fields.get("action", {}),
    )


def passed_over(guards: Iterable[Guard], *, has_model: bool) -> list[str]:
    """Return the names of the guards that cannot run and say that they may be passed over.

    Args:
        guards: Those of an agent.
        has_model: Whether there is a language model to ask.

    Raises:
        Unimplemented: One cannot run and does not say so.
    """
    found = []
    for guard in guards:
        what = _cannot_run(guard, has_model=has_model)
        if what and not fails_open(guard):
            raise Unimplemented(f"{guard.name}: {what} {_NOT_RUN}; disable it or take it out")
        if what:
            found.append(guard.name)
    return found


def banned_problem(phrase: str, match_type: str) -> str:
    """Return what is wrong with a banned phrase; empty: nothing."""
    if not phrase.strip():
        return "is empty"
    if len(phrase) > LONGEST_BANNED:
        return f"has {len(phrase):,} characters; at most {LONGEST_BANNED:,} are allowed"
    if match_type == "REGEXP_MATCH":
        try:
            re.compile(phrase)
        except (re.error, RecursionError, OverflowError) as error:
            return f'"{phrase[:200]}" is no regular expression: {error}'
    return ""


def _cannot_run(guard: Guard, *, has_model: bool) -> str:
    """Return what of a guard cannot run; empty: all of it can."""
    if guard.kind == "contentFilter":
        # An expression of somebody else's can take for ever in Python's engine.
        return "REGEXP_MATCH" if guard.body.get("matchType") == "REGEXP_MATCH" else ""
    if guard.kind == "codeCallback":
        return "after_agent_callback" if guard.callback("after_agent") else ""
    if has_model:
        return ""
    names = {"llmPromptSecurity": "llm_prompt_security", "llmPolicy": "llm_policy"}
    return names.get(guard.kind, "model_safety")


def policy_body(guard: Guard) -> JsonObject:
    """Return what a guardrail of the kinds `llmPolicy` and `llmPromptSecurity` says of its policy.

    A custom policy stands for the whole of a prompt security.
    """
    found: JsonObject = guard.body.get("customPolicy", guard.body)
    return found


def fails_open(guard: Guard) -> bool:
    """Return whether a guardrail says that it may be passed over where no model answers."""
    policy = policy_body(guard)
    return guard.kind in ("llmPromptSecurity", "llmPolicy") and bool(policy.get("failOpen"))


def _folded(text: str, *, plain: bool) -> str:
    """Return a text without regard to case and, if `plain`, to diacritics."""
    text = unicodedata.normalize("NFKD" if plain else "NFKC", text)
    if plain:
        text = "".join(char for char in text if not unicodedata.combining(char))
    return " ".join(text.casefold().split())


def _stands_in(phrase: str, text: str, *, at_word_ends: bool) -> bool:
    if not at_word_ends:
        return phrase in text
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (_in_word(text, start) or _in_word(text, end)):
            return True
        start = text.find(phrase, start + 1)
    return False


def _in_word(text: str, place: int) -> bool:
    """Return whether a place is between two characters of one word."""
    around: Sequence[Any] = text[max(0, place - 1) : place + 1]
    return 0 < place < len(text) and all(char.isalnum() or char == "_" for char in around)
