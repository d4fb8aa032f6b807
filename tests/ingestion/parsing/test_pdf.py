import pytest

from tests.ingestion import files
from tests.ingestion.files import text_at
from toulmin.errors import FailedPrecondition, InvalidArgument
from toulmin.ingestion.parsing.formats.pdf import iso_date
from toulmin.ingestion.parsing.parse import parse


def blocks(document):
    return [
        (block.kind.value, block.page, document.text[block.start : block.end])
        for block in document.blocks
    ]


def test_headings_paragraphs_and_pages():
    first = (
        text_at(50, 700, "Big heading", 20)
        + text_at(50, 660, "A paragraph that is long enough to be the body of the document,")
        + text_at(50, 648, "with a second line.")
        + text_at(50, 600, "In bold", font="F2")
        + text_at(50, 580, "More of the body, again long enough to count as such here.")
    )
    document = parse(
        files.pdf([first, text_at(50, 700, "Second page of body text.")]), name="a.pdf"
    )
    assert blocks(document) == [
        ("heading", 1, "Big heading"),
        (
            "paragraph",
            1,
            "A paragraph that is long enough to be the body of the document, with a second line.",
        ),
        ("heading", 1, "In bold"),
        ("paragraph", 1, "More of the body, again long enough to count as such here."),
        ("paragraph", 2, "Second page of body text."),
    ]
    assert document.pages == ("1", "2")
    assert document.metadata.title == "A title"


def test_a_ruled_table_becomes_rows():
    rules = "".join(f"50 {y} m 250 {y} l S\n" for y in (500, 520, 540))
    rules += "".join(f"{x} 500 m {x} 540 l S\n" for x in (50, 150, 250))
    cells = (
        text_at(55, 526, "year")
        + text_at(155, 526, "tons")
        + text_at(55, 506, "2024")
        + text_at(155, 506, "7")
    )
    page = text_at(50, 600, "Before the table.") + rules + cells + text_at(50, 400, "After it.")
    document = parse(files.pdf([page]), name="a.pdf")
    assert [kind for kind, _, _ in blocks(document)] == ["paragraph", "table", "paragraph"]
    assert document.blocks[1].rows == (("year", "tons"), ("2024", "7"))


def test_running_lines_are_left_out():
    pages = [
        text_at(50, 780, "Annual report")
        + text_at(50, 400, f"Body text number {word}.")
        + text_at(300, 20, f"Page {i}")
        for i, word in enumerate(["one", "two", "three", "four"], start=1)
    ]
    text = parse(files.pdf(pages), name="a.pdf").text
    assert "Annual report" not in text
    assert "Page 2" not in text
    assert "Body text number three." in text


def test_an_encrypted_file_is_refused():
    with pytest.raises(InvalidArgument, match=r"a\.pdf: is encrypted") as caught:
        parse(files.pdf([text_at(50, 700, "secret")], encrypted=True), name="a.pdf")
    assert caught.value.reason == "DOCUMENT_ENCRYPTED"


def test_a_file_cut_off_is_refused_or_read():
    with pytest.raises(InvalidArgument, match="damaged") as caught:
        parse(b"%PDF-1.4\n1 0 obj\n<<", name="a.pdf")
    assert caught.value.reason == "DOCUMENT_UNREADABLE"


def test_a_scan_says_that_ocr_is_needed():
    with pytest.raises(FailedPrecondition, match="no text on any of its 1 pages") as caught:
        parse(files.image_pdf(), name="scan.pdf")
    assert caught.value.reason == "OCR_REQUIRED"


@pytest.mark.parametrize(
    ("value", "iso"),
    [
        ("D:20240131120000+01'00'", "2024-01-31T12:00:00+01:00"),
        ("D:20240131120000Z", "2024-01-31T12:00:00Z"),
        ("D:2024", "2024-01-01"),
        ("yesterday", ""),
    ],
)
def test_dates(value, iso):
    assert iso_date(value) == iso
