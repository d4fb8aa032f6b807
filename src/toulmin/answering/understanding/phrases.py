# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""What an English question or a short answer speaks of: its noun phrases, found by closed lists.

No tagger: function words, prepositions, auxiliaries and the commonest verbs are lists
(`word_lists.py`); what stands between them is a noun phrase. "Where did the Black Death
enter Europe?" gives "the Black Death" (the subject) and "Europe" (a name after the verb).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from toulmin.answering.understanding.word_lists import words_of
from toulmin.retrieval.frequencies import word_frequencies
from toulmin.stores.index.analysis import word_analyzer

_ASKING = words_of("en", "asking")
_AUXILIARY = words_of("en", "auxiliary")
_DETERMINERS = words_of("en", "determiners")
_PREPOSITIONS = words_of("en", "prepositions")
_FUNCTION = words_of("en", "function") | words_of("en", "pronouns")
_VERBS = words_of("en", "verbs")
_ADJECTIVES = words_of("en", "adjectives")
_NOUN_VERBS = words_of("en", "noun_verbs")
_BE = frozenset(["is", "are", "was", "were"])
_GOVERNING = words_of("en", "governing")
_ARTICLES = frozenset(["a", "an", "the"])
_CONTRACTIONS = {
    "'s": "is",
    "'re": "are",
    "'m": "am",
    "'d": "would",
    "'ll": "will",
    "'ve": "have",
    "s": "is",
}
"""Auxiliaries as they are glued to the word before; the last one without its mark: "whats"."""
_PERSONS = words_of("en", "persons")
_THINGS = words_of("en", "things")
_PLACE_PREPOSITIONS = frozenset(
    ["in", "at", "from", "near", "to", "into", "onto", "through", "across", "around"]
)
_LINKS = frozenset(
    [
        "of",
        "the",
        "de",
        "del",
        "della",
        "di",
        "da",
        "van",
        "von",
        "der",
        "bin",
        "ibn",
        "al",
        "and",
        "v",
        "vs",
        "for",
    ]
)
_WORD = re.compile(r"[^\W_]+(?:['’.&/-][^\W_]+)*")
_YEAR = re.compile(r"(?:1\d|20)\d\ds?|\d{3,4}")
_SINGULAR_ENDINGS = ("ss", "us", "is", "'s", "’s")
_RARE = 15
_QUOTES = " \"'“”‘’\t\n"
_NO_END = f"{_QUOTES}(,"
_PARTICIPLE = re.compile(r"\w{2,}[^eu]ed")


@dataclass(frozen=True, slots=True)
class Token:
    """A word.

    Attributes:
        text: As it is written.
        start: First character.
        end: One past the last.
        kind: What it is: see `_class_of`.
        joined: Whether nothing but white space or a quotation mark is before it.
    """

    text: str
    start: int
    end: int
    kind: str
    joined: bool = True

    @property
    def folded(self) -> str:
        """Lower case, with a straight apostrophe; an auxiliary in full: "is" for "'s"."""
        folded = _folded(self.text)
        return _CONTRACTIONS.get(folded, folded) if self.kind == "a" else folded

    @property
    def glued(self) -> bool:
        """Whether it is the auxiliary in "what's"."""
        return self.kind == "a" and _folded(self.text) in _CONTRACTIONS


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase of a text.

    Attributes:
        text: Its words, without a preposition before it.
        start: First character.
        end: One past the last.
        name: Whether it holds a name.
        subject: Whether it follows an auxiliary at once ("did the Normans ...").
        asked: Whether it belongs to the asking words ("which river", "how many trees").
        after: The preposition before it; empty: none.
    """

    text: str
    start: int
    end: int
    name: bool = False
    subject: bool = False
    asked: bool = False
    after: str = ""

    @property
    def plural(self) -> bool:
        """Whether its head has the form of a plural."""
        head = re.split(r" (?:of|in|for|from) ", self.text)[0].split()[-1].casefold()
        return head in {"people", "men", "women", "children"} or (
            head.endswith("s") and not head.endswith(_SINGULAR_ENDINGS) and not head[:1].isdigit()
        )

    @property
    def person(self) -> bool:
        """Whether it may be the name of a person."""
        words = self.text.split()
        last = words[-1].casefold()
        return (
            self.name
            and words[0][:1].isupper()
            and last not in _THINGS
            and all(word[:1].isupper() or word in _LINKS for word in words)
            and not any(word.casefold() in {"of", "the"} for word in words[:1])
            and self.after not in _PLACE_PREPOSITIONS
        )

    @property
    def place(self) -> bool:
        """Whether it stands where a place does."""
        return self.name and self.after in _PLACE_PREPOSITIONS

    @property
    def year(self) -> bool:
        """Whether it is a year and nothing else."""
        return bool(_YEAR.fullmatch(self.text))

    @property
    def key(self) -> frozenset[str]:
        """Its words, to compare phrases."""
        return frozenset(content_words(self.text))


def tokens(text: str) -> list[Token]:
    """Return the words of an English text; "what's" is two."""
    found: list[Token] = []
    for match in _WORD.finditer(text):
        gap = text[found[-1].end : match.start()] if found else "."
        fresh = gap.strip(_NO_END) != ""
        joined = not gap.strip(_QUOTES)
        middle = match.start() + _length_before_auxiliary(match.group())
        word = text[match.start() : middle]
        kind = _class_of(word, fresh=fresh)
        found.append(Token(word, match.start(), middle, kind, joined))
        if middle < match.end():
            found.append(Token(text[middle : match.end()], middle, match.end(), "a"))
    return [_settled(found, place) for place in range(len(found))]


def _length_before_auxiliary(word: str) -> int:
    """Return the length of "what" in "what's", "whats"; all of it where no auxiliary is glued.

    Only behind words that ask: many write "it's" for "its".
    """
    head, mark, rest = _folded(word).partition("'")
    if mark and head in _ASKING and f"'{rest}" in _CONTRACTIONS:
        return len(head)
    return len(word) - (not mark and head[:-1] in _ASKING and head.endswith("s"))


def _folded(text: str) -> str:
    return text.casefold().replace("’", "'")


def _settled(words: list[Token], place: int) -> Token:
    """Return a word that begins a sentence as a common one unless a name goes on after it."""
    token = words[place]
    if token.kind != "C" or (place and not token.text[1:].islower()) or token.text.endswith("'s"):
        return token
    begins = place == 0 or not words[place - 1].joined
    after = words[place + 1] if place + 1 < len(words) else None
    alone = after is None or not after.joined or after.kind in "nd"
    if after is not None and after.folded in _LINKS and words[place + 2 : place + 3]:
        alone = alone and words[place + 2].kind != "C"
    return replace(token, kind="n") if place == 0 and begins and alone and after else token


def _class_of(word: str, *, fresh: bool) -> str:
    """Return w(h), a(uxiliary), d(eterminer), p(reposition), o(ther), v(erb), y(ear), C(apital), n.

    Args:
        word: The word.
        fresh: Whether it begins a sentence, where a capital says nothing.
    """
    folded = _folded(word)
    if word[0].isdigit():
        return "y"
    if word[0].isupper() and not fresh and word != "I":
        return "C"
    for kind, words in (
        ("w", _ASKING),
        ("a", _AUXILIARY),
        ("d", _DETERMINERS),
        ("p", _PREPOSITIONS),
        ("o", _FUNCTION),
    ):
        if folded in words:
            return kind
    if folded in _VERBS or (word.islower() and _PARTICIPLE.fullmatch(word)):
        return "v"
    if word[0].isupper():
        return "C"
    return "o" if folded.endswith("ly") and len(folded) > 4 else "n"


@functools.lru_cache(4096)
def content_words(text: str) -> tuple[str, ...]:
    """Return the words that say what a text is about, in lower case, without plural and "'s"."""
    found = []
    for token in tokens(text):
        folded = token.folded
        lower = _class_of(folded, fresh=True)
        if (
            lower in "nyC"
            or (token.kind == "C" and lower == "v")
            or (lower == "v" and len(folded) > 4)
        ):
            found.append(stem(folded))
    return tuple(found)


def is_rare(word: str) -> bool:
    """Return whether a word is so rare in English texts that it names a topic by itself."""
    counts = word_frequencies()
    return all(counts.count(term) < _RARE for term in word_analyzer().analyze(word))


def stem(word: str) -> str:
    """Return a word in lower case without the endings that often differ."""
    word = word.removesuffix("'s").removesuffix("'")
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def phrases(text: str) -> list[Phrase]:
    """Return the noun phrases of an English text, in order."""
    return [_phrase(text, run, before, asked=asked) for run, before, asked in _runs(tokens(text))]


def _phrase(text: str, run: list[Token], before: Token | None, *, asked: bool) -> Phrase:
    start, end = run[0].start, run[-1].end
    return Phrase(
        text[start:end],
        start,
        end,
        name=any(token.kind == "C" for token in run),
        subject=before is not None and before.kind == "a",
        asked=asked,
        after=before.folded if before is not None and before.kind == "p" else "",
    )


def _runs(words: list[Token]) -> Iterator[tuple[list[Token], Token | None, bool]]:
    """Yield the tokens of each phrase, the token before it, and whether it is asked for."""
    at = 0
    while at < len(words):
        end = _end_of_phrase(words, at)
        if end == at:
            at += 1
            continue
        before = words[at - 1] if at else None
        asked = before is not None and (
            before.kind == "w" or (before.kind in "od" and at > 1 and words[at - 2].kind == "w")
        )
        run = words[at:end]
        if asked and len(run) == 1 and run[0].folded in _ADJECTIVES:
            at = end
            continue
        yield (
            run,
            before,
            asked or (words[at].kind == "d" and before is not None and before.kind == "w"),
        )
        at = end


def _end_of_phrase(words: list[Token], at: int) -> int:
    """Return the place after the phrase that begins at `at`; `at` itself: none begins."""
    end = at
    determined = words[at].kind == "d"
    if determined:
        end += 1
    first = end
    while end < len(words) and _goes_on(words, first, end, determined=determined):
        end += 1
    if end == first or all(token.folded in _ADJECTIVES for token in words[first:end]):
        return at
    if end + 1 < len(words) and words[end].folded == "of":
        rest = _end_of_phrase(words, end + 1)
        if rest > end + 1:
            return rest
    return end


def _goes_on(words: list[Token], first: int, end: int, *, determined: bool) -> bool:
    """Return whether the word at `end` belongs to the phrase whose words begin at `first`."""
    token = words[end]
    before = words[end - 1] if end > first else None
    if not token.joined and (before is not None or determined):
        return False
    if token.kind == "C":
        return before is None or before.kind in "Cy" or determined or before.text[0].islower()
    if token.kind == "v":
        return _is_noun_here(words, first, end, determined=determined)
    if token.folded in _ADJECTIVES and before is not None:
        return end + 1 < len(words) and words[end + 1].kind in "nC"
    if token.folded in _LINKS or token.kind not in "ny":
        return before is not None and _links(words, end, determined=determined)
    if token.kind == "n" and before is not None and before.kind == "C":
        # "did Kublai Khan besiege": a bare name and then a word in its plain form is a verb.
        return determined or before.text.endswith(("'s", "’s")) or token.folded.endswith("s")
    return True


def _is_noun_here(words: list[Token], first: int, at: int, *, determined: bool) -> bool:
    """Return whether a word of the list of verbs is a noun: "Baran's work", "an Islamic state"."""
    article = words[first - 1].folded if determined else ""
    if at == first:
        # Nothing but a noun or what belongs to one is right behind "a" or "the".
        return article in _ARTICLES or (
            determined and at + 1 < len(words) and words[at + 1].kind == "n"
        )
    before = words[at - 1]
    if determined and words[at].folded in _NOUN_VERBS and _has_its_verb(words, first, at):
        return True
    return before.text.endswith(("'s", "’s")) or (before.kind == "C" and article in {"a", "an"})


def _has_its_verb(words: list[Token], first: int, at: int) -> bool:
    """Return whether the word at `at` cannot be the verb of its clause, as another one is.

    That is "be" ("What is the price of a day pass?"), a verb right behind ("What does a gym visit
    include?") or one before, of which the phrase is the object ("Where do I buy a day pass?") and
    not the subject of a verb of its own ("What makes the heart work?", "Who says the rates rise?").
    A fragment has none ("The phone plan?").
    """
    auxiliaries = [token for token in words[:first] if token.kind == "a"]
    if auxiliaries and all(token.folded in _BE for token in auxiliaries):
        return True
    after = words[at + 1] if at + 1 < len(words) else None
    if after is not None and after.kind == "v" and after.joined:
        return words[at].folded not in _GOVERNING
    verbs = [token for token in words[:first] if token.kind == "v"]
    return verbs[-1].folded not in _GOVERNING if verbs else not auxiliaries


def _links(words: list[Token], at: int, *, determined: bool) -> bool:
    """Return whether the word at `at` joins two names: "Marin de la Malgue"."""
    before, word = words[at - 1], words[at].folded
    after = words[at + 1 : at + 4]
    if word not in _LINKS or not after or (before.kind != "C" and before.folded not in _LINKS):
        return False
    if word == "and":  # "the French and Indian War"
        return determined and any(token.folded in _THINGS for token in after)
    if word in {"of", "the", "for"}:
        return word == "for" and determined and after[0].kind == "C"
    return after[0].kind == "C" or (len(after) > 1 and after[0].folded in _LINKS)
