import pytest

from toulmin.errors import InvalidArgument
from toulmin.ingestion.sources.uri import local_target, local_uri, object_target, scheme_of


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("*.pdf", ["a.pdf", ".pdf"], ["a.txt", "x/a.pdf", "a.pdf/x"]),
        ("**", ["a", "x/a", "x/y/a"], []),
        ("**/*.md", ["a.md", "x/a.md", "x/y/a.md"], ["a.txt"]),
        ("*/b", ["x/b"], ["b", "x/y/b"]),
        ("a*b*c", ["abc", "a1b2c", "abbc"], ["ab", "acb", "abcd"]),
        ("ab*ba", ["abba", "abxba"], ["aba"]),
        ("x/**/y", [], []),
        ("*/**/y", ["x/y", "x/1/y", "x/1/2/y"], ["y", "x/y/z"]),
        ("**/**/a", ["a", "x/a", "x/y/z/a"], ["b"]),
    ],
)
def test_patterns(pattern, matching, others):
    target = object_target(f"gs://bucket/{pattern}")
    assert [name for name in matching if not target.matches(name)] == []
    if target.pattern:
        assert [name for name in others if target.matches(name)] == []


def test_a_pattern_made_to_be_slow_is_not():
    target = object_target("gs://b/" + "**/" * 60 + "*a" * 200 + "b")
    assert not target.matches("/".join(["a" * 300] * 60))


@pytest.mark.parametrize(
    ("uri", "base"),
    [
        ("/a/b.txt", "/a/b.txt"),
        ("//a//b/", "/a/b"),
        ("/a/../b", "/b"),
        ("/../../b", "/b"),
        ("file:///a/b%20c.txt", "/a/b c.txt"),
        ("file:///a/%2e%2e/b", "/b"),
        ("file://localhost/a", "/a"),
        ("file:///a/%2A.txt", "/a/*.txt"),
        ("/a%20b", "/a%20b"),
        ("/a/*/c", "/a"),
        ("/", "/"),
    ],
)
def test_paths(uri, base):
    assert local_target(uri).base == base


def test_a_path_and_its_uri():
    for path in ("/a/b c#d?e%41*.txt", "/ü/\udcff"):
        assert local_target(local_uri(path)).base == path
        assert local_target(local_uri(path)).pattern == ()


@pytest.mark.parametrize("uri", ["file://host/a", "file://", "/a/*/../b", "file:///a%00b"])
def test_wrong_file_uris(uri):
    with pytest.raises(InvalidArgument):
        local_target(uri)


@pytest.mark.parametrize("uri", ["gs://", "gs:///a", "s3://b*/a"])
def test_wrong_object_uris(uri):
    with pytest.raises(InvalidArgument):
        object_target(uri)


@pytest.mark.parametrize("uri", ["", "a/b", "~/a", "C:\\x", "/a\nb", "gs://b/\0", "/" + "a" * 2000])
def test_no_uris(uri):
    with pytest.raises(InvalidArgument):
        scheme_of(uri)


def test_schemes():
    assert [scheme_of(uri) for uri in ("/a", "FILE:///a", "gs://b")] == ["file", "file", "gs"]
