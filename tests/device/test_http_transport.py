"""The one HTTP seam: every failure becomes one of our errors, only reads are repeated, nothing leaks."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest
from fake_switch import PASSWORD, Clock

from intent.device.deadline import Deadline
from intent.device.endpoint import Endpoint, Timeouts
from intent.device.errors import (
    AuthenticationFailed,
    BadRequest,
    ConnectionLost,
    DeadlineExceeded,
    DeviceError,
    Forbidden,
    NotFound,
    ProtocolError,
    ServerError,
    Unreachable,
)
from intent.device.http import Transport

Handler = Callable[[httpx.Request], httpx.Response]


def transport(handler: Handler, clock: Clock | None = None, limit: int = 1_000_000) -> Transport:
    clock = clock or Clock()
    endpoint = Endpoint(
        "leaf01", "192.0.2.1", 8765, "cumulus", PASSWORD, ssl.create_default_context(), max_body_bytes=limit
    )
    return Transport(endpoint, root="/nvue_v1", clock=clock, sleep=clock.sleep, wire=httpx.MockTransport(handler))


def deadline(made: Transport, seconds: float = 30.0) -> Deadline:
    return Deadline(seconds, made.clock)


def answer(status: int, body: object = None) -> Handler:
    return lambda request: httpx.Response(status, json=body) if body is not None else httpx.Response(status)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (301, ProtocolError),
        (400, BadRequest),
        (401, AuthenticationFailed),
        (403, Forbidden),
        (404, NotFound),
        (405, BadRequest),
        (409, BadRequest),
        (500, ServerError),
        (502, ServerError),
    ],
)
def test_every_status_has_its_error(status: int, kind: type[DeviceError]) -> None:
    made = transport(answer(status, {"detail": "because", "title": "t"}))
    with pytest.raises(kind) as caught:
        made.send("PATCH", "/", deadline=deadline(made))
    assert str(status) in caught.value.message or status == 404


def test_401_and_403_are_told_apart() -> None:
    made = transport(answer(401))
    with pytest.raises(AuthenticationFailed) as caught:
        made.get("/system", deadline=deadline(made))
    assert not isinstance(caught.value, Forbidden)


def test_a_schema_error_keeps_pointers() -> None:
    body = {"validation": {"selected_errors": [{"error": "too large", "instanceLocation": "/interface/swp1"}, 7]}}
    made = transport(answer(400, body))
    with pytest.raises(BadRequest) as caught:
        made.send("PATCH", "/", {"rev": "2"}, {}, deadline=deadline(made))
    assert [str(item) for item in caught.value.violations] == ["/interface/swp1: too large"]


@pytest.mark.parametrize("body", [b"<html>", b"{", b"[" * 100_000, b"\xff\xfe", b'{"a": 1} x'])
def test_an_answer_that_is_no_json_is_a_protocol_error(body: bytes) -> None:
    made = transport(lambda request: httpx.Response(200, content=body))
    with pytest.raises(ProtocolError, match="not JSON"):
        made.get("/", deadline=deadline(made))


@pytest.mark.parametrize("body", [b"<html>502</html>", b"[" * 100_000, b"[]", b'{"validation": 3}'])
def test_an_error_body_of_any_shape_does_no_harm(body: bytes) -> None:
    made = transport(lambda request: httpx.Response(502, content=body))
    with pytest.raises(ServerError):
        made.send("PATCH", "/", deadline=deadline(made))


def test_an_answer_larger_than_the_limit_is_cut_off() -> None:
    made = transport(lambda request: httpx.Response(200, content=b" " * 2000), limit=1000)
    with pytest.raises(ProtocolError, match="larger than 1000 bytes"):
        made.get("/", deadline=deadline(made))


def test_an_empty_answer_is_an_empty_object() -> None:
    made = transport(answer(204))
    assert made.send("DELETE", "/", {"rev": "2"}, deadline=deadline(made)) == {}


@pytest.mark.parametrize(
    "failure", [httpx.ConnectError("x"), httpx.ReadError("x"), httpx.RemoteProtocolError("x"), 503]
)
def test_reads_are_repeated_and_writes_never(failure: httpx.TransportError | int) -> None:
    calls: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        calls.append(request.method)
        if len(calls) < 3:
            if isinstance(failure, int):
                return httpx.Response(failure)
            raise failure
        return httpx.Response(200, json={"a": 1})

    made = transport(handler)
    assert made.get("/", deadline=deadline(made)) == {"a": 1}
    assert (calls, made.requests, made.writes) == (["GET"] * 3, 3, 0)
    calls.clear()
    with pytest.raises((Unreachable, ServerError)):
        made.send("PATCH", "/", body={}, deadline=deadline(made))
    assert calls == ["PATCH"]


def test_what_was_never_sent_and_what_may_have_been_are_told_apart() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectTimeout("x")

    def cut(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("x")

    made = transport(refuse)
    with pytest.raises(Unreachable) as caught:
        made.send("PATCH", "/", deadline=deadline(made))
    assert not isinstance(caught.value, ConnectionLost)
    made = transport(cut)
    with pytest.raises(ConnectionLost):
        made.send("PATCH", "/", deadline=deadline(made))


def test_the_deadline_ends_retries() -> None:
    clock = Clock()

    def slow(request: httpx.Request) -> httpx.Response:
        clock.now += 6
        raise httpx.ReadTimeout("x")

    made = transport(slow, clock)
    with pytest.raises((DeadlineExceeded, ConnectionLost)):
        made.get("/", deadline=deadline(made, 10))
    assert made.requests <= 2
    with pytest.raises(DeadlineExceeded, match="not done within 5 s"):
        over = deadline(made, 5)
        clock.now += 6
        made.get("/", deadline=over)


def test_no_secret_in_any_error_or_repr() -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadError(f"broken {request.url}")

    made = transport(fail)
    with pytest.raises(ConnectionLost) as caught:
        made.send("PATCH", "/", {"rev": "2"}, {"password": "CANARY-body"}, deadline=deadline(made))
    texts = [str(caught.value), repr(caught.value), repr(made.endpoint), repr(made)]
    assert not [text for text in texts if "CANARY" in text]
    assert caught.value.__cause__ is None


def test_identifiers_with_slashes_and_lists_arrive_as_sent() -> None:
    seen: list[bytes] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.raw_path)
        return httpx.Response(200, json={})

    made = transport(handler)
    made.get("/revision/changeset%2Fcumulus%2F2021", deadline=deadline(made))
    made.get("/interface", {"include": ["/*/link", "/*/type"]}, deadline=deadline(made))
    assert seen[0] == b"/nvue_v1/revision/changeset%2Fcumulus%2F2021"
    assert seen[1].count(b"include=") == 2


# --- against a real socket


@contextmanager
def listener(act: Callable[[socket.socket], None]) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        stop = threading.Event()

        def serve() -> None:
            server.settimeout(0.1)
            while not stop.is_set():
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                with connection:
                    act(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            stop.set()
            thread.join()


def plain(port: int, timeouts: Timeouts) -> Transport:
    return Transport(Endpoint("x", "127.0.0.1", port, "u", "p", ssl.create_default_context(), timeouts=timeouts))


def test_something_else_listens_on_the_port() -> None:
    with listener(lambda connection: connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")) as port:
        made = plain(port, Timeouts(1, 1, 1, 2))
        with pytest.raises(Unreachable):
            made.get("/", deadline=Deadline(2, made.clock))


def test_a_peer_that_never_answers_ends_with_the_timeout() -> None:
    hold = threading.Event()
    with listener(lambda connection: bool(hold.wait(3)) and None) as port:
        made = plain(port, Timeouts(0.2, 0.2, 0.2, 0.5))
        with pytest.raises((Unreachable, DeadlineExceeded)):
            made.get("/", deadline=Deadline(0.5, made.clock))
        hold.set()


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    made = plain(port, Timeouts(0.5, 0.5, 0.5, 1))
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1"):
        made.get("/", deadline=Deadline(0.2, made.clock))


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://192.0.2.99:3128")
    made = transport(lambda request: httpx.Response(200, content=json.dumps({"host": request.url.host})))
    assert made.get("/", deadline=deadline(made)) == {"host": "192.0.2.1"}
