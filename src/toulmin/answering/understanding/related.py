"""What might be asked next: questions that the passages found can answer.

Each question is made from one sentence that holds its answer, by a pattern that cannot but give a
grammatical question: "X was founded by Y in 1880" gives "Who founded X?" and "When was X founded?".
The subject must say by itself what it is: a name, or the thing that the sentence defines. Few good
ones rather than many: a sentence that fits no pattern gives none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from toulmin.answering.passages import Passage
from toulmin.answering.understanding.phrases import content_words
from toulmin.answering.understanding.question_patterns import questions_of, questions_of_heading
from toulmin.text.sentences import split_sentences

_MOST_PASSAGES = 10
_MOST_CHARS = 4000
_MOST_OF_PASSAGE = 2
_TOO_NEAR = 0.7
_LONGEST_QUESTION = 120
_MOST_TITLE_WORDS = 5
_EMPHASIS = re.compile(r"\*{1,2}([^*\n]+)\*{1,2}")


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    passage: Passage
    words: frozenset[str]


def related_questions(
    question: str,
    answer: str,
    passages: Sequence[Passage],
    *,
    count: int = 5,
    can_answer: Callable[[str, Passage], bool] | None = None,
) -> tuple[str, ...]:
    """Return at most `count` questions that have not been asked; the best passages' come first.

    Args:
        question: What was asked.
        answer: What was answered; what its sentences say is not asked again.
        passages: What was found, best first; the first 10 are looked at, 4,000 characters of each.
        count: At most so many.
        can_answer: Says whether a passage answers a question; None: the pattern is trusted.
    """
    taken = [_words(question)]
    found: list[str] = []
    for candidate in _in_turn(passages[:_MOST_PASSAGES], _plain(answer)):
        if len(found) >= count:
            break
        if any(_near(candidate.words, words) for words in taken):
            continue
        if can_answer is not None and not can_answer(candidate.text, candidate.passage):
            continue
        taken.append(candidate.words)
        found.append(candidate.text)
    return tuple(found)


def _in_turn(passages: Sequence[Passage], answer: str) -> Iterator[_Candidate]:
    """Yield the first question of each passage, then the second, and so on."""
    each = [_candidates(passage, answer) for passage in passages]
    for row in zip_longest(*each):
        yield from (candidate for candidate in row if candidate is not None)


def _candidates(passage: Passage, answer: str) -> list[_Candidate]:
    found: dict[str, _Candidate] = {}
    texts = [text for heading in passage.headings[-1:] for text in questions_of_heading(heading)]
    body = passage.text[:_MOST_CHARS]
    for start, end in split_sentences(body):
        sentence = _plain(body[start:end])
        if sentence and sentence not in answer:
            texts += questions_of(_by_its_name(sentence, passage.title), body)
    for text in texts:
        if len(text) <= _LONGEST_QUESTION:
            found.setdefault(text.casefold(), _Candidate(text, passage, _words(text)))
    return list(found.values())[:_MOST_OF_PASSAGE]


def _by_its_name(sentence: str, title: str) -> str:
    """Return a sentence about "The tower" as one about "The Eiffel Tower", where that is the title.

    The last word of the title says what it is; another thing of the kind has more words ("The water
    tower"), or comes with a name of its own.
    """
    words = title.removeprefix("The ").split()
    if len(words) < 2 or len(words) > _MOST_TITLE_WORDS or not all(map(_is_capitalised, words)):
        return sentence
    begin = f"The {words[-1].lower()} "
    if not sentence.startswith(begin):
        return sentence
    return f"The {' '.join(words)} {sentence[len(begin) :]}"


def _is_capitalised(word: str) -> bool:
    return word[0].isupper() and word.isalpha()


def _plain(text: str) -> str:
    """Return a text on one line, without the marks of emphasis of Markdown."""
    return " ".join(_EMPHASIS.sub(r"\1", text).split())


def _words(text: str) -> frozenset[str]:
    return frozenset(content_words(text)) or frozenset(text.casefold())


def _near(words: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether two questions have nearly the same words of content."""
    shared = len(words & others)
    return words <= others or shared / max(1, len(words | others)) >= _TOO_NEAR
