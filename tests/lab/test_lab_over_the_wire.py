"""The lab as a server: TLS, keep-alive, hostile clients, the control door, the process."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import ssl
import time

import pytest
from lab_client import LabClient
from lab_trees import fabric_tree, pair
from loopback import own_base

from intent.core.errors import IntentError
from intent.lab import process, state
from intent.lab.http import MAX_BODY
from intent.lab.inprocess import LabServer
from intent.lab.orders import order
from intent.lab.server import addresses
from intent.lab.tools import Timing

CHANGE = {"interface": {"swp5": {"type": "swp", "description": "x"}}}


@pytest.fixture(scope="module")
def lab():
    with LabServer(pair()) as running:
        yield running


def raw(lab, data: bytes, name: str = "leaf1", *, plain: bool = False) -> bytes:
    """Everything a switch answers to bytes."""
    place = lab.info.switches[name]
    sock = socket.create_connection((place.address, place.port), timeout=10)
    if not plain:
        context = ssl.create_default_context(cafile=str(lab.info.ca))
        sock = context.wrap_socket(sock, server_hostname=place.address)
    answer = b""
    with sock:
        try:
            sock.sendall(data)
            while piece := sock.recv(65536):
                answer += piece
        except (ConnectionError, ssl.SSLError):
            pass
    return answer


def test_one_connection_serves_a_whole_change(lab):
    leaf = LabClient(lab.info, "leaf1")
    before = lab.status()["switches"]["leaf1"]
    done = leaf.apply(fabric_tree(65001, {"swp1s0": 65101}), confirm=60)
    assert done["state"] == "confirm"
    assert leaf.order(done["id"], {"state": "confirm_yes"})[1]["state"] == "applied_and_saved"
    after = lab.status()["switches"]["leaf1"]
    assert after["connections"] == before["connections"] + 1
    assert after["writes"] == before["writes"] + 4
    assert after["requests"] == after["reads"] + after["writes"]


def test_every_switch_has_its_own_address_and_is_verified_by_it(lab):
    places = {(place.address, place.port) for place in lab.info.switches.values()}
    assert len(places) == 2
    place = lab.info.switches["leaf1"]
    with pytest.raises(ssl.SSLCertVerificationError):
        http.client.HTTPSConnection(place.address, place.port, context=ssl.create_default_context()).request("GET", "/")
    context = ssl.create_default_context(cafile=str(lab.info.ca))
    if hasattr(ssl, "VERIFY_X509_STRICT"):
        context.verify_flags |= ssl.VERIFY_X509_STRICT
    connection = http.client.HTTPSConnection(place.address, place.port, context=context)
    connection.request("GET", "/nvue_v1/system")
    assert connection.getresponse().status == 401
    connection.close()


def test_secrets_stay_with_the_owner(lab):
    folder = lab.info.state_dir
    for file in (folder / state.FILE, *folder.glob("switches-*.pem")):
        assert file.stat().st_mode & 0o077 == 0, file
    assert lab.info.password not in repr(lab.info)
    assert lab.info.control_token not in repr(lab.info)
    assert state.load(folder) == lab.info


HOSTILE = [
    b"\x00\x01\x02\x03" * 100,
    b"GET\r\n\r\n",
    b"GET /nvue_v1/ HTTP/1.1\r\n\r\n",
    b"GET /nvue_v1/ HTTP/nine\r\nHost: x\r\n\r\n",
    b"GET /nvue_v1/ HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    b"GET /nvue_v1/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"PATCH /nvue_v1/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nonsense\r\n\r\n",
    b"GET /nvue_v1/" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /nvue_v1/ HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
    b"GET /nvue_v1/ HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n",
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_not_http_is_refused_and_harms_nobody(lab, data):
    answer = raw(lab, data)
    assert answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5")), answer[:80]
    assert not answer.startswith(b"HTTP/1.1 500")
    assert LabClient(lab.info, "leaf1").get("/system")["hostname"]


def test_what_is_not_tls_is_dropped(lab):
    assert b"HTTP" not in raw(lab, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", plain=True)
    assert LabClient(lab.info, "leaf1").get("/system")["hostname"]


def head(lab, length: int) -> bytes:
    token = LabClient(lab.info, "leaf1").headers["Authorization"]
    return (
        f"PATCH /nvue_v1/?rev=1 HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


def test_a_huge_body_is_413_announced_or_not(lab):
    assert raw(lab, head(lab, MAX_BODY + 1) + b"x" * 100_000).startswith(b"HTTP/1.1 413")
    assert raw(lab, head(lab, 10**30)).startswith(b"HTTP/1.1 4")
    chunked = b"PATCH /nvue_v1/?rev=1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    assert raw(lab, chunked + chunk * 9).startswith(b"HTTP/1.1 413")


def test_compressed_answers_and_the_page_of_nginx_arrive_as_they_are(lab):
    """What no JSON library makes of itself: a compressed body, and a page of HTML while the service starts."""
    leaf = LabClient(lab.info, "spine1")
    leaf.start(leaf.load({"system": {"api": {"compression": "gzip"}}}))
    for _ in range(200):
        leaf.connection.close()
        try:
            leaf.connection.request("GET", "/nvue_v1/interface", headers={**leaf.headers, "Accept-Encoding": "gzip"})
            answer = leaf.connection.getresponse()
            body = answer.read()
        except OSError:  # the API itself is reloaded
            time.sleep(0.01)
            continue
        if answer.getheader("Content-Encoding") == "gzip":
            break
        time.sleep(0.01)
    assert int(answer.getheader("Content-Length")) == len(body)
    assert json.loads(gzip.decompress(body)) == leaf.get("/interface")
    lab.fault("restart", "spine1", for_s=30)
    leaf.connection.request("GET", "/nvue_v1/system", headers=leaf.headers)
    answer = leaf.connection.getresponse()
    assert (answer.status, answer.getheader("Content-Type")) == (502, "text/html")
    assert b"502 Bad Gateway" in answer.read()
    lab.fault("clear", "spine1")
    assert leaf.get("/system")["hostname"] == "spine1"


BODIES = [
    b"",
    b"{",
    b"[1,2,3]",
    b'"text"',
    b"null",
    b"\xff\xfe{}",
    b'{"interface": {"swp1": NaN}}',
    b'{"interface": {"swp1": {"link": {"mtu": ' + b"9" * 6000 + b"}}}}",
    b'{"a":' * 5000 + b"1" + b"}" * 5000,
    b"[" * 200_000,
    json.dumps({"interface": {"swp1-99999999": {}}}).encode(),
    json.dumps({"interface": {"swp1-9000,1-9000": {}}}).encode(),
    json.dumps({"interface": {"": {}}}).encode(),
    json.dumps({"system": {"hostname": "x" * 100_000}}).encode(),
    json.dumps({"interface": {"swp1": {"bridge": {"domain": {"\u0000": {}}}}}}).encode(),
    json.dumps({f"key{number}": {} for number in range(50_000)}).encode(),
]


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_bad_bodies_are_400_with_a_reason_and_change_nothing(lab, body):
    leaf = LabClient(lab.info, "leaf1")
    revision = leaf.create()
    before = leaf.get("/", rev=revision, filled="false")
    status, answer = leaf.call("PATCH", "/", raw=body, rev=revision)
    assert status == 400, answer
    assert answer["detail"]
    assert len(json.dumps(answer)) < 60_000
    assert leaf.get("/", rev=revision, filled="false") == before
    leaf.call("DELETE", f"/revision/{revision}")


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("//[", 400),
        ("/nvue_v1/%00%ff/x", 404),
        ("/nvue_v1/../../etc/passwd", 404),
        ("/other", 404),
        ("/nvue_v1/?rev=999999", 404),
        ("/nvue_v1/?" + "&".join(f"a{number}=1" for number in range(300)), 400),
        ("/nvue_v1/interface?include=" + "/*" * 3000, 200),
    ],
)
def test_odd_targets(lab, target, status):
    token = LabClient(lab.info, "leaf1").headers["Authorization"]
    data = f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: {token}\r\n\r\n".encode()
    assert raw(lab, data).split(b" ", 2)[1] == str(status).encode()


def test_other_content_and_other_methods(lab):
    leaf = LabClient(lab.info, "leaf1")
    leaf.headers["Content-Type"] = "text/yaml"
    token = leaf.headers["Authorization"]
    tail = f"Host: x\r\nConnection: close\r\nAuthorization: {token}\r\n"
    yaml = f"PATCH /nvue_v1/?rev=1 HTTP/1.1\r\n{tail}Content-Type: text/yaml\r\nContent-Length: 2\r\n\r\n{{}}"
    assert raw(lab, yaml.encode()).startswith(b"HTTP/1.1 415")
    for method in ("PUT", "HEAD", "OPTIONS", "BREW"):
        assert raw(lab, f"{method} /nvue_v1/ HTTP/1.1\r\n{tail}\r\n".encode()).startswith(b"HTTP/1.1 405")


def test_requests_in_one_packet_are_answered_in_order(lab):
    token = LabClient(lab.info, "leaf1").headers["Authorization"]
    one = f"GET /nvue_v1/system/hostname HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n"
    answer = raw(lab, (one + "\r\n" + one + "\r\n" + one + "Connection: close\r\n\r\n").encode())
    assert answer.count(b"HTTP/1.1 200") == 3


def test_unreachable_drops_old_and_new_connections_and_silent_says_nothing(lab):
    old = LabClient(lab.info, "spine1")
    assert old.get("/system")
    lab.fault("unreachable", "spine1")
    with pytest.raises((OSError, http.client.HTTPException)):
        old.get("/system")
    with pytest.raises((OSError, http.client.HTTPException)):
        LabClient(lab.info, "spine1").get("/system")
    lab.fault("clear", "spine1")
    assert LabClient(lab.info, "spine1").get("/system")
    lab.fault("unreachable", "spine1", how="silent")
    quiet = LabClient(lab.info, "spine1")
    quiet.connection.timeout = 0.3
    with pytest.raises(TimeoutError):
        quiet.get("/system")
    lab.fault("clear", "spine1")


def test_slow_is_slow_for_one_switch_only(lab):
    lab.fault("slow", "spine1", delay_s=0.4)
    started = time.monotonic()
    LabClient(lab.info, "leaf1").get("/system")
    quick = time.monotonic() - started
    LabClient(lab.info, "spine1").get("/system")
    assert time.monotonic() - started - quick >= 0.4
    lab.fault("clear", "spine1")


def test_the_control_door_wants_its_token(lab):
    url, token = lab.info.control_url, lab.info.control_token
    assert order(url, token, "GET", "/status")["switches"]["leaf1"]["reachable"] is True
    for bad in ("", "wrong", token + "x"):
        with pytest.raises(IntentError, match="token"):
            order(url, bad, "GET", "/status")
    with pytest.raises(IntentError, match="knows GET /status"):
        order(url, token, "GET", "/nothing")
    with pytest.raises(IntentError, match="no fault is called"):
        order(url, token, "POST", "/fault", {"kind": "x", "device": "leaf1"})
    with pytest.raises(IntentError, match="a fault is an object"):
        order(url, token, "POST", "/fault", {"kind": "x", "options": []})


def test_a_taken_port_is_told(lab):
    port = lab.info.switches["leaf1"].port
    with pytest.raises(IntentError, match="already in use"), LabServer(pair(), port=port):
        pass


@pytest.mark.parametrize("base", ["10.0.0.1", "localhost", "127.255.255.250", ""])
def test_bad_address_bases_are_told(base):
    with pytest.raises(IntentError):
        addresses(base, 100)


def test_addresses_are_distinct_and_skip_the_ends():
    found = addresses("127.80.0.0", 600)
    assert len(set(found)) == 600
    assert found[0] == "127.80.0.1"
    assert not any(address.endswith((".0", ".255")) for address in found)


def wiring_file(folder, **more):
    document = {"switches": [{"name": "leaf1", "model": "SN5600", "release": "5.16.4"}], **more}
    file = folder / "wiring.json"
    file.write_text(json.dumps(document))
    return file


def test_the_process_starts_obeys_and_stops(tmp_path):
    file, folder, base = wiring_file(tmp_path), tmp_path / "lab", own_base()
    info = process.up(file, folder, port=0, address_base=base, apply_s=0.05)
    try:
        leaf = LabClient(info, "leaf1")
        assert leaf.apply(CHANGE)["state"] == "applied_and_saved"
        assert process.status(folder)["switches"]["leaf1"]["writes"] == 3
        assert "applied by hand" in process.fault(folder, "change-by-hand", "leaf1", unset=["interface.swp5"])
        assert "swp5" not in leaf.applied()["interface"]
        with pytest.raises(IntentError, match="no fault is called"):
            process.fault(folder, "melt", "leaf1")
        with pytest.raises(IntentError, match="already running"):
            process.up(file, folder, port=0)
        with pytest.raises(IntentError, match="already in use"):
            process.up(file, tmp_path / "other", port=info.switches["leaf1"].port, address_base=base)
    finally:
        assert process.down(folder) is True
    assert process.down(folder) is False
    assert not (folder / state.FILE).exists()
    with pytest.raises(IntentError, match="no lab is running"):
        process.status(folder)


def test_factory_by_option(tmp_path):
    folder = tmp_path / "lab"
    info = process.up(wiring_file(tmp_path), folder, port=0, address_base=own_base(), factory=True)
    try:
        assert LabClient(info, "leaf1", "cumulus", "cumulus").call("GET", "/system")[0] == 403
        process.fault(folder, "set-password", "leaf1")
        assert LabClient(info, "leaf1").get("/system")["hostname"] == "cumulus"
    finally:
        process.down(folder)


def test_a_wiring_nobody_can_build_does_not_start(tmp_path):
    document = {"switches": [{"name": "leaf1", "model": "SN0", "release": "5.16.4"}]}
    with pytest.raises(IntentError, match="SN0"):
        process.up(wiring_file(tmp_path, **document), tmp_path / "lab", port=0)
    assert not (tmp_path / "lab" / state.FILE).exists()


def test_a_stale_or_broken_state_file(tmp_path):
    with pytest.raises(IntentError, match="no lab is running"):
        process.status(tmp_path)
    (tmp_path / state.FILE).write_text("{")
    with pytest.raises(IntentError, match="not the state file"):
        process.status(tmp_path)


def test_timing_is_an_option():
    with LabServer(pair(), timing=Timing(apply_s=30)) as slow:
        leaf = LabClient(slow.info, "leaf1")
        revision = leaf.load(CHANGE)
        leaf.start(revision)
        assert leaf.revision(revision)["state"] in ("apply", "verifying")
