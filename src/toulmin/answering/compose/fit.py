"""Which pieces of the passages can answer a question at all; the best of those is said, or nothing.

A piece can answer when it gives the kind of thing asked for (`answer_type.py`), is about those whom
the question names (`subjects_named.py`), has something of what is asked about, and, where it takes
the place of a better one that cannot, answers nearly as probably; one about today is said before
one about the past (`still_holds.py`). Each rule is one that a reader of the answer would apply;
figures in docs/decisions/0024-what-an-answer-must-have.md. Where the English model is sure, it need
not have words or be nearly as probable (0032).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from toulmin.answering.compose.answer_type import AnswerType, answer_type
from toulmin.answering.compose.computing.counting import asked_of_table
from toulmin.answering.compose.counted import stems
from toulmin.answering.compose.question_kind import AskedFor
from toulmin.answering.compose.rows_asked import (
    columns_asked,
    rows_named,
    without_rows_of_others,
)
from toulmin.answering.compose.scoring import Scored
from toulmin.answering.compose.sentences import Piece, PieceKind, step_number
from toulmin.answering.compose.still_holds import that_holds_today
from toulmin.answering.compose.subjects_named import about_the_named
from toulmin.answering.passages import Passage
from toulmin.grounding.prompt_intent import read_intent
from toulmin.retrieval.coverage import QueryWords
from toulmin.text.languages import find_language, language_cues
from toulmin.text.words import fold_text

LEAST_ODDS = 0.05
"""Odds against the best piece, from which on another one may answer in its place."""
LEAST_SHARED = 0.2
"""Share of the question's telling words, by weight, in a piece and what stands before and above it,
below which it is about something else."""
LEAST_ASKED = 0.5
"""The same of the words that are no names in a question for yes or no that could not be settled."""
LEAST_READ = 0.03
"""Share of the reader's belief below which it sees no answer in a piece."""
LEAST_READ_INSTEAD = 0.2
"""The same for a piece that takes the place of the best one, which the words are less for."""
SURE_ODDS, SURE_SHARE = 0.0, 0.2
"""Log odds of a passage, and share of the reader's belief in a piece, from which on it is the
answer if it is of the kind asked for and about those named."""
_SURE_LANGUAGES = frozenset({"en"})
"""Of other languages it was not measured."""
_LEAST_UNSPACED = 1e-6
"""The same without spaces, where most pairs of letters of a question are of its grammar: any."""
_LANGUAGE_CHARACTERS = 400
_WORD = re.compile(r"\w+")


def that_answer(
    query: str,
    asked: AskedFor,
    passages: Sequence[Passage],
    pieces: Sequence[Piece],
    scored: Scored,
    *,
    with_details: bool = False,
) -> Scored:
    """Return what is known of the pieces that can answer; with none, nothing is to be said.

    Args:
        query: The question as it was understood.
        asked: What it asks for.
        passages: What is read.
        pieces: Their pieces.
        scored: What is known of all of them.
        with_details: Whether what stands behind the best one in order may be said after it, though
            it cannot answer; so it is, too, where the question asks for an account or for several
            things.
    """
    wants = answer_type(query, asked)
    scored = _of_rows_asked(query, asked, wants, pieces, scored)
    if not scored.order:
        return scored
    is_about = about_the_named(query, passages, pieces)
    language_of = _languages(asked, passages, pieces)
    has_words = _words_shared(query, asked, pieces, language_of)
    best = scored.order[0]
    of_best = pieces[best].block
    believed = asked.by_span and bool(read_intent(query).asking_words)
    total = sum(scored.beliefs) or 1.0
    may_be_sure = asked.by_span and asked.language in _SURE_LANGUAGES

    def least_read(index: int) -> float:
        instead = index != best and (pieces[index].block < 0 or pieces[index].block != of_best)
        return LEAST_READ_INSTEAD if instead else LEAST_READ

    def is_given(index: int, follows: str) -> bool:
        text, language = pieces[index].text, language_of(index)
        if language == asked.language:
            return wants.is_given_by(text, follows)
        return wants.is_given_elsewhere(text, follows, language)

    def can_answer(index: int) -> bool:
        piece = pieces[index]
        behind = pieces[index + 1] if index + 1 < len(pieces) else piece
        follows = behind.text if behind.passage == piece.passage else ""
        if wants.demands and not is_given(index, follows):
            return False
        share = _share(index, pieces, scored, total)
        if may_be_sure and scored.answered[index] >= SURE_ODDS and share >= SURE_SHARE:
            return is_about(index)
        return (
            scored.odds(index, best) >= (LEAST_ODDS if asked.by_span else 1.0)
            and not (believed and share < least_read(index))
            and has_words(index)
            and is_about(index)
        )

    def gives(index: int) -> bool:
        return not wants.demands or is_given(index, "")

    answers = that_holds_today(query, asked.language, pieces, scored.only(can_answer), gives)
    roomy = with_details or asked.explained or asked.several or asked.parts > 1 or not wants.demands
    if not (roomy and answers.order):
        return answers
    first = scored.order.index(answers.order[0])
    behind = [index for index in scored.order[first:] if index not in answers.order]
    return replace(answers, order=(*answers.order, *behind))


def _of_rows_asked(
    query: str, asked: AskedFor, wants: AnswerType, pieces: Sequence[Piece], scored: Scored
) -> Scored:
    """Return what is known without rows of tables that the question is not about.

    Which row has the most of something is computed, or not said: the reader takes any row for it,
    but where one says of itself that it is "the largest".
    """
    scored = scored.only(rows_named(query, pieces))
    table = asked_of_table(query) if asked.language in _SURE_LANGUAGES else None
    if table is not None and table.extreme:
        scored = scored.only(
            lambda index: (
                pieces[index].kind is not PieceKind.ROW
                or not stems(table.extreme).isdisjoint(stems(pieces[index].text))
            )
        )
    if not (asked.by_span and wants.demands and asked.language in _SURE_LANGUAGES):
        return scored
    telling = telling_words(query)
    scored = scored.only(columns_asked(query, telling, pieces))
    return without_rows_of_others(
        telling, pieces, scored, lambda index: wants.is_given_by(pieces[index].text)
    )


def steps_instead(
    asked: AskedFor, passages: Sequence[Passage], pieces: Sequence[Piece], scored: Scored
) -> Scored:
    """Return the steps in place of a sentence beside them, where it is asked how to do something.

    The reader may well point at "Change the filter every six months" when asked how to change it.
    """
    if asked.kind != "manner" or not scored.order:
        return scored
    best = pieces[scored.order[0]]
    steps = [
        index
        for index, piece in enumerate(pieces)
        if piece.said
        and (piece.passage, piece.under) == (best.passage, best.under)
        and step_number(piece, passages[piece.passage]) is not None
    ]
    if not steps or best.block >= 0:
        return scored
    return replace(scored, order=tuple(steps))


def telling_words(query: str) -> list[str]:
    """Return the words of a question but function words, which "IT" is not, and those that ask."""
    intent = read_intent(query)
    silent = language_cues()[intent.language].function_words | intent.asking_words
    words = _WORD.findall(query)
    shouted = query.isupper()
    return [
        word
        for word in words
        if fold_text(word) not in silent or (len(word) > 1 and word.isupper() and not shouted)
    ]


def _share(index: int, pieces: Sequence[Piece], scored: Scored, total: float) -> float:
    """Return the reader's share for a piece; of a list or table, for all of it."""
    block = pieces[index].block
    if block < 0:
        return scored.beliefs[index] / total
    return (
        sum(b for piece, b in zip(pieces, scored.beliefs, strict=True) if piece.block == block)
        / total
    )


def _languages(
    asked: AskedFor, passages: Sequence[Passage], pieces: Sequence[Piece]
) -> Callable[[int], str]:
    """Return what says the language of the passage that a piece, by its index, is of."""
    known: dict[int, str] = {}

    def language_of(index: int) -> str:
        place = pieces[index].passage
        if place not in known:
            text = passages[place].text[:_LANGUAGE_CHARACTERS]
            known[place] = find_language(text, fallback=asked.language)
        return known[place]

    return language_of


def _words_shared(
    query: str, asked: AskedFor, pieces: Sequence[Piece], language_of: Callable[[int], str]
) -> Callable[[int], bool]:
    """Return what says of a piece, by its index, whether it has enough of what is asked about.

    Of passages in another language nothing is demanded: they have other words for it.
    """
    telling = telling_words(query)
    words = QueryWords(" ".join(telling))
    plain = [word for word in telling if not word[0].isupper() or word.isupper()]
    own = QueryWords(" ".join(plain))
    least = LEAST_SHARED if language_cues()[asked.language].spaced else _LEAST_UNSPACED
    lists: dict[int, str] = {}
    for piece in pieces:
        if piece.kind is PieceKind.ITEM:
            lists[piece.block] = f"{lists.get(piece.block, '')} {piece.text}"

    def has_words(index: int) -> bool:
        piece = pieces[index]
        if not telling or language_of(index) != asked.language:
            return True
        said = lists.get(piece.block, piece.text)
        near = " ".join((*piece.under, piece.lead_in, *piece.before, said))
        if asked.yes_no:
            return not plain or bool(own.coverage([near])[0] >= LEAST_ASKED)
        return bool(words.coverage([near])[0] >= least)

    return has_words
