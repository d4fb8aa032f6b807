"""What kind of image is this? By its first bytes."""

from __future__ import annotations

_MARKS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"BM", "image/bmp"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "image/jp2"),
    (b"\x01\0\0\0", "image/x-emf"),
    (b"\xd7\xcd\xc6\x9a", "image/x-wmf"),
)


def image_mime_type(data: bytes) -> str:
    """Return the MIME type of an image, "" when the bytes are no image that is known here."""
    for mark, mime_type in _MARKS:
        if data.startswith(mark):
            return mime_type
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    head = data[:512].lstrip()
    return "image/svg+xml" if head.startswith((b"<svg", b"<?xml")) and b"<svg" in head else ""
