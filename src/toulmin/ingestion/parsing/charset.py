"""Bytes -> text, in whatever encoding: byte order mark, UTF-8, what is declared, then a guess."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter

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
_SEVEN_BIT = re.compile(r"iso-?2022|utf-?7|hz(?:gb2312)?$")
"""Encodings whose bytes are all ASCII, so that they would be taken for UTF-8."""
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]")
_XML_DECLARATION = re.compile(r"\s*<\?xml\s[^>]{0,200}\?>")
_NAMES = {
    "ansi": "cp1252",
    "cp-850": "cp850",
    "gb2312": "gb18030",  # what calls itself so has characters of its successors, too
    "gbk": "gb18030",
    "iso-8859-1": "cp1252",  # as browsers and mail programs read it
    "iso-8859-6-i": "iso-8859-6",
    "iso-8859-8-e": "iso-8859-8",
    "iso-8859-8-i": "iso-8859-8",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "latin1": "cp1252",
    "macintosh": "mac-roman",
    "shift_jis": "cp932",
    "unicode": "utf-16",
    "unicode-1-1-utf-7": "utf-7",
    "us-ascii": "cp1252",
    "utf8mb4": "utf-8",
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "windows-949": "cp949",
    "x-mac-ce": "mac-latin2",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-mac-greek": "mac-greek",
    "x-mac-roman": "mac-roman",
    "x-mac-turkish": "mac-turkish",
    "x-sjis": "cp932",
}
"""Names that Python's codecs do not know, or take more narrowly than those who use them."""


def decode(content: bytes, declared: str = "") -> tuple[str, str]:
    """Return the text and the name of its encoding.

    In this order: a byte order mark; UTF-16 or UTF-32 without one, told by its zero bytes; a
    declared or plain encoding of seven bits (ISO-2022-JP and the like); UTF-8 when all of it is
    valid; the declared encoding; charset-normalizer's guess from the first and last 16 KiB. Bytes
    that the encoding lacks become U+FFFD.

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
    declared = known_name(declared)
    if _SEVEN_BIT.match(declared) or _ISO_2022_JP.search(content, 0, _SAMPLE):
        seven = declared if _SEVEN_BIT.match(declared) else "iso2022_jp_2"
        if seven_text := _exact(content, seven):
            return seven_text, codecs.lookup(seven).name
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        if error.start >= len(content) - 3 or _is_nearly_utf8(content):
            return content.decode("utf-8", "replace"), "utf-8"
    for encoding in (declared, _guess(content)):
        text = _exact(content, encoding)
        if text is not None:
            return text, codecs.lookup(encoding).name
    return content.decode(_FALLBACK, "replace"), _FALLBACK


def known_name(encoding: str) -> str:
    """Return the name by which Python's codecs know an encoding; an unknown one as it is."""
    name = encoding.strip().strip("\"'").lower()
    return _NAMES.get(name, name)


def narrow(content: bytes) -> tuple[bytes, str]:
    """Return UTF-16 and UTF-32 as UTF-8, and the name of the encoding; else the bytes and "".

    An XML declaration is left out: it names the encoding that the bytes no longer have.
    """
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), "")
    if marked == "utf-8" or not (marked or _wide_encoding(content)):
        return content, ""
    text, encoding = decode(content)
    text = _XML_DECLARATION.sub("", text, count=1) if _XML_DECLARATION.match(text) else text
    return text.encode("utf-8", "replace"), encoding


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
    """Return "utf-16-le", "utf-32-be" or the like when the zero bytes of a sample show it."""
    sample = content[:2048]
    if len(sample) < 8 or b"\0" not in sample:
        return ""
    if len(content) % 4 == 0:
        for encoding, top, next_to_top in (("utf-32-le", 3, 2), ("utf-32-be", 0, 1)):
            if not any(sample[top::4]) and max(sample[next_to_top::4]) <= 0x10:
                return encoding
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > 0.7 * half and even < 0.1 * half:
        return "utf-16-le"
    if even > 0.7 * half and odd < 0.1 * half:
        return "utf-16-be"
    fits = [name for name in ("utf-16-le", "utf-16-be") if _is_plain(sample, name)]
    return fits[0] if len(fits) == 1 and len(content) % 2 == 0 else ""


def _is_plain(sample: bytes, encoding: str) -> bool:
    """Return whether a sample is text in an encoding: assigned characters, with ASCII among them.

    Text of other scripts has few zero bytes: those of its spaces, digits and line ends. Its first
    and second bytes differ as ASCII text's, which may hold a zero byte too, do not.
    """
    first, second = Counter(sample[::2]), Counter(sample[1::2])
    if (first & second).total() * 2 > first.total():
        return False
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return False
    odd = sum(
        char not in "\t\n\r\f" and unicodedata.category(char) in ("Cc", "Cn", "Co", "Cs")
        for char in text
    )
    return odd * 200 <= len(text) and any(char in " \n0123456789" for char in text)


def _exact(content: bytes, encoding: str) -> str | None:
    """Return the text when every byte fits the encoding and Python has it."""
    try:
        return content.decode(encoding)
    except (LookupError, UnicodeDecodeError, ValueError):
        return None


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
