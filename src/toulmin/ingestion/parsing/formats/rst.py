"""reStructuredText, read by docutils: sections, lists, tables, code, admonitions.

Nothing is included from other files and no raw HTML is taken over. Directives and roles of Sphinx
and of its extensions, which docutils does not know, give their text (rst_sphinx.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes
from docutils.core import publish_doctree

from toulmin.ingestion.parsing.builder import DocumentBuilder, one_line
from toulmin.ingestion.parsing.charset import decode
from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.formats.rst_sphinx import any_directives_and_roles
from toulmin.ingestion.parsing.source import Source

_SETTINGS = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "halt_level": 5,
    "input_encoding": "unicode",
    "line_length_limit": 1_000_000,
    "raw_enabled": False,
    "report_level": 5,
    "smart_quotes": False,
    "syntax_highlight": "none",
    "warning_stream": False,
}
_LEFT_OUT = (
    nodes.comment,
    nodes.docinfo,
    nodes.meta,
    nodes.pending,
    nodes.raw,
    nodes.substitution_definition,
    nodes.target,
    nodes.transition,
)
_LISTS = (
    nodes.bullet_list,
    nodes.definition_list,
    nodes.enumerated_list,
    nodes.field_list,
    nodes.option_list,
)
_MAX_SPAN = 100


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the document; its field list at the top becomes metadata."""
    text, _ = decode(source.content, source.charset)
    with any_directives_and_roles() as left_out:
        document = publish_doctree(text, settings_overrides=_SETTINGS)
    if left_out:
        builder.note(f"Other files that it includes are not read: {', '.join(sorted(left_out))}")
    builder.metadata = _metadata(document)
    # Without a title of the document its sections are the highest headings.
    has_title = any(isinstance(node, nodes.title) for node in document)
    _Walker(builder, raised=0 if has_title else 1).children(document, level=1)


def _metadata(document: nodes.document) -> DocumentMetadata:
    said: dict[str, str] = {}
    for info in document.findall(nodes.docinfo):
        for field in info:
            if isinstance(field, nodes.field):
                said[one_line(field[0].astext()).lower()] = field[1].astext()
            else:
                authors = "; ".join(part.astext() for part in field if part.astext())
                name = "author" if isinstance(field, nodes.authors) else field.tagname
                said[name] = authors if name == "author" else field.astext()
    return DocumentMetadata(
        title=str(document.get("title") or ""),
        author=said.pop("author", ""),
        created=said.pop("date", ""),
        language=said.pop("lang", "") or said.pop("language", ""),
        properties=said,
    )


class _Walker:
    """Goes over the tree of one document."""

    def __init__(self, builder: DocumentBuilder, *, raised: int) -> None:
        self._builder = builder
        self._raised = raised

    def children(self, parent: nodes.Element, *, level: int) -> None:
        for node in parent:
            if isinstance(node, nodes.Element) and not isinstance(node, _LEFT_OUT):
                self._block(node, level)

    def _block(self, node: nodes.Element, level: int) -> None:
        builder = self._builder
        match node:
            case nodes.section():
                self.children(node, level=level + 1)
            case nodes.title() | nodes.subtitle() if isinstance(node.parent, nodes.document):
                builder.heading(_text(node), 1 if isinstance(node, nodes.title) else 2)
            case nodes.title():
                builder.heading(_text(node), level - self._raised)
            case _ if isinstance(node, _LISTS):
                self._list(node, 1)
            case nodes.table():
                self._table(node)
            case nodes.literal_block() | nodes.doctest_block() | nodes.math_block():
                builder.code(node.astext())
            case nodes.line_block():
                builder.paragraph("\n".join(_lines(node)))
            case nodes.system_message():
                self._unread(node)
            case nodes.caption() | nodes.image():
                builder.caption(_text(node))
            case _:
                self._other(node, level)

    def _unread(self, message: nodes.Element) -> None:
        """Add the source of what docutils could not read, such as a crooked table."""
        for part in message:
            if isinstance(part, nodes.literal_block):
                self._builder.code(part.astext())

    def _other(self, node: nodes.Element, level: int) -> None:
        if isinstance(node, nodes.footnote | nodes.citation):
            label = node[0].astext() if isinstance(node[0], nodes.label) else ""
            rest = "\n".join(_text(part) for part in node if not isinstance(part, nodes.label))
            self._builder.paragraph(f"[{label}] {rest}" if label else rest)
        elif isinstance(node, nodes.Admonition) and not isinstance(node, nodes.admonition):
            self._admonition(node, level)
        elif isinstance(node, nodes.TextElement):
            self._builder.paragraph(_text(node))
        else:
            self.children(node, level=level)

    def _admonition(self, node: nodes.Element, level: int) -> None:
        kind = node.tagname.capitalize()
        begins = bool(len(node)) and isinstance(node[0], nodes.paragraph)
        self._builder.paragraph(f"{kind}: {_text(node[0])}" if begins else f"{kind}:")
        for part in node[1:] if begins else node:
            if isinstance(part, nodes.Element) and not isinstance(part, _LEFT_OUT):
                self._block(part, level)

    def _list(self, node: nodes.Element, depth: int) -> None:
        number = int(node.get("start", 1))
        for item in node:
            if not isinstance(item, nodes.Element) or isinstance(item, _LEFT_OUT):
                continue
            marker = f"{number}." if isinstance(node, nodes.enumerated_list) else "-"
            self._item(item, depth, marker)
            number += 1

    def _item(self, item: nodes.Element, depth: int, marker: str) -> None:
        """Add an item's own text, then what is nested in it."""
        names, rest = _names_and_rest(item)
        first = rest.pop(0) if rest and isinstance(rest[0], nodes.paragraph) else None
        own = _text(first) if first is not None else ""
        said = f"{names}: {own}" if names and own else names or own
        self._builder.list_item(said, depth, marker)
        for node in rest:
            if isinstance(node, _LISTS):
                self._list(node, depth + 1)
            else:
                self._block(node, 1)

    def _table(self, table: nodes.Element) -> None:
        title = next((part for part in table if isinstance(part, nodes.title)), None)
        if title is not None:
            self._builder.caption(_text(title))
        for group in table:
            if isinstance(group, nodes.tgroup):
                has_head = any(isinstance(part, nodes.thead) for part in group)
                self._builder.table(_rows(group), header=has_head)


def _names_and_rest(item: nodes.Element) -> tuple[str, list[nodes.Element]]:
    """Return what names an item of a definition, field or option list, and what it says."""
    names: list[str] = []
    rest: list[nodes.Element] = []
    for part in item:
        if isinstance(part, nodes.term | nodes.field_name):
            names.append(_text(part))
        elif isinstance(part, nodes.option_group):
            names += [option.astext() for option in part]
        elif isinstance(part, nodes.classifier):
            names[-1:] = [f"{names[-1]} ({_text(part)})"] if names else [_text(part)]
        elif isinstance(part, nodes.definition | nodes.field_body | nodes.description):
            rest += [n for n in part if isinstance(n, nodes.Element)]
        elif isinstance(part, nodes.Element):
            rest.append(part)
    return ", ".join(names), [node for node in rest if not isinstance(node, _LEFT_OUT)]


def _rows(group: nodes.Element) -> list[list[str]]:
    """Return the cells; one over several columns is followed by empty ones, and so is it below."""
    rows: list[list[str]] = []
    open_below: dict[int, int] = {}
    for row in (row for part in group for row in part if isinstance(row, nodes.row)):
        cells: list[str] = []
        for entry in row:
            while open_below.get(len(cells), 0):
                open_below[len(cells)] -= 1
                cells.append("")
            across = 1 + min(int(entry.get("morecols", 0)), _MAX_SPAN)
            below = int(entry.get("morerows", 0))
            for column in range(len(cells), len(cells) + across):
                if below:
                    open_below[column] = below
            cells += [" ".join(_text(part) for part in entry), *[""] * (across - 1)]
        rows.append(cells)
    return rows


def _lines(block: nodes.Element, indent: str = "") -> Iterator[str]:
    for line in block:
        if isinstance(line, nodes.line_block):
            yield from _lines(line, indent + "  ")
        else:
            yield indent + _text(line)


def _text(node: nodes.Node) -> str:
    """Return the text under a node; of an image its description."""
    if isinstance(node, nodes.image):
        return str(node.get("alt", ""))
    if isinstance(node, nodes.footnote_reference | nodes.citation_reference):
        return f" [{node.astext()}]"
    if isinstance(node, nodes.Text | nodes.literal | nodes.math):
        return str(node.astext())
    if not isinstance(node, nodes.Element) or isinstance(node, _LEFT_OUT):
        return ""
    if isinstance(node, nodes.system_message):
        return ""
    is_inline = isinstance(node, nodes.TextElement)
    return ("" if is_inline else "\n").join(_text(part) for part in node.children)
