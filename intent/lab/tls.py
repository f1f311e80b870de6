"""The lab's own authority and the certificates of its switches."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

# One certificate names so many switches: few contexts in memory, and a handshake stays small.
SHARE = 200
VALID_DAYS = 3650


def issue(folder: Path, addresses: Sequence[str]) -> dict[str, ssl.SSLContext]:
    """Make an authority (`ca.pem`) and server contexts for addresses.

    Args:
        folder: where the PEM files go; the keys are readable by the owner only.
        addresses: IP addresses the certificates must be good for.

    Returns:
        Context by address; neighbours share one.
    """
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = _authority(authority_key)
    (folder / "ca.pem").write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    contexts: dict[str, ssl.SSLContext] = {}
    for start in range(0, len(addresses), SHARE):
        share = addresses[start : start + SHARE]
        key = ec.generate_private_key(ec.SECP256R1())
        leaf = _leaf(key, share, authority, authority_key)
        file = folder / f"switches-{start // SHARE + 1}.pem"
        file.touch(mode=0o600)
        file.write_bytes(
            leaf.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(file)
        contexts.update(dict.fromkeys(share, context))
    return contexts


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(subject: str, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=VALID_DAYS))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _authority(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    return (
        _builder("lab authority", _name("lab authority"), key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .sign(key, hashes.SHA256())
    )


def _leaf(
    key: ec.EllipticCurvePrivateKey,
    addresses: Sequence[str],
    authority: x509.Certificate,
    authority_key: ec.EllipticCurvePrivateKey,
) -> x509.Certificate:
    names = [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
    return (
        _builder("lab switches", authority.subject, key.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
