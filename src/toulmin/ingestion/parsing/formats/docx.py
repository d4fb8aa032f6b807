"""DOCX (WordprocessingML, ECMA-376 part 1): body in order, headings by style or outline level.

Left out: running headers and footers, comments, deleted text of tracked changes. Pages are those
that Word noted when it saved the file (`lastRenderedPageBreak`) and the breaks set by hand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from toulmin.ingestion.parsing.archive import Archive
from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.formats.ooxml import add_image, core_properties
from toulmin.ingestion.parsing.source import Source
from toulmin.ingestion.parsing.xml import (
    Element,
    child,
    local_attribute,
    local_name,
    parse_xml,
    relationships,
)

_DOCUMENT = "word/document.xml"
_SKIPPED = frozenset(
    """
    del moveFrom instrText delText pPr rPr sectPr proofErr bookmarkStart bookmarkEnd Fallback
    commentRangeStart commentRangeEnd commentReference
    """.split()  # noqa: SIM905 - read as words
)
_HEADING_STYLE = re.compile(r"heading (\d)", re.I)
_MAX_STYLE_DEPTH = 20


@dataclass(frozen=True, slots=True)
class _Style:
    """What a paragraph style means: heading level (0 for none), list depth (0), caption."""

    level: int = 0
    numbered: bool = False
    caption: bool = False


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the body, then the footnotes and endnotes.

    Raises:
        InvalidArgument: It is damaged or encrypted.
        ResourceExhausted: It unpacks to too much.
    """
    archive = Archive(source.content, source.limits)
    builder.metadata = core_properties(archive)
    root = parse_xml(archive.read(_DOCUMENT), what=_DOCUMENT)
    reader = _Reader(archive, builder)
    body = child(root, "body")
    if next(root.iter("{*}lastRenderedPageBreak"), None) is not None or any(
        local_attribute(br, "type") == "page" for br in root.iter("{*}br")
    ):
        reader.begin_page()
    if body is not None:
        reader.blocks(body)
    reader.notes()


class _Reader:
    """Goes over the body; knows styles, numbering and what the document refers to."""

    def __init__(self, archive: Archive, builder: DocumentBuilder) -> None:
        self._archive = archive
        self._builder = builder
        self._relations = relationships(archive, _DOCUMENT)
        self._styles = _read_styles(archive)
        self._formats = _read_numbering(archive)
        self._counters: dict[tuple[str, int], int] = {}
        self._page = 0
        self._boxes: list[Element] = []
        self._images: list[str] = []
        self._breaks = 0
        self._broken_by_hand = False

    def begin_page(self) -> None:
        self._page += 1
        self._builder.begin_page(str(self._page))

    def blocks(self, parent: Element) -> None:
        for item in parent:
            name = local_name(item)
            if name == "p":
                self._paragraph(item)
            elif name == "tbl":
                self._table(item)
            elif name not in _SKIPPED:
                self.blocks(item)  # content controls and the like

    def notes(self) -> None:
        for part, element in (("footnotes", "footnote"), ("endnotes", "endnote")):
            name = f"word/{part}.xml"
            if name not in self._archive:
                continue
            for note in parse_xml(self._archive.read(name), what=name).iter("{*}" + element):
                if not local_attribute(note, "type"):  # typed ones are separator lines
                    text = "\n".join(self._text(p) for p in note.iter("{*}p"))
                    if text.strip():
                        self._builder.paragraph(f"[{local_attribute(note, 'id')}] {text.strip()}")

    def _paragraph(self, paragraph: Element) -> None:
        properties = child(paragraph, "pPr")
        text = self._text(paragraph)
        # A break in front of the text begins the page that the text stands on; one behind it
        # begins the next.
        early = text.lstrip(" \t\n").startswith("\f")
        pages, self._breaks = self._breaks, 0
        text = text.replace("\f", "")
        if early:
            self._turn(pages)
        self._add(text, properties)
        if not early:
            self._turn(pages)
        for name in self._images:
            add_image(self._archive, name, self._builder)
        self._images.clear()
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self.blocks(box)

    def _turn(self, pages: int) -> None:
        for _ in range(pages):
            self.begin_page()

    def _add(self, text: str, properties: Element | None) -> None:
        style, number = self._style(properties)
        if not text.strip():
            return
        if style.level:
            self._builder.heading(text, style.level)
        elif number is not None:
            self._builder.list_item(text, number[1] + 1, self._marker(*number))
        elif style.caption:
            self._builder.caption(text)
        else:
            self._builder.paragraph(text)

    def _style(self, properties: Element | None) -> tuple[_Style, tuple[str, int] | None]:
        """Return a paragraph's style and, in a list, the list's id and its depth from 0."""
        if properties is None:
            return _Style(), None
        found = child(properties, "pStyle")
        style = (
            self._styles.get(local_attribute(found, "val"), _Style())
            if found is not None
            else _Style()
        )
        outline = child(properties, "outlineLvl")
        if outline is not None:
            value = local_attribute(outline, "val")
            if value.isdecimal() and int(value) < 9:
                style = _Style(level=int(value) + 1)
        numbering = child(properties, "numPr")
        if numbering is None:
            return style, ("", 0) if style.numbered else None
        values = {local_name(item): local_attribute(item, "val") for item in numbering}
        depth = values.get("ilvl", "0")
        if values.get("numId") == "0":
            return style, None
        return style, (values.get("numId", ""), int(depth) if depth.isdecimal() else 0)

    def _marker(self, number_id: str, depth: int) -> str:
        """Return "-" for a bullet, the number of the item otherwise."""
        if self._formats.get((number_id, depth), "bullet") in ("bullet", "none"):
            return "-"
        for key in list(self._counters):
            if key[0] == number_id and key[1] > depth:
                del self._counters[key]
        count = self._counters.get((number_id, depth), 0) + 1
        self._counters[number_id, depth] = count
        return f"{count}."

    def _text(self, paragraph: Element) -> str:
        """Return a paragraph's text; a form feed where a page begins, which is counted as well."""
        parts: list[str] = []
        self._collect(paragraph, parts)
        return "".join(parts)

    def _collect(self, parent: Element, parts: list[str]) -> None:
        for item in parent:
            name = local_name(item)
            if name == "t":
                parts.append(item.text or "")
            elif name in ("tab", "noBreakHyphen", "cr"):
                parts.append({"tab": "\t", "noBreakHyphen": "-", "cr": "\n"}[name])
            elif name == "br" or name == "lastRenderedPageBreak":
                self._break(item, name, parts)
            elif name in ("footnoteReference", "endnoteReference"):
                parts.append(f"[{local_attribute(item, 'id')}]")
            elif name == "txbxContent":
                self._boxes.append(item)
            elif name in ("blip", "imagedata"):
                self._image(item)
            elif name not in _SKIPPED:
                self._collect(item, parts)

    def _break(self, item: Element, name: str, parts: list[str]) -> None:
        by_hand = local_attribute(item, "type") == "page"
        if name == "br" and not by_hand:
            parts.append("\n")
            return
        # Word notes the page that begins after a break set by hand too; that is one page.
        said = bool("".join(parts).rpartition("\f")[2].strip())
        if name == "br" or said or not self._broken_by_hand:
            self._breaks += bool(self._page)
            parts.append("\f")
        self._broken_by_hand = by_hand

    def _image(self, item: Element) -> None:
        reference = local_attribute(item, "embed") or local_attribute(item, "id")
        kind, target = self._relations.get(reference, ("", ""))
        if kind == "image":
            self._images.append(target)

    def _table(self, table: Element) -> None:
        rows = [
            self._row(row)
            for row in table.iter("{*}tr")
            if next(row.iterancestors("{*}tbl")) is table
        ]
        pages, self._breaks = self._breaks, 0
        self._builder.table(rows)
        for name in self._images:
            add_image(self._archive, name, self._builder)
        self._images.clear()
        self._boxes.clear()
        self._turn(pages)

    def _row(self, row: Element) -> list[str]:
        """Return the cells; one over several columns is followed by empty ones."""
        cells: list[str] = []
        for cell in row.iter("{*}tc"):
            if next(cell.iterancestors("{*}tr")) is not row:
                continue
            properties = child(cell, "tcPr")
            span = child(properties, "gridSpan") if properties is not None else None
            width = local_attribute(span, "val") if span is not None else "1"
            text = "\n".join(self._text(p) for p in cell.iter("{*}p"))
            cells.append(text.replace("\f", ""))
            cells += [""] * (min(int(width), 100) - 1 if width.isdecimal() else 0)
        return cells


def _read_styles(archive: Archive) -> dict[str, _Style]:
    """Return what each paragraph style means, with what it inherits."""
    if "word/styles.xml" not in archive:
        return {}
    root = parse_xml(archive.read("word/styles.xml"), what="word/styles.xml")
    elements = {local_attribute(item, "styleId"): item for item in root.iter("{*}style")}
    return {style_id: _meaning(style_id, elements) for style_id in elements}


def _meaning(style_id: str, elements: dict[str, Element]) -> _Style:
    for _ in range(_MAX_STYLE_DEPTH):
        element = elements.get(style_id)
        if element is None:
            break
        name = child(element, "name")
        label = local_attribute(name, "val").lower() if name is not None else ""
        heading = _HEADING_STYLE.fullmatch(label)
        if heading:
            return _Style(level=int(heading[1]))
        if label == "title":
            return _Style(level=1)
        outline = next(element.iter("{*}outlineLvl"), None)
        if outline is not None and local_attribute(outline, "val") in set("012345678"):
            return _Style(level=int(local_attribute(outline, "val")) + 1)
        if label == "caption":
            return _Style(caption=True)
        if label.startswith("list ") or next(element.iter("{*}numPr"), None) is not None:
            return _Style(numbered=not label.startswith("list paragraph"))
        base = child(element, "basedOn")
        style_id = local_attribute(base, "val") if base is not None else ""
    return _Style()


def _read_numbering(archive: Archive) -> dict[tuple[str, int], str]:
    """Return the number format of each list and depth, such as "bullet" or "decimal"."""
    name = "word/numbering.xml"
    if name not in archive:
        return {}
    root = parse_xml(archive.read(name), what=name)
    abstract: dict[str, dict[int, str]] = {}
    for item in root.iter("{*}abstractNum"):
        levels = {}
        for level in item.iter("{*}lvl"):
            depth, found = local_attribute(level, "ilvl"), child(level, "numFmt")
            if depth.isdecimal() and found is not None:
                levels[int(depth)] = local_attribute(found, "val")
        abstract[local_attribute(item, "abstractNumId")] = levels
    formats: dict[tuple[str, int], str] = {}
    for item in root.iter("{*}num"):
        base = child(item, "abstractNumId")
        levels = abstract.get(local_attribute(base, "val"), {}) if base is not None else {}
        number_id = local_attribute(item, "numId")
        formats |= {(number_id, level_depth): value for level_depth, value in levels.items()}
    return formats
