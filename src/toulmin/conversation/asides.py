"""What users say in the place of a value or a yes: a stop, a pause, a question, "I don't know".

None of it is a value. A plain text that is asked for would otherwise be whatever came back, and
"I changed my mind" would be somebody's name. Where a text may be about anything (`is_free`: a
reason, a message), only what can be nothing else counts as an aside.
"""

from __future__ import annotations

import re
from typing import Final

from toulmin.conversation.forms import head_of
from toulmin.domain import JsonObject

_LEAD: Final = r"^\W*(?:(?:no|nope|nah|oh|ok|okay|well|sorry|please|actually|hmm?|then|just)\b\W*)*"
_TAIL: Final = r"\W*(?:(?:please|thanks|thank you|now|then|any ?more|after all|sorry)\b\W*)*$"
_STOP: Final = re.compile(
    _LEAD + r"(?:never ?mind(?: (?:that|it|about it))?|forget (?:about )?(?:it|that|this)"
    r"|cancel(?: that| it| this)?"
    r"|stop(?: that| it| this)?|abort|leave it|do not bother|don'?t bother"
    r"|let'?s (?:leave|drop|forget|stop) (?:it|that|this))" + _TAIL,
    re.IGNORECASE,
)
_TAKES_BACK: Final = re.compile(
    _LEAD + r"(?:(?:(?:i|we)(?:'ve| have)? )changed (?:my|our) minds?"
    r"|(?:i|we) (?:do not|don'?t) want (?:that|it|this|to(?: do (?:that|it|this))?)"
    r"|(?:i|we)(?:'d| would) rather not)" + _TAIL,
    re.IGNORECASE,
)
_DOES_IT_THEMSELVES: Final = re.compile(
    r"\b(?:i|we)(?:'ll| will|'d rather| would rather| prefer to)\b.*"
    r"\b(?:myself|ourselves|keep it)\b",
    re.IGNORECASE,
)
_DROPS: Final = re.compile(
    _LEAD
    + r"(?:do(?: not|n'?t) bother(?: with)?|forget(?: about)?|never ?mind|skip|drop|scratch|leave)"
    r"\s+(?:the|that|this|it|my)\b[^,.;!]{0,60}[,.;!]\s*(?:(?:and|but|please|just|i'd)\s+)*(?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
_BESIDES: Final = re.compile(
    r"(?<=\w)[)\"']?[.;!]+\s+(?=\w)"
    r"|,?\s+(?:and|but|btw|by the way|also)[,\s]+"
    r"(?=(?:i|i'm|im|i've|my|we|you|it's|its|that's|please|can|could|does|do|is there|call|ring)"
    r"\b)",
    re.IGNORECASE,
)
_SENTENCES: Final = re.compile(r"(?<=[.?!])\s+")
_WISH: Final = 3
"""Words of what is wanted instead, at least."""
_WILL_NOT_SAY: Final = re.compile(
    r"^\W*(?:(?:sorry|no|well|actually)\b\W*)*(?:i|we)(?:'d| would)? "
    r"(?:(?:do not|don'?t|won'?t) (?:want to )?|rather not )(?:say|tell|give|share|discuss)\b",
    re.IGNORECASE,
)
_CLAUSES: Final = re.compile(r"[.!;,\u2026]+")
_NO: Final = re.compile(
    r"^\W*(?:no|nope|nah)\b(?:\W*(?:no|nope|thanks|thank you|please|sorry)\b)*\W*$", re.IGNORECASE
)
_BEGINS_WITH_NO: Final = re.compile(
    r"^\W*(?:no|nope|nah)\b(?:,\s*|(?!\.?\s*\d)\W*)(?=\w)", re.IGNORECASE
)
_PAUSE: Final = re.compile(
    r"^\W*(?:(?:oh|ok|okay|well|sorry|please|no|yes|and|but)\b\W*)*"
    r"(?:(?:hm+|uh+|um+|erm?|hold on|hang on|wait(?: up)?|bear with me"
    r"|(?:wait |just )?(?:a|one) (?:moment|second|sec|minute)"
    r"|(?:let me|i(?:'ll| will| must| have to| need to)) (?:just )?(?:think|check|see|look|ask)"
    r"(?: (?:about (?:it|that)|it up|first|that|it|for a (?:moment|second|minute)))?)\b\W*)+"
    r"(?:please\b\W*)?$",
    re.IGNORECASE,
)
_UNKNOWN: Final = re.compile(
    r"^\W*(?:(?:sorry|well|hm+|um+|oh|no)\b\W*)*(?:i(?:'m| am) not sure|not sure|no idea"
    r"|i (?:do not|don'?t|can'?t|cannot) (?:know|remember|say|tell|recall)"
    r"(?: (?:it|that|yet|any ?more))?"
    r"|i have no idea|you tell me|i(?:'ve| have) forgotten(?: it)?)\W*$",
    re.IGNORECASE,
)
_HAS_TOLD: Final = re.compile(
    r"^\W*(?:(?:but|well|sorry|as)\W+)?i(?:'ve| have)? (?:already |just )?(?:told|said|given|gave)"
    r" (?:it|that|this|you)\b.{0,40}\W*$",
    re.IGNORECASE,
)
_QUESTION: Final = re.compile(
    r"\?\s*\Z|^\W*(?:what|when|where|who|whom|whose|why|which|how|is|are|can|could|do|does|did"
    r"|will|would|should)"
    r"\s+(?:\S+\s+)+\S+",
    re.IGNORECASE,
)
_BEFORE: Final = (
    r"^(?P<before>\W*(?:(?:no|yes|ok|okay|well|and|but|actually|sorry|wait|oh|hmm?)\b\W*)*)"
)
_ASKS_TO_CHANGE: Final = re.compile(
    _BEFORE + r"(?:(?:can|could|would|will)(?:n'?t)? (?:you|we|i)(?: please| maybe| also)?"
    r"|shall we|let'?s(?: please)?|would you mind)\s+"
    r"(?=(?:make|making|change|changing|switch|move|set|put|say)\b)",
    re.IGNORECASE,
)
_PROPOSES: Final = re.compile(
    _BEFORE + r"(?:how|what) about\s+(?=(?:\S+\s+){0,3}\S+\W*$)", re.IGNORECASE
)
_WHAT: Final = re.compile(r"what\b(?!\s+(?:time|day|date|city|size|kind)\b)", re.IGNORECASE)
"""How descriptions of such arguments begin: "What is wrong with it"."""
_OWN: Final = re.compile(r"\b(?:my|mine|our|ours|me|us)\b", re.IGNORECASE)
_FREE: Final = frozenset(
    {"reason", "message", "note", "notes", "comment", "comments", "text", "description", "body"}
    | {"question", "query", "subject", "feedback", "content", "request", "details", "detail"}
    | {"remark", "remarks", "complaint", "issue", "problem", "summary", "topic", "title", "wish"}
    | {"fault", "defect", "symptom", "symptoms", "damage", "concern", "explanation"}
)
"""Words in the names of arguments whose values may be any words at all."""


def instead(said: str) -> str:
    """Return what is wanted instead of what was begun: "don't bother with that, open the gate".

    Empty: it is not said that something is to be dropped for something else.
    """
    found = _DROPS.match(_straight(said))
    return found["rest"].strip() if found and len(found["rest"].split()) >= _WISH else ""


def first_part(said: str) -> tuple[str, str]:
    """Return what an answer begins with, and what is said besides in further sentences.

    "By the canal bridge. I'm on 0171 5550192", "a dozen, and does it come in red?"
    """
    found = _BESIDES.search(said)
    if found is None or not said[: found.start()].strip():
        return said, ""
    return said[: found.start()], said[found.end() :]


def is_stop(said: str) -> bool:
    """Return whether a user stops what was begun, and says nothing else."""
    return bool(_STOP.match(_straight(said)))


def takes_back(said: str) -> bool:
    """Return whether a user no longer wants what was begun: "I changed my mind", "I'll call them".

    A stop among other words is one, too: "hang on, I'll keep it. Forget it."
    """
    text = _straight(said)
    if is_stop(text) or _TAKES_BACK.match(text) or _DOES_IT_THEMSELVES.search(text):
        return True
    parts = [part for part in _CLAUSES.split(text) if part.strip()]
    return len(parts) > 1 and any(_STOP.match(part) or _TAKES_BACK.match(part) for part in parts)


def will_not_say(said: str) -> bool:
    """Return whether a user does not want to say what is asked for."""
    return bool(_WILL_NOT_SAY.match(_straight(said)))


def is_no(said: str) -> bool:
    """Return whether a text is a no and nothing else."""
    return bool(_NO.match(said))


def after_no(said: str) -> str:
    """Return what follows a no at the beginning: "25" of "no, 25"; empty: there is none.

    "No. 5 Mill Road" and "No 7" are numbers of something.
    """
    found = _BEGINS_WITH_NO.match(said)
    return said[found.end() :].strip() if found else ""


def is_pause(said: str) -> bool:
    """Return whether a user only asks for time: "hold on", "let me check"."""
    return bool(_PAUSE.match(_straight(said)))


def is_unknown(said: str) -> bool:
    """Return whether a user says that they do not know."""
    return bool(_UNKNOWN.match(_straight(said)))


def has_told(said: str) -> bool:
    """Return whether a user only says that they have said it: "I told you already"."""
    return bool(_HAS_TOLD.match(_straight(said)))


def is_question(said: str) -> bool:
    """Return whether a text asks instead of answering."""
    return bool(_QUESTION.search(said))


def as_order(said: str) -> str:
    """Return what asks to change something as an order: "can you make it 6?" is "make it 6".

    "How about Friday?" is "Friday". Any other text is returned as it is.
    """
    text = _straight(said)
    found = _ASKS_TO_CHANGE.match(text) or _PROPOSES.match(text)
    return f"{found['before']}{text[found.end() :].rstrip(' ?')}" if found else said


def without_questions(said: str) -> str:
    """Return a text without its sentences that ask; the text, where all of them do."""
    parts = [part for part in _SENTENCES.split(said) if part.strip()]
    kept = [part for part in parts if not is_question(part)]
    return " ".join(kept) if kept and len(kept) < len(parts) else said


def is_about_anybody(said: str) -> bool:
    """Return whether a text is a question about nothing that is the user's own."""
    return is_question(said) and not _OWN.search(said)


def is_free(name: str, schema: JsonObject) -> bool:
    """Return whether any words at all may be the value of an argument: a reason, a message."""
    if schema.get("type", "STRING") != "STRING" or schema.get("enum"):
        return False
    return bool(_FREE & set(head_of(name, schema))) or bool(
        _WHAT.match(str(schema.get("description", "")))
    )


def _straight(said: str) -> str:
    return said.replace("\u2019", "'")
