# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""Whether a sentence states anything that a fact could support.

In: one sentence. Out: False for greetings, thanks, offers of help, questions, announcements of
what follows ("Here is what I found."), apologies, labels and bare marks; True for all else. An
unchecked false statement costs more than an unneeded check, so doubt means True. The phrases are
data, per language: `data/check_worthiness.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files

from toulmin.text.scripts import GREEK, HAN, KANA, PICTOGRAPHS

_DATA = tomllib.loads(
    files("toulmin.grounding").joinpath("data/check_worthiness.toml").read_text(encoding="utf-8")
)
_SLOT = r"[^\d,;:.!?。！？、，،।]{0,60}"
_MAX_EMPTY_CHARS = 300
"""A longer sentence is not a mere phrase; it also bounds the work of the expressions."""


def _phrases(key: str) -> frozenset[str]:
    listed = (str(table[key]).replace("\n", "|").split("|") for table in _DATA.values())
    return frozenset(phrase.strip() for phrases in listed for phrase in phrases if phrase.strip())


def _alternatives(phrases: frozenset[str]) -> str:
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))


def _empty_patterns() -> Iterator[str]:
    for table in _DATA.values():
        for pattern in table["empty"]:
            # A callable keeps the back slashes of the slot as they are.
            yield re.sub(r"\(\?:~\)|~", lambda _: _SLOT, str(pattern))


_OPENERS = _phrases("openers")
_LEADS = _phrases("leads")
_LABELS = _phrases("labels")
_OPENING = re.compile(
    rf"(?:{_alternatives(_OPENERS | _LEADS)})(?:\s*[,.!:;、，،。！।：—–-]+\s*)(?=\S)"
)
_EMPTY = re.compile("|".join(f"(?:{pattern})" for pattern in _empty_patterns()))
_MARKUP = re.compile(rf"[*_`~]{{1,3}}|[{PICTOGRAPHS}\u200b\ufeff]")
_BULLET = re.compile(r"(?:[-+•‣◦▪●○■□–—·・※>#|]\s*)+|\(?(?:\d{1,3}|[a-z])[.)]\s+(?=\S)")
_BARE_MARK = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})\)|\[[^\]]{0,20}\]|[A-Za-z]\.")
_BARE_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_QUESTION = re.compile(rf"(?:[?？؟՞፧]|[{GREEK}][;\u037e])[\s!！.\"'”’»›)\]」』）]*\Z")
_REPORTED = re.compile(r"\A[^\"“«「`'‘]{8,}[\"“«「`'‘].*[?？][\s.]*[\"”»」'’][\s.]*\Z", re.DOTALL)
"""A statement that ends with a question in quotation marks: She asked, "Who?"."""
_JAPANESE_QUESTION = re.compile(r"(?:です|ます|ました|でした|でしょう|ません)か[。.]?\Z")
_TRAILING = " \t\n\r.!。！…,，、،;；।—–-\"'”’»)」』）"
_LEFT_OUT = re.compile("[\u0307\u064b-\u0652\u0640\u093c]")
"""What writers may leave out: the dot of a Turkish capital İ, Arabic vowels, the Hindi nukta."""
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|did|does|won|made|became|ist|sind|war|waren|hat|"
    r"es|son|fue|era|est|sont|était|a été|è|sono|fu|foi|são|é)\b"
)
_MAX_LABEL_WORDS = 4
_MAX_HEADING_WORDS = 12
_MAX_LABEL_CJK = 8
_CJK = re.compile(f"[{KANA}{HAN}]")


def needs_check(sentence: str) -> bool:
    """Return whether a sentence states something that a fact could support.

    Args:
        sentence: One sentence, verbatim, as `split_sentences` yields it.
    """
    stripped = sentence.strip()
    if len(stripped) > _MAX_EMPTY_CHARS:
        return True
    if _BARE_MARK.fullmatch(stripped) or _BARE_URL.fullmatch(stripped):
        return False
    bare = _without_markup(stripped)
    if not any(char.isalnum() for char in bare):
        return False
    if _QUESTION.search(bare) or _JAPANESE_QUESTION.search(bare):
        return _REPORTED.match(bare) is not None
    plain = _normalised(bare)
    if stripped.startswith("#") and _is_label(plain, limit=_MAX_HEADING_WORDS):
        return False
    return not _says_nothing(plain)


def _without_markup(sentence: str) -> str:
    bare = _MARKUP.sub("", sentence).strip()
    bullet = _BULLET.match(bare)
    return bare[bullet.end() :].strip() if bullet else bare


def _normalised(sentence: str) -> str:
    folded = " ".join(_LEFT_OUT.sub("", sentence.casefold()).replace("’", "'").split())
    return folded.strip(_TRAILING + "¡¿\"'“«（(")


def _says_nothing(plain: str) -> bool:
    """Whether a normalised sentence is only phrases; a trailing colon is still on it."""
    announces = plain.endswith((":", "："))
    plain = plain.rstrip(":： ")
    if not plain or _is_phrase(plain):
        return True
    rest = plain
    for _ in range(4):
        opening = _OPENING.match(rest)
        if not opening:
            break
        rest = rest[opening.end() :].lstrip("¡¿ ")
        if not rest or _is_phrase(rest):
            return True
    return announces and _is_label(rest, limit=_MAX_LABEL_WORDS)


def _is_phrase(plain: str) -> bool:
    return plain in _OPENERS or plain in _LABELS or _EMPTY.fullmatch(plain) is not None


def _is_label(plain: str, *, limit: int) -> bool:
    """Whether a line names a topic instead of stating something about it."""
    if any(char.isdigit() for char in plain) and limit == _MAX_LABEL_WORDS:
        return False
    if _CJK.search(plain):
        return len(plain) <= _MAX_LABEL_CJK
    return len(plain.split()) <= limit and not _FINITE.search(plain)
