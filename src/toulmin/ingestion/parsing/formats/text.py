"""Plain text: paragraphs between empty lines, pages between form feeds, plain headings."""

from __future__ import annotations

import re

from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.charset import decode
from toulmin.ingestion.parsing.source import Source

_PARAGRAPHS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_MAX_HEADING = 80
_NUMBERED = re.compile(
    r"(?P<part>book|part|volume|teil|buch|partie|libro|parte)\b|"
    r"(?:chapter|section|appendix|act|scene|kapitel|abschnitt|chapitre|capítulo|capitolo)\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\s(?:\d{1,4}|[IVXLC]{1,8}|[A-Z])\b|\s(?:ONE|TWO|THREE|FOUR|FIVE|SIX)\b")


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the paragraphs; their line breaks are kept. Short lines in capitals are headings."""
    text, encoding = decode(source.content, source.charset)
    if encoding != "utf-8":
        builder.note(f"Read as {encoding}")
    add_text(text, builder)


def add_text(text: str, builder: DocumentBuilder) -> None:
    """Add a plain text's paragraphs and headings, and its pages when it has form feeds."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    pages = text.rstrip("\f \n").split("\f")
    for number, page in enumerate(pages, start=1):
        if len(pages) > 1:
            builder.begin_page(str(number))
        for paragraph in _PARAGRAPHS.split(page.strip("\n")):
            level = heading_level(paragraph)
            if level:
                builder.heading(paragraph, level)
            else:
                builder.paragraph(paragraph, verbatim=True)


def heading_level(paragraph: str) -> int:
    """Return 1 to 3 when a paragraph is plainly a heading, otherwise 0.

    "BOOK ONE" is 1, "Chapter IV" 2, another short line all in capitals 3.
    """
    line = paragraph.strip()
    if not line or len(line) > _MAX_HEADING or "\n" in line or line[-1] in ".,;:!?":
        return 0
    numbered = _NUMBERED.match(line)
    if numbered and _ORDINAL.match(line, numbered.end()):
        return 1 if numbered["part"] else 2
    letters = sum(char.isalpha() for char in line)
    return 3 if line.isupper() and letters >= 4 and letters * 2 > len(line) else 0
