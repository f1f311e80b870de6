"""The one place that speaks HTTP: JSON in, JSON out, every failure one of our own errors.

`httpx` carries it, below its client: cookies, redirects and proxies are nothing a device's API needs.
"""

from __future__ import annotations

import json
import ssl
import time
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlencode

import httpx

from intent.device.deadline import Clock, Deadline, Sleep
from intent.device.endpoint import Endpoint
from intent.device.errors import (
    AuthenticationFailed,
    BadRequest,
    CertificateRefused,
    ConnectionLost,
    DeadlineExceeded,
    DeviceError,
    Forbidden,
    NotFound,
    NotJson,
    ProtocolError,
    ServerError,
    Unreachable,
    Violation,
)
from intent.device.http_bounds import BoundedTransport, Limit

Query: TypeAlias = Mapping[str, str | Sequence[str]]

_ATTEMPTS = 3
_BACKOFF_S = 0.2
_SAYING = ("detail", "description", "error", "message", "title")  # keys under which APIs say what is wrong
_WORDS = 300  # characters of a device's own text that a message may carry


@dataclass(frozen=True, slots=True)
class Reply:
    """What a device answered to a request it carried out or accepted.

    Args:
        status: 2xx.
        location: where the answer says to look next (a job, an operation); empty when it says nothing.
        body: decoded JSON; an empty object where the answer had none.
    """

    status: int
    location: str
    body: Any


class Transport:
    """Requests to one device over one kept-alive connection.

    Reads are repeated when the device does not answer; writes never are: what became of one is found by reading.

    Args:
        endpoint: where, with which credentials and limits.
        root: path put before every request's path.
        clock: monotonic clock in seconds.
        sleep: how to wait between attempts.
        wire: replaces the network, for tests.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        root: str = "",
        clock: Clock = time.monotonic,
        sleep: Sleep = time.sleep,
        wire: httpx.BaseTransport | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.clock = clock
        self.sleep = sleep
        self.requests = 0
        self.writes = 0
        self.connections = 0
        self._base = endpoint.origin + root
        credentials = endpoint.password if endpoint.token else _basic(endpoint.username, endpoint.password)
        self._headers = {
            "authorization": f"Basic {credentials}",
            "accept": "application/json",
            "accept-encoding": "identity",
            "user-agent": "fabric-intent",
        }
        self._headers_json = {**self._headers, "content-type": "application/json"}
        self._extensions: dict[str, Any] = {}
        if endpoint.server_name:
            self._extensions["sni_hostname"] = endpoint.server_name
        self._limit = Limit()
        self._wire = wire
        self._open: httpx.BaseTransport | None = None
        self.closed = False
        self._remembered: dict[str, tuple[bytes, Any]] = {}

    def get(self, path: str, query: Query | None = None, *, deadline: Deadline, remember: bool = False) -> Any:
        """Read; repeated while the device does not answer, until the attempts or the deadline are used up.

        Args:
            path: below the root.
            query: parameters.
            deadline: when to stop.
            remember: an answer equal to the last one to this question, byte for byte, is the same object. Nobody may
                write into it.

        Raises:
            DeviceError: by kind of failure.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._exchange("GET", path, query, None, deadline, remember=remember).body
            except CertificateRefused:
                raise
            except (Unreachable, ServerError) as problem:
                pause = _BACKOFF_S * 2 ** (attempt - 1)
                if attempt == _ATTEMPTS or deadline.remaining() <= pause:
                    raise
                del problem
                self.sleep(pause)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def send(
        self,
        method: str,
        path: str,
        query: Query | None = None,
        body: Any = None,
        *,
        deadline: Deadline,
    ) -> Any:
        """Write, once.

        Raises:
            ConnectionLost: it may have been carried out.
            DeviceError: by kind of failure.
        """
        return self.order(method, path, query, body, deadline=deadline).body

    def order(
        self,
        method: str,
        path: str,
        query: Query | None = None,
        body: Any = None,
        *,
        deadline: Deadline,
    ) -> Reply:
        """Write, once, and keep what the answer says beside its body: what is done later is named in its head.

        Raises:
            ConnectionLost: it may have been carried out.
            DeviceError: by kind of failure.
        """
        self.writes += 1
        return self._exchange(method, path, query, body, deadline)

    def reconnect(self) -> None:
        """Drop the connection; the next request makes a new one."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def close(self) -> None:
        """Close the connection."""
        self.reconnect()
        self.closed = True

    def _connected(self) -> None:
        self.connections += 1

    def _opened(self) -> httpx.BaseTransport:
        if self._open is None:
            self._open = self._wire or BoundedTransport(self.endpoint.context, self._limit, self._connected)
        return self._open

    def _request(
        self, method: str, path: str, query: Query | None, body: Any, what: str, deadline: Deadline
    ) -> httpx.Request:
        limits = self.endpoint.timeouts
        timeout = {
            "connect": deadline.within(limits.connect_s, what),
            "read": deadline.within(limits.read_s, what),
            "write": deadline.within(limits.write_s, what),
            "pool": deadline.within(limits.connect_s, what),
        }
        content = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        return httpx.Request(
            method,
            f"{self._base}{path}" + (f"?{urlencode(query, doseq=True)}" if query else ""),
            content=content,
            headers=self._headers if content is None else self._headers_json,
            extensions={**self._extensions, "timeout": timeout},
        )

    def _exchange(
        self, method: str, path: str, query: Query | None, body: Any, deadline: Deadline, *, remember: bool = False
    ) -> Reply:
        what = f"{method} {path or '/'}"
        self._limit.deadline = deadline
        try:
            request = self._request(method, path, query, body, what, deadline)
            self.requests += 1
            response = self._opened().handle_request(request)
            try:
                data = self._body(response, what, deadline)
            finally:
                response.close()
        except httpx.HTTPError as problem:
            raise _translated(problem, what, self.endpoint, deadline) from None
        except httpx.InvalidURL as problem:  # found before anything is sent
            raise Unreachable(f"{self.endpoint.origin}: no host has such a name: {_reason(problem)}") from None
        except ssl.SSLError as problem:
            raise CertificateRefused(f"{self.endpoint.origin}: TLS failed: {_reason(problem)}") from None
        location = response.headers.get("location", "")
        asked = str(request.url) if remember else ""
        known = self._remembered.get(asked)
        if known is not None and known[0] == data and response.status_code == 200:
            return Reply(200, location, known[1])
        reply = Reply(response.status_code, location, _judged(response.status_code, data, what))
        if remember:
            self._remembered[asked] = (data, reply.body)
        return reply

    def _body(self, response: httpx.Response, what: str, deadline: Deadline) -> bytes:
        packed = response.headers.get("content-encoding", "identity")
        if packed != "identity":  # what was not asked for is not unpacked
            raise ProtocolError(f"{what}: the answer is encoded as {packed[:20]!r}, which was not asked for")
        limit = self.endpoint.max_body_bytes
        parts: list[bytes] = []
        size = 0
        for part in response.iter_bytes():
            size += len(part)
            if size > limit:
                raise ProtocolError(f"{what}: answer larger than {limit} bytes")
            deadline.within(1.0, what)
            parts.append(part)
        return b"".join(parts)


def _basic(username: str, password: str) -> str:
    return b64encode(f"{username}:{password}".encode()).decode()


def _reason(problem: BaseException) -> str:
    return str(problem).strip() or type(problem).__name__


def _translated(problem: httpx.HTTPError, what: str, endpoint: Endpoint, deadline: Deadline) -> DeviceError:
    """Our error for one of the client's. Nothing of the request's body or headers is in its text."""
    if isinstance(problem, httpx.TimeoutException) and deadline.over():
        return DeadlineExceeded(f"{what}: not done within {deadline.seconds:g} s")
    if isinstance(problem, httpx.ConnectTimeout | httpx.PoolTimeout):
        return Unreachable(f"{endpoint.origin}: no connection within {endpoint.timeouts.connect_s:g} s")
    if isinstance(problem, httpx.TimeoutException):
        return ConnectionLost(f"{what}: no answer from {endpoint.origin}")
    if isinstance(problem, httpx.ConnectError):
        text = _reason(problem)
        if "EOF" in text or "reset" in text.lower():
            return Unreachable(f"{endpoint.origin}: the connection was closed before TLS was set up")
        if "certificate" in text.lower() or "ssl" in text.lower():
            return CertificateRefused(
                f"{endpoint.origin}: the certificate does not verify: {text}",
                hint="name the authority with `tls: {ca: …}` in inventory/groups.yaml; verification is never skipped",
            )
        return Unreachable(f"{endpoint.origin}: {text}")
    if isinstance(problem, httpx.TransportError):
        return ConnectionLost(f"{what}: connection to {endpoint.origin} lost: {_reason(problem)}")
    return ProtocolError(f"{what}: {_reason(problem)}")


def _judged(status: int, data: bytes, what: str) -> Any:
    if 200 <= status < 300:
        return _decoded(data, what)
    if status == 404:
        raise NotFound(f"{what}: not found")
    if 300 <= status < 400:
        raise ProtocolError(f"{what}: redirected ({status}), which the API never does")
    detail, violations = _problem(data)
    said = f": {detail}" if detail else ""
    if status == 401:
        raise AuthenticationFailed(
            f"{what}: credentials refused (401)",
            hint="check username and password secret of the inventory; a switch that still has its factory password "
            "takes no other: change it at a first login",
        )
    if status == 403:
        raise Forbidden(
            f"{what}: not allowed (403){said}",
            hint="the account lacks the right (group nvapply), or the factory password was never changed",
        )
    if status >= 500:
        raise ServerError(f"{what}: the device's API failed ({status}){said}")
    raise BadRequest(f"{what}: refused ({status}){said}", violations)


def _decoded(data: bytes, what: str) -> Any:
    if not data.strip():
        return {}
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise NotJson(f"{what}: the answer is not JSON ({len(data)} bytes)") from None


def _problem(data: bytes) -> tuple[str, tuple[Violation, ...]]:
    """Text and findings of an error body: RFC 7807 with `validation.selected_errors`, or whatever came."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return "", ()
    if not isinstance(body, dict):
        return "", ()
    detail = next((body[key] for key in _SAYING if body.get(key)), "")
    validation = body.get("validation")
    selected = validation.get("selected_errors") if isinstance(validation, dict) else None
    found = tuple(
        Violation(str(item.get("instanceLocation") or "")[:_WORDS], str(item.get("error") or "")[:_WORDS])
        for item in (selected if isinstance(selected, list) else [])
        if isinstance(item, dict)
    )
    return str(detail)[:_WORDS], found
