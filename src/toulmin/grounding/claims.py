# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""The claims of an answer: its sentences, which of them need a check, and what they lean on.

In: an answer. Out: claims that tile it in order. "It was released in 1997." cannot be checked
alone, so a claim that leans on earlier text (a pronoun before any name, an omitted subject, a
bare list item) carries that text as its context. A little too much context does no harm; too
little leaves a claim that no fact can support.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from importlib.resources import files

from toulmin.domain import Claim
from toulmin.grounding.check_worthiness import needs_check
from toulmin.text.scripts import HAN, KANA, LINE_BREAKS
from toulmin.text.sentences import STARTERS, split_sentences
from toulmin.text.tables import is_table_rule

_DATA = tomllib.loads(
    files("toulmin.grounding").joinpath("data/leaning.toml").read_text(encoding="utf-8")
)


def _words(key: str) -> tuple[str, ...]:
    return tuple(str(_DATA[key]).split())


MAX_CONTEXT_WORDS = 60
_MAX_CONTEXT_CHARS = 480
_MAX_CHAIN = 4
"""How many earlier texts a context may join: the first, which names the subject, and the last."""

_PRONOUNS = frozenset(_words("pronouns"))
_ARTICLES = frozenset(_words("articles"))
_COMPLEMENTS = frozenset(_words("complements"))
_FIRST_WORDS = frozenset(_words("first_words"))
_FIRST_ENDINGS = _words("first_endings")
_CJK_STARTS = _words("cjk_starts")
_TOPICS = _words("japanese_topics")
_STARTERS_FOLDED = frozenset(word.casefold() for word in STARTERS)
_PARTICIPLE = re.compile(r"[A-Z]\w{2,}ed (?:in|by|on|at|for|to|with|from|as)\b")
_WORD = re.compile(r"[^\W\d_][\w'’-]*|\d[\d.,]*")
_KANA = re.compile(f"[{KANA}]")
_HAN_KANA = re.compile(f"[{KANA}{HAN}]")
_ITEM = re.compile(
    r"(?:[-*+–—](?=\s)|[•‣◦▪●○■□·・※➢✓✔✅①-⑳]|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)](?=\s)"
    r"|\d{1,3}[、．])\s*"
)
_HEADING = re.compile(r"(#{1,6})[ \t]+")
_BOLD_LINE = re.compile(r"\*\*[^*\n]{1,80}\*\*:?")
_BOLD_LEVEL = 7
_SHORT_WORDS = 3
_LOOK_WORDS = 12


def split_claims(answer: str) -> list[Claim]:
    """Return the claims of an answer, in order.

    Together they hold every character that is not white space; `answer[start:end] == text`.

    Args:
        answer: Any text; it is not changed.
    """
    ranges = split_sentences(answer)
    reader = _Reader()
    claims = []
    for index, (start, end) in enumerate(ranges):
        text = answer[start:end]
        follows = (
            answer[ranges[index + 1][0] : ranges[index + 1][1]] if index + 1 < len(ranges) else ""
        )
        begins_line = index == 0 or _has_break(answer[ranges[index - 1][1] : start])
        required, context = reader.read(text, follows, begins_line=begins_line)
        claims.append(Claim(text, start, end, needs_check=required, context=context))
    return claims


def leans(text: str) -> bool:
    """Return whether a sentence needs earlier text to say what it is about.

    Args:
        text: One sentence, without list marker.
    """
    if _HAN_KANA.search(text):
        return _leans_cjk(text)
    words = [match.group() for match in _WORD.finditer(text[:400])][:_LOOK_WORDS]
    if len(words) <= _SHORT_WORDS:
        return True
    folded = [word.casefold().replace("’", "'") for word in words]
    if _leans_at_start(words, folded) or _PARTICIPLE.match(text):
        return True
    for index, word in enumerate(folded):
        if word in _PRONOUNS:
            return True
        if index and words[index][0].isupper():
            return False
        if not index and words[0][0].isupper() and word not in _STARTERS_FOLDED:
            return _adverb_first(text, words, folded)
    return False


def _leans_at_start(words: list[str], folded: list[str]) -> bool:
    first = folded[0]
    if first in _PRONOUNS or first in _FIRST_WORDS or first.endswith(_FIRST_ENDINGS):
        return True
    if first not in _ARTICLES or folded[2] in _COMPLEMENTS:
        return False
    return words[1][0].islower() or first in {"der", "die", "das"}


def _adverb_first(text: str, words: list[str], folded: list[str]) -> bool:
    """Whether "However, it ..." or "Later it ..." opens the sentence rather than a name."""
    after = text.find(words[0]) + len(words[0])
    return folded[1] in _PRONOUNS and (text[after : after + 1] == "," or words[1].islower())


def _leans_cjk(text: str) -> bool:
    bare = text.lstrip("「『“（(・ 　")
    if bare.startswith(_CJK_STARTS):
        return True
    return bool(_KANA.search(text)) and not any(topic in text for topic in _TOPICS)


@dataclass(slots=True)
class _Reader:
    """What earlier sentences of the answer left behind for the next one."""

    chain: tuple[str, ...] = ()  # texts that resolve the next sentence if it leans
    lead_in: tuple[str, ...] = ()  # texts that the items of the current list complete
    header: str = ""  # first row of the current table
    levels: list[int] = field(default_factory=list)  # levels of the open headings
    in_list: bool = False

    def read(self, text: str, follows: str, *, begins_line: bool) -> tuple[bool, str]:
        """Return whether the sentence needs a check, and its context."""
        if begins_line:
            if text.startswith("|"):
                return self._read_row(text, follows)
            self.header = ""
            heading = _HEADING.match(text)
            if heading or _BOLD_LINE.fullmatch(text):
                return self._read_heading(text, len(heading.group(1)) if heading else _BOLD_LEVEL)
            item = _ITEM.match(text)
            if item and item.end() < len(text):
                return self._read_item(text, text[item.end() :])
            self.in_list = False
        return self._read_prose(text)

    def _read_prose(self, text: str) -> tuple[bool, str]:
        required = needs_check(text)
        plain = _plain(text)
        chain = self.chain if self.chain and leans(plain) else ()
        if required or _names_something(plain):
            self._remember(chain, plain)
        if text.endswith((":", "：")):
            self.lead_in = _shorten((*chain, plain))
        elif not self.in_list:
            self.lead_in = ()
        return required, _joined(chain) if required else ""

    def _read_item(self, text: str, body: str) -> tuple[bool, str]:
        self.in_list = True
        required = needs_check(text)
        plain = _plain(body)
        chain = self.lead_in or (self.chain if leans(plain) else ())
        if required:
            after = self.chain
            self._remember(chain, plain)
            if not self.lead_in and len(plain.split()) <= _SHORT_WORDS:
                self.chain = after  # the next bare item completes the same text, not this item
        return required, _joined(chain) if required else ""

    def _read_row(self, text: str, follows: str) -> tuple[bool, str]:
        if is_table_rule(text):
            return False, ""
        plain = _plain(text)
        if not self.header:
            self.header = plain
            if is_table_rule(follows):
                return False, ""
            return needs_check(text), ""
        context = _shorten((*self.chain[:1], self.header))
        return needs_check(text), _joined(context)

    def _read_heading(self, text: str, level: int) -> tuple[bool, str]:
        required = needs_check(text)
        plain = _plain(text)
        while self.levels and self.levels[-1] >= level:
            self.levels.pop()
        if not self.levels:
            self.chain = ()
        self.levels.append(level)
        self.in_list = False
        self._remember(self.chain, plain if plain[-1:] in ":.?!" else f"{plain}:")
        self.lead_in = self.chain
        return required, ""

    def _remember(self, chain: tuple[str, ...], plain: str) -> None:
        self.chain = _shorten((*chain, plain))


def _names_something(plain: str) -> bool:
    """Whether a sentence that needs no check still says what the answer is about."""
    if _HAN_KANA.search(plain):
        return plain.endswith(("?", "？", ":", "："))
    return plain.endswith(("?", ":")) or any(
        word.group()[0].isupper() and word.group() not in {"I", "I'm", "AI"}
        for word in list(_WORD.finditer(plain))[1:]
    )


def _shorten(chain: tuple[str, ...]) -> tuple[str, ...]:
    return chain if len(chain) <= _MAX_CHAIN else (chain[0], *chain[1 - _MAX_CHAIN :])


def _joined(chain: tuple[str, ...]) -> str:
    """Return the texts as one, oldest first, leaving out middle ones beyond the limit."""
    if not chain:
        return ""
    kept = [_cut(chain[0])]
    words = len(kept[0].split())
    chars = len(kept[0])
    later: list[str] = []
    for text in reversed(chain[1:]):
        words += len(text.split())
        chars += len(text) + 1
        if words > MAX_CONTEXT_WORDS or chars > _MAX_CONTEXT_CHARS:
            break
        later.append(text)
    return " ".join(kept + later[::-1])


def _cut(text: str) -> str:
    return " ".join(text.split()[:MAX_CONTEXT_WORDS])[:_MAX_CONTEXT_CHARS].rstrip()


def _plain(text: str) -> str:
    """Return a sentence without Markdown and with single spaces."""
    marker = _HEADING.match(text) or _ITEM.match(text)
    body = text[marker.end() :] if marker and marker.end() < len(text) else text
    return " ".join(body.replace("**", "").replace("__", "").replace("`", "").split())


def _has_break(space: str) -> bool:
    return any(char in LINE_BREAKS for char in space)
