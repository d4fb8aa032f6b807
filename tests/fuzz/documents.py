"""The targets of document formats.

Of an office file any change to its bytes breaks the ZIP around it and nothing more is read, so that
`office` is given what stands inside and puts the ZIP around it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from itertools import pairwise

from tests.ingestion import files
from toulmin.errors import FailedPrecondition, InvalidArgument, ResourceExhausted, ToulminError
from toulmin.ingestion.parsing.chunking import chunk_document
from toulmin.ingestion.parsing.document import ParsedDocument
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.parse import parse
from toulmin.ingestion.parsing.wire import document_from_message, document_to_message

LIMITS = ParseLimits(
    file_bytes=1_000_000, characters=500_000, blocks=20_000, pages=200, archive_bytes=8_000_000
)
_DEFECTS = (
    AssertionError,
    AttributeError,
    IndexError,
    KeyError,
    NameError,
    RecursionError,
    TypeError,
    ZeroDivisionError,
)
"""What our own code raises by mistake; a reader's library may raise what it likes."""

_MARKUP = (
    *("a.html", "a.md", "a.xml", "a.csv", "a.tsv", "a.json", "a.jsonl", "a.txt"),
    *("a.rst", "a.org", "a.adoc", "a.rtf"),
)
_MEMBERS: tuple[tuple[str, Callable[[str], bytes]], ...] = (
    ("a.docx", files.docx),
    ("a.odt", files.odt),
    ("a.pptx", lambda text: files.pptx([text])),
    ("a.xlsx", files.workbook),
    ("a.epub", lambda text: files.epub([text])),
    ("a.docx", lambda text: files.docx("", **{"word/styles.xml": text})),
    ("a.docx", lambda text: files.docx("", **{"word/_rels/document.xml.rels": text})),
    ("a.epub", lambda text: files.epub(["<p>x</p>"], **{"OPS/a.opf": text})),
)


def any_file(data: bytes) -> None:
    """Bytes of which nobody says what they are."""
    check(data, "a")


def markup(data: bytes) -> None:
    """A text format, by the first byte."""
    if data:
        check(data[1:], _MARKUP[data[0] % len(_MARKUP)])


def office(data: bytes) -> None:
    """What stands in an office file or a book, by the first byte."""
    if data:
        name, made = _MEMBERS[data[0] % len(_MEMBERS)]
        check(made(data[1:].decode("utf-8", "ignore")), name)


def mail(data: bytes) -> None:
    """A message with its parts; one of Outlook's by its first bytes."""
    check(data, "a.eml")


def check(content: bytes, name: str) -> None:
    """Read a file: what comes out is a whole document or an error that names it.

    Raises:
        AssertionError: It is neither.
    """
    try:
        document = parse(content, name=name, limits=LIMITS)
    except ToulminError as error:
        assert isinstance(error, InvalidArgument | ResourceExhausted | FailedPrecondition), error
        assert error.message.startswith(f"{name}:"), error.message
        _no_defect(error)
        return
    _whole(document)


def _no_defect(error: ToulminError) -> None:
    cause = error.__cause__
    if not isinstance(cause, _DEFECTS):
        return
    last = traceback.extract_tb(cause.__traceback__)[-1]
    assert "/toulmin/" not in last.filename, f"{cause!r} in {last.filename}:{last.lineno}"


def _whole(document: ParsedDocument) -> None:
    text = document.text
    text.encode()  # no lone surrogates: the records could not keep it
    assert "\0" not in text
    for block in document.blocks:
        assert 0 <= block.start <= block.end <= len(text)
        assert len({len(row) for row in block.rows}) <= 1
    for one, other in pairwise(document.blocks):
        assert one.end <= other.start
    assert document_from_message(*document_to_message(document)) == document
    end = 0
    for chunk in chunk_document(document):
        assert end <= chunk.start < chunk.end <= len(text)
        assert not text[end : chunk.start].strip()
        end = chunk.end
    assert not text[end:].strip()
