"""English follow-up questions: pronouns put into words, fragments completed from what was asked.

`understand` reads as the order of the rules: a fragment ("And in 1998?", "Why?") takes the place of
a part of the last question; a pronoun takes the phrase that it most probably points to, by its
number and by what the last question asked for; a question that asks for something besides, or says
hardly anything, gets the topic in brackets; anything else stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from toulmin.answering.question import Exchange
from toulmin.answering.understanding.antecedents import Conversation
from toulmin.answering.understanding.phrases import (
    Phrase,
    Token,
    content_words,
    is_rare,
    phrases,
    tokens,
)
from toulmin.answering.understanding.word_lists import text_of, words_of

_STARTS = re.compile(
    rf"(?:(?:{text_of('en', 'starts').replace(' ', '|')})\b[,\s]*)+", re.IGNORECASE
)
_ABOUT = re.compile(rf"(?:{text_of('en', 'about')})\s+", re.IGNORECASE)
_EXPLETIVE = re.compile(text_of("en", "expletive"), re.IGNORECASE)
_EXISTS = frozenset(
    ["is", "are", "was", "were", "be", "been", "isn't", "aren't", "wasn't", "weren't"]
)
_THEN = re.compile(r"\b(?:(?:in|at|on|by) )?(?:that|the same) (year|time)\b", re.IGNORECASE)
_MORE = words_of("en", "more")
_PERSONAL = frozenset(["it", "he", "him", "she", "they", "them", "theirs"])
_PLURALS = frozenset(["they", "them", "their", "theirs"])
_THING_PRONOUNS = frozenset(["it", "its"])
_HAVE = frozenset(["have", "has", "had"])
_COUNTING = words_of("en", "adjectives") | frozenset(
    ["many", "much", "more", "most", "else", "other"]
)
_PERSONS = words_of("en", "persons")
_YEARS = re.compile(
    r"(?:\b(?:in|by|since|until|before|after|during|from|between|for) )?"
    r"(?P<years>\b(?:1\d|20)\d\d\b(?: ?(?:to|and|until|-|–) ?(?:(?:1\d|20)\d\d|today)\b)?)",  # noqa: RUF001
    re.IGNORECASE,
)
_NUMBER_ALONE = re.compile(
    r"(?:(?:for|about|with|of) )?(?:the )?(?:(?P<name>[^\W\d_]+)[ -])?(?P<number>\d[\w.]*)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?<!\w)(?P<name>[^\W\d_]\w*)[ -](?P<number>\d[\w.]*\w|\d)")
_OTHER_ONE = re.compile(r"(?:(?:for|about|with|of) )?the (?P<which>[^\W\d_]+) ones?", re.IGNORECASE)
_KIND_OF = re.compile(r"the (?P<which>[^\W\d_]+) [^\W\d_]+")
_OF_NAME = re.compile(r"the [a-z][^A-Z]* of (?=.*[A-Z])")
_MOST_EDITS = 4
_MOST_FRAGMENT_WORDS = 4
_POSSESSIVE = frozenset(["its", "his", "her", "their", "hers"])
_POINTING = frozenset(["this", "that", "these", "those"])
_CLAUSES = frozenset(
    [
        "and",
        "but",
        "or",
        "because",
        "when",
        "while",
        "if",
        "after",
        "before",
        "although",
        "since",
        "that",
        "who",
    ]
)
_FEW = 2
_FEW_WITH_ARTICLE = 3
_WH_ADVERBS = frozenset(["when", "where", "why", "how"])


def understand(question: str, understood: Sequence[Exchange]) -> str:
    """Return an English question as it is understood after others, which stand alone."""
    talk = Conversation(understood)
    bare = _STARTS.sub("", question, count=1) if _STARTS.match(question) else question
    began = bare != question
    if not tokens(bare):
        return _with_topic(question, talk) if began else question
    about = _ABOUT.match(bare)
    rest = bare[about.end() :] if about else bare
    if (began or about) and (found := _other_of_its_kind(rest, talk)):
        return found
    if about:
        return _exchange(rest, talk)
    words = tokens(bare)
    if _is_asking_fragment(words):
        return _asking_fragment(bare, words, talk)
    if _is_fragment(bare, words, began=began):
        return _exchange(bare, talk)
    changed = _put_into_words(bare, words, talk)
    if changed != bare:
        named = any(token.kind in "C" for token in tokens(changed))
        return _in_brackets(_capital(changed), [] if named else talk.names(changed))
    if began or _asks_for_more(words) or _points(words):
        return _with_topic(question, talk)
    if _says_little(bare, words):
        topic = talk.topic(question)
        return _in_brackets(
            question, list(filter(_is_known, topic)) if _has_subject(words) else topic
        )
    return question


def _is_asking_fragment(words: Sequence[Token]) -> bool:
    """Return whether there are asking words only: "Why?", "How many members?"."""
    if not words or words[0].kind != "w" or len(words) > 4:
        return False
    return all(token.kind == "n" or token.folded in _COUNTING for token in words[1:])


def _is_fragment(bare: str, words: Sequence[Token], *, began: bool) -> bool:
    """Return whether there is no verb: "In 1998?", "Naples?". Search words are none."""
    if not words or words[0].kind in "wav" or any(token.kind in "av" for token in words):
        return not words
    short = len(words) <= _MOST_FRAGMENT_WORDS and bare.rstrip().endswith("?")
    return began or short or (words[0].kind == "p" and len(words) <= 2 * _MOST_FRAGMENT_WORDS)


def _other_of_its_kind(fragment: str, talk: Conversation) -> str:
    """Return the last question about another of its kind: "the 400", "the large one"; or ""."""
    part, last = fragment.strip().rstrip("?!. ").strip(), talk.last.question
    put, places = "", list[tuple[int, int]]()
    number = _NUMBER_ALONE.fullmatch(part)
    if number and not _YEARS.fullmatch(number["number"]):
        name, put = (number["name"] or "").casefold(), number["number"]
        places = [
            found.span("number")
            for found in _NUMBERED.finditer(last)
            if (found["name"].casefold() == name if name else found["name"][0].isupper())
            and not _YEARS.fullmatch(found["number"])
        ]
    elif other := _OTHER_ONE.fullmatch(part):
        put = other["which"]
        places = [
            (phrase.start + found.start("which"), phrase.start + found.end("which"))
            for phrase in talk.phrases
            if not phrase.name and (found := _KIND_OF.fullmatch(phrase.text))
        ]
    if len(places) != 1:
        return ""
    start, end = places[0]
    return f"{last[:start]}{put}{last[end:]}"


def _exchange(fragment: str, talk: Conversation) -> str:
    """Return the last question with the part that a fragment takes the place of."""
    part = fragment.strip().rstrip("?!. ").strip()
    last = talk.last.question
    if _YEARS.search(part) and len(found := list(_YEARS.finditer(last))) == 1:
        start, end = found[0].span() if _YEARS.match(part) else found[0].span("years")
        return f"{last[:start]}{part}{last[end:]}"
    given = phrases(part)
    if not given:
        return _with_topic(fragment, talk)
    old = _counterpart(given[0], talk)
    if old is not None and given[0].name and (inner := _OF_NAME.match(old.text)):
        # "the capital of France": only France is exchanged.
        old = replace(old, start=old.start + inner.end(), text=old.text[inner.end() :], after="of")
    if old is None:
        return f"{_capital(part)}: {last[:1].lower()}{last[1:]}"
    start = old.start
    preposition = len(given[0].after) + 1 if given[0].after and given[0].start else 0
    if preposition and old.after:
        start -= len(old.after) + 1
    text = part[given[0].start - (preposition if start < old.start else 0) :]
    changed = " ".join(f"{last[:start]}{text}{last[old.end :]}".split())
    lost = old.name and not given[0].name and old.key - set(content_words(changed))
    return _in_brackets(changed, [old.text] if lost else [])


def _counterpart(given: Phrase, talk: Conversation) -> Phrase | None:
    """Return the phrase of the last question that a fragment's phrase is of one kind with."""
    old = [phrase for phrase in talk.phrases if not phrase.asked]
    if given.after:
        same = [p for p in old if p.after == given.after and p.name == given.name]
        if given.after == "of":
            same = [p for p in old if p.name and _OF_NAME.match(p.text)]
        closing = [p for p in old[-1:] if p.after and not given.name]
        return next(iter([*same[::-1], *closing]), None)
    if given.name:
        bare = [phrase for phrase in old if phrase.name and not phrase.after]
        named = [phrase for phrase in old if phrase.name]
        subjects = [phrase for phrase in bare if phrase.subject]
        return next((kind[0] for kind in (subjects, bare, named) if len(kind) == 1), None)
    head = given.text.split()[-1].casefold()
    return next((p for p in old if head in p.text.casefold().split()), None)


def _asking_fragment(bare: str, words: Sequence[Token], talk: Conversation) -> str:
    """Return the last question with other asking words: "Why?", "How many members?"."""
    last = talk.last.question
    asked = bare.strip().rstrip("?!. ").strip()
    before = tokens(last)
    if not before:
        return _with_topic(bare, talk)
    if before[0].kind == "a":
        return f"{_capital(asked)} {last[:1].lower()}{last[1:]}"
    at = next((i for i, token in enumerate(before) if token.kind == "a"), None)
    fragment_noun = len(words) > 2
    if at is not None and before[0].folded in _WH_ADVERBS:
        counted = at > 2 and before[0].folded == words[0].folded
        if (fragment_noun and counted) or (len(words) == 1 and at == 1):
            space = "" if before[at].glued else " "
            return f"{_capital(asked)}{space}{last[before[at].start :]}"
    return _with_topic(bare, talk)


def _put_into_words(bare: str, words: Sequence[Token], talk: Conversation) -> str:
    """Return the question with its pronouns replaced, as far as that is sure."""
    edits: list[tuple[int, int, str]] = []
    year = talk.year
    if (then := _THEN.search(bare)) and year:
        edits.append((then.start(), then.end(), f"in {year}"))
    expletives = [match.span() for match in _EXPLETIVE.finditer(bare)]
    own = phrases(bare)
    for place, token in enumerate(words):
        if len(edits) == _MOST_EDITS:
            break
        if then and token.start >= then.start() and token.end <= then.end():
            continue
        if any(start <= token.start < end for start, end in expletives):
            continue
        if _is_place(words, place) and (where := talk.place()):
            edits.append((token.start, token.end, where))
        elif found := _antecedent(words, place, own, talk):
            edits.append((token.start, token.end, found))
    return _edited(bare, edits)


def _is_place(words: Sequence[Token], place: int) -> bool:
    """Return whether a word is "there" and means a place."""
    if words[place].folded not in {"there", "here"}:
        return False
    before = words[place - 1].folded if place else ""
    after = words[place + 1].folded if place + 1 < len(words) else ""
    last = place == len(words) - 1
    return place > 0 and after not in _EXISTS and (last or before not in _EXISTS)


def _antecedent(
    words: Sequence[Token], place: int, own: Sequence[Phrase], talk: Conversation
) -> str:
    """Return the words for a pronoun; empty: it is none, or the question itself has them."""
    word = words[place].folded
    if word == "one" and place and words[place - 1].kind in "av":
        after = words[place + 1] if place + 1 < len(words) else None
        counts = after is not None and (after.folded == "of" or after.kind in "nyC")
        return "" if counts else talk.indefinite()
    if word not in _PERSONAL | _POSSESSIVE or _is_inside(words, place, own):
        return ""
    last = place == len(words) - 1
    possessive = word in _POSSESSIVE and (
        word != "her" or (not last and words[place + 1].kind in "nvC")
    )
    if word in {"he", "him", "his", "she", "her", "hers", "himself", "herself"}:
        found = talk.person()
    else:
        found = talk.thing(plural=word.startswith("the"))
    if not found or not possessive:
        return found
    if word == "hers":
        return f"{found}'s"
    return f"{found}'" if found.endswith("s") else f"{found}'s"


def _is_inside(words: Sequence[Token], place: int, own: Sequence[Phrase]) -> bool:
    """Return whether a pronoun points to a name or a subject earlier in the same question."""
    pronoun = words[place]
    earlier = [p for p in own if p.end <= pronoun.start and not p.year and _agrees(p, pronoun)]
    if words[place - 1].folded == "of":  # "the aims of his plan": not of the aims themselves
        earlier = [phrase for phrase in earlier if phrase.end + 1 < words[place - 1].start]
    if not earlier:
        return False
    if any(token.folded in _CLAUSES for token in words[1:place]):
        return not all(phrase.asked for phrase in earlier)
    if pronoun.folded not in _POSSESSIVE:
        return False  # "Which governor signed it?": never the subject of the same clause
    after_auxiliary = any(phrase.subject for phrase in earlier)
    asked_does = words[place - 1].kind != "a" or words[place - 1].folded in _HAVE
    return after_auxiliary or (asked_does and not any(phrase.subject for phrase in own))


def _agrees(phrase: Phrase, pronoun: Token) -> bool:
    """Return whether a pronoun may mean a phrase, by number and by whether it is a person."""
    if pronoun.folded in _PLURALS:
        return phrase.plural
    head = phrase.text.split()[-1].casefold()
    person = phrase.person or head in _PERSONS
    if pronoun.folded in _THING_PRONOUNS:
        return not phrase.plural and not (phrase.person and " " in phrase.text)
    return person and not phrase.plural


def _asks_for_more(words: Sequence[Token]) -> bool:
    named = any(token.kind == "C" for token in words)
    return not named and any(token.folded in _MORE for token in words)


def _points(words: Sequence[Token]) -> bool:
    """Return whether a demonstrative is left that points back ("that name", "on this?")."""
    for place, token in enumerate(words):
        if token.folded not in _POINTING:
            continue
        after = words[place + 1] if place + 1 < len(words) else None
        if after is None or (token.folded != "that" and after.kind in "nav"):
            return True
        if after.kind == "n" and (place == 0 or words[place - 1].kind in "apw"):
            return True
    return False


def _says_little(bare: str, words: Sequence[Token]) -> bool:
    """Return whether a question names nothing and has hardly a word of content."""
    if any(token.kind in "Cy" for token in words):
        return False
    content = content_words(bare)
    definite = any(
        words[i].folded == "the" and words[i + 1].kind == "n" for i in range(len(words) - 1)
    )
    if any(token.kind == "n" and is_rare(token.folded) for token in words):
        return definite and len(content) == 1 and words[0].folded not in {"what", "who"}
    if len(content) <= _FEW:
        return not _is_definition(words)
    return definite and len(content) <= _FEW_WITH_ARTICLE and " of " not in bare


def _has_subject(words: Sequence[Token]) -> bool:
    """Return whether a short question says what it is about: "Are dogs allowed?".

    What was spoken of before is then at most where, so that only what is known of it matters.
    """
    return len(words) > 2 and words[0].kind == "a" and words[1].kind == "n"


def _is_known(topic: str) -> bool:
    """Return whether a phrase is about something known: a name, or what has "the" before it."""
    return topic.startswith("the ") or any(char.isupper() for char in topic)


def _is_definition(words: Sequence[Token]) -> bool:
    """Return whether it is "What is quicksort?": short, but about something new."""
    return (
        len(words) > 2
        and words[0].folded in {"what", "who"}
        and words[1].folded in {"is", "are", "was", "were"}
        and words[2].folded not in {"the", "its", "their"}
    )


def _with_topic(question: str, talk: Conversation) -> str:
    """Return the question with the topic in brackets before its question mark."""
    return _in_brackets(question, talk.topic(question))


def _in_brackets(question: str, topic: Sequence[str]) -> str:
    if not topic:
        return question
    bare = question.strip()
    mark = bare[-1] if bare[-1:] in "?!." else ""
    return f"{bare[: len(bare) - len(mark)].rstrip()} ({', '.join(topic)}){mark}"


def _edited(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    for start, end, words in sorted(edits, reverse=True):
        text = text[:start] + words + text[end:]
    return text


def _capital(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:]
