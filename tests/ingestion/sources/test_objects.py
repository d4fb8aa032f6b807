import sys

import pytest

from tests.ingestion.sources.object_server import ObjectServer
from toulmin.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    Unavailable,
)
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.sources import SourceContext, check_source, files, objects, open_source


def items_of(context, uris, schema="content", cursor=None):
    source = {"files": {"uris": uris, "schema": schema}}
    return list(open_source(source, cursor=cursor or {}, context=context))


def names(items):
    return [item.where for item in items if item.document]


def s3(server, monkeypatch):
    pytest.importorskip("s3fs")
    for name, value in (
        ("AWS_ACCESS_KEY_ID", "id"),
        ("AWS_SECRET_ACCESS_KEY", "key"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
        ("AWS_ENDPOINT_URL_S3", server.url),
    ):
        monkeypatch.setenv(name, value)
    options = {"client_kwargs": {"endpoint_url": server.url}}
    return {"s3": options}


def gs(server, monkeypatch):
    # Asks Google's own server over gRPC for the kind of bucket otherwise; read at import.
    monkeypatch.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")
    pytest.importorskip("gcsfs")
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.url)
    return {"gs": {"endpoint_url": server.url, "token": "anon"}}


@pytest.fixture(params=["s3", "gs"])
def store(request, monkeypatch):
    """Scheme, server and context of a real client package against a server."""
    server = ObjectServer()
    options = {"s3": s3, "gs": gs}[request.param](server, monkeypatch)
    scheme = request.param
    context = SourceContext(import_roots=(f"{scheme}://bucket",), storage_options=options)
    yield scheme, server, context
    server.close()


def test_listing_and_reading(store):
    scheme, server, context = store
    server.objects = {
        "docs/a.pdf": b"pdf", "docs/b c.md": b"md", "docs/sub/d.txt": b"d", "docs/e.exe": b"e",
        "docs/.git/x.txt": b"", "docs/.git/y.txt": b"", "docs2/no.txt": b"", "docs/f.html": b"f",
    }  # fmt: skip
    items = items_of(context, [f"{scheme}://bucket/docs"])
    assert names(items) == [
        f"{scheme}://bucket/docs/{name}" for name in ("a.pdf", "b c.md", "f.html", "sub/d.txt")
    ]
    assert [i.where.rpartition("/")[2] for i in items if i.error] == [".git", "e.exe"]
    fetched = context.fetch(f"{scheme}://bucket/docs/b c.md")
    assert (fetched.data, fetched.mime_type) == (b"md", "text/markdown")
    assert fetched.version == context.version(f"{scheme}://bucket/docs/b c.md") != ""
    server.objects["docs/b c.md"] = b"MD"
    assert context.version(f"{scheme}://bucket/docs/b c.md") != fetched.version
    assert names(items_of(context, [f"{scheme}://bucket/docs/*.md"])) == items_where(
        scheme, "b c.md"
    )
    deep = names(
        items_of(context, [f"{scheme}://bucket/docs/**/*.txt", f"{scheme}://bucket/docs/f.html"])
    )
    assert deep == items_where(scheme, "f.html", "sub/d.txt")
    server.objects["docs/new.md"] = b""
    assert len(names(items_of(context, [f"{scheme}://bucket/docs/*.md"]))) == 2


def items_where(scheme, *found):
    return [f"{scheme}://bucket/docs/{name}" for name in found]


def test_a_large_file_is_read_in_parts(store, monkeypatch):
    scheme, server, context = store
    lines = [f'{{"_id": "{n}", "text": "{"x" * 1000}"}}\n'.encode() for n in range(12_000)]
    server.objects = {"big.jsonl": b"".join(lines)}
    monkeypatch.setattr(files, "MAX_WHOLE_BYTES", 1024)
    items = items_of(context, [f"{scheme}://bucket/big.jsonl"], "custom")
    assert [i.document.id for i in items] == [str(n) for n in range(12_000)]
    server.requests.clear()
    rest = items_of(context, [f"{scheme}://bucket/big.jsonl"], "custom", items[11_989].cursor)
    assert [i.document.id for i in rest] == [str(n) for n in range(11_990, 12_000)]
    ranges = [row[3] for row in server.requests if row[3]]
    starts = [int(row.partition("=")[2].partition("-")[0]) for row in ranges]
    assert starts
    assert min(starts) > 6_000_000  # the beginning is not fetched again


def test_what_is_not_there(store):
    scheme, server, context = store
    server.objects = {"a.txt": b"12345"}
    for call in (context.fetch, context.version):
        with pytest.raises(NotFound, match="no such object"):
            call(f"{scheme}://bucket/none.txt")
    (item,) = items_of(context, [f"{scheme}://bucket/none/"])
    assert isinstance(item.error, NotFound)
    small = SourceContext(
        import_roots=context.import_roots,
        storage_options=context.storage_options,
        limits=ParseLimits(file_bytes=4),
    )
    with pytest.raises(ResourceExhausted):
        small.fetch(f"{scheme}://bucket/a.txt")


def test_only_beneath_the_roots():
    context = SourceContext(import_roots=("s3://bucket/docs", "/data"))
    for uri in ("s3://other/x", "s3://bucket/docs2/x", "s3://bucket", "gs://bucket/docs/x"):
        with pytest.raises(PermissionDenied, match="import_roots"):
            context.fetch(uri)
        with pytest.raises(PermissionDenied, match="import_roots"):
            check_source({"files": {"uris": [uri]}}, context=context)
    with pytest.raises(InvalidArgument, match="bucket"):
        context.fetch("s3:///x")


def test_a_missing_package_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    context = SourceContext(import_roots=("gs://b",))
    with pytest.raises(FailedPrecondition, match=r"pip install 'toulmin\[gcs\]'"):
        check_source({"files": {"uris": ["gs://b/x"]}}, context=context)


@pytest.fixture
def memory(monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setitem(objects.PACKAGES, "memory", ("fsspec", "none"))
    found = fsspec.filesystem("memory", use_listings_cache=False)
    found.store.clear()
    yield found
    found.store.clear()


def test_any_file_system_of_fsspec(memory):
    for name in ("a.jsonl", "x/b.jsonl", "x/c.txt"):
        memory.pipe(f"/b/{name}", f'{{"_id": "{name}"}}\n'.encode())
    context = SourceContext(import_roots=("memory://b",))
    items = items_of(context, ["memory://b"], "custom")
    assert [i.document.id for i in items] == ["a.jsonl", "x/b.jsonl"]
    assert items_of(context, ["memory://b"], "custom", items[0].cursor) == items[1:]
    assert names(items_of(context, ["memory://b/*.jsonl"], "custom")) == [
        "memory://b/a.jsonl line 1"
    ]


def test_failures_of_the_package_become_ours(memory, monkeypatch):
    memory.pipe("/b/a.txt", b"x")
    context = SourceContext(import_roots=("memory://b",))

    def failing(*_, **__):
        raise RuntimeError("quota")

    monkeypatch.setattr(type(memory), "open", failing)
    with pytest.raises(Unavailable, match="RuntimeError: quota"):
        context.fetch("memory://b/a.txt")

    def forbidden(*_, **__):
        raise PermissionError("403")

    monkeypatch.setattr(type(memory), "open", forbidden)
    with pytest.raises(PermissionDenied, match="credentials"):
        context.fetch("memory://b/a.txt")
