"""The wire to a device, over real TLS: one connection for many requests, none that went stale, an end to all."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from intent.device.deadline import Deadline
from intent.device.endpoint import Endpoint, Timeouts, tls_context
from intent.device.errors import CertificateRefused, ConnectionLost, DeadlineExceeded, ProtocolError, Unreachable
from intent.device.http import Transport
from intent.lab import tls

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class Server:
    """Accepts connections one after the other; each is handed to the script of its number."""

    def __init__(self, folder: Path) -> None:
        (self.context,) = tls.issue(folder, ["127.0.0.1"]).values()
        self.ca = folder / "ca.pem"
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.scripts: list[Callable[[ssl.SSLSocket], None]] = []
        self.heads: list[bytes] = []
        self.closed = threading.Event()

    def serve(self, *scripts: Callable[[ssl.SSLSocket], None]) -> None:
        """Work through the scripts in a thread of their own."""

        def work() -> None:
            for script in scripts:
                plain, _ = self.listener.accept()
                with suppress(OSError), self.context.wrap_socket(plain, server_side=True) as connection:
                    script(connection)
                self.closed.set()

        threading.Thread(target=work, daemon=True).start()

    def read(self, connection: ssl.SSLSocket) -> bytes:
        """One request, its body included."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        length = next((int(row[15:]) for row in head.split(b"\r\n") if row.lower().startswith(b"content-length")), 0)
        while len(body) < length:
            body += connection.recv(65536)
        self.heads.append(head)
        return body

    def answering(self, *answers: bytes) -> Callable[[ssl.SSLSocket], None]:
        """A script that answers so many requests and then closes."""

        def script(connection: ssl.SSLSocket) -> None:
            for answer in answers:
                self.read(connection)
                connection.sendall(answer)

        return script


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path)
    yield made
    made.listener.close()


def transport(server: Server, *, limit: int = 1000, context: ssl.SSLContext | None = None) -> Transport:
    place = Endpoint(
        "leaf01", "127.0.0.1", server.listener.getsockname()[1], "u", "p", context or tls_context(str(server.ca)),
        timeouts=Timeouts(2, 2, 2, 2), max_body_bytes=limit,
    )  # fmt: skip
    return Transport(place, root="/api")


def deadline(made: Transport, seconds: float = 5.0) -> Deadline:
    return Deadline(seconds, made.clock)


def test_one_connection_carries_many_requests(server: Server) -> None:
    chunked = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{"a": 1\r\n1\r\n}\r\n0\r\n\r\n'
    early = b"HTTP/1.1 103 Early Hints\r\n\r\n" + OK
    server.serve(server.answering(OK, chunked, early, b"HTTP/1.1 204 No Content\r\n\r\n"))
    made = transport(server)
    assert made.get("/a", {"rev": "x y"}, deadline=deadline(made)) == {}
    assert made.send("PATCH", "/b", body={"a": "é"}, deadline=deadline(made)) == {"a": 1}
    assert made.send("POST", "/c", deadline=deadline(made)) == {}
    assert made.send("DELETE", "/d", deadline=deadline(made)) == {}
    assert (made.connections, made.requests, made.writes) == (1, 4, 3)
    assert [head.split(b" HTTP")[0] for head in server.heads] == [
        b"GET /api/a?rev=x+y", b"PATCH /api/b", b"POST /api/c", b"DELETE /api/d",
    ]  # fmt: skip


def test_a_write_larger_than_a_record_arrives_whole(server: Server) -> None:
    bodies: list[bytes] = []

    def script(connection: ssl.SSLSocket) -> None:
        bodies.append(server.read(connection))
        connection.sendall(OK)

    server.serve(script)
    made = transport(server)
    made.send("PATCH", "/", body={"a": "x" * 100_000}, deadline=deadline(made))
    assert bodies == [b'{"a":"' + b"x" * 100_000 + b'"}']


def test_nothing_is_sent_over_a_connection_the_device_closed(server: Server) -> None:
    server.serve(server.answering(OK), server.answering(OK))
    made = transport(server)
    made.get("/", deadline=deadline(made))
    assert server.closed.wait(5)
    assert made.send("PATCH", "/", body={}, deadline=deadline(made)) == {}
    assert made.connections == 2


@pytest.mark.parametrize(
    "answer", [OK.replace(b"OK\r\n", b"OK\r\nConnection: close\r\n"), b"HTTP/1.0 200 OK\r\n\r\n{}"]
)
def test_a_connection_that_ends_with_its_answer_is_not_used_again(server: Server, answer: bytes) -> None:
    server.serve(server.answering(answer), server.answering(answer))
    made = transport(server)
    assert [made.get("/", deadline=deadline(made)) for _ in range(2)] == [{}, {}]
    assert made.connections == 2


def test_what_was_not_read_to_its_end_is_dropped(server: Server) -> None:
    large = b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b" " * 5000
    server.serve(server.answering(large), server.answering(OK))
    made = transport(server)
    with pytest.raises(ProtocolError, match="larger than 1000 bytes"):
        made.get("/", deadline=deadline(made))
    assert made.get("/", deadline=deadline(made)) == {}
    assert made.connections == 2


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
        b"SSH-2.0-x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000,
    ],
    ids=["nothing", "cut off", "no HTTP", "a head without end"],
)
def test_a_write_without_a_whole_answer_may_have_been_carried_out(server: Server, answer: bytes) -> None:
    server.serve(server.answering(answer))
    made = transport(server)
    with pytest.raises(ConnectionLost):
        made.send("PATCH", "/", body={}, deadline=deadline(made))


def test_interim_answers_do_not_outlast_the_deadline(server: Server) -> None:
    def script(connection: ssl.SSLSocket) -> None:
        server.read(connection)
        while True:
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            time.sleep(0.02)

    server.serve(script)
    made = transport(server)
    with pytest.raises(DeadlineExceeded, match=r"not done within 0\.3 s"):
        made.send("PATCH", "/", body={}, deadline=deadline(made, 0.3))


def test_a_certificate_nobody_vouches_for_is_refused(server: Server) -> None:
    server.serve(server.answering(OK))
    made = transport(server, context=tls_context())
    with pytest.raises(CertificateRefused, match="does not verify"):
        made.send("PATCH", "/", body={}, deadline=deadline(made))


def test_an_answer_packed_unasked_is_not_unpacked(server: Server) -> None:
    server.serve(server.answering(OK.replace(b"OK\r\n", b"OK\r\nContent-Encoding: gzip\r\n")))
    made = transport(server)
    with pytest.raises(ProtocolError, match="encoded as 'gzip'"):
        made.get("/", deadline=deadline(made))


def test_an_equal_answer_is_the_same_object_where_that_is_asked_for(server: Server) -> None:
    other = OK.replace(b"2\r\n\r\n{}", b'8\r\n\r\n{"a": 1}')
    server.serve(server.answering(OK, OK, other, OK))
    made = transport(server)
    first, again, changed = (made.get("/", deadline=deadline(made), remember=True) for _ in range(3))
    assert first is again
    assert changed == {"a": 1}
    assert made.get("/", deadline=deadline(made)) == {}


@pytest.mark.parametrize("host", ["a..b", "x" * 70, "no such\nhost", "[::1", "1.2.3.4.5", "h@x", "\u2024"])
def test_a_name_that_is_no_host_is_out_of_reach(host: str) -> None:
    made = Transport(Endpoint("leaf01", host, 8765, "u", "p", tls_context()))
    with pytest.raises(Unreachable):
        made.send("PATCH", "/", body={}, deadline=deadline(made))
