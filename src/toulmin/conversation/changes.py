"""Which tools change something, so that nobody's word is taken for them lightly.

What its format says comes first: the method of an OpenAPI operation, the annotations of an MCP
tool. Else one plain verb in its description or its name is enough ("Cancels a reservation.",
`find_and_book`; docs/decisions/0063). Of a function whose verb is in none of the lists it is
assumed: to be asked once too often costs a turn, not to be asked may cost money
(docs/decisions/0059). An app can say otherwise, in words, where its agent's instruction or the
tool's description speaks of confirming.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.instructions import lines_about
from toulmin.conversation.words import words_of

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
_WEAK: Final = _forms("return generate convert")
"""Verbs of reading that are of changing, too: "Returns an item", "Generates an invoice"."""
_OBJECTS_READ: Final = frozenset(
    {"currency", "currencies", "unit", "units", "amount", "temperature", "temperatures", "text"}
    | {"time", "timezone", "measurement", "measurements", "value", "values", "number", "numbers"}
    | {"answer", "response", "description", "ideas", "password", "name", "names", "title"}
)
"""What is generated or converted to be read."""
_BACK: Final = frozenset({"back", "refund", "refunded"})
"""What is got with these is no answer: "Get money back"."""
_TALK: Final = frozenset({"variable", "variables", "conversation", "payload"})
_OF_SESSION: Final = _TALK | {"state", "context", "data", "parameter", "parameters", "attributes"}
"""What a session has, not the sessions that people book: "Set session state"."""
_KEPT: Final = _OF_SESSION | {"session", "history", "talk", "chat", "this", "the", "its", "current"}
_KEEPS: Final = _forms("set save clear store update write reset keep remember")
_OUTWARD: Final = _forms(
    "send forward publish post submit upload dispatch delete remove erase share pay cancel buy"
    " order book request report file"
)
"""Verbs that change something outside even where their object is of the talk, or to be read."""
_MAKES: Final = _forms("create make generate draft compose prepare produce compile build add")
_TO_READ: Final = frozenset(
    {"summary", "report", "list", "quote", "estimate", "overview", "numbers", "query"}
)
"""What is made to be read: nothing outside is another after it."""
_AUDIENCE: Final = frozenset({"user", "customer", "caller", "guest", "client", "you", "them"})
"""Who is told by what only reads; to tell somebody else is to report."""
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
_SUBORDINATES: Final = frozenset(
    {"whether", "if", "how", "when", "where", "what", "which", "who", "that", "why", "to"}
)
"""Behind these an "and" joins what is told of, not what the tool does."""
_JOINS: Final = frozenset({"and", "then", "or", "also"})
_VERBS_FIRST: Final = _forms("change update reserve pause hire swap")
"""Verbs that are seldom the beginning of a noun in a name: `update_price`, not `order_price`."""
_OBJECTS: Final = frozenset({"it", "them"})
_BEHIND_NOUNS: Final = frozenset(
    {"by", "of", "in", "for", "from", "with", "per", "on", "at", "and", "or", "that", "which"}
)
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
_SENTENCES: Final = re.compile(r"[.;!]\s+")
_NEAR: Final = 4
"""Words after a verb among which its object is."""
_FAR: Final = 6
"""Words after a verb among which it is said whose object that is: "one or more session ..."."""


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


class _Says(Enum):
    """What a description or a name says of a tool."""

    CHANGES = auto()
    MAY_CHANGE = auto()
    """Its verb is a noun as well, or what it ends with is looked up as a rule."""
    ACTS = auto()
    """It does something to something; the verb is in no list."""
    NOTHING = auto()
    LOOKS_READ = auto()
    """It ends with what is looked up as a rule."""
    READS = auto()
    OF_THE_TALK = auto()


def changes_something(tool: ToolSpec) -> bool:
    """Return whether a call of a tool counts as changing something."""
    if tool.kind in _CANNOT:
        return False
    if tool.changes is not None:
        return tool.changes
    if tool.operation is not None and tool.operation.method != "POST":
        return tool.operation.method in _WRITING
    name, description = words_of(tool.display_name.replace("-", " ")), tool.description
    described, named = _of_description(description, name[:1]), _of_name(name)
    if _Says.CHANGES in (described, named) and _Says.OF_THE_TALK not in (described, named):
        return True
    if described in (_Says.CHANGES, _Says.READS, _Says.OF_THE_TALK):
        return described is _Says.CHANGES
    if named in (_Says.READS, _Says.OF_THE_TALK):
        return False
    if named is _Says.LOOKS_READ:  # `bring_number`: "Take a number over" has a verb
        return described is _Says.ACTS
    is_told = bool(words_of(description)) or tool.operation is not None  # a POST mostly changes
    return is_told or named in (_Says.CHANGES, _Says.MAY_CHANGE)


def _of_description(description: str, named: Sequence[str]) -> _Says:
    """Return what the verbs of a description say.

    Args:
        description: Of the tool.
        named: The first word of its name; empty: it has none.
    """
    first, *others = [
        words
        for sentence in _SENTENCES.split(_PREAMBLE.sub("", description))
        if (words := words_of(sentence))
    ] or [[]]
    if not first:
        return _Says.NOTHING
    is_third = first[0].endswith("s")
    if _joined(first, is_third=is_third) or (
        is_third and any(_does(words, is_third=True) for words in others)
    ):
        return _Says.CHANGES
    verb, rest = first[0], first[1:]
    near = set(rest[:_NEAR])
    if _is_of_the_talk(verb, rest) or _is_all_kept(verb, rest):
        return _Says.OF_THE_TALK
    if verb in _READING:
        return _of_reading(verb, rest, named)
    if verb in _CHANGING:
        is_noun = verb in _NOUNS_TOO and not set(rest[:1]) & (_DETERMINERS | _TOLD)
        return _Says.CHANGES if not is_noun else _of_noun(first, named)
    if verb in _LIGHT:
        return _Says.CHANGES if near & _MADE else _Says.ACTS
    if near & _TOLD or set(first[:2]) & _NAMES_OF_READING:
        return _Says.READS
    return _Says.ACTS if set(rest[:1]) & _DETERMINERS else _Says.NOTHING


def _of_reading(verb: str, rest: Sequence[str], named: Sequence[str]) -> _Says:
    """Return what a description says that begins with a verb of reading."""
    near = set(rest[:_NEAR])
    tells = verb.removesuffix("s") in ("tell", "say") and not set(rest[:2]) & _AUDIENCE
    if (tells and "that" in rest[:_NEAR]) or (verb in ("get", "gets") and near & _BACK):
        return _Says.ACTS  # "Tell the school that a pupil is absent"
    if verb.startswith("check") and rest[:1] in (["in"], ["out"]) and not set(rest[1:2]) & _TOLD:
        return _Says.CHANGES
    if verb in _WEAK:
        same = bool(named) and verb in _forms(named[0])
        is_return = verb.startswith("return")
        if (is_return and same) or not (is_return or near & (_OBJECTS_READ | _TO_READ)):
            return _Says.ACTS
    return _Says.READS


def _of_noun(words: Sequence[str], named: Sequence[str]) -> _Says:
    """Return what is said by a description whose first word may be a noun: "Rent audio guides".

    It is the verb where the tool is called by it, and nothing follows that is looked up.
    """
    if set(words[1:3]) & _NAMES_OF_READING:
        return _Says.NOTHING
    behind = "".join(words[1:2])
    is_noun = not behind or behind in _BEHIND_NOUNS or behind.endswith("ed")
    is_named = bool(named) and words[0] in _forms(named[0])
    return _Says.ACTS if is_named and not is_noun else _Says.NOTHING


def _of_name(words: Sequence[str]) -> _Says:
    if not words:
        return _Says.NOTHING
    verb, rest = words[0], words[1:]
    if _joined(words, is_third=False) or verb in ("checkin", "checkout"):
        return _Says.CHANGES
    ends_read = bool(set(rest[-1:]) & _NAMES_OF_READING)
    if _is_of_the_talk(verb, rest) or "payload" in words:
        return _Says.OF_THE_TALK
    if _is_all_kept(verb, rest):
        return _Says.LOOKS_READ
    if verb in _READING and not (verb in _WEAK and not ends_read):
        goes = verb == "check" and rest[:1] in (["in"], ["out"])
        return _Says.CHANGES if goes else _Says.READS
    says = _of_changing_name(verb, rest, ends_read=ends_read)
    if says is _Says.NOTHING and (ends_read or set(words) <= _NAMES_OF_READING):
        return _Says.LOOKS_READ
    return says


def _of_changing_name(verb: str, rest: Sequence[str], *, ends_read: bool) -> _Says:
    """Return what a name says whose verb changes something: `update_price`, `order_price`."""
    if verb in _LIGHT and set(rest) & _MADE:
        return _Says.CHANGES
    if verb not in _CHANGING or (verb in _MAKES and set(rest) & _TO_READ):
        return _Says.NOTHING
    if verb not in _NOUNS_TOO:
        return _Says.MAY_CHANGE if ends_read or not rest else _Says.CHANGES
    is_verb = verb in _VERBS_FIRST or (rest and not ends_read)
    return _Says.MAY_CHANGE if is_verb else _Says.NOTHING


def _is_of_the_talk(verb: str, objects: Sequence[str]) -> bool:
    """Return whether what is written is the talk's own, or is made to be read."""
    if verb in _OUTWARD:
        return False
    if verb in _MAKES and set(objects[:_NEAR]) & _TO_READ:
        return True
    near = set(objects[:_FAR])
    return bool(near & _TALK) or ("session" in near and bool(near & _OF_SESSION))


def _is_all_kept(verb: str, objects: Sequence[str]) -> bool:
    """Return whether nothing but what a talk has is set or cleared: "Clears the context"."""
    return verb in _KEEPS and bool(objects) and set(objects) <= _KEPT


def _joined(words: Sequence[str], *, is_third: bool) -> bool:
    """Return whether a changing verb is joined to the first one: "Finds a slot and books it"."""
    for place, word in enumerate(words):
        if place and word in _SUBORDINATES:
            return False
        if word in _JOINS and _does(words[place + 1 :], is_third=is_third):
            return True
    return False


def _does(words: Sequence[str], *, is_third: bool) -> bool:
    """Return whether words begin with a changing verb in the form that is given."""
    if not words or words[0] not in _CHANGING or words[0].endswith("s") is not is_third:
        return False
    is_verb = words[0] not in _NOUNS_TOO or not is_third
    return is_verb or bool(set(words[1:2]) & (_DETERMINERS | _OBJECTS))
