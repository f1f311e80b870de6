"""A TLS server in front of a lab's switch: it passes everything on, until it is told to answer badly."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest import mock

from intent.lab import tls

# What `Front.mode` may be, beside these: "relay", "closed", "silent", a name of `Certificates`, "changing", "spoiling".
_DRIP_S = 0.05


def _whole(body: bytes, status: str = "200 OK", kind: str = "application/json", more: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


ANSWERS: Mapping[str, bytes] = {
    "garbage": b"\x00\xff\x16\x03 SSH-2.0-OpenSSH_9.2\r\n\r\n",
    "redirect": _whole(b"", "302 Found", more="Location: https://127.94.0.1:8765/nvue_v1/\r\n"),
    "html-502": _whole(b"<html><h1>502 Bad Gateway</h1></html>", "502 Bad Gateway", "text/html"),
    "html-200": _whole(b"<html><script>alert(1)</script></html>", kind="text/html"),
    "cut-json": _whole(b'{"interface": {"swp1s0": {"link": {"mtu": 92'),
    "cut-body": b'HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{"interface": {',
    "list": _whole(b'[{"interface": {}}]'),
    "text": _whole(b'"everything is fine"'),
    "null": _whole(b"null"),
    "number": _whole(b"9216"),
    "other-shape": _whole(b'{"interface": ["swp1s0"], "system": "up", "router": 65001, "qos": null, "build": []}'),
    "nested": _whole(b"[" * 200_000),
    "not-utf8": _whole(b'{"system": {"hostname": "\xff\xfe\xfa"}}'),
    "nothing": _whole(b""),
    "no-content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "unauthorized": _whole(b'{"title": "no"}', "401 Unauthorized"),
    "teapot": _whole(b'{"detail": "\x1b[2J\x1b[31mowned"}'.replace(b"\x1b", b"\\u001b"), "418 Teapot"),
    "unavailable": _whole(b'{"detail": "starting"}', "503 Service Unavailable", more="Retry-After: 86400\r\n"),
    "bomb": _whole(gzip.compress(b" " * 40_000_000), more="Content-Encoding: gzip\r\n"),
    "not-gzip": _whole(b"{}", more="Content-Encoding: gzip\r\n"),
    "status-line": b"HTTP/9.9 banana\r\n\r\n",
}


class Certificates:
    """Server contexts by what is wrong with them, and the bundle a client trusts.

    Args:
        folder: where the PEM files go.
        addresses: loopback addresses the good ones are for.
    """

    def __init__(self, folder: Path, addresses: list[str]) -> None:
        made = {"good": addresses, "expired": addresses, "wrong-name": ["127.94.0.9"], "wrong-ca": addresses}
        self.contexts: dict[str, ssl.SSLContext] = {}
        bundle = []
        for name, good_for in made.items():
            place = folder / name
            place.mkdir(parents=True)
            days = -0.01 if name == "expired" else tls.VALID_DAYS
            with mock.patch.object(tls, "VALID_DAYS", days):
                self.contexts[name] = next(iter(tls.issue(place, good_for).values()))
            if name != "wrong-ca":
                bundle.append((place / "ca.pem").read_text(encoding="ascii"))
        self.bundle = folder / "bundle.pem"
        self.bundle.write_text("".join(bundle), encoding="ascii")


class Front(ThreadingHTTPServer):
    """One address that stands for a switch.

    Args:
        address: loopback address it listens on.
        port: TCP port.
        upstream: the lab's own switch, `(address, port)`, and the file of its authority.
        certificates: what it shows.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, address: str, port: int, upstream: tuple[str, int, str], certificates: Certificates) -> None:
        super().__init__((address, port), _Handler)
        self.mode = "relay"
        self.upstream = upstream
        self.certificates = certificates
        self.trusted = ssl.create_default_context(cafile=upstream[2])
        self.methods: list[str] = []
        self.served = 0
        self.change: Callable[[str, bytes, int], bytes] = lambda _path, body, _number: body
        self.spoils: Callable[[str, str, bytes], str] = lambda _method, _path, _body: ""
        self.spoiled = 0
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def finish_request(self, request: Any, client_address: Any) -> None:
        """In the connection's own thread: TLS as the mode says, then the requests."""
        if self.mode == "closed":
            return
        if self.mode == "silent":
            time.sleep(5)
            return
        context = self.certificates.contexts.get(self.mode, self.certificates.contexts["good"])
        request.settimeout(10)
        with contextlib.suppress(OSError), context.wrap_socket(request, server_side=True) as secured:
            super().finish_request(secured, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""

    def stop(self) -> None:
        """Stop listening."""
        self.shutdown()
        self.server_close()
        self._thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Front

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def _answer(self) -> None:
        front = self.server
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        front.methods.append(self.command)
        mode = front.mode
        if mode in ("relay", "changing", *front.certificates.contexts):
            self._relay(body, changing=mode == "changing")
            return
        if mode == "spoiling":
            # What is asked is done; only the answer is another one.
            kind = front.spoils(self.command, self.path, body or b"")
            self._relay(body, changing=False, instead=ANSWERS[kind] if kind else b"")
            return
        self.close_connection = True
        with contextlib.suppress(OSError):
            getattr(self, "_" + mode.replace("-", "_"), self._canned)()

    do_GET = do_POST = do_PATCH = do_DELETE = _answer

    def _relay(self, body: bytes | None, *, changing: bool, instead: bytes = b"") -> None:
        address, port, _ = self.server.upstream
        connection = http.client.HTTPSConnection(address, port, timeout=10, context=self.server.trusted)
        kept = {k: v for k, v in self.headers.items() if k.lower() in ("authorization", "content-type", "accept")}
        connection.request(self.command, self.path, body, kept)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        if instead:
            self.server.spoiled += 1
            self.close_connection = True
            self.wfile.write(instead)
            return
        if changing:
            self.server.served += 1
            data = self.server.change(self.path, data, self.server.served)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.getheader("Content-Type") or "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _canned(self) -> None:
        self.wfile.write(ANSWERS[self.server.mode])

    def _huge(self) -> None:
        self.wfile.write(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n"\r\n')
        block = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        for _ in range(4096):
            self.wfile.write(block)

    def _drip(self, start: bytes, drop: bytes) -> None:
        self.wfile.write(start)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            self.wfile.write(drop)
            self.wfile.flush()
            time.sleep(_DRIP_S)

    def _drip_body(self) -> None:
        self._drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{", b" ")

    def _drip_head(self) -> None:
        self._drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x")

    def _drip_chunk(self) -> None:
        self._drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"x")

    def _continue_forever(self) -> None:
        self._drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n")
