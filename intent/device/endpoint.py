"""Where and how one device is reached."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Limits in seconds for one request; the whole operation has its own deadline.

    Args:
        connect_s: TCP and TLS set-up.
        read_s: silence while waiting for an answer.
        write_s: silence while sending.
        operation_s: one operation (a read with its retries) where the caller sets no deadline.
    """

    connect_s: float = 5.0
    read_s: float = 30.0
    write_s: float = 30.0
    operation_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One device's API and the credentials for it.

    Args:
        name: name in the fabric, for messages.
        host: address or name.
        port: TCP port.
        username: account.
        password: its password; never printed.
        context: shared TLS context that verifies the device.
        server_name: name expected in the certificate when it is not `host`.
        timeouts: limits per request.
        max_body_bytes: largest answer accepted.
        token: `password` is an access token, sent as it is.
    """

    name: str
    host: str
    port: int
    username: str
    password: str = field(repr=False)
    context: ssl.SSLContext = field(repr=False)
    server_name: str = ""
    timeouts: Timeouts = field(default_factory=Timeouts)
    max_body_bytes: int = 64 * 1024 * 1024
    token: bool = False

    @property
    def origin(self) -> str:
        """`https://host:port`, IPv6 in brackets."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"https://{host}:{self.port}"


def tls_context(ca_file: str = "", *, verify_hostname: bool = True) -> ssl.SSLContext:
    """A context that verifies the device's certificate. Building one costs tens of milliseconds: share it.

    Args:
        ca_file: PEM bundle of the authorities (or pinned certificates); empty for the system's.
        verify_hostname: False when the bundle holds the devices' own certificates, whose names differ.

    Raises:
        OSError: the bundle cannot be read or holds no certificate.
    """
    context = ssl.create_default_context(cafile=ca_file or None)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = verify_hostname
    return context
