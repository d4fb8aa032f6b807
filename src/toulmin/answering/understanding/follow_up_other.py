# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""Follow-up questions in languages other than English: told by closed lists, topic added.

A question leans on what was said when a pronoun stands in it and no name before, when it begins as
a fragment does ("¿Y en 1998?"), when it asks for something besides ("autre", "auch"), or when
hardly anything but function words is left of it ("Quando è morto?").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from toulmin.answering.question import Exchange
from toulmin.answering.understanding.word_lists import text_of, words_of
from toulmin.grounding.claims import leans
from toulmin.text.scripts import HAN, KANA, KATAKANA

_LATIN = ("es", "it", "de", "fr")
_WORD = re.compile(r"[^\W_]+(?:[’'-][^\W_]+)*")
_KANA = re.compile(f"[{KANA}]")
_HAN_KANA = re.compile(f"[{KANA}{HAN}]")
_RUN = re.compile(rf"[{HAN}々〆ヶ]+|[{KATAKANA}]{{2,}}|[A-Za-z0-9]+(?:年|月|日|世紀)?")
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_FEW = 2
"""A question with no name and at most so many words of content says too little alone."""
_OWNERS = 2
"""After so many words of content a possessive belongs to one of them."""
_LONG = 9
_NOUNS = 3
"""With so many nouns a Japanese question needs no more."""
_MOST_TOPIC_WORDS = 12


def language_of(question: str, last: str) -> str:
    """Return the language of a conversation: one of en, es, it, de, fr, ja; else empty.

    The question itself decides; the question before it where it has too few words of a language.
    """
    return _language(question) or _language(last) or ("" if _HAN_KANA.search(question) else "en")


def _language(text: str) -> str:
    if _KANA.search(text):
        return "ja"
    if _HAN_KANA.search(text):
        return ""
    if "¿" in text:
        return "es"
    words = [part for word in _words(text) for part in (word, *re.split("[’'-]", word))]
    scores = {
        language: sum(
            word in words_of(language, "asking") or word in words_of(language, "function")
            for word in words
        )
        for language in _LATIN
    }
    keys = ("asking", "auxiliary", "determiners", "prepositions", "function", "pronouns")
    scores["en"] = sum(any(word in words_of("en", key) for key in keys) for word in words)
    best = max(scores, key=lambda name: (scores[name], name == "en"))
    return best if scores[best] > 0 else ""


def add_topic(question: str, understood: Sequence[Exchange], language: str) -> str:
    """Return the question, with the topic of the conversation added where it leans on it."""
    if language == "ja":
        return _japanese(question, understood)
    if language not in _LATIN:
        return _with(question, _plain_topic(question, understood)) if leans(question) else question
    if not _leans(question, language):
        return question
    last = understood[-1].question
    years = _YEAR.findall(question)
    if len(years) == 1 and len(_YEAR.findall(last)) == 1 and _is_fragment(question, language):
        return _YEAR.sub(years[0], last)
    return _with(question, _topic(question, understood, language))


def _leans(question: str, language: str) -> bool:
    if _is_fragment(question, language):
        return True
    written = _WORD.findall(question)
    pronouns, places = words_of(language, "pronouns"), words_of(language, "places")
    content: list[str] = []
    named = False
    for place, word in enumerate(written):
        folded = word.casefold().replace("’", "'")
        parts = {folded, *folded.split("'"), *folded.split("-")}
        following = _fold(written[place + 1]) if place + 1 < len(written) else ""
        if parts & places:
            return not named
        if parts & pronouns:
            own = folded in words_of(language, "possessives") and len(content) >= _OWNERS
            if not named and not own and following not in words_of(language, "relatives"):
                return True
        elif _content(word, language):
            content.append(word)
            named = named or (place > 0 and word[0].isupper())
    return not named and _says_little(question, content, language)


def _says_little(question: str, content: list[str], language: str) -> bool:
    more = words_of(language, "more") & set(_words(question))
    if more and len(content) <= 2 * _FEW:
        return True
    defines = (
        _fold(question).strip(" ¿¡").startswith(tuple(text_of(language, "defining").split("|")))
    )
    few = len(content) < _FEW or (len(content) == _FEW and not _is_long(content))
    return few and not (defines and content) and not any(mark in question for mark in "\"«“„'‘")


def _is_long(content: list[str]) -> bool:
    """Return whether a word is so long that it is hardly a common one."""
    return any(len(word) >= _LONG for word in content)


def _is_fragment(question: str, language: str) -> bool:
    text = _fold(question).strip(" ¿¡")
    words = _words(text)
    if text.startswith(tuple(text_of(language, "about").split("|"))):
        return True
    return bool(words) and (words[0] in words_of(language, "starts") or len(words) == 1)


def _fold(text: str) -> str:
    return text.casefold().replace("’", "'")


def _words(text: str) -> list[str]:
    return [word.casefold().replace("’", "'") for word in _WORD.findall(text)]


def _content(text: str, language: str) -> list[str]:
    """Return the words of a text that are no function words, as they are written."""
    empty = set().union(
        *(words_of(language, key) for key in ("asking", "function", "pronouns", "places", "more"))
    )
    found = []
    for word in _WORD.findall(text):
        folded = word.casefold().replace("’", "'")
        bare = folded.split("'")[-1] if "'" in folded else folded
        if folded not in empty and bare not in empty and len(bare) > 1:
            found.append(word[len(word) - len(bare) :] if "'" in folded else word)
    return found


def _topic(question: str, understood: Sequence[Exchange], language: str) -> list[str]:
    """Return the topic words of the last question, then names of its answer."""
    last = understood[-1]
    answer = [word for word in _content(last.answer, language)[1:] if word[0].isupper()]
    return _fresh(question, [*_content(last.question, language), *answer])


def _plain_topic(question: str, understood: Sequence[Exchange]) -> list[str]:
    if _HAN_KANA.search(question):
        return _fresh(question, _RUN.findall(understood[-1].question))
    return _fresh(question, [w for w in _WORD.findall(understood[-1].question) if len(w) > 3])


def _fresh(question: str, words: Sequence[str]) -> list[str]:
    asked = question.casefold()
    found = dict.fromkeys(word for word in words if word.casefold() not in asked)
    return list(found)[:_MOST_TOPIC_WORDS]


def _with(question: str, topic: Sequence[str]) -> str:
    """Return the question with words in brackets before its question mark."""
    if not topic:
        return question
    bare = question.rstrip()
    mark = bare[-1] if bare[-1:] in "?？" else ""
    return f"{bare[: len(bare) - len(mark)].rstrip()} ({' '.join(topic)}){mark}"


def _japanese(question: str, understood: Sequence[Exchange]) -> str:
    pointing = tuple(text_of("ja", "pointing").split())
    asking = sorted(text_of("ja", "asking").split(), key=len, reverse=True)
    bare = question.replace("それぞれ", " ")
    for word in asking:
        bare = bare.replace(word, " ")
    nouns = [run for run in _RUN.findall(bare) if not re.fullmatch(r"\d+(?:年|月|日|世紀)?", run)]
    start = bare.lstrip("「『 ")
    leaning = start.startswith((*pointing, "では", "じゃ"))
    leaning = leaning or (len(nouns) < _NOUNS and any(word in bare for word in pointing))
    if nouns and not leaning and not (len(nouns) == 1 and len(nouns[0]) == 1):
        return question
    last = understood[-1].question
    for word in asking:
        last = last.replace(word, " ")
    topic = _fresh(question, _RUN.findall(last))
    return f"{'、'.join(topic)}：{question}" if topic else question
