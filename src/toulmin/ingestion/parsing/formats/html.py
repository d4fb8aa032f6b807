"""HTML: headings, paragraphs, lists, tables, code; navigation and other boilerplate left out."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import unquote_to_bytes

from toulmin.ingestion.parsing.builder import DocumentBuilder, one_line
from toulmin.ingestion.parsing.charset import decode
from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.formats.html_boilerplate import main_content, remove_boilerplate
from toulmin.ingestion.parsing.images import image_mime_type
from toulmin.ingestion.parsing.source import Source
from toulmin.ingestion.parsing.xml import Element, local_name, parse_html

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.I)
_XML_CHARSET = re.compile(rb"<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{2,40})", re.I)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    """
    address article aside blockquote body center dd details dialog div dl dt fieldset figure
    footer form frameset header hgroup html li main nav p section summary tbody td tfoot th thead tr
    """.split()  # noqa: SIM905 - read as words
)
_BOLD = frozenset({"b", "strong"})
_BOLD_STYLE = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.I)
_MAX_BOLD_HEADING = 120
_BOLD_LEVEL = 6
_AS_SPACES = str.maketrans(dict.fromkeys("\t\n\r\f\v\u2028\u2029", " ") | {"\u200b": ""})
_DATA_URI = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(;[^,]*)?,", re.I)


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the page's content, and its title, author, language and dates."""
    head = source.content[:4096]
    declared = _META_CHARSET.search(head) or _XML_CHARSET.search(head)
    charset = source.charset or (declared[1].decode("ascii") if declared else "")
    text, _ = decode(source.content, charset)
    root = parse_html(text)
    if root is not None:
        add_page(root, builder)


def add_page(root: Element, builder: DocumentBuilder) -> None:
    """Add a whole page: its metadata, and its main content without boilerplate."""
    builder.metadata = page_metadata(root)
    remove_boilerplate(root)
    add_content(main_content(root), builder)


def add_content(root: Element, builder: DocumentBuilder) -> None:
    """Add everything under an element."""
    _Walker(builder).walk(root)


def page_metadata(root: Element) -> DocumentMetadata:
    """Return what `<title>`, `<html lang>` and `<meta>` say."""
    meta: dict[str, str] = {}
    for item in root.iter("{*}meta", "meta"):
        key = (item.get("name") or item.get("property") or "").lower()
        if key and item.get("content"):
            meta.setdefault(key, item.get("content"))
    title = next((t for t in root.iter("{*}title", "title")), None)
    return DocumentMetadata(
        title=("".join(title.itertext()) if title is not None else "") or meta.get("og:title", ""),
        author=meta.get("author") or meta.get("dc.creator") or meta.get("article:author", ""),
        created=meta.get("article:published_time") or meta.get("dc.date") or meta.get("date", ""),
        modified=meta.get("article:modified_time") or meta.get("last-modified", ""),
        language=root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or "",
        properties={"description": meta.get("description") or meta.get("og:description", "")},
    )


class _Walker:
    """One pass over one page; collects inline text until a block begins or ends."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._inline: list[str] = []
        self._bold = 0
        self._has_plain = False
        self._has_bold = False

    def walk(self, element: Element) -> None:
        self._children(element)
        self._flush()

    def _children(self, element: Element) -> None:
        self._say(element.text)
        for item in element:
            self._element(item)
            self._say(item.tail)

    def _element(self, element: Element) -> None:
        name = local_name(element).lower()
        if name in _HEADINGS:
            self._flush()
            self._images(element)
            self._builder.heading(_text(element), _HEADINGS[name])
        elif name in ("ul", "ol", "menu", "dir"):
            self._flush()
            self._list(element, depth=1)
        elif name == "table":
            self._flush()
            self._table(element)
        elif name in ("pre", "textarea", "listing"):
            self._flush()
            self._builder.code("".join(element.itertext()))
        elif name in ("figcaption", "caption"):
            self._flush()
            self._builder.caption(_text(element))
        elif name in _BLOCKS:
            self._flush()
            self._within(element)
            self._flush()
        else:
            self._inline_element(element, name)

    def _inline_element(self, element: Element, name: str) -> None:
        if name == "br":
            self._inline.append("\n")
        elif name == "hr":
            self._flush()
        elif name == "img":
            self._image(element)
        elif name not in ("script", "style", "template", "title", "head"):
            self._within(element)

    def _within(self, element: Element) -> None:
        style = element.get("style") or ""
        bold = local_name(element).lower() in _BOLD or bool(_BOLD_STYLE.search(style))
        self._bold += bold
        self._children(element)
        self._bold -= bold

    def _say(self, text: str | None) -> None:
        if text:
            # Line breaks of the source are spaces; only <br> breaks a line.
            self._inline.append(text.translate(_AS_SPACES))
            if not text.isspace():
                self._has_bold |= bool(self._bold)
                self._has_plain |= not self._bold

    def _flush(self) -> None:
        text = "".join(self._inline)
        self._inline.clear()
        only_bold = self._has_bold and not self._has_plain
        self._has_bold = self._has_plain = False
        line = text.strip()
        if not line:
            return
        if only_bold and _is_title(line):
            self._builder.heading(line, _BOLD_LEVEL)
            return
        self._builder.paragraph(text)

    def _list(self, element: Element, depth: int) -> None:
        number = 0
        ordered = local_name(element).lower() == "ol"
        self._say(element.text)
        for item in element:
            name = local_name(item).lower()
            if name in ("ul", "ol", "li"):
                self._flush()
            if name in ("ul", "ol"):
                self._list(item, depth + 1)
            elif name == "li":
                number += 1
                self._item(item, depth, f"{number}." if ordered else "-")
            else:
                self._element(item)
            self._say(item.tail)
        self._flush()

    def _item(self, item: Element, depth: int, marker: str) -> None:
        """Add an item's own text, then what is nested in it."""
        nested = [c for c in item if local_name(c).lower() in ("ul", "ol", "table", "pre")]
        for part in nested:
            tail = part.tail
            item.remove(part)
            if tail and tail.strip():
                part.tail = None
                item[-1].tail = (item[-1].tail or "") + tail if len(item) else None
                item.text = (item.text or "") + ("" if len(item) else tail)
        self._images(item)
        self._builder.list_item(_text(item), depth, marker)
        for part in nested:
            if local_name(part).lower() in ("ul", "ol"):
                self._list(part, depth + 1)
            else:
                self._element(part)

    def _table(self, table: Element) -> None:
        rows = _own_rows(table)
        if _is_layout(table, rows):
            self._children(table)
            self._flush()
            return
        caption = next((c for c in table if local_name(c).lower() == "caption"), None)
        if caption is not None:
            self._builder.caption(_text(caption))
        self._images(table)
        cells = [_cells(row) for row in rows]
        self._builder.table(cells)

    def _images(self, element: Element) -> None:
        for item in element.iter("img", "{*}img"):
            self._image(item)

    def _image(self, element: Element) -> None:
        """Add an image that stands in the page itself; others are not fetched."""
        source = (element.get("src") or "").strip()
        match = _DATA_URI.match(source)
        if not match:
            return
        body = source[match.end() :]
        try:
            if ";base64" in (match[2] or "").lower():
                data = base64.b64decode(body)
            else:
                data = unquote_to_bytes(body)
        except (binascii.Error, ValueError):
            self._builder.note("An image inside the page is damaged and was left out")
            return
        mime_type = image_mime_type(data)
        if mime_type:
            self._builder.blob(data, mime_type, element.get("alt") or "")


def _is_title(line: str) -> bool:
    """Whether a line in bold can be a heading."""
    return (
        len(line) <= _MAX_BOLD_HEADING
        and "\n" not in line
        and line[-1] not in ".,;"
        and any(map(str.isalpha, line))
    )


def _text(element: Element) -> str:
    """Return the text under an element; `<br>` and the ends of blocks inside it break lines."""
    parts: list[str] = []

    def collect(item: Element) -> None:
        name = local_name(item).lower()
        if name in ("script", "style", "template"):
            return
        block = name in _BLOCKS or name in ("ul", "ol")
        if name == "br" or block:
            parts.append("\n")
        parts.append((item.text or "").translate(_AS_SPACES))
        for part in item:
            collect(part)
            parts.append((part.tail or "").translate(_AS_SPACES))
        if block:
            parts.append("\n")

    collect(element)
    return re.sub(r"[ \n]*\n[ \n]*", "\n", "".join(parts)).strip()


def _own_rows(table: Element) -> list[Element]:
    """Return the rows of a table, not those of tables inside it."""
    rows = []
    for item in table:
        name = local_name(item).lower()
        if name == "tr":
            rows.append(item)
        elif name in ("thead", "tbody", "tfoot"):
            rows += [row for row in item if local_name(row).lower() == "tr"]
    return rows


def _is_layout(table: Element, rows: list[Element]) -> bool:
    """Whether a table only places things on the page: one column or row, or blocks inside."""
    if table.get("role") == "presentation":
        return True
    inside = {local_name(item).lower() for row in rows for item in row.iterdescendants()}
    if inside & {"table", "h1", "h2", "h3", "ul", "ol", "pre", "form"}:
        return True
    widths = [sum(bool(one_line("".join(cell.itertext()))) for cell in row) for row in rows]
    return max(widths, default=0) < 2 or len(rows) < 2


def _cells(row: Element) -> list[str]:
    """Return a row's cells; a cell over several columns is followed by empty ones."""
    cells: list[str] = []
    for cell in row:
        if local_name(cell).lower() in ("td", "th"):
            cells.append(_text(cell))
            span = cell.get("colspan") or "1"
            cells += [""] * (min(int(span), 100) - 1 if span.isdecimal() else 0)
    return cells
