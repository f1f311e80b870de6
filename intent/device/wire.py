"""One TLS connection to a device that carries HTTP/1.1, made when it is needed and kept between two requests.

`h11` says what the bytes mean; sockets, time and what a failure is are here. A general client costs three times as much
processor time per request, for pools, proxies and redirects that a device's API never needs.

Nothing outlasts the deadline, however little at a time the other side sends. Limits on silence alone would not do: a
device that drips one byte of a header a second, or sends one interim answer after the other, never is silent and never
ends. So each single read and write is cut to what is left.
"""

from __future__ import annotations

import select
import socket
import ssl
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol

import h11

from intent.device.deadline import Deadline
from intent.device.endpoint import Endpoint

_PIECE = 16 * 1024  # one TLS record: a write of more could go on piece by piece inside one call
_READ = 64 * 1024
_HEAD_BYTES = 100 * 1024  # largest head of an answer
_IDLE_S = 60.0  # below the 75 s after which the switch's web server (nginx) closes by itself

Headers = Sequence[tuple[str, str]]


class WireError(Exception):
    """An exchange failed; the text is the system's own.

    Args:
        text: why.
        silent: True when the other side said nothing for too long.
    """

    def __init__(self, text: str, *, silent: bool = False) -> None:
        super().__init__(text)
        self.silent = silent


class NotConnected(WireError):
    """No connection was made, so nothing was sent."""


class Broken(WireError):
    """The connection broke, or what came over it is no HTTP. Something may have been sent."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request.

    Args:
        method: `GET`, `PATCH`, …
        target: path and query, escaped.
        headers: names and values, without those of `content`.
        content: body; None for none.
        deadline: when the whole of it has to be over.
    """

    method: str
    target: str
    headers: Headers
    content: bytes | None
    deadline: Deadline


@dataclass(frozen=True, slots=True)
class Answered:
    """The head of an answer, and its body as it comes in.

    Args:
        status: HTTP status.
        location: header `location`; empty when there is none.
        encoding: header `content-encoding`; empty when there is none.
        parts: pieces of the body. Going through them may raise `Broken`.
    """

    status: int
    location: str
    encoding: str
    parts: Generator[bytes]


class Wire(Protocol):
    """What carries a request to one device."""

    def exchange(self, question: Question) -> Answered:
        """Send a request and read the head of its answer.

        Raises:
            NotConnected: nothing was sent.
            Broken: it may have been carried out.
        """

    def close(self) -> None:
        """Drop the connection; the next request makes a new one."""


class TlsWire:
    """A kept-alive connection to one device; one request at a time.

    Args:
        endpoint: where, with which limits; its context verifies the device.
        connected: told of each new connection.
    """

    def __init__(self, endpoint: Endpoint, connected: Callable[[], None]) -> None:
        self._endpoint = endpoint
        self._connected = connected
        self._socket: ssl.SSLSocket | None = None
        self._http = h11.Connection(h11.CLIENT)
        self._used_s = 0.0

    def exchange(self, question: Question) -> Answered:
        """Send a request and read the head of its answer; see `Wire`."""
        if self._socket is not None and self._stale(self._socket):
            self.close()
        if self._socket is None:
            self._connect(question.deadline)
        try:
            self._send(question)
            head = self._head(question.deadline)
        except BaseException:
            self.close()
            raise
        named = {name: value.decode("latin-1") for name, value in head.headers}
        location, encoding = named.get(b"location", ""), named.get(b"content-encoding", "")
        return Answered(head.status_code, location, encoding, self._parts(question.deadline))

    def close(self) -> None:
        """Drop the connection."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.close()
            self._socket = None

    def _stale(self, connection: ssl.SSLSocket) -> bool:
        """True when the other side closed meanwhile, or soon will: nothing may be sent that could be lost."""
        if self._http.our_state is not h11.IDLE or time.monotonic() - self._used_s > _IDLE_S:
            return True
        poll = select.poll()
        poll.register(connection, select.POLLIN)
        return bool(poll.poll(0))

    def _connect(self, deadline: Deadline) -> None:
        endpoint = self._endpoint
        limit = endpoint.timeouts.connect_s
        plain: socket.socket | None = None
        try:
            plain = socket.create_connection((endpoint.host, endpoint.port), _left(limit, deadline, NotConnected))
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connected()
            plain.settimeout(_left(limit, deadline, NotConnected))
            name = endpoint.server_name or endpoint.host
            self._socket = endpoint.context.wrap_socket(plain, server_hostname=name)
        except TimeoutError as problem:
            _shut(plain)
            raise NotConnected(str(problem), silent=True) from None
        except (OSError, UnicodeError) as problem:
            _shut(plain)
            raise NotConnected(str(problem)) from None
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD_BYTES)

    def _send(self, question: Question) -> None:
        headers = [*question.headers]
        if question.content is not None:
            headers.append(("content-length", str(len(question.content))))
        elif question.method not in ("GET", "HEAD", "DELETE"):
            headers.append(("content-length", "0"))
        try:
            text = self._http.send(h11.Request(method=question.method, target=question.target, headers=headers)) or b""
            if question.content:
                text += self._http.send(h11.Data(question.content)) or b""
            text += self._http.send(h11.EndOfMessage()) or b""
        except h11.LocalProtocolError as problem:
            raise Broken(str(problem)) from None
        for start in range(0, len(text), _PIECE):
            self._write(text[start : start + _PIECE], question.deadline)

    def _head(self, deadline: Deadline) -> h11.Response:
        while True:
            event = self._next(deadline)
            if isinstance(event, h11.Response):
                return event
            if not isinstance(event, h11.InformationalResponse):
                raise Broken("the connection was closed without an answer")

    def _parts(self, deadline: Deadline) -> Generator[bytes]:
        whole = False
        try:
            while True:
                event = self._next(deadline)
                if isinstance(event, h11.Data):
                    yield bytes(event.data)
                elif isinstance(event, h11.EndOfMessage):
                    break
                else:
                    raise Broken("the answer was cut off")
            whole = self._http.our_state is h11.DONE and self._http.their_state is h11.DONE
        finally:
            if whole:
                self._http.start_next_cycle()
                self._used_s = time.monotonic()
            else:
                self.close()

    def _next(self, deadline: Deadline) -> Any:
        """The next event of the answer."""
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                self._http.receive_data(self._read(deadline))
        except h11.RemoteProtocolError as problem:
            raise Broken(str(problem)) from None
        return event

    def _read(self, deadline: Deadline) -> bytes:
        with self._moving(self._endpoint.timeouts.read_s, deadline) as connection:
            return connection.recv(_READ)

    def _write(self, text: bytes, deadline: Deadline) -> None:
        with self._moving(self._endpoint.timeouts.write_s, deadline) as connection:
            connection.sendall(text)

    @contextmanager
    def _moving(self, limit: float, deadline: Deadline) -> Iterator[ssl.SSLSocket]:
        """One read or write, within what is left of the deadline."""
        if self._socket is None:
            raise Broken("the connection is closed")
        try:
            self._socket.settimeout(_left(limit, deadline, Broken))
            yield self._socket
        except TimeoutError as problem:
            raise Broken(str(problem), silent=True) from None
        except OSError as problem:
            raise Broken(str(problem)) from None


def _left(seconds: float, deadline: Deadline, over: type[WireError]) -> float:
    left = deadline.remaining()
    if left <= 0:
        raise over(f"not done within {deadline.seconds:g} s", silent=True)
    return min(seconds, left)


def _shut(connection: socket.socket | None) -> None:
    if connection is not None:
        with suppress(OSError):
            connection.close()
