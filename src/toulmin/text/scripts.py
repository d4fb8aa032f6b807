r"""The ranges of Unicode that rules of language are made of: each defined once, by its name.

A range is the inside of a character class of a regular expression: `rf"[{HAN}{KANA}]+"`. Two names
for nearly the same characters mean that rules differ there on purpose: `..._LETTERS` are those that
words are written with, the plain name is the whole block with its marks.
"""

from __future__ import annotations

import re
from typing import Final

LATIN: Final = "A-Za-z\u00c0-\u024f"
GREEK: Final = "\u0370-\u03ff\u1f00-\u1fff"
ALPHABETIC: Final = (
    "a-zA-Z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u0373\u0376-\u0377\u037b-\u037d\u037f"
    "\u0386\u0388-\u03ff\u0400-\u0481\u048a-\u052f\u0531-\u0556\u0561-\u0587\u10d0-\u10fa"
    "\u1e00-\u1fbc\u1fc2-\u1fcc\u1fd0-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ffc"
)
"""Where a word is a row of letters (Latin, Greek, Cyrillic, Armenian, Georgian), below U+FFFF."""

THAI_AND_LAO: Final = "\u0e00-\u0eff"
MYANMAR: Final = "\u1000-\u109f"
KHMER: Final = "\u1780-\u17ff"
SOUTH_EAST_ASIAN: Final = f"{THAI_AND_LAO}{MYANMAR}{KHMER}"

HIRAGANA: Final = "\u3041-\u309f"
HIRAGANA_LETTERS: Final = "\u3041-\u3096"
KATAKANA: Final = "\u30a0-\u30ff"
KATAKANA_LETTERS: Final = "\u30a1-\u30fa\u30fc"
KANA: Final = f"{HIRAGANA}{KATAKANA}"
KANA_LETTERS: Final = f"{HIRAGANA_LETTERS}{KATAKANA_LETTERS}"
KANA_EXTENSION: Final = "\u31f0-\u31ff"
HALF_WIDTH_KANA: Final = "\uff66-\uff9d"
HALF_WIDTH_SOUND_MARKS: Final = "\uff9e\uff9f"
SOUND_MARKS: Final = f"\u3099\u309a{HALF_WIDTH_SOUND_MARKS}"

HAN: Final = "\u3400-\u9fff"
HAN_LETTERS: Final = "\u3400-\u4dbf\u4e00-\u9fff"
HAN_COMPATIBILITY: Final = "\uf900-\ufaff"
HAN_SUPPLEMENT: Final = "\U00020000-\U0003ffff"
HAN_RADICALS: Final = "\u2e80-\u2fdf"
HAN_MARKS: Final = "\u3005-\u3007"
"""What repeats a letter, closes a text, and means zero."""

HANGUL: Final = "\uac00-\ud7af"
HANGUL_JAMO: Final = "\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff"
HALF_WIDTH_HANGUL: Final = "\uffa0-\uffdc"

EAST_ASIAN: Final = "\u2e80-\u9fff"
"""From the radicals to the last Han letter: kana and the marks of all three are in between."""

ACCENTS: Final = "\u0300-\u036f"
ARABIC_VOWELS: Final = "\u064b-\u065f"
COMBINING: Final = (
    f"{ACCENTS}\u0483-\u0489\u0591-\u05c7\u0610-\u061a{ARABIC_VOWELS}\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0966-\u0dff\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
)
PICTOGRAPHS: Final = "\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u2b55\ufe0f\u200d\u20e3"
LINE_BREAKS: Final = "\n\r\x0b\x0c\x85\u2028\u2029"

FIRST_UNSPACED: Final = "\u0e00"
"""From here on: scripts written without spaces, and Hangul."""
FIRST_EAST_ASIAN: Final = EAST_ASIAN[0]
"""From here on: scripts whose letters are as wide as they are high."""

_GREEK = re.compile(f"[{GREEK}]")
_HIRAGANA_ONLY = re.compile(f"[{HIRAGANA}]*")
_KATAKANA_ONLY = re.compile(f"[{KATAKANA}]*")


def is_cjk(char: str) -> bool:
    """Return whether a character is Chinese or Japanese (Han, kana, their punctuation)."""
    return (
        "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\uff01" <= char <= "\uff9f"
    )


def is_hangul(char: str) -> bool:
    """Return whether a character is a Hangul syllable."""
    return HANGUL[0] <= char <= HANGUL[-1]


def is_greek(char: str) -> bool:
    """Return whether a character is Greek; not for no character."""
    return _GREEK.match(char) is not None


def is_hiragana(word: str) -> bool:
    """Return whether all characters of a word are hiragana."""
    return _HIRAGANA_ONLY.fullmatch(word) is not None


def is_katakana(word: str) -> bool:
    """Return whether all characters of a word are katakana."""
    return _KATAKANA_ONLY.fullmatch(word) is not None


def code_ranges(script: str) -> list[tuple[int, int]]:
    """Return the first and the last code point of each range of a script."""
    found = re.finditer(r"(.)(?:-(.))?", script, re.DOTALL)
    return [(ord(match[1]), ord(match[2] or match[1])) for match in found]
