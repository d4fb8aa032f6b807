"""TLS: your own certificate, or one of a development authority that is made once and kept.

The authority signs one server certificate and its key is thrown away, so that nobody can sign
another with it. Beside it lies a service account of nobody, which is all that unmodifiable clients
need to think that they are logged in. gRPC refuses wildcard names, so every name is listed.
"""

from __future__ import annotations

import datetime as dt
import importlib
import json
import os
import ssl
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final

from toulmin.errors import FailedPrecondition, InvalidArgument
from toulmin.settings import Settings

NAMES: Final = (
    "localhost",
    "discoveryengine.localhost",
    "generativelanguage.localhost",
    "ces.localhost",
)
_ADDRESSES: Final = ("127.0.0.1", "::1")
_LIFETIME: Final = dt.timedelta(days=825)
_RENEW_BEFORE: Final = dt.timedelta(days=14)


@dataclass(frozen=True, slots=True)
class DevelopmentFiles:
    """What `--tls` keeps in the data folder.

    Attributes:
        authority: Certificate that clients must trust (PEM).
        certificate: The server's certificate (PEM).
        key: The server's private key (PEM).
        service_account: Credentials of nobody, for clients that insist on some (JSON).
    """

    authority: Path
    certificate: Path
    key: Path
    service_account: Path

    @classmethod
    def in_folder(cls, folder: Path) -> DevelopmentFiles:
        """Return where the files are in a data folder."""
        tls = folder.absolute() / "tls"
        return cls(
            authority=tls / "authority.pem",
            certificate=tls / "server.pem",
            key=tls / "server-key.pem",
            service_account=tls / "service-account.json",
        )

    def environment(self, port: int) -> dict[str, str]:
        """Return the variables that lead an unmodified Google client to this server.

        Args:
            port: Where the server listens.
        """
        return {
            "GOOGLE_CLOUD_UNIVERSE_DOMAIN": f"localhost:{port}",
            "GOOGLE_APPLICATION_CREDENTIALS": str(self.service_account),
            "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(self.authority),
        }


def uses_tls(settings: Settings) -> bool:
    """Return whether the settings ask for TLS."""
    return settings.tls or bool(settings.tls_cert)


def uses_development_files(settings: Settings) -> bool:
    """Return whether the certificate is one that we make."""
    return settings.tls and not settings.tls_cert


def tls_context(settings: Settings) -> ssl.SSLContext | None:
    """Return how to serve TLS, or None when the settings do not ask for it.

    Raises:
        InvalidArgument: `tls_cert` and `tls_key` do not fit, or one is missing.
        FailedPrecondition: The `tls` extra is not installed.
    """
    if bool(settings.tls_cert) != bool(settings.tls_key):
        raise InvalidArgument("Settings tls_cert and tls_key go together; one of them is empty")
    if not uses_tls(settings):
        return None
    certificate, key = settings.tls_cert, settings.tls_key
    if uses_development_files(settings):
        files = development_files(settings.data_dir)
        certificate, key = str(files.certificate), str(files.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["h2", "http/1.1"])
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise InvalidArgument(
            f"The certificate {certificate!r} with key {key!r} cannot be used: {error}"
        ) from error
    return context


def development_files(data_dir: Path) -> DevelopmentFiles:
    """Return the development files, made first when there are none or they are about to expire.

    Raises:
        FailedPrecondition: The `tls` extra is not installed.
    """
    authority = _authority_module()
    files = DevelopmentFiles.in_folder(data_dir)
    if not _are_current(files, authority):
        files.authority.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make(files, authority)
    return files


def _are_current(files: DevelopmentFiles, authority: ModuleType) -> bool:
    paths = (files.authority, files.certificate, files.key, files.service_account)
    if not all(path.is_file() for path in paths):
        return False
    expiry: dt.datetime = authority.expiry_of(files.certificate.read_bytes())
    return dt.datetime.now(dt.UTC) < expiry - _RENEW_BEFORE


def _make(files: DevelopmentFiles, authority: ModuleType) -> None:
    """Write all files; the certificate is last, so a set that is not complete is made anew."""
    certificates = authority.make_certificates(NAMES, _ADDRESSES, lifetime=_LIFETIME)
    account = {
        "type": "service_account",
        "project_id": "toulmin",
        "private_key_id": "development",
        "private_key": authority.make_private_key().decode("ascii"),
        "client_email": "nobody@toulmin.localhost",
        "client_id": "0",
        "token_uri": "https://oauth2.localhost/token",
    }
    files.certificate.unlink(missing_ok=True)
    _write_private(files.service_account, json.dumps(account, indent=2).encode("utf-8"))
    _write_private(files.authority, certificates.authority)
    _write_private(files.key, certificates.key)
    _write_private(files.certificate, certificates.certificate)


def _authority_module() -> ModuleType:
    """Return the module that makes certificates; it needs a package that is not always there."""
    try:
        return importlib.import_module("toulmin.server.development_authority")
    except ModuleNotFoundError as error:
        raise FailedPrecondition(
            "--tls makes certificates with the package cryptography, which is not installed:"
            " pip install 'toulmin[tls]', or bring your own with --tls-cert and --tls-key",
            reason="EXTRA_MISSING",
        ) from error


def _write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, from its first byte on."""
    partial = path.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    partial.replace(path)
