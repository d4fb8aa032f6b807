# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""What kind of answer a question wants: one thing or several, yes or no, an explanation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from toulmin.answering.compose.language import words_of
from toulmin.grounding.prompt_intent import read_intent
from toulmin.text.languages import language_cues
from toulmin.text.words import fold_text

_KEYWORDS = 4
_TYPED_SPANS = 0.5
"""Of 18 kept-out ones with an answer the right sentence came first for 9 without spans, for 12 so
(0071)."""
_EXPLAINED = frozenset({"reason", "manner", "open"})
_MARK = re.compile(r"[?？]\s*$")
_YES_NO_END = re.compile(r"(?:(?:です|ます|でした|ました|ません)か|[吗嗎])[?？。]?\s*$")
_LEAD_MARKS = re.compile(r"^[\s¿\"'“«]+")


@dataclass(frozen=True, slots=True)
class AskedFor:
    """What a question asks for.

    Attributes:
        language: Code of its language ("en", "ja", ...).
        kind: The kind of its first part: one of `prompt_intent.KINDS`, "open" or "yes_no".
        parts: How many things it asks, as in "when and where"; at least 1.
        several: Whether the answer to it is a list.
        yes_no: Whether it can be answered with yes or no.
        topic: Whether it names something and does not ask for a thing ("Varn Bridge", "tell me
            about it"): no span of a few words answers it.
        typed: Of a topic: whether it is a few words typed in place of a question ("price bottled
            milk"), which the reader may well answer, and neither a name nor a request to tell.
    """

    language: str
    kind: str
    parts: int
    several: bool
    yes_no: bool
    topic: bool
    typed: bool = False

    @property
    def by_span(self) -> bool:
        """Whether a few words of a passage can answer it."""
        return not (self.topic or self.yes_no)

    @property
    def span_weight(self) -> float:
        """What spans are worth in [0, 1]: 1 where one answers, 0 where none can."""
        if self.by_span:
            return 1.0
        return _TYPED_SPANS if self.typed else 0.0

    @property
    def explained(self) -> bool:
        """Whether it asks why, how, or for an account: the answer is longer than a name."""
        return self.topic or self.kind in _EXPLAINED


def asked_for(query: str) -> AskedFor:
    """Return what a question, or a few words in place of one, asks for."""
    language = read_intent(query).language
    words = words_of(language)
    plain = _LEAD_MARKS.sub("", query)
    if words is not None:
        plain = words.polite.sub("", plain, count=1) if words.polite.match(plain) else plain
    intent = read_intent(plain)
    yes_no = not intent.choice and (
        _YES_NO_END.search(plain) is not None and not intent.asking_words
        if words is None or language in {"ja", "zh"}
        else _MARK.search(plain) is not None
        and (words.auxiliary.match(plain) is not None or intent.kinds[0] == "yes_no")
    )
    several = not yes_no and words is not None and words.several.search(plain) is not None
    account = language_cues()[language].open.match(fold_text(plain)) is not None
    topic = not (yes_no or several or intent.asking_words) and (
        account or (not _MARK.search(plain) and len(plain.split()) <= _KEYWORDS)
    )
    return AskedFor(
        language=language,
        kind="yes_no" if yes_no else intent.kinds[0],
        parts=len(intent.kinds),
        several=several,
        yes_no=yes_no,
        topic=topic,
        typed=topic and not account and any(word[:1].islower() for word in plain.split()),
    )
