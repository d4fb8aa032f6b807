"""XML of no known vocabulary: the text of each element that has some, in order."""

from __future__ import annotations

from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.source import Source
from toulmin.ingestion.parsing.xml import Element, flatten, local_name, parse_xml


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add one paragraph for each run of text, inline elements included."""
    root = parse_xml(source.content)
    if local_name(root) == "html":
        from toulmin.ingestion.parsing.formats import html

        flatten(root)
        html.add_page(root, builder)
        return
    _add(root, builder)


def _add(element: Element, builder: DocumentBuilder) -> None:
    if _has_text(element) or len(element) == 0:
        builder.paragraph("".join(element.itertext()))
        return
    for part in element:
        _add(part, builder)


def _has_text(element: Element) -> bool:
    """Whether text stands beside the element's children: then these are inline."""
    return bool((element.text or "").strip()) or any((c.tail or "").strip() for c in element)
