import pytest

from tests.ingestion.parsing.samples import blocks, read, sample
from toulmin.ingestion.parsing.file_format import FileFormat
from toulmin.ingestion.parsing.parse import parse


def test_a_page():
    document = parse(sample("page.rst"), name="page.rst")
    assert blocks(document) == [
        ("heading", 1, "Oil prices"),
        ("heading", 2, "Lists"),
        ("paragraph", 0, "Text with hello and a page and code, c and a link [1]."),
        ("paragraph", 0, "[1] The note."),
        ("paragraph", 0, "Note: Be careful."),
        ("code", 0, "```\nx = 1\n```"),
        ("caption", 0, "Cap"),
        ("table", 0, "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("heading", 3, "Sub"),
        ("list_item", 1, "1. one"),
        ("list_item", 2, "  - two"),
        ("paragraph", 0, "para"),
        ("list_item", 1, "2. three"),
        ("list_item", 1, "- term (cls): definition"),
        ("paragraph", 0, "more"),
        ("list_item", 1, "- -v, --verbose: Say more."),
        ("table", 0, "| a | b |\n|---|---|\n| wide |  |\n| 1 | 2 |"),
        ("caption", 0, "An oil rig"),
        ("paragraph", 0, "Linux"),
        ("paragraph", 0, "body text"),
        ("paragraph", 0, "f(x) -> int"),
        ("paragraph", 0, "Returns x."),
        ("paragraph", 0, "Added in version 3.2\nThe thing."),
        ("paragraph", 0, "a\nb"),
    ]
    metadata = document.metadata
    assert (metadata.title, metadata.author) == ("Oil prices", "A. Writer")
    assert (metadata.created, metadata.properties) == ("2024-02-01", {"version": "3"})


def test_nothing_is_included_and_the_page_says_so():
    document = parse(
        b".. include:: /etc/passwd\n\n.. csv-table::\n   :file: /etc/passwd\n\n"
        b".. literalinclude:: b.py\n\n.. raw:: html\n   :file: /etc/passwd\n\nText.\n",
        name="a.rst",
    )
    assert document.text == "```\n.. csv-table::\n   :file: /etc/passwd\n```\n\nText."
    assert document.notes == ("Other files that it includes are not read: /etc/passwd, b.py",)


def test_sections_without_a_title_are_the_highest():
    assert read("One\n===\n\nx\n\nTwo\n===\n\ny\n", "a.rst") == [
        ("heading", 1, "One"),
        ("paragraph", 0, "x"),
        ("heading", 1, "Two"),
        ("paragraph", 0, "y"),
    ]


def test_a_role_of_one_page_is_not_known_in_the_next():
    first = read(".. role:: ref(strong)\n\n:ref:`a <b>`\n", "a.rst")
    assert first == [("paragraph", 0, "a <b>")]
    assert read(":ref:`a <b>`\n", "a.rst") == [("paragraph", 0, "a")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Bad *emphasis and `role", "Bad *emphasis and `role"),
        ("An |unknown| one and missing_.", "An |unknown| one and missing_."),
        ("=====\nOver\n====\n", None),
        ("+---+\n| a |\n", "```\n+---+\n| a |"),
        (".. note::\n", "```\n.. note::"),
        ("", ""),
    ],
)
def test_what_is_wrong_does_not_lose_the_rest(text, shown):
    document = parse((text + "\n\nLast words.\n").encode(), name="a.rst")
    assert document.text.endswith("Last words.")
    if shown:
        assert document.text.startswith(shown)


def test_the_stated_types():
    for mime_type in ("text/x-rst", "text/prs.fallenstein.rst"):
        assert parse(b"*a*", mime_type=mime_type).format is FileFormat.RST
    assert parse(b"*a*", mime_type="text/plain", name="a.rst").text == "a"


def test_options_that_only_sphinx_has():
    page = ".. image:: a.png\n   :loading: lazy\n   :alt: A rig\n\n.. table:: T\n   :x: y\n\n   ==  ==\n   a   b\n   ==  ==\n"
    assert read(page, "a.rst") == [
        ("caption", 0, "A rig"),
        ("caption", 0, "T"),
        ("table", 0, "| a | b |"),
    ]
