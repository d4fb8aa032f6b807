import pytest

from tests.ingestion.parsing.samples import blocks, read, sample
from toulmin.ingestion.parsing.file_format import FileFormat
from toulmin.ingestion.parsing.parse import parse


def test_a_guide():
    document = parse(sample("guide.adoc"), name="guide.adoc")
    assert blocks(document) == [
        ("heading", 1, "Oil prices: Report"),
        ("paragraph", 0, "Preface of the Report with a link, the prices and code. (A note.)"),
        ("heading", 2, "Prices"),
        ("caption", 0, "Prices by year"),
        ("table", 0, "| year | tons |\n|---|---|\n| 2024 | 3,5 |\n| wide |  |"),
        ("caption", 0, "Second"),
        ("table", 0, "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 \\| 5 |"),
        ("list_item", 1, "- one continued"),
        ("list_item", 2, "  - two"),
        ("paragraph", 0, "More on two."),
        ("list_item", 1, "- three"),
        ("list_item", 2, "  1. first"),
        ("list_item", 3, "    1. sub"),
        ("list_item", 2, "  2. second"),
        ("list_item", 3, "    - term: definition"),
        ("list_item", 3, "    - other: Its definition."),
        ("paragraph", 0, "Note: Be careful, very."),
        ("paragraph", 0, "Warning:"),
        ("paragraph", 0, "Hot."),
        ("list_item", 1, "- really"),
        ("code", 0, "```\nx = 1\n== no heading\n```"),
        ("code", 0, "```\n literal text\n   more\n```"),
        ("paragraph", 0, "Shown."),
        ("caption", 0, "An oil rig"),
        ("heading", 3, "Sub with C++"),
        ("paragraph", 0, "A quotation."),
        ("table", 0, "| a | b |\n| 1 | x, y |"),
        ("heading", 2, "Old title"),
        (
            "paragraph",
            0,
            "Line one\nline two with H2O and bold, user_name and a*b*c.",
        ),
    ]
    metadata = document.metadata
    assert metadata.title == "Oil prices: Report"
    assert (metadata.author, metadata.created) == ("A. Writer <a@b.c>; B. Other", "2024-02-01")
    assert document.notes == ("Other files that it includes are not read: other.adoc",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("|===\n.2+|a |b\n|c\n|===", [("table", 0, "| a | b |\n|  | c |")]),
        ('[cols="2*"]\n|===\n2*|x\n|===', [("table", 0, "| x | x |")]),
        ("|===\n|a", [("table", 0, "| a |")]),
        ("----\nnever ended", [("code", 0, "```\nnever ended\n```")]),
        ("////\nsecret\n////\nshown", [("paragraph", 0, "shown")]),
        ("++++\n<b>raw</b>\n++++\nshown", [("paragraph", 0, "shown")]),
        ("```sh\nls\n```", [("code", 0, "```\nls\n```")]),
        (":a: {a}{a}\n\n{a}", [("paragraph", 0, "{a}{a}")]),
        ("ifeval::[1 == 1]\nx\nendif::[]\nendif::[]\ny", [("paragraph", 0, "y")]),
        ("a -- b\n--\nc\n--", [("paragraph", 0, "a -- b"), ("paragraph", 0, "c")]),
        (
            "* [x] done\n* [ ] open",
            [("list_item", 1, "- [x] done"), ("list_item", 1, "- [ ] open")],
        ),
        ("[WARNING]\nHot.", [("paragraph", 0, "Warning: Hot.")]),
        (
            "See xref:b.adoc#c[the +++<u>+++page] or <<d>>.",
            [("paragraph", 0, "See the <u>page or d.")],
        ),
    ],
)
def test_lines(text, expected):
    assert read(text, "a.adoc") == expected


def test_a_block_that_is_not_ended_is_noted():
    document = parse(b"----\nx", mime_type="text/asciidoc")
    assert document.format is FileFormat.ASCIIDOC
    assert document.notes == ("A block is not ended: ----",)


def test_attributes_that_unfold_to_much_stay_as_they_are():
    lines = [
        ":a0: " + "x" * 100,
        *(f":a{n}: " + f"{{a{n - 1}}}" * 10 for n in range(1, 9)),
        "",
        "{a8}",
    ]
    assert len(parse("\n".join(lines).encode(), name="a.adoc").text) <= 100_000
