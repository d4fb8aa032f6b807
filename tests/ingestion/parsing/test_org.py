import time

import pytest

from tests.ingestion.parsing.samples import blocks, read, sample
from toulmin.ingestion.parsing.file_format import FileFormat
from toulmin.ingestion.parsing.parse import parse


def test_notes():
    document = parse(sample("notes.org"), name="notes.org")
    assert blocks(document) == [
        ("paragraph", 0, "Preface with a link and bold."),
        ("heading", 1, "Prices"),
        ("paragraph", 0, "SCHEDULED: <2024-01-02 Tue>"),
        ("paragraph", 0, "Text of prices."),
        ("list_item", 1, "- one continued"),
        ("list_item", 2, "  1. two"),
        ("list_item", 1, "- [X] three"),
        ("list_item", 1, "- term: definition"),
        ("table", 0, "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("heading", 2, "Code"),
        ("code", 0, "```\nx = 1\n* not heading\n```"),
        ("caption", 0, "A picture"),
        ("paragraph", 0, "./a.png"),
        ("heading", 1, "Last thing [1]"),
        ("paragraph", 0, "Quoted text here."),
        ("code", 0, "```\nfixed\n  more\n```"),
        ("paragraph", 0, "CLOSED: [2024-01-01 Mon]"),
        ("list_item", 1, "- plus"),
        ("list_item", 2, "  - sub"),
        ("paragraph", 0, "para in item"),
        (
            "paragraph",
            0,
            "A line with path/to/file and a_b_c and 2*3*4, code verb old.\nNext line.",
        ),
        ("paragraph", 0, "[1] The note."),
    ]
    metadata = document.metadata
    assert (metadata.title, metadata.author) == ("Oil prices", "A. Writer")
    assert metadata.created == "2024-02-01"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#+TODO: NEXT | DROPPED\n* NEXT a", [("heading", 1, "a")]),
        ("* TODOS are no task", [("heading", 1, "TODOS are no task")]),
        ("*no heading*", [("paragraph", 0, "no heading")]),
        ("| a | b |", [("table", 0, "| a | b |")]),
        ("#+begin_src\nnever ended", [("paragraph", 0, "never ended")]),
        (":LOGBOOK:\n- never ended", [("list_item", 1, "- never ended")]),
        ("[[https://x.y][a [b] c]] [[z]]", [("paragraph", 0, "a [b] c z")]),
        ("a[fn:: inline] b", [("paragraph", 0, "a ( inline) b")]),
    ],
)
def test_lines(text, expected):
    assert read(text, "a.org") == expected


def test_what_is_not_read_is_noted():
    document = parse(b'#+INCLUDE: "/etc/passwd"\n#+begin_src\nx', mime_type="text/org")
    assert document.format is FileFormat.ORG
    assert document.text == "x"
    assert document.notes == (
        'Other files that it includes are not read: "/etc/passwd"',
        "A block is not ended: #+begin_src",
    )


def test_drawers_without_an_end_are_told_apart():
    text = ":PROPERTIES:\nkept\n* A\n:PROPERTIES:\nhidden\n:END:\nseen\n:PROPERTIES:\nlast\n"
    document = parse(text.encode(), name="a.org")
    assert [block[2] for block in blocks(document)] == ["kept", "A", "seen", "last"]


def test_many_drawers_without_an_end_are_read_in_time():
    began = time.process_time()
    parse(b":PROPERTIES:\n\n" * 9_000, name="a.org")
    assert time.process_time() - began < 2
