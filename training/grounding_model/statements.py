# ruff: noqa: SIM905 - lists of words.
"""A question and its answer as a statement, by rule, for packs to train on.

"When was the tower built?" and "1932" give "The tower was built in 1932." Most questions that
begin with a question word, or with a preposition and one, can be turned; the others give None.
The transformation follows QA2D (Demszky et al. 2018, https://arxiv.org/abs/1809.02922), without a
parser: where the verb stands is guessed from the words beside it, so some statements are clumsy,
which training bears; `stated.py` says how many read well.
"""

from __future__ import annotations

import re
from functools import cache

from lemminflect import getAllLemmas, getInflection

_BE = {"is", "are", "was", "were"}
_DO = {"did", "does", "do"}
_AUXILIARY = _BE | {"has", "have", "had", "can", "could", "will", "would", "should", "must", "may"}
_LONGEST_ANSWER, _LONGEST_SUBJECT = 14, 8
"""Words."""
_PREPOSITIONS = set(
    "in on at to from of for with by about under during between among against into over after"
    " before through near within according".split()
)
_DETERMINERS = set("the a an his her its their our this that these those each every".split())
_PRONOUNS = set("he she it they we you i him them us me".split())
_CALLED = {"called", "named", "known", "considered", "titled", "nicknamed", "termed", "dubbed"}
_PARTICLES = set("up down out off back away together".split())
_NEVER_VERB = (
    _PREPOSITIONS
    | _DETERMINERS
    | _PRONOUNS
    | _PARTICLES
    | set("and or not most first last".split())
)
_NUMBERS = set("one two three four five six other".split())
_LIGHT = set("take make give have help come go get let begin start play run".split())
_MODAL = {"can", "could", "will", "would", "should", "must", "may"}
_WH = re.compile(
    r"(?P<prep>(?:in|on|at|to|from|of|for|with|by|under|during|against|into|after|about|through)\s+)?"
    r"(?P<wh>who|whom|what|which|when|where|how many|how much|how long|how old|how tall|how high"
    r"|how far|how large|how big|how deep|how wide|whats|what's|who's|whos|where's)\b\s*"
    r"(?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)


def statement_of(question: str, answer: str, before: str = "") -> str | None:
    """Return the statement, or None where the question is of no known form.

    Args:
        question: The question, with or without its mark.
        answer: What answers it, as it stands in the text.
        before: The word that stands before the answer in the text; a preposition is kept with
            answers to "when" and "where".
    """
    match = _WH.fullmatch(" ".join(question.split()).rstrip(" ?.!"))
    if (
        match is None
        or not 0 < len(answer.split()) <= _LONGEST_ANSWER
        or re.search(r"[.!?] ", answer)
    ):
        return None
    wh, rest = match["wh"].lower(), match["rest"].split()
    if wh.endswith("s") and wh in ("whats", "what's", "who's", "whos", "where's"):
        wh, rest = wh.replace("'", "")[:-1], ["is", *rest]
    preposition = (match["prep"] or "").strip().lower()
    noun, tail = _cut_noun(wh, rest)
    if not tail:
        return None
    said = _said(wh, noun, tail, answer.strip(), preposition, before.lower())
    return _sentence(said) if said else None


def _cut_noun(wh: str, rest: list[str]) -> tuple[list[str], list[str]]:
    """Return what the question word stands before ("what YEAR") and what follows it."""
    if wh in ("who", "whom", "when", "where"):
        return [], rest
    for i, word in enumerate(rest[:6]):
        if word.lower() in _AUXILIARY | _DO:
            return rest[:i], rest[i:]
        if i and rest[i - 1].lower() not in _NUMBERS and _is_finite(rest, i):
            return rest[:i], rest[i:]
    return ([], rest) if wh in ("what", "which") and _is_finite(rest, 0) else ([], [])


def _said(
    wh: str, noun: list[str], tail: list[str], answer: str, preposition: str, before: str
) -> str | None:
    first, rest = tail[0].lower(), tail[1:]
    value = _with_noun(wh, noun, answer)
    if first in _DO:
        return _with_do(wh, noun, first, rest, value, preposition, before)
    if first in _AUXILIARY:
        return _with_auxiliary(wh, noun, tail[0], rest, value, preposition, before)
    if preposition or wh in ("when", "where"):
        return None
    return f"{value} {' '.join(tail)}"


def _with_noun(wh: str, noun: list[str], answer: str) -> str:
    """Return the answer with what is counted: "how many eggs", "12" give "12 eggs"."""
    if wh not in ("how many", "how much") or not noun:
        return answer
    known = {word.lower().rstrip("s") for word in answer.split()}
    return answer if noun[-1].lower().rstrip("s") in known else f"{answer} {' '.join(noun)}"


def _with_do(
    wh: str, noun: list[str], do: str, rest: list[str], value: str, preposition: str, before: str
) -> str | None:
    place = _verb_place(rest)
    if place is None or {"if", "not"} & set(rest):
        return None
    tag = {"did": "VBD", "does": "VBZ", "do": "VBP"}[do]
    verb = _inflected(rest[place].lower(), tag)
    subject, after = rest[:place], rest[place + 1 :]
    head = [*subject, verb]
    adverb = _adverbial(wh, noun, value, preposition, before)
    if adverb is not None:
        if after and after[-1].lower() in _PREPOSITIONS:
            after = after[:-1]
        return " ".join([*head, *after, adverb])
    if wh in ("how long", "how old", "how tall", "how high", "how far", "how large", "how big"):
        return " ".join([*head, value, *after]) if wh == "how long" else None
    if after and after[-1].lower() in _PREPOSITIONS:
        return " ".join([*head, *after, value])
    if len(after) > 1 and {after[0].lower(), after[1].lower()} <= _PREPOSITIONS:
        return " ".join([*head, after[0], value, *after[1:]])
    if after and after[0].lower() in _PARTICLES:
        return " ".join([*head, after[0], value, *after[1:]])
    return " ".join([*head, value, *after])


def _with_auxiliary(
    wh: str, noun: list[str], aux: str, rest: list[str], value: str, preposition: str, before: str
) -> str | None:
    low = [word.lower() for word in rest]
    if not rest or "if" in low:
        return None
    if wh in ("how many", "how much") and low[0] == "there":
        return " ".join(["there", aux, value, *rest[1:]])
    place = _auxiliary_place(aux.lower(), rest)
    adverb = _adverbial(wh, noun, value, preposition, before)
    is_short = aux.lower() in _BE and len(rest) <= _LONGEST_SUBJECT
    if adverb is not None:
        if place:
            return " ".join([*rest[:place], aux, *rest[place:], adverb])
        return " ".join([*rest, aux, adverb]) if wh in ("when", "where") and is_short else None
    if wh.startswith("how ") and wh not in ("how many", "how much"):
        return " ".join([*rest, aux, value]) if is_short else None
    return _of_thing(wh, noun, aux, rest, value, place)


def _auxiliary_place(aux: str, rest: list[str]) -> int | None:
    """Return where the verb stands that belongs to the auxiliary, the subject before it."""
    low = [word.lower() for word in rest]
    if aux not in _MODAL:
        return _participle_place(low)
    return 0 if "VB" in _forms(low[0]) and low[0] not in _NEVER_VERB else _verb_place(rest)


def _of_thing(
    wh: str, noun: list[str], aux: str, rest: list[str], value: str, place: int | None
) -> str | None:
    """Return the statement of a question for a thing or person: "what was the house known as"."""
    low = [word.lower() for word in rest]
    if low[-1] in _CALLED or low[-2:] == ["known", "as"]:
        cut = -2 if low[-1] == "as" else -1
        return " ".join([*rest[:cut], aux, *rest[cut:], value])
    if low[-1] in _PREPOSITIONS and place:
        return " ".join([*rest[:place], aux, *rest[place:], value])
    if place == 0:
        return " ".join([value, aux, *rest])
    if aux.lower() in _MODAL or (place and (noun or wh in ("who", "whom"))):
        return None
    if noun or (low[0] not in _DETERMINERS and not rest[0][0].isupper()):
        return " ".join([value, aux, *rest])
    return " ".join([*rest, aux, value]) if aux.lower() in _BE else None


def _adverbial(wh: str, noun: list[str], value: str, preposition: str, before: str) -> str | None:
    """Return the answer as a phrase of time, place or with the question's own preposition."""
    own = value.split()[0].lower() in _PREPOSITIONS | {"until", "since", "between", "around"}
    if preposition:
        return value if own else f"{preposition} {value}"
    is_time = wh == "when" or (noun and noun[-1].lower() in ("year", "month", "day", "date"))
    if not is_time and wh != "where":
        return None
    if own:
        return value
    if before in _PREPOSITIONS | {"until", "since", "around", "circa"} and before not in (
        "to",
        "of",
    ):
        return f"{before} {value}"
    if is_time and re.match(r"\d{1,2} [A-Z]|[A-Z][a-z]+ \d|[A-Z]\w+day\b", value):
        return f"on {value}"
    return f"in {value}"


def without_do(statement: str) -> str:
    """Return "The kale does survive frost." as "The kale survives frost."; denials as they are."""
    tags = {"did": "VBD", "does": "VBZ", "do": "VBP"}

    def told(match: re.Match[str]) -> str:
        return _inflected(match[2], tags[match[1]]) if "VB" in _forms(match[2]) else match[0]

    return re.sub(r"\b(did|does|do) (?!not\b)([a-z]+)", told, statement, count=1)


def _is_finite(words: list[str], i: int) -> bool:
    """Whether a word after the question word is its verb: "which company BUILT the tower"."""
    word = words[i].lower()
    if not word.isalpha() or words[i][0].isupper() or word in _NEVER_VERB:
        return False
    tags = _forms(word)
    follows = words[i + 1] if i + 1 < len(words) else ""
    return bool(tags & {"VBD", "VBZ"}) and (not follows or _opens_phrase(follows))


def _verb_place(words: list[str]) -> int | None:
    """Return where the base form stands after "did": best before a new phrase, or at the end."""
    likely = [i for i in range(1, len(words)) if _may_be_verb(words, i)]
    sure = [i for i in likely if i + 1 == len(words) or _opens_phrase(words[i + 1])]
    return next(iter([*sure, *likely]), None)


def _may_be_verb(words: list[str], i: int) -> bool:
    word, before = words[i].lower(), words[i - 1]
    if words[i][0].isupper() or word in _NEVER_VERB or "VB" not in _forms(word):
        return False
    if before.lower() in _DETERMINERS | (_PREPOSITIONS - {"to"}) or before.endswith("'s"):
        return False
    after = words[i + 1].lower() if i + 1 < len(words) else ""
    return word in _LIGHT or after in _NEVER_VERB or "VB" not in _forms(after)


def _opens_phrase(word: str) -> bool:
    return word.lower() in _NEVER_VERB or not word[0].islower() or word.endswith("ly")


def _participle_place(words: list[str]) -> int | None:
    """Return where a past participle or an -ing form stands, the subject before it."""
    for i, word in enumerate(words):
        if word in _NEVER_VERB or not word.isalpha():
            continue
        before = words[i - 1] if i else ""
        if before in _DETERMINERS | _PREPOSITIONS or before.endswith("'s"):
            continue
        if word.endswith(("ed", "ing", "en")) and _forms(word) & {"VBN", "VBG"}:
            return i
        if word in _IRREGULAR and (i == len(words) - 1 or words[i + 1] in _PREPOSITIONS):
            return i
    return None


_IRREGULAR = set(
    "built made held found sold born known won lost sent kept led left meant paid said seen shown"
    " set taught told worn put begun done gone cut shot struck thought brought bought".split()
)


@cache
def _forms(word: str) -> frozenset[str]:
    """Return the Penn tags that the word may have as a verb."""
    found = set()
    for lemma in getAllLemmas(word, upos="VERB").get("VERB", ()):
        if lemma == word:
            found |= {"VB", "VBP"}
        found |= {tag for tag in ("VBD", "VBZ", "VBN", "VBG") if word in getInflection(lemma, tag)}
    return frozenset(found)


def _inflected(verb: str, tag: str) -> str:
    if verb == "have":
        return {"VBD": "had", "VBZ": "has", "VBP": "have"}[tag]
    if verb == "be":
        return {"VBD": "was", "VBZ": "is", "VBP": "are"}[tag]
    return verb if tag == "VBP" else (getInflection(verb, tag) or (verb,))[0]


def _sentence(text: str) -> str:
    text = re.sub(r"\s+([,.;])", r"\1", text).strip().rstrip(".,;")
    text = re.sub(r"\b(\w+) \1\b", r"\1", text)
    return text[0].upper() + text[1:] + "."
