"""Makes a certificate authority for one server certificate. Needs the `tls` extra."""

from __future__ import annotations

import datetime as dt
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


@dataclass(frozen=True, slots=True)
class Certificates:
    """An authority and the one certificate that it signed, all PEM. Its own key is gone."""

    authority: bytes
    certificate: bytes
    key: bytes


def make_certificates(
    names: Sequence[str], addresses: Sequence[str], *, lifetime: dt.timedelta
) -> Certificates:
    """Return a new authority and a server certificate.

    Args:
        names: Host names of the server.
        addresses: IP addresses of the server.
        lifetime: How long both are valid.
    """
    authority_key = ec.generate_private_key(ec.SECP256R1())
    server_key = ec.generate_private_key(ec.SECP256R1())
    authority_name = _name("Toulmin development authority")
    authority = (
        _builder(authority_name, authority_name, authority_key.public_key(), lifetime)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_authority_usage(), critical=True)
        .add_extension(
            x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False
        )
        .sign(authority_key, hashes.SHA256())
    )
    listed: list[x509.GeneralName] = [x509.DNSName(name) for name in names]
    listed += [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
    certificate = (
        _builder(
            _name("Toulmin development server"), authority_name, server_key.public_key(), lifetime
        )
        .add_extension(x509.SubjectAlternativeName(listed), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()),
            critical=False,
        )
        .sign(authority_key, hashes.SHA256())
    )
    return Certificates(
        authority=authority.public_bytes(serialization.Encoding.PEM),
        certificate=certificate.public_bytes(serialization.Encoding.PEM),
        key=_pem(server_key),
    )


def make_private_key() -> bytes:
    """Return a new RSA key (PEM), of the kind that service accounts have."""
    return _pem(rsa.generate_private_key(public_exponent=65537, key_size=2048))


def expiry_of(certificate: bytes) -> dt.datetime:
    """Return until when a certificate (PEM) is valid."""
    return x509.load_pem_x509_certificate(certificate).not_valid_after_utc


def _pem(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    lifetime: dt.timedelta,
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + lifetime)
    )


def _authority_usage() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
