"""Bytes -> text, in whatever encoding: byte order mark, UTF-8, what is declared, then a guess."""

from __future__ import annotations

import codecs

from charset_normalizer import from_bytes

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 32 * 1024
"""How many bytes a guess looks at."""
_FALLBACK = "cp1252"


def decode(content: bytes, declared: str = "") -> tuple[str, str]:
    """Return the text and the name of its encoding.

    In this order: a byte order mark; UTF-16 without one, told by its zero bytes; UTF-8 when all of
    it is valid; the declared encoding; charset-normalizer's guess from the first and last
    16 KiB. Bytes that the encoding lacks become U+FFFD.

    Args:
        content: The bytes.
        declared: An encoding that a header or the file itself names; "" for none.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace"), encoding
    wide = _wide_encoding(content)
    if wide:
        return content.decode(wide, "replace"), wide
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        if error.start >= len(content) - 3 or _is_nearly_utf8(content):
            return content.decode("utf-8", "replace"), "utf-8"
    for encoding in (declared, _guess(content)):
        try:
            return content.decode(encoding), codecs.lookup(encoding).name
        except (LookupError, UnicodeDecodeError, ValueError):
            continue
    return content.decode(_FALLBACK, "replace"), _FALLBACK


def is_text(content: bytes) -> bool:
    """Return whether the bytes could be text: almost no control characters in the first 8 KiB."""
    sample = content[:8192]
    if not sample or any(sample.startswith(mark) for mark, _ in _MARKS) or _wide_encoding(content):
        return True
    if b"\0" in sample:
        return False
    control = sum(byte < 32 and byte not in b"\t\n\v\f\r\x1b" for byte in sample)
    return control <= len(sample) // 100


def _wide_encoding(content: bytes) -> str:
    """Return "utf-16-le" or "-be" when every other byte of a sample is mostly zero."""
    sample = content[: 2048 & ~1]
    if len(sample) < 8 or b"\0" not in sample:
        return ""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > 0.7 * half and even < 0.1 * half:
        return "utf-16-le"
    if even > 0.7 * half and odd < 0.1 * half:
        return "utf-16-be"
    return ""


def _is_nearly_utf8(content: bytes) -> bool:
    """Return whether the text is UTF-8 but for a few damaged bytes."""
    text = content[: 1 << 20].decode("utf-8", "replace")
    wide = sum(char > "\x7f" for char in text)
    return text.count("\ufffd") * 20 < wide


def _guess(content: bytes) -> str:
    half = _SAMPLE // 2
    sample = content if len(content) <= _SAMPLE else content[:half] + content[-half:]
    best = from_bytes(sample).best()
    return best.encoding if best else _FALLBACK
