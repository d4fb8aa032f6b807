"""What "it", "he", "they" and "there" may stand for, after these questions and answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from toulmin.answering.question import Exchange
from toulmin.answering.understanding.phrases import Phrase, content_words, phrases, tokens
from toulmin.answering.understanding.word_lists import words_of

_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b(?!s)")
_BE = frozenset(["is", "are", "was", "were"])
_WHO = frozenset(["who", "whom", "whose"])
_PERSONS = words_of("en", "persons")
_ARTICLE = re.compile(r"(?:an?|the|some|any) ", re.IGNORECASE)
_INDEFINITE = re.compile(r"(?:^|(?<= of ))an? .+", re.IGNORECASE)
_ASKED = re.compile(r"^(?:which|what|how many|how much|many|much|any|some) ", re.IGNORECASE)
# "The capital of France" is what the answer names; "the Council of Europe" is a name itself.
_OF_NAME = re.compile(r"the [a-z][^A-Z]* of ")
_MOST_TOPICS = 4
_LONGEST_PHRASE = 90


class Conversation:
    """Earlier exchanges of which the questions stand alone; at least one.

    Args:
        exchanges: Oldest first.
    """

    def __init__(self, exchanges: Sequence[Exchange]) -> None:
        self._turns = [_Turn(exchange) for exchange in reversed(exchanges)]
        self.last = exchanges[-1]
        self._persons = {phrase.text for turn in self._turns for phrase in turn.sure_persons()}

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        """Noun phrases of the last question, in order."""
        return self._turns[0].phrases

    @property
    def year(self) -> str:
        """The year that was last spoken of; empty: none."""
        for turn in self._turns:
            for text in (turn.exchange.answer, turn.exchange.question):
                if found := _YEAR.search(text):
                    return found[0]
        return ""

    def person(self) -> str:
        """Return who "he" or "she" is; empty: nobody was named."""
        sure = [p for turn in self._turns for p in turn.persons() if p.text in self._persons]
        likely = (p for turn in self._turns for p in turn.persons())
        found = next(iter(sure), None) or next(likely, None)
        return re.split(r" of the | for ", _said(found))[0] if found else ""

    def thing(self, *, plural: bool) -> str:
        """Return what "it" or "they" stands for; empty: nothing was spoken of."""
        for turn in self._turns:
            found = sorted(turn.things(), key=lambda phrase: phrase.text in self._persons)
            fitting = [phrase for phrase in found if phrase.plural == plural]
            if plural and found and found[0].text.startswith(("a ", "an ")):
                return _in_plural(found[0])
            if fitting:
                return _said(fitting[0])
            if found:
                return _said(found[0])
        return ""

    def place(self) -> str:
        """Return where "there" is, with its preposition; empty: no place was spoken of."""
        for turn in self._turns:
            if found := turn.place():
                after = found.after if found.place else "in"
                return f"{after} {_said(found)}"
        return ""

    def indefinite(self) -> str:
        """Return what "one" stands for: the last thing with "a" or "an"."""
        for turn in self._turns:
            for phrase in reversed(turn.phrases):
                if found := _INDEFINITE.search(phrase.text):
                    return found[0]
        return ""

    def names(self, question: str) -> list[str]:
        """Return at most two names that were spoken of and are not in a question."""
        asked = set(content_words(question))
        found = [p for p in self._turns[0].topics() if p.name and not p.key & asked]
        return list(dict.fromkeys(_said(phrase) for phrase in found))[:2]

    def topic(self, question: str) -> list[str]:
        """Return phrases that say what the last exchange was about and a question does not."""
        asked = set(content_words(question))
        found: list[str] = []
        for phrase in self._turns[0].topics():
            fresh = phrase.key - asked
            if fresh and not any(phrase.text in other for other in found):
                asked |= phrase.key
                found.append(_said(phrase))
        return found[:_MOST_TOPICS]


class _Turn:
    """One exchange with its phrases."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.phrases = tuple(p for p in phrases(exchange.question) if len(p.text) < _LONGEST_PHRASE)
        first = re.split(r"(?<=[.!?])\s", exchange.answer.strip(), maxsplit=1)[0]
        self._answer = tuple(p for p in phrases(first) if len(p.text) < _LONGEST_PHRASE)
        self._words = tokens(exchange.question)
        self._asks = self._words[0].folded if self._words else ""

    def _given(self) -> list[Phrase]:
        """Return what the answer adds: its phrases with words that the question has not."""
        known = set(content_words(self.exchange.question))
        return [p for p in self._answer if p.key - known and not p.year]

    @property
    def _defines(self) -> Phrase | None:
        """X in "What is X?", "Who was X?"."""
        if len(self._words) > 2 and self._words[0].kind == "w" and self._words[1].folded in _BE:
            return next((p for p in self.phrases if p.subject), None)
        return None

    @property
    def _asks_for_person(self) -> bool:
        if self._asks in _WHO:
            return self._defines is None or not self._defines.name
        noun = next((p for p in self.phrases if p.asked), None)
        return noun is not None and noun.text.split()[-1].casefold() in _PERSONS

    @property
    def _asks_for_thing(self) -> bool:
        """Whether it is "Which river ...": the answer is what will be spoken of."""
        if self._asks not in {"what", "which"} or self._defines is not None:
            return False
        return self._asks == "which" or self._words[1:2] == [] or self._words[1].kind != "a"

    def sure_persons(self) -> Iterator[Phrase]:
        """Yield names that are persons' without doubt."""
        if self._asks_for_person:
            yield from [phrase for phrase in self._given() if phrase.person][:1]
        if self._asks in _WHO and self._defines is not None and not self._defines.plural:
            yield self._defines
        if re.match(r"(?:s?he|his|her)\b", self.exchange.answer, re.IGNORECASE):
            yield from [phrase for phrase in self.phrases if phrase.person][:1]

    def persons(self) -> Iterator[Phrase]:
        """Yield who may be meant, most probable first."""
        given = [phrase for phrase in self._given() if phrase.person]
        asked = [phrase for phrase in self.phrases if phrase.person]
        asked.sort(key=lambda phrase: not phrase.subject)
        if self._asks_for_person:
            yield from given
        yield from asked
        yield from given

    def things(self) -> Iterator[Phrase]:
        """Yield what may be meant, most probable first; persons by name come last."""
        order: list[Phrase] = []
        if self._defines is not None and _OF_NAME.match(self._defines.text):
            order += [p for p in self._given()[:1] if p.name and not self._is_person(p)]
        if self._defines is not None:
            order.append(self._defines)
        if self._asks == "why":
            order += [p for p in self._given()[:1] if p.text.casefold().startswith(("a ", "an "))]
        plain = [p for p in self.phrases if not p.asked and not p.year]
        subjects = [p for p in plain if p.subject and not self._is_person(p)]
        if self._asks_for_thing and not self._asks_for_person:
            order += [p for p in self._given() if p.name or not subjects][:2]
        order += subjects
        order += sorted(plain, key=lambda p: not p.name)
        if not self._asks_for_person:
            order += [p for p in self.phrases if p.asked]
        order += self._given()
        order += [inner for phrase in order for inner in _inside(phrase)]
        order.sort(key=self._is_person)
        yield from dict.fromkeys(order)

    def _is_person(self, phrase: Phrase) -> bool:
        if phrase == self._defines:
            return self._asks in _WHO
        return phrase.person and " " in phrase.text

    def place(self) -> Phrase | None:
        """Return where it is that was spoken of."""
        names = [p for p in self.phrases if p.name and not p.asked and not self._is_person(p)]
        answered = [p for p in self._given() if p.name]
        if self._asks == "where" and (
            not names or any(p.person for p in self.phrases if p.subject)
        ):
            names = [*answered, *names]
        places = [p for p in names if p.place]
        return next(
            iter([*places, *names, *[p for p in answered if not p.person], *answered]), None
        )

    def topics(self) -> Iterator[Phrase]:
        """Yield what was spoken of: names of the question, its other phrases, names given."""
        yield from (p for p in self.phrases if p.name)
        yield from (p for p in self.phrases if not p.name)
        yield from (p for p in self._given() if p.name)


def _inside(phrase: Phrase) -> Iterator[Phrase]:
    """Yield the name behind an "of": "the authors of the IPCC"."""
    _, of, name = phrase.text.partition(" of ")
    if of and phrase.name and any(char.isupper() for char in name):
        yield replace(phrase, text=name)


def _said(phrase: Phrase) -> str:
    """Return a phrase as it stands within a sentence, without what asks in it."""
    text = _ASKED.sub("", phrase.text)
    if text.startswith(("A ", "An ")) and not phrase.text[2:3].isupper():
        return f"the {text.partition(' ')[2]}"  # the answer brought it up: it is known now
    first = text.split(" ", 1)[0]
    if first == "The" or not phrase.name:
        text = text[:1].lower() + text[1:]
    return text


def _in_plural(phrase: Phrase) -> str:
    """Return "xenoliths" for "a xenolith"."""
    bare = _ARTICLE.sub("", phrase.text, count=1)
    head, of, rest = bare.partition(" of ")
    return f"{head}{'es' if head.endswith(('s', 'x', 'ch', 'sh')) else 's'}{of}{rest}"
