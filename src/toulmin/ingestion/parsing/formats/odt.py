"""ODT (OASIS OpenDocument 1.3): headings, paragraphs, lists, tables, notes, images."""

from __future__ import annotations

from toulmin.ingestion.parsing.archive import Archive, resolve
from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.formats.ooxml import add_image
from toulmin.ingestion.parsing.formats.opendocument import open_archive, opendocument_metadata
from toulmin.ingestion.parsing.source import Source
from toulmin.ingestion.parsing.xml import Element, child, local_attribute, local_name, parse_xml

_SKIPPED = frozenset(
    """
    tracked-changes annotation annotation-end sequence-decls forms note-citation
    """.split()  # noqa: SIM905 - read as words
)
_MAX_REPEAT = 1000


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the body. Pages are those that the writer noted (`soft-page-break`), if it did.

    Raises:
        InvalidArgument: It is damaged or encrypted.
        ResourceExhausted: It unpacks to too much.
    """
    archive = open_archive(source)
    builder.metadata = opendocument_metadata(archive)
    root = parse_xml(archive.read("content.xml"), what="content.xml")
    body = next(root.iter("{*}body"), None)
    if body is None:
        return
    reader = _Reader(archive, builder)
    if next(body.iter("{*}soft-page-break"), None) is not None:
        reader.begin_page()
    reader.blocks(body)


class _Reader:
    """Goes over the body; images and notes come behind the paragraph that holds them."""

    def __init__(self, archive: Archive, builder: DocumentBuilder) -> None:
        self._archive = archive
        self._builder = builder
        self._page = 0
        self._images: list[str] = []
        self._later: list[Element] = []

    def begin_page(self) -> None:
        self._page += 1
        self._builder.begin_page(str(self._page))

    def blocks(self, parent: Element) -> None:
        for item in parent:
            self._block(item)

    def _block(self, item: Element) -> None:
        name = local_name(item)
        if name == "h":
            level = local_attribute(item, "outline-level")
            self._builder.heading(self._text(item), int(level) if level.isdecimal() else 1)
        elif name == "p":
            style = local_attribute(item, "style-name")
            text = self._text(item)
            if style in ("Title", "Subtitle"):
                self._builder.heading(text, 1 if style == "Title" else 2)
            else:
                self._builder.paragraph(text)
        elif name == "list":
            self._list(item, 1)
        elif name == "table":
            self._builder.table(self._rows(item))
        elif name == "soft-page-break":
            self.begin_page()
        elif name not in _SKIPPED:
            self.blocks(item)
        self._behind()

    def _behind(self) -> None:
        for name in self._images:
            add_image(self._archive, name, self._builder)
        self._images.clear()
        later, self._later = self._later, []
        for element in later:
            self.blocks(element)

    def _list(self, element: Element, depth: int) -> None:
        for item in element:
            if local_name(item) not in ("list-item", "list-header"):
                continue
            for part in item:
                if local_name(part) == "list":
                    self._list(part, depth + 1)
                elif local_name(part) in ("p", "h"):
                    self._builder.list_item(self._text(part), depth)
                else:
                    self._block(part)

    def _rows(self, table: Element) -> list[list[str]]:
        rows = []
        for row in table.iter("{*}table-row"):
            if next(row.iterancestors("{*}table")) is not table:
                continue
            cells: list[str] = []
            for cell in row:
                if local_name(cell) in ("table-cell", "covered-table-cell"):
                    text = "\n".join(self._text(p) for p in cell.iter("{*}p", "{*}h"))
                    repeat = local_attribute(cell, "number-columns-repeated")
                    times = min(int(repeat), _MAX_REPEAT) if repeat.isdecimal() else 1
                    cells += [text] * times
            rows.append(cells)
        return rows

    def _text(self, element: Element) -> str:
        parts: list[str] = []
        self._collect(element, parts)
        return "".join(parts)

    def _collect(self, element: Element, parts: list[str]) -> None:
        parts.append(element.text or "")
        for item in element:
            name = local_name(item)
            if name == "s":
                count = local_attribute(item, "c")
                parts.append(" " * (min(int(count), _MAX_REPEAT) if count.isdecimal() else 1))
            elif name in ("tab", "line-break"):
                parts.append("\t" if name == "tab" else "\n")
            elif name == "image":
                self._images.append(resolve("content.xml", local_attribute(item, "href")))
            elif name == "text-box":
                self._later.append(item)
            elif name == "note":
                self._note(item, parts)
            elif name not in _SKIPPED:
                self._collect(item, parts)
            parts.append(item.tail or "")

    def _note(self, note: Element, parts: list[str]) -> None:
        citation, body = child(note, "note-citation"), child(note, "note-body")
        mark = "".join(citation.itertext()) if citation is not None else "*"
        parts.append(f"[{mark}]")
        if body is not None and len(body):
            body[0].text = f"[{mark}] {body[0].text or ''}"
            self._later.append(body)
