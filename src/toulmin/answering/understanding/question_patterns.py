# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""A sentence -> questions that it answers, by safe patterns; data/questions.toml has the words.

English: what or who something is, who did it, when, where, how many. Spanish, Italian, German and
French: what something is, where the subject has its article ("Der Rhein ist ein ..."), so that it
is no person. Japanese: the same for "...は...である".
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files

from toulmin.answering.understanding.phrases import phrases, tokens
from toulmin.text.scripts import HAN, KANA, KATAKANA

_DATA = tomllib.loads(
    files("toulmin.answering.understanding")
    .joinpath("data/questions.toml")
    .read_text(encoding="utf-8")
)
_PARTICIPLES: dict[str, str] = _DATA["participles"]  # "written" -> "wrote"
_PASTS: dict[str, str] = _DATA["pasts"]  # "wrote" -> "write"
_PEOPLE = frozenset(str(_DATA["people"]).split())
_NO_SUBJECT = frozenset(str(_DATA["no_subject"]).split())
_NO_COUNT = frozenset(str(_DATA["no_count"]).split())

_ARTICLES = frozenset(
    ["The", "A", "An", "El", "La", "Il", "Lo", "Le", "Der", "Die", "Das", "Ein", "Eine"]
)

_SUBJECT = r"(?P<subject>[^\W_][^,;:()\[\]\"?!]{1,60}?)"
_ASIDE = r"(?: \([^()]{1,120}\))?"
_DATE = (
    r"(?:in|on) (?:(?:early|late|mid) )?(?:\d{1,2} )?"
    r"(?:(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d{1,2},?)? )?(?:1\d|20)\d\d\b(?![\d,.]\d)"
)
_DEFINES = re.compile(
    rf"{_SUBJECT}{_ASIDE} (?P<be>is|are|was|were) (?P<what>(?:an?|the|one of the) .+)"
)
_PASSIVE = re.compile(
    rf"{_SUBJECT}{_ASIDE} (?P<be>was|were) (?:first |originally |officially |formally )?"
    rf"(?P<done>[a-z]+)(?P<rest> .+)"
)
_DATED_PASSIVE = re.compile(
    rf"(?:I|O)n (?P<date>[^,]{{4,40}}), {_SUBJECT} (?P<be>was|were) (?P<done>[a-z]+)\b"
)
_ACTIVE = re.compile(
    rf"{_SUBJECT} (?P<did>{'|'.join(_PASTS)})"
    rf"(?P<object> [^,;:()\"]{{3,60}}?)? {_DATE}(?:[,.;]|$| and )"
)
_DATED_ACTIVE = re.compile(
    rf"(?:I|O)n (?P<date>[^,]{{4,40}}), {_SUBJECT} (?P<did>{'|'.join(_PASTS)})"
    rf"(?P<object> [^,;:()\"]{{3,60}}?)?[,.;]"
)
_APPOSED = re.compile(
    r"(?P<subject>[A-Z][\w.’'-]+(?: (?:[A-Z][\w.’'-]+|de|van|von|der|la|al)){1,4}), "
    r"(?P<what>(?:an?|the) [^,]{4,80}), (?P<rest>.*)"
)
_COMMON_ENDINGS = ("ology", "ism", "tion", "ity", "ment", "ics", "ness", "ence", "ance")
_PAST = re.compile(r"(?:was|were|had|[a-z]{2,}ed)\b")
_LOCATED = re.compile(
    rf"{_SUBJECT}{_ASIDE} (?P<be>is|are|was|were) "
    r"(?P<done>located|situated|headquartered|based|buried|born) (?:in|on|at|near)"
    r" (?!the (?:early|late|\d))[^\d]"
)
_STANDS = re.compile(rf"{_SUBJECT}{_ASIDE} (?P<does>stands|lies) (?:in|on|at|near) (?:the )?[A-Z]")
_COUNTED = re.compile(
    rf"{_SUBJECT}{_ASIDE} (?P<have>has|have|had|contains|contain|comprises|comprise) "
    r"(?:about |around |approximately |roughly |over |more than |some |nearly |almost |at least )?"
    r"(?:\d[\d,]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty)"
    r" (?P<things>[a-z-]+(?: [a-z-]+)?s)(?=[,.;]| in | of | on | at | with | for | from |$)"
)
_BY = re.compile(r" by (?P<who>[A-Z][\w.’'-]+(?: [\w.’'-]+){0,4})")
_DATED = re.compile(rf" (?:by [^,;]{{1,60}} )?{_DATE}")
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_HOW_TO = re.compile(r"How to (?P<do>[a-z][^?!.:;]{3,80})")
_HOW_IT_WORKS = re.compile(r"How (?P<it>[^?!.:;,]{2,60}) (?P<does>works?)")
_OTHERS = tuple(
    (re.compile(entry["sentence"]), str(entry["question"])) for entry in _DATA["definitions"]
)
_JAPANESE = re.compile(
    rf"(?P<subject>[{KATAKANA}{HAN}々]{{2,14}})"
    r"(?:（[^）]{1,60}）は|(?:（[^）]{1,60}）)?とは)、?[^。？]{4,120}"
    r"(?<![人家者手員師王優])(?:である|です|のこと|をいう|を指す)。?$"
)


def questions_of(sentence: str, text: str = "") -> list[str]:
    """Return questions that a sentence answers, the most telling first; most have none.

    Args:
        sentence: One sentence.
        text: Where it is from: tells names from words that a sentence begins with.
    """
    if re.search(f"[{KANA}]", sentence):
        found = _JAPANESE.match(sentence)
        return [f"{found['subject']}とは何ですか？"] if found else []
    for pattern, question in _OTHERS:
        if found := pattern.match(sentence):
            return [question.format(subject=_lower(found["subject"]))]
    return list(dict.fromkeys(_english(_uncapitalised(sentence, text))))


def questions_of_heading(heading: str) -> list[str]:
    """Return the question that a heading is, or plainly stands for; most have none."""
    text = " ".join(heading.split())
    if text.endswith(("?", "？")) and len(text.split()) > 2:
        return [text]
    if found := _HOW_TO.fullmatch(text):
        return [f"How do you {found['do']}?"]
    if (found := _HOW_IT_WORKS.fullmatch(text)) and _subject_number(found["it"]):
        verb = "does" if found["does"] == "works" else "do"
        return [f"How {verb} {_lower(found['it'])} work?"]
    return []


def _english(sentence: str) -> Iterator[str]:
    if found := _PASSIVE.match(sentence):
        yield from _of_passive(found["subject"], found["be"], found["done"], found["rest"])
    yield from _of_place(sentence)
    if found := _DATED_PASSIVE.match(sentence):
        done = _is_participle(found["done"])
        if done and _YEAR.search(found["date"]) and _names(found["subject"]):
            yield f"When {found['be']} {_lower(found['subject'])} {found['done']}?"
    for pattern in (_ACTIVE, _DATED_ACTIVE):
        if found := pattern.match(sentence):
            yield from _of_active(found["subject"], found["did"], found["object"] or "")
    if (found := _APPOSED.match(sentence)) and _head(found["what"]) in _PEOPLE:
        yield f"Who {'was' if _PAST.match(found['rest']) else 'is'} {found['subject']}?"
    if found := _COUNTED.match(sentence):
        yield from _of_count(found["subject"], found["have"], found["things"])
    if found := _DEFINES.match(sentence):
        yield from _of_definition(found["subject"], found["be"], found["what"])


def _of_passive(subject: str, be: str, done: str, rest: str) -> Iterator[str]:
    """Yield "Who founded X?" and "When was X founded?"."""
    if not _names(subject) or not _is_participle(done):
        return
    by = _BY.match(rest)
    if by and not _YEAR.match(by["who"]):
        yield f"Who {_PARTICIPLES.get(done, done)} {_lower(subject)}?"
    if _DATED.match(rest):
        yield f"When {be} {_lower(subject)} {done}?"


def _of_place(sentence: str) -> Iterator[str]:
    """Yield "Where is X located?" or "Where does X stand?"."""
    if (found := _LOCATED.match(sentence)) and _names(found["subject"]):
        yield f"Where {found['be']} {_lower(found['subject'])} {found['done']}?"
    if (found := _STANDS.match(sentence)) and _names(found["subject"]):
        verb = {"stands": "stand", "lies": "lie"}[found["does"]]
        yield f"Where does {_lower(found['subject'])} {verb}?"


def _of_active(subject: str, did: str, what: str) -> Iterator[str]:
    if _names(subject) and _is_object(what):
        yield f"When did {_lower(subject)} {_PASTS[did]}{what}?"


def _of_count(subject: str, have: str, things: str) -> Iterator[str]:
    number = _subject_number(subject)
    if not _names(subject) or not number or things.split()[-1] in _NO_COUNT:
        return
    verb = "have" if have in {"has", "have", "had"} else have.removesuffix("s")
    do = "did" if have == "had" else {"s": "does", "p": "do"}[number]
    yield f"How many {things} {do} {_lower(subject)} {verb}?"


def _of_definition(subject: str, be: str, what: str) -> Iterator[str]:
    """Yield "What is X?", or "Who was X?" for a person."""
    number = _subject_number(subject)
    bare_name = _names(subject) and not subject.startswith("The ")
    plural = be in {"are", "were"}
    if not number or (plural and number == "s") or (not plural and number == "p" and not bare_name):
        return
    head = _head(what)
    titled = subject.split()[0].casefold() in _PEOPLE and not subject.split()[0].islower()
    if titled or head in _PEOPLE or head.endswith(("ologist", "ician")):
        named = _names(subject) and not subject.startswith(("The ", "A ", "An "))
        if named and (be == "was" or " " in subject):  # "Portugal is a producer of ..."
            yield f"Who {be} {subject}?"
    elif any(word in _PEOPLE for word in subject.casefold().split()):
        return  # "The President of Delaware was ...": of which time?
    elif (_names(subject) or be in {"is", "are"}) and not (
        _is_bare_person(subject) and be == "was"
    ):
        if subject.startswith("The ") and not _names(subject):
            return  # "The treaty is the ...": which one, only the text before tells
        yield f"What {be} {_lower(subject)}?"


def _head(what: str) -> str:
    """Return the head of "a French physician and writer of ...": "physician"."""
    found = phrases(what)
    if not found:
        return ""
    return re.split(r" (?:of|in|from|for|who|and) ", found[0].text)[0].split()[-1].casefold()


def _subject_number(subject: str) -> str:
    """Return s(ingular) or p(lural) if a text is one phrase that says what it is; else ""."""
    words = tokens(subject)
    found = phrases(subject)
    if not words or len(found) != 1 or "'s " in subject or "’s " in subject:
        return ""
    if found[0].text != subject or any(token.folded in _NO_SUBJECT for token in words):
        return ""
    return "p" if found[0].plural else "s"


def _names(subject: str) -> bool:
    """Return whether a subject is one noun phrase with a name in it."""
    if not _subject_number(subject):
        return False
    words = subject.split()
    if words[0] in {"The", "A", "An"}:
        return any(word[:1].isupper() for word in words[1:])
    return any(word[:1].isupper() for word in words[1:]) or (
        len(words) == 1 and words[0][:1].isupper() and tokens(f"of {subject}")[1].kind == "C"
    )


def _is_bare_person(subject: str) -> bool:
    words = subject.split()
    return words[0] not in {"The", "A", "An"} and all(word[:1].isupper() for word in words)


def _is_participle(word: str) -> bool:
    return word in _PARTICIPLES or (word in _PASTS and word.endswith("ed"))


def _is_object(text: str) -> bool:
    """Return whether what follows a verb is nothing, or one short noun phrase."""
    bare = text.strip()
    if not bare:
        return True
    found = phrases(bare)
    return (
        len(found) == 1
        and len(bare.split()) <= 7
        and found[0].end == len(bare)
        and (found[0].start == 0)
    )


def _lower(subject: str) -> str:
    """Return a subject as it stands within a sentence."""
    first, _, rest = subject.partition(" ")
    if first in _ARTICLES:
        return f"{first.lower()} {rest}"
    if first.startswith(("L'", "L’")):
        return subject[0].lower() + subject[1:]
    return subject


def _uncapitalised(sentence: str, text: str) -> str:
    """Return a sentence whose first word is in lower case unless it is a name.

    A single capitalised word is a name if the text has it so within a sentence; empty: neither the
    text nor the ending tells, and nothing is made of the sentence.
    """
    first = re.match(r"[A-Z][a-z-]+\b", sentence)
    if not first or first[0] in _ARTICLES or tokens(sentence)[0].kind not in "nC":
        return sentence
    word = first[0]
    followed = re.match(r" (?:(?:de|del|van|von|of|al|bin) )?[A-Z]", sentence[len(word) :])
    if followed:
        return sentence
    if re.search(rf"\b{word.lower()}\b", text) or word.endswith(_COMMON_ENDINGS):
        return sentence[0].lower() + sentence[1:]
    return sentence if re.search(rf"[a-z,] {word}\b", text) else ""
