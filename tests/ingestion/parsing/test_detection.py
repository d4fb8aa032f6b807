import pytest

from tests.ingestion import files
from tests.ingestion.ole_files import ole
from toulmin.errors import InvalidArgument, ResourceExhausted
from toulmin.ingestion.parsing.file_format import FileFormat
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.parse import parse


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (files.pdf([files.text_at(50, 700, "x")]), FileFormat.PDF),
        (files.docx(files.paragraph("x")), FileFormat.DOCX),
        (files.pptx([files.shape(["x"])]), FileFormat.PPTX),
        (files.xlsx([["x"]]), FileFormat.XLSX),
        (files.odt("<text:p>x</text:p>"), FileFormat.ODT),
        (files.epub(["<p>x</p>"]), FileFormat.EPUB),
        (b"{\\rtf1 x}", FileFormat.RTF),
        (b"<!DOCTYPE html><p>x", FileFormat.HTML),
        (b"<?xml version='1.0'?><a>x</a>", FileFormat.XML),
        (b"From: a\nTo: b\nSubject: c\n\nx", FileFormat.EML),
        (b'{"a": 1}', FileFormat.JSON),
        (b'{"a": 1}\n{"a": 2}\n', FileFormat.JSONL),
        (b"{not json}", FileFormat.TEXT),
        (b"", FileFormat.TEXT),
    ],
)
def test_bytes_alone_tell_the_format(content, expected):
    assert parse(content).format is expected


def test_the_wrong_ending_is_noted_and_the_bytes_win():
    document = parse(files.docx(files.paragraph("x")), name="report.pdf")
    assert document.format is FileFormat.DOCX
    assert document.notes == (
        "is DOCX by its first bytes, though its name ends in .pdf; read as that",
    )


def test_the_stated_type_wins_over_the_name():
    assert parse(b"a,b\n1,2", mime_type="text/csv", name="a.txt").format is FileFormat.CSV
    assert parse(b"# a", mime_type="text/plain", name="a.md").format is FileFormat.MARKDOWN
    assert (
        parse(b"a,b", mime_type="application/octet-stream", name="a.csv").format is FileFormat.CSV
    )


@pytest.mark.parametrize(
    ("content", "name", "message", "reason"),
    [
        (b"404 not found", "a.pdf", "is text and not PDF", "DOCUMENT_TYPE_MISMATCH"),
        (b"\x7fELF\0\0\0\0", "a.bin", "neither text nor", "DOCUMENT_TYPE_UNSUPPORTED"),
        (
            files.zipped({"a.txt": "x"}),
            "a.docx",
            "ZIP container but none of",
            "DOCUMENT_TYPE_UNSUPPORTED",
        ),
        (files.docx(files.paragraph("x"))[:-40], "a.docx", "damaged ZIP", "DOCUMENT_UNREADABLE"),
        (
            files.zipped({"word/document.xml": "<a>"}),
            "a.docx",
            "not well-formed",
            "DOCUMENT_UNREADABLE",
        ),
        (
            ole({"EncryptedPackage": b"x", "EncryptionInfo": b"y"}),
            "a.docx",
            "encrypted Office file",
            "DOCUMENT_ENCRYPTED",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage\0".encode("utf-16-le"),
            "a.docx",
            "encrypted Office file",
            "DOCUMENT_ENCRYPTED",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0",
            "a.doc",
            "none of DOC, PPT, XLS and MSG",
            "DOCUMENT_TYPE_UNSUPPORTED",
        ),
        (
            files.odt("", manifest="<manifest><encryption-data/></manifest>"),
            "a.odt",
            "is encrypted",
            "DOCUMENT_ENCRYPTED",
        ),
    ],
)
def test_what_cannot_be_read_says_why(content, name, message, reason):
    with pytest.raises(InvalidArgument, match=message) as caught:
        parse(content, name=name)
    assert caught.value.reason == reason
    assert caught.value.message.startswith(f"{name}: ")


def test_a_zip_bomb_is_refused_before_it_unpacks():
    limits = ParseLimits(archive_ratio=100)
    with pytest.raises(ResourceExhausted, match="times its packed size"):
        parse(files.bomb(3 << 20), name="a.docx", limits=limits)
    with pytest.raises(ResourceExhausted, match="unpacks to more than 1048576 bytes"):
        parse(
            files.bomb(3 << 20),
            name="a.docx",
            limits=ParseLimits(archive_bytes=1 << 20, archive_ratio=5000),
        )
    with pytest.raises(ResourceExhausted, match="holds 4 files; 3 are allowed"):
        parse(files.docx(files.paragraph("x")), limits=ParseLimits(archive_members=3))


def test_comments_before_a_page_are_passed_over_in_time():
    comments = b"<!-- a --> <!---->\n" * 30
    page = parse(comments + b"<html><body><p>Text.</p></body></html>", name="a")
    assert (page.format, page.text) == (FileFormat.HTML, "Text.")
    assert parse(comments + b"<p>Text.</p>", name="a").format is FileFormat.TEXT
