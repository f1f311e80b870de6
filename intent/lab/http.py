"""HTTP/1.1 over TLS for thousands of addresses in one event loop.

TLS runs over memory buffers in the protocol itself: asyncio's own TLS keeps 256 KiB per connection, which a lab of a
thousand switches cannot afford.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Protocol

import h11

from intent.lab.messages import Request, Response, problem

MAX_BODY = 8 * 1024 * 1024
MAX_HEADERS = 32 * 1024
IDLE_S = 90.0
LINGER_S = 0.5
_CHUNK = 64 * 1024


class Service(Protocol):
    """What stands behind an address."""

    def opened(self) -> None:
        """A connection was accepted."""

    def reachable(self) -> str:
        """Empty to go on, `refuse` to drop the connection, `silent` to say nothing."""

    def handle(self, request: Request) -> Response:
        """Answer a request."""


class Connection(asyncio.Protocol):
    """One connection of a client.

    Args:
        service: what answers.
        context: TLS of the address; None for plain HTTP.
        everybody: the open connections, to which this one adds itself.
        clock: seconds, to find idle connections.
    """

    def __init__(
        self,
        service: Service,
        context: ssl.SSLContext | None,
        everybody: set[Connection],
        clock: Callable[[], float],
    ) -> None:
        self._service = service
        self._everybody = everybody
        self._clock = clock
        self.active_at = clock()
        self._transport: asyncio.Transport | None = None
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEADERS)
        self._request: h11.Request | None = None
        self._body = bytearray()
        self._waiting = False
        self._discarding = False
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True) if context else None
        self._shaken = context is None

    # asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client came."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - asyncio's contract for streams
        self._transport = transport
        self._service.opened()
        if self._service.reachable() == "refuse":
            transport.abort()
            return
        self._everybody.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client left, for whatever reason."""
        del exc
        self._everybody.discard(self)
        self._transport = None

    def data_received(self, data: bytes) -> None:
        """Bytes from the client."""
        self.active_at = self._clock()
        reachable = self._service.reachable()
        if reachable:
            if reachable == "refuse":
                self.abort()
            return
        try:
            plain = self._decrypted(data)
        except ssl.SSLError:
            self._close()
            return
        if plain is None or self._discarding:
            return
        try:
            self._http.receive_data(plain)
            self._events()
        except h11.RemoteProtocolError as error:
            self._refuse(error.error_status_hint, "The request is not valid HTTP/1.1")

    def abort(self) -> None:
        """Drop the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    # TLS

    def _decrypted(self, data: bytes) -> bytes | None:
        if self._tls is None:
            return data
        self._incoming.write(data)
        try:
            if not self._shaken:
                self._tls.do_handshake()
                self._shaken = True
        except ssl.SSLWantReadError:
            return None
        finally:
            self._flush()
        pieces = []
        try:
            while True:
                piece = self._tls.read(_CHUNK)
                if not piece:
                    self._close()
                    break
                pieces.append(piece)
        except ssl.SSLWantReadError:
            self._flush()
        except ssl.SSLZeroReturnError:
            self._close()
        return b"".join(pieces) or None

    def _flush(self) -> None:
        data = self._outgoing.read()
        if data and self._transport is not None:
            self._transport.write(data)

    def _send(self, data: bytes) -> None:
        if self._transport is None:
            return
        if self._tls is None:
            self._transport.write(data)
        elif data:
            self._tls.write(data)
            self._flush()

    def _close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    # HTTP

    def _events(self) -> None:
        while not self._waiting and self._transport is not None:
            event = self._http.next_event()
            if isinstance(event, h11.Request):
                if not self._begin(event):
                    return
            elif isinstance(event, h11.Data):
                self._body += event.data
                if len(self._body) > MAX_BODY:
                    self._refuse(413, f"The body is larger than {MAX_BODY} bytes")
                    return
            elif isinstance(event, h11.EndOfMessage):
                self._answer()
            else:
                if isinstance(event, h11.ConnectionClosed):
                    self._close()
                return

    def _begin(self, event: h11.Request) -> bool:
        self._request = event
        self._body = bytearray()
        # h11 limits what is not whole yet; a head that came in one piece is measured here.
        if len(event.target) + sum(len(name) + len(value) + 4 for name, value in event.headers) > MAX_HEADERS:
            self._refuse(431, f"The head of the request is larger than {MAX_HEADERS} bytes")
            return False
        for name, value in event.headers:
            if name == b"content-length" and (len(value) > 12 or int(value) > MAX_BODY):
                self._refuse(413, f"The body is larger than {MAX_BODY} bytes")
                return False
            if name == b"expect":
                self._send(self._http.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
        return True

    def _answer(self) -> None:
        event = self._request
        if event is None:
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in event.headers}
        request = Request(event.method.decode("latin-1"), event.target.decode("latin-1"), headers, bytes(self._body))
        self._body = bytearray()
        response = self._service.handle(request)
        if response.delay_s and self._transport is not None:
            self._waiting = True
            asyncio.get_running_loop().call_later(response.delay_s, self._late, response)
        else:
            self._respond(response)

    def _late(self, response: Response) -> None:
        self._waiting = False
        if self._transport is None:
            return
        self._respond(response)
        try:
            self._events()
        except h11.RemoteProtocolError as error:
            self._refuse(error.error_status_hint, "The request is not valid HTTP/1.1")

    def _respond(self, response: Response) -> None:
        if response.status == 0:  # a fault: the connection drops without an answer
            self.abort()
            return
        self._write(response)
        if self._http.our_state is h11.MUST_CLOSE:
            self._close()
        elif self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()

    def _write(self, response: Response, *, close: bool = False) -> None:
        body = response.encoded()
        headers = list(response.headers)
        if response.status != 204:
            if not any(name == "Content-Type" for name, _ in headers):
                headers.append(("Content-Type", "application/json"))
            headers.append(("Content-Length", str(len(body))))
        if self._request is not None and self._request.method == b"HEAD":
            body = b""
        if close:
            headers.append(("Connection", "close"))
        head = h11.Response(status_code=response.status, headers=headers)
        parts = (head, h11.Data(data=body), h11.EndOfMessage()) if body else (head, h11.EndOfMessage())
        self._send(b"".join(self._http.send(part) or b"" for part in parts))

    def _refuse(self, status: int, detail: str) -> None:
        try:
            if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                self._write(problem(status, detail), close=True)
        except h11.LocalProtocolError:
            self.abort()
        # What is still under way is read and dropped: closing at once would reset the answer away.
        self._discarding = True
        asyncio.get_running_loop().call_later(LINGER_S, self._close)
