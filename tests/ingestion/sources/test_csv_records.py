import csv
import io
import time

import pytest

from toulmin.errors import InvalidArgument
from toulmin.ingestion.sources import SourceContext, csv_records, open_source, records


def rows(content, start=None, **more):
    stream = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    return list(csv_records.read(stream, start or {}, text_keys=frozenset({"_id"}), **more))


def test_the_first_row_names_the_keys():
    text = '_id,title,n,price,ok,empty\r\n1,"A ""b"", c\r\nd",42,4.20,true,\r\n'
    (found,) = rows(text)
    assert found.value == {
        "_id": "1", "title": 'A "b", c\r\nd', "n": 42, "price": 4.2, "ok": True,
    }  # fmt: skip
    assert type(found.value["n"]) is int


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0), ("-7", -7), ("-0.5", -0.5), ("999999999999999", 999999999999999), ("false", False),
        ("007", "007"), ("+1", "+1"), ("1e5", "1e5"), ("-0", "-0"), (" 1", " 1"), ("1.", "1."),
        (".5", ".5"), ("1,5", "1,5"), ("9999999999999999", "9999999999999999"), ("True", "True"),
        ("NaN", "NaN"), ("1_000", "1_000"), ("٣", "٣"),
    ],
)  # fmt: skip
def test_only_exact_numbers_and_booleans_are_typed(text, value):
    found = csv_records.typed(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"), ("utf-16-le", b""), ("utf-32-le", b"\xff\xfe\0\0"),
        ("cp1252", b""),
    ],
)  # fmt: skip
def test_encodings(encoding, mark):
    text = "_id,name\n" + "".join(f'{n},"Häuser und Straßen\nin Köln"\n' for n in range(100))
    found = rows(mark + text.encode(encoding))
    assert [r.value["_id"] for r in found] == [str(n) for n in range(100)]
    assert {r.value["name"] for r in found} == {"Häuser und Straßen\nin Köln"}


def test_a_byte_of_another_encoding_far_behind_an_ascii_beginning():
    head = b"_id,name\n" + b"1,abcdefgh\n" * 30_000
    found = rows(head + "2,Köln liegt am schönen Rhein\n".encode("cp1252"))
    assert found[-1].value["name"] == "Köln liegt am schönen Rhein"


def test_line_separators_of_unicode_do_not_end_a_row():
    text = "_id,name\n1,a\u2028b\x0bc\x85d\n"
    for encoding in ("utf-8", "utf-16"):
        assert [r.value["name"] for r in rows(text.encode(encoding))] == ["a\u2028b\x0bc\x85d"]


def test_broken_rows_are_errors_and_the_rest_goes_on():
    found = rows('\na,b\n1,2\n\n1,2,3\n1\n"x"y,2\n"p\nq",4\n5,"unclosed\nand\nmore')
    assert [r.where for r in found] == ["line 3", "line 5", "line 6", "line 7", "line 8", "line 10"]
    assert [r.value for r in found if r.value] == [{"a": 1, "b": 2}, {"a": "p\nq", "b": 4}]
    said = [r.error.message for r in found if r.error]
    assert said[:2] == [
        "has 3 values; the first row names 2",
        "has 1 values; the first row names 2",
    ]
    assert "is not CSV" in said[2]
    assert said[3].endswith("(read up to line 12)")


def test_resume_after_every_row():
    text = 'a,b\n1,2\n1\n"x"y,2\n"p\nq",4\n,\n7,8\n'
    found = rows(text)
    for number, record in enumerate(found):
        again = rows(text, record.next)
        assert [(r.where, r.value, r.next) for r in again] == [
            (r.where, r.value, r.next) for r in found[number + 1 :]
        ]


def test_lines_too_long(monkeypatch):
    monkeypatch.setattr(records, "MAX_LINE_BYTES", 20)
    monkeypatch.setattr(csv_records, "MAX_LINE_BYTES", 20)
    found = rows("a,b\n1,2\n" + "x" * 50 + ",2\n3,4\n")
    assert [r.value for r in found] == [{"a": 1, "b": 2}, None, {"a": 3, "b": 4}]
    assert [r.where for r in found] == ["line 2", "line 3", "line 4"]
    wide = rows(("a,b\n1,2\n" + "x" * 50).encode("utf-16"))
    assert "20 characters" in wide[-1].error.message


@pytest.mark.parametrize("text", ["a,,c\n1,2,3\n", "a,b,a\n1,2,3\n", '"a"b,c\n1,2\n'])
def test_a_first_row_that_does_not_name_the_columns(text):
    with pytest.raises(InvalidArgument):
        rows(text)


def test_nothing_in_it():
    assert rows("") == rows("a,b\n") == rows("\n\n") == []


def test_long_values_are_taken():
    (found,) = rows("a,b\n" + "x" * 200_000 + ",1\n")
    assert len(found.value["a"]) == 200_000
    assert csv.field_size_limit() >= records.MAX_LINE_BYTES


def test_as_a_source(tmp_path):
    (tmp_path / "a.csv").write_text("_id,t\n007,x\n,y\n")
    (tmp_path / "b.tsv").write_text("_id\tt\nz\t1,5\n")
    (tmp_path / "c.csv").write_text("t,t\n")
    (tmp_path / "d.txt").write_text("no")
    source = {"files": {"uris": [str(tmp_path)], "schema": "csv"}}
    context = SourceContext(import_roots=(str(tmp_path),))
    items = list(open_source(source, cursor={}, context=context))
    assert [i.document.struct_data for i in items if i.document] == [
        {"_id": "007", "t": "x"}, {"_id": "z", "t": "1,5"},
    ]  # fmt: skip
    said = [i.error.message for i in items if i.error]
    assert "a.csv line 3: _id: is missing or empty" in said[0]
    assert "c.csv: the first row has the name 't' twice" in said[1]


def test_a_first_row_of_many_names_is_read_in_time():
    names = [f"c{number}" for number in range(100_000)]
    began = time.process_time()
    with pytest.raises(InvalidArgument, match="the name 'c7' twice"):
        rows(",".join([*names, "c7"]) + "\n")
    assert time.process_time() - began < 2
