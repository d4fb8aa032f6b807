"""Pixels -> a PNG file, as the PNG specification (third edition, W3C 2025) lays it out."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_COLOUR_TYPES = {1: 0, 3: 2, 4: 6}
"""Channels -> the specification's colour type: grey, RGB, RGBA."""


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return the PNG file of an image.

    Args:
        pixels: Shape (height, width, channels), channels 1 (grey), 3 (RGB) or 4 (RGBA).

    Raises:
        ValueError: The shape is another.
    """
    if pixels.ndim != 3 or pixels.shape[2] not in _COLOUR_TYPES:
        raise ValueError(f"shape {pixels.shape}; it must be (height, width, 1, 3 or 4)")
    height, width, channels = pixels.shape
    rows = pixels.reshape(height, width * channels)
    unfiltered = np.zeros((height, 1), dtype=np.uint8)
    data = zlib.compress(np.hstack([unfiltered, rows]).tobytes(), 6)
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    checksum = zlib.crc32(kind + body)
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", checksum)
