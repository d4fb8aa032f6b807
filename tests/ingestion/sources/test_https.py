import datetime as dt
import http.server
import ssl
import threading
import time

import pytest

from tests.patience import POLL_S
from toulmin.errors import (
    DeadlineExceeded,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    Unavailable,
)
from toulmin.ingestion.sources import SourceContext, https
from toulmin.ingestion.sources.https import HttpsStorage, is_public
from toulmin.server.development_authority import make_certificates

PAGE = b"<html>hello</html>"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self):
        if self.path == "/headless":
            self.send_error(405)
            return
        self.reply(b"")

    def do_GET(self):
        path, _, place = self.path.partition("?")
        statuses = {"/to": 302, "/missing": 404, "/closed": 403, "/broken": 500}
        if path in statuses:
            self.send_response(statuses[path])
            self.send_header("Location", place)
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif path == "/slow":
            self.drip()
        elif path == "/endless":
            self.reply(b"x" * 100_000, length=None)
        else:
            self.reply(
                PAGE,
                length=len(PAGE) + 5 * (path == "/short"),
                encoding="gzip" if path == "/packed" else "",
            )

    def drip(self):
        self.send_response(200)
        self.end_headers()
        for _ in range(100):
            try:
                self.wfile.write(b"x")
            except OSError:
                return
            time.sleep(0.05)

    def reply(self, body, length=0, encoding=""):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("ETag", '"v1"')
        if encoding:
            self.send_header("Content-Encoding", encoding)
        if length is not None:
            self.send_header("Content-Length", str(length or len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    made = make_certificates(["localhost"], ["127.0.0.1"], lifetime=dt.timedelta(days=1))
    folder = tmp_path_factory.mktemp("tls")
    (folder / "chain.pem").write_bytes(made.certificate)
    (folder / "key.pem").write_bytes(made.key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # the client goes away on purpose
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(folder / "chain.pem", folder / "key.pem")
    server.socket = own.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(POLL_S,), daemon=True).start()
    trusting = ssl.create_default_context(cadata=made.authority.decode())
    yield f"https://127.0.0.1:{server.server_address[1]}", trusting
    server.shutdown()
    server.server_close()


def storage(web, *, seconds=5.0, limit=10_000, allow=lambda address: True):
    return HttpsStorage(enabled=True, seconds=seconds, limit=limit, allow=allow, tls=web[1])


def test_a_file(web):
    found = storage(web).read(f"{web[0]}/a%20b/page ü?q=ä", 1000)
    assert (found.data, found.mime_type, found.version) == (PAGE, "text/html; charset=utf-8", "v1")
    assert storage(web).stat(f"{web[0]}/page").version == "v1"
    assert storage(web).stat(f"{web[0]}/headless").version == ""
    assert storage(web).open(f"{web[0]}/page").read() == PAGE


def test_redirects(web):
    assert storage(web).read(f"{web[0]}/to?/page", 1000).data == PAGE
    assert storage(web).read(f"{web[0]}/to?{web[0]}/to?/page", 1000).data == PAGE
    with pytest.raises(PermissionDenied, match="not https"):
        storage(web).read(f"{web[0]}/to?http://localhost/", 1000)
    with pytest.raises(PermissionDenied, match="not https"):
        storage(web).read(f"{web[0]}/to?file:///etc/passwd", 1000)
    with pytest.raises(Unavailable, match="more than 5 times"):
        storage(web).read(f"{web[0]}/" + "to?/" * 6 + "page", 1000)


def test_a_redirect_to_an_address_that_is_not_allowed(web):
    allowed = []

    def only_the_first(address):
        allowed.append(address)
        return len(set(allowed)) == 1

    with pytest.raises(PermissionDenied, match=r"169\.254\.169\.254"):
        storage(web, allow=only_the_first).read(f"{web[0]}/to?https://169.254.169.254/x", 1000)


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254",
             "0.0.0.0", "0x7f.1", "2130706433", "[::127.0.0.1]"]
)  # fmt: skip
def test_own_networks_are_refused(host):
    context = SourceContext(import_https=True)
    with pytest.raises(PermissionDenied, match="public internet"):
        context.fetch(f"https://{host}:1/x")


def test_every_address_of_a_name_must_be_public(monkeypatch):
    rows = [(2, 1, 6, "", ("8.8.8.8", 443)), (2, 1, 6, "", ("192.168.0.1", 443))]
    monkeypatch.setattr(https.socket, "getaddrinfo", lambda *_, **__: rows)
    monkeypatch.setattr(
        https.socket, "create_connection", lambda *_, **__: pytest.fail("connected")
    )
    with pytest.raises(PermissionDenied, match=r"192\.168\.0\.1"):
        SourceContext(import_https=True).fetch("https://example.org/x")


def test_a_name_that_changes_is_looked_up_once_for_each_connection(monkeypatch):
    """What was found allowed is what is connected to, not the name, which may mean another by then."""
    answers = ["8.8.8.8", "192.168.0.1"]
    reached = []

    def connect(place, **_):
        reached.append(place)
        raise OSError("no route")

    monkeypatch.setattr(
        https.socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", (answers.pop(0), 443))]
    )
    monkeypatch.setattr(https.socket, "create_connection", connect)
    context = SourceContext(import_https=True)
    with pytest.raises(Unavailable, match="no route"):
        context.fetch("https://example.org/x")
    with pytest.raises(PermissionDenied, match=r"192\.168\.0\.1"):
        context.fetch("https://example.org/x")
    assert reached == [("8.8.8.8", 443)]


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True), ("2606:4700::1111", True), ("100.64.0.1", False), ("224.0.0.1", False),
        ("fe80::1%eth0", False), ("fc00::1", False), ("2002:7f00:1::", False), ("::", False),
        ("64:ff9b::a00:1", False), ("64:ff9b::808:808", True), ("::ffff:10.0.0.1", False),
        ("::ffff:8.8.8.8", True), ("198.18.0.1", False), ("255.255.255.255", False),
        ("::127.0.0.1", False), ("::10.0.0.1", False), ("::1", False),
    ],
)  # fmt: skip
def test_public_addresses(address, public):
    assert is_public(address) is public


def test_off_unless_allowed():
    with pytest.raises(PermissionDenied, match="import_https"):
        SourceContext().fetch("https://example.org/x")


@pytest.mark.parametrize(
    "uri", ["https:///x", "https://a:b@example.org/", "https://[x/", "https://x:port/"]
)
def test_wrong_uris(uri):
    with pytest.raises(InvalidArgument):
        SourceContext(import_https=True).check(uri)


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ("missing", NotFound, "404"), ("closed", PermissionDenied, "403"),
        ("broken", Unavailable, "500"), ("short", Unavailable, "5 bytes too early"),
        ("endless", ResourceExhausted, "10000 are allowed"), ("packed", InvalidArgument, "gzip"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_said(web, path, error, words):
    with pytest.raises(error, match=words):
        storage(web).read(f"{web[0]}/{path}", 10_000)


def test_too_large_by_its_own_word(web):
    with pytest.raises(ResourceExhausted, match="5 are allowed"):
        storage(web).read(f"{web[0]}/page", 5)


def test_a_server_that_drips(web):
    with pytest.raises(DeadlineExceeded):
        storage(web, seconds=0.4).read(f"{web[0]}/slow", 10_000)


def test_a_certificate_that_is_not_trusted(web):
    strict = HttpsStorage(enabled=True, seconds=5, limit=9, allow=lambda address: True)
    with pytest.raises(Unavailable, match="CERTIFICATE_VERIFY_FAILED"):
        strict.read(f"{web[0]}/page", 9)


def test_patterns_are_refused(web):
    with pytest.raises(InvalidArgument, match="pattern"):
        list(storage(web).find(f"{web[0]}/*.html"))
    (found,) = storage(web).find(f"{web[0]}/page?a=*")
    assert found.named
