"""PPTX (PresentationML, ECMA-376 part 1): each slide is a page; titles, lists, tables, notes."""

from __future__ import annotations

from toulmin.errors import ToulminError
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

_PRESENTATION = "ppt/presentation.xml"
_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the slides in order of the show; a damaged one is left out with a note.

    Raises:
        InvalidArgument: It is damaged or encrypted, or no slide can be read.
        ResourceExhausted: It unpacks to too much.
    """
    archive = Archive(source.content, source.limits)
    builder.metadata = core_properties(archive)
    faults: list[ToulminError] = []
    slides = _slides(archive)
    for number, name in enumerate(slides, start=1):
        builder.begin_page(str(number))
        try:
            _Slide(archive, name, builder).read()
        except ToulminError as error:
            faults.append(error)
            builder.note(f"Slide {number} was left out: the file {error.message}")
    if slides and len(faults) == len(slides):
        raise faults[0]


def _slides(archive: Archive) -> list[str]:
    """Return the members of the slides, in order."""
    root = parse_xml(archive.read(_PRESENTATION), what=_PRESENTATION)
    relations = relationships(archive, _PRESENTATION)
    found = []
    for item in root.iter("{*}sldId"):
        reference = next((v for k, v in item.attrib.items() if k.endswith("}id")), "")
        kind, target = relations.get(reference, ("", ""))
        if kind == "slide":
            found.append(target)
    return found


class _Slide:
    """One slide; its title comes first, wherever its shape stands."""

    def __init__(self, archive: Archive, name: str, builder: DocumentBuilder) -> None:
        self._archive = archive
        self._builder = builder
        self._name = name
        self._relations = relationships(archive, name)

    def read(self) -> None:
        root = parse_xml(self._archive.read(self._name), what=self._name)
        shapes = list(root.iter("{*}sp"))
        titles = [shape for shape in shapes if _placeholder(shape) in _TITLES]
        for title in titles:
            self._builder.heading(" ".join(_paragraphs(title)), 1)
        tree = next(root.iter("{*}spTree"), None)
        if tree is not None:
            self._shapes(tree)
        for kind, target in self._relations.values():
            if kind == "notesSlide" and target in self._archive:
                self._notes(target)

    def _shapes(self, tree: Element) -> None:
        for shape in tree:
            name = local_name(shape)
            if name == "sp":
                self._shape(shape)
            elif name == "graphicFrame":
                self._frame(shape)
            elif name == "pic":
                self._picture(shape)
            elif name in ("grpSp", "AlternateContent", "Choice"):
                self._shapes(shape)

    def _shape(self, shape: Element) -> None:
        kind = _placeholder(shape)
        if kind in _TITLES or kind in _FURNITURE:
            return
        body = child(shape, "txBody")
        if body is None:
            return
        if kind == "subTitle":
            self._builder.heading(" ".join(_paragraphs(shape)), 2)
            return
        for paragraph in body.iter("{*}p"):
            text = _text(paragraph)
            if kind is None:
                self._builder.paragraph(text)
            else:
                self._builder.list_item(text, _depth(paragraph))

    def _frame(self, frame: Element) -> None:
        for table in frame.iter("{*}tbl"):
            rows = [
                ["\n".join(map(_text, cell.iter("{*}p"))) for cell in row.iter("{*}tc")]
                for row in table.iter("{*}tr")
            ]
            self._builder.table(rows)

    def _picture(self, picture: Element) -> None:
        for blip in picture.iter("{*}blip"):
            kind, target = self._relations.get(local_attribute(blip, "embed"), ("", ""))
            if kind == "image":
                add_image(self._archive, target, self._builder)

    def _notes(self, name: str) -> None:
        root = parse_xml(self._archive.read(name), what=name)
        lines = [
            text
            for shape in root.iter("{*}sp")
            if _placeholder(shape) not in _FURNITURE
            for text in _paragraphs(shape)
        ]
        if lines:
            self._builder.paragraph("Notes: " + "\n".join(lines))


def _placeholder(shape: Element) -> str | None:
    """Return the kind of placeholder a shape is, "" for one of content, None for none."""
    found = next(shape.iter("{*}ph"), None)
    return local_attribute(found, "type") if found is not None else None


def _depth(paragraph: Element) -> int:
    properties = child(paragraph, "pPr")
    level = properties.get("lvl", "0") if properties is not None else "0"
    return int(level) + 1 if level.isdecimal() else 1


def _paragraphs(shape: Element) -> list[str]:
    texts = (_text(paragraph).strip() for paragraph in shape.iter("{*}p"))
    return [text for text in texts if text]


def _text(paragraph: Element) -> str:
    return "".join(
        (item.text or "") if local_name(item) == "t" else "\n"
        for item in paragraph.iter("{*}t", "{*}br", "{*}tab")
    )
