"""The images of a PDF page: JPEG and JPEG 2000 as they are, others drawn into PNG."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import numpy as np
import pypdfium2 as pdfium
from numpy.typing import NDArray
from pypdfium2 import raw

from toulmin.ingestion.parsing.ocr import DPI
from toulmin.ingestion.parsing.png import encode_png

_MIN_PIXELS = 24
"""Images with a shorter side are rules, bullets and the like."""
_MAX_PIXELS = 40_000_000
_MAX_SIDE = 8000
_AS_THEY_ARE = {"DCTDecode": "image/jpeg", "JPXDecode": "image/jp2"}


@dataclass(frozen=True, slots=True)
class PageImage:
    """An image and the height, in points, at which its upper edge stands."""

    data: bytes
    mime_type: str
    top: float


def page_images(page: pdfium.PdfPage) -> tuple[list[PageImage], bool]:
    """Return the images of a page that can be taken out, and whether it has any that is large."""
    images: list[PageImage] = []
    found = False
    for item in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=5):
        # PDFium reports damaged images in many ways; each is one image less, not a failure.
        with contextlib.suppress(pdfium.PdfiumError, ValueError, RuntimeError):
            width, height = item.get_px_size()
            if min(width, height) < _MIN_PIXELS or width * height > _MAX_PIXELS:
                found = found or min(width, height) >= _MIN_PIXELS
                continue
            found = True
            image = _image(item)
            if image:
                images.append(image)
    return images, found


def render_page(document: pdfium.PdfDocument, index: int) -> bytes:
    """Return a page as a grey PNG at the resolution that OCR wants."""
    page = document[index]
    try:
        scale = min(DPI / 72, _MAX_SIDE / max(page.get_width(), page.get_height(), 1))
        bitmap = page.render(scale=scale, grayscale=True)
        return encode_png(_pixels(bitmap))
    finally:
        page.close()


def _image(item: pdfium.PdfImage) -> PageImage | None:
    filters = item.get_filters()
    top = item.get_bounds()[3]
    if filters and filters[-1] in _AS_THEY_ARE:
        data = bytes(item.get_data(decode_simple=True))
        return PageImage(data, _AS_THEY_ARE[filters[-1]], top)
    return PageImage(encode_png(_pixels(item.get_bitmap())), "image/png", top)


def _pixels(bitmap: pdfium.PdfBitmap) -> NDArray[np.uint8]:
    """Return a bitmap's pixels, shape (height, width, 1 or 3), as grey or RGB."""
    pixels = np.asarray(bitmap.to_numpy())
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    if pixels.shape[2] >= 3:
        pixels = pixels[:, :, 2::-1]  # PDFium's order is blue, green, red
    return np.ascontiguousarray(pixels)
