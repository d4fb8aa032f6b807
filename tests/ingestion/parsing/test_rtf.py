import pytest

from tests.ingestion import files
from tests.ingestion.parsing.samples import blocks, sample
from toulmin.errors import InvalidArgument
from toulmin.ingestion.parsing.file_format import FileFormat
from toulmin.ingestion.parsing.parse import parse


def test_as_word_writes_it():
    document = parse(sample("word.rtf"), name="word.rtf")
    assert blocks(document) == [
        ("heading", 1, "Prices"),
        ("heading", 2, "Within Europe"),
        ("paragraph", 0, "Größe € 5 000 –bold a link and {braces}."),
        ("paragraph", 0, "The note."),
        ("paragraph", 0, "Москва 東京 東京😀 end\nnext line"),
        ("list_item", 1, "- one"),
        ("list_item", 2, "  - two"),
        ("list_item", 1, "1. first"),
        ("table", 0, "| year | tons |\n|---|---|\n| 2024 (est.) | 3,5 |"),
        ("table", 0, "| a | outer x \\| y |\n|---|---|\n| b | c |"),
        ("paragraph", 0, "A picture."),
        ("paragraph", 0, "After the break."),
    ]
    metadata = document.metadata
    assert (metadata.title, metadata.author) == ("Oil € prices", "Jörg")
    assert metadata.created == "2024-02-01T09:05:00"
    assert [(blob.mime_type, blob.data) for blob in document.blobs] == [("image/png", files.PNG)]
    assert document.notes == ()


def test_as_libreoffice_writes_it():
    document = parse(sample("writer.rtf"), mime_type="application/rtf")
    assert document.format is FileFormat.RTF
    assert blocks(document) == [
        ("heading", 1, "Öl und Gas"),
        ("paragraph", 0, "Prices rose – “again” €5 and 東京 😀."),
        ("heading", 2, "Lists"),
        ("list_item", 1, "- one"),
        ("list_item", 2, "  - two"),
        ("list_item", 1, "- three"),
        ("list_item", 1, "1. first"),
        ("list_item", 1, "2. second"),
        ("table", 0, "| year | tons |\n|---|---|\n| 2024 | 3,5 |"),
        ("paragraph", 0, "Afterlink."),
    ]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"\ansicpg1251 \'cc\'ee", "Мо"),
        (r"\mac \'8a", "ä"),
        (r"\uc2\u246\'81\'66x\uc1\u246?y", "öxöy"),
        (r"a{\*\new b}{\fldinst c}d", "ad"),
        (r"\htmlrtf x\htmlrtf0 y", "y"),
        (r"a\bin3 {{{b", "ab"),
        (r"a\'zzb", "azzb"),
        (r"\ansicpg99999 \'e4", "ä"),
        (r"\u99999999 ?a", "\ue0ffa"),
    ],
)
def test_bytes_and_words(body, text):
    assert parse(b"{\\rtf1" + body.encode() + b"}", name="a.rtf").text == text


def test_what_is_cut_off_is_read_as_far_as_it_goes_and_says_so():
    whole = sample("word.rtf")
    document = parse(whole[: whole.index(b"1.\\tab")], name="word.rtf")
    assert document.notes == ("The file is cut off; what is there was read",)
    assert document.text.endswith("- one\n  - two")


def test_what_is_no_rtf():
    with pytest.raises(InvalidArgument, match=r"a\.rtf: is text and not RTF") as caught:
        parse(b"Plain words", name="a.rtf")
    assert caught.value.reason == "DOCUMENT_TYPE_MISMATCH"
    document = parse(sample("word.rtf"), name="a.txt")
    assert (
        document.notes[0] == "is RTF by its first bytes, though its name ends in .txt; read as that"
    )
    assert parse(b"{\\rtf1}", name="a.rtf").notes == ("The file has no text",)
    assert parse(b"{\\rtf1 a} b }}} c", name="a.rtf").text == "a"


def test_groups_nested_too_deeply_are_refused():
    with pytest.raises(InvalidArgument, match="nested deeper than 10000"):
        parse(b"{\\rtf1" + b"{" * 20_000, name="a.rtf")
