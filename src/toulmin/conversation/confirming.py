"""What is asked before a tool changes something, and what the user's answer to that means.

Only a plain yes is one. A text with anything else in it corrects an argument, is a no, or is about
something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import Any, Final

from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.forms import words_of
from toulmin.domain import JsonObject

_WORDS: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_HARMLESS_NO: Final = re.compile(r"\b(?:no (?:problem|worries)|why not)\b", re.IGNORECASE)
_YES: Final = frozenset(
    {"yes", "yeah", "yep", "yup", "y", "sure", "ok", "okay", "correct", "right", "exactly", "fine"}
    | {"confirm", "confirmed", "absolutely", "certainly", "definitely", "perfect", "agreed"}
    | {"proceed", "ahead", "course", "do"}
)
_AGREES: Final = frozenset({"yes", "yeah", "yep", "yup", "sure", "ok", "okay"})
"""Words that agree where they come first, whatever follows."""
_NO: Final = frozenset(
    {"no", "nope", "nah", "don't", "not", "stop", "never", "cancel", "forget", "leave", "abort"}
    | {"wrong", "n"}
)
_FILLERS: Final = frozenset(
    {"it", "that", "this", "the", "my", "please", "for", "me", "now", "i", "thanks", "thank", "you"}
    | {"is", "that's", "it's", "so", "go", "of", "with", "to", "a", "an", "and", "all", "very"}
    | {"sounds", "looks", "good", "would", "like", "want", "i'd", "mind", "much", "well", "oh"}
)
_QUESTION: Final = re.compile(
    r"\?\s*\Z|^\W*(?:(?:no|yes|ok|okay|well|and|but)\b\W*)*"
    r"(?:what|when|where|who|whom|why|which|how|is there|are there|can|could|do|does)\b",
    re.IGNORECASE,
)
_CORRECTS: Final = re.compile(
    r"^\W*(?:no|not|nope|actually|sorry|wait|rather|yes|make|change|instead|i mean|i meant"
    r"|it(?:'s| is| should)|that should|should be|but|with|for)\b|\binstead\b",
    re.IGNORECASE,
)
_SHORT: Final = 4
"""Words of a text that is nothing but another value."""


class Reply(Enum):
    """What an answer to "Shall I?" is: plain, with something after it, unclear, something else."""

    YES = auto()
    NO = auto()
    YES_BUT = auto()
    NO_BUT = auto()
    UNCLEAR = auto()
    OTHER = auto()


def question_about(tool: ToolSpec, args: Mapping[str, Any]) -> str:
    """Return the sentence that says what is about to be done, with every argument as it is."""
    name = f'Shall I do "{spoken_name(tool)}"'
    given = [f"{' '.join(words_of(key)) or key} {_shown(value)}" for key, value in args.items()]
    if not given:
        return f"{name}?"
    before = f"{', '.join(given[:-1])} and " if given[1:] else ""
    return f"{name} with {before}{given[-1]}?"


def not_done(tool: ToolSpec) -> str:
    """Return that it was not done."""
    return f'All right, I have not done "{spoken_name(tool)}".'


def spoken_name(tool: ToolSpec) -> str:
    """Return a tool's name in words."""
    return " ".join(words_of(tool.display_name.replace("-", " "))) or tool.display_name


def read_reply(said: str, tool: ToolSpec, args: Mapping[str, Any]) -> Reply:
    """Return what an answer to `question_about` means.

    Args:
        said: The answer.
        tool: The tool that was asked about; its own words say nothing new, nor are they a no.
        args: Its arguments; their values say nothing new either.
    """
    text = _HARMLESS_NO.sub("sure", said.replace("\u2019", "'"))
    words = [word.lower() for word in _WORDS.findall(text)]
    named = set(words_of(tool.display_name))
    known = named | {word for key in args for word in words_of(key)}
    for value in args.values():
        known |= {word.lower() for word in _WORDS.findall(_shown(value))}
    first = "".join(words[:1])
    yes, no = set(words) & _YES, (set(words) & _NO) - named
    if "?" in said or any(word not in _YES | _NO | _FILLERS | known for word in words):
        if first in _NO - named:
            return Reply.NO_BUT
        return Reply.YES_BUT if first in _AGREES else Reply.OTHER
    if no:  # "yes, cancel that": whoever says both is asked again
        return Reply.UNCLEAR if first in _AGREES else Reply.NO
    if yes:
        return Reply.YES
    return Reply.UNCLEAR if set(words) & named else Reply.OTHER


def rest_of(said: str) -> str:
    """Return what follows a first yes or no."""
    return re.sub(r"^\W*(?:(?:yes|yeah|ok|okay|no|nope|but|and|well)\b\W*)+", "", said, flags=re.I)


def corrected(
    args: Mapping[str, Any],
    said: str,
    *,
    find: Callable[[str], JsonObject],
    leads_elsewhere: Callable[[], bool],
) -> dict[str, Any] | None:
    """Return the arguments with what the user puts right in them; None: nothing.

    Args:
        args: As they were asked about.
        said: What the user said.
        find: Returns the values of arguments in a text, by name.
        leads_elsewhere: Whether what was said is for another tool; asked where it does not begin as
            a correction.
    """
    if _QUESTION.search(said):
        return None
    words = set(words_of(said))
    names_one = any(set(words_of(name)) <= words for name in args if words_of(name))
    insists = _CORRECTS.search(said) or names_one or len(said.split()) <= _SHORT
    if not insists and leads_elsewhere():
        return None
    found = find(_without_values(said, args))
    new = {name: value for name, value in found.items() if args.get(name) != value}
    return {**args, **new} if new else None


def _without_values(said: str, args: Mapping[str, Any]) -> str:
    """Return a text without the values that are there already: "Saturday, not Friday"."""
    for value in args.values():
        shown = re.escape(_plain(value))
        pattern = rf"(?:\b(?:not|instead of|rather than|from)\s+)?(?<!\w){shown}(?!\w)"
        said = re.sub(pattern, " ", said, flags=re.IGNORECASE) if shown else said
    return said


def _shown(value: Any) -> str:
    """Return a value as it is asked about: a text in quotes, others as JSON has them."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else _shown(value)
