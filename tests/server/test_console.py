"""The console's files over HTTP: which there are, with which headers, and that no others are."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

from tests.server.conftest import request
from toulmin.server.console import console_files

CONSOLE = Path(__file__).parents[2] / "src" / "toulmin" / "console"
TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


def test_the_first_page_is_at_the_root(server):
    reply = request(server, "GET", "/")
    assert reply.status == 200
    assert reply.headers["content-type"] == "text/html; charset=UTF-8"
    assert b'src="/console/app.js"' in reply.body


@pytest.mark.parametrize("path", sorted(console_files()))
def test_a_file_has_its_type_its_policy_and_its_bytes(server, path):
    source = CONSOLE / (path.removeprefix("/console/").lstrip("/") or "index.html")
    reply = request(server, "GET", path)
    assert reply.status == 200
    assert reply.body == source.read_bytes()
    assert reply.headers["content-type"].startswith(TYPES[source.suffix])
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["referrer-policy"] == "no-referrer"
    policy = dict(
        part.split(" ", 1) for part in reply.headers["content-security-policy"].split("; ")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "set-cookie" not in reply.headers


def imported_by(file, found):
    """Add to `found` every file that a module imports before it runs."""
    if file not in found:
        found.add(file)
        pattern = r'^(?:import|export)[^;]*?from\s+"([^"]+)"'
        for name in re.findall(pattern, file.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            imported_by((file.parent / name).resolve(), found)
    return found


def test_the_first_page_names_every_module_that_it_imports():
    """Else the browser learns of a module only when it has read the one that imports it."""
    page = (CONSOLE / "index.html").read_text("utf-8")
    named = re.findall(r'rel="modulepreload" href="/console/([^"]+)"', page)
    needed = imported_by((CONSOLE / "app.js").resolve(), set())
    assert sorted([*named, "app.js"]) == sorted(
        str(file.relative_to(CONSOLE.resolve())) for file in needed
    )


def test_a_browser_that_has_the_file_gets_304(server):
    first = request(server, "GET", "/console/app.js")
    assert first.headers["cache-control"] == "no-cache"
    again = request(
        server, "GET", "/console/app.js", headers={"If-None-Match": first.headers["etag"]}
    )
    assert (again.status, again.body) == (304, b"")
    other = request(server, "GET", "/console/app.js", headers={"If-None-Match": '"other"'})
    assert other.status == 200


def test_a_browser_that_can_unpack_gets_it_packed(server):
    plain = request(server, "GET", "/console/css/base.css")
    packed = request(
        server, "GET", "/console/css/base.css", headers={"Accept-Encoding": "br, gzip"}
    )
    assert packed.headers["content-encoding"] == "gzip"
    assert "accept-encoding" in packed.headers["vary"].lower()
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body)


def test_head_sends_no_body(server):
    reply = request(server, "HEAD", "/")
    assert (reply.status, reply.body) == (200, b"")
    assert int(reply.headers["content-length"]) > 0


@pytest.mark.parametrize(
    "path",
    [
        "/console/",
        "/console/nothing.js",
        "/console/vendor/preact.LICENSE",
        "/console/../settings.py",
        "/console/%2e%2e/settings.py",
        "/console/..%2fsettings.py",
        "/console//app.js",
        "/console/app.js/",
        "/index.html",
        "/console/app.js%00",
    ],
)
def test_nothing_else_is_served(server, path):
    assert request(server, "GET", path).status == 404


def test_the_console_only_reads(server):
    assert request(server, "POST", "/", b"{}").status == 404
    assert request(server, "DELETE", "/console/app.js").status == 404


def test_pages_need_no_key_and_what_they_ask_for_does(serve):
    server = serve(api_keys=("a-long-secret-key",))
    assert request(server, "GET", "/").status == 200
    assert request(server, "GET", "/console/app.js").status == 200
    assert request(server, "GET", "/v1/toulmin/caller").status == 401
    key = {"x-goog-api-key": "a-long-secret-key"}
    assert request(server, "GET", "/v1/toulmin/caller", headers=key).json["role"] == "admin"


def test_a_strange_host_name_gets_no_page_from_an_open_server(server):
    assert request(server, "GET", "/", headers={"Host": "evil.example"}).status == 403


def test_the_log_says_which_file(server, log):
    request(server, "GET", "/console/app.js?key=secret-key")
    assert log.requests()[0]["path"] == "GET /console/app.js"
    assert "secret-key" not in log.text


def test_no_file_asks_anything_of_another_machine_or_runs_inline():
    for path in CONSOLE.rglob("*"):
        if path.suffix not in TYPES or path.parent.name == "vendor":
            continue
        text = path.read_text(encoding="utf-8")
        addresses = re.findall(r"""https?://[^\s"'`<>)]+""", text)
        assert [one for one in addresses if "www.w3.org" not in one] == [], path
        assert "dangerouslySetInnerHTML" not in text, path
        assert "document.cookie" not in text, path
        assert "localStorage" not in text, path
        assert not re.search(r"<script(?![^>]*src=)|\son\w+=\"|<style|\sstyle=\"", text), path


def test_every_module_that_is_imported_is_served():
    files = console_files()
    for path, file in files.items():
        if not path.endswith(".js"):
            continue
        text = file.content.decode()
        for name in re.findall(r"""(?:from|import)\s*\(?\s*["'](\.[^"']+)["']""", text):
            target = (CONSOLE / path.removeprefix("/console/")).parent / name
            url = "/console/" + target.resolve().relative_to(CONSOLE).as_posix()
            assert url in files, f"{path} imports {name}"


def test_the_libraries_are_the_published_files():
    listed = json.loads((CONSOLE / "vendor" / "files.json").read_text())
    found = {path.name for path in (CONSOLE / "vendor").glob("*.js")}
    assert {row["file"] for row in listed} == found
    for row in listed:
        content = (CONSOLE / "vendor" / row["file"]).read_bytes()
        for published, here in row["replaced"]:
            assert content.count(here.encode()) == 1
            content = content.replace(here.encode(), published.encode())
        assert hashlib.sha256(content).hexdigest() == row["sha256"], row["file"]


def test_all_files_together_are_small():
    total = sum(len(file.content) for file in console_files().values())
    assert total <= 300 * 1024, "the page weight that the console promises, unpacked"
