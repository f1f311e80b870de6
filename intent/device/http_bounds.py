"""Connections on which nothing outlasts the request's deadline, however little at a time the other side sends.

A client's own limits are on silence: a device that drips one byte of a header a second, or sends one interim answer
after the other, never is silent and never ends. Here each single read and write is cut to what is left.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable
from typing import Any

import httpcore
import httpx

from intent.device.deadline import Deadline

_PIECE = 16 * 1024  # one TLS record: a write of more could go on piece by piece inside one call
_CONNECTIONS = 2
_IDLE_S = 60.0  # below the 75 s after which the switch's web server (nginx) closes by itself


class Limit:
    """Until when the request under way may take; a transport has one request at a time."""

    __slots__ = ("deadline",)

    def __init__(self) -> None:
        self.deadline: Deadline | None = None

    def cut(self, timeout: float | None, over: type[Exception]) -> float | None:
        """`timeout`, in seconds, cut to what is left.

        Raises:
            Exception: of the class `over`, when nothing is.
        """
        if self.deadline is None:
            return timeout
        left = self.deadline.remaining()
        if left <= 0:
            raise over(f"not done within {self.deadline.seconds:g} s")
        return left if timeout is None else min(timeout, left)


class BoundedTransport(httpx.HTTPTransport):
    """httpx's own transport over bounded connections.

    Args:
        context: TLS context that verifies the device.
        limit: until when the request under way may take.
        connected: told of each connection made.
    """

    def __init__(self, context: ssl.SSLContext, limit: Limit, connected: Callable[[], None]) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=context,
            max_connections=_CONNECTIONS,
            max_keepalive_connections=_CONNECTIONS,
            keepalive_expiry=_IDLE_S,
            retries=0,
            network_backend=_Backend(limit, connected),
        )


class _Backend(httpcore.SyncBackend):
    def __init__(self, limit: Limit, connected: Callable[[], None]) -> None:
        self._limit = limit
        self._connected = connected

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        within = self._limit.cut(timeout, httpcore.ConnectTimeout)
        try:
            stream = super().connect_tcp(host, port, within, local_address, socket_options)
        except UnicodeError as problem:  # no name of a host
            raise httpcore.ConnectError(str(problem)) from None
        self._connected()
        return _Stream(stream, self._limit)


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, limit: Limit) -> None:
        self._inner = inner
        self._limit = limit

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._limit.cut(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            within = self._limit.cut(timeout, httpcore.WriteTimeout)
            self._inner.write(buffer[start : start + _PIECE], within)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        within = self._limit.cut(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, within), self._limit)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
