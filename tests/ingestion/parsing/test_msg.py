import struct

import pytest

from tests.ingestion import files
from tests.ingestion.ole_files import message, ole, properties
from tests.ingestion.parsing.samples import blocks
from toulmin.errors import InvalidArgument
from toulmin.ingestion.parsing.file_format import FileFormat
from toulmin.ingestion.parsing.parse import parse


def rtf_body(text: str) -> bytes:
    """RTF in its envelope, not compressed (MS-OXRTFCP)."""
    content = text.encode()
    return struct.pack("<II4sI", len(content) + 12, len(content), b"MELA", 0) + content


def test_headers_body_attachments_and_enclosed_messages():
    document = parse(ole(message()), name="a.msg")
    assert document.format is FileFormat.MSG
    assert blocks(document) == [
        ("heading", 1, "Größe der Lieferung"),
        (
            "paragraph",
            0,
            "From: Jörg Müller <j.mueller@example.org>\n"
            "To: Ann <ann@example.org>, Bob <bob@example.org>\nCc: Cleo\n"
            "Date: 2024-02-01T09:05:00+00:00",
        ),
        ("paragraph", 0, "Hello."),
        ("paragraph", 0, "5 € each, 東京."),
        ("list_item", 1, f"- Attachment: logo.png (image/png, {len(files.PNG)} bytes)"),
        ("list_item", 1, "- Attachment: report 2024.pdf (application/pdf, 8000 bytes)"),
        ("heading", 2, "Inside"),
        ("paragraph", 0, "Small talk."),
    ]
    metadata = document.metadata
    assert metadata.title == "Größe der Lieferung"
    assert metadata.author == "Jörg Müller <j.mueller@example.org>"
    assert metadata.created == "2024-02-01T09:05:00+00:00"
    assert metadata.properties["message_id"] == "<1@example.org>"
    assert [(blob.name, blob.data) for blob in document.blobs] == [("logo.png", files.PNG)]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"p1013": "<h1>A</h1>é".encode(), "p3FDE": 65001}, "A\n\né"),
        ({"p1013": "Цена".encode("cp1251"), "p3FDE": 1251}, "Цена"),
        ({"p1009": rtf_body("{\\rtf1\\ansi Body\\par two}")}, "Body\n\ntwo"),
        ({"p1000001E": "Цена".encode("cp1251"), "p3FFD": 1251}, "Цена"),
        ({"p0037": "S", "p1000001E": b"plain"}, "S\n\nplain"),
    ],
)
def test_other_bodies(said, text):
    assert parse(ole(properties(**said)), name="a.msg").text == text


def test_a_packed_body():
    from compressed_rtf import compress

    packed = compress(b"{\\rtf1\\ansi " + b"Many words. " * 50 + b"\\par}")
    assert parse(ole(properties(p1009=packed)), name="a.msg").text == ("Many words. " * 50).strip()
    broken = packed[:20] + b"\0\0\0\0" + packed[24:]
    document = parse(ole(properties(p0037="S", p1009=broken)), name="a.msg")
    assert document.text == "S"
    assert "body is damaged and was left out" in document.notes[0]


def test_an_encrypted_message_gives_its_headers():
    document = parse(ole(properties(p001A="IPM.Note.SMIME", p0037="S", p1000="x")), name="a.msg")
    assert document.text == "S"
    assert document.notes == ("The message is encrypted; only its headers are read",)


def test_what_is_cut_off_or_of_another_kind():
    whole = ole(message())
    for kept in (600, 2000, len(whole) - 600):
        with pytest.raises(InvalidArgument, match=r"^a\.msg: ") as caught:
            parse(whole[:kept], name="a.msg")
        assert caught.value.reason in ("DOCUMENT_UNREADABLE", "DOCUMENT_TYPE_UNSUPPORTED")
    with pytest.raises(InvalidArgument, match="is text and not MSG") as caught:
        parse(b"From: a@b.c", name="a.msg")
    assert caught.value.reason == "DOCUMENT_TYPE_MISMATCH"
    assert parse(whole, name="a.eml").notes == (
        "is MSG by its first bytes, though its name ends in .eml; read as that",
    )


def test_a_message_with_a_workbook_attached_is_a_message():
    inside = ole({"Workbook": b"x" * 10})
    tree = properties(p0037="S") | {
        "__attach_version1.0_#00000000": properties("part", p3707="a.xls", p3701=inside)
    }
    document = parse(ole(tree))
    assert document.format is FileFormat.MSG
    assert document.text.endswith("a.xls (application/vnd.ms-excel, 2560 bytes)")
