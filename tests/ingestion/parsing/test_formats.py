import json
from email.message import EmailMessage

import pytest

from tests.ingestion import files
from toulmin.errors import FailedPrecondition, InvalidArgument, ResourceExhausted
from toulmin.ingestion.parsing.document import BlockKind
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.parse import parse


def blocks(document):
    return [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks]


def test_ranges_are_ordered_and_apart_and_cover_the_text():
    document = parse(
        b"# A\n\ntext\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", name="a.md"
    )
    ends = 0
    for block in document.blocks:
        assert document.text[ends : block.start].strip() == ""
        ends = block.end
    assert ends == len(document.text)
    assert [b.kind.value for b in document.blocks] == [
        "heading",
        "paragraph",
        "list_item",
        "list_item",
        "table",
    ]
    assert document.blocks[-1].rows == (("a", "b"), ("1", "2"))
    assert document.text.endswith("| a | b |\n|---|---|\n| 1 | 2 |")


def test_markdown_front_matter_code_and_nested_lists():
    text = '---\ntitle: "Oil"\nlang: en\n---\n1. a *b*\n   - [c](http://d)\n2. e\n\n```\n  x = 1\n```\n'
    document = parse(text.encode(), name="a.md")
    assert document.metadata.title == "Oil"
    assert document.metadata.language == "en"
    assert blocks(document) == [
        ("list_item", "1. a b"),
        ("list_item", "  - c"),
        ("list_item", "2. e"),
        ("code", "```\n  x = 1\n```"),
    ]


@pytest.mark.parametrize("mark", ["<!-- a note -->", "<!-- -->", "<?php ?>", "<!doctype html>"])
def test_marks_without_an_element_are_left_out_of_markdown_and_html(mark):
    document = parse(f"# Oil\n\n{mark}\n\nIt rose.\n".encode(), name="a.md")
    assert blocks(document) == [("heading", "Oil"), ("paragraph", "It rose.")]
    assert not parse(mark.encode(), name="a.html").blocks


def test_html_keeps_content_and_drops_boilerplate():
    page = """<html lang=en><head><title>T</title><meta name=author content="A B"></head><body>
    <nav>Home</nav><div class="cookie-banner">We use cookies</div><script>var x</script>
    <main><h1>Oil &amp; gas</h1><p>Prices <a href=x>rose</a>
    again.<br>Twice.</p><ul><li>one<ul><li>two</li></ul></li></ul><p><b>In bold</b></p>
    <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
    <div hidden>secret</div></main><footer>Imprint</footer></body></html>"""
    document = parse(page.encode(), mime_type="text/html")
    assert blocks(document) == [
        ("heading", "Oil & gas"),
        ("paragraph", "Prices rose again.\nTwice."),
        ("list_item", "- one"),
        ("list_item", "  - two"),
        ("heading", "In bold"),
        ("table", "| a | b |\n|---|---|\n| 1 | 2 |"),
    ]
    assert (document.metadata.title, document.metadata.author) == ("T", "A B")


def test_a_page_of_links_is_not_emptied():
    links = "".join(f"<a href={i}>Link {i}</a> " for i in range(30))
    assert "Link 29" in parse(f"<body><div>{links}</div></body>".encode(), name="a.html").text


def test_docx_headings_lists_tables_images_and_pages():
    body = (
        files.paragraph("Kept", '<w:pStyle w:val="Heading1"/>')
        + "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:t>a</w:t><w:tab/></w:r>"
        '<w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink><w:r><x:blip xmlns:x="x" r:embed="rId1"/></w:r></w:p>'
        + files.paragraph("item", '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>')
        + '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
        + "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>h1</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>h2</w:t></w:r></w:p></w:tc></w:tr>"
        + "<w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    )
    document = parse(files.docx(body), name="a.docx")
    assert blocks(document) == [
        ("heading", "Kept"),
        ("paragraph", "a link"),
        ("list_item", "  - item"),
        ("table", "| h1 | h2 |\n|---|---|\n| wide |  |"),
    ]
    assert [block.page for block in document.blocks] == [1, 1, 1, 2]
    (blob,) = document.blobs
    assert (blob.mime_type, blob.data, blob.page) == ("image/png", files.PNG, 1)
    assert document.text[: blob.position].endswith("a link")


def test_pptx_slides_are_pages_and_titles_come_first():
    document = parse(
        files.pptx(
            [files.shape(["body"], "body") + files.shape(["Title"], "title"), files.shape(["free"])]
        ),
        name="a.pptx",
    )
    assert blocks(document) == [
        ("heading", "Title"),
        ("list_item", "- body"),
        ("paragraph", "free"),
    ]
    assert document.pages == ("1", "2")
    assert document.blocks[-1].page == 2


def test_xlsx_sheets_are_pages_and_numbers_are_plain():
    document = parse(
        files.xlsx([["year", "tons"], [2024, 3.5], [None, None], [2025, 4]]), name="a.xlsx"
    )
    assert blocks(document) == [
        ("heading", "Sales"),
        ("table", "| year | tons |\n|---|---|\n| 2024 | 3.5 |\n| 2025 | 4 |"),
    ]
    assert document.page_identifier(document.blocks[1].page) == "Sales"


def test_a_sheet_that_spans_too_many_cells_is_refused():
    sheet = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    with pytest.raises(ResourceExhausted, match="spans 1048576 rows and 16384 columns"):
        parse(files.workbook(sheet), name="wide.xlsx")


def test_odt_headings_lists_and_tables():
    document = parse(
        files.odt(
            '<text:h text:outline-level="2">H</text:h><text:p>a<text:s text:c="2"/>b<text:line-break/>c</text:p>'
            "<text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>"
            "<table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>"
            "<table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table>"
        ),
        name="a.odt",
    )
    assert blocks(document) == [
        ("heading", "H"),
        ("paragraph", "a b\nc"),
        ("list_item", "- one"),
        ("table", "| x | y |"),
    ]
    assert document.blocks[0].level == 2


def test_epub_chapters_are_pages():
    document = parse(
        files.epub(["<html><body><h1>One</h1><p>a&nbsp;b</p></body></html>", "<p>c</p>"]),
        name="a.epub",
    )
    assert blocks(document) == [("heading", "One"), ("paragraph", "a b"), ("paragraph", "c")]
    assert document.pages == ("1", "2")
    assert document.metadata.title == "A book"


def test_eml_headers_body_attachments_and_images():
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Grüße", "a@example.org", "b@example.org"
    message["Date"] = "Mon, 09 Jan 2023 15:00:43 -0600"
    message.set_content("Hello.\n\nBye.")
    message.add_alternative("<p>Hello.</p>", subtype="html")
    message.add_attachment(files.PNG, maintype="image", subtype="png", filename="logo.png")
    document = parse(message.as_bytes(), name="a.eml")
    assert blocks(document) == [
        ("heading", "Grüße"),
        (
            "paragraph",
            "From: a@example.org\nTo: b@example.org\nDate: Mon, 09 Jan 2023 15:00:43 -0600",
        ),
        ("paragraph", "Hello."),
        ("paragraph", "Bye."),
        ("list_item", f"- Attachment: logo.png (image/png, {len(files.PNG)} bytes)"),
    ]
    assert document.metadata.created == "2023-01-09T15:00:43-06:00"
    assert [blob.name for blob in document.blobs] == ["logo.png"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_finds_the_delimiter(delimiter):
    text = f'name{delimiter}note\nOil{delimiter}"a, b; c"\nGas{delimiter}x\n'
    assert parse(text.encode(), name="a.csv").blocks[0].rows == (
        ("name", "note"),
        ("Oil", "a, b; c"),
        ("Gas", "x"),
    )


def test_csv_with_long_cells_is_read_as_records():
    long = "word " * 200
    document = parse(f"id,text\n1,{long}\n2,{long}\n".encode(), name="a.csv")
    assert [kind for kind, _ in blocks(document)] == ["paragraph", "paragraph"]
    assert document.text.startswith("id: 1\ntext: word word")


def test_json_values_carry_their_paths():
    data = json.dumps([{"a": {"b": [1, True]}, "c": None, "d": "x"}, "y"]).encode()
    assert blocks(parse(data, name="a.json")) == [
        ("paragraph", "a.b: 1\na.b: true\nd: x"),
        ("paragraph", "y"),
    ]


def test_a_damaged_line_of_jsonl_is_named():
    with pytest.raises(InvalidArgument, match="line 2"):
        parse(b'{"a": 1}\n{"a": \n', name="a.jsonl")


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_text_in_any_unicode_encoding(encoding):
    text = "Größe: 5 €.\n\n第二段落。" if "16-" not in encoding else "Plain ASCII text.\n\nTwo."
    assert parse(text.encode(encoding), name="a.txt").text == text


def test_text_in_an_old_encoding_is_guessed_and_noted():
    text = "Москва является столицей Российской Федерации. Это самый большой город страны. " * 5
    document = parse(text.encode("koi8-r"), name="a.txt")
    assert document.text == text.strip()
    assert document.notes == ("Read as koi8-r",)


def test_a_declared_charset_is_believed():
    page = '<html><head><meta charset="windows-1253"></head><body><p>Αθήνα</p></body></html>'
    assert parse(page.encode("windows-1253"), name="a.html").text == "Αθήνα"
    assert (
        parse("Αθήνα".encode("iso8859-7"), mime_type="text/plain; charset=iso-8859-7").text
        == "Αθήνα"
    )


def test_text_headings_and_pages():
    document = parse(b"CHAPTER I\n\nIt was late.\n\f\nTHE END\n", name="a.txt")
    assert [(b.kind, b.level, b.page) for b in document.blocks] == [
        (BlockKind.HEADING, 2, 1),
        (BlockKind.PARAGRAPH, 0, 1),
        (BlockKind.HEADING, 3, 2),
    ]


def test_xml_entities_are_not_expanded_and_files_not_read():
    bomb = (
        '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "boom"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
        "<a><c>text</c><d>&b;&f;</d></a>"
    )
    text = parse(bomb.encode(), name="a.xml").text
    assert "text" in text
    assert "boom" not in text
    assert "root:" not in text


def test_every_text_can_be_written_as_utf8():
    document = parse(b'"\\ud800 a\\u0000b"', name="a.json")
    assert document.text.encode() == "\ufffd ab".encode()


def test_limits_of_characters_and_bytes():
    limits = ParseLimits(characters=10, file_bytes=100)
    with pytest.raises(ResourceExhausted, match=r"a\.txt: .* 10 characters"):
        parse(b"x" * 11, name="a.txt", limits=limits)
    with pytest.raises(ResourceExhausted, match="101 bytes; 100 are allowed"):
        parse(b"x" * 101, name="a.txt", limits=limits)


def test_images_over_the_limits_are_counted():
    body = '<w:p><w:r><w:t>a</w:t><x:blip xmlns:x="x" r:embed="rId1"/></w:r></w:p>'
    document = parse(files.docx(body), name="a.docx", limits=ParseLimits(blobs=0))
    assert document.blobs == ()
    assert document.notes == ("1 images over the limits were left out",)


def test_an_image_needs_ocr():
    with pytest.raises(FailedPrecondition, match="OCR"):
        parse(files.PNG, name="a.png")


def test_html_that_is_nested_too_deeply_is_refused_and_not_stored_empty():
    page = "<p>Before.</p>" + "<div>" * 50_000 + "Words." + "</div>" * 50_000
    with pytest.raises(InvalidArgument, match="nested deeper than 2047"):
        parse(page.encode(), name="a.html")


@pytest.mark.parametrize("depth", [200, 250, 1_000])
@pytest.mark.parametrize("tag", ["div", "b", "q", "ul", "ul><li", "table><tr><td", "blockquote"])
def test_what_is_nested_deeply_is_read_flat(tag, depth):
    names = tag.split("><")
    begin, end = f"<{tag}>", "".join(f"</{name}>" for name in reversed(names))
    levels = depth // len(names)
    inner = "<h2>Pump</h2><p>Warranty of <b>two</b> years.</p><ul><li>One</li><li>Other</li></ul>"
    page = f"<body>{begin * levels}{inner}{end * levels}<p>Behind it.</p></body>"
    for file, name in ((files.epub([page]), "a.epub"), (page.encode(), "a.html")):
        text = " ".join(parse(file, name=name).text.replace("-", "").split())
        assert text == "Pump Warranty of two years. One Other Behind it."


def test_xhtml_that_is_nested_deeply_is_read():
    page = "<html>" + "<b>x" * 250 + "</b>" * 250 + "</html>"
    assert parse(page.encode(), name="a.xml").text.count("x") == 250


def test_code_with_fences_in_it_has_longer_ones():
    document = parse(b"````\n```\nls\n```\n````\n", name="a.md")
    assert document.text == "````\n```\nls\n```\n````"
