"""What ODT and ODS share: encryption and metadata (OASIS OpenDocument 1.3)."""

from __future__ import annotations

from toulmin.errors import InvalidArgument, ToulminError
from toulmin.ingestion.parsing.archive import Archive
from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.source import Source
from toulmin.ingestion.parsing.xml import descendant_text, parse_xml

_MANIFEST = "META-INF/manifest.xml"


def open_archive(source: Source) -> Archive:
    """Return the container, its content's size checked.

    Raises:
        InvalidArgument: It is damaged or encrypted.
        ResourceExhausted: It would unpack to too much.
    """
    archive = Archive(source.content, source.limits)
    if _MANIFEST in archive and b"encryption-data" in archive.read(_MANIFEST):
        raise InvalidArgument(
            "is encrypted; save a copy without a password", reason="DOCUMENT_ENCRYPTED"
        )
    archive.check("content.xml")
    return archive


def opendocument_metadata(archive: Archive) -> DocumentMetadata:
    """Return title, author, dates and language; empty where the part is missing or damaged."""
    try:
        root = parse_xml(archive.read("meta.xml"), what="meta.xml")
    except ToulminError:
        return DocumentMetadata()
    return DocumentMetadata(
        title=descendant_text(root, "title"),
        author=descendant_text(root, "initial-creator") or descendant_text(root, "creator"),
        created=descendant_text(root, "creation-date"),
        modified=descendant_text(root, "date"),
        language=descendant_text(root, "language"),
        properties={"subject": descendant_text(root, "subject")},
    )
