"""A question as people type it -> as it is read: "whos the CTO", "lost my laptop what do i do"."""

from __future__ import annotations

import re

_CONTRACTED = re.compile(r"(who|what|where|when|how)s\b(?=\s)", re.IGNORECASE)
_BEHIND = re.compile(
    r"(?P<case>\w[^?]*?\w),?\s+"
    r"(?P<asks>(?:what|who|where|how) (?:do|should|can|must) (?:i|we)\b[^?]*)\??",
    re.IGNORECASE,
)
_DOING = re.compile(r"what \w+ (?:i|we) do(?: now| then)?", re.IGNORECASE)
_ASKS = re.compile(
    r"(?:who|whom|whose|what|which|when|where|why|how"
    r"|is|are|was|were|do|does|did|has|have|can|could|will|would|should|may|must)\b",
    re.IGNORECASE,
)
_LEAST_WORDS = 3


def as_read(query: str) -> str:
    """Return an English question with its apostrophe, its question in front and its mark behind.

    Anything that is not typed so is returned as it is.
    """
    text = _CONTRACTED.sub(r"\1 is", query.strip(), count=1) if _CONTRACTED.match(query) else query
    behind = _BEHIND.fullmatch(text.strip())
    if behind and not _ASKS.match(text.strip()):
        joined = " if " if _DOING.fullmatch(behind["asks"]) else ": "
        text = f"{behind['asks']}{joined}{behind['case']}"
        return f"{text[:1].upper()}{text[1:]}?"
    if not _ASKS.match(text) or text.rstrip()[-1:] in "?.!" or len(text.split()) < _LEAST_WORDS:
        return text
    return f"{text[:1].upper()}{text[1:].rstrip()}?"
