"""Is it an image? PNG, JPEG and WebP by how their bytes are laid out, not by a name.

The parts of the file are walked through up to its size and its end, as its format has them; pixels
are not decoded. So a text that begins like a picture is none, nor is a picture that was cut off.
Formats: PNG (W3C, third edition, 5.2 to 5.6 and 11.2.1), JPEG (ITU-T T.81, annex B), WebP
(RFC 9649, 2.3 to 2.7).
"""

from __future__ import annotations

from typing import Final

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_JPEG: Final = b"\xff\xd8\xff"
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers that begin a frame, which tells the size."""
_SCAN: Final = 0xDA
_NO_LENGTH: Final = frozenset({0x01, *range(0xD0, 0xD8)})
_JPEG_END: Final = b"\xff\xd9"
_WEBP_CHUNKS: Final = (b"VP8 ", b"VP8L", b"VP8X")


def image_type(data: bytes) -> str:
    """Return the MIME type of a whole PNG, JPEG or WebP image; empty: the bytes are none."""
    if data.startswith(_PNG):
        return "image/png" if _is_png(data) else ""
    if data.startswith(_JPEG):
        return "image/jpeg" if _is_jpeg(data) else ""
    return "image/webp" if _is_webp(data) else ""


def _is_png(data: bytes) -> bool:
    at, first, has_pixels = len(_PNG), True, False
    while at + 12 <= len(data):
        length = _word(data, at)
        name = data[at + 4 : at + 8]
        if first and (name != b"IHDR" or length != 13):
            return False
        if first and 0 in (_word(data, at + 8), _word(data, at + 12)):  # width, height
            return False
        first = False
        has_pixels = has_pixels or name == b"IDAT"
        at += 12 + length
        if name == b"IEND":
            return has_pixels and at <= len(data)
    return False


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")


def _is_jpeg(data: bytes) -> bool:
    at, has_size = 2, False
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # filling
            at += 1
            continue
        if marker in _NO_LENGTH:
            at += 2
            continue
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        if length < 2:
            return False
        if marker in _FRAMES:
            if length < 8 or at + 9 > len(data):
                return False
            width = int.from_bytes(data[at + 7 : at + 9], "big")
            has_size = width > 0  # a height of 0 is told later in the file
        if marker == _SCAN:
            return has_size and _JPEG_END in data[at + 2 + length :]
        at += 2 + length
    return False


def _is_webp(data: bytes) -> bool:
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP" or data[12:16] not in _WEBP_CHUNKS:
        return False
    whole, part = (int.from_bytes(data[i : i + 4], "little") for i in (4, 16))
    return 0 < part <= whole - 12 and 8 + whole <= len(data)
