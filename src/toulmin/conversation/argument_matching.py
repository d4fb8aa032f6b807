"""Arguments of a tool call against those that are wanted, as goldens write them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, Final

from toulmin.conversation.similarity import MOSTLY, Similarity
from toulmin.domain import JsonObject

MATCH_TYPES: Final = ("semantic", "ignore", "contains", "regexp")
LONGEST_PATTERN: Final = 1_000
_MATCH: Final = "$matchType"
_VALUE: Final = "$matchValue"
_LONGEST_SEARCH_S: Final = 2.0
_SEARCH: Final = """
import json, re, sys
pattern, text = json.load(sys.stdin)
print(re.search(pattern, text) is not None)
"""


def differences(
    wanted: JsonObject, found: JsonObject, similarity: Similarity, *, by_meaning: bool = False
) -> dict[str, str]:
    """Return the wanted arguments that are other in a call, each with what is wrong.

    Args:
        wanted: Values by name; {"$matchType": ..., "$matchValue": ...} compares otherwise than by
            equality.
        found: The arguments of the call.
        similarity: Compares texts by meaning.
        by_meaning: Whether texts without `$matchType` need only mean the same.
    """
    wrong = {}
    for name, value in wanted.items():
        problem = _problem(value, found.get(name), similarity, by_meaning=by_meaning)
        if problem:
            wrong[name] = f"{name} {problem}"
    return wrong


def matcher_problem(args: JsonObject) -> str:
    """Return what is wrong with wanted arguments; empty: nothing."""
    for name, value in args.items():
        if not (isinstance(value, Mapping) and _MATCH in value):
            continue
        kind = value[_MATCH]
        if kind not in MATCH_TYPES:
            return f'{name}.{_MATCH} "{kind}" must be one of {", ".join(MATCH_TYPES)}'
        if kind == "regexp" and (problem := _pattern_problem(str(value.get(_VALUE, "")))):
            return f"{name}.{_VALUE} {problem}"
    return ""


def _problem(wanted: Any, found: Any, similarity: Similarity, *, by_meaning: bool) -> str:
    if isinstance(wanted, Mapping) and _MATCH in wanted:
        kind, value = wanted[_MATCH], str(wanted.get(_VALUE, ""))
        if kind == "ignore":
            return ""
        text = found if isinstance(found, str) else repr(found)
        if found is None or not _matches(str(kind), value, text, similarity):
            return f'is {found!r}; wanted: {kind} "{value}"'
        return ""
    if wanted == found:
        return ""
    are_texts = isinstance(wanted, str) and isinstance(found, str)
    if by_meaning and are_texts and similarity.of(wanted, found).score >= MOSTLY:
        return ""
    return f"is {found!r}; wanted: {wanted!r}"


def _matches(kind: str, value: str, text: str, similarity: Similarity) -> bool:
    if kind == "contains":
        return value in text
    if kind == "regexp":
        return _is_found(value, text)
    return similarity.of(value, text).score >= MOSTLY


def _pattern_problem(pattern: str) -> str:
    if len(pattern) > LONGEST_PATTERN:
        return f"has {len(pattern):,} characters; at most {LONGEST_PATTERN:,} are allowed"
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return f'"{pattern[:100]}" is no regular expression: {error}'
    return ""


def _is_found(pattern: str, text: str) -> bool:
    """Search in a process of its own: some patterns take for ever, and then it is ended."""
    command = [sys.executable, "-I", "-S", "-c", _SEARCH]
    given = json.dumps([pattern, text])
    try:
        ran = subprocess.run(  # noqa: S603 - our own code; pattern and text are data
            command,
            input=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_LONGEST_SEARCH_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return ran.stdout.strip() == "True"
