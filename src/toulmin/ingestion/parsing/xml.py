"""XML and HTML from a stranger: no entities, no DTD, no network, nesting bounded."""

from __future__ import annotations

from typing import Any

from lxml import etree

from toulmin.errors import InvalidArgument
from toulmin.ingestion.parsing.archive import Archive, resolve

_MAX_DEPTH = 2_047
"""Of HTML: what libxml2 reads where it is asked for large pages; without, it is 255, as of XML."""
_MOST_NESTED = 150
"""What of an element's nesting is kept. Readers call themselves for each level, that of HTML four
functions deep, and Python ends them at 1,000 calls; pages that people read have less than 100."""
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

    Of what is nested very deeply the text is kept, and the elements that it stands in, but flat.

    Raises:
        InvalidArgument: Its elements are nested deeper than the parser goes.
    """
    parser = etree.HTMLParser(
        encoding="utf-8",
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        recover=True,
        huge_tree=True,
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
    if root is not None:  # a comment alone, say
        flatten(root)
    return root


def flatten(root: Element) -> None:
    """Put what is nested too deeply side by side, in order, as browsers do."""
    deepest, depth = [], 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if event == "start" and depth == _MOST_NESTED and len(element):
            deepest.append(element)
    for element in deepest:
        _flatten_all_under(element)


def _flatten_all_under(element: Element) -> None:
    """Make all descendants children; text behind one stands behind what was last before it."""
    order: list[tuple[Element, list[str]]] = []
    for event, item in etree.iterwalk(element, events=("start", "end")):
        if item is element:
            continue
        if event == "start":
            order.append((item, []))
        elif item.tail:
            order[-1][1].append(item.tail)
    for item, _ in order:
        item.getparent().remove(item)  # its own children come later, and are still in it
    for item, behind in order:
        item.tail = "".join(behind) or None
        element.append(item)


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
