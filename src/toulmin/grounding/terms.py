"""One spelling for words that mean the same, and how much a word tells.

A folded word (`toulmin.text.words`) becomes a *term*: plurals and verb endings go (light
English stemming), irregular forms and spelt-out numbers are looked up, numbers get one notation.
Accents are gone already. What is left of other languages' endings stays: cutting them more boldly
made different names equal (Mario, Maria).
"""

from __future__ import annotations

import functools
import json
import re
import tomllib
from importlib.resources import files

from toulmin.text.scripts import is_hiragana

_SHORT_WORD_WEIGHT = 0.3
_STOPWORD_WEIGHT = 0.05
_UNKNOWN_PAIR_WEIGHT = 0.8
_KANA_PAIR_WEIGHT = 0.15

_DATA = tomllib.loads(
    files("toulmin.grounding").joinpath("data/words.toml").read_text(encoding="utf-8")
)


def word_list(key: str) -> frozenset[str]:
    """Return a list of `data/words.toml`."""
    return frozenset(str(_DATA[key]).split())


STOPWORDS = word_list("stopwords")
NEGATIONS = word_list("negations")
_NUMBERS = {word: str(value) for value, word in enumerate(_DATA["numbers"].split()) if word != "."}
_TENS = {word: str(value * 10) for value, word in enumerate(_DATA["tens"].split(), start=3)}
_ORDINALS = {pair.split(":")[1]: pair.split(":")[0] for pair in _DATA["ordinals"].split()}
_SAME_AS = {form: word for word, forms in _DATA["same_as"].items() for form in forms.split()}
_WHOLE_WORDS: dict[str, str] = _NUMBERS | _TENS | _ORDINALS | _SAME_AS
_VOWEL = re.compile("[aeiouy]")
_DOTTED_THOUSANDS = re.compile(r"[1-9]\d{0,2}(\.\d{3})+")


def is_number(term: str) -> bool:
    """Return whether `term` came from a number, in digits or spelt out."""
    return term[:1].isdigit()


@functools.lru_cache(maxsize=65_536)
def to_term(word: str) -> str:
    """Return the term of a folded word; words that should match get equal terms.

    The first three letters never change, except for spelt numbers and irregular forms.
    """
    whole = _WHOLE_WORDS.get(word)
    if whole is not None:
        return whole if whole[:1].isdigit() else _stem(whole)
    if any(c.isdigit() for c in word):
        return _plain_number(word)
    return _stem(word)


def is_content(term: str, *, unspaced: bool = False) -> bool:
    """Return whether `term` is a content word: no stopword, no pair of hiragana alone."""
    return not (is_hiragana(term) if unspaced else term in _stop_terms())


def irregular_words() -> list[str]:
    """Return the folded words whose terms do not share their first three letters."""
    return list(_WHOLE_WORDS)


def prior_weight(term: str, *, unspaced: bool = False) -> float:
    """Return how much a term tells before any fact is seen, in (0, 1]: 1 is rare."""
    if term in _stop_terms():
        return _STOPWORD_WEIGHT
    known = _term_weights().get(term)
    if known is not None:
        return known
    if unspaced:
        return _KANA_PAIR_WEIGHT if is_hiragana(term) else _UNKNOWN_PAIR_WEIGHT
    if len(term) <= 2 and not is_number(term):
        return _SHORT_WORD_WEIGHT
    return 1.0


def _stem(word: str) -> str:
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("sses") and len(word) > 4:  # its first three letters stay
        word = word[:-2]
    elif word[-1] == "s" and word[-2] not in "sui":
        word = word[:-1]
    word = _without_verb_ending(word)
    if len(word) > 3 and word[-1] in "ey":
        word = word[:-1] + ("i" if word[-1] == "y" else "")
    return word


def _without_verb_ending(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-2]
    for ending in ("ing", "ed"):
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) >= 3 and _VOWEL.search(base):
            if base[-1] == base[-2] and base[-1] not in "lsz" and len(base) > 3:
                base = base[:-1]
            return base
    return word


def _plain_number(word: str) -> str:
    """Return "1500" for "1,500" and "1.500", "1.5" for "1,5" and "1.50"."""
    if _DOTTED_THOUSANDS.fullmatch(word):
        return word.replace(".", "")
    head, comma, tail = word.rpartition(",")
    if comma and len(tail) != 3 and "," not in head:
        word = f"{head.replace('.', '')}.{tail}"
    word = word.replace(",", "")
    if "." in word and word.replace(".", "").isdigit() and word.count(".") == 1:
        word = word.rstrip("0").rstrip(".")
    return word


@functools.cache
def _stop_terms() -> frozenset[str]:
    return STOPWORDS | {_stem(word) for word in STOPWORDS}


@functools.cache
def _term_weights() -> dict[str, float]:
    file = files("toulmin.grounding").joinpath("data/term_weights.json")
    weights: dict[str, float] = json.loads(file.read_text(encoding="utf-8"))
    return weights
