"""What counts as an image."""

from __future__ import annotations

import pytest

from tests.apis.ces.pictures import JPEG, WEBP, WEBP_LOSSLESS, png
from toulmin.apis.ces.images import image_type

WHOLE = {
    "png": (png(), "image/png"),
    "png with a comment": (png(text=bytes(range(256))), "image/png"),
    "jpeg": (JPEG, "image/jpeg"),
    "webp": (WEBP, "image/webp"),
    "webp, lossless": (WEBP_LOSSLESS, "image/webp"),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_image_is_known(name):
    data, kind = WHOLE[name]
    assert image_type(data) == kind
    assert image_type(data + b"\n") == kind


@pytest.mark.parametrize("name", WHOLE)
def test_one_that_was_cut_off_is_none(name):
    data, _ = WHOLE[name]
    assert not [end for end in range(len(data) - 1) if image_type(data[:end])]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GIF89a" + bytes(40),
        b"\x89PNG\r\n\x1a\n" + b"a text that begins like a picture" * 3,
        b"\x89PNG\r\n\x1a\n" + bytes(300),
        b"\xff\xd8\xff\xe0" + bytes(20),
        b"\xff\xd8\xff\xd9",
        b"RIFF\x20\0\0\0WEBPVP8 " + bytes(20),
        b"RIFF\x20\0\0\0WEBPtext" + bytes(40),
        png(width=0),
        png(height=0),
    ],
)
def test_what_only_begins_like_one_is_none(data):
    assert image_type(data) == ""
