"""RTF as tokens, and its bytes as characters.

The Rich Text Format, version 1.9.1: control words, groups, hexadecimal bytes, plain bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})?[ ]?"
    rb"|\\'([0-9a-fA-F]{2})"
    rb"|\\([^a-zA-Z])"
    rb"|([{}])"
    rb"|([^\\{}\r\n]+)"
)
CHARSETS = {
    0: "cp1252",
    2: "symbol",
    77: "mac-roman",
    78: "cp932",
    79: "cp949",
    80: "gb18030",
    81: "big5",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    255: "cp437",
}
"""Encodings of `\\fcharset`."""
_CODE_PAGES = {65001: "utf-8", 10000: "mac-roman", 10001: "cp932", 936: "gb18030", 1361: "johab"}


@dataclass(frozen=True, slots=True)
class Token:
    r"""One token.

    Attributes:
        kind: "word" (a control word), "symbol" (`\~` and the like), "byte" (`\'e4`), "text",
            "binary", "open" or "close" (of a group).
        name: Of a control word or symbol.
        value: Number behind a control word; None without one.
        data: Bytes of a text, a hexadecimal byte, or what `\bin` holds.
    """

    kind: str
    name: str = ""
    value: int | None = None
    data: bytes = b""


def tokens(content: bytes) -> Iterator[Token]:
    """Yield the tokens of a file; marks that are none are passed over."""
    at = 0
    while found := _TOKEN.search(content, at):
        at = found.end()
        word, value, byte, symbol, brace, text = found.groups()
        if word:
            number = int(value) if value else None
            yield Token("word", word.decode("ascii"), number)
            if word == b"bin" and number and number > 0:
                yield Token("binary", data=content[at : at + number])
                at += number
        elif byte:
            yield Token("byte", data=bytes.fromhex(byte.decode("ascii")))
        elif symbol:
            yield Token("symbol", symbol.decode("latin-1"))
        elif brace:
            yield Token("open" if brace == b"{" else "close")
        else:
            yield Token("text", data=text)


def code_page(number: int) -> str:
    r"""Return the encoding of `\ansicpg`; Windows' own for a page that Python does not have."""
    name = _CODE_PAGES.get(number, f"cp{number}")
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name


class Characters:
    """Collects bytes of changing encodings and UTF-16 units; gives them as text.

    Bytes of one encoding are decoded together, since a character may take two; so are surrogates.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._bytes = bytearray()
        self._encoding = ""

    def add_bytes(self, data: bytes, encoding: str) -> None:
        """Add bytes in an encoding."""
        if encoding != self._encoding:
            self._flush()
            self._encoding = encoding
        self._bytes += data

    def add(self, text: str) -> None:
        """Add characters, among them halves of surrogate pairs."""
        self._flush()
        self._parts.append(text)

    def take(self) -> str:
        """Return what was added since the last time."""
        self._flush()
        text = "".join(self._parts)
        self._parts.clear()
        if text.isascii():
            return text
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _flush(self) -> None:
        if not self._bytes:
            return
        if self._encoding == "symbol":  # pictures, whose bytes mean nothing as letters
            self._parts.append("".join(_SYMBOLS.get(byte, "") for byte in self._bytes))
        else:
            self._parts.append(self._bytes.decode(self._encoding, "replace"))
        self._bytes.clear()


_SYMBOLS = {0xB7: "\u2022", 0xA7: "\u2022", 0xA8: "\u2022", 0xD8: "\u2022", 0x20: " "} | {
    code: chr(code) for code in range(0x30, 0x3A)
}
"""What the symbol fonts have in common with text: bullets, spaces, digits."""
