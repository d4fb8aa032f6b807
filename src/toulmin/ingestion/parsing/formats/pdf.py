"""PDF, by PDFium: pages in content order, headings by outline and type size, ruled tables, images.

A page's identifier is its number, from "1": what a viewer's `#page=` takes. Lines that repeat at
the top or bottom of many pages are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import pypdfium2 as pdfium
from pypdfium2 import raw

from toulmin.errors import FailedPrecondition, InvalidArgument, ResourceExhausted
from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.formats.pdf_images import page_images, render_page
from toulmin.ingestion.parsing.formats.pdf_layout import (
    Outline,
    PageLayout,
    add_page,
    body_size,
    drop_running_lines,
    heading_sizes,
)
from toulmin.ingestion.parsing.formats.pdf_lines import read_lines
from toulmin.ingestion.parsing.formats.pdf_tables import find_tables
from toulmin.ingestion.parsing.ocr import read_image
from toulmin.ingestion.parsing.source import Source

_FEW_CHARACTERS = 10
"""A page with fewer characters and an image on it is taken for a scan."""


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the pages.

    Raises:
        InvalidArgument: It is damaged, or encrypted with a password that is not empty.
        FailedPrecondition: No page has text, some have images, and OCR is off.
        ResourceExhausted: It has too many pages.
    """
    document = _open(source.content)
    try:
        builder.metadata = _metadata(document)
        pages = [_read_page(document, index, builder) for index in range(_count(document, source))]
        outline = _outline(document)
        scans = [page for page in pages if page.is_scan]
        if scans and source.ocr is None:
            _without_ocr(scans, pages, builder)
        drop_running_lines(pages)
        body = body_size(pages)
        levels = heading_sizes(pages, body)
        for page in pages:
            builder.begin_page(str(page.number))
            if page.is_scan and source.ocr is not None:
                image = render_page(document, page.number - 1)
                for paragraph in read_image(image, source.ocr):
                    builder.paragraph(paragraph)
            add_page(page, builder, outline, body, levels)
        _attachments(document, builder)
    finally:
        document.close()


def _open(content: bytes) -> pdfium.PdfDocument:
    """Return the document; PDFium tries the empty password by itself."""
    try:
        return pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code == raw.FPDF_ERR_PASSWORD or "password" in str(error).lower():
            raise InvalidArgument(
                "is encrypted and opens only with a password; save a copy without one",
                reason="DOCUMENT_ENCRYPTED",
            ) from error
        if code == raw.FPDF_ERR_SECURITY:
            raise InvalidArgument(
                "is encrypted in a way that is not supported; save a copy without encryption",
                reason="DOCUMENT_ENCRYPTED",
            ) from error
        raise InvalidArgument(
            f"is a damaged PDF ({error}); was the file cut off?", reason="DOCUMENT_UNREADABLE"
        ) from error


def _count(document: pdfium.PdfDocument, source: Source) -> int:
    count = len(document)
    if count > source.limits.pages:
        raise ResourceExhausted(
            f"has {count} pages; {source.limits.pages} are allowed", reason="DOCUMENT_TOO_LARGE"
        )
    return count


def _read_page(document: pdfium.PdfDocument, index: int, builder: DocumentBuilder) -> PageLayout:
    """Return what stands on a page; one that cannot be read is empty, with a note."""
    layout = PageLayout(number=index + 1)
    try:
        page = document[index]
    except pdfium.PdfiumError:
        builder.note(f"Page {index + 1} is damaged and was left out")
        return layout
    try:
        layout.height = page.get_height()
        layout.lines = read_lines(page)
        layout.tables, layout.lines = find_tables(page, layout.lines)
        layout.images, found = page_images(page)
        characters = sum(len(line.text) for line in layout.lines)
        layout.is_scan = found and characters < _FEW_CHARACTERS and not layout.tables
    finally:
        page.close()
    return layout


def _without_ocr(
    scans: Sequence[PageLayout], pages: Sequence[PageLayout], builder: DocumentBuilder
) -> None:
    if all(page.is_scan or not (page.lines or page.tables) for page in pages):
        raise FailedPrecondition(
            f"has no text on any of its {len(pages)} pages, only images; they can be read with"
            " OCR, which is off",
            reason="OCR_REQUIRED",
        )
    numbers = ", ".join(str(page.number) for page in scans[:20])
    more = f" and {len(scans) - 20} more" if len(scans) > 20 else ""
    builder.note(f"Pages without text, only images, which OCR could read: {numbers}{more}")


def _outline(document: pdfium.PdfDocument) -> Outline:
    """Return the entries of the table of contents: (page, normalised title) -> level."""
    entries: dict[tuple[int, str], int] = {}
    for bookmark in document.get_toc(max_depth=6):
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        title = Outline.normalised(bookmark.get_title())
        if index is not None and title:
            entries.setdefault((index + 1, title), bookmark.level + 1)
    return Outline(entries)


def _metadata(document: pdfium.PdfDocument) -> DocumentMetadata:
    values = document.get_metadata_dict(skip_empty=True)
    return DocumentMetadata(
        title=values.get("Title", ""),
        author=values.get("Author", ""),
        created=iso_date(values.get("CreationDate", "")),
        modified=iso_date(values.get("ModDate", "")),
        properties={
            "subject": values.get("Subject", ""),
            "keywords": values.get("Keywords", ""),
            "producer": values.get("Producer", ""),
        },
    )


def iso_date(value: str) -> str:
    """Return a PDF date (`D:20240131120000+01'00'`) in ISO 8601, "" when it is none."""
    digits = value.removeprefix("D:")
    count = next((i for i, char in enumerate(digits) if not char.isdecimal()), len(digits))
    if count < 4:
        return ""
    stamp, zone = digits[:count], digits[count:].replace("'", "")
    parts = [stamp[:4], stamp[4:6] or "01", stamp[6:8] or "01"]
    if count < 14:
        return "-".join(parts)
    offset = "Z" if zone[:1] == "Z" else f"{zone[:3]}:{zone[3:5] or '00'}" if zone else ""
    return f"{'-'.join(parts)}T{stamp[8:10]}:{stamp[10:12]}:{stamp[12:14]}{offset}"


def _attachments(document: pdfium.PdfDocument, builder: DocumentBuilder) -> None:
    names = [
        document.get_attachment(index).get_name() for index in range(document.count_attachments())
    ]
    if names:
        builder.note(f"Attachments, which were not read: {', '.join(names)}")
