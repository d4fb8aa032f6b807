"""What a format's reader is given."""

from __future__ import annotations

from dataclasses import dataclass, field

from toulmin.ingestion.parsing.file_format import FileFormat
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.ocr import OcrOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file to read.

    Attributes:
        content: Its bytes.
        format: What it is.
        charset: Encoding that its stated MIME type names, "" for none.
        limits: What it may cost.
        ocr: How to read images of text; None when they are not to be read.
    """

    content: bytes
    format: FileFormat
    charset: str = ""
    limits: ParseLimits = field(default_factory=ParseLimits)
    ocr: OcrOptions | None = None
