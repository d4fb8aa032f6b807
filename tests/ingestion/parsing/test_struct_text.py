import pytest

from toulmin.domain import Document
from toulmin.errors import InvalidArgument, ResourceExhausted
from toulmin.ingestion.parsing.document import BlockKind
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.struct_text import data_link, data_title, document_data, render_data

LONG = "This is a long description of the thing. " * 10


def render(data):
    return render_data(data, limits=ParseLimits())


def test_short_values_are_lines_and_the_title_is_a_heading():
    parsed = render(
        {
            "Title": " Blue  chair ",
            "url": "https://shop.example/1",
            "price": 12.0,
            "weight": 2.5,
            "in_stock": True,
            "tags": ["wood", "blue", None],
            "maker": {"name": "Ada Poe", "city": {"zip": "10115"}},
            "nothing": None,
            "empty": "  ",
        }
    )
    assert parsed.text == (
        "Blue chair\n\nprice: 12\nweight: 2.5\nin_stock: true\ntags: wood, blue\n"
        "maker.name: Ada Poe\nmaker.city.zip: 10115"
    )
    assert parsed.blocks[0].kind is BlockKind.HEADING


def test_a_long_value_is_prose_and_several_are_headed():
    assert render({"id": 3, "text": LONG}).text == f"id: 3\n\n{LONG.strip()}"
    parsed = render({"pros": f"{LONG}\n\nSecond.", "cons": LONG, "id": 3})
    headings = [
        parsed.text[block.start : block.end]
        for block in parsed.blocks
        if block.kind is BlockKind.HEADING
    ]
    assert headings == ["pros", "cons"]
    assert parsed.text.startswith("id: 3\n\npros\n\nThis is")


def test_records_in_a_list_are_paragraphs():
    parsed = render({"sizes": [{"name": "S", "cm": 40}, {"name": "L", "cm": 60}], "kind": "coat"})
    assert parsed.text == (
        "sizes.name: S\nsizes.cm: 40\n\nsizes.name: L\nsizes.cm: 60\n\nkind: coat"
    )


def test_vectors_are_left_out_with_a_note():
    parsed = render({"a": "b", "vector": [0.5] * 768})
    assert parsed.text == "a: b"
    assert parsed.notes == ("vector: 768 numbers were left out of the text",)


def test_whatever_has_a_link_can_be_found_by_it():
    assert render({"link": "https://a.example/x"}).text == "https://a.example/x"
    assert render({}).notes == ("The document has no text",)
    assert render(None).text == ""
    assert render(["one", {"two": 2}]).text == "one\n\ntwo: 2"


def test_title_and_link_by_any_spelling():
    assert data_title({"name": "b", "TITLE": "a"}) == "a"
    assert data_title({"title": 3, "headline": "c"}) == "c"
    assert data_title({"Title": "first", "title": "second"}) == "first"
    assert data_title(["title"]) == ""
    assert data_link({"Link": "l", "URI": "u"}) == "u"


def test_data_in_either_form():
    assert document_data(Document(id="a", json_data='{"a": [1]}')) == {"a": [1]}
    assert document_data(Document(id="a", struct_data={"a": 1})) == {"a": 1}
    assert document_data(Document(id="a")) is None
    for wrong in ("{", "[" * 100_000):
        with pytest.raises(InvalidArgument, match="json_data: is not JSON"):
            document_data(Document(id="a", json_data=wrong))


def test_too_deep_or_too_long():
    deep = value = {}
    for _ in range(200):
        value["a"] = {}
        value = value["a"]
    with pytest.raises(InvalidArgument, match="nested deeper than 100"):
        render(deep)
    with pytest.raises(ResourceExhausted):
        render_data({"a": LONG}, limits=ParseLimits(characters=100))


def test_control_characters_and_lone_surrogates_are_taken_out():
    assert render({"a\ud800": "x\x00y\ud800"}).text == "a\ufffd: xy\ufffd"
