"""What DOCX, PPTX and XLSX share: core properties and images (ECMA-376, Office Open XML)."""

from __future__ import annotations

import posixpath

from toulmin.errors import ToulminError
from toulmin.ingestion.parsing.archive import Archive
from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.images import image_mime_type
from toulmin.ingestion.parsing.xml import descendant_text, parse_xml

_CORE = "docProps/core.xml"


def core_properties(archive: Archive) -> DocumentMetadata:
    """Return title, author, dates and language; empty where the part is missing or damaged."""
    if _CORE not in archive:
        return DocumentMetadata()
    try:
        root = parse_xml(archive.read(_CORE), what=_CORE)
    except ToulminError:
        return DocumentMetadata()
    return DocumentMetadata(
        title=descendant_text(root, "title"),
        author=descendant_text(root, "creator"),
        created=descendant_text(root, "created"),
        modified=descendant_text(root, "modified"),
        language=descendant_text(root, "language"),
        properties={
            "subject": descendant_text(root, "subject"),
            "keywords": descendant_text(root, "keywords"),
        },
    )


def add_image(archive: Archive, name: str, builder: DocumentBuilder) -> None:
    """Add a member of the container as a blob; one that is missing or no image gives a note."""
    try:
        data = archive.read(name)
    except ToulminError as error:
        builder.note(f"An image was left out: the file {error.message}")
        return
    mime_type = image_mime_type(data)
    if mime_type:
        builder.blob(data, mime_type, posixpath.basename(name))
    else:
        builder.note(f"{posixpath.basename(name)} is not an image of a known format")
