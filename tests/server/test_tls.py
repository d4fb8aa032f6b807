import http.client
import json
import socket
import ssl
import stat

import pytest

from tests.patience import PATIENCE_S, wait_for
from tests.server.conftest import CHECK
from toulmin.errors import FailedPrecondition, InvalidArgument
from toulmin.server import tls
from toulmin.server.tls import NAMES, DevelopmentFiles, development_files, tls_context
from toulmin.settings import load_settings


def trusting(files):
    return ssl.create_default_context(cafile=str(files.authority))


def greet(server, context, name):
    """Return a connection after the handshake; the plain one is closed when it fails."""
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
    try:
        return context.wrap_socket(plain, server_hostname=name)
    except ssl.SSLError:
        plain.close()
        raise


def settings(**flags):
    return load_settings(flags=flags, environment={})


def test_the_files_are_made_once_and_only_their_owner_reads_them(tmp_path):
    files = development_files(tmp_path / "new" / "folder")
    paths = (files.authority, files.certificate, files.key, files.service_account)
    first = [path.read_bytes() for path in paths]
    for path in paths:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(files.authority.parent.stat().st_mode) == 0o700
    assert sorted(path.name for path in files.authority.parent.iterdir()) == sorted(
        path.name for path in paths
    )
    development_files(tmp_path / "new" / "folder")
    assert [path.read_bytes() for path in paths] == first


def test_a_certificate_about_to_expire_is_made_anew(tmp_path, monkeypatch):
    files = development_files(tmp_path)
    first = files.certificate.read_bytes()
    monkeypatch.setattr(tls, "_RENEW_BEFORE", tls._LIFETIME)
    assert development_files(tmp_path).certificate.read_bytes() != first


def test_a_missing_file_makes_the_set_anew(tmp_path):
    files = development_files(tmp_path)
    first = files.certificate.read_bytes()
    files.service_account.unlink()
    development_files(tmp_path)
    assert files.service_account.exists()
    assert files.certificate.read_bytes() != first


@pytest.mark.parametrize("name", [*NAMES, "127.0.0.1", "::1"])
def test_every_name_is_in_the_certificate(serve, tmp_path, name):
    server = serve(tls=True, data_dir=tmp_path)
    context = trusting(DevelopmentFiles.in_folder(tmp_path))
    with greet(server, context, name) as secured:
        assert secured.version() in ("TLSv1.2", "TLSv1.3")


def test_another_name_is_not(serve, tmp_path):
    server = serve(tls=True, data_dir=tmp_path)
    context = trusting(DevelopmentFiles.in_folder(tmp_path))
    with pytest.raises(ssl.SSLCertVerificationError):
        greet(server, context, "example.org")


@pytest.mark.parametrize(
    ("offered", "chosen"), [(["h2"], "h2"), (["http/1.1"], "http/1.1"), (["h2", "http/1.1"], "h2")]
)
def test_the_protocol_is_negotiated(serve, tmp_path, offered, chosen):
    server = serve(tls=True, data_dir=tmp_path)
    context = trusting(DevelopmentFiles.in_folder(tmp_path))
    context.set_alpn_protocols(offered)
    with greet(server, context, "localhost") as secured:
        assert secured.selected_alpn_protocol() == chosen


def test_rest_over_tls_with_a_certificate_of_ones_own(serve, tmp_path):
    files = development_files(tmp_path)
    server = serve(tls_cert=str(files.certificate), tls_key=str(files.key), data_dir=tmp_path / "x")
    assert server.url.startswith("https://")
    assert not (tmp_path / "x").exists()
    connection = http.client.HTTPSConnection(
        "127.0.0.1", server.port, context=trusting(files), timeout=10
    )
    connection.request("POST", CHECK, json.dumps({"answerCandidate": "hello " * 50_000}))
    reply = connection.getresponse()
    assert reply.status == 200
    assert json.loads(reply.read())["supportScore"] == 0.75
    connection.close()


def test_plain_http_on_a_tls_port_harms_nobody(serve, tmp_path):
    server = serve(tls=True, data_dir=tmp_path, header_timeout_s=1.5)
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as plain:
        plain.sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
        assert b"200" not in plain.recv(65536)
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as silent:
        assert silent.recv(10) == b""
    files = DevelopmentFiles.in_folder(tmp_path)
    connection = http.client.HTTPSConnection(
        "127.0.0.1", server.port, context=trusting(files), timeout=10
    )
    connection.request("GET", "/healthz")
    assert connection.getresponse().read() == b'{"status":"ok"}'
    connection.close()


def test_a_handshake_that_is_not_ended_holds_a_place_and_makes_room(serve, tmp_path):
    server = serve(tls=True, data_dir=tmp_path, max_connections=2)
    silent = [
        socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) for _ in range(2)
    ]
    try:
        wait_for(lambda: server.open_connections == 2)
        context = trusting(DevelopmentFiles.in_folder(tmp_path))
        with greet(server, context, "localhost") as secured:
            assert silent[0].recv(10) == b""
            secured.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert secured.recv(65536).startswith(b"HTTP/1.1 200")
            assert server.open_connections == 2
    finally:
        for connection in silent:
            connection.close()
    wait_for(lambda: server.open_connections == 0)


def test_a_failed_handshake_gives_its_place_back(serve, tmp_path):
    server = serve(tls=True, data_dir=tmp_path, header_timeout_s=0.3)
    with pytest.raises(ssl.SSLCertVerificationError):
        greet(server, trusting(DevelopmentFiles.in_folder(tmp_path)), "example.org")
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as late:
        late.sendall(b"\x16\x03\x01")
        assert late.recv(10) == b""
    wait_for(lambda: server.open_connections == 0)


def test_a_refusal_is_encrypted_like_everything(serve, tmp_path, script):
    server = serve(tls=True, data_dir=tmp_path, max_connections_per_address=1)
    context = trusting(DevelopmentFiles.in_folder(tmp_path))
    body = b'{"answerCandidate": "hold"}'
    head = b"POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n"
    with greet(server, context, "localhost") as first:
        first.sendall(head % (CHECK.encode(), len(body)) + body)
        assert script.entered.acquire(timeout=PATIENCE_S)
        with greet(server, context, "localhost") as second:
            second.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert second.recv(65536).startswith(b"HTTP/1.1 429")


def test_certificate_and_key_go_together(tmp_path):
    with pytest.raises(InvalidArgument, match="go together"):
        tls_context(settings(tls_cert="x"))
    with pytest.raises(InvalidArgument, match="cannot be used"):
        tls_context(settings(tls_cert="no-such", tls_key="file"))


def test_no_tls_unless_asked():
    assert tls_context(settings()) is None


def test_a_missing_extra_says_which_one(tmp_path, monkeypatch):
    def refuse(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(tls.importlib, "import_module", refuse)
    with pytest.raises(FailedPrecondition, match=r"toulmin\[tls\]"):
        development_files(tmp_path)


def test_the_service_account_is_one_that_google_auth_takes(tmp_path):
    from google.oauth2.service_account import Credentials

    files = development_files(tmp_path)
    account = Credentials.from_service_account_file(str(files.service_account))
    assert account.service_account_email == "nobody@toulmin.localhost"
    assert len(account.signer.sign(b"x")) == 256
