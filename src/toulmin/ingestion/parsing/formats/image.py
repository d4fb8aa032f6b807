"""A picture: its text, when OCR is on."""

from __future__ import annotations

from toulmin.errors import FailedPrecondition
from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.images import image_mime_type
from toulmin.ingestion.parsing.ocr import read_image
from toulmin.ingestion.parsing.source import Source


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the picture as a blob and the text in it as paragraphs.

    Raises:
        FailedPrecondition: OCR is off or not installed.
    """
    if source.ocr is None:
        raise FailedPrecondition(
            "is an image; its text can be read with OCR, which is off", reason="OCR_REQUIRED"
        )
    builder.begin_page("1")
    builder.blob(source.content, image_mime_type(source.content) or "application/octet-stream")
    for paragraph in read_image(source.content, source.ocr):
        builder.paragraph(paragraph)
