# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""A follow-up question made to stand alone, without a language model.

"When did it reach Norway?" after a question about the Black Death becomes "When did the Black Death
reach Norway?"; "And in Sweden?" becomes the last question with the places exchanged. A question
that stands alone, and so a change of topic, stays as it is, letter by letter. Where no rule is
sure, the topic of the conversation is added in brackets: a search needs words more than grammar.
English has rules for the parts of a question; Spanish, Italian, German, French and Japanese are
told by closed lists whether a question leans on what was said, and get the topic added.
docs/decisions/0018-follow-ups.md has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence

from toulmin.answering.question import Exchange
from toulmin.answering.understanding.follow_up_english import understand
from toulmin.answering.understanding.follow_up_other import add_topic, language_of

MOST_CHARS = 400
"""A question that was changed is not longer than this."""
MOST_EXCHANGES = 8
"""How far back a conversation is read."""
_LONGEST_READ = 1000


def rephrase(question: str, history: Sequence[Exchange]) -> str:
    """Return the question as it is understood in its conversation.

    Args:
        question: What is asked now.
        history: What was asked and answered before, oldest first; the last 8 are read.

    Returns:
        A question that stands alone, at most 400 characters; the same text where it does already,
        where nothing was said before, or where it is longer than 400 characters as it is.
    """
    if not history or len(question) > MOST_CHARS or not question.strip():
        return question
    understood: list[Exchange] = []
    for exchange in list(history)[-MOST_EXCHANGES:]:
        if not exchange.question.strip():
            continue
        asked = _understand(exchange.question[:_LONGEST_READ], understood)
        understood.append(Exchange(asked, exchange.answer[:_LONGEST_READ]))
    return _understand(question, understood) if understood else question


def _understand(question: str, understood: Sequence[Exchange]) -> str:
    """Return a question in the light of earlier ones that stand alone already."""
    if not understood or len(question) > MOST_CHARS:
        return question
    language = language_of(question, understood[-1].question)
    if language == "en":
        found = understand(question, understood)
    else:
        found = add_topic(question, understood, language)
    return found if len(found) <= MOST_CHARS else _cut(question, found)


def _cut(question: str, found: str) -> str:
    """Return what was found cut at a word, or the question if that would lose its end."""
    if not found.startswith(question.rstrip("?？ ")):
        return question
    return found[:MOST_CHARS].rsplit(" ", 1)[0].rstrip(" (,;") or question
