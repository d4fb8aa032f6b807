import hashlib
import json
import os

import orjson
import pytest

from toulmin.errors import Aborted, InvalidArgument, NotFound, PermissionDenied, ResourceExhausted
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.sources import SourceContext, check_source, files, open_source, records
from toulmin.ingestion.sources.ids import id_of_data
from toulmin.ingestion.sources.local import LocalStorage


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def write(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def context_of(root, **more):
    return SourceContext(import_roots=(str(root),), **more)


def items_of(root, uris, schema="content", cursor=None, ids="uri", **more):
    source = {"files": {"uris": [str(uri) for uri in uris], "schema": schema, "ids": ids}}
    return list(open_source(source, cursor=cursor or {}, context=context_of(root, **more)))


def names(items):
    return [item.where.rpartition("/")[2] for item in items if item.document]


def errors(items):
    return [item.error.message for item in items if item.error]


def test_each_file_of_a_folder_is_a_document(root):
    write(root, {"b.pdf": "x", "a/c.md": "y", "a b.html": "z"})
    items = items_of(root, [root])
    assert names(items) == ["a%20b.html", "c.md", "b.pdf"]
    document = items[2].document
    uri = (root / "b.pdf").as_uri()
    assert document.id == hashlib.sha256(uri.encode()).hexdigest()[:32]
    assert document.content.uri == uri
    assert [item.document.content.mime_type for item in items] == [
        "text/html",
        "text/markdown",
        "application/pdf",
    ]
    fetched = context_of(root).fetch(document.content.uri)
    assert (fetched.data, fetched.mime_type) == (b"x", "application/pdf")
    status = (root / "b.pdf").stat()
    assert fetched.version == f"{status.st_size}-{status.st_mtime_ns}"
    assert context_of(root).version(uri) == fetched.version


def test_what_is_left_out_is_said(root, tmp_path):
    write(
        root, {"a.txt": "", ".h.txt": "", ".git/x.txt": "", ".git/y.txt": "", "b.exe": "", "c": ""}
    )
    (root / "empty").mkdir()
    (tmp_path / "secret.txt").write_text("s")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "inside.txt").symlink_to(root / "a.txt")
    (root / "broken.txt").symlink_to(root / "nothing")
    (root / "up").symlink_to(root)
    os.mkfifo(root / "pipe.txt")
    items = items_of(root, [root, root / "empty", root / "none.txt"])
    assert names(items) == ["a.txt", "inside.txt"]
    said = dict(
        zip((i.where.rpartition("/")[2] for i in items if i.error), errors(items), strict=True)
    )
    assert {
        name: words in said[name]
        for name, words in (
            (".h.txt", "hidden"),
            (".git", "hidden"),
            ("b.exe", "format"),
            ("c", "format"),
            ("link.txt", "import_roots"),
            ("broken.txt", "no such file"),
            ("up", "link to a folder"),
            ("pipe.txt", "not a regular file"),
            ("empty", "nothing matched"),
            ("none.txt", "nothing matched"),
        )
    } == dict.fromkeys(said, True)


def test_named_files_are_judged_too(root):
    write(root, {".h.txt": "", "b.exe": ""})
    items = items_of(root, [root / ".h.txt", root / "b.exe"])
    assert [type(item.error) for item in items] == [InvalidArgument, InvalidArgument]


def test_patterns_and_doubles(root):
    write(root, {"a.txt": "", "x/b.txt": "", "x/y/c.txt": "", "x/d.md": "", ".git/e.txt": ""})
    assert names(items_of(root, [f"{root}/*.txt"])) == ["a.txt"]
    assert names(items_of(root, [f"{root}/*/*"])) == ["b.txt", "d.md"]
    found = items_of(root, [f"{root}/**/*.txt", root / "a.txt", f"file://{root}/x"])
    assert names(found) == ["a.txt", "b.txt", "d.md", "c.txt"]
    assert errors(found) == []
    assert "nothing matched" in errors(items_of(root, [f"{root}/*.pdf"]))[0]


def test_total_and_resume_after_every_item(root):
    write(root, {f"{n}.txt": "" for n in range(4)} | {"x.exe": "", ".y": ""})
    source = {"files": {"uris": [str(root)], "schema": "content"}}
    opened = open_source(source, cursor={}, context=context_of(root))
    items = list(opened)
    assert opened.total == len(items) == 6
    for number, item in enumerate(items):
        cursor = json.loads(json.dumps(item.cursor))
        again = open_source(source, cursor=cursor, context=context_of(root))
        assert [i.where for i in again] == [i.where for i in items[number + 1 :]]
        assert again.total == 6


def test_files_that_come_or_go_meanwhile(root):
    write(root, {f"{n}.txt": "" for n in "bdf"})
    items = items_of(root, [root])
    (root / "d.txt").unlink()
    write(root, {"a.txt": "", "e.txt": ""})
    assert names(items_of(root, [root], cursor=items[1].cursor)) == ["e.txt", "f.txt"]


def test_ids_that_show_the_path(root, tmp_path):
    write(root, {"a/README": "", "a/x.md": "", "b/x.md": "", "c/é ü.md": "", "d" * 130 + ".md": ""})

    def ids(uris):
        return {i.document.id for i in items_of(root, uris, ids="path") if i.document}

    def mark(path):
        return hashlib.sha256(path.encode()).hexdigest()[:8]

    assert ids([root]) == {
        f"a-x-md-{mark('a/x.md')}",
        f"b-x-md-{mark('b/x.md')}",
        f"c-md-{mark('c/é ü.md')}".replace("c-md", "c-md"),
        "d" * 119 + "-" + mark("d" * 130 + ".md"),
    }
    both = ids([root / "a", root / "b"])
    assert len(both) == 2
    assert f"x-md-{mark('x.md')}" in both
    assert all(len(found) <= 128 for found in ids([root]))


def test_without_roots_everything_is_refused(root):
    write(root, {"a.txt": ""})
    source = {"files": {"uris": [str(root)], "schema": "content"}}
    with pytest.raises(PermissionDenied, match="import_roots"):
        check_source(source, context=SourceContext())
    with pytest.raises(PermissionDenied, match="import_roots"):
        SourceContext().fetch(str(root / "a.txt"))


def test_out_of_the_roots(root, tmp_path):
    (tmp_path / "rootbeer").mkdir()
    write(tmp_path, {"rootbeer/a.txt": "", "secret.txt": "s"})
    (root / "out").symlink_to(tmp_path)
    (root / "file.txt").symlink_to(tmp_path / "secret.txt")
    context = context_of(root)
    for uri in (
        f"{tmp_path}/rootbeer/a.txt", f"{root}/../secret.txt", f"file://{root}/%2e%2e/secret.txt",
        f"{root}/out/secret.txt", f"{root}/file.txt", f"{root}/../none", f"{root}/out/*.txt",
        "/proc/self/environ", "/",
    ):  # fmt: skip
        with pytest.raises(PermissionDenied):
            check_source({"files": {"uris": [uri]}}, context=context)
        with pytest.raises(PermissionDenied):
            context.fetch(uri)


def test_a_root_may_be_a_link_and_may_be_all(root, tmp_path):
    write(root, {"a.txt": "x"})
    (tmp_path / "link").symlink_to(root)
    assert SourceContext(import_roots=(str(tmp_path / "link"),)).fetch(f"{root}/a.txt").data == b"x"
    assert SourceContext(import_roots=("/",)).fetch(f"{root}/a.txt").data == b"x"


def test_fetching_what_is_no_file(root):
    os.mkfifo(root / "pipe")
    context = context_of(root)
    with pytest.raises(InvalidArgument, match="regular"):
        context.fetch(f"{root}/pipe")
    with pytest.raises(InvalidArgument, match="regular"):
        context.fetch(str(root))
    with pytest.raises(NotFound):
        context.fetch(f"{root}/none")
    with pytest.raises(NotFound):
        context.version(f"{root}/none")


def test_too_large(root):
    write(root, {"a.txt": "12345"})
    assert (
        context_of(root, limits=ParseLimits(file_bytes=5)).fetch(f"{root}/a.txt").data == b"12345"
    )
    with pytest.raises(ResourceExhausted, match="4 are allowed"):
        context_of(root, limits=ParseLimits(file_bytes=4)).fetch(f"{root}/a.txt")


def test_a_file_that_changes_is_read_again_three_times(root, monkeypatch):
    write(root, {"a.txt": "old"})
    opened, calls = LocalStorage.open, []

    def changing(self, uri, times):
        calls.append(uri)
        file = opened(self, uri)
        if len(calls) <= times:
            (root / "a.txt").write_text("new" + "!" * len(calls))
        return file

    monkeypatch.setattr(LocalStorage, "open", lambda self, uri: changing(self, uri, 2))
    assert context_of(root).fetch(f"{root}/a.txt").data == b"new!!"
    assert len(calls) == 3
    calls.clear()
    monkeypatch.setattr(LocalStorage, "open", lambda self, uri: changing(self, uri, 3))
    with pytest.raises(Aborted, match="changed while it was read"):
        context_of(root).fetch(f"{root}/a.txt")
    assert len(calls) == 3
    calls.clear()
    assert [type(item.error) for item in items_of(root, [root / "a.txt"], "custom")] == [Aborted]


def test_a_large_file_that_changes_says_so(root, monkeypatch):
    monkeypatch.setattr(files, "MAX_WHOLE_BYTES", 10)
    write(root, {"a.jsonl": '{"_id": "1"}\n{"_id": "2"}\n', "b.jsonl": '{"_id": "3"}\n'})
    source = {"files": {"uris": [str(root)], "schema": "custom"}}
    found = []
    for item in open_source(source, cursor={}, context=context_of(root)):
        found.append(item)
        if len(found) == 1:
            os.utime(root / "a.jsonl", ns=(1, 1))
    assert [item.document.id if item.document else type(item.error) for item in found] == [
        "1", "2", Aborted, "3",
    ]  # fmt: skip


JSONL = (
    b'\xef\xbb\xbf{"id": "a", "structData": {"t": 1}}\r\n\n{broken\n[1]\n{"id": "b", "x": 1}\n'
    b'{"id": "\xff"}\n{"id": "c", "content": {"uri": "gs://b/c.pdf", "mimeType": "application/pdf"}}'
)


def test_lines_of_documents(root):
    write(root, {"a.jsonl": JSONL, "b.ndjson": '{"id": "d"}', "notes.txt": "x"})
    items = items_of(root, [root], "document")
    assert [item.document.id for item in items if item.document] == ["a", "c", "d"]
    assert [item.where.rpartition(" ")[2] for item in items] == ["1", "3", "4", "5", "6", "7", "1"]
    prefix = (root / "a.jsonl").as_uri()
    said = errors(items)
    assert said[0].startswith(f"{prefix} line 3: is not JSON")
    assert said[1] == f"{prefix} line 4: must be a JSON object, as in {{...}}"
    assert said[2].startswith(f"{prefix} line 5: x: there is no such field")
    assert said[3].startswith(f"{prefix} line 6: is not JSON")
    assert items[5].document.content.uri == "gs://b/c.pdf"


@pytest.mark.parametrize("whole", [10, 1 << 20])
def test_resume_within_files(root, monkeypatch, whole):
    monkeypatch.setattr(files, "MAX_WHOLE_BYTES", whole)
    write(root, {"a.jsonl": JSONL, "b.json": '[{"id": "x"}, 5, {"id": "y"}]', "c.jsonl": ""})
    items = items_of(root, [root], "document")
    for number, item in enumerate(items):
        again = items_of(root, [root], "document", cursor=json.loads(json.dumps(item.cursor)))
        assert again == items[number + 1 :] or [(i.where, i.document, i.cursor) for i in again] == [
            (i.where, i.document, i.cursor) for i in items[number + 1 :]
        ]


def test_a_file_that_changed_since_is_read_from_its_beginning(root):
    write(root, {"a.jsonl": '{"id": "1"}\n{"id": "2"}\n{"id": "3"}\n'})
    cursor = items_of(root, [root], "document")[1].cursor
    write(root, {"a.jsonl": '{"id": "0"}\n{"id": "1"}\n'})
    os.utime(root / "a.jsonl", ns=(1, 1))
    again = items_of(root, [root], "document", cursor=cursor)
    assert [item.document.id for item in again] == ["0", "1"]


def test_a_file_that_is_gone_is_said(root):
    write(root, {"a.jsonl": '{"id": "1"}\n{"id": "2"}\n', "b.jsonl": '{"id": "3"}\n'})
    cursor = items_of(root, [root], "document")[0].cursor
    (root / "a.jsonl").unlink()
    again = items_of(root, [root], "document", cursor=cursor)
    assert [type(item.error) for item in again] == [NotFound, type(None)]
    assert items_of(root, [root], "document", cursor=again[0].cursor) == again[1:]


def test_lists_and_single_objects(root):
    write(root, {
        "a.json": ' \n [{"id": "a"},\n 7, {"id": "b"}]',
        "b.json": '{\n "id":\n "c"}',
        "c.json": '{\n "id": ',
        "d.json": "[1, ",
    })  # fmt: skip
    items = items_of(root, [root], "document")
    assert [item.document.id for item in items if item.document] == ["a", "b", "c"]
    said = errors(items)
    assert "a.json item 2: must be" in said[0]
    assert "c.json line 1" in said[1]
    assert "c.json line 2" in said[2]
    assert "d.json: is not JSON" in said[3]
    small = ParseLimits(file_bytes=10)
    assert "has" in errors(items_of(root, [root / "a.json"], "document", limits=small))[0]


def test_a_list_too_large_to_read_whole(root, monkeypatch):
    monkeypatch.setattr(files, "MAX_WHOLE_BYTES", 10)
    write(root, {"a.json": json.dumps([{"id": str(n)} for n in range(20)])})
    small = ParseLimits(file_bytes=50)
    assert "write one object a line" in errors(items_of(root, [root], "document", limits=small))[0]


def test_a_line_too_long_is_one_error(root, monkeypatch):
    monkeypatch.setattr(records, "MAX_LINE_BYTES", 20)
    monkeypatch.setattr(records, "_BLOCK", 7)
    write(root, {"a.jsonl": '{"id": "a"}\n{"id": "' + "x" * 100 + '"}\n{"id": "b"}\n'})
    for whole in (5, 1 << 20):
        monkeypatch.setattr(files, "MAX_WHOLE_BYTES", whole)
        items = items_of(root, [root], "document")
        assert [i.document.id if i.document else i.error.message[-35:] for i in items] == [
            "a", "line 2: has 111 bytes; 20 are allowed"[-35:], "b",
        ]  # fmt: skip
        rest = items_of(root, [root], "document", cursor=items[1].cursor)
        assert [i.document.id for i in rest] == ["b"]
    write(root, {"a.jsonl": '{"id": "' + "x" * 100 + '"}\n{"id": "b"}\n'})
    assert [i.document.id for i in items_of(root, [root], "document") if i.document] == ["b"]


def test_memory_stays_small_with_a_large_file(root):
    import tracemalloc

    line = json.dumps({"_id": "x", "text": "y" * 1000}).encode() + b"\n"
    with (root / "a.jsonl").open("wb") as file:
        for _ in range(20):
            file.write(line * 1000)
    source = {"files": {"uris": [str(root)], "schema": "custom"}}
    tracemalloc.start()
    try:
        count = sum(1 for _ in open_source(source, cursor={}, context=context_of(root)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 20_000
    assert peak < 4 * 1024 * 1024


def test_own_data_with_ids(root):
    write(root, {"a.jsonl": '{"_id": "1", "t": "x"}\n{"t": "y"}\n{"_id": 3}\n{"_id": ""}\n'})
    items = items_of(root, [root], "custom")
    assert items[0].document.id == "1"
    assert items[0].document.struct_data == {"_id": "1", "t": "x"}
    said = errors(items)
    assert "line 2: _id: is missing or empty" in said[0]
    assert "line 3: _id: is 3, not a string" in said[1]
    assert "line 4: _id: is missing or empty" in said[2]
    by_t = items_of(root, [root], "custom", id_field="t")
    assert [item.document.id for item in by_t if item.document] == ["x", "y"]


def test_own_data_with_made_ids(root):
    write(root, {"a.jsonl": '{"a": 1, "b": 2}\n{"b": 2, "a": 1}\n{"a": 1}\n'})
    ids = [i.document.id for i in items_of(root, [root], "custom", auto_generate_ids=True)]
    assert ids[0] == ids[1] != ids[2]
    assert all(len(found) == 32 for found in ids)


@pytest.mark.parametrize(
    ("source", "more", "field"),
    [
        ({}, {}, "source"),
        ({"inline": [], "files": {}}, {}, "source"),
        ({"inline": {}}, {}, "inline"),
        ({"inline": []}, {"auto_generate_ids": True}, "auto_generate_ids"),
        ({"inline": []}, {"id_field": "x"}, "id_field"),
        ({"files": []}, {}, "files"),
        ({"files": {"uris": ["/x"], "other": 1}}, {}, "files"),
        ({"files": {"uris": "/x"}}, {}, "files.uris"),
        ({"files": {"uris": []}}, {}, "files.uris"),
        ({"files": {"uris": [1]}}, {}, "files.uris"),
        ({"files": {"uris": ["/x"] * 101}}, {}, "files.uris"),
        ({"files": {"uris": ["/x"], "schema": "user_event"}}, {}, "files.schema"),
        ({"files": {"uris": ["/x"], "ids": "name"}}, {}, "files.ids"),
        ({"files": {"uris": ["/x"]}}, {"auto_generate_ids": True}, "auto_generate_ids"),
        ({"files": {"uris": ["/x"], "schema": "csv"}}, {"auto_generate_ids": True, "id_field": "x"}, "id_field"),
    ],
)  # fmt: skip
def test_wrong_requests(source, more, field):
    with pytest.raises(InvalidArgument) as caught:
        open_source(source, cursor={}, context=SourceContext(import_roots=("/x",), **more))
    assert caught.value.violations[0].field == field


@pytest.mark.parametrize(
    "uri", ["ftp://x/y", "http://x/y", "memory://x", "relative/path", "/" * 2001]
)
def test_wrong_uris(uri):
    with pytest.raises(InvalidArgument):
        check_source({"files": {"uris": [uri]}}, context=SourceContext(import_roots=("/",)))


def test_inline_documents_and_resume():
    source = {"inline": [{"id": "a"}, {"what": 1}, {"id": "c", "struct_data": {"x": 1}}]}
    opened = open_source(source, cursor={}, context=SourceContext())
    items = list(opened)
    assert opened.total == 3
    assert [item.where for item in items] == ["documents[0]", "documents[1]", "documents[2]"]
    assert items[1].error.violations[0].field == "documents[1].what"
    again = list(open_source(source, cursor=items[1].cursor, context=SourceContext()))
    assert again == items[2:]


def test_a_file_that_breaks_while_it_is_read_is_one_error(root, monkeypatch):
    write(root, {"a.jsonl": '{"id": "1"}\n', "b.jsonl": '{"id": "2"}\n'})
    stat = LocalStorage.stat

    def failing(self, uri):
        if uri.endswith("a.jsonl"):
            raise OSError(5, "Input/output error")
        return stat(self, uri)

    monkeypatch.setattr(LocalStorage, "stat", failing)
    items = items_of(root, [root], "document")
    assert "Input/output error" in items[0].error.message
    assert items[1].document.id == "2"


@pytest.mark.parametrize("depth", [300, 1_000])
def test_data_nested_too_deeply_get_no_id(depth):
    with pytest.raises(InvalidArgument, match="cannot be kept as JSON"):
        id_of_data(orjson.loads('{"a":' * depth + "1" + "}" * depth))
