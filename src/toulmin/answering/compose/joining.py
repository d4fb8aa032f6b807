# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""A sentence out of its place -> a sentence that stands alone.

"However, it was closed in 1932." becomes "The Varn Bridge was closed in 1932." where the sentence
before begins with that name. Only plain English pronouns are replaced, under rules that would
rather leave one (`Subject`); whoever asks then puts the sentence before in front.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.answering.compose.language import words_of
from toulmin.answering.compose.sentences import END, Piece, PieceKind, row_sentence
from toulmin.retrieval.coverage import QueryWords
from toulmin.text.scripts import is_cjk
from toulmin.text.words import fold_text

_PRONOUN = re.compile(r"(It|He|She|They|Its|His|Her|Their)(?=\s)(?!\s+(?:own|self))")
_INSIDE = re.compile(
    r"((?:In|On|By|During|At|Since|After|From|Until|Before|Around|As of)\s[^,.;:()]{1,40}?,?\s"
    r"|(?:Later|Today|Originally|Initially|Eventually|Afterwards|Currently|Now),?\s)"
    r"(it|he|she|they)(?=\s)"
)
_EXPLETIVE = re.compile(
    r"(?:(?!It\b)[^,;:]{1,40},? )?[Ii]t (?:is|was|has been|had been|can be|could be|may be"
    r"|might be|would be|seems|appears|turned out)\b"
    r"(?:(?:\s[\w'’-]+){0,3}\s(?:that|how|why|whether|who)\s"
    r"|(?:\s\w+ly)?\s(?:agreed|believed|thought|known|shown|argued|said|estimated|assumed|accepted"
    r"|reported|claimed|likely|possible|clear|difficult|important|necessary|common)\b)"
)
_SEVERAL = re.compile(r"(?:are|were|have|do)\b")
_VERB = re.compile(
    r"\s(is|was|are|were|has|had|have|can|could|may|might|will|would|became|remains|remained|began"
    r"|consists|contains|includes|serves|served|stands|stood|lies|lay|runs|refers|covers|covered"
    r"|opened|closed|won|joined|moved|studied|worked|lived|wrote|founded|built|led|held)\s"
)
_ACTS = re.compile(r"((?:The\s)?[A-Z][\w&'’-]*(?:\s[A-Z][\w&'’-]*)*)\s([a-z]{2,}(?:s|ed))\s")
_STATES = re.compile(r"(?:is|was|are|were|has|had|have|can|could|may|might|will|would|remains)\b")
_NAME = re.compile(
    r"(?:The\s)?[A-Z0-9][\w.&'’-]*(?:\s(?:of|the|de|del|der|van|von|and|for|in|on|at)"
    r"|\s[A-Z0-9(][\w.&'’)-]*)*"
)
_THE = re.compile(r"The\s(?:[\w'’-]+\s){0,6}[\w'’-]+")
_LEANING = re.compile(
    r"(?:It|He|She|They|This|That|These|Those|Its|His|Her|Their|There|Here|We|I|You|Some|Many|Most"
    r"|Such|Both|One|Another|Other|If|When|While|Although|Though|As|Since|Because|After|Before|In"
    r"|On|At|By|For|From|To|With|And|But|Or|During|Several|Few|All|Each|Every|What|Who|Which|How"
    r"|Not|No|The following|The first|The same|The other)\b"
)
_OTHER_NAME = re.compile(
    r"(?<!\bof)(?<!\bin)(?<!\bat)(?<!\bon)(?<!\bfrom)(?<!\bthe)(?<![.!?A-Z])\s(?<![A-Z])[A-Z][a-z]+"
    r"(?!\s\d)"
)
_OTHER = re.compile(r"\b(?:him|her|himself|herself)\b")
_PERSON = re.compile(
    r"born\b|(?:an?|the)\s(?:[\w-]+\s){0,4}?(?:actor|actress|writer|author|singer|poet|engineer"
    r"|physicist|chemist|politician|king|queen|man|woman|president|scientist|artist|painter"
    r"|composer|player|lawyer|general|philosopher|mathematician|inventor|leader)\b"
)
_LABELLED = re.compile(r"[^\s:.!?][^:.!?]{0,50}:\s")
_LONGEST_SUBJECT = 70
_FAR = 4
_CLOSED = {"Its": "It", "His": "He", "Her": "She", "Their": "They"}


@dataclass(frozen=True, slots=True)
class Alone:
    """A piece as it is said.

    Attributes:
        text: Its words.
        dangling: Whether it still speaks of something that it does not name.
    """

    text: str
    dangling: bool


def stand_alone(piece: Piece, *, language: str, query: str, title: str = "") -> Alone:
    """Return what a piece says when nothing stands before it.

    Args:
        piece: A piece that is said.
        language: Code of the passage's language.
        query: The question; a subject that it names is surely the one that is meant.
        title: Title of the document; resolves a pronoun if the question names it.
    """
    if piece.kind is PieceKind.ITEM and piece.lead_in:
        return Alone(ended(f"{piece.lead_in} {piece.text}"), dangling=False)
    if piece.kind is PieceKind.ROW:
        return Alone(_asked_cells(piece, query), dangling=False)
    if piece.kind is PieceKind.CODE:
        return Alone(piece.text, dangling=False)
    if piece.kind is not PieceKind.SENTENCE:
        return Alone(ended(_owned(piece, query)), dangling=False)
    text = without_marks(piece.text, language)
    words = words_of(language)
    if language == "en":
        resolved = resolve(text, piece.before, query=query, title=title)
        if resolved:
            return Alone(resolved, dangling=False)
        if _EXPLETIVE.match(text):
            return Alone(text, dangling=False)
        if _INSIDE.match(text):
            return Alone(text, dangling=True)
    return Alone(text, dangling=words is not None and words.dangling.match(text) is not None)


def _asked_cells(piece: Piece, query: str) -> str:
    """Return a row as a sentence: its first cell and those whose columns the question names."""
    asked = QueryWords(query).coverage([name for name, _ in piece.cells]).tolist()
    named = [cell for cell, share in zip(piece.cells[1:], asked[1:], strict=True) if share > 0]
    return row_sentence([*piece.cells[:1], *named]) if named else piece.text


def _owned(piece: Piece, query: str) -> str:
    """Return "Price: 5 euros" with what it is the price of, if the question names that.

    That is the lowest of the headings above it with a word of the question that it lacks.
    """
    if not _LABELLED.match(piece.text):
        return piece.text
    words = QueryWords(query)
    own = float(words.coverage([piece.text])[0])
    below = words.coverage([f"{line} {piece.text}" for line in piece.under]).tolist()
    found = max(range(len(below)), key=lambda place: (round(below[place], 9), place), default=-1)
    if found < 0 or below[found] <= own or len(piece.under[found]) > _LONGEST_SUBJECT:
        return piece.text
    return f"{piece.under[found]} – {piece.text}"


def ended(text: str) -> str:
    """Return a text with a full stop behind it, unless it has an end mark."""
    if END.search(text):
        return text
    return f"{text}。" if is_cjk(text[-1:] or " ") else f"{text}."


def without_marks(text: str, language: str) -> str:
    """Return a sentence without the words that tie it to the one before ("However, ")."""
    words = words_of(language)
    if words is None:
        return text
    for _ in range(2):
        mark = words.marks.match(text)
        if mark is None:
            break
        text = text[mark.end() :]
        text = text[0].upper() + text[1:]
    return text


def resolve(text: str, before: Sequence[str], *, query: str, title: str = "") -> str:
    """Return an English sentence with its subject in place of the pronoun; empty: not plain.

    Args:
        text: A sentence that begins with "It", "He", "She", "They" or a possessive, perhaps
            behind "In 1932,".
        before: The sentences before it, in order.
        query: The question.
        title: Title of the document.
    """
    match = _PRONOUN.match(text)
    inside = None if match else _INSIDE.match(text)
    if (match is None and inside is None) or _EXPLETIVE.match(text):
        return ""
    found = match or inside
    assert found is not None  # noqa: S101 - one of them is, for the type checker
    word = found[1] if match else found[2].capitalize()
    pronoun = _CLOSED.get(word, word)
    subject = _subject_of(pronoun, before, text[found.end() :].lstrip(), query)
    if not subject and _names(query, title) and _is_name(title):
        subject = title
    if not subject:
        return ""
    if word in _CLOSED:
        subject += "'s"
    if match:
        return subject + text[match.end() :]
    lead = found[1]
    if subject.startswith("The "):
        subject = f"the {subject[4:]}"
    return lead + subject + text[found.end() :]


def _subject_of(pronoun: str, before: Sequence[str], after: str, query: str) -> str:
    """Return whom a pronoun means: the subject of the nearest sentence that names one, or ""."""
    for sentence in list(before)[::-1][:_FAR]:
        plain = without_marks(sentence, "en")
        leading = _PRONOUN.match(plain)
        if leading and _CLOSED.get(leading[1], leading[1]) == pronoun:
            continue  # the same again: what it means stands further back
        subject, verb, rest = _split(plain)
        fits = subject and _fits(
            pronoun, subject, (verb, rest), after, asked=_names(query, subject)
        )
        return subject if fits else ""
    return ""


def _split(sentence: str) -> tuple[str, str, str]:
    """Return subject, first verb and the rest of a sentence that begins with a name; or blanks."""
    plain = re.sub(r"\s\([^()]*\)", "", sentence)
    acts = _ACTS.match(plain)
    if acts and not _LEANING.match(plain) and not _VERB.match(plain, acts.end() - 1):
        return acts[1], acts[2], plain[acts.end() :]
    verb = _VERB.search(plain)
    if verb is None or verb.start() > _LONGEST_SUBJECT:
        return "", "", ""
    subject = plain[: verb.start()]
    if "," in subject:  # "Ada Poe, a poet, was ..."
        subject, _, rest = subject.partition(",")
        if not rest.endswith(","):
            return "", "", ""
    if _LEANING.match(subject) or not (_NAME.fullmatch(subject) or _THE.fullmatch(subject)):
        return "", "", ""
    return subject, verb[1], plain[verb.end() :]


def _fits(pronoun: str, subject: str, rest: tuple[str, str], after: str, *, asked: bool) -> bool:
    """Return whether the subject is what the pronoun means, as far as can be told.

    Number must agree, as the verbs tell. Unless the question names the subject, "it" and "they"
    need a sentence about a state of it ("is", "has"), so that "Ada built the bridge. It ..." is
    left; "he" and "she" need a name, and no other person's beside it.
    """
    verb, tail = rest
    plural = " and " in subject or _SEVERAL.match(verb) is not None
    if pronoun == "They":
        return plural and _STATES.match(verb) is not None
    if plural or _SEVERAL.match(after):
        return False
    if pronoun == "It":
        state = _STATES.match(verb) is not None and not tail[:1].isupper()
        return (asked or state) and not _looks_like_person(tail)
    no_person = subject.isupper() or (subject.startswith("The ") and not subject[4:5].isupper())
    others = asked or (_OTHER_NAME.search(f" {tail}") is None and not _OTHER.search(tail))
    return not no_person and others and not _is_passive(verb, tail)


def _looks_like_person(tail: str) -> bool:
    return _PERSON.match(tail) is not None


def _is_passive(verb: str, tail: str) -> bool:
    return verb in {"is", "was", "were", "are"} and re.match(r"\w+ed\sby\s", tail) is not None


def _names(query: str, subject: str) -> bool:
    """Return whether a question names a subject: with all its words but "the"."""
    words = [word for word in re.findall(r"\w+", fold_text(subject)) if word != "the"]
    asked = set(re.findall(r"\w+", fold_text(query)))
    return bool(words) and all(word in asked for word in words)


def _is_name(title: str) -> bool:
    return _NAME.fullmatch(title) is not None and len(title) <= _LONGEST_SUBJECT
