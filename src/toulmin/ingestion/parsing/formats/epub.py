"""EPUB (W3C EPUB 3.3, and 2): the documents of the spine in order, each a page."""

from __future__ import annotations

import posixpath

from toulmin.errors import InvalidArgument, ToulminError
from toulmin.ingestion.parsing.archive import Archive, resolve
from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.charset import decode
from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.formats.html import add_content
from toulmin.ingestion.parsing.formats.ooxml import add_image
from toulmin.ingestion.parsing.source import Source
from toulmin.ingestion.parsing.xml import (
    Element,
    descendant_text,
    local_attribute,
    parse_html,
    parse_xml,
)

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONT_OBFUSCATION = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the book; a page's identifier is its place in the reading order.

    Raises:
        InvalidArgument: It is damaged, or protected by digital rights management.
        ResourceExhausted: It unpacks to too much.
    """
    archive = Archive(source.content, source.limits)
    _refuse_protected(archive)
    package_name = _package_name(archive)
    package = parse_xml(archive.read(package_name), what=package_name)
    builder.metadata = _metadata(package)
    items = {item.get("id"): item for item in package.iter("{*}item")}
    number = 0
    for reference in package.iter("{*}itemref"):
        item = items.get(reference.get("idref"))
        if item is None or "nav" in (item.get("properties") or "").split():
            continue
        number += 1
        builder.begin_page(str(number))
        _add_document(archive, resolve(package_name, item.get("href") or ""), builder)


def _add_document(archive: Archive, name: str, builder: DocumentBuilder) -> None:
    try:
        text, _ = decode(archive.read(name))
    except ToulminError as error:
        builder.note(f"A chapter was left out: the file {error.message}")
        return
    root = parse_html(text)
    if root is None:
        return
    body = next(root.iter("body"), root)
    add_content(body, builder)
    for image in body.iter("img", "image"):
        target = image.get("src") or local_attribute(image, "href")
        if target and ":" not in posixpath.dirname(target):
            add_image(archive, resolve(name, target), builder)


def _package_name(archive: Archive) -> str:
    container = parse_xml(archive.read(_CONTAINER), what=_CONTAINER)
    root = next(container.iter("{*}rootfile"), None)
    path = root.get("full-path") if root is not None else None
    if not path:
        raise InvalidArgument(
            f"is a damaged EPUB: {_CONTAINER} names no package", reason="DOCUMENT_UNREADABLE"
        )
    return str(path)


def _refuse_protected(archive: Archive) -> None:
    """Refuse a book whose text is encrypted; scrambled fonts do no harm."""
    if _ENCRYPTION not in archive:
        return
    root = parse_xml(archive.read(_ENCRYPTION), what=_ENCRYPTION)
    for method in root.iter("{*}EncryptionMethod"):
        parent = method.getparent().tag
        algorithm = (method.get("Algorithm") or "").encode()
        if parent.endswith("}EncryptedData") and algorithm not in _FONT_OBFUSCATION:
            raise InvalidArgument(
                "is protected by digital rights management", reason="DOCUMENT_ENCRYPTED"
            )


def _metadata(package: Element) -> DocumentMetadata:
    authors = [(item.text or "").strip() for item in package.iter("{*}creator")]
    modified = [
        item.text or ""
        for item in package.iter("{*}meta")
        if item.get("property") == "dcterms:modified"
    ]
    return DocumentMetadata(
        title=descendant_text(package, "title"),
        author="; ".join(author for author in authors if author),
        created=descendant_text(package, "date"),
        modified=modified[0] if modified else "",
        language=descendant_text(package, "language"),
        properties={
            "publisher": descendant_text(package, "publisher"),
            "identifier": descendant_text(package, "identifier"),
        },
    )
