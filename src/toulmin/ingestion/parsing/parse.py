"""Bytes -> document, in this process. Servers call it through sandbox.py."""

from __future__ import annotations

import logging
from importlib import import_module

from toulmin.errors import FailedPrecondition, InvalidArgument, ResourceExhausted, ToulminError
from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.charset import narrow
from toulmin.ingestion.parsing.detection import detect
from toulmin.ingestion.parsing.document import ParsedDocument
from toulmin.ingestion.parsing.file_format import FORMATS, FileFormat
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.ocr import OcrOptions
from toulmin.ingestion.parsing.source import Source

logger = logging.getLogger(__name__)

PARSER_VERSION = "3"
"""Raised whenever a file may give another document than before, so that imports parse it anew."""


class ConversionNeeded(FailedPrecondition):
    """The file is of a format that another program has to convert, as `ParserPool` lets it.

    Args:
        found: The format.
        name: The file's name, when it is known.
    """

    def __init__(self, found: FileFormat, name: str | None = None) -> None:
        super().__init__(
            f"{_label(name)} is {found.upper()}, which LibreOffice converts first; read it with"
            " ParserPool",
            reason="CONVERSION_NEEDED",
        )
        self.found = found


def parse(
    content: bytes,
    *,
    mime_type: str | None = None,
    name: str | None = None,
    limits: ParseLimits | None = None,
    ocr: OcrOptions | None = None,
) -> ParsedDocument:
    """Return what a file says. The same bytes always give the same document.

    Args:
        content: The file.
        mime_type: Its MIME type, when somebody stated one; a charset in it is believed where
            the bytes do not say otherwise.
        name: Its name, for its ending and for error messages.
        limits: What it may cost; time and memory are kept by sandbox.py only.
        ocr: How to read images of text; None leaves them unread.

    Raises:
        InvalidArgument: It is damaged, encrypted, not what it is stated to be, or of a format
            that Toulmin does not read.
        ConversionNeeded: It is of a format that another program converts first.
        FailedPrecondition: A program that it needs is not installed.
        ResourceExhausted: It, or what comes out of it, is over a limit.
    """
    limits = limits or ParseLimits()
    try:
        return _parse(content, mime_type, name, limits, ocr)
    except ConversionNeeded as needed:
        raise ConversionNeeded(needed.found, name) from None
    except ToulminError as error:
        raise named(error, name) from error
    except MemoryError as error:
        raise ResourceExhausted(
            f"{_label(name)} needs more memory than is allowed", reason="DOCUMENT_TOO_LARGE"
        ) from error
    except Exception as error:  # what libraries raise on damaged files is not theirs to promise
        logger.debug("a reader failed", exc_info=error)
        raise InvalidArgument(
            f"{_label(name)} could not be read: {type(error).__name__}: {error}",
            reason="DOCUMENT_UNREADABLE",
        ) from error


def named(error: ToulminError, name: str | None) -> ToulminError:
    """Return the error with the file's name in front of its message."""
    return type(error)(
        f"{_label(name)} {error.message}", violations=error.violations, reason=error.reason
    )


def _label(name: str | None) -> str:
    return f"{name}:" if name else "The file"


def _parse(
    content: bytes,
    mime_type: str | None,
    name: str | None,
    limits: ParseLimits,
    ocr: OcrOptions | None,
) -> ParsedDocument:
    if len(content) > limits.file_bytes:
        raise ResourceExhausted(
            f"has {len(content)} bytes; {limits.file_bytes} are allowed",
            reason="DOCUMENT_TOO_LARGE",
        )
    builder = DocumentBuilder(limits)
    found, note = detect(content, mime_type=mime_type, name=name, limits=limits)
    if note:
        builder.note(note)
    spec = FORMATS[found]
    if spec.converted_to:
        raise ConversionNeeded(found)
    if spec.is_text:
        content, encoding = narrow(content)
        if encoding:
            builder.note(f"Read as {encoding}")
    source = Source(
        content=content, format=found, charset=_charset(mime_type), limits=limits, ocr=ocr
    )
    import_module(f"toulmin.ingestion.parsing.formats.{spec.module}").read(source, builder)
    if builder.is_empty:
        builder.note("The file has no text")
    return builder.build(found, spec.mime_types[0])


def _charset(mime_type: str | None) -> str:
    """Return the charset parameter of a MIME type, "" without one."""
    for parameter in (mime_type or "").split(";")[1:]:
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "charset":
            return value.strip().strip("\"'")
    return ""
