"""Tenants as partitions: members, keys that never move, GUIDs at the right ports, nothing in part."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ib_site import NODES, RAILS, guid, guids_csv, settled, site_text

from intent.core.diagnostic import Diagnostic
from intent.fabric.lock import Lock, dump, parse
from intent.fabric.model import End, Role
from intent.workspace.infiniband import Settled


def found(result: Settled) -> list[Diagnostic]:
    return [item for item in result.built.diagnostics if item.code[0] in "FG"]


def messages(result: Settled) -> list[str]:
    return [f"{item.span}: {item.code}: {item.message}" for item in found(result)]


def keys(result: Settled) -> dict[str, str]:
    return {item.label: item.key_text for item in result.partitions}


def reread(lock: Lock) -> Lock:
    again, problems = parse(dump(lock), "sites/s.lock", "s")
    assert problems == ()
    return again


def tenants(**partitions: str) -> str:
    """A tenant of node n1 with these partitions."""
    listed = ", ".join(f"{name}: {{fabric: q{text}}}" for name, text in partitions.items())
    return f'tenants:\n  a: {{nodes: "n1", partitions: {{{listed}}}}}\n'


# --- members


def test_members_are_every_port_of_the_nodes_in_that_fabric_with_their_membership() -> None:
    result = settled()
    assert found(result) == []
    physics, biology = result.partitions
    assert [member.end for member in physics.members] == [
        End(node, f"rail{rail}") for node in ("n1", "n2") for rail in range(1, RAILS + 1)
    ]
    assert {member.guid for member in physics.members} == {guid(n, r) for n in ("n1", "n2") for r in range(1, 9)}
    assert all(member.full for member in physics.members)
    assert {(member.end.device, member.full) for member in biology.members} == {("n3", True), ("n4", False)}
    assert physics.complete and biology.complete


def test_half_a_rack_is_its_nodes_and_a_rack_is_all_of_them() -> None:
    text = site_text('tenants:\n  a: {nodes: "s/g1-{01..09}", partitions: {t: {fabric: q}}}\n', guids="").replace(
        'nodes: [{name: "n{1..4}", type: dgx-h100}]', 'racks: [{name: "g{1..2}", type: gb200-nvl72}]'
    )
    text = text.replace('nodes: "n*"', 'racks: "g*"')
    (half,) = settled(text).partitions
    assert {member.end.device for member in half.members} == {f"g1-{tray:02}" for tray in range(1, 10)}
    (whole,) = settled(text.replace("g1-{01..09}", "g1")).partitions
    assert len(whole.members) == 2 * len(half.members) == 18 * 4


def test_the_hosts_of_subnet_managers_are_no_members_of_a_tenant() -> None:
    result = settled(site_text('tenants:\n  a: {nodes: "*", partitions: {t: {fabric: q}}}\n'))
    (partition,) = result.partitions
    fabric = result.built.fabric
    assert fabric is not None
    assert {fabric.devices[member.end.device].role for member in partition.members} == {Role.NODE}


# --- keys


def test_keys_are_allocated_upwards_and_written_ones_first() -> None:
    result = settled(site_text(tenants(x="", y=", pkey: 0x0001", z="")))
    assert keys(result) == {"a-y": "0x8001", "a-x": "0x8002", "a-z": "0x8003"}
    assert result.built.lock.held["pkey"]["q/a/y"] == "q:0x8001"


def test_a_key_never_moves_and_one_that_is_gone_is_not_given_again() -> None:
    first = settled(site_text(tenants(x="", y="", z="")))
    lock = reread(first.built.lock)
    second = settled(site_text(tenants(new="", z="", x="")), lock=lock)
    assert keys(second) == {"a-x": "0x8001", "a-z": "0x8003", "a-new": "0x8004"}
    assert second.built.lock.released["pkey"] == {"q/a/y": "q:0x8002"}
    third = settled(site_text(tenants(y="")), lock=reread(second.built.lock))
    assert keys(third) == {"a-y": "0x8002"}
    assert keys(settled(site_text(tenants(new="")), lock=third.built.lock.pruned())) == {"a-new": "0x8001"}


def test_keys_and_everything_else_share_the_lock_without_touching_each_other() -> None:
    lock = reread(settled().built.lock)
    again = settled(lock=lock)
    assert dump(again.built.lock) == dump(lock)
    without = settled(site_text(""), lock=lock)
    assert without.built.lock.held.keys() == lock.held.keys() - {"pkey"}
    assert without.built.lock.released == {"pkey": lock.held["pkey"]}


def test_keys_are_those_of_one_fabric() -> None:
    more = site_text().splitlines()
    one = next(line for line in more if line.startswith("      q:"))
    both = '{nodes: "n{1..2}"}'
    other = one.replace("q:", "p:", 1).replace(", guids: guids/s.csv", "").replace("u1", "v1").replace("u2", "v2")
    one, other = one.replace('{nodes: "n*"}', both), other.replace('{nodes: "n*"}', '{nodes: "n{3..4}"}')
    text = (
        site_text("", fabrics=other + "\n").replace('attach: {nodes: "n*"}', f"attach: {both}", 1)
        + 'tenants:\n  a: {nodes: "n*", partitions: {x: {fabric: q}, y: {fabric: p}}}\n'
    )
    result = settled(text, guids=guids_csv(NODES[:2]))
    assert found(result) == []
    assert keys(result) == {"a-x": "0x8001", "a-y": "0x8001"}
    assert {item.fabric: {m.end.device for m in item.members} for item in result.partitions} == {
        "q": {"n1", "n2"},
        "p": {"n3", "n4"},
    }


@pytest.mark.parametrize(
    ("held", "text", "expected"),
    [
        (
            {"q/a/old": "q:0x8005"},
            ", pkey: 0x8005",
            "F040: partition a-x: key 0x8005 of fabric q belongs to a-old",
        ),
        ({"q/a/x": "q:0x8005"}, ", pkey: 0x8006", "F042: partition a-x: key 0x8006 is written, the lock holds 0x8005"),
    ],
)
def test_a_written_key_that_the_lock_gives_otherwise_is_refused(held: dict[str, str], text: str, expected: str) -> None:
    result = settled(site_text(tenants(x=text)), lock=Lock("s", {"pkey": held}))
    (message,) = messages(result)
    assert expected in message
    assert message.startswith("intent.yaml:9:54: ")
    assert keys(result) == {}


def test_no_key_is_left() -> None:
    held = {f"q/b/p{number}": f"q:0x{number | 0x8000:04x}" for number in range(1, 0x7FFF)}
    (message,) = messages(settled(site_text(tenants(x="")), lock=Lock("s", {}, {"pkey": held})))
    assert "F041: fabric q: no partition key of the pool is free for a-x" in message


def test_keys_come_from_the_pool_and_written_ones_from_anywhere() -> None:
    text = site_text(tenants(x="", y="", z=", pkey: 0x9000")).replace(
        "    fabrics:", "    pools: {pkeys: 0x8101-0x0102}\n    fabrics:"
    )
    result = settled(text)
    assert keys(result) == {"a-x": "0x8101", "a-y": "0x8102", "a-z": "0x9000"}
    (message,) = messages(settled(text.replace("0x8101-0x0102", "0x8101-0x8101")))
    assert "F041: fabric q: no partition key of the pool is free for a-y" in message


@pytest.mark.parametrize("value", ["q:0x8000", "q:0xffff", "q:0x0001", "q:8001", "0x8001", "q:0x80011"])
def test_a_lock_with_a_value_that_is_no_key_is_refused(value: str) -> None:
    _, problems = parse(dump(Lock("s", {"pkey": {"q/a/x": value}})), "s.lock", "s")
    assert [item.code for item in problems] == ["A001"]


@settings(max_examples=12, deadline=None)
@given(st.lists(st.permutations(["p", "q", "r", "s", "t"]).map(lambda names: names[:3]), min_size=2, max_size=5))
def test_whatever_comes_and_goes_no_key_moves_and_none_is_shared(story: list[list[str]]) -> None:
    lock, known = Lock("s"), dict[str, str]()
    for names in story:
        result = settled(site_text(tenants(**dict.fromkeys(names, ""))), lock=lock)
        now = keys(result)
        assert len(set(now.values())) == len(names)
        assert all(known.get(label, key) == key for label, key in now.items())
        known |= now
        lock = reread(result.built.lock)
    assert len(set(known.values())) == len(known)


# --- GUIDs


def test_a_partition_with_one_unknown_guid_is_kept_whole_and_not_complete() -> None:
    physics, biology = settled(guids=guids_csv(["n1", "n3", "n4"])).partitions
    assert not physics.complete
    assert physics.unlearnt == tuple(End("n2", f"rail{rail}") for rail in range(1, RAILS + 1))
    assert len(physics.members) == 2 * RAILS
    assert biology.complete


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("n9,mlx5_0,0x0002c903aaaa0001", "guids/s.csv:2:1: G004: no device n9 in this site"),
        ("n1,mlx5_8,0x0002c903aaaa0001", "guids/s.csv:2:1: G004: n1 mlx5_8: no such port in q"),
        ("n1,,0x0002c903aaaa0001", "guids/s.csv:2:1: G004: n1 may be any of 8 ports"),
        ("q-r1-l01,,0x0002c903aaaa0001", ""),
        ("n1,rail1,0x0002c903aaaa0001", ""),
        ("n1,mlx5_0/1,0x0002c903aaaa0001", ""),
        ("u1,mlx5_0,0x0002c903aaaa0001", ""),
    ],
)
def test_rows_find_their_port_or_are_refused(row: str, expected: str) -> None:
    result = settled(guids=f"device,port,guid\n{row}\n")
    assert [text for text in messages(result) if not text.startswith(expected or "-")] == []
    assert bool(found(result)) == bool(expected)
    fabric = result.built.fabric
    assert fabric is not None
    told = [port.guid for device in fabric.devices.values() for port in device.ports.values() if port.guid]
    told += [device.guid for device in fabric.devices.values() if device.guid]
    assert told == ([] if expected else ["0002c903aaaa0001"])


def test_by_rail_and_two_names_of_one_port() -> None:
    assert found(settled(guids="device,rail,guid\nn1,8,0x0002c903aaaa0001\n")) == []
    twice = settled(guids="device,port,guid\nn1,rail1,0x0002c903aaaa0001\nn1,mlx5_0,0x0002c903aaaa0002\n")
    (finding,) = found(twice)
    assert "n1 rail1 has two GUIDs: 0x0002c903aaaa0001 and 0x0002c903aaaa0002" in finding.message
    assert [str(span) for span, _ in finding.related] == ["guids/s.csv:2:1"]


def test_a_missing_file_is_told_where_it_is_named() -> None:
    (message,) = messages(settled(site_text(guids="guids/none.csv")))
    assert message.startswith("intent.yaml:7:")
    assert "G005: fabric q: no file guids/none.csv" in message


def test_one_wrong_row_and_no_guid_counts() -> None:
    result = settled(guids=guids_csv() + "n1,mlx5_0,broken\n")
    assert [item.code for item in found(result)] == ["G001"]
    assert not any(item.complete for item in result.partitions)
