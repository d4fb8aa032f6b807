"""Which tools change something, so that nobody's word is taken for them lightly.

What its format says comes first: the method of an OpenAPI operation, the annotations of an MCP
tool. Else the verb that its description and its name begin with says it ("Cancels a reservation.",
`cancel_booking`). Of a function whose verb is in none of the lists it is assumed: to be asked once
too often costs a turn, not to be asked may cost money (docs/decisions/0059). An app can say
otherwise, in words, where its agent's instruction or the tool's description speaks of confirming.
"""

from __future__ import annotations

import re
from typing import Final

from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.forms import words_of
from toulmin.conversation.instructions import lines_about

_CANNOT: Final = frozenset(
    {"dataStoreTool", "systemTool", "agentTool", "widgetTool", "googleSearchTool", "fileSearchTool"}
)
"""Kinds that change nothing themselves; an agent that is a tool asks for its own tools."""
_WRITING: Final = frozenset({"PUT", "PATCH", "DELETE"})


def _forms(verbs: str) -> frozenset[str]:
    """Return verbs as they are in a name and in a description: "book", "books"."""
    base = verbs.split()
    third = [
        f"{verb[:-1]}ies"
        if re.search(r"[^aeiou]y\Z", verb)
        else f"{verb}{'es' if verb.endswith(('s', 'h', 'x')) else 's'}"
        for verb in base
    ]
    return frozenset([*base, *third])


_CHANGING: Final = _forms(
    "book reserve cancel delete remove send pay refund buy purchase update change modify edit"
    " create add submit issue transfer reset renew extend reschedule schedule activate deactivate"
    " enable disable subscribe unsubscribe register unregister enroll close approve reject charge"
    " withdraw deposit upgrade downgrade block unblock freeze pause suspend resume terminate"
    " replace redeem order insert erase write set upload publish dispatch request report"
    " throw discard rent hire borrow lend start stop enrol join donate dispute swap record log lock"
    " unlock invite assign reassign archive restore claim print park tip install"
    " deploy trigger launch feed water apply reply post forward"
)
_NOUNS_TOO: Final = _forms(
    "book order change update transfer issue charge schedule purchase deposit upgrade reserve block"
    " pause refund request report rent hire start stop swap record log lock claim print park tip"
    " trigger feed water post"
)
"""Verbs that are nouns as well: in a description a word such as "a" or "the" must follow."""
_READING: Final = _forms(
    "get find list search check look lookup show read fetch query count describe explain say tell"
    " track calculate compute estimate compare view validate verify return retrieve answer see"
    " display provide determine quote measure weigh inspect monitor summarize translate summarise"
    " greet welcome recommend parse format convert classify detect extract analyze analyse evaluate"
    " ping echo preview browse filter sort rank identify match predict forecast locate generate"
    " draft compose"
) | {"is", "has", "can", "does", "which", "what", "whether", "how", "when", "where", "who"}
_LIGHT: Final = _forms("make open place file arrange")
"""Verbs that change something where what they make does."""
_MADE: Final = frozenset(
    {"appointment", "reservation", "booking", "payment", "order", "purchase", "transfer", "ticket"}
    | {"case", "account", "claim", "complaint", "donation"}
)
_TALK: Final = frozenset(
    {"session", "state", "variable", "variables", "context", "conversation", "payload", "history"}
)
_OF_THE_TALK: Final = _TALK | frozenset(
    {"summary", "report", "list", "quote", "estimate", "overview", "numbers", "query"}
)
"""What is written for the talk itself or made to be read: nothing outside is another after it."""
_NAMES_OF_READING: Final = frozenset(
    {"status", "info", "information", "details", "history", "rules", "lookup", "search", "list"}
    | {"policy", "hours", "guide", "options", "availability", "price", "prices", "times", "fees"}
    | {"catalogue", "catalog", "items", "lines", "number", "id", "ids", "date", "state", "count"}
    | {"weather", "forecast", "temperature", "rate", "rates", "balance", "score", "scores", "news"}
    | {"faq", "menu", "timetable", "directions", "route", "map", "results", "finder", "locator"}
    | {"checker", "calculator", "converter", "recommendations", "suggestions", "overview", "facts"}
)
"""How names end that say what is found; a description may begin so: "Current weather in a city"."""
_TOLD: Final = frozenset(
    {"whether", "if", "how", "when", "where", "what", "which", "who", "latest", "current"}
    | {"available", "information", "advice", "details"}
)
"""What follows a verb that is in no list, where it tells: "Announces whether there is a strike"."""
_DETERMINERS: Final = frozenset(
    {"a", "an", "the", "your", "their", "his", "her", "its", "one", "this", "that", "all", "any"}
    | {"another", "some", "somebody", "new", "each", "every", "money"}
)
_PREAMBLE: Final = re.compile(
    r"\A\s*(?:(?:(?:use|call|invoke)d?\s+(?:(?:this|it)\s+)?(?:(?:tool|function|operation)\s+)?to"
    r"|(?:(?:this|the|a)\s+)?(?:tool|function|operation|endpoint)\s*(?:to|that|which|:)?"
    r"|immediately|permanently|safely|automatically)\s+)*",
    re.IGNORECASE,
)
_UNASKED: Final = re.compile(
    r"\b(?:without|no|not|never|don't|needs? no)\b[^.;\n]{0,40}\bconfirm(?:s|ed|ing|ation)?\b",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(
    r"\bconfirm(?:s|ed|ation)?\b[^.\n]{0,80}\b(?:before|then|first|call|use)\b"
    r"|\b(?:before|first|once|after|until|only)\b[^.\n]{0,80}\bconfirm(?:s|ed|ation)?\b",
    re.IGNORECASE,
)
_REQUIRED: Final = re.compile(
    r"\brequires?\b[^.;\n]{0,30}\bconfirmation\b"
    r"|\b(?:only|after|once)\b[^.\n]{0,40}\b(?:user|customer|caller|guest)\b[^.\n]{0,20}\bconfirm",
    re.IGNORECASE,
)
_NEAR: Final = 4
"""Words after a verb among which its object is."""


def is_to_be_confirmed(tool: ToolSpec, instruction: str) -> bool:
    """Return whether the user is asked before a tool is called.

    Args:
        tool: The tool.
        instruction: Of the agent that calls it.
    """
    if tool.kind in _CANNOT:
        return False
    told = lines_about(instruction, tool.display_name)
    if any(_UNASKED.search(text) for text in (*told, tool.description)):
        return False
    asked = any(_ASKED.search(text) for text in told) or _REQUIRED.search(tool.description)
    return bool(asked) or changes_something(tool)


def changes_something(tool: ToolSpec) -> bool:
    """Return whether a call of a tool counts as changing something."""
    if tool.kind in _CANNOT:
        return False
    if tool.changes is not None:
        return tool.changes
    if tool.operation is not None and tool.operation.method != "POST":
        return tool.operation.method in _WRITING
    described, named = _by_description(tool.description), _by_name(tool.display_name)
    if tool.operation is not None:  # many are searches that are too long for an address
        return described is not False and (named is not False or described is True)
    if described is None:
        return named is not False and (named or bool(words_of(tool.description)))
    return described and named is not False


def _by_description(description: str) -> bool | None:
    """Return what the first verb of a description says; None: nothing that is plain."""
    words = words_of(_PREAMBLE.sub("", description).split(". ")[0])
    if not words:
        return None
    verb, rest = words[0], words[1:]
    near = set(rest[:_NEAR])
    if verb in _READING or near & _TALK:
        return False
    unknown = verb not in _CHANGING | _LIGHT
    if unknown and (near & _TOLD or set(words[:2]) & _NAMES_OF_READING):
        return False
    if near & _OF_THE_TALK:
        return False if verb in _CHANGING | _LIGHT else None
    if verb in _LIGHT:
        return True if near & _MADE else None
    if verb not in _CHANGING or (verb in _NOUNS_TOO and not set(rest[:1]) & _DETERMINERS):
        return None
    return True


def _by_name(name: str) -> bool | None:
    words = words_of(name.replace("-", " "))
    if not words:
        return None
    verb, rest = words[0], words[1:]
    if verb in _READING or set(rest[-1:]) & _NAMES_OF_READING:
        return False
    if set(words) & _TALK:
        return False
    if set(words) & _OF_THE_TALK:
        return None
    if verb in _LIGHT:
        return True if set(rest) & _MADE else None
    if verb in _CHANGING and verb != "order" and (rest or verb not in _NOUNS_TOO):
        return True
    return None
