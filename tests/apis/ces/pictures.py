"""Small whole images, 3 by 2 pixels of one colour."""

import base64
import struct
import zlib
from typing import Final

JPEG: Final = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarY"
    "qMyP/L2u71////m8H////6/+b9//j/2wBDASstLTw1PHZBQXb4pYyl+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4"
    "+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj/wAARCAACAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xA"
    "AUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAwX/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oA"
    "DAMBAAIRAxEAPwCYAag//9k="
)
WEBP: Final = base64.b64decode(
    "UklGRjoAAABXRUJQVlA4IC4AAACQAQCdASoDAAIAAUAmJaACdLoAA5gA/vFNr+LaR0KZD/7xn/9xn/9xn/yIAAAA"
)
WEBP_LOSSLESS: Final = base64.b64decode("UklGRh4AAABXRUJQVlA4TBEAAAAvAkAAAAdQjyIXpf+BiOh/AAA=")


def png(width: int = 3, height: int = 2, *, text: bytes = b"") -> bytes:
    """Return a PNG image, with a comment of any bytes where there is one."""
    rows = b"".join(b"\0" + bytes((200, 30, 40)) * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    comment = _part(b"tEXt", b"Comment\0" + text) if text else b""
    parts = _part(b"IHDR", head) + comment + _part(b"IDAT", zlib.compress(rows))
    return b"\x89PNG\r\n\x1a\n" + parts + _part(b"IEND", b"")


def _part(name: bytes, data: bytes) -> bytes:
    sum_ = zlib.crc32(name + data)
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", sum_)
