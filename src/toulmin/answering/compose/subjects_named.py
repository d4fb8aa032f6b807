# ruff: noqa: RUF001 - the marks of names are a subject of this file.
"""Is a sentence about those whom the question names? Names and numbers that set one apart.

"To whom was Aksel apprenticed?" is not answered by "Henrike was apprenticed to Gustav Brem", nor
"When did 4.1.0 come out?" by a text that does not know of 4.1.0, nor what gate B is for by a
sentence about gate A. Where a name of the question
stands in some of the passages, an answer comes out of one of those; and where it stands neither in
a sentence nor in what leads to it, that sentence must not be about somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from toulmin.answering.compose.language import shared_words
from toulmin.answering.compose.sentences import Piece
from toulmin.answering.passages import Passage
from toulmin.grounding.prompt_intent import read_intent
from toulmin.text.languages import language_cues
from toulmin.text.words import fold_text

_CAPITAL = r"[^\W\d_a-zß-öø-ÿ]"
_RUN = re.compile(
    rf"(?<![\w'’]){_CAPITAL}[\w'’-]*(?:(?: (?:de|del|van|von|of the|of) | ){_CAPITAL}[\w'’-]*)*"
)
_CODE = re.compile(r"(?<![\w.,])(?=[\w.-]*\d)[A-Za-z]*[-.]?\d[\w.-]*\w|(?<![\w.,])\d(?![\w.,])")
_LETTER = r"[A-HJ-Z](?![\w.'’-])"
_LETTERED = re.compile(
    rf"(?<!\w)(?P<word>[^\W\d_]{{3,}}) "
    rf"(?P<letters>{_LETTER}(?:(?:,|/| [a-zà-ÿ]{{1,4}})? ?{_LETTER})*)"
)
"""Something with a letter for a name, as "gate B", or "gates A and B"; an "I" may be whoever
speaks."""
_WORD = re.compile(r"[^\W_]+")
_TITLES = frozenset(
    "mr mrs ms miss dr prof st sir lady lord herr frau sr sra señor señora signor signora".split()  # noqa: SIM905
)
_SUBJECT = re.compile(
    rf"^\W*(?P<name>{_CAPITAL}[\w'’-]+(?: (?:de |van |von )?{_CAPITAL}[\w'’-]+)*)"
    r"(?='s|’s|,? [a-zà-ÿ])"
)
_STEM = 5
_FULL = 2
"""Words of a name from which on it has a first one."""


def about_the_named(
    query: str, passages: Sequence[Passage], pieces: Sequence[Piece]
) -> Callable[[int], bool]:
    """Return what says of a piece, by its index, whether it is about those that a question names.

    Args:
        query: The question. Of German ones only numbers count: there every noun has a capital.
        passages: What is read.
        pieces: Their pieces.
    """
    texts = [_folded(p.title, *p.headings, p.text) for p in passages]
    names = [name for name in _names(query) if any(_holds(text, name) for text in texts)]
    others = [any(_is_of_namesake(p, name) for name in names) for p in passages]
    codes = [code for code in _codes(query) if any(_has_code(text, code) for text in texts)]
    lettered = _lettered(query)
    if not names and not codes and not lettered:
        return lambda _: True
    known = [
        all(_holds(text, name) for name in names) and all(_has_code(text, code) for code in codes)
        for text in texts
    ]
    if not any(known):  # none has all of them: the best have some
        known = [True] * len(texts)
    known = [has and not other for has, other in zip(known, others, strict=True)]
    everything = " ".join(p.text for p in passages)

    def is_about(index: int) -> bool:
        piece = pieces[index]
        if not known[piece.passage] or _is_of_another_letter(piece.text, lettered):
            return False
        near = _folded(*piece.under, piece.lead_in, *piece.before, piece.text)
        missing = [name for name in names if not _holds(near, name)]
        if not missing or piece.cells:
            return True
        subject = _SUBJECT.match(piece.text)
        if subject is None:
            return True
        own = tuple(_words(subject["name"]))
        return (
            not own
            or not _is_name(subject["name"], everything)
            or any(_holds(_folded(subject["name"]), n) for n in names)
        )

    return is_about


def _names(query: str) -> list[tuple[str, ...]]:
    """Return the names in a question, each as its telling words."""
    if read_intent(query).language == "de" or query.istitle() or query.isupper():
        return []
    asks = re.match(r"\W*\w+", query)
    found = []
    for match in _RUN.finditer(query):
        text = match[0]
        if asks is not None and match.start() < asks.end():
            text = text[asks.end() - match.start() :]
        words = tuple(_words(text))
        if words:
            found.append(words)
    return found


def _words(name: str) -> list[str]:
    function = language_cues()["en"].function_words
    calendar = shared_words("months") | shared_words("days")
    plain = re.sub(r"['’]s?\b", "", name)
    return [
        word
        for word in map(fold_text, _WORD.findall(plain))
        if word not in function | calendar | _TITLES and len(word) > 1 and not word.isdigit()
    ]


def _codes(query: str) -> list[str]:
    return [fold_text(m[0]).rstrip(".-") for m in _CODE.finditer(query)]


def _lettered(text: str) -> dict[str, set[str]]:
    """Return what has a letter for a name in a text: stems of words, each with its letters."""
    found: dict[str, set[str]] = {}
    for match in _LETTERED.finditer(text):
        letters = re.findall(_LETTER, match["letters"])
        found.setdefault(fold_text(match["word"]).rstrip("s"), set()).update(letters)
    return found


def _is_of_another_letter(text: str, asked: dict[str, set[str]]) -> bool:
    """Return whether a text names others of the things that a question names by letters alone."""
    said = _lettered(text) if asked else {}
    return any(letters.isdisjoint(said.get(word, letters)) for word, letters in asked.items())


def _folded(*texts: str) -> str:
    return fold_text(" ".join(texts))


def _holds(text: str, name: Sequence[str]) -> bool:
    """Return whether a folded text has a word of a name, or one that begins as it does."""
    return any(re.search(rf"(?<!\w){re.escape(word[:_STEM])}", text) for word in name)


def _is_of_namesake(passage: Passage, name: Sequence[str]) -> bool:
    """Return whether a passage has the last word of a name of two behind other first words alone.

    "Pym" by itself, and "Mr Pym", may be anybody's.
    """
    if len(name) != _FULL:
        return False
    first, last = name
    words = _WORD.findall(" . ".join((passage.title, *passage.headings, passage.text)))
    folded = [fold_text(word) for word in words]
    if first in folded:
        return False
    function = language_cues()["en"].function_words | _TITLES
    return any(
        word == last
        and words[at - 1][0].isupper()
        and folded[at - 1] not in function
        and not first.startswith(folded[at - 1])
        for at, word in enumerate(folded)
        if at
    )


def _has_code(text: str, code: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(code)}(?![\w]|[.,]\d)", text) is not None


def _is_name(subject: str, text: str) -> bool:
    """Return whether the capitalised words that open a sentence are a name.

    Two of them are; one is where it stands within a sentence, too, and never without its capital.
    """
    first = subject.split()[0]
    if fold_text(first) in language_cues()["en"].function_words:
        return False
    if " " in subject:
        return True
    within = re.search(rf"[\w,;] {re.escape(first)}\b", text)
    return within is not None and re.search(rf"\b{re.escape(first.lower())}\b", text) is None
