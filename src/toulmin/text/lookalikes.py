# ruff: noqa: RUF001, RUF002 - look-alikes are the subject of this file.
"""Letters of other scripts that pass for Latin ones inside a Latin word, and what hides between.

A text goes in; the same text comes out with such letters put back, character for character, so
that offsets still hold. "nоt safe" with a Cyrillic "о" is read as "not safe". Whole words of
another script are left alone. The pairs are some of those that
Unicode's confusables table (UTS 39) has for the letters of English.
"""

from __future__ import annotations

import re

_CYRILLIC = "АВЕКМНОРСТХІЈЅаеорсухіјѕһԁԛԝ"
_CYRILLIC_AS = "ABEKMHOPCTXIJSaeopcyxijshdqw"
_GREEK = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοναιρυχ"
_GREEK_AS = "ABEZHIKMNOPTYXovaipux"
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF5B) if chr(code).isalnum()}
_TABLE = {
    **str.maketrans(_CYRILLIC, _CYRILLIC_AS),
    **str.maketrans(_GREEK, _GREEK_AS),
    **_FULL_WIDTH,
}
_MIXED_WORD = re.compile(r"[^\W\d_]+")
_STRANGE = re.compile("[" + "".join(chr(code) for code in _TABLE) + "]")
_FULL_WIDTH_RUN = re.compile("[\uff10-\uff5a]+")


def plain_letters(text: str) -> str:
    """Return `text` with look-alike letters replaced; as long as `text`.

    Only words that hold a Latin letter as well are changed, and runs of full-width letters and
    digits.
    """
    if text.isascii() or not _STRANGE.search(text):
        return text
    text = _FULL_WIDTH_RUN.sub(lambda run: run[0].translate(_FULL_WIDTH), text)
    return _MIXED_WORD.sub(_plain_word, text)


def _plain_word(word: re.Match[str]) -> str:
    if not any(character.isascii() for character in word[0]):
        return word[0]
    return word[0].translate(_TABLE)
