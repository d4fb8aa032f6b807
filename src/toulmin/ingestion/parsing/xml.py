"""XML and HTML from a stranger: no entities, no DTD, no network, depth bounded by libxml2."""

from __future__ import annotations

from typing import Any

from lxml import etree

from toulmin.errors import InvalidArgument
from toulmin.ingestion.parsing.archive import Archive, resolve

_MAX_DEPTH = 255
Element = Any
"""An `lxml.etree._Element`; lxml carries no types."""


def parse_xml(data: bytes, *, what: str = "the XML") -> Element:
    """Return the root element; comments and processing instructions are dropped.

    Args:
        data: The document.
        what: How an error names it.

    Raises:
        InvalidArgument: It is not well-formed, or nested deeper than 256 elements.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise InvalidArgument(
            f"has a damaged part: {what} is not well-formed ({error})",
            reason="DOCUMENT_UNREADABLE",
        ) from error
    etree.strip_tags(root, etree.Entity)  # references that stayed references
    return root


def parse_html(text: str) -> Element | None:
    """Return the root element of an HTML page, None when it has no element.

    Raises:
        InvalidArgument: Its elements are nested deeper than the parser goes.
    """
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, recover=True
    )
    data = text.encode("utf-8", "replace")
    if not data.strip():
        return None
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    # The parser drops all that comes below, and says so only here.
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise InvalidArgument(
            f"has elements nested deeper than {_MAX_DEPTH}, the most that is read",
            reason="DOCUMENT_UNREADABLE",
        )
    return root


def local_name(element: Element) -> str:
    """Return an element's name without its namespace; "" for an entity."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def local_attribute(element: Element, name: str) -> str:
    """Return the attribute called `name` in any namespace, "" when there is none."""
    for key, value in element.attrib.items():
        if key == name or key.endswith("}" + name):
            return str(value)
    return ""


def child(element: Element, name: str) -> Element | None:
    """Return the first child called `name` in any namespace."""
    return next((item for item in element if local_name(item) == name), None)


def descendant_text(element: Element, name: str) -> str:
    """Return the text of the first descendant called `name` in any namespace, "" without one."""
    found = next(element.iter("{*}" + name), None)
    return "".join(found.itertext()).strip() if found is not None else ""


def relationships(archive: Archive, part: str) -> dict[str, tuple[str, str]]:
    """Return what an OOXML part refers to: id -> (last word of the type, member).

    Targets outside the container are left out.
    """
    folder, _, name = part.rpartition("/")
    rels = f"{folder}/_rels/{name}.rels".lstrip("/")
    if rels not in archive:
        return {}
    found = {}
    for item in parse_xml(archive.read(rels), what=rels):
        if item.get("TargetMode") != "External" and item.get("Target"):
            kind = item.get("Type", "").rpartition("/")[2]
            found[item.get("Id", "")] = (kind, resolve(part, item.get("Target")))
    return found
