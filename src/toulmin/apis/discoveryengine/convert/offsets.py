"""Characters to UTF-8 bytes: offsets are characters everywhere but on the wire."""

from __future__ import annotations


class ByteOffsets:
    """Turns character offsets of one text into UTF-8 byte offsets."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._is_ascii = text.isascii()

    def at(self, character: int) -> int:
        """Return the byte offset of the character offset `character`."""
        if self._is_ascii:
            return character
        return len(self._text[:character].encode("utf-8", "surrogatepass"))
